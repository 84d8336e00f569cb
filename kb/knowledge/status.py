"""How far the knowledge base reaches and where it is weak, as counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kb.knowledge.schema import GRADES, KINDS, STATES
from kb.model import Entry
from kb.vocabulary.entries import LANGUAGES

GROUPS = ("state", "grade", "chip", "family")
WEAK_FROM = 3  # reasons that make an entry weak
SHORT = 60  # characters below which a cause explains little


@dataclass(frozen=True, slots=True)
class Status:
    """Counts over entries; rows of `groups` are (value, number of each kind in the order of `KINDS`)."""

    kinds: Mapping[str, int]
    groups: Mapping[str, tuple[tuple[str, tuple[int, ...]], ...]]
    languages: Mapping[str, tuple[int, int]]  # language -> entries with all three texts, with a body
    figures: int  # recipes with a published figure
    snippets: int  # recipes with code
    matched: int  # recipes that a profile can be matched with
    weak: tuple[tuple[str, tuple[str, ...]], ...] = field(default=())  # id -> reasons


def status(entries: Iterable[Entry]) -> Status:
    """The status of these entries."""
    listed = sorted(entries, key=lambda entry: entry.id)
    recipes = [entry for entry in listed if entry.kind == "recipe"]
    weak = ((entry.id, tuple(reasons(entry))) for entry in listed)
    return Status(
        {kind: sum(entry.kind == kind for entry in listed) for kind in KINDS},
        {group: tuple(_rows(group, listed)) for group in GROUPS},
        {lang: _translated(listed, lang) for lang in LANGUAGES},
        sum(_has_figure(entry) for entry in recipes),
        sum(bool(entry.snippet) for entry in recipes),
        sum(bool(entry.when) for entry in recipes),
        tuple(
            sorted((one for one in weak if len(one[1]) >= WEAK_FROM), key=lambda one: (-len(one[1]), one[0]))
        ),
    )


def reasons(entry: Entry) -> Iterator[str]:
    """What makes an entry weak, in words; one alone is common and no fault."""
    if entry.state == "draft":
        yield "draft"
    if entry.grade in ("stated", "practice"):
        yield f"grade {entry.grade}"
    if entry.kind == "recipe" and not _has_figure(entry):
        yield "no figure"
    if entry.kind in ("recipe", "pattern") and not entry.when:
        yield "no condition on a metric"
    if entry.kind != "case" and len(entry.steps) < 2:
        yield "one step"
    if len(entry.cause) < SHORT:
        yield "short cause"
    if entry.kind == "case" and not entry.links:
        yield "no links"


def _has_figure(entry: Entry) -> bool:
    return any(gain.saved_low is not None for gain in entry.gains)


def _rows(group: str, entries: list[Entry]) -> Iterator[tuple[str, tuple[int, ...]]]:
    counts: dict[str, Counter[str]] = {}
    for entry in entries:
        for value in _values(group, entry):
            counts.setdefault(value, Counter())[entry.kind] += 1
    fixed: tuple[str, ...] = {"state": STATES, "grade": GRADES}.get(group, ())
    order = sorted(counts, key=lambda value: (-sum(counts[value].values()), value))
    for value in [*(value for value in fixed if value in counts), *(v for v in order if v not in fixed)]:
        yield value, tuple(counts[value][kind] for kind in KINDS)


def _values(group: str, entry: Entry) -> tuple[str, ...]:
    if group == "chip":
        return entry.chips or ("any",)
    return (str(getattr(entry, group)),)


def _translated(entries: list[Entry], lang: str) -> tuple[int, int]:
    texts = sum(
        all(getattr(getattr(entry, key), lang) for key in ("title", "symptom", "remedy")) for entry in entries
    )
    return texts, len(entries) if lang == "en" else sum(lang in entry.bodies for entry in entries)
