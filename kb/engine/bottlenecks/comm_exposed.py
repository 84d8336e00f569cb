"""Communication is not hidden behind computation."""

from __future__ import annotations

from collections.abc import Sequence

from kb.engine.bottlenecks.judging import Bottleneck, Held, above, confidence, context, limit, value
from kb.model import Features
from kb.units import percent

OVERLAP_UNKNOWN = "overlap unknown"  # what the origin of the metric says where the input does not tell


def judge_run(run: Features, operators: Sequence[Features]) -> Held | None:
    """Exposed communication takes a visible part of the run."""
    exposed = above(run, "comm_exposed_share", limit("comm-exposed", "share"))
    share, whole = value(run, "comm_exposed_share"), value(run, "comm_share")
    if exposed is None or (whole > 0 and share / whole < limit("comm-exposed", "exposed").value):
        return None
    group = tuple(f for f in operators if f.labels.get("core") == "communication")
    evidence = (
        exposed,
        *context(
            run,
            *("comm_share", "comm_wait_ratio", "comm_transit_share", "comm_p2p_share"),
            *("rank_imbalance", "small_packet_ratio"),
        ),
    )
    return Held(
        confidence(share, 0.05, 0.3),
        round(share, 4),
        evidence,
        f"{_summary(run, share, whole)}; {_waiting(run)}",
        group,
    )


def _summary(run: Features, share: float, whole: float) -> str:
    """What nothing hides; of an input that does not tell what runs at the same time, that this is not known."""
    if OVERLAP_UNKNOWN in run.values["comm_exposed_share"].origin:
        return f"communication takes {percent(share)} of the run; whether computation hides part of it is not known"
    if whole <= 0:
        return f"communication that nothing hides takes {percent(share)} of the run"
    hidden = percent(max(0.0, 1 - share / whole))
    return f"communication that nothing hides takes {percent(share)} of the run ({hidden} of all communication overlaps with computation)"


def _waiting(run: Features) -> str:
    """How much of it is no transfer, as far as the files tell."""
    still = run.get("comm_wait_ratio")
    if still is None:
        return "part of it may be waiting for other ranks"
    return f"{percent(still)} of the collectives' time moves no data: it is waiting for other ranks, or idle"


BOTTLENECK = Bottleneck(
    id="comm-exposed",
    why="Cores stand still while data is on the links or another rank is late.",
    needs=("comm_exposed_share",),
    judge_run=judge_run,
    headroom_of="run",
    collect="communication rows with start times, or step_trace_time.csv",
)
