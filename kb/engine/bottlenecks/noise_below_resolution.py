"""A claimed gain is smaller than what a measurement resolves."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import Bottleneck, Held
from kb.model import Features


def judge(f: Features) -> Held | None:
    """Needs two runs: judged by the comparison, never from one profile."""
    return None


BOTTLENECK = Bottleneck(
    id="noise-below-resolution",
    why="A single run resolves about 2 %, a bracketed one about 0.3 %.",
    applies=lambda _f: False,
    judge=judge,
    collect="a second run: kb compare BEFORE AFTER",
)
