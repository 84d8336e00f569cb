"""What the commands that print reports share: the request, and printing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kb.commands._console import Common, emit, screen_width, use_color
from kb.commands._kept import kept_outcomes
from kb.commands._options import Audience
from kb.model import Report
from kb.report import views
from kb.report.translated import in_language
from kb.vocabulary.entries import AUDIENCES

if TYPE_CHECKING:
    from kb.engine.pipeline import Request


class _Formats(tuple[str, ...]):
    """The formats of reports; those of plugins belong to it too, but are looked for only when one is asked for."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in views.further()


FORMATS = _Formats(("text", *(name for name in views.MODULES if name != "text")))


def stated_soc(given: str) -> str:
    """The chip that was named: by the option, KB_SOC or the configuration file; empty where none was."""
    from kb import settings

    return given or settings.value("soc")


def request_for(
    given: Common, *, soc: str, shape: str = "", audience: Audience | None = None, top: int | None = None
) -> Request:
    """What the pipeline is asked, from the options of a command; what remedies gave here comes from the store."""
    from kb.engine.pipeline import Request

    who = AUDIENCES[audience.value] if audience else None
    outcomes = kept_outcomes(given)
    return (
        Request(soc or None, shape or None, who, outcomes=outcomes)
        if top is None
        else Request(soc or None, shape or None, who, top, outcomes)
    )


def in_full(request: Request) -> Request:
    """The same request for the report that is kept: nothing narrowed."""
    from kb.engine.pipeline import KEPT

    return replace(request, who=None, top=KEPT)


def print_reports(given: Common, reports: Sequence[Report], *, many: bool = False) -> None:
    """Print reports in the format asked for."""
    told = [in_language(report, given.lang) for report in reports]
    emit(
        views.render(given.format, told, lang=given.lang, width=screen_width(), color=use_color(), many=many)
    )
