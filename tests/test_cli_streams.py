"""Every command at the ends of its streams: a reader that leaves, a full disk, a stream that is closed."""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from running import ROOT, SAMPLE, environment

import kb.commands

OPERATOR = "chip\top_type\tin_shapes\tin_dtypes\nAscend910B2\tRelu\t1024,1024\tfloat16\n"
COMMANDS: dict[str, list[str]] = {
    "advise": ["advise", SAMPLE],
    "ask": ["ask", "--list"],
    "case": ["case", "from-compare", "--help"],
    "config": ["config", "list"],
    "schema": ["schema", "report"],
    "compare": ["compare", SAMPLE, SAMPLE],
    "db": ["db", "status"],
    "browse": ["browse", "--help"],
    "mcp": ["mcp", "--help"],
    "outcome": ["outcome"],
    "serve": ["serve", "--help"],
    "migrate_report": ["migrate-report", "--help"],
    "model": ["model", "--help"],
    "similar": ["similar", "--help"],
    "check": ["check", "tests/samples/kernel_details/whole-detector", "--soc", "Ascend310P3"],
    "doctor": ["doctor"],
    "estimate": ["estimate", "{place}/operators.tsv"],
    "eval": ["eval", "knowledge"],
    "explain": ["explain", "scalar-bound-vector"],
    "formats": ["formats"],
    "index": ["index"],
    "list": ["list"],
    "new": ["new", "tip", "my-tip-{number}", "--into", "{place}"],
    "profile_and_advise": ["profile-and-advise", SAMPLE, "--format", "json"],
    "report": ["report", "latest"],
    "runs": ["runs", "list"],
    "search": ["search", "NMS CPU fallback"],
    "show": ["show", "scalar-bound-vector"],
    "validate": ["validate", "data/tips"],
    "help": ["--help"],
    "help of one": ["advise", "--help"],
    "help of search": ["search", "--help"],
    "version": ["--version"],
}
REFUSED: dict[str, tuple[list[str], int]] = {
    "option": (["list", "--no-such"], 2),
    "id": (["show", "no-such-entry"], 2),
    "path": (["advise", "no-such-path"], 3),
    "words": (["search"], 2),
}
KINDS = ("whole", "pipe", "full", "closed", "remarks full", "remarks closed", "all pipes")

SLOW = ("index", "advise", "compare", "validate")


def kinds_of(name: str) -> tuple[str, ...]:
    """All kinds of streams; of commands that take a second only the three that differ."""
    return KINDS[:3] if name in SLOW else KINDS


# One process that loads everything once and forks for every case, each of which ends as a process does.
CHILD = r"""
import json, os, sys
from pathlib import Path
place, cases = Path(sys.argv[1]), json.loads(sys.argv[2])
from kb.commands import _app, search
from kb.__main__ import main
import kb.engine.readers
_app.build()

def gone():
    reader, writer = os.pipe()
    os.close(reader)
    return writer

def arrange(kind, out, err):
    ends = {1: os.open(out, os.O_CREAT | os.O_WRONLY), 2: os.open(err, os.O_CREAT | os.O_WRONLY)}
    wanted = {"pipe": (1, gone), "full": (1, "/dev/full"), "remarks full": (2, "/dev/full"), "all pipes": (1, gone)}
    if kind in wanted:
        number, end = wanted[kind]
        ends[number] = end() if callable(end) else os.open(end, os.O_WRONLY)
    if kind == "all pipes":
        ends[2] = ends[1]
    for number, end in ends.items():
        os.dup2(end, number)
    for number, name in ((1, "stdout"), (2, "stderr")):
        if kind == {1: "closed", 2: "remarks closed"}[number]:
            os.close(number)
            setattr(sys, name, None)

mine = None
for name, kind, args in cases:
    stem = f"{name} {kind}".replace(" ", "-")
    pid = os.fork()
    if not pid:
        mine = args
        arrange(kind, place / f"{stem}.out", place / f"{stem}.err")
        break
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    print(json.dumps([name, kind, status]), flush=True)
if mine is not None:
    sys.argv = ["kb", *mine]
    sys.exit(main())
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], tuple[int, str, str]]:
    """Exit status, stdout and stderr of every command with every kind of stream."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    place = tmp_path_factory.mktemp("streams")
    (place / "operators.tsv").write_text(OPERATOR)
    first = subprocess.run(
        [sys.executable, "-m", "kb", "advise", SAMPLE, "--format", "json"], cwd=ROOT, env=environment(place),
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    run = json.loads(first.stdout)["run"]
    commands = COMMANDS | {name: args for name, (args, _) in REFUSED.items()}
    cases = [
        (
            name,
            kind,
            [run if a == "latest" else a.format(place=place, number=KINDS.index(kind)) for a in args],
        )
        for name, args in commands.items()
        for kind in kinds_of(name)
    ]
    ended = subprocess.run(
        [sys.executable, "-c", CHILD, str(place), json.dumps(cases)], cwd=ROOT, env=environment(place),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    out = {}
    for line in ended.stdout.splitlines():
        name, kind, status = json.loads(line)
        stem = f"{name} {kind}".replace(" ", "-")
        out[name, kind] = (status, *((place / f"{stem}.{end}").read_text() for end in ("out", "err")))
    assert len(out) == len(cases)
    return out


def test_every_command_is_here() -> None:
    names = {found.name for found in pkgutil.iter_modules(kb.commands.__path__)}
    assert {name for name in names if not name.startswith("_")} <= COMMANDS.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_an_answer(done: dict[tuple[str, str], tuple[int, str, str]], name: str) -> None:
    expected, out, _ = done[name, "whole"]
    assert expected in (0, 1) and out.strip()
    for kind in kinds_of(name):
        status, _, err = done[name, kind]
        lost = {"pipe": 141, "all pipes": 141, "full": 74, "closed": 74}
        assert status == lost.get(kind, expected), (kind, err)
        assert "Traceback" not in err and "Exception" not in err and "fault in kb" not in err, (kind, err)
        if kind == "full":
            assert "the answer cannot be written: No space left on device" in err
        if kind == "closed":
            assert "the answer cannot be written: standard output is closed" in err


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal(done: dict[tuple[str, str], tuple[int, str, str]], name: str) -> None:
    for kind in KINDS:
        status, out, err = done[name, kind]
        assert (status, out) == (REFUSED[name][1], ""), kind
        assert err.startswith("kb: ") or kind in ("remarks full", "remarks closed", "all pipes"), kind


def test_a_file_opened_after_a_stream_was_closed_is_not_taken_for_it(tmp_path: Path) -> None:
    """The lowest free descriptor is that of the stream: what is written to stderr must not land in a data base."""
    code = (
        "import os, sys; os.close(2); sys.stderr = None\n"
        "from kb.commands._streams import prepared\n"
        "with prepared():\n    print(open(sys.argv[1], 'w').fileno() > 2)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, os.fspath(tmp_path / "f")], cwd=ROOT, env=environment(tmp_path),
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert ended.stdout == "True\n"
