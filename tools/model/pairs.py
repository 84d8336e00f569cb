"""Pairs of texts that mean the same, for contrastive training: glossary, operators in problem templates, entries.

Nothing here comes from a benchmark or from collected questions: those only measure.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.knowledge.index import vector_text
from kb.model import Entry

HERE = Path(__file__).parent
LANGUAGES = ("en", "zh", "ja")
Row = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]  # alternatives in en, zh, ja


@dataclass(frozen=True)
class Pair:
    """Two texts with one meaning; pairs with equal keys must not meet in a batch (they are no negatives)."""

    left: str
    right: str
    key: Hashable


@dataclass(frozen=True)
class EntryTexts:
    """What is said of one entry: short, as users would, by language; long, any; and the text that search embeds."""

    id: str
    family: str
    short: Row
    long: tuple[str, ...]
    indexed: str


def read_rows(path: Path) -> list[Row]:
    """A three-column table; alternatives are divided by ";", "#" starts a comment, the first line is the header."""
    lines = [
        line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")
    ]
    rows = []
    for line in lines[1:]:
        en, zh, ja = (
            tuple(part.strip() for part in cell.split(";") if part.strip()) for cell in line.split("\t")
        )
        rows.append((en, zh, ja))
    return rows


def entry_texts(entries: Iterable[Entry]) -> list[EntryTexts]:
    """The texts of entries that training may use."""
    found = []
    for entry in entries:
        short = tuple(
            tuple(
                text
                for text in (
                    getattr(entry.title, language),
                    getattr(entry.symptom, language),
                    *entry.aliases.get(language, ()),
                )
                if text
            )
            for language in LANGUAGES
        )
        long = (
            *(
                f"{getattr(entry.title, name)}. {getattr(entry.symptom, name)}"
                for name in LANGUAGES
                if getattr(entry.title, name)
            ),
            *(getattr(entry.remedy, name) for name in LANGUAGES if getattr(entry.remedy, name)),
            *((entry.cause,) if entry.cause else ()),
        )
        found.append(EntryTexts(entry.id, entry.family, short, long, vector_text(entry)))  # type: ignore[arg-type]
    return found


class Sampler:
    """Draws batches of pairs; the same seed gives the same batches."""

    def __init__(
        self, glossary: Sequence[Row], entries: Sequence[EntryTexts], names: Sequence[str], seed: int
    ) -> None:
        self._rng = random.Random(seed)
        self._glossary = glossary
        self._operators = read_rows(HERE / "operators.tsv")
        self._templates = read_rows(HERE / "templates.tsv")
        self._names = names
        self._entries = entries
        self._families: dict[str, list[EntryTexts]] = {}
        for entry in entries:
            self._families.setdefault(entry.family, []).append(entry)

    def batch(self, size: int) -> list[Pair]:
        """That many pairs: two fifths of entries (half of these from one family, hard to tell apart), the rest made."""
        chosen: dict[Hashable, Pair] = {}
        of_entries = size * 2 // 5 if self._entries else 0
        for entry in self._some_entries(of_entries):
            chosen[entry.id] = self._entry_pair(entry)
        while len(chosen) < size:
            pair = self._template_pair() if self._rng.random() < 0.6 else self._glossary_pair()
            if pair.left != pair.right:
                chosen.setdefault(pair.key, pair)
        return list(chosen.values())

    def texts(self, count: int) -> list[str]:
        """Made texts for the teachers to judge: single phrases and short paragraphs of several."""
        found: dict[str, None] = {}
        while len(found) < count:
            pair = self._template_pair() if self._rng.random() < 0.6 else self._glossary_pair()
            language = self._rng.randrange(3)
            words = [self._problem(language) for _ in range(2)] + [self._term(language) for _ in range(2)]
            found.update(
                dict.fromkeys((pair.left, pair.right, (". " if language == 0 else "。").join(words)))
            )
        return list(found)[:count]

    def _some_entries(self, count: int) -> list[EntryTexts]:
        if not count:
            return []
        seed = self._rng.choice(self._entries)
        near = self._families[seed.family]
        rows = self._rng.sample(near, min(len(near), count // 2))
        rows += self._rng.sample(list(self._entries), min(count - len(rows), len(self._entries)))
        return list({row.id: row for row in rows}.values())

    def _entry_pair(self, entry: EntryTexts) -> Pair:
        rng = self._rng
        languages = [i for i in range(3) if entry.short[i]]
        left = rng.choice(entry.short[rng.choice(languages)])
        draw = rng.random()
        if draw < 0.5:
            right = entry.indexed
        else:
            right = rng.choice(entry.long if draw < 0.75 else entry.short[rng.choice(languages)])
        return Pair(left, right if right != left else entry.indexed, entry.id)

    def _name(self, row: Row, language: int) -> str:
        # Chinese and Japanese texts often keep the English name
        name = self._rng.choice(row[0] if self._rng.random() < 0.5 else row[language])
        return self._rng.choice(name.split()) if language == 0 and self._rng.random() < 0.5 else name

    def _template_pair(self) -> Pair:
        rng = self._rng
        template = rng.choice(self._templates)
        if self._names and rng.random() < 0.4:
            name = rng.choice(self._names)
            operator: Row = ((name,), (name,), (name,))
        else:
            operator = rng.choice(self._operators)
        a, b = rng.randrange(3), rng.randrange(3)
        left = rng.choice(template[a]).replace("{op}", self._name(operator, a))
        right = rng.choice(template[b]).replace("{op}", self._name(operator, b))
        return Pair(left, right, (template[0][0], operator[0][0]))

    def _glossary_pair(self) -> Pair:
        rng = self._rng
        a, b = rng.randrange(3), rng.randrange(3)
        one = rng.choice(self._glossary)
        if rng.random() < 0.5:
            return Pair(rng.choice(one[a]), rng.choice(one[b]), one[0][0])
        two = rng.choice(self._glossary)
        join = ((" ",), ("", "、", " "), ("", "、", " "))
        left = [rng.choice(one[a]), rng.choice(two[a])]
        right = [rng.choice(one[b]), rng.choice(two[b])]
        if rng.random() < 0.5:
            right.reverse()
        key = tuple(sorted((one[0][0], two[0][0])))
        return Pair(rng.choice(join[a]).join(left), rng.choice(join[b]).join(right), key)

    def _problem(self, language: int) -> str:
        operator = self._rng.choice(self._operators)
        return self._rng.choice(self._rng.choice(self._templates)[language]).replace(
            "{op}", self._name(operator, language)
        )

    def _term(self, language: int) -> str:
        return self._rng.choice(self._rng.choice(self._glossary)[language])
