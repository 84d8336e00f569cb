"""A matrix kernel waits for its operands."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    confidence,
    context,
    floor_ratio,
    is_cube_side,
    limit,
    pattern_in,
    pipe_headroom,
    value,
)
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """Copying in is the longest pipe and the cube works less than half of the time (or its share is unknown)."""
    mte2 = above(f, "aic_mte2_ratio", limit("mte2-bound-cube-hungry", "mte2"))
    cube = below(f, "aic_mac_ratio", limit("mte2-bound-cube-hungry", "cube"))
    share = value(f, "aic_mte2_ratio")
    if "aic_mte2_ratio" not in f.values:
        return _by_the_cube_alone(f) if "aic_mac_ratio" in f.values else _by_the_time_alone(f)
    if mte2 is None:
        return _to_watch(f)
    if share < value(f, "aic_scalar_ratio") or (cube is None and not _starved(f, share)):
        return None
    evidence = (
        mte2,
        *([cube] if cube else context(f, "aic_mac_ratio")),
        *context(f, "gm_bandwidth_utilisation", "l2_hit_rate", "bytes_per_mte2_instruction", "floor_ratio"),
    )
    sure = confidence(share, 0.6, 0.95, low=0.6 if cube else 0.5, high=0.95 if cube else 0.75)
    work = (
        f"the cube {percent(value(f, 'aic_mac_ratio'))}"
        if "aic_mac_ratio" in f.values
        else "the cube's share is not known"
    )
    return Held(
        sure,
        pipe_headroom(f, "aic_mte2"),
        evidence,
        f"MTE2 is busy {percent(share)} of the time, {work}: too few multiply-adds a byte, or inefficient copies",
    )


def _to_watch(f: Features) -> Held | None:
    """Between the lowest published limit and the one in use, as the longest pipe: the sources disagree, so not sure."""
    mte2 = above(f, "aic_mte2_ratio", limit("mte2-bound-cube-hungry", "watch"))
    cube = below(f, "aic_mac_ratio", limit("mte2-bound-cube-hungry", "cube"))
    share = value(f, "aic_mte2_ratio")
    if mte2 is None or (cube is None and "aic_mac_ratio" in f.values):
        return None
    if share < max(value(f, "max_pipe_ratio"), WATCHED_CUBE * value(f, "aic_mac_ratio")):
        return None
    text = f"MTE2 is the longest pipe at {percent(share)} of the time: sources disagree from where on that is too much"
    evidence = (mte2, *([cube] if cube else []), *context(f, "gm_bandwidth_utilisation", "floor_ratio"))
    return Held(ALONE, pipe_headroom(f, "aic_mte2"), evidence, text)


def _by_the_cube_alone(f: Features) -> Held | None:
    """Only the cube's share is known and it is low: most often it waits for operands."""
    cube = below(f, "aic_mac_ratio", limit("mte2-bound-cube-hungry", "cube"))
    if cube is None or any(
        name in f.values for name in ("aic_scalar_ratio", "aic_mte1_ratio", "aic_fixpipe_ratio")
    ):
        return None
    share = value(f, "aic_mac_ratio")
    text = f"the cube works {percent(share)} of the time; what it waits for was not measured, most often its operands"
    return Held(ALONE, round(1 - max(share, floor_ratio(f)), 4), (cube,), text)


def _by_the_time_alone(f: Features) -> Held | None:
    """Only the time of the copies in is known, and alone it is a multiple of the whole kernel's floor."""
    spent, floor = value(f, "aic_mte2_time_us"), f.values.get("floor_us")
    if floor is None or spent < MULTIPLE * (floor.high if floor.high is not None else floor.value):
        return None
    if value(f, "task_duration_us", spent) > spent / limit("mte2-bound-cube-hungry", "mte2").value:
        return None  # something else takes the larger part
    headroom = round(1 - floor.value / spent, 4)
    text = f"copying in alone takes {spent / floor.value:.1f} times the roofline floor; the other pipes were not measured"
    evidence = (*context(f, "aic_mte2_time_us", "floor_us", "task_duration_us"),)
    return Held(ALONE, headroom, evidence, text)


def _starved(f: Features, mte2: float) -> bool:
    """Copying in clearly longer than the cube's work, which is not near its own limit; true when that is unknown."""
    cube = f.get("aic_mac_ratio")
    return cube is None or (mte2 > AT_THE_WALL and cube < CUBE_GOOD and mte2 - cube > CLEARLY)


# The advisor calls 0.95 the memory wall for a cube operator; a cube at 0.8 is good whatever MTE2 shows, because the
# share counts waiting.
AT_THE_WALL, CUBE_GOOD, CLEARLY = 0.85, 0.8, 0.15
WATCHED_CUBE = 1.5  # below the limit in use, MTE2 has to be clearly longer than the cube's work
MULTIPLE = 2.0  # good kernels copy in less than their floor: the copies are part of it
ALONE = 0.4  # confidence where the copies themselves were not measured


BOTTLENECK = Bottleneck(
    id="mte2-bound-cube-hungry",
    why="Operands arrive slower than the cube could use them.",
    needs=("aic_mte2_ratio|aic_mac_ratio|aic_mte2_time_us",),
    # Decoding attention reads its cache once for one query: waiting for memory is its nature, not a fault.
    applies=lambda f: is_cube_side(f) and not pattern_in(f, "attention_decode", "kv_cache"),
    judge=judge,
    yields_to=("gemv-small-m", "product-unaligned-inner-axis", "attention-unaligned-head-dim"),
)
