"""What was measured, unjudged: what the readers give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kb.model.strips import Strip

CoreKind = Literal[
    "vector",  # vector cores only
    "cube",  # cube cores only
    "mix",  # one kernel on cube and vector cores
    "fused",  # chips whose AI Core holds both units (310, 310P, first-generation 910)
    "ai_cpu",
    "communication",
    "dsa",  # random-number engine
    "dvpp",
    "other",  # a task that is no kernel: event, memcpy, host
    "unknown",  # the export does not say (task-time level 0)
]


@dataclass(frozen=True, slots=True)
class Measure:
    """One number with its unit and where it came from.

    `low` and `high` are the spread over cores or launches (`n` of them) when there is one. `origin` names file and
    column, or the formula when `computed` is true, so that a reader can redo it.
    """

    value: float
    unit: str
    origin: str
    low: float | None = None
    high: float | None = None
    n: int = 1
    computed: bool = False

    def __reduce__(self) -> tuple[type[Measure], tuple[object, ...]]:
        """Thousands of them go from a worker to the process that merges ranks; the generated way looks up every field."""
        return Measure, (self.value, self.unit, self.origin, self.low, self.high, self.n, self.computed)


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know about the input; `code` is stable, `text` is for people."""

    code: str
    text: str
    file: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file that was read: `kind` is a table name of the reader, rows used and rows lost."""

    path: str
    kind: str
    rows: int | None = None
    rows_lost: int = 0


@dataclass(frozen=True, slots=True)
class Chip:
    """Which SoC a profile was taken on, as far as known.

    `soc` is an id of `data/targets` when exactly one is known; `candidates` are the ids that fit when it was
    inferred. `basis` says how sure: "file" (written in the profile), "stated" (by the user), "inferred", "unknown".
    `series` are the product lines of the candidates, for people, where those are too many to be read.
    """

    soc: str | None = None
    candidates: tuple[str, ...] = ()
    basis: Literal["file", "stated", "inferred", "unknown"] = "unknown"
    how: str = ""
    series: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Capture:
    """How it was measured; None where the input does not say."""

    tool: str  # "msopprof", "msopprof simulator", "msprof", "Ascend PyTorch Profiler", "typed in", ...
    tool_version: str | None = None
    cann_version: str | None = None
    simulated: bool = False
    replay_mode: str | None = None
    warm_up: int | None = None
    metric_groups: tuple[str, ...] = ()
    command: str | None = None  # that collected it, where `kb` ran it
    level: str | None = (
        None  # how much the framework's profiler recorded, which costs time itself: "Level0" to "Level2"
    )


@dataclass(frozen=True, slots=True)
class CoreCounters:
    """The counters of one core (one CSV row per table, joined on block and sub-block).

    `sub_block` is "cube0", "vector0", "vector1", or "core" where the tool aggregates over cores (310P).
    `values` maps column ids of `kb.engine.readers.columns` to numbers, in the unit of the column table.
    """

    block: int
    sub_block: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Tensor:
    """One input or output; an absent optional input has `shape` None and empty dtype and format."""

    shape: tuple[int, ...] | None
    dtype: str = ""
    format: str = ""


@dataclass(frozen=True, slots=True)
class Operator:
    """A group of equal launches: same type, core kind, shapes, dtypes and formats (one launch for msopprof).

    `duration` is microseconds a launch (mean; low, high and n over the launches), `total_us` their sum.
    `counters` holds launch-level columns (mean over launches), `cores` the per-core rows where the tool gives them.
    `wait` is the tool's own wait column (gap before the launch), mean over launches.
    """

    name: str
    type: str | None
    core: CoreKind
    count: int
    duration: Measure
    total_us: float
    block_dim: int | None = None
    mix_block_dim: int | None = None
    inputs: tuple[Tensor, ...] = ()
    outputs: tuple[Tensor, ...] = ()
    counters: Mapping[str, Measure] = field(default_factory=dict)
    cores: tuple[CoreCounters, ...] = ()
    wait: Measure | None = None
    clock_mhz: float | None = None
    rated_clock_mhz: float | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)  # op_state, hf32, stream, ... as text


@dataclass(frozen=True, slots=True)
class Follow:
    """How often an operator type came right after another on one stream, and the time of the second."""

    before: str
    after: str
    count: int
    after_us: float


@dataclass(frozen=True, slots=True)
class RunTimes:
    """Where the wall time of a run went, in microseconds; absent parts are None.

    `busy` is the union of kernel intervals (overlap removed), `exposed` the communication not hidden behind compute,
    `idle` the device time with nothing running. `idle_gaps` counts the gaps before kernels. `waiting` is the time in
    which collectives moved no data (they wait for other ranks, or nothing is sent yet), `transit` that in which they did. `ranks` counts those that the times are
    sums over.
    """

    span: Measure | None = None
    busy: Measure | None = None
    compute: Measure | None = None
    communication: Measure | None = None
    exposed: Measure | None = None
    idle: Measure | None = None
    idle_gaps: int | None = None
    steps: int | None = None
    step: Measure | None = None
    waiting: Measure | None = None
    transit: Measure | None = None
    ranks: int = 1


@dataclass(frozen=True, slots=True)
class Rank:
    """One rank of a job, with its own times."""

    name: str
    times: RunTimes


@dataclass(frozen=True, slots=True)
class Profile:
    """What was measured, unjudged. `scope` is "operator" for kernel captures (msopprof), "run" for model exports.

    `counters` are readings of the whole run that belong to no operator (packets, links, the host), by metric id.
    """

    target: str
    source: str  # name of the reader
    scope: Literal["operator", "run"]
    capture: Capture
    chip: Chip
    operators: tuple[Operator, ...]
    times: RunTimes = RunTimes()
    follows: tuple[Follow, ...] = ()
    ranks: tuple[Rank, ...] = ()
    strips: tuple[Strip, ...] = ()  # of many devices those that pause longest
    tool_advice: tuple[str, ...] = ()  # what the vendor's tool itself printed or stored
    files: tuple[SourceFile, ...] = ()
    notices: tuple[Notice, ...] = ()
    stated: Mapping[str, str] = field(default_factory=dict)  # facts the user typed: shape, task, dtype
    counters: Mapping[str, Measure] = field(default_factory=dict)
