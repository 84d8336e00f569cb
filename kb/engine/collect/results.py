"""What a run left in its output folder: which OPPROF folders are new, what they hold, and how far it is by
now.

This looks only as far as needed to say whether the run succeeded; reading the tables is the readers' work.
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kb.engine.collect.metric_groups import TABLES

_TABLE = re.compile(rf"(?P<table>OpBasicInfo|{'|'.join(TABLES)})(?:_\d{{17}})?\.csv")
_HEADER = re.compile(r"\ufeff?\"?(?:block_id|ai[cv]_|Op Name|instr)")
_MOST_ENTRIES = 200_000  # of a result folder; a simulator dump of many cores has thousands
_HEAD = 256 * 1024


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch found in a result: its folder, name and duration where they can be read, its
    tables.
    """

    folder: Path
    kernel: str | None
    duration_us: float | None
    tables: frozenset[str]


@dataclass(frozen=True, slots=True)
class Found:
    """What a result folder holds. `unparsed` are launch folders with raw data only, `faults` what was
    unreadable.
    """

    launches: tuple[Launch, ...] = ()
    instruction_files: int = 0
    traces: int = 0
    unparsed: int = 0
    size: int = 0
    faults: tuple[str, ...] = ()

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels, in order, each once."""
        return tuple(dict.fromkeys(launch.kernel for launch in self.launches if launch.kernel))


@dataclass(frozen=True, slots=True)
class Glimpse:
    """How far a run is: launches begun, the kernel of the newest, bytes on disk."""

    launches: int = 0
    kernel: str | None = None
    size: int = 0


def result_names(output: Path) -> frozenset[str]:
    """The OPPROF folders in the output folder; links are none."""
    try:
        with os.scandir(output) as entries:
            return frozenset(
                e.name for e in entries if e.name.startswith("OPPROF_") and e.is_dir(follow_symlinks=False)
            )
    except OSError:
        return frozenset()


def pick_result(
    output: Path, before: frozenset[str], named: tuple[str, ...]
) -> tuple[Path | None, tuple[Path, ...]]:
    """The result of this run and other new ones: the folder the log names, else the newest by its name."""
    new = sorted(result_names(output) - before)
    if not new:
        return None, ()
    by_log = [name for name in new if any(name in Path(path).parts for path in named)]
    chosen = (by_log or new)[-1]
    return output / chosen, tuple(output / name for name in new if name != chosen)


def inspect(folder: Path) -> Found:
    """Walk a result folder, links not followed, and see what is usable in it."""
    launches: list[Launch] = []
    faults: list[str] = []
    instruction_files = traces = unparsed = size = 0
    for path, names, sizes in _walk(folder, faults):
        size += sum(sizes.values())
        tables = {found["table"]: name for name in names if (found := _TABLE.fullmatch(name))}
        if tables:
            launches.append(_launch(path, tables, faults))
        elif _is_launch(path.relative_to(folder).parts):
            unparsed += 1
        for name in names:
            instruction_files += (
                "_instr_exe" in name and name.endswith(".csv") and _has_rows(path / name, faults)
            )
            traces += name == "trace.json" and sizes[name] > 2
    ordered = tuple(sorted(launches, key=lambda launch: _in_order(launch.folder)))
    return Found(ordered, instruction_files, traces, unparsed, size, tuple(faults))


def glimpse(output: Path, before: frozenset[str]) -> Glimpse:
    """Look at a running collection: it works in `device<N>/<kernel>/<order>` below its OPPROF folder."""
    launches, size, newest = 0, 0, (-1.0, "")
    for name in result_names(output) - before:
        top = output / name
        for path, _, sizes in _walk(top, []):
            size += sum(sizes.values())
            parts = path.relative_to(top).parts
            if _is_launch(parts):
                launches += 1
                newest = max(newest, (_changed(path), parts[1]))
    return Glimpse(launches, newest[1] or None, size)


def _is_launch(parts: tuple[str, ...]) -> bool:
    """`device<N>/<kernel>/<order>`: where the tool works before it moves and names things."""
    return len(parts) == 3 and parts[0].startswith("device") and parts[2].isdigit()


def _walk(folder: Path, faults: list[str]) -> Iterator[tuple[Path, list[str], dict[str, int]]]:
    """Folder, names and sizes of its plain files; at most 200 000 entries in all."""
    left = _MOST_ENTRIES

    def note(fault: OSError) -> None:
        faults.append(f"{fault.filename}: {fault.strerror}")

    for root, folders, files in os.walk(folder, onerror=note, followlinks=False):
        left -= len(files) + len(folders)
        sizes = {}
        for name in files:
            try:
                status = Path(root, name).lstat()
            except OSError:
                continue  # gone while we looked: the tool still works in here
            if status.st_mode & 0o170000 == 0o100000:
                sizes[name] = status.st_size
        yield Path(root), list(sizes), sizes
        if left <= 0:
            faults.append(f"{folder}: more than {_MOST_ENTRIES} entries; the rest was not looked at")
            return


def _launch(folder: Path, tables: dict[str, str], faults: list[str]) -> Launch:
    present = frozenset(table for table, name in tables.items() if _has_rows(folder / name, faults))
    kernel: str | None = None
    duration: float | None = None
    if "OpBasicInfo" in present:
        row = _first_row(folder / tables["OpBasicInfo"])
        kernel = row.get("Op Name", "").strip() or None
        duration = _number(row.get("Task Duration(us)", ""))
    return Launch(folder, kernel, duration, present)


def _head(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_HEAD).decode("utf-8", "replace").replace("\0", "")


def _has_rows(path: Path, faults: list[str]) -> bool:
    """A header that looks like the tool's and at least one row under it."""
    try:
        lines = [line for line in _head(path).splitlines() if line.strip(", \t")]
    except OSError as fault:
        faults.append(f"{path}: {fault.strerror}")
        return False
    return len(lines) >= 2 and _HEADER.match(lines[0]) is not None


def _first_row(path: Path) -> dict[str, str]:
    lines = _head(path).lstrip("\ufeff").splitlines()
    try:
        row = next(csv.DictReader(lines), None)
    except csv.Error:
        row = None
    return {key.strip(): value for key, value in (row or {}).items() if key and isinstance(value, str)}


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _in_order(folder: Path) -> list[tuple[int, int, str]]:
    """Folders by name, numbers by size: launch 2 comes before launch 10."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in folder.parts]


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return -1.0
