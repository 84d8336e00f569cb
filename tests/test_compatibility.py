"""The same bytes whatever the locale, time zone and hash seed; the lowest versions are those declared; Windows-safe code."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from running import ROOT, SAMPLE, environment, needs_cli, needs_sample, tracked

from kb.commands.new import free_id
from kb.errors import UsageError
from kb.textfile import reserved

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MODEL = "data/samples/models/tiny_detector.onnx"
COMMANDS = (
    f"advise {SAMPLE}", f"advise {SAMPLE} --format json", f"advise {SAMPLE} --format html --lang zh",
    f"check {MODEL} --soc Ascend310P3 --format markdown", "search INT8 IMPROVED --format json", "list --kind tip --lang ja",
    "explain mte2-bound-vector-at-peak",
)  # fmt: skip
PLACES = (
    {"LC_ALL": "C"}, {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "LANGUAGE": "tr"}, {"LC_ALL": "de_DE.UTF-8", "TZ": "Europe/Berlin"},
    {"TZ": "Asia/Kathmandu"}, {"TZ": "America/St_Johns"}, {"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2", "TZ": "UTC"},
)  # fmt: skip
# Collecting drives a profiler that exists for Linux alone; everything else runs, or is guarded, elsewhere too.
POSIX_ONLY = ("kb/engine/collect/",)
GUARDED = ("hasattr(os,", "hasattr(signal,", "except ImportError", "getattr(signal,")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PIN = re.compile(r"^([A-Za-z0-9-]+)==([\w.]+)$", re.MULTILINE)
EXTRAS = PROJECT["optional-dependencies"]
LOWEST = {
    "lowest.txt": [*PROJECT["dependencies"], *EXTRAS["test"]],
    "lowest_extras.txt": [text for name in ("mcp", "serve", "browse", "cluster") for text in EXTRAS[name]],
}
NOT_PINNED = {
    "mypy",
    "ruff",
    "import-linter",
    "types-PyYAML",
}  # they look at the source, and run on the newest Python


# All commands in one process, each with a file as its standard output.
ALL = """
import os, sys
from kb.cli import main
for at, line in enumerate(sys.argv[2:]):
    into = os.open(os.path.join(sys.argv[1], str(at)), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(into, 1)
    os.close(into)
    assert main(line.split()) in (0, 1), line
    sys.stdout.flush()
"""


def answers(home: Path, place: dict[str, str]) -> dict[str, bytes]:
    """What the commands print there."""
    variables = {
        key: value for key, value in environment(home).items() if key not in ("PYTHONUTF8", "LC_ALL")
    } | place
    done = subprocess.run(
        [sys.executable, "-c", ALL, str(home), *COMMANDS], cwd=ROOT, env=variables, stdin=subprocess.DEVNULL, capture_output=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return {command: (home / str(at)).read_bytes() for at, command in enumerate(COMMANDS)}


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    found = answers(tmp_path_factory.mktemp("usual"), {"LC_ALL": "C.UTF-8"})
    assert all(found.values())
    return found


@needs_cli
@needs_sample
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_the_same_bytes_wherever_it_runs(
    place: dict[str, str], usual: dict[str, bytes], tmp_path: Path
) -> None:
    assert answers(tmp_path, place) == usual


def modules() -> dict[str, ast.Module]:
    paths = [path for path in tracked("kb") if path.endswith(".py")]
    return {path: ast.parse((ROOT / path).read_text(encoding="utf-8")) for path in paths}


def test_no_code_asks_for_the_locale_or_the_zone() -> None:
    for path, tree in modules().items():
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert "locale" not in names, path
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in (
                    "time.localtime",
                    "time.ctime",
                    "datetime.utcnow",
                    "locale.setlocale",
                ), path
                if called in (
                    "datetime.now",
                    "datetime.fromtimestamp",
                ):  # a folder's name may follow the clock on the wall
                    assert len(node.args) + len(node.keywords) > (
                        called != "datetime.now"
                    ) or path.startswith(POSIX_ONLY), path


def test_text_files_are_read_and_written_with_a_named_encoding() -> None:
    for path, tree in modules().items():
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            words = {word.arg for word in node.keywords}
            if node.func.attr in ("read_text", "write_text"):
                owner = ast.unparse(node.func.value)
                assert "encoding" in words or owner in ("textfile", "self", "formatter"), (
                    f"{path}:{node.lineno}"
                )
            if node.func.attr == "open" and ast.unparse(node.func.value) not in (
                "os",
                "webbrowser",
                "archive",
                "gzip",
                "tarfile",
            ):
                mode = ast.unparse(node.args[0]) if node.args else "'r'"
                assert "b" in mode or "encoding" in words, f"{path}:{node.lineno}"


def test_what_only_posix_has_is_guarded_outside_the_collector() -> None:
    odd = re.compile(
        r"\b(?:os\.(?:killpg|getuid|geteuid|fork|setsid|getpgid)|fcntl\.|signal\.(?:SIGHUP|SIGALRM|SIGKILL|setitimer))"
    )
    for path in modules():
        text = (ROOT / path).read_text(encoding="utf-8")
        if odd.search(text) and not path.startswith(POSIX_ONLY):
            assert any(guard in text for guard in GUARDED), path


def test_names_that_windows_keeps_for_devices_are_no_ids() -> None:
    assert all(reserved(name) for name in ("con", "NUL.txt", "Com1", "aux.tar.gz", "lpt9 "))
    assert not any(reserved(name) for name in ("conv", "com10", "console.md", "a.con"))
    with pytest.raises(UsageError, match="device"):
        free_id("aux")


def test_no_file_of_the_tree_has_a_name_that_windows_refuses() -> None:
    for path in tracked():
        assert not any(
            reserved(part) or part.endswith((".", " ")) or set(part) & set('<>:"|?*\\')
            for part in path.split("/")
        ), path


@pytest.mark.parametrize("file", LOWEST)
def test_the_lowest_versions_are_those_declared(file: str) -> None:
    pins = dict(PIN.findall((ROOT / "constraints" / file).read_text(encoding="utf-8").partition("\n\n")[0]))
    declared = {}
    for text in LOWEST[file]:
        name, _, rest = re.split(r"(?=[\[>=<; ])", text, maxsplit=1)[0], "", text
        lowest = re.search(r">=\s*([\w.]+)", rest)
        if name not in NOT_PINNED and lowest:
            declared[name] = lowest[1]
    assert set(pins) == set(declared)

    def parts(version: str) -> list[int]:
        numbers = [int(part) for part in version.split(".")]
        return numbers + [0] * (3 - len(numbers))

    for name, version in declared.items():
        assert parts(pins[name])[: len(version.split("."))] == parts(version)[: len(version.split("."))], name
