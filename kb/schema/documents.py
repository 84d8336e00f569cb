"""Every document: its name, the type it is made of, and the command that prints it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from kb.benchmark.scores import Section
from kb.comparison import Comparison
from kb.engine.check.result import CheckedNode, CheckedOperator
from kb.engine.collect.doctor import Check
from kb.engine.family.guess import FamilyGuess
from kb.engine.migration import Step
from kb.engine.readers.listing import Format
from kb.experience import Outcome, Tried
from kb.forecast import Forecast, ForecastOperator
from kb.knowledge.agreement import Agreement
from kb.knowledge.faults import Fault
from kb.knowledge.search import Hit, SearchResult
from kb.model import Entry, EntryKind, Grade, OperatorRef, Report, SimilarCase, State
from kb.report.parts import MostToWin
from kb.report.three import Together
from kb.schema import stores
from kb.schema.generate import Schema, Shape, schema_of
from kb.store.runs import RunSummary


class Printed(NamedTuple):
    """A document: the type of its members, and the command that prints it."""

    kind: type
    command: str

    def schema(self, name: str, *, closed: bool = False) -> Schema:
        """Its JSON Schema; `closed` refuses members that are not described."""
        return schema_of(name, self.kind, SHAPES, closed=closed)


@dataclass(frozen=True, slots=True)
class AskedIntent:
    """The question that was understood, or one near to it."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class AskDocument:
    """The answer to a question about a run; where it was not understood only `near` besides what was asked."""

    question: str
    answered: bool
    run: str
    ignored: tuple[str, ...]
    intent: AskedIntent | None
    sql: str | None
    parameters: Mapping[str, Any] | None
    columns: tuple[str, ...] | None
    rows: tuple[Mapping[str, Any], ...] | None
    cut: bool | None
    near: tuple[AskedIntent, ...] | None


@dataclass(frozen=True, slots=True)
class AskQuestion:
    """A question that is answered, and its query."""

    id: str
    title: str
    sql: str


@dataclass(frozen=True, slots=True)
class AskQuestionsDocument:
    """The questions that are answered."""

    questions: tuple[AskQuestion, ...]


@dataclass(frozen=True, slots=True)
class CheckDocument:
    """Which operators of a model a chip covers; what is promised is always there, null where nothing is known."""

    model: str
    soc: str
    opset: int | None
    operators: tuple[CheckedOperator, ...]
    falls_back: bool
    importable: bool
    family: FamilyGuess | None
    similar_cases: tuple[SimilarCase, ...]
    warnings: tuple[str, ...]
    nodes: tuple[CheckedNode, ...]
    breaks_limits: int
    summary: Mapping[str, int]
    tables: str


@dataclass(frozen=True, slots=True)
class CompareDocument(Comparison):
    """The verdict on two runs, why, and what changed, regressions first."""

    comparable: bool = False


@dataclass(frozen=True, slots=True)
class ConfigRow:
    """A setting; `value` is absent where nothing is set and there is no default."""

    key: str
    origin: Literal["variable", "file", "default"]
    value: str | None
    where: str | None


@dataclass(frozen=True, slots=True)
class ConfigDocument:
    """What holds for all commands, and the configuration file."""

    path: str
    settings: tuple[ConfigRow, ...]


@dataclass(frozen=True, slots=True)
class DoctorDocument:
    """Whether counters can be collected here."""

    can_collect: bool
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class TriedTogether(Tried):
    """Outcomes of one remedy together; `sunk`: it failed here more than it helped, and stands last."""

    sunk: bool = False


@dataclass(frozen=True, slots=True)
class EntryDocument(Entry):
    """An entry; where it was tried here, with its outcomes."""

    outcomes: tuple[Outcome, ...] = ()
    tried: TriedTogether | None = None


@dataclass(frozen=True, slots=True)
class OutcomeDocument:
    """A try of a remedy, and all of that remedy together (empty, or absent, where none is left)."""

    outcome: Outcome
    tried: TriedTogether | None


