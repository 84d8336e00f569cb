"""The tables of this folder, read once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from kb.vocabulary.entries import LANGUAGES


@dataclass(frozen=True, slots=True)
class Intent:
    """A question that can be answered.

    `needs` are groups of concepts or slots (`@operator`), one of each group must be there; `likes` fit it too; `shuns`
    mean something else. `title` is the question in each language, with the slots in braces.
    """

    id: str
    needs: tuple[frozenset[str], ...]
    likes: frozenset[str]
    shuns: frozenset[str]
    title: dict[str, str]

    @property
    def slots(self) -> frozenset[str]:
        """Slots without which the query makes no sense."""
        alone = [group for group in self.needs if len(group) == 1]
        return frozenset(word for group in alone for word in group if word.startswith("@"))


def _rows(name: str) -> Iterator[list[str]]:
    lines = files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines()
    plain = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return iter(plain[1:])


def _forms(cell: str) -> list[str]:
    return [form.strip() for form in cell.split(";") if form.strip()]


@cache
def intents() -> dict[str, Intent]:
    """All questions by id, in the order of the table."""
    found = {}
    for id, needs, likes, shuns, *title in _rows("intents.tsv"):
        groups = tuple(frozenset(group.split("|")) for group in needs.split())
        texts = dict(zip(LANGUAGES, title, strict=True))
        found[id] = Intent(id, groups, frozenset(likes.split()), frozenset(shuns.split()), texts)
    return found


@cache
def sql(id: str) -> str:
    """The query of a question."""
    return (files(__package__) / "sql" / f"{id}.sql").read_text(encoding="utf-8").strip()


@cache
def concepts() -> dict[str, frozenset[str]]:
    """Forms, in small letters, to the concepts they stand for; none for words that mean nothing here."""
    found: dict[str, set[str]] = {}
    for concept, *cells in _rows("concepts.tsv"):
        for form in (form for cell in cells for form in _forms(cell)):
            found.setdefault(form.casefold(), set()).update({concept} - {"-"})
    return {form: frozenset(names) for form, names in found.items()}


@cache
def values() -> dict[str, tuple[str, str]]:
    """Forms, in small letters, to (slot, value): kinds of cores, roles, metrics (several are parted by blanks)."""
    found = {}
    for slot, value, *cells in _rows("values.tsv"):
        found.update({form.casefold(): (slot, value) for cell in cells for form in _forms(cell)})
    for value, *cells in _rows("metrics.tsv"):
        found.update({form.casefold(): ("metric", value) for cell in cells for form in _forms(cell)})
    return found


@cache
def heads() -> dict[str, dict[str, str]]:
    """Columns of the answers to their headings in each language."""
    return {name: dict(zip(LANGUAGES, texts, strict=True)) for name, *texts in _rows("heads.tsv")}
