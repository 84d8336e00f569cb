"""The scalar unit does the work (or the issuing) of a vector kernel."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    confidence,
    context,
    is_vector_side,
    limit,
    other_pipes,
    pattern_in,
    pipe_headroom,
    value,
)  # fmt: skip
from kb.model import Features
from kb.units import percent
from kb.vocabulary.work_patterns import ALL_PRODUCTS


def judge(f: Features) -> Held | None:
    """Scalar share above the limit and not merely back-pressure of a fuller pipe."""
    scalar = above(f, "aiv_scalar_ratio", limit("scalar-bound-vector", "scalar"))
    if scalar is None:
        return _watch(f)
    share = value(f, "aiv_scalar_ratio")
    stalled = value(f, "aiv_scalar_stall_ratio") + value(f, "aiv_scalar_wait_ib_ratio")
    if share - stalled < limit("scalar-bound-vector", "scalar").value:
        return None  # blocked by full queues or missing instructions: other bottlenecks name those
    copies = max(value(f, "aiv_mte2_ratio"), value(f, "aiv_mte3_ratio"))
    idle_vector = below(f, "aiv_vec_ratio", limit("scalar-bound-vector", "vector"))
    if share <= copies and (idle_vector is None or share < copies * 0.75):
        return None  # a longer copy pipe runs beside it
    if f.labels.get("core") == "mix" and value(f, "aic_mac_ratio") > share:
        return None
    sure = confidence(share - stalled, 0.3, 0.9, low=0.6 if idle_vector else 0.5)
    if f.labels.get("core") == "vector" and pattern_in(f, *ALL_PRODUCTS):
        sure = min(sure, OF_A_PRODUCT)
    evidence = (
        scalar,
        *([idle_vector] if idle_vector else context(f, "aiv_vec_ratio")),
        *context(f, "aiv_mte2_ratio", "aiv_mte3_ratio", "aiv_scalar_stall_ratio"),
    )
    extreme = share > 0.9 and value(f, "aiv_vec_ratio") < 0.05
    what = "an element loop on the scalar unit" if extreme else "scalar work or instruction issue"
    return Held(
        sure,
        _headroom(f, share),
        evidence,
        f"{what} takes {percent(share)} of the vector cores' time; the next pipe {percent(other_pipes(f, 'aiv_scalar'))}",
    )


def _watch(f: Features) -> Held | None:
    """Between the marks of the sources, where no longer pipe is known: it may be the limit."""
    scalar = above(f, "aiv_scalar_ratio", limit("scalar-bound-vector", "watch"))
    share = (
        value(f, "aiv_scalar_ratio")
        - value(f, "aiv_scalar_stall_ratio")
        - value(f, "aiv_scalar_wait_ib_ratio")
    )
    least = limit("scalar-bound-vector", "watch").value
    if (
        scalar is None
        or share < least
        or f.labels.get("core") == "mix"
        or other_pipes(f, "aiv_scalar") > share
    ):
        return None
    text = f"scalar work takes {percent(share)} of the vector cores' time, longer than every other pipe that was measured: sources disagree from where on that is too much"
    return Held(BETWEEN, _headroom(f, share), (scalar, *context(f, "aiv_vec_ratio", "aiv_mte2_ratio")), text)


OF_A_PRODUCT = 0.6  # confidence for a matrix product: the loop costs, but the unit for it is the cube, not the vector unit
BETWEEN = 0.4  # confidence between the marks of sources that disagree


def _headroom(f: Features, share: float) -> float:
    return pipe_headroom(f, "aiv_scalar")


BOTTLENECK = Bottleneck(
    id="scalar-bound-vector",
    why="Element loops, per-row calls, address arithmetic, int64 and tiling reads run one at a time.",
    needs=("aiv_scalar_ratio",),
    applies=is_vector_side,
    judge=judge,
    yields_to=("cv-sync-bound",),
    sources=("AscendC-Kernel-Agent quick reference", "msopprof documentation: scalar stalls"),
)
