"""What a file that no reader takes looks like, and what to give instead: a refusal should name the thing.

A line of `foreign.tsv` is enough for a new kind: the words that mark it (cells of the header line, or words
in the head of a text file), what it is called, what to do.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from importlib.resources import files

from kb.engine.readers.source import Source
from kb.engine.readers.sqlite_file import SqliteFile
from kb.engine.readers.words import clean
from kb.errors import SourceError

_JOB = "give kernel_details.csv, op_summary_*.csv or the folder that holds one"

PROGRAM = "a program or library"
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
    (b"\x7fELF", PROGRAM, "give it to `kb profile-and-advise`, which profiles it"),
)
# of two that begin alike the longer one first
_MARKS = (
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_ZEROS = (
    (4, slice(1, 4), "UTF-32LE"),
    (4, slice(0, 3), "UTF-32BE"),
    (2, slice(1, 2), "UTF-16LE"),
    (2, slice(0, 1), "UTF-16BE"),
)
_SQLITE = b"SQLite format 3\0"


def wide_text(source: Source) -> str | None:
    """The encoding of a text whose characters take two or four bytes, as Excel and PowerShell write it; by its byte
    order mark, else by the zeros beside plain ASCII.
    """
    head = source.head[:256]
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    for width, zeros, name in _ZEROS:
        characters = [head[at : at + width] for at in range(0, len(head) - width + 1, width)]
        letters = [one.strip(b"\0") for one in characters]
        plain = all(len(letter) == 1 and (letter.isspace() or 32 <= letter[0] < 127) for letter in letters)
        if len(letters) >= 8 and plain and all(one[zeros] == b"\0" * (width - 1) for one in characters):
            return name
    return None


def describe(source: Source) -> tuple[str, str] | None:
    """What a file looks like and what to do, None when it looks like nothing known."""
    if source.head.startswith(_SQLITE):
        return _database(source)
    for magic, name, now in _MAGIC:
        if source.head.startswith(magic):
            return name, now
    wide = wide_text(source)
    if wide:
        return f"text in {wide}", f"`iconv -f {wide} -t UTF-8 FILE > NEW`, or save it as CSV in UTF-8"
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
        with SqliteFile(source.path, source.size) as base:
            tables = set(base.tables)
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
    if source.path.suffix.lower() == ".onnx":
        now = "For a model: kb profile-and-advise MODEL.onnx --soc SOC"
        return SourceError("a model is no profile", where=str(source.path), now=now)
    if source.header and len(source.header) > 1:
        what = f"no profile kb knows; the header begins with {clean(', '.join(source.header[:4]), 120)!r}"
    else:
        what = "no profile kb knows" if source.text else "a binary file that is no profile kb knows"
    return SourceError(what, where=str(source.path), now="`kb formats` lists what is read")
