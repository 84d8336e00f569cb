"""What the commands that print reports share: the request, keeping the run, printing, writing a file."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kb.commands._console import Common, emit, say, screen_width, use_color
from kb.commands._language import in_language
from kb.commands._options import Audience
from kb.commands._outcomes import kept_outcomes
from kb.errors import OutputError, SourceError, UsageError
from kb.model import Report
from kb.report import views

if TYPE_CHECKING:
    from kb.engine.pipeline import Request


class _Formats(tuple[str, ...]):
    """The formats of reports; those of plugins belong to it too, but are looked for only when one is asked for."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in views.further()


FORMATS = _Formats(("text", *(name for name in views.views() if name != "text")))


_WHO = {
    Audience.kernel: "kernel-developer",
    Audience.model: "model-developer",
    Audience.deployment: "deployment",
}


def kept(given: Common, report: Report) -> Report:
    """The report, kept in the store; a store that cannot be written costs only a warning."""
    from kb.report import json
    from kb.store.runs import save

    try:
        save(json.kept(report), db=given.db or None)
    except SourceError as fault:
        say(given, f"this run was not kept: {fault.where}: {fault.what}")
    return report


def stated_soc(given: str) -> str:
    """The chip that was named: by the option, KB_SOC or the configuration file; empty where none was."""
    from kb import settings

    return given or settings.value("soc")


def request_for(
    given: Common, *, soc: str, shape: str = "", audience: Audience | None = None, top: int | None = None
) -> Request:
    """What the pipeline is asked, from the options of a command; what remedies gave here comes from the store."""
    from kb.engine.pipeline import Request

    who = _WHO[audience] if audience else None
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


def write_file(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        UsageError: it cannot be written there.
    """
    with whole_file(path) as part, part.open("w", encoding="utf-8", errors="replace") as stream:
        stream.write(text if text.endswith("\n") else text + "\n")


_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A file beside `path` to write into, which takes its place when all went well and is gone otherwise.

    A link stays a link; what is no file (a device, a pipe) is written into as it is and never replaced.

    Raises:
        UsageError: it cannot be written there. OutputError: the disk is full.
    """
    try:
        path = path.resolve()
        if path.exists() and not path.is_file():
            yield path
            return
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        part = Path(name)
        try:
            yield part
            part.chmod(0o666 & ~_umask())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as fault:
        if fault.errno in _NO_ROOM:
            raise OutputError(f"{path}: {fault.strerror}") from fault
        raise UsageError(
            f"cannot be written: {fault.strerror or fault}", where=str(path), now="Give another file with -o."
        ) from fault


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
