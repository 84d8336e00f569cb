"""The series that a page draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kb.model.judged import OperatorRef
from kb.model.strips import Strip


@dataclass(frozen=True, slots=True)
class Roof:
    """A ceiling of the chip: `value` is GB/s of a memory ("bandwidth") or GFLOP/s of a unit ("compute")."""

    name: str
    kind: Literal["bandwidth", "compute"]
    value: float


@dataclass(frozen=True, slots=True)
class WorkPoint:
    """One operator under the roofline: operations a byte (FLOP/B) and GFLOP/s reached; `origin` says by what count.

    `roof` names the ceiling above it and `reached` the part of that; None where the chip's figures are not known.
    """

    operator: OperatorRef
    intensity: float
    gflops: float
    origin: str
    roof: str | None = None
    reached: float | None = None


@dataclass(frozen=True, slots=True)
class PipeShare:
    """Share of the core's time a pipe is active: mean, and each working core where the tool gives cores."""

    pipe: str
    mean: float
    cores: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class OperatorPipes:
    """The pipes of one operator, side by side."""

    operator: OperatorRef
    pipes: tuple[PipeShare, ...]


@dataclass(frozen=True, slots=True)
class DataPath:
    """What one kernel moved from one memory to another: GB/s of all its cores, or of one; bytes where counted."""

    source: str
    target: str
    gbps: float
    of: Literal["kernel", "core"]
    volume: float | None = None


@dataclass(frozen=True, slots=True)
class OperatorFloor:
    """The roofline floor of all launches of one operator, in microseconds: that of the fastest of the candidate chips."""

    operator: OperatorRef
    floor_us: float


@dataclass(frozen=True, slots=True)
class WallPart:
    """A part of the elapsed time of a run; its communication is what nothing hides."""

    name: Literal["compute", "communication", "idle"]
    time_us: float


@dataclass(frozen=True, slots=True)
class Charts:
    """The series behind the pictures of a report; what the profile does not give is empty.

    `chips` names the chips whose highest figures the roofs are; `paths` belong to the first operator of `pipes`.
    """

    chips: tuple[str, ...] = ()
    roofs: tuple[Roof, ...] = ()
    points: tuple[WorkPoint, ...] = ()
    pipes: tuple[OperatorPipes, ...] = ()
    paths: tuple[DataPath, ...] = ()
    floors: tuple[OperatorFloor, ...] = ()
    wall: tuple[WallPart, ...] = ()
    strips: tuple[Strip, ...] = ()
