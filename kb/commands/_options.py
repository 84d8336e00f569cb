"""Options declared once: those that every command has, and those that several share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from kb.commands._console import Common, common

COMMON_PANEL = "Common options"


class Audience(str, Enum):
    """Who can carry out an advice, as users say it."""

    kernel = "kernel"
    model = "model"
    deployment = "deployment"


def soc(*, help: str) -> Any:
    """`--soc`; `help` says what the command needs the chip for."""
    return typer.Option("--soc", metavar="SOC", show_default=False, help=help)


def output(*, help: str) -> Any:
    """`--output FILE`; `help` says what may be written there."""
    return typer.Option("--output", "-o", metavar="FILE", show_default=False, help=help)


ReportFile = Annotated[
    Path | None,
    output(
        help="Write here; the ending (.html, .md, .json, .jsonl, .txt) says which format; - is standard output."
    ),
]
For = Annotated[
    Audience | None,
    typer.Option("--for", show_default=False, help="Only advice that this person can carry out."),
]
Top = Annotated[
    int | None,
    typer.Option("--top", min=1, metavar="N", show_default=False, help="Only the first N pieces of advice."),
]
Shape = Annotated[
    str,
    typer.Option(
        "--shape",
        metavar="SHAPE",
        show_default=False,
        help="Shape the kernel was given: 1024x2048, (8,1024), or M=1 N=4096 K=4096.",
    ),
]
Uncalibrated = Annotated[
    bool, typer.Option("--uncalibrated", help="Leave out a kept calibration (kb estimate --calibrate).")
]
InputShapes = Annotated[
    list[str] | None,
    typer.Option(
        "--input-shape", metavar="NAME:DIMS", show_default=False,
        help="Size of a model's input, such as images:1,3,640,640; may be given several times.",
    ),
]  # fmt: skip

_OPTIONS: dict[str, tuple[Any, Any]] = {
    "lang": (
        Annotated[
            str,
            typer.Option(
                "--lang", metavar="LANG", rich_help_panel=COMMON_PANEL, show_default=False,
                help="Language of the answer: en, zh or ja (default: KB_LANG, else en).",
            ),
        ],
        "",
    ),
    "quiet": (
        Annotated[
            bool, typer.Option("--quiet", "-q", rich_help_panel=COMMON_PANEL, help="Nothing on stderr but errors.")
        ],
        False,
    ),
    "verbose": (
        Annotated[
            bool, typer.Option("--verbose", "-v", rich_help_panel=COMMON_PANEL, help="Say on stderr what is being done.")
        ],
        False,
    ),
    "db": (
        Annotated[
            str,
            typer.Option(
                "--db", metavar="FILE|URL", rich_help_panel=COMMON_PANEL, show_default=False,
                help="Run store: a file, or a team's postgresql://… (default: KB_DB, else kb/kb.db in your data folder).",
            ),
        ],
        "",
    ),
    "debug": (
        Annotated[
            bool, typer.Option("--debug", rich_help_panel=COMMON_PANEL, help="Show the traceback of an error.")
        ],
        False,
    ),
}  # fmt: skip


def _format(formats: Sequence[str]) -> tuple[Any, Any]:
    names = " or ".join(filter(None, (", ".join(formats[:-1]), formats[-1])))
    option = typer.Option(
        "--format", "-f", metavar="FORMAT", rich_help_panel=COMMON_PANEL, show_default=False,
        help=f"{names} (default: KB_FORMAT, else {formats[0]}).",
    )  # fmt: skip
    return Annotated[str, option], ""


def with_common(function: Callable[..., int], formats: Sequence[str]) -> Callable[..., int]:
    """The function as a Typer command: its first parameter, a `Common`, is made from the common options."""
    options = {"format": _format(formats), **_OPTIONS}
    # Not typing.get_type_hints: before Python 3.11 it hides Annotated inside Optional where the default is None.
    hints = inspect.get_annotations(function, eval_str=True)
    _, *own = inspect.signature(function).parameters.values()
    parameters = [parameter.replace(annotation=hints[parameter.name]) for parameter in own]
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in options.items()
    ]

    def command(**given: Any) -> int:
        given.pop("debug")  # read by kb.cli
        mine: Common = common(
            formats=formats, **{name: given.pop(name) for name in options if name != "debug"}
        )
        return function(mine, **given)

    command.__doc__ = function.__doc__
    command.__name__ = function.__name__
    command.__signature__ = inspect.Signature([*parameters, *shared])  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in (*parameters, *shared)}
    return command
