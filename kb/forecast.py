"""What is foretold of a network before there is a device: frozen, plain, every number an estimate.

Times are microseconds of all calls of an operator together, for one batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ForecastOperator:
    """Equal calls of one operator. Times, share and bound are None or empty where `not_estimated` says why.

    `flops` is the work of the cube (a multiply-add counts 2) of all calls, None for other kernels; `bytes` what all calls
    move at least. `layers` are the model's operators merged into one call; none for what the converter adds. `advice`
    are ids of entries that speak of this operator in the report.
    """

    type: str
    name: str
    engine: str
    count: int
    shapes: str
    layers: tuple[str, ...] = ()
    low_us: float | None = None
    mid_us: float | None = None
    high_us: float | None = None
    share: float | None = None
    flops: float | None = None
    bytes: float | None = None
    bound: str = ""
    basis: str = ""
    not_estimated: str | None = None
    advice: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForecastCheck:
    """One comparison of the total with something known; `holds` is None where nothing can be compared."""

    name: str
    text: str
    holds: bool | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    """The estimated time of a network on a chip, with all it rests on.

    `samples` is the batch size, None where the model has no batch axis; `calls` the number of kernels a batch;
    `not_estimated` how many of them have no time in the sums.
    """

    soc: str
    low_us: float
    mid_us: float
    high_us: float
    operators: tuple[ForecastOperator, ...]
    calls: int
    not_estimated: int = 0
    samples: int | None = None
    engines: Mapping[str, int] = field(default_factory=dict)
    bounds: Mapping[str, float] = field(default_factory=dict)  # share of the time that goes to each
    checks: tuple[ForecastCheck, ...] = ()
    assumptions: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()  # classes whose constants are known to be weak here
