"""Every fixed text of the views, in English, Simplified Chinese and Japanese: a module an area, one lookup.

Terms of the field (kernel, block dim, MTE2, cube, vector, roofline) and command names stay as they are
everywhere.
"""

from __future__ import annotations

from kb.report.catalogue import (
    answer,
    charts,
    collecting,
    comparison,
    coverage,
    database,
    evaluation,
    forecast,
    job,
    knowledge,
    migration,
    outcomes,
    program,
    readings,
    runs,
    words,
)
from kb.report.plural import filled
from kb.vocabulary.entries import LANGUAGES

Row = tuple[str, str, str]

AREAS = (
    answer,
    charts,
    collecting,
    comparison,
    coverage,
    database,
    evaluation,
    forecast,
    job,
    knowledge,
    migration,
    outcomes,
    program,
    readings,
    runs,
    words,
)
TEXTS: dict[str, Row] = {key: row for area in AREAS for key, row in area.TEXTS.items()}


def say(key: str, lang: str, **values: object) -> str:
    """The fixed text `key` in `lang` (en, zh or ja; anything else gives English), `values` filled in.

    `{count:entry|entries}` stands for the first word where `count` is one, else for the second.
    """
    row = TEXTS[key]
    text = row[LANGUAGES.index(lang)] if lang in LANGUAGES else row[0]
    return filled(text, values) if values else text
