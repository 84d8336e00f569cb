"""Rows of the store as files for other tools: CSV, JSON, JSON Lines, Parquet.

CSV and JSON are written row by row, so an export of all runs needs no memory for it. Parquet needs pandas with
pyarrow, which the base install does not bring.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from kb.errors import UsageError
from kb.postgres.address import Address
from kb.postgres.protocol import Connection, Cursor
from kb.store.database import location, looking, nothing_kept
from kb.store.details import DETAILS
from kb.store.views import VIEWS

FORMATS = ("csv", "json", "jsonl", "parquet")
TABLES = (*VIEWS, *(name for name in DETAILS))
Rows = Iterable[tuple[Any, ...]]
# what a spreadsheet takes for the start of a formula, also in the wide characters of Chinese and Japanese ones
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# what a terminal obeys where the file is shown on one; line breaks and tabs stay, in quotes
_OBEYED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@contextmanager
def exported(
    table: str, runs: Sequence[str] = (), *, db: str | None = None
) -> Iterator[tuple[tuple[str, ...], Rows]]:
    """Columns and rows of a table or view, of some runs or of all; read as they are taken.

    Raises:
        UsageError: no such table, or it says nothing of single runs. SourceError: the store cannot be read.
    """
    if table not in TABLES:
        raise UsageError(f"no table {table!r}", where="--table", now=f"Choose one of {', '.join(TABLES)}.")
    with _open(location(db)) as (connection, ask):
        none = connection.execute(f"select * from {table} limit 0")  # noqa: S608 - a name of TABLES
        columns = tuple(column[0] for column in none.description)
        if runs and "run" not in columns:
            raise UsageError(
                f"{table} is about all runs together",
                where="--table",
                now="Leave the runs out, or take another table.",
            )
        order = [name for name in ("run", "position", "rank") if name in columns] or ["1"]
        which = f" where run in ({', '.join('?' * len(runs))})" if runs else ""
        sql = f"select * from {table}{which} order by {', '.join(order)}"  # noqa: S608 - a name of TABLES
        yield columns, ask(sql, list(runs))


@contextmanager
def _open(place: Path | Address) -> Iterator[tuple[Connection, Callable[[str, list[str]], Cursor]]]:
    """A store that cannot be written, and how a long answer is read from it as it comes."""
    if isinstance(place, Path):
        with looking(place) as file:
            yield file, file.execute
        return
    from kb.store import server  # noqa: PLC0415 - only where there is one

    with server.looking(place) as session:
        if session is None:
            with nothing_kept() as file:
                yield file, file.execute
        else:
            yield session, session.stream


def write_csv(out: IO[str], columns: Sequence[str], rows: Rows) -> None:
    """CSV with a header; a text that a spreadsheet would run as a formula gets an apostrophe in front, and what a
    terminal would obey is left out.
    """
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(value) for value in row])


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    plain = _OBEYED.sub("", value)
    return f"'{plain}" if plain.lstrip(" ").startswith(_FORMULA) else plain


def write_json(out: IO[str], columns: Sequence[str], rows: Rows) -> None:
    """An array of objects; what is absent has no member."""
    before = "[\n"
    for row in rows:
        out.write(f"{before}{_object(columns, row)}")
        before = ",\n"
    out.write("[]\n" if before == "[\n" else "\n]\n")


def write_jsonl(out: IO[str], columns: Sequence[str], rows: Rows) -> None:
    """An object a line; what is absent has no member."""
    for row in rows:
        out.write(f"{_object(columns, row)}\n")


def _object(columns: Sequence[str], row: tuple[Any, ...]) -> str:
    found = {name: value for name, value in zip(columns, row, strict=True) if value is not None}
    return json.dumps(found)  # ASCII: whatever a name holds, nothing in it acts on a terminal


TEXT = {"csv": write_csv, "json": write_json, "jsonl": write_jsonl}


def write_parquet(path: Path, columns: Sequence[str], rows: Rows) -> None:
    """A Parquet file; whole numbers with gaps stay whole numbers.

    Raises:
        UsageError: pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:  # asked for here, because pandas complains at length
        raise UsageError(
            "Parquet needs pyarrow, which is not installed",
            where="--format parquet",
            now="pip install pyarrow, or export CSV or JSON.",
        )
    import pandas as pd  # noqa: PLC0415 - half a second

    frame = pd.DataFrame(list(rows), columns=list(columns)).convert_dtypes()
    frame.to_parquet(path, engine="pyarrow", index=False)
