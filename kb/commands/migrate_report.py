"""`kb migrate-report`: everything that can be said of a model before there is a device, on one page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from kb.commands import _options
from kb.commands._console import Common, say, screen_width, show
from kb.commands._files import write_file
from kb.commands._forecast import foretold
from kb.commands._kept import kept
from kb.commands._reports import request_for
from kb.errors import UsageError
from kb.report.page import Page

PANEL, ORDER = "Main job", 6
_ENDINGS = {".html": "html", ".htm": "html", ".md": "markdown", ".json": "json", ".txt": "text"}


def run(
    common: Common,
    model: Annotated[
        Path, typer.Argument(metavar="MODEL.onnx", help="The model, or an operator JSON with shapes.")
    ],
    soc: Annotated[str, _options.soc(help="Chip to move to, such as Ascend310P3.")] = "",
    input_shape: _options.InputShapes = None,
    uncalibrated: _options.Uncalibrated = False,
    output: Annotated[
        Path | None,
        _options.output(help="Write here; the ending (.html, .md, .json, .txt) says which format."),
    ] = None,
) -> int:
    """Plan a migration: coverage, fallbacks with the way out, similar cases, estimated hot list, what to do in order.

    Nothing is measured: times are estimates with a range, and the page says what to profile first on the device.

    Exit status: 0 done (fallbacks too are an answer: kb check ends with 1), 2 wrong usage, 3 unreadable, 5 nothing in
    it can be estimated.

    Examples:
      kb migrate-report yolov8s.onnx --soc Ascend310P3
      kb migrate-report model.onnx --soc Ascend910B3 --input-shape images:1,3,640,640 -o plan.html
    """
    from kb.engine.migration import migration_document
    from kb.knowledge.store import load_entries
    from kb.report.migration import migration_page

    form = _form(common, output)
    request = request_for(common, soc=soc)
    found = foretold(common, model, request, input_shape or [], uncalibrated=uncalibrated)
    kept(common, found.report)
    entries = load_entries()
    document = migration_document(found, entries)
    forecast = found.report.forecast
    assert forecast is not None  # noqa: S101 - a foretold report has one
    room = screen_width() if form == "text" else 200
    page = migration_page(document, forecast, entries, common.lang, room=room)
    if output is None:
        show(common, page, document, document["plan"])
        return 0
    write_file(output, _rendered(form, page, document))
    say(common, f"wrote {output}")
    return 0


def _form(common: Common, output: Path | None) -> str:
    """The format: as asked for, else by the ending of the file."""
    if output is None or common.format != "text":
        return common.format
    if output.suffix.lower() not in _ENDINGS:
        raise UsageError(
            f"the ending {output.suffix!r} names no format",
            where="--output",
            now=f"Use one of {', '.join(_ENDINGS)}, or say --format.",
        )
    return _ENDINGS[output.suffix.lower()]


def _rendered(form: str, page: Page, document: Mapping[str, Any]) -> str:
    from kb.report.dump import dumps
    from kb.report.page import html, markdown, text

    if form in ("json", "jsonl"):
        return dumps(document)
    if form == "markdown":
        return markdown.render(page)
    return html.render(page) if form == "html" else text.render(page, width=screen_width(), color=False)