@dataclass(frozen=True, slots=True)
class OutcomesDocument:
    """All outcomes, the oldest first."""

    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class OutcomeExportDocument:
    """The files that were written."""

    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OutcomeImportDocument:
    """Outcomes in the files, and how many of them were not here yet."""

    found: int
    added: int


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An entry in one row."""

    id: str
    kind: EntryKind
    title: str
    state: State
    grade: Grade
    operators: tuple[str, ...]
    chips: tuple[str, ...]
    bottlenecks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvalAdviceDocument:
    """Scores of advice."""

    worse: tuple[str, ...]
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class EvalDocument:
    """Scores of search, or of estimates; what is absent was not asked for. `summary` is of networks."""

    results: tuple[Mapping[str, Any], ...]
    unreached: tuple[str, ...] | None
    below_floor: tuple[str, ...] | None
    summary: Mapping[str, Any] | None
    agreement: Agreement | None


@dataclass(frozen=True, slots=True)
class ExplainDocument:
    """A bottleneck with what helps against it; `pattern` is absent where it has no entry."""

    bottleneck: str
    pattern: Entry | None
    judged: tuple[Judged, ...]
    helps: tuple[EntryRow, ...]
    does_not_help: tuple[EntryRow, ...]
    cases: tuple[EntryRow, ...]


@dataclass(frozen=True, slots=True)
class Archive:
    """A kind of archive that is read."""

    name: str
    holds: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A kind of file that is refused by name."""

    name: str
    now: str


@dataclass(frozen=True, slots=True)
class FormatsDocument:
    """Which files are read, and which are refused by name."""

    formats: tuple[Format, ...]
    archives: tuple[Archive, ...]
    refused: tuple[Refused, ...]


@dataclass(frozen=True, slots=True)
class IndexDocument:
    """The search index."""

    path: str
    entries: int


@dataclass(frozen=True, slots=True)
class ListDocument:
    """Entries, one row each."""

    entries: tuple[EntryRow, ...]


@dataclass(frozen=True, slots=True)
class NewDocument:
    """An entry to be written: the file with it, or its text where no folder was named."""

    id: str
    kind: EntryKind
    path: str | None
    text: str | None


@dataclass(frozen=True, slots=True)
class ReportDocument(Report):
    """What bounds a run and what to change first.

    `first_three` is what the first advice saves together, `most_to_win` the upper bound of all findings together.
    """

    first_three: Together | None = None
    most_to_win: MostToWin | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """An input of a judgement (`metric`, `meaning`) or a limit of it (`name`, `value`, `source`)."""

    kind: Literal["input", "limit"]
    metric: str | None
    meaning: str | None
    name: str | None
    value: str | None
    source: str | None


@dataclass(frozen=True, slots=True)
class Class:
    """A class of operators: `factor` is measured over estimated, `low` and `high` the range of the scaled estimate."""

    factor: float
    kernels: int
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class CalibrationDocument:
    """Factors of a chip, as they are kept beside the run store."""

    chip: str
    source: str
    classes: Mapping[str, Class]


@dataclass(frozen=True, slots=True)
class ModelDocument:
    """The search model in use; after a choice also how many entries it embedded, and the file with their vectors."""

    model: str
    name: str
    version: str
    dimensions: int
    entries: int | None
    index: str | None


@dataclass(frozen=True, slots=True)
class MigrationCase:
    """A case that resembles the network, with its published gains."""

    id: str
    title: str
    why: str
    results: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Coverage(CheckDocument):
    """The coverage as `kb check` prints it, with its own name."""

    schema: Literal["kb.check/1"] = "kb.check/1"


@dataclass(frozen=True, slots=True)
class MigrationDocument:
    """The plan of a migration: coverage, estimated time, steps in order, what to profile first."""

    model: str
    soc: str
    run: str
    coverage: Coverage
    forecast: Forecast
    plan: tuple[Step, ...]
    profile_first: tuple[ForecastOperator, ...]
    cases: tuple[MigrationCase, ...]
    warnings: tuple[str, ...]


class Found(NamedTuple):
    """An entry that is like another."""

    rank: int
    id: str
    kind: str
    title: str
    score: float
    why: str
    summary: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SimilarDocument:
    """Entries most like another."""

    id: str
    results: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class RunsDocument:
    """The runs that were kept, the newest first."""

    runs: tuple[RunSummary, ...]


@dataclass(frozen=True, slots=True)
class SchemaRow:
    """A document: `name` for `kb schema`, its `schema` member, the command that prints it."""

    name: str
    schema: str
    printed_by: str


@dataclass(frozen=True, slots=True)
class SchemaDocument:
    """The documents that have a JSON Schema."""

    documents: tuple[SchemaRow, ...]


@dataclass(frozen=True, slots=True)
class Languages:
    """How many entries are translated: short texts, and the whole body."""

    texts: int
    bodies: int


