"""`kb profile-and-advise`: collect with msopprof where needed, then advise."""

from __future__ import annotations

import os
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb.commands import _options, advise
from kb.commands._console import Common, emit, in_words, say
from kb.commands._forecast import print_forecast
from kb.commands._kept import kept
from kb.commands._progress import counting, working
from kb.commands._reports import FORMATS, print_reports, request_for, stated_soc
from kb.errors import UsageError
from kb.report.catalogue import say as told

if TYPE_CHECKING:
    from kb.engine.collect import Collected, Options, Plan
    from kb.engine.request import Request
    from kb.model import Report

__all__ = ["FORMATS", "ORDER", "PANEL", "run"]

PANEL, ORDER = "Main job", 1
_CAPTURE = ("tool_version", "cann_version", "replay_mode", "warm_up", "metric_groups")


def run(
    common: Common,
    *,
    target: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET [-- APP ARGS]",
            show_default=False,
            help="A program, a profile that exists, an .onnx model, or an msopprof --config JSON.",
        ),
    ],
    mode: Annotated[
        str, typer.Option("--mode", metavar="MODE", help="auto, device, simulator or estimate.")
    ] = "auto",
    soc: Annotated[
        str, _options.soc(help="Chip, such as Ascend910B2; a simulator and an .onnx model need it.")
    ] = "",
    kernel_name: Annotated[
        str,
        typer.Option(
            "--kernel-name",
            metavar="NAME",
            show_default=False,
            help="Kernels to collect: a prefix, * allowed, several joined by |. Without it only the first kernel.",
        ),
    ] = "",
    launch_count: Annotated[
        int | None,
        typer.Option("--launch-count", metavar="N", show_default=False, help="Launches to collect."),
    ] = None,
    warm_up: Annotated[
        int | None,
        typer.Option("--warm-up", metavar="N", show_default=False, help="Launches before measuring."),
    ] = None,
    aic_metrics: Annotated[
        str,
        typer.Option(
            "--aic-metrics",
            metavar="LIST",
            show_default=False,
            help="Metric groups of msopprof, joined by commas.",
        ),
    ] = "",
    replay_mode: Annotated[
        str | None,
        typer.Option(
            "--replay-mode", metavar="MODE", show_default=False, help="kernel, application or range."
        ),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout", metavar="SECONDS", show_default=False, help="Stop collecting after this time."
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", metavar="DIR", show_default=False, help="Where the collected profile goes."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the command that would collect, and run nothing.")
    ] = False,
    input_shape: _options.InputShapes = None,
    uncalibrated: _options.Uncalibrated = False,
    audience: _options.For = None,
    top: _options.Top = None,
) -> int:
    """Profile with msopprof, then say what to change first.

    TARGET may be a program (it is run under msopprof, on a device or in the simulator), a profile that
    exists, an ONNX model or operator JSON (its times are estimated from shapes), or an msopprof --config JSON.
    Arguments of the program follow after `--`.

    Exit status: 0 judged, 3 the input cannot be read, 4 collecting failed, 5 the counters needed are not
    there.

    Examples:
      kb profile-and-advise ./my_operator
      kb profile-and-advise ./my_operator --kernel-name 'MatMul*' -- --m 1024 --n 2048
      kb profile-and-advise ./my_operator --mode simulator --soc Ascend910B2
      kb profile-and-advise --dry-run -- python3 infer.py
      kb profile-and-advise ./OPPROF_20260101120000_ABCDEF
      kb profile-and-advise yolov8s.onnx --soc Ascend310P3 --input-shape images:1,3,640,640
    """
    from kb import targets
    from kb.engine import collect

    soc = stated_soc(soc)
    if "" in target[:1]:
        raise UsageError("TARGET is empty", now="Give a program or a profile.")
    if soc:
        targets.resolve(soc)  # before minutes of collecting, not after
    options = collect.Options(
        target=tuple(target),
        mode=mode,  # type: ignore[arg-type]  # checked by Options
        soc=soc or None,
        kernel_name=kernel_name or None,
        launch_count=launch_count,
        warm_up=warm_up,
        aic_metrics=tuple(name.strip() for name in aic_metrics.split(",") if name.strip()),
        replay_mode=replay_mode,  # type: ignore[arg-type]  # checked by Options
        timeout_s=timeout,
        output=output,
    )
    if dry_run:
        return _planned(common, options)
    if len(target) == 1 and _is_profile(Path(target[0])):
        shapes = ["--input-shape"] if input_shape else []
        if unused := ", ".join((*_collecting(options), *shapes)):
            say(common, f"{target[0]} is a profile that exists: nothing is collected, {unused} not used")
        return advise.run(common, paths=[target[0]], soc=soc, audience=audience, top=top)
    if _kind(options) == "estimate":
        if unused := ", ".join(_collecting(replace(options, mode="auto"))):
            say(common, f"{target[0]} is estimated: nothing is collected, {unused} not used")
        request = request_for(common, soc=soc, audience=audience, top=top)
        return print_forecast(common, Path(target[0]), request, input_shape or [], uncalibrated=uncalibrated)
    collected = _collected(common, options)
    return _advised(common, collected, request_for(common, soc=soc, audience=audience, top=top))


