"""`kb check`: what falls back, and what cannot be converted, before there is a device."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kb.commands import _options
from kb.commands._console import Common, show
from kb.commands._progress import working

PANEL, ORDER = "Main job", 3


def run(
    common: Common,
    model: Annotated[
        Path | None, typer.Argument(metavar="MODEL", show_default=False, help="An .onnx file, operators in JSON, or a profile.")
    ] = None,
    soc: Annotated[str, _options.soc(help="Chip to run on, such as Ascend310P3.")] = "",
    torch: Annotated[
        Path | None,
        typer.Option(
            "--torch", metavar="FILE", show_default=False,
            help="Instead of a model: PyTorch operator names, one a line, or a torch.export program (.pt2); - is standard input.",
        ),
    ] = None,
) -> int:  # fmt: skip
    """Check which operators a chip covers, before migrating.

    Says for each operator whether it runs on the AI Core, falls back to AI CPU, or cannot be imported, which stated
    limits the model breaks, the way out, the family the network belongs to and the cases that resemble it. A profile
    (folder, op_summary.csv, kernel_details.csv) or a list of operators in JSON is checked by its operator types: what if it moved to this chip.

    Exit status: 0 all is covered, 1 something falls back, cannot be imported or breaks a stated limit, 3 unreadable,
    5 no table knows any of the operators.

    Examples:
      kb check yolov8s.onnx --soc Ascend310P3
      kb check model.onnx --soc 910B --format json
      kb check ./PROF_000001 --soc Ascend310P3
      kb check --torch ops.txt --soc Ascend910B3
      my_tool | kb check --torch - --soc Ascend910B3
    """
    from kb.checking import checked
    from kb.commands._reports import stated_soc
    from kb.engine.check import document
    from kb.report.coverage import coverage_page

    with working(common, "checking operators"):
        result = checked(model, stated_soc(soc), torch)
    found = document(result)
    show(common, coverage_page(found, common.lang), found, found["operators"])
    return result.exit_status