@dataclass(frozen=True, slots=True)
class Weak:
    """An entry with reasons to work on it."""

    id: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StatusDocument:
    """Counts and coverage of the knowledge base; numbers by kind of entry."""

    kinds: Mapping[str, int]
    state: Mapping[str, Mapping[str, int]]
    grade: Mapping[str, Mapping[str, int]]
    chip: Mapping[str, Mapping[str, int]]
    family: Mapping[str, Mapping[str, int]]
    languages: Mapping[str, Languages]
    recipes: Mapping[str, int]
    weak: tuple[Weak, ...]


@dataclass(frozen=True, slots=True)
class ValidateDocument:
    """The faults of entries."""

    valid: bool
    faults: tuple[Fault, ...]


_PROMISED = ("type", "count", "engine", "restriction", "remedies", "runs")
SHAPES: Mapping[type, Shape] = {
    CheckDocument: Shape(nullable=frozenset(("opset", "family"))),
    Coverage: Shape(nullable=frozenset(("opset", "family"))),
    CheckedOperator: Shape(
        optional=frozenset(CheckedOperator.__dataclass_fields__) - frozenset(_PROMISED),
        nullable=frozenset(("restriction",)),
    ),
    Entry: Shape(hidden=frozenset(("file",))),
    EntryDocument: Shape(hidden=frozenset(("file",)), optional=frozenset(("outcomes",))),
    Hit: Shape(optional=frozenset(("parts",))),
    OperatorRef: Shape(optional=frozenset(("type",)), nullable=frozenset(("type",))),
    ReportDocument: Shape(optional=frozenset(("measured",))),  # in the documents that are kept
    SearchResult: Shape(optional=frozenset(("near_terms",))),
}

DOCUMENTS: Mapping[str, Printed] = {
    "kb.ask.questions/1": Printed(AskQuestionsDocument, "kb ask --list"),
    "kb.ask/1": Printed(AskDocument, "kb ask"),
    "kb.calibration/1": Printed(CalibrationDocument, "kb estimate --calibrate keeps it"),
    "kb.check/1": Printed(CheckDocument, "kb check"),
    "kb.compare/1": Printed(CompareDocument, "kb compare"),
    "kb.config/1": Printed(ConfigDocument, "kb config list"),
    "kb.db.copy/1": Printed(stores.CopyDocument, "kb db copy"),
    "kb.db.fetch/1": Printed(stores.FetchDocument, "kb db fetch"),
    "kb.db.grant/1": Printed(stores.GrantDocument, "kb db grant"),
    "kb.db.migrate/1": Printed(stores.MigrateDocument, "kb db migrate"),
    "kb.db.publish/1": Printed(stores.PublishDocument, "kb db publish"),
    "kb.db/1": Printed(stores.StoreDocument, "kb db status"),
    "kb.doctor/1": Printed(DoctorDocument, "kb doctor"),
    "kb.entry/1": Printed(EntryDocument, "kb show"),
    "kb.eval-advice/1": Printed(EvalAdviceDocument, "kb eval advice"),
    "kb.eval/1": Printed(EvalDocument, "kb eval search, kb eval estimate"),
    "kb.explain/1": Printed(ExplainDocument, "kb explain"),
    "kb.formats/1": Printed(FormatsDocument, "kb formats"),
    "kb.index/1": Printed(IndexDocument, "kb index"),
    "kb.list/1": Printed(ListDocument, "kb list"),
    "kb.migration/1": Printed(MigrationDocument, "kb migrate-report"),
    "kb.model/1": Printed(ModelDocument, "kb model show, kb model use"),
    "kb.new/1": Printed(NewDocument, "kb new, kb case from-compare"),
    "kb.outcome-export/1": Printed(OutcomeExportDocument, "kb outcome --export"),
    "kb.outcome-import/1": Printed(OutcomeImportDocument, "kb outcome --import"),
    "kb.outcome/1": Printed(OutcomeDocument, "kb outcome"),
    "kb.outcomes/1": Printed(OutcomesDocument, "kb outcome without runs"),
    "kb.report/1": Printed(ReportDocument, "kb advise, kb profile-and-advise, kb report"),
    "kb.runs.deleted/1": Printed(stores.RunsDeletedDocument, "kb runs delete"),
    "kb.runs.sql/1": Printed(stores.RunsSqlDocument, "kb runs sql"),
    "kb.runs/1": Printed(RunsDocument, "kb runs list"),
    "kb.schema/1": Printed(SchemaDocument, "kb schema"),
    "kb.search/1": Printed(SearchResult, "kb search"),
    "kb.similar/1": Printed(SimilarDocument, "kb similar"),
    "kb.status/1": Printed(StatusDocument, "kb eval knowledge"),
    "kb.validate/1": Printed(ValidateDocument, "kb validate"),
}
