"""`kb compare`: is it faster, by how much, and can that be said at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb.commands import _options
from kb.commands._console import Common, emit, say, screen_width, use_color
from kb.report.comparison.views import views

if TYPE_CHECKING:
    from kb.comparison import Gate

PANEL, ORDER = "Main job", 5
FORMATS = ("text", *(name for name in views() if name != "text"))
FAILED, UNJUDGED = 1, 5


def run(
    common: Common,
    before: Annotated[
        str,
        typer.Argument(
            metavar="BEFORE", help="The earlier run: id of a kept run, or a profile (folder, CSV)."
        ),
    ],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The later run, named the same ways.")],
    fail_on_regression: Annotated[
        str,
        typer.Option(
            "--fail-on-regression",
            metavar="PCT",
            show_default=False,
            help="Exit with 1 when the whole, or an operator, got slower by more than this and than noise.",
        ),
    ] = "",
    noise: Annotated[
        str,
        typer.Option(
            "--noise",
            metavar="PCT",
            show_default=False,
            help="Noise band to judge by (default: from launches or cores, else 5%).",
        ),
    ] = "",
    soc: Annotated[str, _options.soc(help="Chip that both profiles ran on.")] = "",
    output: Annotated[
        Path | None,
        _options.output(help="Write the answer here instead."),
    ] = None,
) -> int:
    """Compare two runs: faster, slower, within noise, or not comparable.

    Operators are matched by kernel, or by type and shape. Says for each and for the whole what changed beyond noise,
    which pipes moved and which findings are gone or new. Runs of another chip, shape, dtype, replay mode, set of
    metrics, a clock more than 5 % apart, or a simulator against a device are not comparable, and the answer says why.
    Collectives wait for other ranks, so beside kernels they fail no limit; with another profiler level none is judged.

    Exit status: 0 compared, 1 a regression beyond the limit, 5 the limit cannot be judged, 3 unreadable.

    Examples:
      kb compare ./OPPROF_before ./OPPROF_after
      kb compare 4be1c0ff 77aa01bc --format markdown
      kb compare base.csv new.csv --fail-on-regression 5% --format junit -o compare.xml
    """
    from kb.commands._files import write_file
    from kb.commands._sides import percent, report_of
    from kb.engine.compare import compare, gated
    from kb.report.comparison.views import render

    limit = percent(fail_on_regression, "--fail-on-regression")
    band = percent(noise, "--noise")
    found = compare(report_of(common, before, soc), report_of(common, after, soc), band)
    if limit is not None:
        found = replace(found, gate=gated(found, limit))
    color = use_color() and output is None
    text = render(common.format, found, lang=common.lang, width=screen_width(), color=color)
    if output is None:
        emit(text)
    else:
        write_file(output, text)
        say(common, f"wrote {output}")
    return _status(found.gate)


def _status(gate: Gate | None) -> int:
    if gate is None:
        return 0
    if not gate.judged:
        return UNJUDGED
    return FAILED if gate.failed else 0
