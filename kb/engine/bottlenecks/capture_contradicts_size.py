"""The counters moved far fewer bytes than the stated size needs."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import Bottleneck, Held, below, context, is_kernel, limit, value
from kb.model import Features
from kb.units import nbytes


def judge(f: Features) -> Held | None:
    """Moved bytes below a quarter of the least that the stated shape needs."""
    moved = below(f, "moved_bytes_share", limit("capture-contradicts-size", "moved"))
    if moved is None:
        return None
    have = value(f, "read_bytes") + value(f, "write_bytes")
    return Held(
        0.95,
        0.0,
        (moved, *context(f, "read_bytes", "write_bytes", "block_dim")),
        f"only {nbytes(have)} moved, {value(f, 'moved_bytes_share'):.2%} of what the stated size needs: the size did not reach the kernel, or another launch was captured",
    )


BOTTLENECK = Bottleneck(
    id="capture-contradicts-size",
    why="Advice on such a capture would tune the wrong case.",
    needs=("moved_bytes_share",),
    applies=lambda f: is_kernel(f) and "moved_bytes_share" in f.values,
    judge=judge,
    collect="Memory and the operator's shape (--shape)",
)
