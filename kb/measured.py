"""What is kept of each operator of a run, so that two runs can be compared when their files are gone.

Plain and flat: it is written into every kept run. All times are microseconds, `_us` says so; readings are in the
unit of their metric (`kb.vocabulary.metrics`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Measured:
    """A group of equal launches with its times and most telling readings; what was not measured is None or absent.

    `timed` says what the times are of: "task", as the tool timed the launch, or "core", reckoned from the cores.

    `mean_us` is the mean over the launches, `low_us` and `high_us` their range where there are several. `core_us` is
    the mean time of the working cores of the slower side, with `core_low_us`, `core_high_us` and `cores` of them.
    """

    name: str
    type: str | None
    core: str
    count: int
    mean_us: float
    total_us: float
    low_us: float | None = None
    high_us: float | None = None
    shapes: str = ""
    dtypes: str = ""
    formats: str = ""
    block_dim: int | None = None
    clock_mhz: float | None = None
    core_us: float | None = None
    core_low_us: float | None = None
    core_high_us: float | None = None
    cores: int | None = None
    timed: str = "task"
    setup: bool = False  # makes the input of a test (random fills): no part of the work
    readings: Mapping[str, float] = field(default_factory=dict)
