"""A network as the calls a converted graph makes: one operator each, with tensors as the device holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kb.engine.estimate import Estimate, NotEstimated, OpSpec
from kb.model import Tensor


@dataclass(frozen=True, slots=True)
class Call:
    """One operator call: CANN type, tensors in device layout, and the layers of the model it stands for.

    `engine` is where it runs ("ai_core", "ai_cpu", "host", "dsa", "dvpp", "no_kernel", "no_importer", "unknown").
    `layers` are the model's operators merged into it, in order; empty for what the converter adds. `times` counts
    equal calls.
    """

    type: str
    name: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    engine: str = "ai_core"
    layers: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    times: int = 1


@dataclass(frozen=True, slots=True)
class Network:
    """All calls of a network in order, and what was taken for granted to list them."""

    name: str
    calls: tuple[Call, ...]
    assumptions: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    samples: int | None = None  # size of the batch axis, None where there is none


@dataclass(frozen=True, slots=True)
class Timed:
    """Equal calls with their estimate."""

    call: Call
    spec: OpSpec
    count: int
    answer: Estimate | NotEstimated
