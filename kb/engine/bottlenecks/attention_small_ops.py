"""Attention built from small operators, or its fused kernel in an unfavourable layout."""

from __future__ import annotations

from collections.abc import Sequence

from kb.addition import plain_sum
from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    confidence,
    context,
    limit,
    open_share,
    value,
)
from kb.model import Evidence, Features
from kb.units import percent


def judge_run(run: Features, operators: Sequence[Features]) -> Held | None:
    """BatchMatMul -> Softmax -> BatchMatMul in the launch order, or a copy-bound attention kernel."""
    threshold = limit("attention-small-ops", "share")
    unfused = [f for f in operators if _softmax_between_products(f)]
    if unfused:
        group = tuple(unfused + [f for f in operators if _is_batched_product(f)])
        share = plain_sum(value(f, "compute_time_share") for f in group)
        if share > threshold.value:
            order = Evidence(
                "followed_by",
                f"{unfused[0].labels.get('follows')} -> {unfused[0].labels.get('op_type')} -> {unfused[0].labels.get('followed_by')}",
                "",
                "one fused attention kernel",
                "order of launches on the stream",
            )
            return Held(
                0.8,
                _fusable(group),
                (
                    order,
                    Evidence(
                        "compute_time_share",
                        round(share, 4),
                        "1",
                        f"> {percent(threshold.value)}",
                        threshold.source,
                    ),
                ),
                f"attention runs as separate matrix multiplications and softmax: {percent(share)} of the compute time",
                group,
            )
    fused = [
        f
        for f in operators
        if f.labels.get("op_pattern") == "attention"
        and above(f, "aic_mte2_ratio", limit("attention-small-ops", "mte2"))
    ]
    fused = [f for f in fused if value(f, "compute_time_share", 1.0) > threshold.value]
    if not fused:
        return None
    top = max(fused, key=lambda f: (value(f, "aic_mte2_ratio"), f.operator.name if f.operator else ""))
    return Held(
        confidence(value(top, "aic_mte2_ratio"), 0.8, 0.95),
        round(max(0.0, 1 - value(top, "aic_mac_ratio")), 4),
        (*context(top, "aic_mte2_ratio", "aic_mac_ratio", "head_dim"),),
        "the attention kernel is bound by copying in",
        tuple(fused),
    )


def _fusable(group: Sequence[Features]) -> float:
    """Part of the time that one fused kernel saves at most: all of the softmax, which goes beside the products, and of
    the products what their busiest pipe and their floor leave open.
    """
    rooms = [1.0 if f.labels.get("op_pattern") == "softmax" else open_share(f) for f in group]
    times = [value(f, "compute_time_share") for f in group]
    return round(
        plain_sum(room * time for room, time in zip(rooms, times, strict=True)) / plain_sum(times), 4
    )


def _softmax_between_products(f: Features) -> bool:
    product = ("batchmatmul", "matmul")
    before, after = f.labels.get("follows", "").lower(), f.labels.get("followed_by", "").lower()
    return f.labels.get("op_pattern") == "softmax" and (
        before.startswith(product) or after.startswith(product)
    )


def _is_batched_product(f: Features) -> bool:
    return f.labels.get("op_type", "").lower().startswith("batchmatmul")


BOTTLENECK = Bottleneck(
    id="attention-small-ops",
    why="Scores written to and read from GM, one launch an operator.",
    judge_run=judge_run,
)
