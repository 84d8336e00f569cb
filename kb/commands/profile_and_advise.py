"""`kb profile-and-advise`: collect with msopprof where needed, then advise."""

from __future__ import annotations

from typing import Annotated

import typer

from kb.commands._common import Common, emit, say
from kb.commands._reports import FORMATS, Audience, chosen, kept, print_reports

__all__ = ["FORMATS", "ORDER", "PANEL", "run"]

PANEL, ORDER = "Main job", 1


def run(
    common: Common,
    target: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET [-- APP ARGS]", show_default=False,
            help="A program, a profile that exists, an .onnx model, or an msopprof --config JSON.",
        ),
    ],
    mode: Annotated[
        str, typer.Option("--mode", metavar="MODE", help="auto, device, simulator or estimate.")
    ] = "auto",
    soc: Annotated[
        str, typer.Option("--soc", metavar="SOC", show_default=False, help="Chip, such as Ascend910B2; the simulator needs it.")
    ] = "",
    kernel_name: Annotated[
        str,
        typer.Option(
            "--kernel-name", metavar="NAME", show_default=False,
            help="Kernels to collect: a prefix, * allowed, several joined by |. Without it only the first kernel.",
        ),
    ] = "",
    launch_count: Annotated[
        int | None, typer.Option("--launch-count", metavar="N", show_default=False, help="Launches to collect.")
    ] = None,
    warm_up: Annotated[
        int | None, typer.Option("--warm-up", metavar="N", show_default=False, help="Launches before measuring.")
    ] = None,
    aic_metrics: Annotated[
        str,
        typer.Option(
            "--aic-metrics", metavar="LIST", show_default=False, help="Metric groups of msopprof, joined by commas."
        ),
    ] = "",
    replay_mode: Annotated[
        str | None,
        typer.Option("--replay-mode", metavar="MODE", show_default=False, help="kernel, application or range."),
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", show_default=False, help="Stop collecting after this time.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", metavar="DIR", show_default=False, help="Where the collected profile goes.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the command that would collect, and run nothing.")
    ] = False,
    audience: Annotated[
        Audience | None, typer.Option("--for", show_default=False, help="Only advice that this person can carry out.")
    ] = None,
    top: Annotated[
        int | None, typer.Option("--top", min=1, metavar="N", show_default=False, help="Only the first N pieces of advice.")
    ] = None,
) -> int:
    """Profile with msopprof, then say what to change first.

    TARGET may be a program (it is run under msopprof, on a device or in the simulator), a profile that exists, an
    ONNX model, or an msopprof --config JSON. Arguments of the program follow after `--`.

    Exit status: 0 judged, 3 the input cannot be read, 4 collecting failed, 5 the counters needed are not there.

    Examples:
      kb profile-and-advise ./my_operator
      kb profile-and-advise ./my_operator --kernel-name 'MatMul*' -- --m 1024 --n 2048
      kb profile-and-advise ./my_operator --mode simulator --soc Ascend910B2
      kb profile-and-advise --dry-run -- python3 infer.py
      kb profile-and-advise ./OPPROF_20260101120000_ABCDEF
    """
    from kb.engine import collect, pipeline

    options = collect.Options(
        target=tuple(target),
        mode=mode,  # type: ignore[arg-type]  (checked by Options)
        soc=soc or None,
        kernel_name=kernel_name or None,
        launch_count=launch_count,
        warm_up=warm_up,
        aic_metrics=tuple(name.strip() for name in aic_metrics.split(",") if name.strip()),
        replay_mode=replay_mode,  # type: ignore[arg-type]  (checked by Options)
        timeout_s=timeout,
        output=output,
    )
    if dry_run:
        emit(collect.render_plan(collect.plan(options, collect.look_around())))
        return 0
    say(common, f"profiling {' '.join(target)}") if common.verbose else None
    report = kept(common, pipeline.profile_and_advise(options, lang=common.lang))
    print_reports(common, [chosen(report, audience, top)])
    return 0
