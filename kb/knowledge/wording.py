"""Whether a Chinese or Japanese text says it as practitioners do: the terms and signs of `data/wording.tsv`.

Users' words (`aliases`) are free: people search with the terms that the texts avoid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from kb.knowledge.body import HEADINGS
from kb.knowledge.faults import Found
from kb.knowledge.words import table
from kb.model import Entry

LANGUAGES = ("zh", "ja")
_CODE = re.compile(r"`[^`]*`")  # names and code of a body keep their own signs


def discouraged(text: str, lang: str) -> Iterator[tuple[str, str]]:
    """Each term of the text that the entries avoid in `lang`, and what to write in its place."""
    bare = _CODE.sub("`", text)
    for avoid, write in _rows(lang):
        if match := avoid.search(bare):
            yield match.group(), write


def worded(entry: Entry) -> Iterator[Found]:
    """Translations use the terms of the field, the same one for the same thing; a warning."""
    for lang in LANGUAGES:
        texts = [
            (f"{key}.{lang}", getattr(getattr(entry, key), lang)) for key in ("title", "symptom", "remedy")
        ]
        if body := entry.bodies.get(lang):
            sections = ((name, getattr(body, name)) for name in HEADINGS)
            texts += [
                (f"section.{lang}.{name}", text if isinstance(text, str) else "\n".join(text))
                for name, text in sections
            ]
        for at, text in texts:
            for term, write in discouraged(text, lang):
                yield Found("wording", at, f'"{term}" in {at}', f"write {write}", "warning")


@cache
def _rows(lang: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(avoid), write) for of, avoid, write in table("wording.tsv", 3) if of == lang)
