"""Statements as the store writes them, for SQLite, as PostgreSQL's driver wants them."""

from __future__ import annotations

import re
from functools import lru_cache

_PART = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|(?<![:\w]):(?P<name>[A-Za-z_]\w*)|(?P<mark>\?)|(?P<percent>%)")
_DESCENDING = re.compile(r"(?P<text>'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*)|\bdesc\b(?!\s+nulls)", re.IGNORECASE)
_EITHER = re.compile(r"coalesce\((\w+\.)?value, (\w+\.)?word\)")


@lru_cache(maxsize=512)
def marked(sql: str) -> str:
    """`?` and `:name` become `%s` and `%(name)s`; a percent sign is doubled, texts in quotes keep their marks."""

    def one(match: re.Match[str]) -> str:
        if match["name"]:
            return f"%({match['name']})s"
        if match["mark"]:
            return "%s"
        return match[0].replace("%", "%%")

    return _PART.sub(one, sql)


@lru_cache(maxsize=512)
def translated(sql: str) -> str:
    """A select of ours with the meaning it has in SQLite.

    There NULL is the smallest value, so it comes last in falling order; and a column may hold numbers and texts, which
    here are values of JSON.
    """
    either = _EITHER.sub(r"coalesce(to_jsonb(\1value), to_jsonb(\2word))", sql)
    return _DESCENDING.sub(lambda match: match[0] if match["text"] else "desc nulls last", either)
