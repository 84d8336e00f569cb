"""The configuration file."""

from __future__ import annotations

import os

from fuzz.sample import FEED, refused
from kb import settings
from kb.errors import KbError

PARSES = ("kb.settings",)


def seeds() -> list[bytes]:
    """A full file, one with lists, one with tables."""
    return [
        b'soc = "Ascend910B3"\nlang = "zh"\ndb = "~/runs.db"\n', b'data = ["a", "b"]\nplugins = "off"\n', b"[kb]\nx = 1979-05-27\n",
    ]  # fmt: skip


def one(data: bytes) -> None:
    """Read all settings."""
    os.environ["KB_CONFIG"] = str(FEED.file("config.toml", data))
    try:
        for key in settings.KEYS:
            settings.setting(key)
    except KbError as fault:
        refused(fault)
    finally:
        del os.environ["KB_CONFIG"]
