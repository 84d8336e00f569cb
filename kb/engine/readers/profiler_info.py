"""profiler_info_<rank>.json of the PyTorch profiler: rank, versions and level of a capture.

No profile by itself, so there is no `read`; readers of job exports take the rank and the versions from it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from kb.engine.readers.source import Source

NAME = "profiler_info"

LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Settings:
    """What is used of such a file; None where it does not say."""

    folder: Path
    rank: str | None
    cann_version: str | None
    torch_version: str | None
    level: str | None


def recognise(source: Source) -> int:
    """By the keys that every version of the file has."""
    text = source.text
    if not text.lstrip().startswith("{") or source.size > LARGEST:
        return 0
    return 90 if '"common_config"' in text and '"experimental_config"' in text else 0


def settings(source: Source) -> Settings | None:
    """The settings, None when the file is damaged: they are useful, not needed."""
    try:
        data = json.loads(source.path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    config = data.get("config")
    experimental = config.get("experimental_config") if isinstance(config, dict) else None
    level = experimental.get("_profiler_level") if isinstance(experimental, dict) else None
    return Settings(
        source.path.parent,
        _word(data.get("rank_id")),
        _word(data.get("cann_version")),
        _word(data.get("torch_npu_version")),
        _word(level),
    )


def _word(value: object) -> str | None:
    """Text or a whole number as text (rank_id is either); -1 stands for "not a distributed run"."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    text = str(value).strip()
    return text[:64] if text and text != "-1" and text.isprintable() else None
