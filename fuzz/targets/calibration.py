"""Kept calibrations of the estimates."""

from __future__ import annotations

from fuzz.sample import FEED, refused
from kb.engine.estimate import calibrate
from kb.errors import KbError

PARSES = ("kb.engine.estimate.calibrate",)


def seeds() -> list[bytes]:
    """One with and one without a range."""
    classes = (
        b'"map": {"factor": 1.2, "kernels": 4, "low": 0.8, "high": 1.3}',
        b'"cube": {"factor": 2, "kernels": 1}',
    )
    schema = calibrate.SCHEMA.encode()
    return [
        b'{"schema": "%b", "chip": "Ascend910B3", "source": "run", "classes": {%b}}' % (schema, one)
        for one in classes
    ]


def one(data: bytes) -> None:
    """Load it."""
    try:
        calibrate.load(FEED.file("calibration.json", data))
    except KbError as fault:
        refused(fault)
