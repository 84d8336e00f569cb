"""A product (matmul, attention) that leaves the cube idle."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import Bottleneck, Held, below, context, label, limit, pattern_in, value
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """The kernel ran on vector cores only, or its cube share is next to nothing (few rows excepted)."""
    if (
        value(f, "matmul_m", 1e9) <= limit("gemv-small-m", "rows").value
        or value(f, "head_overhead_share") > 0.5
        or f.labels.get("op_pattern")
        == "attention_decode"  # one query a sequence: rows of the product are few
    ):
        return None
    if f.labels.get("core") == "vector":
        # A vector kernel has no cube rows at all: that is what says the cube is unused, not an absent share read as 0.
        evidence = (
            label(f, "core", "cube or mix"),
            label(f, "op_pattern"),
            *context(f, "aiv_vec_ratio", "aiv_scalar_ratio"),
        )
        return Held(
            0.8,
            round(max(0.0, 1 - value(f, "floor_ratio")), 4),
            evidence,
            f"a matrix multiplication ({f.labels.get('op_pattern')}) runs on vector cores only; the cube is unused",
        )
    cube = below(f, "aic_mac_ratio", limit("cube-idle-no-dot", "cube"))
    if cube is None or f.labels.get("hand_written") == "no":  # the library's products do use the cube
        return None
    idle = 1 - value(f, "aic_mac_ratio")
    return Held(
        0.65,
        round(min(idle, 1 - value(f, "floor_ratio")), 4),
        (cube, label(f, "op_pattern"), *context(f, "aiv_vec_ratio", "aic_mte2_ratio", "aic_scalar_ratio")),
        f"the cube works only {percent(value(f, 'aic_mac_ratio'))} of the time although the kernel is a matrix multiplication ({f.labels.get('op_pattern')})",
    )


BOTTLENECK = Bottleneck(
    id="cube-idle-no-dot",
    why="The cube does a matrix multiplication tens of times faster than vector or scalar code.",
    needs=("core",),
    applies=lambda f: (
        pattern_in(f, "matmul", "batch_matmul", "attention", "grouped_matmul")
        and f.labels.get("core") in ("vector", "mix", "cube")
    ),
    judge=judge,
    yields_to=("gemv-small-m",),
)
