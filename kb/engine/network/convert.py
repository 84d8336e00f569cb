"""A model file as the network a converter would make of it for a chip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kb import targets
from kb.engine.check.model import engines
from kb.engine.network.inputs import bind
from kb.engine.network.lower import lower
from kb.engine.network.types import Call, Network
from kb.graph.types import Model, walk

HALF = "float32 becomes float16 on the device, as converters do unless told otherwise (precision_mode force_fp16)"


@dataclass(frozen=True, slots=True)
class Converted:
    """The network, the model with its sizes filled in, and why nodes do not run on the AI Core, by node type."""

    network: Network
    model: Model


def convert(model: Model, soc: str, given: Mapping[str, tuple[int, ...]]) -> Converted:
    """The calls of a model on a chip; `given` are sizes of inputs by name.

    Raises:
        UsageError: unknown chip, or a size that does not fit the model.
    """
    chip = targets.typical(soc)
    bound, assumed = bind(model, given)
    where = {key: engine for key, (engine, _) in engines(bound, chip.id).items()}
    calls = lower(bound, chip, where)
    network = Network(
        model.name,
        tuple(calls),
        (*assumed, HALF, *_said(calls, fused=chip.fused)),
        tuple(_notices(bound)),
        _samples(bound),
    )
    return Converted(network, bound)


def _said(calls: list[Call], *, fused: bool) -> Iterator[str]:
    merged = sum(len(call.layers) - 1 for call in calls if len(call.layers) > 1)
    conversions = sum(call.type == "TransData" for call in calls)
    if merged:
        more = ", further elementwise operators and residual additions" if fused else ""
        yield (
            f"{merged} layers are merged into the kernel before them: batch norms, scales, biases, activations{more}"
        )
    if conversions:
        why = "and products on FRACTAL_NZ" if fused else "and products on plain matrices"
        yield f"{conversions} TransData where layouts change: convolutions and pools work on NC1HWC0 {why}"
    if any(call.type == "BatchMatMulV2" for call in calls) and any(
        call.type == "SoftmaxV2" for call in calls
    ):
        yield "attention stays products and softmax: converters fuse it only where the model says so"


def _notices(model: Model) -> Iterator[str]:
    nodes = [placed.node for placed in walk(model)]
    if model.functions:
        yield "the model defines operators as functions: shapes inside them are not followed, their calls have no time"
    flow = sorted({node.type for node in nodes if node.bodies})
    if flow:
        yield f"bodies of {', '.join(flow)} are counted once: how often they run depends on the data"


def _samples(model: Model) -> int | None:
    """Size of the first axis of the first input that has several axes."""
    for value in model.graph.inputs:
        shape = value.shape
        if shape and len(shape) > 1 and isinstance(shape[0], int):
            return shape[0]
    return None
