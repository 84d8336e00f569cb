"""A bottleneck: a kernel whose name says that it was built for debugging."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import Bottleneck, Held
from kb.model import Evidence, Features


def judge(features: Features) -> Held | None:
    """It holds by the name alone; no figure says how much faster the release build is, so no headroom is named."""
    operator = features.operator
    if operator is None or "debug" not in operator.name.lower():
        return None
    seen = Evidence(
        "op_type", operator.name, "", "a name without debug", "name of the kernel; habit of this team"
    )
    return Held(0.6, None, (seen,), f"{operator.name} looks like a debug build")


BOTTLENECK = Bottleneck(
    id="example-debug-build",
    why="Checks and prints of a debug build cost time that the release build does not spend.",
    judge=judge,
    sources=("habit of this team",),
)
