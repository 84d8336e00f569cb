"""Packages that add to `kb`: the example does what it says, a faulty one costs a warning, none takes a name of ours."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from running import ROOT, SAMPLE, environment, needs_cli, needs_sample

from kb import settings

EXAMPLE = ROOT / "examples" / "kb-example"
LOG = "# example timings 1 Ascend910B2\nMatMul\tcube\t412.5\t64\nAddDebug\tvector\t900\t30\n"

pytestmark = needs_cli


def install(site: Path, name: str, points: Mapping[str, Mapping[str, str]]) -> None:
    """What an installer writes for a distribution with these entry points."""
    info = site / f"{name.replace('-', '_')}-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in named.items())
        for group, named in points.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


@pytest.fixture
def example(site: Path) -> Path:
    """A folder of installed packages that holds the example, by what its own pyproject.toml declares."""
    project = settings._parsed((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"), EXAMPLE)["project"]
    shutil.copytree(EXAMPLE / "kb_example", site / "kb_example", ignore=shutil.ignore_patterns("__pycache__"))
    install(site, project["name"], project["entry-points"])
    return site


def run(site: Path, *arguments: str, code: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """`kb ARGUMENTS`, or some Python, where the packages of `site` are installed."""
    home = site.parent
    own = (
        environment(home)
        | {"XDG_CACHE_HOME": str(home / "cache"), "PYTHONPATH": f"{site}:{ROOT}"}
        | variables
    )
    line = ["-c", code] if code else ["-m", "kb", *arguments]
    return subprocess.run(
        [sys.executable, *line], cwd=home, env=own, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        encoding="utf-8", check=False, timeout=300,
    )  # fmt: skip


def test_the_example_adds_all_it_says(example: Path) -> None:
    log = example.parent / "nightly.timings"
    log.write_text(LOG, encoding="utf-8")
    told = run(example, "advise", str(log), "--format", "json")
    assert told.returncode == 0, told.stderr
    report = json.loads(told.stdout)
    assert [item["type"] for item in report["operators"]] == ["AddDebug", "MatMul"]
    assert report["chip"]["soc"] == "Ascend910B2"
    assert "example-debug-build" in [item["pattern"] for item in report["findings"]]
    assert report["recommendations"][0]["id"] == "example-release-build"
    table = run(example, "advise", str(log), "--format", "example-csv").stdout.splitlines()
    assert table[0] == "rank,id,finding,gain_likely,of,basis" and table[1].startswith(
        "1,example-release-build,"
    )
    written = run(example, "report", report["run"], "-o", "advice.csv")
    assert (example.parent / "advice.csv").read_text().splitlines() == table, written.stderr
    assert "example_timings" in [
        item["name"] for item in json.loads(run(example, "formats", "--format", "json").stdout)["formats"]
    ]
    found = json.loads(
        run(example, "search", "debug build left in the timing run", "--format", "json").stdout
    )
    assert found["results"][0]["id"] == "example-release-build"
    assert run(example, "validate").returncode == 0
    off = run(example, "advise", str(log), KB_PLUGINS="off")
    assert off.returncode == 3 and "kb formats" in off.stderr


def test_a_fault_in_a_line_is_the_plugins_own_message(example: Path) -> None:
    log = example.parent / "nightly.timings"
    log.write_text(LOG + "Add\tvector\tsoon\t1\n", encoding="utf-8")
    done = run(example, "advise", str(log))
    assert done.returncode == 3 and "nightly.timings:4" in done.stderr and "Traceback" not in done.stderr


@needs_sample
@pytest.mark.parametrize(
    ("group", "body"),
    [
        ("kb.readers", "raise RuntimeError('boom\\nline two')"), ("kb.bottlenecks", "raise SystemExit(9)"),
        ("kb.views", "import not_there"), ("kb.knowledge", "y = 1"), ("kb.readers", "x = 1"), ("kb.bottlenecks", "x = 1"),
        ("kb.views", "x = 1"), ("kb.knowledge", "x = 1"),
    ],
)  # fmt: skip
def test_a_faulty_plugin_is_named_and_costs_nothing_else(site: Path, group: str, body: str) -> None:
    (site / "faulty.py").write_text(body + "\n", encoding="utf-8")
    plain = run(site, "advise", str(ROOT / SAMPLE), "--format", "json")
    install(site, "somebodys-package", {group: {"bad": "faulty:x"}})
    arguments = ("advise", str(ROOT / SAMPLE), "--format", "nothing" if group == "kb.views" else "json")
    done = run(site, *arguments)
    assert f"the plugin somebodys-package ({group}: bad)" in done.stderr
    assert "Traceback" not in done.stderr and "line two\n" not in done.stderr.replace("boom line two\n", "")
    if group == "kb.views":
        assert done.returncode == 2 and "no format 'nothing'" in done.stderr
    else:
        assert done.returncode == 0 and done.stdout == plain.stdout
    assert "somebodys-package" not in run(site, *arguments, "-q").stderr


SHADOW = """
from kb.engine.bottlenecks.judging import Bottleneck
NAME, TITLE, FAMILY, RANK, EXTENSION, BINARY = "op_summary", "mine", "job", 1000, ".html", False
def recognise(source): return 100
def read(bundle, soc=None): raise ValueError("taken over")
def render(report, *, lang, width, color): return "taken over"
BOTTLENECK = Bottleneck(id="host-bound", why="mine", judge=lambda f: 1 / 0)
class View:
    NAME, EXTENSION, BINARY, render = "html", ".page", False, staticmethod(render)
