"""Stems of terms as SQLite's FTS5 makes them, so that an index elsewhere finds the same words."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

TOKENIZE = "porter unicode61 remove_diacritics 0 tokenchars '_'"


class Stemmer:
    """FTS5 in memory, asked for the stems of a few terms at a time."""

    def __init__(self) -> None:
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        self._db.execute(f'CREATE VIRTUAL TABLE asked USING fts5(term, tokenize="{TOKENIZE}")')
        self._db.execute("CREATE VIRTUAL TABLE one USING fts5vocab('asked', 'instance')")

    def stems(self, terms: Sequence[str]) -> list[str]:
        """The stem of each term, empty for one without a letter or digit."""
        self._db.executemany("INSERT INTO asked(rowid, term) VALUES(?, ?)", enumerate(terms))
        found = {place: stem for stem, place in self._db.execute("SELECT term, doc FROM one")}
        self._db.execute("DELETE FROM asked")
        return [found.get(place, "") for place in range(len(terms))]
