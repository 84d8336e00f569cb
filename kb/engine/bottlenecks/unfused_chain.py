"""Small vector operators run one after another although one fused kernel would do."""

from __future__ import annotations

from collections.abc import Sequence

from kb.addition import plain_sum
from kb.engine.bottlenecks.judging import Bottleneck, Held, confidence, limit, value
from kb.model import Evidence, Features
from kb.units import percent

PATTERNS = ("elementwise", "norm", "softmax", "activation", "reduce", "foreach", "rope", "quant")


def _chained(f: Features, types: set[str]) -> bool:
    return f.labels.get("followed_by") in types or f.labels.get("follows") in types


def judge_run(run: Features, operators: Sequence[Features]) -> Held | None:
    """Vector operators that mostly follow one another, copy-bound, above the share."""
    small = [
        f
        for f in operators
        if f.labels.get("core") in ("vector", "fused") and f.labels.get("op_pattern", "").startswith(PATTERNS)
    ]
    types = {f.labels["op_type"] for f in small if "op_type" in f.labels}
    group = tuple(f for f in small if _chained(f, types))
    share = plain_sum(value(f, "compute_time_share") for f in group)
    threshold = limit("unfused-chain", "share")
    if len(group) < 2 or share <= threshold.value:
        return None
    copies = [value(f, "copy_ratio") for f in group if "copy_ratio" in f.values]
    copying = bool(copies) and plain_sum(copies) / len(copies) > limit("unfused-chain", "copy").value
    evidence = [
        Evidence(
            "compute_time_share",
            round(share, 4),
            "1",
            f"> {percent(threshold.value)}",
            f"sum of {len(group)} chained vector groups; limit: {threshold.source}",
        )
    ]
    evidence += [
        Evidence("followed_by", f"{f.labels.get('op_type')} -> {f.labels.get('followed_by')}", "", "", "order of launches on the stream")
        for f in sorted(group, key=lambda f: -value(f, "compute_time_share"))[:3] if f.labels.get("followed_by") in types
    ]  # fmt: skip
    # A chain of n operators reads and writes between every two; one kernel keeps one read and one write. One type may
    # follow itself, so a chain has two operators at least.
    headroom = 1 - 1 / max(2, len(types))
    return Held(
        confidence(share, 0.05, 0.25, low=0.6 if copying else 0.45),
        round(headroom, 4),
        tuple(evidence),
        f"chains of small vector operators take {percent(share)} of the compute time",
        group,
    )


BOTTLENECK = Bottleneck(
    id="unfused-chain",
    why="Every operator of a chain reads from and writes to GM and pays a launch.",
    needs=("small_kernel_share",),
    judge_run=judge_run,
)
