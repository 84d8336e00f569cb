"""Steps of four common models with nothing wrong: what the planted problems are put into.

Sizes are those of public models (a YOLO-like detector, ResNet-50 training, a 7B decoder in prefill and decode), cut to
a few layers. Epilogues are fused, layouts kept, shapes aligned, collectives hidden behind computation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from kb.benchmark.kernels import Kernel, alike, collective, healthy, tensor
from kb.targets import Target

Step = list[Kernel]
HIDDEN, HEADS, HEAD_DIM, INNER = 4096, 32, 128, 11008


def detector(target: Target, scale: int = 1) -> Step:
    """Inference of a detector on 16 pictures of 640 x 640: stages of convolutions, a neck, and NMS on AI Core."""
    batch = 16 * scale
    step: Step = [_conv(target, batch, 3, 64, 640, kernel=6, stride=2)]
    size, channels = 320, 64
    for depth in (2, 4, 4, 2):
        step.append(_conv(target, batch, channels, channels * 2, size, stride=2))
        size, channels = size // 2, channels * 2
        step += [_conv(target, batch, channels, channels, size) for _ in range(depth)]
    step.append(_vector(target, "MaxPoolV3", (batch, channels, size, size)))
    step.append(_conv(target, batch, channels, channels // 2, size, kernel=1))
    small, large = (batch, channels // 2, size, size), (batch, channels // 2, size * 2, size * 2)
    step.append(
        healthy(
            "ResizeNearestNeighborV2",
            (tensor(*small, format="NCHW"),),
            (tensor(*large, format="NCHW"),),
            target,
        )
    )
    step += [_conv(target, batch, channels // 2, channels // 2, size * 2) for _ in range(3)]
    boxes = (tensor(batch, 8400, 4), tensor(batch, 80, 8400))
    nms = Kernel("NMSWithMask", "vector", boxes, (tensor(batch, 300, 4),), 46.0, target.vector_cores)
    step.append(replace(nms, shares={"aiv_vec": 0.71, "aiv_scalar": 0.16, "aiv_mte2": 0.2, "aiv_mte3": 0.1}))
    return step


def training(target: Target, scale: int = 1) -> Step:
    """A training step of a residual network, mixed precision, gradients reduced behind the backward pass."""
    batch = 64 * scale
    layers = [(64, 56), (64, 56), (128, 28), (128, 28), (256, 14), (256, 14), (512, 7)]
    convs = [_conv(target, batch, channels, channels, size) for channels, size in layers]
    step: Step = []
    for conv in convs:
        step += [conv, healthy("BatchNormV3", conv.outputs, conv.outputs, target)]
    wide = (tensor(batch * 49, 2048), tensor(2048, 2048))
    step.append(healthy("MatMulV2", wide, (tensor(batch * 49, 2048),), target))
    for conv in reversed(convs):
        image, weight = conv.inputs
        step.append(alike("Conv2DBackpropInput", conv, (weight, conv.outputs[0]), (image,)))
        step.append(alike("Conv2DBackpropFilter", conv, (image, conv.outputs[0]), (weight,)))
        step.append(collective("hcom_allReduce_", weight, round(conv.duration * 0.8, 3)))
    parameters = tensor(2_621_440, dtype="FLOAT")
    step.append(healthy("ApplyMomentum", (parameters,) * 3, (parameters,), target))
    return step


def prefill(target: Target, scale: int = 1, layers: int = 3) -> Step:
    """Prefill of a 7B decoder, 4096 tokens, tensor parallelism hidden behind the products."""
    return [kernel for _ in range(layers) for kernel in _layer(target, 4096 * scale)]


def decode(target: Target, scale: int = 1, layers: int = 6) -> Step:
    """Decode of a 7B decoder, 32 sequences of 1024 tokens: reading weights and caches at the memory's rate."""
    batch = 32 * scale
    return [kernel for _ in range(layers) for kernel in _layer(target, batch, cached=1024)]


def _layer(target: Target, tokens: int, cached: int = 0) -> Step:
    """One decoder layer; with `cached` the query is one token a sequence and keys come from a cache of that length."""
    x, wide = tensor(tokens, HIDDEN), tensor(tokens, INNER)

    def product(rows: int, inner: int, columns: int) -> Kernel:
        return healthy(
            "MatMulV2", (tensor(rows, inner), tensor(inner, columns)), (tensor(rows, columns),), target
        )

    heads = tensor(tokens, HEADS, HEAD_DIM)
    return [
        healthy("AddRmsNorm", (x, x, tensor(HIDDEN)), (x, x), target),
        product(tokens, HIDDEN, 3 * HIDDEN),
        healthy("RotaryMul", (heads, tensor(tokens, 1, HEAD_DIM), tensor(tokens, 1, HEAD_DIM)), (heads,), target),
        _cached_attention(target, tokens, cached) if cached else attention(target, 1, HEADS, tokens, HEAD_DIM),
        product(tokens, HIDDEN, HIDDEN),
        healthy("AddRmsNorm", (x, x, tensor(HIDDEN)), (x, x), target),
        product(tokens, HIDDEN, 2 * INNER),
        healthy("SwiGlu", (tensor(tokens, 2 * INNER),), (wide,), target),
        product(tokens, INNER, HIDDEN),
    ]  # fmt: skip


def attention(target: Target, batch: int, heads: int, length: int, head_dim: int) -> Kernel:
    """Fused attention in layout BNSD near its limit."""
    item = tensor(batch, heads, length, head_dim, format="ND")
    return healthy("FlashAttentionScore", (item, item, item), (item,), target)


def _cached_attention(target: Target, batch: int, cached: int) -> Kernel:
    """Attention of one token a sequence over its cache (8 key-value heads): reading the cache is the time."""
    query, keys = tensor(batch, HEADS, 1, HEAD_DIM), tensor(batch, 8, cached, HEAD_DIM)
    read = 2 * batch * 8 * cached * HEAD_DIM * 2
    duration = read / (target.memory_gbps or 1000.0) / 1e3 / 0.85 + 2.0
    shares = {"aic_mac": 0.06, "aic_mte1": 0.3, "aic_mte2": 0.92, "aic_fixpipe": 0.05, "aic_scalar": 0.28, "aiv_vec": 0.17, "aiv_scalar": 0.15, "aiv_mte2": 0.1, "aiv_mte3": 0.08}  # fmt: skip
    return Kernel(
        "IncreFlashAttention",
        "mix",
        (query, keys, keys),
        (query,),
        round(duration, 3),
        target.cube_cores,
        shares,
    )


def _conv(
    target: Target, batch: int, before: int, after: int, size: int, *, kernel: int = 3, stride: int = 1
) -> Kernel:
    image = tensor(batch, before, size, size, format="NCHW")
    weight = tensor(after, before, kernel, kernel, format="NCHW")
    out = tensor(batch, after, size // stride, size // stride, format="NCHW")
    return healthy("Conv2D", (image, weight), (out,), target)


def _vector(target: Target, kind: str, shape: tuple[int, ...]) -> Kernel:
    item = tensor(*shape, format="NCHW")
    return healthy(kind, (item,), (item,), target)


def everything(target: Target, scale: int = 1) -> Step:
    """Detector, training and prefill one after another: a place for all causes at once."""
    return detector(target, scale) + training(target, 3 * scale) + prefill(target, scale, layers=1)


MODELS: Mapping[str, Callable[[Target, int], Step]] = {
    "detector": detector,
    "training": training,
    "prefill": prefill,
    "decode": decode,
    "everything": everything,
}
