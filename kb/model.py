"""The types that flow through `kb`: frozen, plain, one module.

files -> readers -> Profile -> metrics -> Features -> bottlenecks -> Diagnosis -> match, rank -> Report -> views

Two promises hold everywhere. A number never travels alone: `Measure` carries unit and origin. Absent is absent: a
counter that was not measured is missing from its mapping, never 0 or -1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, Literal

from kb.experience import Tried
from kb.forecast import Forecast
from kb.measured import Measured

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


# --- what was measured ------------------------------------------------------------------------------------------


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
    """

    soc: str | None = None
    candidates: tuple[str, ...] = ()
    basis: Literal["file", "stated", "inferred", "unknown"] = "unknown"
    how: str = ""


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
    `idle` the device time with nothing running. `idle_gaps` counts the gaps before kernels. `waiting` is the time
    collectives spent waiting for other ranks, `transit` the time they moved data.
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
    tool_advice: tuple[str, ...] = ()  # what the vendor's tool itself printed or stored
    files: tuple[SourceFile, ...] = ()
    notices: tuple[Notice, ...] = ()
    stated: Mapping[str, str] = field(default_factory=dict)  # facts the user typed: shape, task, dtype
    counters: Mapping[str, Measure] = field(default_factory=dict)


# --- what was derived and judged --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Features:
    """Metric ids of `kb.vocabulary` to measures, for one operator (or the whole run: `operator` None).

    `labels` are the metrics whose value is a word (op_type, core, dtype, format).
    `absent` says for metrics that were expected but could not be computed what is missing.
    """

    operator: Operator | None
    values: Mapping[str, Measure]
    labels: Mapping[str, str] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)

    def get(self, metric: str) -> float | None:
        """Value of a metric, None when it was not measured."""
        found = self.values.get(metric)
        return None if found is None else found.value


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reading that supports a finding: value against limit, so that the calculation can be redone."""

    metric: str
    value: float | str
    unit: str
    limit: str  # e.g. "> 0.8", "expected 24"; empty when it is context
    source: str  # where the value came from, and for the limit where the threshold came from


@dataclass(frozen=True, slots=True)
class OperatorRef:
    """How a report names an operator group."""

    type: str | None
    name: str
    core: str
    shapes: str
    count: int
    time_us: float | None  # None when only shares were stated


@dataclass(frozen=True, slots=True)
class Finding:
    """A bottleneck that holds.

    `share` is the part of the run's time spent in the operators concerned, `headroom` the part of their own time
    that could at most be won (distance to the computed floor), None when no floor is known. `base` is what both are
    parts of: the run (compute and exposed communication, or the kernels), or the elapsed time, idle included.
    """

    id: str
    pattern: str
    scope: Literal["run", "operator"]
    operators: tuple[OperatorRef, ...]
    share: float
    confidence: float
    evidence: tuple[Evidence, ...]
    headroom: float | None = None
    parent: str | None = None
    summary: str = ""
    base: Literal["run", "elapsed"] = "run"


@dataclass(frozen=True, slots=True)
class NotJudged:
    """A bottleneck that could not be judged, why, and how to collect what is missing."""

    id: str
    reason: str
    collect: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Findings by falling share, and what was not judged."""

    findings: tuple[Finding, ...]
    not_judged: tuple[NotJudged, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Gain:
    """Fraction of time saved; never above the bound computed from the profile.

    `basis` starts with "measured", "modelled" or "stated" and says by what. Of a modelled gain only `high`, the bound,
    says something about the profile; `likely` is the part of it that the order counts on.
    """

    low: float
    likely: float
    high: float
    of: Literal["run", "operator"]
    basis: str

    @property
    def modelled(self) -> bool:
        """Whether nobody published a figure, so that only the bound is known."""
        return self.basis.startswith("modelled")


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One ranked piece of advice: an entry applied to a finding."""

    rank: int
    id: str
    kind: str
    title: str
    finding: str
    gain: Gain
    who: str
    effort: str
    evidence: tuple[str, ...]
    steps: tuple[str, ...]
    snippet: str
    check: str
    when_not: str
    sources: tuple[str, ...]
    tried: Tried | None = None  # what it gave here


@dataclass(frozen=True, slots=True)
class SimilarCase:
    """A case study that resembles the profile, with the reason."""

    id: str
    title: str
    score: float
    why: str


# --- what a page draws -------------------------------------------------------------------------------------------


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
    """The roofline floor of all launches of one operator, in microseconds."""

    operator: OperatorRef
    floor_us: float


@dataclass(frozen=True, slots=True)
class WallPart:
    """A part of the elapsed time of a run: "compute", "communication" (not hidden), "idle"."""

    name: str
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


@dataclass(frozen=True, slots=True)
class Report:
    """The answer: one object, read by every view. Same input, same bytes."""

    target: str
    run: str
    chip: Chip
    capture: Capture
    total_us: float | None
    headline: str
    operators: tuple[OperatorRef, ...]
    findings: tuple[Finding, ...]
    not_judged: tuple[NotJudged, ...]
    recommendations: tuple[Recommendation, ...]
    similar_cases: tuple[SimilarCase, ...]
    warnings: tuple[str, ...]
    key_data: tuple[Evidence, ...] = ()  # the most telling readings, for the first screen
    files: tuple[SourceFile, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)  # kb, knowledge
    elapsed_us: float | None = None  # first start to last end, idle included
    ranks: int | None = None  # that all times of the report are sums over, where there are several
    forecast: Forecast | None = None  # of a model before there is a device: then all times are estimates
    steps: int | None = None  # that the times cover, where the export marks steps
    content: str | None = None  # SHA-256 of what was measured, whatever was concluded from it
    measured: tuple[Measured, ...] = ()  # for comparing: kept with the run, not printed
    charts: Charts = Charts()


# --- knowledge --------------------------------------------------------------------------------------------------

EntryKind = Literal["case", "recipe", "pattern", "tip"]
State = Literal["draft", "reviewed", "proven", "retired"]
Grade = Literal["vendor", "third-party", "stated", "practice"]
Basis = Literal["observed", "threshold", "inferred"]


@dataclass(frozen=True, slots=True)
class Text3:
    """A text in English, Simplified Chinese and Japanese; English is the fallback."""

    en: str
    zh: str = ""
    ja: str = ""

    def get(self, lang: str) -> str:
        """The text in `lang` ("en", "zh" or "ja"), English when missing."""
        return {"zh": self.zh, "ja": self.ja}.get(lang) or self.en


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison on a metric id of the vocabulary: `metric op value`.

    `op` is one of < <= > >= == != in ~ ("~" means about, within 20 %). `value` is a number, a word, another metric
    id behind "@" (`@core_count`), or a list for `in`.
    """

    metric: str
    op: str
    value: float | str | tuple[float | str, ...]
    basis: Basis


@dataclass(frozen=True, slots=True)
class Observation:
    """What a person would see but no metric shows; printed, never matched."""

    text: str
    basis: Basis


@dataclass(frozen=True, slots=True)
class PublishedGain:
    """One published before/after. `saved` is the fraction of time saved (negative: slower), None if not stated.

    `of` names what the fraction refers to: "operator", "run", or "part" (a share such as MTE2 time only), which
    never becomes a promise for the whole.
    """

    saved_low: float | None
    saved_high: float | None
    of: Literal["operator", "run", "part"]
    before: str = ""
    after: str = ""
    unit: str = ""
    shapes: str = ""
    chip: str = ""
    version: str = ""
    grade: Grade = "stated"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    """The body of an entry in one language; the snippet is the same in all."""

    cause: str = ""  # What slows you down
    steps: tuple[str, ...] = ()  # What to do, one list item each
    why: str = ""  # Why it helps
    check: str = ""  # How to check
    when_not: str = ""  # When it does not help


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the knowledge base, of any kind; the file format is `docs/decisions/0003-entry-format.md`."""

    id: str
    kind: EntryKind
    state: State
    title: Text3
    symptom: Text3
    remedy: Text3
    family: str
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # language -> users' words
    bottlenecks: tuple[str, ...] = ()  # patterns it repairs (recipe, tip), is (pattern), or shows (case)
    not_for: tuple[str, ...] = ()  # patterns where it is known not to help
    operators: tuple[str, ...] = ()  # CANN types or globs such as MatMul*; empty means any
    chips: tuple[str, ...] = ()  # SoC or family ids; empty means any
    who: str = ""  # kernel-developer, model-developer, deployment
    effort: str = ""  # low, medium, high
    when: tuple[Condition, ...] = ()
    observe: tuple[Observation, ...] = ()
    gains: tuple[PublishedGain, ...] = ()
    grade: Grade = "stated"
    links: tuple[str, ...] = ()  # ids of related entries
    sources: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)  # of the kind (case: model, toolchain, results)
    cause: str = ""  # body: What slows you down
    steps: tuple[str, ...] = ()  # body: What to do, one list item each
    snippet: str = ""  # body: fenced block under What to do
    why: str = ""  # body: Why it helps
    check: str = ""  # body: How to check
    when_not: str = ""  # body: When it does not help
    file: str = ""  # where it was read from
    bodies: Mapping[str, Body] = field(default_factory=dict)  # the body in further languages, "zh" and "ja"

    def body(self, lang: str) -> Body:
        """The body in `lang`, English when it is not translated."""
        own = Body(self.cause, self.steps, self.why, self.check, self.when_not)
        return self.bodies.get(lang, own)


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(item.name for item in fields(kind))


def members(value: Any) -> dict[str, Any]:
    """The members of one model object that are not None, as they are; of a mapping all.

    As `default` of `json.dumps` it gives what `json.dumps(to_dict(value))` gives, in a third of the time.

    Raises:
        TypeError: it is neither.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {name: item for name in _names(type(value)) if (item := getattr(value, name)) is not None}
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no part of the model")


def to_dict(value: Any) -> Any:
    """A model object as plain dicts, lists and scalars, in declared order; None members are left out.

    The documents are described in docs/json.md; absent is absent there too.
    """
    if isinstance(value, (str, int, float)):
        return value  # most of what there is
    if is_dataclass(value) and not isinstance(value, type):
        pairs = ((name, getattr(value, name)) for name in _names(type(value)))
        return {name: to_dict(item) for name, item in pairs if item is not None}
    if isinstance(value, Mapping):
        return {key: to_dict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_dict(item) for item in value]
    return value
