"""What `kb advise` says of a folder of real profiles, a line each: `make trial` prints it, the tests keep it.

Every capture goes the whole path of the command, in a process of its own with a run store of its own. The table is for
a person's eye: wrong, empty, overconfident or unhelpful advice is a fault of a rule or an entry.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CAPTURE = re.compile(r"(before|after)(-\w+)?|round_\d+")  # folders of one case that are captures of their own
Run = Callable[[list[str]], "subprocess.CompletedProcess[str]"]
LIMIT = 120  # seconds for one capture; none takes a tenth of it


@dataclass(frozen=True, slots=True)
class Said:
    """One capture: exit status of the command, and the document or the message it printed."""

    name: str
    status: int
    document: Mapping[str, Any]
    message: str


def captures(profiles: Path) -> Iterator[tuple[str, Path]]:
    """Captures below a folder of cases: each case, or each state (before, after, a round) of a case that has several."""
    for case in sorted(path for path in profiles.iterdir() if path.is_dir()):
        states = sorted(path for path in case.iterdir() if path.is_dir() and CAPTURE.fullmatch(path.name))
        for path in states or [case]:
            yield path.relative_to(profiles).as_posix(), path


def process(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """`kb ARGUMENTS` to its end, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "kb", *arguments], cwd=ROOT, env={**os.environ, "KB_LANG": "en", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", timeout=LIMIT, check=False,
    )  # fmt: skip


def ask(name: str, path: Path, home: Path, run: Run) -> Said:
    """`kb advise PATH --format json`, with a run store below `home`."""
    store = home / f"{name.replace('/', '-')}.db"
    done = run(["advise", str(path), "--format", "json", "--db", str(store)])
    document = json.loads(done.stdout) if done.stdout.strip() else {}
    message = "" if document else done.stderr.replace(f"{path.parent}/", "").strip()
    return Said(name, done.returncode, document, message)


def said(profiles: Path, workers: int = 2, run: Run = process) -> list[Said]:
    """The answers to all captures, in the order of their names, `workers` at a time."""
    with tempfile.TemporaryDirectory(prefix="kb-trial-") as home, ThreadPoolExecutor(workers) as pool:
        asked = [pool.submit(ask, name, path, Path(home), run) for name, path in captures(profiles)]
        return [one.result() for one in asked]


def lines(one: Said) -> list[str]:
    """What a capture says, for the table: whole percents, so that rounding makes no diff."""
    document = one.document
    if not document:
        return [f"{one.name}  exit {one.status}", *(f"  {line.strip()}" for line in one.message.splitlines())]
    shown = [f"{one.name}  exit {one.status}  chip {_chip(document.get('chip'))}"]
    shown.append(f"  {document['headline']}")
    shown += [
        f"  found {item['id']}  {_percent(item['share'])} of the run, sure {item['confidence']:.1f}"
        for item in document["findings"][:5]
    ]
    shown += [
        f"  {item['rank']} {item['title']} ({item['id']}), {_gain(item['gain'])}"
        for item in document["recommendations"][:3]
    ]
    shown.append(f"  not judged {len(document['not_judged'])}, warnings {len(document['warnings'])}")
    return shown


def _chip(chip: Mapping[str, Any] | None) -> str:
    candidates = (chip or {}).get("candidates", [])
    return f"one of {len(candidates)}" if len(candidates) > 1 else "".join(candidates) or "not known"


def _gain(gain: Mapping[str, Any]) -> str:
    low, high = _percent(gain["low"]), _percent(gain["high"])
    return f"{low} to {high} of the {gain['of']}"


def _percent(share: float | None) -> str:
    return "unknown share" if share is None else f"{100 * share:.0f} %"


def table(answers: list[Said]) -> str:
    """All captures, one paragraph each."""
    return "\n\n".join("\n".join(lines(one)) for one in answers) + "\n"


def main() -> None:
    """Print the table for a folder of cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("profiles", type=Path, help="folder of cases, a folder each")
    print(table(said(parser.parse_args().profiles)), end="")


if __name__ == "__main__":
    main()
