"""The documentation is true: its examples run, its links lead somewhere, its tables name what exists.

In a fenced block `sh` every line that starts with `kb ` is run, one after another in a folder with a copy of the
samples; `# exit N` behind it says which status it ends with. Lines of a block `sh device` need an NPU: only their
command and options are checked. Those of `sh example` come from the commands' help; `tests/test_cli_reference.py` parses them. In a block `console` the lines after `$ kb ...` are what it prints (where it prints nothing, what it says on stderr);
`...` stands for any lines, and at the end of a line for its rest. Blocks `python` are run.
"""

from __future__ import annotations

import json
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import takewhile
from pathlib import Path
from typing import get_args

import pytest
from report_samples import COMPUTED
from running import ROOT, SAMPLE, environment, needs_cli, needs_sample, run_kb, tracked

from kb.model import Finding, Recommendation, Report
from kb.plugins import Group
from kb.schema import DOCUMENTS

PAGES = [path for path in tracked() if path.endswith(".md") and not path.startswith(("data/", "tests/"))]
EXIT = re.compile(r"\s+# exit (\d+)$")


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Call:
    """One `kb` command of a page; `prints` are the lines a console block shows."""

    where: str
    line: str
    status: int
    prints: tuple[str, ...] = ()

    @property
    def arguments(self) -> list[str]:
        return shlex.split(self.line, comments=True)[1:]


def blocks() -> Iterator[Block]:
    for page in PAGES:
        language, start, inside = "", 0, []
        for number, line in enumerate((ROOT / page).read_text(encoding="utf-8").splitlines(), 1):
            if not line.startswith("```"):
                inside.append(line)
            elif start:
                yield Block(page, start, language, "\n".join(inside))
                start = 0
            else:
                language, start, inside = line[3:].strip(), number, []
        assert not start, f"{page}:{start}: the block is not closed"


def commands(block: Block) -> Iterator[Call]:
    """The `kb` commands of a block; a backslash at a line's end joins it with the next."""
    console = block.language == "console"
    lines = block.text.replace("\\\n", " ").split("\n")
    for at, whole in enumerate(lines):
        if not whole.startswith("$ kb " if console else "kb "):
            continue
        line = whole.removeprefix("$ ")
        end = EXIT.search(line)
        prints = tuple(takewhile(lambda text: not text.startswith("$ "), lines[at + 1 :])) if console else ()
        yield Call(f"{block}: {line}", EXIT.sub("", line), int(end[1]) if end else 0, prints)


