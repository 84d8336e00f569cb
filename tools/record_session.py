"""Write docs/loop.md and docs/loop.cast: the whole loop as one terminal session, `python -m tools.record_session`.

Every command is really run, in a folder of its own; the profiler is the stand-in of the tests (tests/standin), which
plays two synthetic captures of tools/samples. Names that differ from run to run are replaced. `--check` writes nothing
and fails when the page is out of date.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.samples import captures, kernels

ROOT = Path(__file__).resolve().parent.parent
PAGE, CAST = ROOT / "docs" / "loop.md", ROOT / "docs" / "loop.cast"
WIDTH, LINES = 100, 26  # columns; lines of one answer that are shown
PROMPT = "~/add$ "
APPLIED = "vector-use-all-cores"

HEAD = """\
# The whole loop

Profile, read the advice, change the kernel, profile again, compare, keep what it gave.

**Recorded with a stand-in.** No NPU stands behind what follows: `msopprof` is the stand-in of the tests
(`tests/standin`), and both captures are synthetic (`tools/samples/captures.py`), so no time below was measured on a
device. The commands and what `kb` prints are real; `tools/record_session.py` runs them and writes this page and the
same session as [loop.cast](loop.cast), which `asciinema play` shows. Long answers are cut where it says so.
"""


@dataclass(frozen=True)
class Scene:
    """One command: what is said before it, the capture that the stand-in plays, and lines of the answer to show."""

    title: str
    words: str
    command: str
    plays: str = ""
    lines: int = LINES


@dataclass(frozen=True)
class Take:
    """A scene with what was printed."""

    scene: Scene
    printed: tuple[str, ...]


def scenes(first: str = "RUN_1", second: str = "RUN_2") -> tuple[Scene, ...]:
    """The session; ids of the runs are known once the first commands have run."""
    return (
        Scene(
            "Profile, and what to change first",
            "The first run. The answer names the bottleneck and the change that wins most.",
            "kb profile-and-advise ./add_custom --mode device --kernel-name add_custom --output before --top 3",
            "before",
            36,
        ),
        Scene(
            "Change the kernel",
            "The first advice: spread the work over all vector cores. Four blocks become forty.",
            "sed -i 's/BLOCKS = 4;/BLOCKS = 40;/' add_custom.cpp",
        ),
        Scene(
            "Profile again",
            "The same command, another folder.",
            "kb profile-and-advise ./add_custom --mode device --kernel-name add_custom --output after --top 3",
            "after",
            14,
        ),
        Scene(
            "Compare",
            "Is it faster, beyond noise, and were both measured alike?",
            f"kb compare {first} {second}",
            lines=60,
        ),
        Scene(
            "Stop a regression in CI",
            "The same comparison as a gate, the other way round: exit status 1 when something got slower.",
            f"kb compare {second} {first} --fail-on-regression 5% --format junit",
        ),
        Scene(
            "Keep what it gave",
            "The outcome stands beside the published figures from now on, and shifts what later reports expect.",
            f"kb outcome {first} {second} --applied {APPLIED}",
        ),
    )


def record() -> list[Take]:
    """Run the session.

    Raises:
        SystemExit: a command ended otherwise than it should.
    """
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        _prepare(place)
        takes: list[Take] = []
        runs: list[str] = []
        for at in range(len(scenes())):
            scene = scenes(*runs)[at] if len(runs) == 2 else scenes()[at]
            text = _run(scene, place)
            if scene.plays:
                runs.append(_last_run(place))
            takes.append(Take(scene, tuple(_steady(text, place))))
        return takes


def _prepare(place: Path) -> None:
    program = place / "add" / "add_custom"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    program.chmod(0o700)
    (program.parent / "add_custom.cpp").write_text("constexpr int BLOCKS = 4;\n", encoding="utf-8")
    (place / "bin").mkdir()
    (place / "bin" / "msopprof").symlink_to(ROOT / "tests" / "standin" / "msopprof")
    kernels.write(place / "before", captures.add_custom())
    kernels.write(place / "after", captures.add_custom_on_all_cores())


def _environment(place: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("TMPDIR", "XDG_CACHE_HOME", "HOME") if name in os.environ}
    path = f"{place / 'bin'}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return kept | {
        "PATH": path, "PYTHONPATH": str(ROOT), "KB_DB": str(place / "runs.db"), "COLUMNS": str(WIDTH), "NO_COLOR": "1",
        "KB_LANG": "en", "LC_ALL": "C.UTF-8", "STANDIN_KERNELS": "add_custom:vector", "STANDIN_LOG": "plain",
    }  # fmt: skip


def _run(scene: Scene, place: Path) -> str:
    words = shlex.split(scene.command)
    call = [sys.executable, "-m", "kb", *words[1:]] if words[0] == "kb" else words
    env = _environment(place) | ({"STANDIN_PLAY": str(place / scene.plays)} if scene.plays else {})
    done = subprocess.run(
        call, cwd=place / "add", env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    wanted = 1 if "--fail-on-regression" in words else 0
    if done.returncode != wanted:
        raise SystemExit(f"{scene.command}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout + (f"[exit status {done.returncode}]\n" if done.returncode else "")


def _last_run(place: Path) -> str:
    call = [sys.executable, "-m", "kb", "runs", "list", "-n", "1", "--format", "jsonl"]
    done = subprocess.run(call, env=_environment(place), capture_output=True, text=True, check=True)
    return str(json.loads(done.stdout)["id"])[:8]


def _steady(text: str, place: Path) -> Iterator[str]:
    """The lines without what differs from run to run."""
    text = re.sub(r"OPPROF_\d{14}_[A-Z]{16}", "OPPROF_20260101120000_ABCDEFGHIJKLMNOP", text)
    text = re.sub(r"-\d{8}-\d{6}\.app\.log", "-20260101-120000.app.log", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d", "2026-01-01 12:00:00", text)
    for path in (str(place.resolve()), str(place)):
        text = text.replace(f"{path}/add/", "").replace(path, "~")
    for line in text.rstrip("\n").split("\n"):
        if line.startswith("kb: building the search index"):
            continue
        yield line.rstrip()


def page(takes: Sequence[Take]) -> str:
    """docs/loop.md."""
    parts = [HEAD]
    for take in takes:
        shown = _shown(take)
        block = "\n".join([PROMPT + take.scene.command, *shown])
        parts.append(f"## {take.scene.title}\n\n{take.scene.words}\n\n```text\n{block}\n```\n")
    return "\n".join(parts)


def _shown(take: Take) -> list[str]:
    """The lines of an answer that are shown, and how many are not."""
    lines = list(take.printed)
    if lines == [""]:
        return []
    left_out = len(lines) - take.scene.lines
    return lines if left_out <= 1 else [*lines[: take.scene.lines], f"    … {left_out} more lines"]


def cast(takes: Sequence[Take]) -> str:
    """The session in asciinema's format, version 2; its times are made up."""
    title = "kb: the whole loop (stand-in profiler, synthetic captures)"
    rows: list[object] = [{"version": 2, "width": WIDTH, "height": 40, "title": title}]
    at = 0.5
    for take in takes:
        for text, pause in (
            (f"# {take.scene.title}\r\n", 1.0),
            (PROMPT + take.scene.command, 1.0),
            ("\r\n", 0.5),
        ):
            rows.append([round(at, 2), "o", text])
            at += pause
        rows += [[round(at, 2), "o", "".join(f"{line}\r\n" for line in _shown(take))]]
        at += 4.0
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def main(arguments: Sequence[str]) -> int:
    takes = record()
    if "--check" in arguments:
        if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page(takes):
            return 0
        print("docs/loop.md is out of date: run python -m tools.record_session", file=sys.stderr)
        return 1
    PAGE.write_text(page(takes), encoding="utf-8")
    CAST.write_text(cast(takes), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}, {CAST.relative_to(ROOT)}: {len(takes)} commands")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
