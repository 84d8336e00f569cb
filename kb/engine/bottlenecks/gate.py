"""Which kernels are worth judging at all.

A capture that moved less than one recommended transfer a core in less than 20 us shows launch cost, cold caches and
rounding, not the kernel: no advice is better than advice on noise.
"""

from __future__ import annotations

from kb.engine.bottlenecks.judging import limit, pattern_in, value
from kb.engine.bottlenecks.pure_transport_with_vector_time import PATTERNS as MOVES
from kb.model import Features
from kb.units import nbytes, us
from kb.vocabulary.work_patterns import ALL_PRODUCTS

# In a model-level run an operator below this share of the compute time cannot pay for anybody's attention.
MIN_SHARE = 0.01
# These hold or not whatever the size.
ALWAYS = frozenset({"frequency-drop", "capture-contradicts-size", "aicpu-fallback", "setup-dominated-run"})
# Said of a kernel that is good as it is; in a run of many it would only be noise.
LAUNCH = frozenset(
    {"head-overhead", "over-parallel-launch"}
)  # what a kernel at its launch floor can still show
INFORMATIVE = frozenset({"cube-bound-healthy", "l2-stream-once"})


def wrong_times(f: Features, scope: str) -> str | None:
    """Why the times of a kernel cannot be what it took, or None.

    In the export of a run the time of the cores is a sum where there are more blocks than cores, and tells nothing.
    """
    took = f.get("task_duration_us")
    if took == 0:
        return "its duration is 0 in the file: it was not timed"
    cores_us = max(value(f, "aic_time_us"), value(f, "aiv_time_us"))
    most = limit("too-small-to-judge", "cores_above").value
    if scope == "operator" and took is not None and cores_us > most * took:
        return f"its cores worked {us(cores_us)} within a task of {us(took)}: one of the two is wrong"
    return None


def too_small(f: Features) -> str | None:
    """Why a kernel is too small to judge, or None."""
    duration, transfer = limit("too-small-to-judge", "duration"), limit("too-small-to-judge", "transfer")
    took, moved = f.get("task_duration_us"), _moved(f)
    if took is None or took >= duration.value or moved is None:
        return None
    cores = max(1.0, value(f, "working_cores", value(f, "block_dim", 1.0)))
    if moved / cores >= transfer.value:
        return None
    return (
        f"{nbytes(moved)} on {cores:.0f} core(s) in {us(took)}: less than one transfer of {nbytes(transfer.value)} a core and shorter "
        f"than {us(duration.value)}, so launch and cold caches are what was measured"
    )


def hardly_enough(f: Features) -> str | None:
    """Why nothing is sure about a kernel that is just not too small to judge, or None."""
    duration, transfer = limit("too-small-to-judge", "duration"), limit("too-small-to-judge", "transfer")
    took, moved = f.get("task_duration_us"), _moved(f)
    if took is None or took >= duration.value or moved is None:
        return None
    a_core = moved / max(1.0, value(f, "working_cores", value(f, "block_dim", 1.0)))
    if a_core >= limit("too-small-to-judge", "surely").value:
        return None
    return (
        f"{nbytes(a_core)} a core in {us(took)}: little more than one transfer of {nbytes(transfer.value)}, below which "
        "nothing is judged; launch and cold caches weigh on every share"
    )


def _moved(f: Features) -> float | None:
    """Bytes that counters saw move; where none counted, of a kernel that only copies: what it writes, read and written.

    Of other kernels the shapes alone do not tell what a launch does with them.
    """
    if "read_bytes" in f.values:
        return value(f, "read_bytes") + value(f, "write_bytes")
    wrote = f.get("output_bytes")
    return 2 * wrote if wrote is not None and pattern_in(f, *MOVES) else None


# A kernel that reaches this part of its roofline floor on every candidate chip is left alone: published kernels that
# count as good reach 0.64 to 0.89 (products bound by the cube), 0.6 (convolution) and 0.8 or so (vector classes, and
# products that only stream their weight) of it.
NEAR_FLOOR = {"product": 0.64, "conv": 0.6, "other": 0.75}
_ON_THE_CUBE = (*ALL_PRODUCTS, "attention")
# Whole kernels of the smallest size on record take up to 2 us (vector), 4.4 us (mix) and about 10 us (product): at
# such a length the shares describe start-up.
LAUNCH_FLOOR_US = {"vector": 3.0, "fused": 3.0, "mix": 5.0, "cube": 10.0}


# What launching alone takes inside the task duration (cost model section 2).
LAUNCH_US = {"vector": 2.0, "fused": 1.5, "mix": 4.0, "cube": 5.0}


def near_floor(f: Features) -> bool:
    """The kernel is as near to its roofline floor as good kernels get."""
    ratio = f.values.get("floor_ratio")
    if ratio is None:
        return False
    certain = ratio.low if ratio.low is not None and ratio.origin.endswith("]") else ratio.value
    took = f.get("task_duration_us")
    if took:  # launching is part of what cannot be won
        certain += LAUNCH_US.get(f.labels.get("core", ""), 0.0) / took
    return certain >= NEAR_FLOOR[_class(f)]


def _class(f: Features) -> str:
    """Which limit applies: a product whose floor is the memory's can stream like a vector kernel."""
    pattern = f.labels.get("op_pattern", "")
    if pattern.startswith("conv"):
        return "conv"
    if not pattern.startswith(_ON_THE_CUBE):
        return "other"
    streams = value(f, "memory_floor_us") > value(f, "compute_floor_us") > 0
    return "other" if streams else "product"


def at_launch_floor(f: Features) -> bool:
    """The kernel is so short that launching it is what was measured."""
    took = f.get("task_duration_us")
    return took is not None and 0 < took <= LAUNCH_FLOOR_US.get(f.labels.get("core", ""), 0.0)


def worth_judging(f: Features, scope: str) -> bool:
    """In a run, operators with a visible share; in a kernel capture, every kernel. Never set-up kernels."""
    if f.labels.get("setup") == "yes" or f.labels.get("core") in ("communication", "dsa", "dvpp", "other"):
        return False
    if scope == "operator":
        return True
    shares = [share for name in ("compute_time_share", "op_time_share") if (share := f.get(name)) is not None]
    return not shares or max(shares) >= MIN_SHARE
