"""`kb check`: what falls back, and what cannot be converted, before there is a device."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb.commands import _options
from kb.commands._console import Common, show

if TYPE_CHECKING:
    from kb.engine.check import CheckResult

PANEL, ORDER = "Main job", 3


def run(
    common: Common,
    model: Annotated[
        Path | None, typer.Argument(metavar="MODEL", show_default=False, help="An .onnx file, or a profile of a model.")
    ] = None,
    soc: Annotated[str, _options.soc("Chip to run on, such as Ascend310P3.")] = "",
    torch: Annotated[
        Path | None,
        typer.Option(
            "--torch", metavar="FILE", show_default=False,
            help="Instead of a model: PyTorch operator names, one a line, or a torch.export program (.pt2).",
        ),
    ] = None,
) -> int:  # fmt: skip
    """Check which operators a chip covers, before migrating.

    Says for each operator whether it runs on the AI Core, falls back to AI CPU, or cannot be imported, which stated
    limits the model breaks, the way out, the family the network belongs to and the cases that resemble it. A profile
    (folder, op_summary.csv, kernel_details.csv) is checked by its operator types: what if it moved to this chip.

    Exit status: 0 all is covered, 1 something falls back, cannot be imported or breaks a stated limit, 3 unreadable.

    Examples:
      kb check yolov8s.onnx --soc Ascend310P3
      kb check model.onnx --soc 910B --format json
      kb check ./PROF_000001 --soc Ascend310P3
      kb check --torch ops.txt --soc Ascend910B3
    """
    from kb.engine.check import document
    from kb.report.coverage import coverage_page

    result = _checked(model, soc, torch)
    found = document(result)
    show(common, coverage_page(found, common.lang), found, found["operators"])
    return result.exit_status


def _checked(model: Path | None, soc: str, torch: Path | None) -> CheckResult:
    from kb import targets
    from kb.engine.check import check, check_torch, read_names
    from kb.errors import UsageError
    from kb.graph import read
    from kb.knowledge.store import load_entries

    if (model is None) == (torch is None):
        raise UsageError(
            "give a model or --torch FILE", now="For example: kb check model.onnx --soc Ascend310P3"
        )
    if not soc:
        raise UsageError("which chip?", where="--soc", now="For example --soc Ascend310P3.")
    targets.family_of(soc)
    if torch is not None:
        names = read_names(torch)
        return check_torch(names, soc, load_entries().values(), torch.name)
    assert model is not None  # noqa: S101 - one of the two was given
    if _is_profile(model):
        return _profile(model, soc)
    graph = read(model)
    return check(graph, soc, load_entries().values())


def _is_profile(path: Path) -> bool:
    """Whether a path is a profile rather than a model: a folder, a table, a database or an archive of these."""
    return path.is_dir() or path.suffix.lower() in (
        ".csv",
        ".db",
        ".zip",
        ".gz",
        ".tar",
        ".json",
        ".sqlite",
        ".bin",
    )


def _profile(path: Path, soc: str) -> CheckResult:
    """The check of a profile's operator types against another chip."""
    from kb.engine.check import check_types
    from kb.engine.family import recognise_profile
    from kb.engine.readers import read as read_profile
    from kb.errors import NothingToJudge
    from kb.knowledge.store import load_entries

    ran = [op for op in read_profile([path]).operators if op.core not in ("communication", "other")]
    counts: dict[str, int] = {}
    for operator in ran:
        if operator.type:
            counts[operator.type] = counts.get(operator.type, 0) + operator.count
    if not counts:
        raise NothingToJudge(
            "no operator types in this profile", where=str(path), now="give an op_summary or kernel_details"
        )
    return check_types(counts, soc, load_entries().values(), path.name, recognise_profile(ran))
