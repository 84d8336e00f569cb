"""What ran when, coarse enough to draw: a strip a device, a lane a stream, and the longest pauses by name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pause:
    """A stretch in which no task of the device ran; `start_us` counts from the first start of the strip.

    `after` and `before` are the operator types that ended and began it.
    """

    start_us: float
    time_us: float
    after: str
    before: str


@dataclass(frozen=True, slots=True)
class Lane:
    """One stream: percent of each part of the time line in which kernels or collectives ran; empty where none did."""

    stream: str
    compute: tuple[int, ...] = ()
    communication: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Strip:
    """The time line of one device of one rank, cut into parts of `part_us` microseconds; the last may be shorter.

    `pauses` are the longest in order of time, of `pause_count` that take `paused_us` together; pauses shorter than a
    microsecond are no pauses. `more_lanes` counts streams with less work that are not listed.
    """

    rank: str
    device: str
    span_us: float
    part_us: float
    lanes: tuple[Lane, ...]
    pauses: tuple[Pause, ...] = ()
    pause_count: int = 0
    paused_us: float = 0.0
    more_lanes: int = 0
