"""Sentences that the engine computes, in three languages: a table a part of it, a row a template.

`{name}` stands for a name, a command or a figure and is carried over as it is; `{name#}` matches a figure only; `{name*}`
is a sentence of its own and is translated too; `{name&}` lists names, of which only the "or" and "and" between them are. Every placeholder of the English stands in each translation. A template
that another language says with the same words needs no row.
"""

from __future__ import annotations

from typing import NamedTuple

from kb.vocabulary.entries import LANGUAGES


class Sentence(NamedTuple):
    """One template in English, Simplified Chinese and Japanese, and the table that holds it."""

    en: str
    zh: str
    ja: str
    table: str

    def in_language(self, lang: str) -> str:
        """The template in one of the languages."""
        return self[LANGUAGES.index(lang)]


def load() -> tuple[Sentence, ...]:
    """All templates, table by table.

    Raises:
        ValueError: a row has not three columns.
    """
    from importlib import resources  # noqa: PLC0415 - slow to load, and English needs none of this

    found = []
    for path in sorted(resources.files(__name__).iterdir(), key=lambda one: one.name):
        if path.name.endswith(".tsv"):
            lines = path.read_text(encoding="utf-8").splitlines()[1:]
            for line in lines:
                en, zh, ja = line.split("\t")
                found.append(Sentence(en, zh, ja, path.name))
    return tuple(found)
