"""What is to be estimated: an operator type with its tensors, as far as they are known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from kb.engine.metrics.work import dtype_bytes
from kb.model import Operator, Tensor


@dataclass(frozen=True, slots=True)
class OpSpec:
    """One operator call without a time. `outputs` may be empty when unknown; `blocks` is the block dim if it is known.

    `call` marks a whole framework call, which may launch several kernels (casts, transposes) instead of one.

    `core` is the profiler's word for the kernel's kind ("AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", ...) or empty.
    """

    type: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...] = ()
    core: str = ""
    blocks: int | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    call: bool = False

    @property
    def present_inputs(self) -> tuple[Tensor, ...]:
        """Inputs that are really given, in order."""
        return tuple(tensor for tensor in self.inputs if tensor.shape is not None)

    @property
    def present_outputs(self) -> tuple[Tensor, ...]:
        """Outputs that are really given, in order."""
        return tuple(tensor for tensor in self.outputs if tensor.shape is not None)


def from_operator(op: Operator) -> OpSpec:
    """The call behind a group of measured launches; its block dim is taken over, its times are not."""
    return OpSpec(op.type or op.name, op.inputs, op.outputs, op.core, op.block_dim, op.attributes)


def elements(tensor: Tensor) -> int:
    """Number of elements; one for a scalar, none for an absent input."""
    return 0 if tensor.shape is None else math.prod(tensor.shape)


def size_of(tensor: Tensor) -> float:
    """Bytes an element; 4 where the dtype is not known."""
    return dtype_bytes(tensor.dtype) or 4.0


def nbytes(tensor: Tensor) -> float:
    """Bytes of the tensor; none for an absent input."""
    return elements(tensor) * size_of(tensor)


def layout(tensor: Tensor) -> str:
    """Format without the decoration that exports add: `FORMAT_ND` is `ND`, `NC1HWC0:1` is `NC1HWC0`."""
    return tensor.format.upper().removeprefix("FORMAT_").partition(":")[0]
