"""The problems that are planted into healthy steps, and what counts as recognising each.

A problem changes a step twice: `bad` with the problem, `good` with the same work done right. The difference of the two
spans is the gain that the advice has to promise. How much slower the bad version is follows the published figures of
the recipes where there are some, else it is a round number that no rule knows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from kb.benchmark.kernels import Kernel, healthy, slower, tensor
from kb.benchmark.models import HIDDEN, INNER, Step, attention
from kb.targets import Target

Plant = Callable[[Step, Target, Random, bool], Step]


@dataclass(frozen=True, slots=True)
class Problem:
    """One cause: the model it is planted in, what may be found, on which operators, and what may be advised.

    `operators` empty: the finding is of the run. `patterns` and `remedies` list what an expert would accept.
    """

    cause: str
    model: str
    patterns: tuple[str, ...]
    operators: tuple[str, ...]
    remedies: tuple[str, ...]
    plant: Plant
    ranks: int = 1


def _aicpu_nms(step: Step, target: Target, rng: Random, bad: bool) -> Step:
    slow = _on_ai_cpu("NonMaxSuppressionV3", rng.randint(1500, 2200), ("FLOAT", "INT64"))
    return [slow if bad and kernel.type == "NMSWithMask" else kernel for kernel in step]


def _aicpu_index_put(step: Step, target: Target, rng: Random, bad: bool) -> Step:
    item = tensor(64, 64, 56, 56)
    slow = _on_ai_cpu("IndexPutV2", rng.randint(480, 900), ("FLOAT16", "BOOL", "INT64"))
    return _after(
        step, "BatchNormV3", [slow if bad else healthy("Mul", (item, item), (item,), target)], times=1
    )


def _aicpu_complex(step: Step, target: Target, rng: Random, bad: bool) -> Step:
    slow = _on_ai_cpu("Mul", rng.randint(1100, 1600), (rng.choice(("COMPLEX64", "COMPLEX128")),) * 2)
    return [slow if bad and kernel.type == "RotaryMul" else kernel for kernel in step]


def _trans_data(step: Step, target: Target, rng: Random, bad: bool) -> Step:
    out: Step = []
    for kernel in step:
        if bad and kernel.type == "Conv2D" and kernel.inputs[0].shape and kernel.inputs[0].shape[1] >= 128:
            out.append(_trans(kernel.inputs[0].shape, target))
        out.append(kernel)
    return out


def _trans(shape: tuple[int, ...], target: Target) -> Kernel:
    batch, channels, height, width = shape
    blocked = tensor(batch, channels // 16, height, width, 16, format="NC1HWC0")
    return healthy("TransData", (tensor(*shape, format="NCHW"),), (blocked,), target)


def _cast_chain(step: Step, target: Target, rng: Random, bad: bool) -> Step:
    out: Step = []
    for kernel in step:
        if not bad or kernel.type != "BatchNormV3":
            out.append(kernel)
            continue
        half, single = kernel.inputs[0], replace(kernel.inputs[0], dtype="FLOAT")
        there, back = (healthy("Cast", (a,), (b,), target) for a, b in ((half, single), (single, half)))
        out += [there, kernel, back]
    return out


def _head_dim(step: Step, target: Target, rng: Random, bad: bool) -> Step:
    """Padding to 128 is the remedy: the same heads at 128 are the good version."""
    odd, factor = rng.choice((72, 80, 88, 104)), rng.uniform(1.9, 2.4)
    shares = {"aic_mac": 0.31, "aic_mte2": 0.91, "aic_mte1": 0.35, "aic_scalar": 0.46, "aiv_vec": 0.42}
    out: Step = []
    for kernel in step:
        if bad and kernel.type == "FlashAttentionScore" and kernel.inputs[0].shape:
            batch, heads, length, _ = kernel.inputs[0].shape
            work = replace(attention(target, batch, heads, length, odd), duration=kernel.duration)
            out.append(slower(work, factor, shares))
        else:
            out.append(kernel)
    return out


def _unaligned_product(step: Step, target: Target, rng: Random, bad: bool) -> Step:
    off, factor = rng.choice((-1, 3, -5, 37)), rng.uniform(1.7, 2.1)  # 438.76 against 230.24 us is 1.9
    shares = {"aic_mac": 0.44, "aic_mte2": 0.95, "aic_mte1": 0.4}
    out: Step = []
    for kernel in step:
        rows, columns = (
            kernel.outputs[0].shape[:2] if kernel.type == "MatMulV2" and kernel.outputs[0].shape else (0, 0)
        )
        if bad and columns == 2 * INNER:
            inputs = (kernel.inputs[0], tensor(HIDDEN, columns + off))
            odd = replace(kernel, inputs=inputs, outputs=(tensor(rows, columns + off),))
            out.append(slower(odd, factor, shares))
        else:
            out.append(kernel)
    return out


def _few_channels(step: Step, target: Target, rng: Random, bad: bool) -> Step:
    """Three channels padded to 16 of the cube; the good version uses the 4-channel input format."""
    factor = rng.uniform(4.5, 5.3)  # 16 / 3 is 5.3
    shares = {"aic_mac": 0.33, "aic_mte1": 0.84, "aic_mte2": 0.42, "aic_scalar": 0.2}
    return [slower(k, factor, shares) if bad and _channels(k) == 3 else k for k in step]


def _few_cores(step: Step, target: Target, rng: Random, bad: bool) -> Step:
    item = tensor(64, 256, 56, 56)
    good = healthy("ReduceSum", (item,), (tensor(256),), target)
    blocks = rng.choice((1, 2, 4))
    shares = {"aiv_mte2": 0.9, "aiv_vec": 0.36}
    slow = slower(good, 0.5 * target.vector_cores / blocks, shares, blocks=blocks)
    return _after(step, "MatMulV2", [slow if bad else good], times=1)


def _scalar_gather(step: Step, target: Target, rng: Random, bad: bool) -> Step:
    rows = 16 * 8400
    inputs = (tensor(rows, 256), tensor(rows, dtype="INT64"), tensor(1, dtype="INT64"))
    good = healthy("GatherV2", inputs, (tensor(rows, 256),), target)
    shares = {"aiv_scalar": 0.94, "aiv_vec": 0.02, "aiv_mte2": 0.14, "aiv_mte3": 0.11}
    return _after(
        step, "ResizeNearestNeighborV2", [slower(good, rng.uniform(9, 13), shares) if bad else good], times=1
    )


def _host_gaps(step: Step, target: Target, rng: Random, bad: bool) -> Step:
    wait = rng.uniform(28, 45)
    return [replace(k, gap=round(wait * rng.uniform(0.7, 1.3), 3)) if bad else k for k in step]


def _tiny_kernels(step: Step, target: Target, rng: Random, bad: bool) -> Step:
    """Norm, rotary embedding and gate written out in operators of a few microseconds."""
    chains = {
        "AddRmsNorm": ("Add", "Cast", "Mul", "ReduceMeanD", "Adds", "Rsqrt", "Mul", "Cast", "Mul"),
        "RotaryMul": ("StridedSliceD", "Neg", "ConcatD", "Mul", "Mul", "Add"),
        "SwiGlu": ("StridedSliceD", "Sigmoid", "Mul", "Mul"),
    }
    if not bad:
        return step
    out: Step = []
    for kernel in step:
        names = chains.get(kernel.type)
        out += [_tiny(name, kernel, target, rng) for name in names] if names else [kernel]
    return out


def _tiny(kind: str, whole: Kernel, target: Target, rng: Random) -> Kernel:
    item = whole.outputs[0]
    inputs = (item, item) if kind in ("Add", "Mul") else (item,)
    shares = {"aiv_vec": 0.08, "aiv_scalar": 0.24, "aiv_mte2": 0.31, "aiv_mte3": 0.13}
    duration = round(rng.uniform(2.6, 4.2), 3)
    return Kernel(kind, "vector", inputs, (item,), duration, target.vector_cores, shares)


def _exposed(step: Step, target: Target, rng: Random, bad: bool) -> Step:
    return [replace(k, stream="60") if bad and k.core == "communication" else k for k in step]


def _slow_rank(step: Step, target: Target, rng: Random, bad: bool) -> Step:
    """Planted by `planted.ranks_of`, which stretches one rank and lets the others wait."""
    return step


def _on_ai_cpu(kind: str, duration: float, dtypes: tuple[str, ...]) -> Kernel:
    inputs = tuple(tensor(1, 8400, dtype=dtype) for dtype in dtypes)
    return Kernel(
        kind, "ai_cpu", inputs, (tensor(1, 8400, dtype=dtypes[0]),), float(duration), 1, gap=4.0, stream="3"
    )


def _channels(kernel: Kernel) -> int:
    shape = kernel.inputs[0].shape if kernel.type == "Conv2D" else None
    return shape[1] if shape else 0


def _after(step: Step, kind: str, added: Step, times: int) -> Step:
    out: Step = []
    for kernel in step:
        out.append(kernel)
        if kernel.type == kind and times > 0:
            out += added
            times -= 1
    return out


_NMS = ("nms-aicpu-to-aicore-operator", "nms-custom-ascendc", "client-nms-ascendc", "nms-reduce-candidates", "nms-free-head", "torch-nms-warning")  # fmt: skip
_MATMUL = (
    "matmul-inner-axis-multiple-of-256",
    "matmul-padding-unaligned-stride",
    "matmul-aiv-nd2nz",
    "gm-unaligned-row-penalty",
    "gm-512b-alignment",
)
_GRAPH = ("graph-mode-decode", "tip-graph-mode-decode", "host-env-task-queue", "task-queue-2", "superkernel-merge", "inductor-compile-host", "cpu-affinity", "host-sync-item-removal", "sync-avoid")  # fmt: skip
_FUSE = ("rmsnorm-fused", "rope-fused", "swiglu-fused", "fused-norm-rope-swiglu", "norm-add-fusion-mapping", "ub-fusion-of-vector-chain", "autofuse-recommendation")  # fmt: skip
_OVERLAP = ("coc-communication-over-computation", "mc2-matmul-allreduce", "comm-small-packets-and-alignment", "hccl-aiv", "micro-batch-overlap-prefill")  # fmt: skip

PROBLEMS: tuple[Problem, ...] = (
    Problem("aicpu-nms", "detector", ("aicpu-fallback", "nms-post-processing"), ("NonMaxSuppression",), _NMS, _aicpu_nms),
    Problem("aicpu-index-put", "training", ("aicpu-fallback",), ("IndexPut",),
            ("aicpu-indexput-mask-to-mul", "aicpu-index-put-mask", "index-put-to-where"), _aicpu_index_put),
    Problem("aicpu-complex", "prefill", ("aicpu-fallback",), ("Mul",),
            ("aicpu-dtype-cast", "aicpu-dtype-int16-complex", "rope-fused"), _aicpu_complex),
    Problem("trans-data", "detector", ("format-conversion-share",), ("TransData",),
            ("transdata-removal-by-layout", "allow-internal-format", "whitelist-transdata"), _trans_data),
    Problem("cast-chain", "training", ("format-conversion-share",), ("Cast",),
            ("merge-cast-concat-slice", "surgeon-merge"), _cast_chain),
    Problem("attention-head-dim", "prefill", ("attention-unaligned-head-dim", "mte2-bound-cube-hungry"),
            ("FlashAttentionScore",), ("fa-head-dim-and-seq-multiple-of-128",), _head_dim),
    Problem("product-unaligned", "prefill", ("product-unaligned-inner-axis", "mte2-bound-cube-hungry"), ("MatMul",),
            _MATMUL, _unaligned_product),
    Problem("conv-three-channels", "detector", ("conv-few-channels",), ("Conv2D",),
            ("aipp-small-channel", "client-conv2d-native-padding"), _few_channels),
    Problem("reduce-few-cores", "training", ("under-parallel",), ("ReduceSum",),
            ("reduce-two-stage-global", "vector-use-all-cores"), _few_cores),
    Problem("scalar-gather", "detector", ("scalar-bound-vector", "discrete-gm-access"), ("Gather",),
            ("gather-v3-impl-mode", "gather-axis", "gather-to-split", "select-gather", "aicpu-index-to-index-select"), _scalar_gather),
    Problem("host-gaps", "decode", ("host-bound",), (), _GRAPH, _host_gaps),
    Problem("tiny-kernels", "decode", ("tiny-kernels", "unfused-chain"), (), (*_FUSE, *_GRAPH), _tiny_kernels),
    Problem("exposed-communication", "training", ("comm-exposed",), (), _OVERLAP, _exposed),
    Problem("slow-rank", "training", ("rank-imbalance",), (), ("slow-rank", "cpu-affinity"), _slow_rank, ranks=4),
)  # fmt: skip
