"""Results of the library: the engine's own types, which know their JSON document, their tables and their page."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from kb import comparison, model
from kb.engine.check import result
from kb.knowledge import search

if TYPE_CHECKING:
    from pandas import DataFrame

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Report(model.Report):
    """The report of a run (`kb.report/1`); its members are described in docs/json.md."""

    @classmethod
    def of(cls, report: model.Report) -> Report:
        """The same report, with what this class adds."""
        return cls(**{field.name: getattr(report, field.name) for field in fields(report)})

    def to_dict(self) -> Document:
        """The document that `kb advise --format json` prints: dicts, lists, texts and numbers alone."""
        from kb.report.json import document

        return _plain(document(self))

    def to_frame(self, of: Literal["operators", "findings", "recommendations"] = "operators") -> DataFrame:
        """A table with a row for each operator, finding or recommendation, in the order of the report.

        Its columns are always the same, whether a fact is known or not; what is unknown is missing. Times are in
        microseconds (`time_us`), shares and gains are fractions of one.

        Raises:
            UsageError: no such table.
        """
        from kb.library import frames

        return frames.of_report(self, of)

    def _repr_html_(self) -> str:
        """The page of the report, in a frame without script, for Jupyter."""
        from kb.report.html import still
        from kb.report.notebook import framed

        return framed(still(self), self.target)


class SearchResult(search.SearchResult):
    """The answer to a question (`kb.search/1`), best first."""

    __slots__ = ()

    def to_dict(self, *, explain: bool = False) -> Document:
        """The document that `kb search --format json` prints; `explain` adds the parts of each score."""
        return _plain(search.SearchResult.to_dict(self, explain=explain))

    def to_frame(self) -> DataFrame:
        """A table with a row for each entry found: rank, id, kind, title, score, why, summary."""
        from kb.library import frames

        return frames.of_search(self)

    def _repr_html_(self) -> str:
        """The page of the answers, in a frame, for Jupyter."""
        from kb.report.found import found_page
        from kb.report.notebook import framed
        from kb.report.page.html import render

        return framed(render(found_page(self)), self.query, height=420)


@dataclass(frozen=True, slots=True)
class CheckResult(result.CheckResult):
    """The coverage of a model on a chip (`kb.check/1`)."""

    @classmethod
    def of(cls, found: result.CheckResult) -> CheckResult:
        """The same answer, with what this class adds."""
        return cls(**{field.name: getattr(found, field.name) for field in fields(found)})

    def to_dict(self) -> Document:
        """The document that `kb check --format json` prints."""
        return _plain(result.document(self))

    def to_frame(self) -> DataFrame:
        """A table with a row for each operator type and engine, what needs attention first."""
        from kb.library import frames

        return frames.of_check(self)

    def _repr_html_(self) -> str:
        """The page of the check, in a frame, for Jupyter."""
        from kb.report.coverage import coverage_page
        from kb.report.notebook import framed
        from kb.report.page.html import render

        return framed(render(coverage_page(self.to_dict(), "en")), self.model)


@dataclass(frozen=True, slots=True)
class Comparison(comparison.Comparison):
    """The verdict on two runs (`kb.compare/1`)."""

    @classmethod
    def of(cls, found: comparison.Comparison) -> Comparison:
        """The same verdict, with what this class adds."""
        return cls(**{field.name: getattr(found, field.name) for field in fields(found)})

    def to_dict(self) -> Document:
        """The document that `kb compare --format json` prints."""
        from kb.report.comparison.json import document

        return _plain(document(self))

    def to_frame(self) -> DataFrame:
        """A table with a row for each operator of either run; times in microseconds, changes as fractions."""
        from kb.library import frames

        return frames.of_comparison(self)

    def _repr_html_(self) -> str:
        """The page of the comparison, in a frame, for Jupyter."""
        from kb.report.comparison.html import render
        from kb.report.notebook import framed

        return framed(render(self, lang="en", width=80, color=False), self.after.target)


def _plain(document: Document) -> Document:
    """The document as a reader of its JSON would get it."""
    from kb.report.dump import dumps

    plain: Document = json.loads(dumps(document, indent=None))
    return plain
