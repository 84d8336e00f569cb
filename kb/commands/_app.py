"""The Typer application, put together from the command modules when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import kb.commands
from kb import settings
from kb.commands._console import PAGE_FORMATS
from kb.commands._options import COMMON_PANEL, with_common

INTERRUPTED = 130
PANELS = ("Main job", "Knowledge base", "Runs", "Upkeep")


def run(args: list[str]) -> int:
    """Run one command line and return its exit status; errors are left to the caller."""
    if not args:
        args = ["--help"]
    try:
        result = build(args[0])(args=args, prog_name="kb", standalone_mode=False)
    finally:
        settings.prefer("db", "")  # an option holds for its command
    if result == INTERRUPTED:  # typer swallows Ctrl-C
        raise KeyboardInterrupt
    return result if isinstance(result, int) else 0


def build(wanted: str = "") -> typer.Typer:
    """The application; with the name of a command in `wanted` only that one is loaded, for `--version` none."""
    app = typer.Typer(name="kb", cls=_Root, rich_markup_mode=None, help=_HELP, invoke_without_command=False)
    app.callback()(_root)
    found = {name_of(module): module for module in _modules(wanted)}
    for name, module in sorted(found.items(), key=lambda item: (PANELS.index(item[1].PANEL), item[1].ORDER)):
        _add(app, name, module)
    return app


_HELP = """Find out what bounds an operator or model on an Ascend NPU, and what to change first.

Give it a profile (or a program to profile) and it says what bounds each operator, how much time is at stake, and which
change to make, with the evidence, the expected gain, when not to do it, and how to check that it helped. Everything
runs offline.

Exit status: 0 done (an answer of "nothing fits" is an answer), 1 what was asked for does not hold, 2 wrong usage or an
unknown id, 3 an input cannot be read, 4 collecting failed, 5 nothing in it can be judged. The help of each command says
which of these it ends with; 2 is common to all.

Examples:
  kb advise ./OPPROF_20260101120000_ABCDEF     what bounds this kernel, and what to do
  kb profile-and-advise ./my_operator          collect the counters first, then the same
  kb search "NMS CPU fallback"                 ask the knowledge base
"""


def _print_version(wanted: bool) -> None:
    """Print the versions of the distribution and of the knowledge, and stop."""
    if not wanted:
        return
    from importlib.metadata import PackageNotFoundError, version

    from kb import shipped

    try:
        own = version("ascend-kb")
    except PackageNotFoundError:
        own = "(a checkout that is not installed)"
    typer.echo(f"kb {own}, knowledge {shipped.version()}")
    raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the versions of kb and of its knowledge, and stop.",
        ),
    ] = False,
) -> None:
    """Options of `kb` itself."""


def _modules(wanted: str) -> Iterator[ModuleType]:
    if wanted == "--version":
        return
    names = [found.name for found in iter_modules(kb.commands.__path__) if not found.name.startswith("_")]
    chosen = wanted.replace("-", "_")
    for name in [chosen] if chosen in names else names:
        yield import_module(f"kb.commands.{name}")


def name_of(module: ModuleType) -> str:
    """What the command of a module is called."""
    return module.__name__.rpartition(".")[2].replace("_", "-")


def _add(app: typer.Typer, name: str, module: ModuleType) -> None:
    formats = getattr(module, "FORMATS", PAGE_FORMATS)
    if hasattr(module, "COMMANDS"):
        group = typer.Typer(name=name, cls=_Group, rich_markup_mode=None, help=module.__doc__)
        for inner, function in module.COMMANDS.items():
            own = getattr(module, "FORMATS_OF", {}).get(inner, formats)
            group.command(inner, cls=_Command)(with_common(function, own))
        app.add_typer(group, rich_help_panel=module.PANEL)
    elif hasattr(module, "run"):
        app.command(name, cls=_Command, rich_help_panel=module.PANEL)(with_common(module.run, formats))
    else:
        app.command(
            name, help=module.__doc__, rich_help_panel=module.PANEL, add_help_option=False,
            context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
        )(_passed_on(module.main))  # fmt: skip


def _passed_on(main: Callable[[list[str]], int]) -> Callable[[typer.Context], int]:
    """A command that parses its own arguments."""

    def command(context: typer.Context) -> int:
        return main(list(context.args))

    return command


def _help_text(command: Any, formatter: Any) -> None:
    """The docstring: paragraphs wrapped, what follows "Examples:" as it stands."""
    text, _, examples = (command.help or "").partition("\nExamples:\n")
    if text.strip():
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text.strip())
    if examples.strip():
        with formatter.section("Examples"):
            for line in examples.rstrip().splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{line.strip()}\n")


def _options(command: Any, ctx: Any, formatter: Any) -> None:
    """Arguments, own options and the options that all commands share, in that order."""
    groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], COMMON_PANEL: []}
    for param in command.get_params(ctx):
        if param.param_type_name == "argument":
            groups["Arguments"].append((param.metavar or param.name.upper(), param.help or ""))
            continue
        record = param.get_help_record(ctx)
        if record is not None:
            panel = getattr(param, "rich_help_panel", None)
            groups[panel if panel in groups else "Options"].append(record)
    for title, records in groups.items():
        if records:
            with formatter.section(title):
                formatter.write_dl(records)


def _first_sentence(text: str) -> str:
    return " ".join(text.strip().split("\n\n")[0].split()).rstrip(".")


class _Command(TyperCommand):
    """A command whose help is written plainly."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = (param for param in self.get_params(ctx) if param.param_type_name == "argument")
        return [
            "[OPTIONS]",
            *(getattr(param, "metavar", None) or str(param.name).upper() for param in arguments),
        ]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        _help_text(self, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _options(self, ctx, formatter)


class _Group(TyperGroup):
    """A command with commands of its own."""

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        _help_text(self, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        self.format_commands(ctx, formatter)
        _options(self, ctx, formatter)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return list(self.commands)


class _Root(_Group):
    """`kb` itself: its commands stand under headings, in the order of use."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        listed = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        longest = max(len(name) for name, _ in listed)
        for panel in PANELS:
            rows = [
                (f"{name:<{longest}}", _first_sentence(command.help or ""))
                for name, command in listed
                if command is not None and getattr(command, "rich_help_panel", None) == panel
            ]
            if rows:
                with formatter.section(panel):
                    formatter.write_dl(rows)
