"""The command line as data: every command with its options and examples, read from the application itself."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer

from kb.commands import _app, search
from kb.commands._options import COMMON_PANEL

COMPLETION = {
    "--install-completion": "Install completion for the shell you are in (bash, zsh, fish, PowerShell).",
    "--show-completion": "Print that completion, to put it where you like.",
}
EXAMPLES = "Examples:\n"
STATUS = re.compile(r"Exit status: (.+?)(?:\n\n|\Z)", re.DOTALL)
# A pipe into the command and variables before it belong to the shell.
SHELL = re.compile(r"^(?:[A-Z_]+=\S+ |\w+ \| )*kb ")


@dataclass(frozen=True)
class Command:
    """A command: `line` as typed, `options` and `arguments` as (names, meaning), `examples` as (line, remark)."""

    line: str
    panel: str
    text: str
    usage: str
    arguments: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, str], ...]
    common: tuple[tuple[str, str], ...]
    examples: tuple[tuple[str, str], ...]
    status: str
    group: bool = False

    @property
    def summary(self) -> str:
        """Its first sentence, without the full stop."""
        return " ".join(self.text.split("\n\n")[0].split()).rstrip(".")


def commands() -> list[Command]:
    """`kb` itself and every command, in the order of `kb --help`."""
    root: Any = typer.main.get_command(_app.build())
    panels = {name: getattr(command, "rich_help_panel", "") for name, command in root.commands.items()}
    names = sorted(root.commands, key=lambda name: (_app.PANELS.index(panels[name]), _order(name)))
    found = [_read("kb", "", root)]
    for name in names:
        command = root.commands[name]
        if name == "search":
            found.append(_of_parser(panels[name]))
            continue
        found.append(_read(f"kb {name}", panels[name], command))
        inner = getattr(command, "commands", {})
        found += [_read(f"kb {name} {own}", panels[name], inner[own]) for own in inner]
    return found


def _order(name: str) -> int:
    return next(int(module.ORDER) for module in _app._modules("") if _app.name_of(module) == name)


def _read(line: str, panel: str, command: Any) -> Command:
    context = command.make_context(line, [], resilient_parsing=True)
    told: dict[str, list[tuple[str, str]]] = {"arguments": [], "own": [], COMMON_PANEL: []}
    for param in command.get_params(context):
        if param.param_type_name == "argument":
            told["arguments"].append((param.metavar or str(param.name).upper(), param.help or ""))
            continue
        shared = getattr(param, "rich_help_panel", None) == COMMON_PANEL
        record = param.get_help_record(context)
        if record is not None and not {"--help", *COMPLETION} & set(param.opts):
            told[COMMON_PANEL if shared else "own"].append(_option(record))
    if line == "kb":
        told["own"] += COMPLETION.items()
    text, examples, status = _parts(command.help or "")
    group = bool(getattr(command, "commands", None))
    usage = f"{line} [OPTIONS] COMMAND [ARGS]..." if group else " ".join(
        [line, "[OPTIONS]", *(name for name, _ in told["arguments"])]
    )  # fmt: skip
    return Command(
        line, panel, text, usage, tuple(told["arguments"]), tuple(told["own"]), tuple(told[COMMON_PANEL]),
        examples, status, group,
    )  # fmt: skip


def _option(record: tuple[str, str]) -> tuple[str, str]:
    """Names and meaning of an option, without what every release of the parser writes its own way."""
    names = re.sub(r"[<\[]([\w.-]+(?:\|[\w.-]+)+)[>\]]", r"\1", record[0])
    meaning = " ".join(record[1].split())
    default = re.search(r"default: ([^;\]]+)", meaning)
    plain = re.sub(r"\s*\\?\[[^\]]*(?:default:|<=|>=|required)[^\]]*\]$", "", meaning)
    told = default and "(default:" not in plain
    return names, f"{plain} Default: {default[1]}." if default and told else plain


def _of_parser(panel: str) -> Command:
    """`kb search`, which is parsed by argparse."""
    parser = search._parser()
    told: dict[str, list[tuple[str, str]]] = {"positional arguments": [], "Options": [], "Common options": []}
    for group in parser._action_groups:
        for action in group._group_actions:
            names = ", ".join(action.option_strings) or str(action.metavar or action.dest)
            takes = f" {action.metavar}" if action.option_strings and action.metavar else ""
            if "--help" not in action.option_strings and action.help != argparse.SUPPRESS:
                told.setdefault(str(group.title), []).append((names + takes, str(action.help)))
    _, examples, status = _parts("\n\n" + search._EXAMPLES)
    return Command(
        "kb search", panel, str(search.__doc__), "kb search [OPTIONS] QUERY...", tuple(told["positional arguments"]),
        tuple(told["Options"]), tuple(told["Common options"]), examples, status,
    )  # fmt: skip


def _parts(text: str) -> tuple[str, tuple[tuple[str, str], ...], str]:
    """Description, examples, and what the exit statuses mean."""
    status = STATUS.search(text)
    rest = STATUS.sub("", text) if status else text
    about, _, examples = rest.partition(EXAMPLES)
    return about.strip(), tuple(_examples(examples)), " ".join(status[1].split()) if status else ""


def _examples(text: str) -> Iterator[tuple[str, str]]:
    """Each example with the remark that stands behind several blanks."""
    for line in text.splitlines():
        if SHELL.match(line.strip()):
            example, _, remark = re.sub(r" {2,}", "\t", line.strip()).partition("\t")
            yield example, remark
