"""docs/cli.md and docs/man/kb.1: every command, from the application itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kb import shipped
from kb.commands._app import PANELS
from tools.cli_reference import Command, commands

STATUSES = (
    ("0", "done; that nothing was found is also an answer"),
    ("1", "what was asked for does not hold: a regression, a fallback, a fault of an entry"),
    ("2", "wrong usage: an option, a value, an id that does not exist"),
    ("3", "the input cannot be read"),
    ("4", "collecting failed"),
    ("5", "nothing to judge: readable, but the counters needed are not there"),
    ("70", "a fault of kb itself; `--debug` shows where"),
    ("74", "the answer could not be written, as on a full disk"),
    ("130", "interrupted (Ctrl-C)"),
    ("141", "the reader of a pipe went away, as `head` does"),
)
HEAD = """\
# Commands

Printed from the application by `make docs`; `kb COMMAND --help` prints the same for one command, and the wheel carries it as
a manual page (`man kb`, where `man` looks into the environment's `share/man`).

Options stand anywhere behind the command; what follows `--` belongs to the program that is profiled. Variables and the
configuration file: [Settings](configuration.md).
"""
ENVIRONMENT = (
    ("KB_SOC, KB_LANG, KB_FORMAT, KB_DB, KB_DATA, KB_INDEX, KB_PLUGINS", "settings, see kb config list"),
    ("KB_CONFIG", "the configuration file"),
    ("KB_MODEL, KB_SEMANTIC", "the search model"),
    ("NO_COLOR, FORCE_COLOR, COLUMNS", "colour and width of what is printed for people"),
)


def cli_page() -> str:
    """docs/cli.md."""
    found = commands()
    lines = [HEAD, *_overview(found), "## Common options", "", *_options(_common(found)), ""]
    lines += ["## Exit statuses", "", "| status | means |", "|---:|---|"]
    lines += [f"| {status} | {meaning} |" for status, meaning in STATUSES]
    for command in found:
        lines += ["", *_section(command)]
    return "\n".join(lines) + "\n"


def _common(found: Iterable[Command]) -> tuple[tuple[str, str], ...]:
    return next(command.common for command in found if command.line == "kb advise")


def _overview(found: Iterable[Command]) -> Iterator[str]:
    listed = [command for command in found if command.panel and command.line.count(" ") == 1]
    for panel in PANELS:
        yield from (f"**{panel}**: " + " · ".join(_link(c) for c in listed if c.panel == panel), "")


def _link(command: Command) -> str:
    return f"[{command.line}](#{command.line.replace(' ', '-')})"


def _section(command: Command) -> Iterator[str]:
    yield from (f"## {command.line}", "", f"Usage: `{command.usage}`", "")
    yield from _paragraphs(command.text)
    if command.arguments:
        yield from ("| argument | is |", "|---|---|", *(_row(*told) for told in command.arguments), "")
    if command.options:
        yield from (*_options(command.options), "")
    formats = next((meaning for names, meaning in command.common if "--format" in names), "")
    if formats and not command.group:
        yield from (f"`--format`: {_cell(formats)}", "")
    if command.status:
        yield from (f"Exit status: {command.status}", "")
    yield from ("```sh example", *(_example(*told) for told in command.examples), "```")


def _example(line: str, remark: str) -> str:
    return f"{line}  # {remark}" if remark else line


def _paragraphs(text: str) -> Iterator[str]:
    for part in re.split(r"\n\n+", text):
        yield from (" ".join(part.split()).replace("<", "&lt;"), "")


def _options(options: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield from ("| option | does |", "|---|---|", *(_row(*told) for told in options))


def _row(names: str, meaning: str) -> str:
    return f"| `{names.replace('|', chr(92) + '|')}` | {_cell(meaning)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|").replace("<", "&lt;")


def manual() -> str:
    """docs/man/kb.1, in the macros of man(7)."""
    found = commands()
    root = found[0]
    lines = [f'.TH KB 1 "" "kb, knowledge {shipped.version()}" "User Commands"', ".SH NAME"]
    lines += ["kb \\- what slows an Ascend NPU kernel down, and what to change first"]
    lines += [
        ".SH SYNOPSIS",
        ".B kb",
        "[\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGS\\fR]...",
        ".SH DESCRIPTION",
    ]
    lines += [*_roff_paragraphs(root.text), *_roff_options((*root.options, *_common(found)))]
    for panel in PANELS:
        lines.append(f".SH {panel.upper()}")
        for command in found:
            if command.panel == panel and not command.group:
                lines += _manual_section(command)
    lines += [".SH EXIT STATUS", *_roff_options(STATUSES), ".SH ENVIRONMENT", *_roff_options(ENVIRONMENT)]
    lines += [
        ".SH FILES",
        *_roff_options((("~/.config/kb/config.toml", "the configuration file, see kb config path"),)),
    ]
    return "\n".join(lines) + "\n"


def _manual_section(command: Command) -> Iterator[str]:
    yield f".SS {_roff(command.usage)}"
    yield from _roff_paragraphs(command.text)
    yield from _roff_options((*command.arguments, *command.options))
    if command.status:
        yield from (".PP", _roff(f"Exit status: {command.status}"))
    yield from (".PP", "Examples:", ".PP", ".nf", ".RS 2")
    yield from (_roff(_example(*told)) for told in command.examples)
    yield from (".RE", ".fi")


def _roff_paragraphs(text: str) -> Iterator[str]:
    for part in re.split(r"\n\n+", text):
        yield from (".PP", _roff(" ".join(part.split())))


def _roff_options(options: Iterable[tuple[str, str]]) -> Iterator[str]:
    for names, meaning in options:
        yield from (".TP", f".B {_roff(names)}", _roff(" ".join(meaning.split()).replace("`", "")))


def _roff(text: str) -> str:
    """Text that roff prints as it stands: no escapes, no request at the start of a line."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
