"""What the commands that print reports share: the request, and printing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kb.commands._console import Common, emit, say, screen_width, use_color
from kb.commands._files import write_file
from kb.commands._kept import kept_outcomes
from kb.commands._options import Audience
from kb.model import Report
from kb.report import views
from kb.report.translated import in_language
from kb.textfile import STDIN as STDOUT  # both are `-`

if TYPE_CHECKING:
    from kb.engine.request import Request


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
    from kb.engine.request import request

    who = audience.value if audience else None
    return request(soc=soc, shape=shape, audience=who, top=top, outcomes=kept_outcomes(given))


def print_reports(given: Common, reports: Sequence[Report], *, many: bool = False) -> None:
    """Print reports in the format asked for."""
    told = [in_language(report, given.lang) for report in reports]
    emit(
        views.render(given.format, told, lang=given.lang, width=screen_width(), color=use_color(), many=many)
    )


def file_format(given: Common, output: Path) -> str:
    """The format to write a file in: the one asked for, else the one that goes with its name.

    Raises:
        UsageError: none goes with its name.
    """
    return given.format if given.asked and given.format != "text" else views.view_for(output).NAME


def give_reports(
    given: Common, reports: Sequence[Report], output: Path | None, *, many: bool = False
) -> None:
    """Reports on standard output, or written to a file whole or not at all."""
    if output is None or output == STDOUT:
        print_reports(given, reports, many=many)
        return
    told = [in_language(report, given.lang) for report in reports]
    name = file_format(given, output)
    text = views.render(name, told, lang=given.lang, width=screen_width(), color=False, many=many)
    write_file(output, text)
    say(given, f"wrote {output}")
