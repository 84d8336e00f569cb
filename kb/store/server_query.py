"""Asking the store on a server in SQL: one select in a transaction that cannot write, with a limit on rows and on time.

The statement is declared as a cursor, by the protocol that takes one statement: what is no select, or more than one, does
not get through. What a role may do beyond selecting (a superuser reads files by functions) is for whoever grants it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kb.errors import UsageError
from kb.postgres.address import Address
from kb.postgres.faults import ServerError
from kb.postgres.marks import translated
from kb.store import answers, server

_MORE_THAN_LOOKING = frozenset({"25006", "0A000", "42501"})  # no writing, no select, no right
_OF_THE_SERVER = frozenset(
    {"08", "53", "57", "58", "XX"}
)  # classes of states that are no fault of the question
_REMARK = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_DOES = re.compile(
    r"(insert|update|delete|merge|drop|create|alter|truncate|vacuum|analyze|reindex|copy|do|call|begin|start|commit|end|"
    r"rollback|savepoint|release|set|reset|grant|revoke|lock|notify|listen|prepare|execute|declare|attach|detach|pragma|"
    r"replace|explain|load|refresh|comment|cluster|checkpoint|discard|security|reassign|import)\b",
    re.IGNORECASE,
)
_WRITES = re.compile(r"\b(insert\s+into|delete\s+from|merge\s+into|update\s+\S+\s+set)\b", re.IGNORECASE)


def answer(
    place: Address, sql: str, parameters: Mapping[str, Any], rows: int, seconds: float
) -> answers.Answer | None:
    """The answer to one select; None where the database has no store.

    Raises:
        UsageError: it is no select, is at fault, takes too long, or would change something.
        SourceError: the store cannot be read.
    """
    with server.looking(place, seconds) as session:
        if session is None:
            return None
        with _faults(sql, seconds):
            cursor = session.stream(translated(sql), parameters)
            columns = tuple(column[0] for column in cursor.description)
            found, cut = answers.fetched(cursor, rows)
        return answers.Answer(columns, found, cut)


@contextmanager
def _faults(sql: str, seconds: float) -> Iterator[None]:
    """What the server has against a question, as an error of who asked; what befalls the server, as of the server."""
    text = _REMARK.sub(" ", sql).strip(" \t\r\n;")
    if not text:
        raise UsageError("this asks for nothing", where="SQL", now="Write one select.")
    if "\0" in sql:
        raise UsageError("a NUL in the text", where="SQL", now="Mend the select.")
    try:
        yield
    except ServerError as fault:
        if fault.state == "57014":
            raise UsageError(
                f"this takes longer than {seconds:g} s",
                where="SQL",
                now="Ask for less, or give --seconds more.",
            ) from fault
        if fault.state is None or fault.state[:2] in _OF_THE_SERVER:
            raise
        if "multiple commands" in fault.said:
            raise UsageError("more than one statement", where="SQL", now="Write one select.") from fault
        if fault.state in _MORE_THAN_LOOKING or _DOES.match(text) or _WRITES.search(text):
            raise UsageError(
                "this would do more than look, or look where this role may not",
                where="SQL",
                now="The store is opened read-only: write one select.",
            ) from fault
        raise UsageError(
            fault.said,
            where="SQL",
            now="Tables and views: docs/database.md, or select table_name from information_schema.tables.",
        ) from fault
