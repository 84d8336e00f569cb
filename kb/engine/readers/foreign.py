"""What a file that no reader takes looks like, and what to give instead: a refusal should name the thing.

A line of `foreign.tsv` is enough for a new kind: the words that mark it (cells of the header line, or words
in the head of a text file), what it is called, what to do.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from importlib.resources import files
from urllib.parse import quote

from kb.engine.readers.source import Source
from kb.engine.readers.words import clean
from kb.errors import SourceError

_JOB = "give kernel_details.csv, op_summary_*.csv or the folder that holds one"

_MAGIC = (
    (
        b"PK\x03\x04",
        "a zip archive inside what was given",
        "give it by itself: archives are not opened inside others",
    ),
    (
        b"\x1f\x8b",
        "a gzip file inside what was given",
        "give it by itself: archives are not opened inside others",
    ),
    (b"\x7fELF", "a program or library", "give it to `kb profile-and-advise`, which profiles it"),
    (b"\xff\xfe", "text in UTF-16, as a spreadsheet saves it", "save it as CSV in UTF-8"),
    (b"\xfe\xff", "text in UTF-16, as a spreadsheet saves it", "save it as CSV in UTF-8"),
)
_SQLITE = b"SQLite format 3\0"


def describe(source: Source) -> tuple[str, str] | None:
    """What a file looks like and what to do, None when it looks like nothing known."""
    if source.head.startswith(_SQLITE):
        return _database(source)
    for magic, name, now in _MAGIC:
        if source.head.startswith(magic):
            return name, now
    cells = {cell.casefold() for cell in source.header}
    for how, marks, name, now in looks():
        if cells.issuperset(marks) if how == "header" else all(mark in source.text for mark in marks):
            return name, now
    return None


@cache
def looks() -> tuple[tuple[str, tuple[str, ...], str, str], ...]:
    """Rows of the table: how to recognise, the marks, what it is called, what to do."""
    lines = (files(__package__) / "foreign.tsv").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines[1:])
    return tuple((how, tuple(marks.split("|")), name, now) for how, marks, name, now in rows)


def _database(source: Source) -> tuple[str, str]:
    """A SQLite file by the tables it has; only their names are read."""
    try:
        uri = f"file:{quote(str(source.path.absolute()))}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as base:
            query = "SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 1000"
            tables = {str(name) for (name,) in base.execute(query)}
    except (sqlite3.Error, ValueError):
        return "a damaged SQLite database", "export the profile again"
    if "COMPUTE_TASK_INFO" in tables or "TASK" in tables:
        return (
            "a database of a profiler that lacks the tables of tasks and strings",
            "export the profile again",
        )
    if not {name for name in tables if not name.startswith("sqlite_")}:
        return (
            "a SQLite database without a single table",
            "the export was cut short: export the profile again",
        )
    return "a SQLite database that is no profile", _JOB


def refusal(source: Source) -> SourceError:
    """The error for one file that no reader takes."""
    if not source.size:
        return SourceError(
            "the file is empty (0 bytes)",
            where=str(source.path),
            now="the export was cut short: export it again",
        )
    found = describe(source)
    if found:
        return SourceError(f"looks like {found[0]}", where=str(source.path), now=found[1])
    if source.header and len(source.header) > 1:
        what = f"no profile kb knows; the header begins with {clean(', '.join(source.header[:4]), 120)!r}"
    else:
        what = "no profile kb knows" if source.text else "a binary file that is no profile kb knows"
    return SourceError(what, where=str(source.path), now="`kb formats` lists what is read")
