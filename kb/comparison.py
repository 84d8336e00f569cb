"""The verdict on two runs: frozen types that `kb.engine.compare` fills and the views of `kb.report` read.

Times are microseconds; a change is a fraction of the time before (-0.5: half the time is gone), and so is the noise
band that it is held against.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kb.model import Capture, Chip

Verdict = Literal["faster", "slower", "within-noise", "not-comparable"]
Dimension = Literal[
    "mode",  # simulated or on a device
    "tool",  # kernel capture (cold cache, replayed) or export of a run
    "chip",
    "clock",
    "timed",  # what the times are of: the task, or its cores
    "replay",
    "metrics",
    "level",  # how much the framework's profiler recorded
    "operators",  # what both sides have in common
    "shape",
    "dtype",
    "work",  # how often the operators ran
    "ranks",
    "warm-up",
    "cann",
]
State = Literal["same", "differs", "unknown"]
BandBasis = Literal["launches", "cores", "stated", "given", "operators"]
TimeBasis = Literal[
    "run",  # time of the run, as measured
    "step",  # time of the run / its steps
    "launch",  # one launch of each kernel
    "launches",  # mean of a launch x launches before, where the runs are of different length
]


@dataclass(frozen=True, slots=True)
class RunSide:
    """One of the two runs, as far as a reader needs to know it."""

    target: str
    run: str
    chip: Chip
    capture: Capture
    total_us: float | None


@dataclass(frozen=True, slots=True)
class Check:
    """One condition of a fair comparison: `before` and `after` are what the runs say, empty when they do not.

    `blocks` says that a difference here makes the times no measure of the change.
    """

    dimension: Dimension
    state: State
    before: str
    after: str
    blocks: bool


@dataclass(frozen=True, slots=True)
class Band:
    """How far two times may lie apart by chance, as a fraction of the time before, and what says so.

    "launches": the spread over launches; "cores": the spread over the cores of single launches; "stated": nothing was
    repeated, so the general figure; "given": by the user; "operators": of a total, by time over those of its operators.
    """

    value: float
    basis: BandBasis


@dataclass(frozen=True, slots=True)
class Total:
    """The time of the whole before and after, on a common basis."""

    before_us: float
    after_us: float
    change: float
    band: Band
    basis: TimeBasis


@dataclass(frozen=True, slots=True)
class Parts:
    """What the time of a run is made of, as sums over its operators: kernels, and collectives.

    A collective takes as long as its slowest rank is late, so a change of its time is no change of this rank's work.
    """

    compute: Total
    collectives: Total


@dataclass(frozen=True, slots=True)
class Moved:
    """A reading that changed: metric id with its unit; a pipe's share comes with the time of the pipe."""

    metric: str
    unit: str
    before: float
    after: float
    before_us: float | None = None
    after_us: float | None = None


@dataclass(frozen=True, slots=True)
class OperatorTime:
    """An operator on one side: time on the basis of the total, launches, mean of a launch."""

    name: str
    time_us: float
    count: int
    mean_us: float


@dataclass(frozen=True, slots=True)
class Change:
    """One operator of either run.

    Gone has no `after`, new no `before`. `delta_us` is what it adds to the difference of the totals; `differs` names
    what is not the same on both sides (name, shape, dtype, launches).
    """

    type: str
    core: str
    shapes: str
    dtypes: str
    verdict: Verdict | Literal["gone", "new"]
    before: OperatorTime | None
    after: OperatorTime | None
    delta_us: float
    change: float | None = None
    band: Band | None = None
    moved: tuple[Moved, ...] = ()
    differs: tuple[str, ...] = ()
    share: float | None = None  # of the total before

    @property
    def name(self) -> str:
        """The name of the kernel, that of the later run where there is one."""
        found = self.after or self.before
        return found.name if found else self.type


@dataclass(frozen=True, slots=True)
class FindingChange:
    """A finding before and after.

    "not-judged": the later run lacks the counters to say; "first-judged": the earlier one did.
    """

    pattern: str
    operator: str
    state: Literal["gone", "new", "stays", "not-judged", "first-judged"]
    before: float | None  # share of the time concerned, a part of `base`
    after: float | None
    summary: str
    base: Literal["run", "elapsed"] = "run"


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the waterfall from the total before to the total after; `label` empty: all the rest."""

    label: str
    delta_us: float
    from_us: float
    to_us: float


@dataclass(frozen=True, slots=True)
class Gate:
    """What a limit on regressions found: `limit` as a fraction; `failed` names the operators, "" the total.

    Where the run has collectives, the total is that of its kernels; `apart` names the collectives beyond the limit, which
    fail nothing. `why` is the condition for which nothing was judged, where the times can be compared all the same.
    """

    limit: float
    judged: bool
    failed: tuple[str, ...]
    apart: tuple[str, ...] = ()
    why: Dimension | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answer: verdict, why, and what changed, regressions first."""

    before: RunSide
    after: RunSide
    verdict: Verdict
    checks: tuple[Check, ...]
    total: Total | None
    changes: tuple[Change, ...]
    findings: tuple[FindingChange, ...]
    waterfall: tuple[Step, ...]
    elapsed: Total | None = None  # first start to last end, idle included, where both runs have it
    gate: Gate | None = None
    parts: Parts | None = None  # where both runs have collectives and kernels

    @property
    def reasons(self) -> tuple[Check, ...]:
        """The differences that make the runs not comparable."""
        return tuple(check for check in self.checks if check.blocks and check.state == "differs")
