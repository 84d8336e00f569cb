"""A limit on regressions: what fails a build, and what does not although it takes longer."""

from __future__ import annotations

from kb.comparison import Band, Change, Comparison, Dimension, Gate, Total

GATED_SHARE = 0.01  # of the time before: an operator below it fails no build
# Conditions under which times can be looked at side by side, but a change cannot be laid to the program.
OF_THE_PROFILER: tuple[Dimension, ...] = ("level",)


def gated(found: Comparison, limit: float) -> Gate:
    """What a limit on regressions says: the total, and every operator with a visible share of the time.

    A change within its noise band is no regression, whatever the limit; runs that cannot be compared are not judged, and
    neither are runs of which the profiler recorded more in one. Collectives fail nothing: how long they take is decided by
    the rank that comes last, and nothing here tells their waiting from their moving. So with collectives the total is that
    of the kernels.
    """
    if found.verdict == "not-comparable":
        return Gate(limit, False, ())
    told = (item.dimension for item in found.checks if item.state == "differs")
    why = next((dimension for dimension in told if dimension in OF_THE_PROFILER), None)
    if why is not None:
        return Gate(limit, False, (), why=why)
    total = found.parts.compute if found.parts is not None else found.total
    failed = [""] if _total_fails(total, limit) else []
    slower = [item for item in found.changes if _fails(item, limit)]
    apart = tuple(item.name for item in slower if _waits(found, item))
    return Gate(limit, True, (*failed, *(item.name for item in slower if not _waits(found, item))), apart)


def _waits(found: Comparison, item: Change) -> bool:
    return found.parts is not None and item.core == "communication"


def _total_fails(total: Total | None, limit: float) -> bool:
    return total is not None and _worse(total.change, total.band, limit)


def _fails(item: Change, limit: float) -> bool:
    visible = (item.share or 0.0) >= GATED_SHARE
    return (
        item.change is not None
        and item.band is not None
        and visible
        and _worse(item.change, item.band, limit)
    )


def _worse(change: float, noise: Band, limit: float) -> bool:
    return change > limit and change > noise.value
