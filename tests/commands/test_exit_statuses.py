"""Every command with every exit status that its help names: one line each, and nothing that has none."""

from __future__ import annotations

import io
import json
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import SimpleNamespace

import pytest
from running import environment, run_kb

import kb.commands
from kb.cli import main
from kb.commands._app import INTERRUPTED, name_of

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data" / "samples" / "add_custom"
MODEL = ROOT / "data" / "samples" / "models" / "tiny_detector.onnx"
USAGE = 2  # common to all: said once, in the help of the program

# A line each: command, status, arguments. {words} are files that `place` makes in the folder of the test.
LINES = """
profile-and-advise 0 {sample}
profile-and-advise 3 {broken}
profile-and-advise 4 {program} --output out --timeout 5
profile-and-advise 5 {bare}
advise 0 {sample}
advise 3 {broken}
advise 5 {bare}
search 0 "NMS CPU fallback"
show 0 vector-larger-copies
list 0
explain 0 scalar-bound-vector
similar 0 vector-larger-copies
check 0 {quick} --soc Ascend310P3
check 1 {model} --soc Ascend310P3
check 3 {broken} --soc Ascend310P3
check 5 --torch {unheard} --soc Ascend310P3
estimate 0 {timings}
estimate 3 missing.tsv
estimate 5 {empty}
compare 0 {sample} {sample}
compare 1 {quick} {slow} --fail-on-regression 5
compare 3 {sample} {broken}
compare 5 {sample} {quick} --fail-on-regression 5
outcome 0
outcome 3 --import nowhere
outcome 5 {sample} {quick} --applied vector-larger-copies
ask 0 {run} "which operators take longest"
migrate-report 0 {model} --soc Ascend310P3
migrate-report 3 {broken} --soc Ascend310P3
migrate-report 5 {odd} --soc Ascend310P3
case from-compare 0 {quick} {slow} --applied vector-larger-copies
case from-compare 3 {sample} {broken} --applied vector-larger-copies
case from-compare 5 {sample} {quick} --applied vector-larger-copies
report 0 {run}
runs list 0
runs list 3 --db {broken}
runs show 0 {run}
runs export 0 {run} -o rows.csv
runs delete 0 {run} --yes
runs sql 0 "select 1"
db status 0
db status 3 --db {broken}
db copy 0 {store} copy.db
db copy 1
db copy 3 {broken} copy.db
db publish 0
db publish 3 --db postgresql://kb@/kb?host=/nowhere
db fetch 0
db fetch 3 out.db --db postgresql://kb@/kb?host=/nowhere
db migrate 0
db migrate 3 --db {broken}
db grant 0
db grant 3 analyst --db postgresql://kb@/kb?host=/nowhere
doctor 0
doctor 1
validate 0
validate 1 {faulty}
validate 3 missing
index 0
index 1
formats 0
mcp 0
mcp 2
serve 2
browse 0
schema 0 report
eval search 0 {questions}
eval search 1 {questions} --floor {high}
eval search 3 missing.tsv
eval advice 0
eval advice 1
eval advice 3 --cases missing.yaml --profiles .
eval estimate 0 {timings}
eval estimate 3 missing.tsv
eval knowledge 0
model use 0 builtin
model use 1 builtin
model show 0
config list 0
config get 0 soc
config set 0 soc Ascend910B2
config unset 0 soc
config path 0
new 0 tip of-mine --into .
"""

