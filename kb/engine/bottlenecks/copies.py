"""Copies of a few bytes each, in or out."""

from __future__ import annotations

from typing import Literal

from kb.addition import plain_sum
from kb.engine.bottlenecks.judging import (
    Held,
    Threshold,
    above,
    below,
    confidence,
    context,
    floor_ratio,
    is_vector_side,
    limit,
    other_pipes,
    pipe_headroom,
    value,
)
from kb.model import Evidence, Features
from kb.units import nbytes, percent


def small_copies(
    f: Features, pipe: Literal["mte2", "mte3"], few: Threshold, much: Threshold, copy: str
) -> Held | None:
    """Mean bytes an instruction of `pipe` below `few`, and the pipe's share of the time above `much`; `copy` names one
    such copy in the summary.
    """
    count, ratio = f"{pipe}_instructions", f"aiv_{pipe}_ratio"
    small, busy = below(f, f"bytes_per_{pipe}_instruction", few), above(f, ratio, much)
    if small is not None and ratio not in f.values:
        return _by_the_size_alone(f, small, copy, pipe)
    if small is None or busy is None:
        return None
    per = value(f, f"bytes_per_{pipe}_instruction")
    # With larger copies the count falls to per / transfer of today's; the rest of the pipe's time is the bytes' own.
    removable = 1 - per / limit("under-parallel", "transfer").value
    share, scalar = value(f, ratio), value(f, "aiv_scalar_ratio")
    text = f"{nbytes(per)} {copy} ({value(f, count):.0f} copies); {pipe.upper()} takes {percent(share)} of the time"
    if _take_turns(f) and scalar > share:
        text += f", and the scalar unit that issues them {percent(scalar)}"
    return Held(
        confidence(few.value / per, 1, 8, low=0.65),
        _headroom(f, f"aiv_{pipe}", removable),
        (small, busy, *context(f, count)),
        text,
    )


def is_copying(f: Features) -> bool:
    """A kernel with a vector side, or one of which nobody said what it runs on."""
    return is_vector_side(f) or f.labels.get("core") == "unknown"


def _by_the_size_alone(f: Features, small: Evidence, copy: str, pipe: str) -> Held | None:
    """Copies are small, but how much of the time they take was not measured; a short kernel has no large ones."""
    if value(f, "task_duration_us") <= limit("too-small-to-judge", "duration").value:
        return None
    per = value(f, f"bytes_per_{pipe}_instruction")
    text = f"{nbytes(per)} {copy}; how much of the time copying takes was not measured"
    return Held(UNSIZED, None, (small, *context(f, "task_duration_us", "floor_ratio")), text)


UNSIZED = 0.5  # confidence where the copies' part of the time is not known


def _take_turns(f: Features) -> bool:
    """The shares of the vector core's pipes and its scalar unit add up to about one."""
    spent = plain_sum(value(f, f"aiv_{name}_ratio") for name in ("vec", "scalar", "mte2", "mte3"))
    low, high = (limit("serial-copy-compute", name).value for name in ("sum_low", "sum_high"))
    return low <= spent <= high


def _headroom(features: Features, pipe: str, removable: float) -> float:
    """Upper bound of the time saved when the same bytes move in fewer, larger copies.

    As `pipe_headroom`; where the pipes of the vector core take turns (their shares and the scalar unit's add up to
    about one) the scalar time between the copies is spent issuing and waiting for them and can go with them.
    """
    if not _take_turns(features):
        return pipe_headroom(features, pipe, removable)
    share = (value(features, f"{pipe}_ratio") + value(features, "aiv_scalar_ratio")) * removable
    return round(max(0.0, min(share, 1 - other_pipes(features, pipe), 1 - floor_ratio(features))), 4)
