"""The types that flow through `kb`: frozen, plain, a module for each stage.

files -> readers -> Profile -> metrics -> Features -> bottlenecks -> Diagnosis -> match, rank -> Report -> views

Two promises hold everywhere. A number never travels alone: `Measure` carries unit and origin. Absent is absent: a
counter that was not measured is missing from its mapping, never 0 or -1.
"""

from kb.model.charts import (
    Charts,
    DataPath,
    OperatorFloor,
    OperatorPipes,
    PipeShare,
    Roof,
    WallPart,
    WorkPoint,
)
from kb.model.entry import (
    Basis,
    Body,
    Condition,
    Entry,
    EntryKind,
    Grade,
    Observation,
    PublishedGain,
    State,
    Text3,
)
from kb.model.job import CommonBottleneck, HeldUpRank, Job, LostRank, Over, RankTimes, SlowRank, SlowType
from kb.model.judged import (
    Diagnosis,
    Evidence,
    Features,
    Finding,
    Gain,
    NotJudged,
    OperatorRef,
    Recommendation,
    SimilarCase,
)
from kb.model.plain import to_dict
from kb.model.profile import (
    Capture,
    Chip,
    CoreCounters,
    CoreKind,
    Follow,
    Measure,
    Notice,
    Operator,
    Profile,
    Rank,
    RunTimes,
    SourceFile,
    Tensor,
)
from kb.model.report import Report
from kb.model.strips import Lane, Pause, Strip

__all__ = [
    "Basis",
    "Body",
    "Capture",
    "Charts",
    "Chip",
    "CommonBottleneck",
    "Condition",
    "CoreCounters",
    "CoreKind",
    "DataPath",
    "Diagnosis",
    "Entry",
    "EntryKind",
    "Evidence",
    "Features",
    "Finding",
    "Follow",
    "Gain",
    "Grade",
    "HeldUpRank",
    "Job",
    "Lane",
    "LostRank",
    "Measure",
    "NotJudged",
    "Notice",
    "Observation",
    "Operator",
    "OperatorFloor",
    "OperatorPipes",
    "OperatorRef",
    "Over",
    "Pause",
    "PipeShare",
    "Profile",
    "PublishedGain",
    "Rank",
    "RankTimes",
    "Recommendation",
    "Report",
    "Roof",
    "RunTimes",
    "SimilarCase",
    "SlowRank",
    "SlowType",
    "SourceFile",
    "State",
    "Strip",
    "Tensor",
    "Text3",
    "WallPart",
    "WorkPoint",
    "to_dict",
]
