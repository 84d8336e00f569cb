"""The reference of commands tells of every command and option, its examples parse, and completion works."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from running import ROOT, environment

from kb.cli import main
from kb.commands import _app, search
from tools.cli_reference import Command, commands

FOUND = commands()
EXAMPLES = [line for command in FOUND for line, _ in command.examples]
PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
MANUAL = (ROOT / "docs" / "man" / "kb.1").read_text(encoding="utf-8")


@cache
def whole() -> Any:
    """`kb` with all its commands."""
    return typer.main.get_command(_app.build())


def arguments(line: str) -> list[str]:
    """What `kb` gets: without variables and the pipe before it, and without where its output goes."""
    words = shlex.split(line)
    words = words[words.index("kb") + 1 :]
    return words[: next((at for at, word in enumerate(words) if word in (">", "|")), len(words))]


@pytest.mark.parametrize("command", FOUND, ids=lambda command: command.line)
def test_a_command_has_examples_of_its_own(command: Command) -> None:
    assert any(command.line in line for line, _ in command.examples)


@pytest.mark.parametrize("line", sorted(set(EXAMPLES)))
def test_an_example_parses(line: str) -> None:
    """Every option and number of arguments is one that the command takes; nothing is run."""
    words = arguments(line)
    if words[0] == "search":
        search._parser().parse_args(words[1:])
        return
    command = whole()
    context = command.make_context("kb", [], resilient_parsing=True)
    while getattr(command, "commands", None):
        name, command, words = command.resolve_command(context, words)
        group = bool(getattr(command, "commands", None))
        context = command.make_context(
            name, [] if group else list(words), parent=context, resilient_parsing=group
        )


def test_a_wrong_example_would_not_parse() -> None:
    with pytest.raises(Exception, match="No such option"):
        test_an_example_parses("kb list --knd pattern")


@pytest.mark.parametrize("command", FOUND, ids=lambda command: command.line)
def test_help_and_reference_name_the_same_options(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command.line.split()[1:], "--help"]) == 0
    printed = capsys.readouterr().out
    named = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", printed.split("Examples:")[0])) - {"--help", "--debug"}
    if command.group:
        named = {name for name in named if name in ("--version", "--install-completion", "--show-completion")}
    section = PAGE.partition(f"\n## {command.line}\n")[2].partition("\n## ")[0]
    shared = PAGE.partition("## Common options")[2].partition("\n## ")[0]
    assert sorted(name for name in named if name not in section + shared) == []


def test_the_manual_names_every_command_and_status() -> None:
    plain = MANUAL.replace("\\-", "-")
    for command in FOUND[1:]:
        assert command.group or f".SS {command.line} " in plain
    for status in ("74", "130", "141"):
        assert f".B {status}\n" in plain


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_manual_is_free_of_faults() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-rF0", "-k", str(ROOT / "docs" / "man" / "kb.1")],
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "kb profile-and-advise [OPTIONS] TARGET" in re.sub(r"\x1b\[[\d;]*m|.\x08", "", done.stdout)


@pytest.mark.parametrize(("shell", "mark"), [("bash", "COMPREPLY"), ("zsh", "compdef"), ("fish", "complete")])
def test_completion_is_printed_for_a_shell(shell: str, mark: str, tmp_path: Path) -> None:
    env = environment(tmp_path) | {"_KB_COMPLETE": f"source_{shell}"}
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from kb.cli import main; sys.argv[0] = 'kb'; sys.exit(main())"],
        cwd=tmp_path, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert mark in done.stdout and "_KB_COMPLETE" in done.stdout


def test_completion_completes_commands_and_options(tmp_path: Path) -> None:
    assert completed("kb prof", tmp_path) == ["profile-and-advise"]
    assert completed("kb runs ex", tmp_path) == ["export"]
    assert completed("kb compare --fail", tmp_path) == ["--fail-on-regression"]


def completed(line: str, home: Path) -> list[str]:
    """What bash is offered behind the line."""
    env = environment(home) | {
        "_KB_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from kb.cli import main; sys.argv[0] = 'kb'; sys.exit(main())"],
        cwd=home, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()