BLOCKS = list(blocks())
RUN = {
    str(block): calls
    for block in BLOCKS
    if block.language in ("sh", "console") and (calls := list(commands(block)))
}
DEVICE = [call for block in BLOCKS if block.language == "sh device" for call in commands(block)]
PYTHON = [block for block in BLOCKS if block.language == "python"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the samples where the pages say that they are."""
    if (ROOT / "data" / "samples").is_dir():
        shutil.copytree(ROOT / "data" / "samples", tmp_path / "data" / "samples")
    return tmp_path


def test_there_is_something_to_check() -> None:
    assert {"README.md", "CONTRIBUTING.md", "docs/index.md", "docs/json.md"} <= set(PAGES)
    assert sum(map(len, RUN.values())) >= 6
    assert len(PYTHON) >= 1


def test_no_command_hides_in_another_kind_of_block() -> None:
    checked = {"sh", "sh device", "sh example", "console"}
    hidden = [
        str(b) for b in BLOCKS if b.language not in checked and re.search(r"^(\$ )?kb ", b.text, re.MULTILINE)
    ]
    assert hidden == []


def test_known_kinds_of_blocks_only() -> None:
    known = {
        "sh",
        "sh device",
        "sh example",
        "console",
        "python",
        "json",
        "text",
        "mermaid",
        "yaml",
        "markdown",
        "",
    }
    known |= {"python file", "yaml file"}  # written into a copy and tried by tests/test_adding.py
    assert [f"{block}: {block.language!r}" for block in BLOCKS if block.language not in known] == []


@needs_cli
@needs_sample
@pytest.mark.parametrize("block", RUN)
def test_the_commands_of_a_block_do_what_the_page_says(block: str, place: Path) -> None:
    """One after another in one folder, as a reader would run them; those of the front page start Python each time."""
    cold = block.startswith("README.md:")
    for call in RUN[block]:
        done = run_kb(*call.arguments, home=place, cwd=place, cold=cold)
        assert done.returncode == call.status, f"{call.where}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        if call.prints:
            told = done.stdout or done.stderr
            assert re.fullmatch(expected(call.prints), told.strip("\n"), re.DOTALL), told


def expected(lines: tuple[str, ...]) -> str:
    """The shown lines as a pattern; a line `...` stands for any number of lines."""
    shown = "\n".join(lines).strip("\n").split("\n")
    return r"\n".join(map(_pattern, shown))


def _pattern(line: str) -> str:
    if line.strip() == "...":
        return r"(?:[^\n]*\n)*?[^\n]*"
    return r"[^\n]*".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ ]*"


@needs_cli
@pytest.mark.parametrize("call", DEVICE, ids=lambda call: call.where)
def test_a_command_for_a_device_names_options_that_exist(call: Call, tmp_path: Path) -> None:
    own = call.arguments[: call.arguments.index("--")] if "--" in call.arguments else call.arguments
    words = [word for word in own[:2] if not word.startswith("-")]  # of a group: the command in it
    told = run_kb(*words, "--help", home=tmp_path)
    assert told.returncode == 0, told.stderr
    options = [word.partition("=")[0] for word in own if word.startswith("-")]
    assert [
        option for option in options if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", told.stdout)
    ] == []


@needs_cli
@needs_sample
@pytest.mark.parametrize("block", PYTHON, ids=str)
def test_a_library_example_runs(block: Block, place: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", block.text], cwd=place, env=environment(place),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.language == "json"], ids=str)
def test_a_json_example_is_json(block: Block) -> None:
    json.loads(block.text)


@pytest.mark.parametrize(
    ("prefix", "kind"), [("", Report), ("findings[].", Finding), ("recommendations[].", Recommendation)]
)
def test_every_member_of_a_report_is_described(prefix: str, kind: type) -> None:
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    section = text.partition("## kb.report/1\n")[2].partition("\n## ")[0]
    rows = [row.removesuffix("[]") for row in re.findall(r"^\| `([^`]+)`", section, re.MULTILINE)]
    below = [row.removeprefix(prefix) for row in rows if row.startswith(prefix)]
    computed = COMPUTED if kind is Report else frozenset()
    named = sorted(name for name in below if "." not in name and name not in computed)
    assert named == sorted(field.name for field in fields(kind))
    assert computed <= set(below)


def described(schema: str) -> set[str]:
    """Top-level members that docs/json.md lists for a document."""
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    section = text.partition(f"## {schema}\n")[2].partition("\n## ")[0]
    return {row.removesuffix("[]") for row in re.findall(r"^\| `([\w\[\]]+)`", section, re.MULTILINE)}


def optional(schema: str) -> set[str]:
    """Top-level members that a document may lack."""
    told = DOCUMENTS[schema].schema(schema)
    return set(told["properties"]) - set(told["required"])


def test_every_kind_of_document_has_a_section() -> None:
    code = "".join(
        (ROOT / path).read_text(encoding="utf-8") for path in tracked("kb") if path.endswith(".py")
    )
    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    assert (
        sorted(
            set(re.findall(r'"(kb\.[a-z-]+/\d+)"', code)) - set(re.findall(r"^## (\S+)", text, re.MULTILINE))
        )
        == []
    )


@needs_cli
@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ("kb.search/1", ["search", "NMS CPU fallback"]),
        ("kb.list/1", ["list", "--kind", "pattern"]),
        ("kb.explain/1", ["explain", "scalar-bound-vector"]),
        ("kb.runs/1", ["runs", "list"]),
        ("kb.validate/1", ["validate"]),
        ("kb.doctor/1", ["doctor"]),
        ("kb.index/1", ["index"]),
    ],
)
def test_a_document_has_the_members_described(schema: str, arguments: list[str], tmp_path: Path) -> None:
    done = run_kb(*arguments, "--format", "json", home=tmp_path)
    document = json.loads(done.stdout)
    assert document.pop("schema") == schema
    assert set(document) <= described(schema)
    assert described(schema) - set(document) <= optional(schema)


@needs_cli
@needs_sample
def test_a_report_has_the_members_described(place: Path) -> None:
    document = json.loads(run_kb("advise", SAMPLE, "--format", "json", home=place, cwd=place).stdout)
    assert document.pop("schema") == "kb.report/1"
    assert set(document) <= described("kb.report/1")
    assert document["recommendations"] and document["findings"]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_something(page: str) -> None:
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        file = (ROOT / page).parent / path if path else ROOT / page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert broken == []


def anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES)
def test_files_named_in_a_page_exist(page: str) -> None:
    """A path of this repository in backticks; `<id>` and the like stand for a name and are passed over."""
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:kb|data|docs|tests|tools|scripts|\.ci)/[\w./-]+)`", text)
    made = {"data/index.db", *re.findall(r"^`([\w/.-]+)`[^\n]*:\n\n```\w+ file$", text, re.MULTILINE)}
    assert [path for path in named if not (ROOT / path).exists() and path not in made] == []


FILES = ("kb.db", "kb.1", "kb.data")  # files, and the folder that is a package only where kb is installed


@pytest.mark.parametrize("page", PAGES)
def test_modules_and_their_members_named_in_a_page_exist(page: str) -> None:
    named = set(re.findall(r"`(kb(?:\.\w+)+)(?:\(\))?`", (ROOT / page).read_text(encoding="utf-8")))
    assert sorted(name for name in named - {*FILES, *get_args(Group)} if not _exists(name)) == []


def _exists(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("page", PAGES)
def test_make_targets_named_in_a_page_exist(page: str) -> None:
    targets = set(
        re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert len(targets) > 10
    assert set(re.findall(r"`make ([a-z-]+)`", (ROOT / page).read_text(encoding="utf-8"))) <= targets


@needs_cli
def test_the_readme_lists_every_command_and_no_other() -> None:
    rows = re.findall(r"^\| `kb ([a-z-]+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    modules = {path.stem for path in (ROOT / "kb" / "commands").glob("*.py") if not path.stem.startswith("_")}
    assert sorted(set(rows)) == sorted(stem.replace("_", "-") for stem in modules)


@needs_cli
@needs_sample
def test_the_picture_shows_what_is_printed() -> None:
    from tools.make_picture import PICTURE, draw, printed

    assert shown(PICTURE.read_text(encoding="utf-8")) == shown(draw(printed())), (
        "run python tools/make_picture.py"
    )
    assert f"({PICTURE.relative_to(ROOT)})" in (ROOT / "README.md").read_text(encoding="utf-8")


def shown(svg: str) -> str:
    """The words of a picture without their places and colours, which may change with the version of rich."""
    return re.sub(r"\s+|&#160;", "", "".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg)))
