"""Bias, scale, activation or cast runs in its own kernel right after a product or convolution."""

from __future__ import annotations

from collections.abc import Sequence

from kb.addition import plain_sum
from kb.engine.bottlenecks.judging import Bottleneck, Held, confidence, limit, value
from kb.model import Evidence, Features
from kb.units import percent

EPILOGUES = ("add", "biasadd", "mul", "cast", "gelu", "relu", "leakyrelu", "fastgelu", "swish", "silu")
PRODUCTS = ("matmul", "batchmatmul", "conv2d", "groupedmatmul", "quantbatchmatmul", "fullyconnection")


# A type that only begins like an epilogue (AddRmsNorm, MulAddN) is an operator of its own.
WORK = ("elementwise", "activation", "cast")


def _is_epilogue(f: Features) -> bool:
    if not f.labels.get("op_pattern", WORK[0]).startswith(WORK):
        return False
    return f.labels.get("op_type", "").lower().startswith(EPILOGUES) and f.labels.get(
        "follows", ""
    ).lower().startswith(PRODUCTS)


def judge_run(run: Features, operators: Sequence[Features]) -> Held | None:
    """Epilogue operators that mostly follow a product, above the share."""
    group = tuple(f for f in operators if _is_epilogue(f))
    share = plain_sum(value(f, "compute_time_share") for f in group)
    threshold = limit("epilogue-in-separate-kernel", "share")
    if share <= threshold.value:
        return None
    evidence = [
        Evidence(
            "compute_time_share",
            round(share, 4),
            "1",
            f"> {percent(threshold.value)}",
            f"{len(group)} operator groups; {threshold.source}",
        )
    ]
    evidence += [
        Evidence(
            "follows",
            f"{f.labels.get('follows')} -> {f.labels.get('op_type')}",
            "",
            "",
            "order of launches on the stream",
        )
        for f in group[:3]
    ]
    return Held(
        confidence(share, 0.02, 0.15),
        1.0,
        tuple(evidence),
        f"epilogues in separate kernels take {percent(share)} of the compute time",
        group,
    )


BOTTLENECK = Bottleneck(
    id="epilogue-in-separate-kernel",
    why="The result of the matrix multiplication makes a round trip through GM for an operation that fits into its output path.",
    judge_run=judge_run,
)