"""


@needs_sample
def test_no_plugin_takes_a_name_of_ours(site: Path) -> None:
    (site / "shadow.py").write_text(SHADOW, encoding="utf-8")
    points = {
        "kb.readers": {"mine": "shadow"}, "kb.bottlenecks": {"mine": "shadow"}, "kb.views": {"mine": "shadow:View"},
    }  # fmt: skip
    plain = run(site, "advise", str(ROOT / SAMPLE), "--format", "html")
    install(site, "shadow", points)
    done = run(site, "advise", str(ROOT / SAMPLE), "--format", "html")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert "the reader 'op_summary' is there already" in done.stderr
    assert "the bottleneck 'host-bound' is there already" in done.stderr
    assert "is there already" in run(site, "advise", str(ROOT / SAMPLE), "--format", "page").stderr


EAGER = SHADOW.replace('"op_summary"', '"eager"').replace('"host-bound"', '"eager-bottleneck"')


@needs_sample
def test_a_plugin_that_claims_everything_gets_only_what_none_of_ours_knows(site: Path) -> None:
    (site / "eager.py").write_text(EAGER, encoding="utf-8")
    plain = run(site, "advise", str(ROOT / SAMPLE), "--format", "json")
    install(site, "eager", {"kb.readers": {"eager": "eager"}, "kb.bottlenecks": {"eager": "eager"}})
    done = run(site, "advise", str(ROOT / SAMPLE), "--format", "json")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert "failed to judge eager-bottleneck: ZeroDivisionError" in done.stderr
    (site.parent / "unknown.txt").write_text("nothing that kb knows\n", encoding="utf-8")
    own = run(site, "advise", str(site.parent / "unknown.txt"))
    assert own.returncode == 3 and "the reader of eager (kb.readers: eager) failed: ValueError" in own.stderr


LOADED = """
import sys
from kb.cli import main
try:
    main({arguments!r})
except SystemExit:
    pass
print(sorted(name for name in ("importlib.metadata", "kb_example", "kb_example.csv_view") if name in sys.modules))
"""


def test_search_without_plugins_looks_nothing_up(site: Path) -> None:
    for _ in range(2):  # the first call makes the index
        done = run(site, code=LOADED.format(arguments=["search", "NMS"]))
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("arguments", [["--help"], ["advise", "--help"], ["--version"]], ids=" ".join)
def test_help_loads_no_plugin(example: Path, arguments: list[str]) -> None:
    done = run(example, code=LOADED.format(arguments=arguments))
    assert "kb_example" not in done.stdout.splitlines()[-1]


def test_the_library_warns(site: Path) -> None:
    install(site, "broken", {"kb.knowledge": {"bad": "not_there"}})
    code = "import kb, warnings\nwith warnings.catch_warnings(record=True) as w:\n    kb.search('NMS')\nprint(w[0].category is kb.PluginWarning, len(w))"
    assert run(site, code=code).stdout.split() == ["True", "1"]


def test_a_word_that_is_neither_on_nor_off_is_refused(example: Path, tmp_path: Path) -> None:
    log = tmp_path / "nightly.timings"
    log.write_text(LOG, encoding="utf-8")
    done = run(example, "advise", str(log), KB_PLUGINS="maybe")
    assert done.returncode == 2 and "KB_PLUGINS: no plugins 'maybe'" in done.stderr