# Need more than a line: tests of their own, below or in the file that is named.
ELSEWHERE = {
    ("db copy", 1): "tests/commands/test_commands_db.py::test_tables_that_differ_are_1",
    **{
        (f"db {name}", 0): "tests/commands/test_commands_db.py::test_a_team_from_first_to_last"
        for name in ("publish", "fetch", "grant")
    },
    ("doctor", 0): "tests/commands/test_exit_statuses.py::test_a_machine_that_can_collect",
    (
        "index",
        1,
    ): "tests/commands/test_commands_upkeep.py::test_an_index_that_fits_nowhere_is_not_called_made",
    ("model use", 1): "tests/commands/test_exit_statuses.py::test_a_model_whose_index_fits_nowhere",
    ("mcp", 0): "tests/commands/test_exit_statuses.py::test_agents_that_leave_end_the_server",
    ("mcp", 2): "tests/commands/test_exit_statuses.py::test_a_missing_extra_is_named",
    ("browse", 0): "tests/browse/test_browse_app.py::test_an_empty_store_says_so",
    ("serve", 2): "tests/commands/test_exit_statuses.py::test_a_missing_extra_is_named",
    ("eval advice", 0): "tests/commands/test_commands_upkeep.py::test_scores_of_advice_and_a_floor",
    ("eval advice", 1): "tests/commands/test_commands_upkeep.py::test_scores_of_advice_and_a_floor",
}


def leaves() -> Iterator[str]:
    """Every command a user can type."""
    for spec in iter_modules(kb.commands.__path__):
        if spec.name[0] == "_":
            continue
        module = import_module(f"kb.commands.{spec.name}")
        inner = getattr(module, "COMMANDS", ())
        yield from [f"{name_of(module)} {name}" for name in inner] if inner else [name_of(module)]


def promised(command: str) -> set[int]:
    """Exit statuses that the help of a command names, but for wrong usage."""
    with redirect_stdout(io.StringIO()) as shown, suppress(SystemExit):
        main([*command.split(), "--help"])
    section = re.search(r"Exit status: (.*?)(?: Examples:|$)", " ".join(shown.getvalue().split()))
    assert section, f"kb {command} --help says nothing of its exit status"
    return {int(code) for code in re.findall(r"(?:^|, )(\d)\b", section[1])} - {USAGE}


def rows() -> list[tuple[str, int, list[str]]]:
    found = []
    for line in LINES.strip().splitlines():
        head, status, rest = re.match(r"([a-z -]+?) (\d)(.*)", line).groups()  # type: ignore[union-attr]
        found.append((head, int(status), shlex.split(rest)))
    return found


def test_every_promised_status_has_a_line() -> None:
    shown = {(command, status) for command, status, _ in rows() if status != USAGE}
    assert shown == {(command, status) for command in leaves() for status in promised(command)}


