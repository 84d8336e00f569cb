"""What a coverage check answers, and its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kb.engine.family.guess import FamilyGuess
from kb.model import SimilarCase, to_dict

# The first five are those of the contract for models; the rest occur for PyTorch names and for a profile's types.
Engine = Literal["ai_core", "ai_cpu", "no_importer", "no_kernel", "unknown", "dsa", "dvpp", "host"]

TABLES = "CANN 8.1.RC1"
TABLES_NOTE = "kernel lists of CANN 8.1.RC1, open ONNX importers of 2026-08; other versions differ"
OPEN_ONLY = (
    "for the 950 only kernels of the open repositories are known: a missing one is unknown, not absent"
)


@dataclass(frozen=True, slots=True)
class CheckedNode:
    """One node that needs attention: where it stands, where it would run, and why."""

    type: str
    name: str
    engine: Engine
    reasons: tuple[str, ...]
    place: str = ""


@dataclass(frozen=True, slots=True)
class CheckedOperator:
    """All nodes of one type that run on one engine.

    `restriction` joins what this model breaks (`broken`) with the limits that the tables name for the operator.
    `runs` is false for what needs no kernel at all (shapes, control flow), so that `no_kernel` is no fault there.
    """

    type: str
    count: int
    engine: Engine
    restriction: str | None = None
    remedies: tuple[str, ...] = ()
    domain: str = ""
    kernels: tuple[str, ...] = ()
    opsets: str = ""
    broken: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    runs: bool = True

    @property
    def falls_back(self) -> bool:
        """Whether it leaves the AI Core for a processor, or has nothing to run on."""
        return self.engine in ("ai_cpu", "host") or (self.engine == "no_kernel" and self.runs)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The whole answer. `importable` says whether the converter has an importer for every operator at this opset."""

    model: str
    soc: str
    opset: int | None
    operators: tuple[CheckedOperator, ...]
    importable: bool
    family: FamilyGuess | None = None
    similar_cases: tuple[SimilarCase, ...] = ()
    warnings: tuple[str, ...] = ()
    nodes: tuple[CheckedNode, ...] = ()
    tables: str = TABLES_NOTE
    summary: Mapping[str, int] = field(default_factory=dict)  # nodes an engine
    breaks_limits: int = 0  # nodes that break a limit stated for their operator

    @property
    def falls_back(self) -> bool:
        """Whether any operator leaves the AI Core or has nothing to run on."""
        return any(operator.falls_back for operator in self.operators)

    @property
    def exit_status(self) -> int:
        """1 when something falls back, cannot be imported or breaks a stated limit; 5 when no table knows any operator,
        so that nothing was judged; else 0."""
        if self.falls_back or not self.importable or self.breaks_limits > 0:
            return 1
        unknown = [op for op in self.operators if op.engine == "unknown" and not op.opsets]
        return 5 if unknown and len(unknown) == len(self.operators) else 0


def document(result: CheckResult) -> dict[str, Any]:
    """The JSON of `kb check` (docs/json.md): every promised key is there, unknown ones as null."""
    return {
        "schema": "kb.check/1",
        "model": result.model,
        "soc": result.soc,
        "opset": result.opset,
        "operators": [_operator(operator) for operator in result.operators],
        "falls_back": result.falls_back,
        "importable": result.importable,
        "family": None if result.family is None else to_dict(result.family),
        "similar_cases": [to_dict(case) for case in result.similar_cases],
        "warnings": list(result.warnings),
        "nodes": [to_dict(node) for node in result.nodes],
        "breaks_limits": result.breaks_limits,
        "summary": dict(result.summary),
        "tables": result.tables,
    }


def _operator(operator: CheckedOperator) -> dict[str, Any]:
    first = {
        "type": operator.type,
        "count": operator.count,
        "engine": operator.engine,
        "restriction": operator.restriction,
        "remedies": list(operator.remedies),
    }
    rest = {key: value for key, value in to_dict(operator).items() if value not in ("", [], None)}
    return {**first, **{key: value for key, value in rest.items() if key not in first}}
