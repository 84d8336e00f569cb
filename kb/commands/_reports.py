"""What the commands that print reports share: choosing advice, keeping the run, printing, writing a file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path

from kb.commands._common import Common, emit, say, screen_width, use_color
from kb.errors import SourceError, UsageError
from kb.model import Report
from kb.report import views

FORMATS = ("text", *(name for name in views.views() if name != "text"))


class Audience(str, Enum):
    """Who can carry out an advice, as users say it."""

    kernel = "kernel"
    model = "model"
    deployment = "deployment"


_WHO = {Audience.kernel: "kernel-developer", Audience.model: "model-developer", Audience.deployment: "deployment"}


def kept(given: Common, report: Report) -> Report:
    """The report with its run id, kept in the run store; a store that cannot be written costs a warning, no report."""
    from kb.report.json import document
    from kb.store.runs import run_id, save

    named = report if report.run else replace(report, run=run_id(document(report)))
    try:
        save(document(named), db=given.db or None)
    except SourceError as fault:
        say(given, f"this run was not kept: {fault.where}: {fault.what}")
    return named


def chosen(report: Report, audience: Audience | None, top: int | None) -> Report:
    """The report with the advice for one audience only, the first `top` of it, ranked anew."""
    wanted = [item for item in report.recommendations if audience is None or item.who == _WHO[audience]]
    ranked = (replace(item, rank=rank) for rank, item in enumerate(wanted[:top], 1))
    return replace(report, recommendations=tuple(ranked))


def print_reports(given: Common, reports: Sequence[Report], *, many: bool = False) -> None:
    """Print reports in the format asked for."""
    emit(
        views.render(
            given.format, reports, lang=given.lang, width=screen_width(), color=use_color(), many=many
        )
    )


def write_file(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        UsageError: it cannot be written there.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        part = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as stream:
                stream.write(text if text.endswith("\n") else text + "\n")
            part.chmod(0o666 & ~_umask())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as fault:
        raise UsageError(
            f"cannot be written: {fault.strerror or fault}", where=str(path), now="Give another file with -o."
        ) from fault


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