@pytest.mark.parametrize("command", list(leaves()))
def test_wrong_usage_is_2(command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert run([*command.split(), "--no-such-option"], tmp_path, monkeypatch) == USAGE


@pytest.mark.parametrize(
    ("command", "status", "arguments"), [row for row in rows() if row[:2] not in ELSEWHERE]
)
def test_status(
    command: str, status: int, arguments: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    places = place(tmp_path, {word for text in arguments for word in re.findall(r"\{(\w+)\}", text)})
    if "{store}" in arguments:
        run(["advise", str(SAMPLE)], tmp_path, monkeypatch)
    if "{run}" in arguments:
        run(["advise", str(SAMPLE)], tmp_path, monkeypatch)
        places["run"] = "last"
    ended = run([*command.split(), *(text.format_map(places) for text in arguments)], tmp_path, monkeypatch)
    said = capsys.readouterr()
    assert ended == status, said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize("named", sorted(set(ELSEWHERE.values())))
def test_what_is_seen_elsewhere_is_there(named: str) -> None:
    path, _, test = named.partition("::")
    assert re.search(rf"^def {test}\(", (ROOT / path).read_text(encoding="utf-8"), re.M)


def test_a_machine_that_can_collect(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from kb.engine.collect import doctor

    monkeypatch.setattr(doctor, "can_collect", lambda checks: True)
    assert run(["doctor"], tmp_path, monkeypatch) == 0


def test_a_model_whose_index_fits_nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from kb.knowledge import store

    monkeypatch.setattr(store, "ready", lambda *_: SimpleNamespace(where=store.MEMORY, size=1))
    assert run(["model", "use", "builtin"], tmp_path, monkeypatch) == 1


@pytest.mark.parametrize(("command", "package"), [("mcp", "mcp"), ("serve", "starlette")])
def test_a_missing_extra_is_named(
    command: str, package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    for name in [
        name for name in sys.modules if name.split(".")[0] == package or name.startswith(f"kb.{command}")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    assert run([command], tmp_path, monkeypatch) == USAGE
    assert f"ascend-kb[{command}]" in capsys.readouterr().err


def test_agents_that_leave_end_the_server(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    assert run_kb("mcp", home=tmp_path).returncode == 0


def test_the_web_server_ends_when_asked(tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason="the extra `serve` is not installed")
    pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")
    line = [sys.executable, "-m", "kb", "serve", "--port", "0"]
    with subprocess.Popen(
        line, env=environment(tmp_path), cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline().startswith("http://127.0.0.1:")
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == INTERRUPTED


@pytest.mark.parametrize("line", ["set soc Ascend910B2", "unset soc"])
def test_settings_that_cannot_be_kept(line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("kb.settings.path", lambda: SAMPLE / "PipeUtilization.csv" / "config.toml")
    assert run(["config", *line.split()], tmp_path, monkeypatch) == USAGE


def run(line: list[str], home: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """One command line in this process, with everything it may write below `home`."""
    monkeypatch.chdir(home)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    for name, value in (("KB_DB", home / "runs.db"), ("KB_CONFIG", home / "config.toml"), ("HOME", home)):
        monkeypatch.setenv(name, str(value))
    try:
        return main(line)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0


def place(folder: Path, wanted: set[str]) -> dict[str, str]:
    """The files that a line names, made where the test may write."""
    made = {"sample": str(SAMPLE), "model": str(MODEL), "store": str(folder / "runs.db")}
    for name in wanted - made.keys() - {"run"}:
        made[name] = str(MAKERS[name](folder))
    return made


def _file(name: str, text: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        path = folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    return make


def _summary(microseconds: float) -> str:
    head = "Op Name,OP Type,Task Type,Task Duration(us),Block Dim,Input Shapes,Input Data Types,Output Shapes,Output Data Types,aiv_vec_ratio,aiv_mte2_ratio"  # fmt: skip
    row = (
        f'Add_0,Add,AI_VECTOR_CORE,{microseconds},40,"""4096,4096""",FLOAT16,"""4096,4096""",FLOAT16,0.2,0.7'
    )
    return "\n".join([head, *[row] * 20]) + "\n"


HEAD = "chip\top_type\tin_shapes\tin_dtypes\tin_formats\tout_shapes\tout_dtypes\tout_formats\tdur_us_med\n"
ROW = "Ascend910B2\tAdd\t4096,4096;4096,4096\tFLOAT16;FLOAT16\tND;ND\t4096,4096\tFLOAT16\tND\t90\n"
MAKERS: dict[str, Callable[[Path], Path]] = {
    "broken": _file("broken.zip", "PK\x03\x04 cut short"),
    "program": _file("program", "#!/bin/sh\nexit 0\n"),
    "bare": _file("bare.csv", "Input Shapes,Average Duration(us)\n"),
    "empty": _file("empty.tsv", HEAD),
    "timings": _file(
        "timings.tsv",
        HEAD + "Ascend910B2\tAdd\t4096,4096;4096,4096\tFLOAT16;FLOAT16\tND;ND\t4096,4096\tFLOAT16\tND\t90\n",
    ),
    "quick": _file("quick.csv", _summary(100)),
    "slow": _file("slow.csv", _summary(200)),
    "questions": _file(
        "questions.tsv", "query\tlang\texpected\nlarger copies per tile\ten\tvector-larger-copies\n"
    ),
    "high": _file("high.json", '{"fused.all.ndcg10": 2.0}'),
    "faulty": _file("faulty.md", "no head\n"),
    "unheard": _file("unheard.txt", "NoSuchOperator\n"),
    "odd": _file("odd.json", json.dumps({"operators": [{"type": "NoSuchOperator", "count": 3}]})),
}