def _planned(common: Common, options: Options) -> int:
    """Print the command that would collect, and what it would do."""
    from kb.engine import collect

    plan = collect.plan(options, collect.look_around(), shown_only=True)
    emit("\n".join(in_words(common, line) for line in collect.render_plan(plan).splitlines()))
    return 0


def _collected(common: Common, options: Options) -> Collected:
    """Run the program under the profiler, and say what happens meanwhile."""
    from kb.engine import collect

    plan = collect.plan(options, collect.look_around())
    _announce(common, plan)
    with counting(common) as progress:
        collected = collect.collect(plan, progress=progress)
    say(common, told("collect.done", common.lang, folder=collected.folder))
    if collected.app_output:
        say(common, told("collect.app", common.lang, file=collected.app_output))
    return collected


def _advised(common: Common, collected: Collected, request: Request) -> int:
    """Judge what was collected, keep the run, print its report."""
    from kb.engine import pipeline

    with working(common, f"reading {collected.folder}") as progress:
        found = pipeline.advise([collected.folder], request.in_full(), progress=progress)
    report = _as_collected(found, collected)
    print_reports(common, [pipeline.narrow(kept(common, report), request)])
    return 0


def _announce(common: Common, plan: Plan) -> None:
    """Before the run: the mode and why, the folder; what the mode can tell where it was not the user who chose it."""
    choice, lang = plan.mode, common.lang
    if plan.options.mode == "auto":
        say(common, told("collect.mode", lang, mode=choice.mode, why=in_words(common, choice.why)))
        say(common, told("collect.can", lang, what="; ".join(in_words(common, one) for one in choice.can)))
        say(
            common,
            told("collect.cannot", lang, what="; ".join(in_words(common, one) for one in choice.cannot)),
        )
    say(common, told("collect.into", lang, mode=choice.mode, folder=plan.output.path))


def _is_profile(path: Path) -> bool:
    """Whether a target is data to be read: a folder, or a file that is no program, no model and no other JSON."""
    if path.is_dir():
        return True
    if not path.is_file() or path.suffix.lower() == ".onnx":
        return False
    if path.suffix.lower() == ".json":
        from kb.engine.readers import reader_of

        return reader_of(path) is not None
    try:
        with path.open("rb") as file:
            return not file.read(4).startswith((b"\x7fELF", b"#!"))
    except OSError:
        return not os.access(
            path, os.X_OK
        )  # a program may be run without being read; the reader says what is wrong


def _collecting(options: Options) -> list[str]:
    """The options given that only a collection uses."""
    plain = type(options)(target=options.target, soc=options.soc)
    names = [
        field.name for field in fields(options) if getattr(options, field.name) != getattr(plain, field.name)
    ]
    return ["--" + name.removesuffix("_s").replace("_", "-") for name in names]


def _kind(options: Options) -> str:
    """How the target is measured, or "estimate"."""
    from kb.engine import collect

    return collect.choose_mode(options, collect.look_around()).mode


def _as_collected(report: Report, collected: Collected) -> Report:
    """The report with what only the collection knows: how it was measured, and what went less than well."""
    known = {
        name: value for name in _CAPTURE if (value := getattr(collected.capture, name)) not in (None, ())
    }
    capture = replace(report.capture, **known, command=collected.command)
    warnings = (*report.warnings, *(notice.text for notice in collected.notices))
    return replace(report, capture=capture, warnings=tuple(dict.fromkeys(warnings)))
