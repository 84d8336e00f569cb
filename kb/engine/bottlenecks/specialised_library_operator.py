"""A generic operator far from its floor where the library has a specialised one."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import Bottleneck, Held, above, below, context, limit, value
from kb.model import Features
from kb.units import percent

TYPES = ("maxpool", "avgpool", "gridsample", "deformable", "resize", "fakequant", "upsample")


def judge(f: Features) -> Held | None:
    """A type with documented special kernels, visible in the run and far from the floor."""
    share = above(f, "compute_time_share", limit("specialised-library-operator", "share"))
    far = below(f, "floor_ratio", limit("specialised-library-operator", "floor"))
    if share is None or far is None:
        return None
    return Held(
        0.5,
        round(max(0.0, 1 - value(f, "floor_ratio")), 4),
        (share, far, *context(f, "task_duration_us", "floor_us")),
        f"{f.labels.get('op_type')} takes {percent(value(f, 'compute_time_share'))} of the compute time at {percent(value(f, 'floor_ratio'))} of what its bytes need; the library has special cases for some shapes",
    )


BOTTLENECK = Bottleneck(
    id="specialised-library-operator",
    why="Some shapes and attributes have kernels of their own.",
    needs=("compute_time_share", "floor_ratio"),
    applies=lambda f: (
        f.labels.get("op_type", "").lower().startswith(TYPES) and f.labels.get("core") != "ai_cpu"
    ),
    judge=judge,
    collect="Input/Output Shapes (Level1) and the chip (--soc)",
)
