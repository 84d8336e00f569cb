"""Which kernels are worth judging at all.

A capture that moved less than one recommended transfer a core in less than 20 us shows launch cost, cold caches and
rounding, not the kernel: no advice is better than advice on noise.
"""

from __future__ import annotations

from kb.engine.bottlenecks.judging import limit, value
from kb.model import Features
from kb.units import nbytes, us

# In a model-level run an operator below this share of the compute time cannot pay for anybody's attention.
MIN_SHARE = 0.01
# These hold or not whatever the size.
ALWAYS = frozenset({"frequency-drop", "capture-contradicts-size", "aicpu-fallback", "setup-dominated-run"})


def too_small(f: Features) -> str | None:
    """Why a kernel is too small to judge, or None."""
    duration, transfer = limit("too-small-to-judge", "duration"), limit("too-small-to-judge", "transfer")
    took = f.get("task_duration_us")
    if took is None or took >= duration.value or "read_bytes" not in f.values:
        return None
    moved = value(f, "read_bytes") + value(f, "write_bytes")
    cores = max(1.0, value(f, "working_cores", value(f, "block_dim", 1.0)))
    if moved / cores >= transfer.value:
        return None
    return (
        f"{nbytes(moved)} on {cores:.0f} core(s) in {us(took)}: less than one transfer of {nbytes(transfer.value)} a core and shorter "
        f"than {us(duration.value)}, so launch and cold caches are what was measured"
    )


def worth_judging(f: Features, scope: str) -> bool:
    """In a run, operators with a visible share; in a kernel capture, every kernel. Never set-up kernels."""
    if f.labels.get("setup") == "yes" or f.labels.get("core") in ("communication", "dsa", "dvpp", "other"):
        return False
    if scope == "operator":
        return True
    shares = [share for name in ("compute_time_share", "op_time_share") if (share := f.get(name)) is not None]
    return not shares or max(shares) >= MIN_SHARE
