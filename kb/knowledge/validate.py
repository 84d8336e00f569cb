"""Whether the knowledge holds together: every fault of every entry and between entries, all at once.

Reading already refuses what is no entry (unknown keys, wrong types; `entry.py`). Here are the rules over what was
read. A rule over one entry is a function in `ENTRY_RULES`, a rule over all in `SET_RULES`; `CODES` lists every fault
code that can be reported, and a test asks for a bad sample of each.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb import shipped, targets
from kb.knowledge import conditions, own
from kb.knowledge.body import HEADINGS
from kb.knowledge.entry import Parsed, entry_files, parse_file
from kb.knowledge.faults import Fault, Found, errors, render_text, to_dict
from kb.knowledge.fingerprint import fingerprints
from kb.knowledge.schema import ROLES
from kb.knowledge.template import TODO
from kb.knowledge.wording import worded
from kb.model import Entry
from kb.vocabulary import bottlenecks
from kb.vocabulary.entries import LANGUAGES

__all__ = ["CODES", "Fault", "errors", "render_text", "to_dict", "validate"]

ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
SECTIONS = {
    "recipe": ("cause", "steps", "why", "check", "when_not"),
    "pattern": ("cause", "steps", "check", "when_not"),
    "case": ("cause",),
    "tip": ("cause", "steps", "check", "when_not"),
}
READ_CODES = (
    *(
        "bad-choice",
        "bad-value",
        "control-character",
        "duplicate-key",
        "duplicate-section",
        "encoding",
        "extra-snippet",
    ),
    *(
        "loose-text",
        "missing-key",
        "no-head",
        "open-snippet",
        "repeated",
        "section-level",
        "section-order",
        "too-long",
    ),
    *(
        "unknown-key",
        "unknown-section",
        "unreadable",
        "wrong-type",
        "yaml",
        "yaml-alias",
        "yaml-depth",
        "yaml-tag",
    ),
)


@dataclass(frozen=True, slots=True)
class Library:
    """All entries that could be read, by id, with what the set rules look at."""

    entries: Mapping[str, Entry]
    led_to: frozenset[str]  # ids that some pattern or case links
    bottlenecks: frozenset[str]  # those of the vocabulary, and patterns that stand only here

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Library:
        """The library of these entries."""
        by_id = {entry.id: entry for entry in entries}
        led = {link for entry in by_id.values() if entry.kind in ("pattern", "case") for link in entry.links}
        patterns = {entry.id for entry in by_id.values() if entry.kind == "pattern"}
        return cls(by_id, frozenset(led), frozenset(patterns.union(bottlenecks.IDS)))


EntryRule = Callable[[Entry], Iterator[Found]]
SetRule = Callable[[Entry, Library], Iterator[Found]]


def validate(paths: Iterable[Path] | None = None, beside: Iterable[Path] | None = None) -> list[Fault]:
    """Every fault of the entries below the paths (the shipped ones and the team's when none are given), by place.

    Args:
        paths: roots, folders or single files, as `entry_files` takes them.
        beside: entries that are known too, so that links may lead to them and their ids are taken; they are not
            reported on. The shipped ones and the team's by default.

    Warnings (missing translations) do not make it invalid; `errors` leaves them out.
    """
    everything = [shipped.root(), *own.folders()]
    given = list(paths) if paths is not None else everything
    parsed = [(kind, path, parse_file(path)) for kind, path in entry_files(given)]
    mine = {path.resolve() for _, path, _ in parsed}
    known = [
        (path, parse_file(path).entry)
        for _, path in entry_files(everything if beside is None else beside)
        if path.resolve() not in mine
    ]
    known += [(path, one.entry) for _, path, one in parsed]
    entries = [entry for _, entry in known if entry is not None]
    library = Library.of(entries)
    titles = Counter(entry.title.en.casefold() for entry in entries)
    owners: dict[str, Path] = {}
    for path, entry in known:
        if entry is not None:
            owners.setdefault(entry.id, path)
    faults = [_nothing(path) for path in given if next(entry_files([path]), None) is None]
    for kind, path, one in parsed:
        faults += one.faults
        if one.entry is None:
            continue
        found = [*_place(kind, path, one.entry), *_unique(one.entry, path, owners[one.entry.id], titles)]
        found += [item for rule in ENTRY_RULES for item in rule(one.entry)]
        found += [item for rule in SET_RULES for item in rule(one.entry, library)]
        faults += [_fault(one, path, one.entry.id, item) for item in found]
    return sorted(set(faults))


def _nothing(path: Path) -> Fault:
    mend = "give a folder with cases, recipes, patterns or tips, or an entry file"
    return Fault(str(path), 1, 1, "", "no-entries", "no entry here", mend)


def _fault(parsed: Parsed, path: Path, entry_id: str, found: Found) -> Fault:
    keys = [found.at]
    while "." in keys[-1]:
        keys.append(keys[-1].rsplit(".", 1)[0])
    line, column = parsed.place(*keys)
    return Fault(str(path), line, column, entry_id, found.code, found.what, found.mend, found.severity)


# --- one entry ---


def _place(kind: str, path: Path, entry: Entry) -> Iterator[Found]:
    if path.stem != entry.id:
        yield Found("id-file", "id", f'id "{entry.id}" in {path.name}', f"name the file {entry.id}.md")
    if kind and entry.kind != kind:
        yield Found(
            "kind-folder",
            "kind",
            f"a {entry.kind} in folder {path.parent.name}",
            f"move it or say kind: {kind}",
        )


def _unique(entry: Entry, path: Path, owner: Path, titles: Mapping[str, int]) -> Iterator[Found]:
    if owner != path:
        yield Found("duplicate-id", "id", f"id is taken by {owner}", "choose another id")
    if titles[entry.title.en.casefold()] > 1:
        yield Found(
            "duplicate-title",
            "title.en",
            f'another entry has the title "{entry.title.en}"',
            "tell them apart",
        )


def ids(entry: Entry) -> Iterator[Found]:
    """Ids are kebab-case and never change."""
    if not ID.fullmatch(entry.id):
        yield Found("bad-id", "id", f'"{entry.id}" is no id', "small letters and digits, joined by - or .")


def claims(entry: Entry) -> Iterator[Found]:
    """A claim without a source is not an entry; a figure says how good it is."""
    if not [source for source in entry.sources if source.strip()]:
        yield Found(
            "no-source",
            "sources",
            "a claim without a source",
            "name repository, path and commit, or the page",
        )
    for i, gain in enumerate(entry.gains):
        at = f"gains.{i}"
        if gain.saved_low is not None and gain.grade == "practice":
            yield Found(
                "gain-grade", at, "a figure of grade practice", "grade: vendor, third-party or stated"
            )
        yield from _saved(gain.saved_low, gain.saved_high, at)
        if gain.saved_low is None and not (gain.before or gain.after or gain.note):
            yield Found(
                "empty-gain", at, "a gain that says nothing", "give saved, before and after, or a note"
            )


def _saved(low: float | None, high: float | None, at: str) -> Iterator[Found]:
    numbers = [number for number in (low, high) if number is not None]
    if any(not math.isfinite(number) or number > 1 for number in numbers):
        yield Found(
            "gain-range",
            f"{at}.saved",
            "more than all of the time saved",
            "a fraction: 0.2 is 20 % of the time",
        )
    elif len(numbers) == 2 and numbers[0] > numbers[1]:
        yield Found("gain-range", f"{at}.saved", "low above high", "write [low, high]")
    elif len(numbers) == 1:
        yield Found("gain-range", f"{at}.saved", "half a range", "give both ends")


def names(entry: Entry) -> Iterator[Found]:
    """Operators and chips exist."""
    for i, name in enumerate(entry.operators):
        if not conditions.is_operator(name):
            yield Found(
                "unknown-operator",
                f"operators.{i}",
                f'no operator "{name}"',
                "a type or glob of data/operators",
            )
    chips = [(f"chips.{i}", name) for i, name in enumerate(entry.chips)]
    chips += [(f"gains.{i}.chip", gain.chip) for i, gain in enumerate(entry.gains) if gain.chip]
    for at, name in chips:
        if name not in targets.all_targets() and name not in targets.families():
            yield Found(
                "unknown-chip", at, f'no chip or family "{name}"', "a SoC id or family id of data/targets"
            )


def sections(entry: Entry) -> Iterator[Found]:
    """Every kind has its sections."""
    for name in SECTIONS[entry.kind]:
        if not getattr(entry, name):
            yield Found("missing-section", f"section.{name}", f"section {name} is empty", "write it")


def kinds(entry: Entry) -> Iterator[Found]:
    """What only one kind has."""
    if entry.kind == "pattern" and entry.bottlenecks != (entry.id,):
        yield Found(
            "pattern-bottleneck", "bottlenecks", "a pattern is one bottleneck", f"bottlenecks: [{entry.id}]"
        )
    if entry.kind == "case" and not entry.facts.get("model"):
        yield Found(
            "case-model", "facts", "a case without its model", "add facts.model with family and variant"
        )
    mix = entry.facts.get("fingerprint")
    if mix is not None and mix not in fingerprints():
        yield Found(
            "unknown-fingerprint", "facts", f'no fingerprint "{mix}"', "an id of data/fingerprints.tsv"
        )
    role = entry.facts.get("role")
    if role is not None and role not in ROLES:
        yield Found("bad-choice", "facts", f'role "{role}" does not exist', f"one of: {', '.join(ROLES)}")
    if entry.kind == "recipe" and not entry.bottlenecks and role in (None, "remedy"):
        mend = "name its bottlenecks, or say what it is in facts.role"
        yield Found("no-bottleneck", "bottlenecks", "a remedy for no bottleneck", mend)
    for name in set(entry.bottlenecks) & set(entry.not_for):
        yield Found("self-contradiction", "not_for", f'helps and does not help with "{name}"', "decide")


def translated(entry: Entry) -> Iterator[Found]:
    """Title, symptom and remedy in three languages; a warning."""
    missing = [
        f"{key}.{lang}" for key in ("title", "symptom", "remedy") for lang in ("zh", "ja")
        if not getattr(getattr(entry, key), lang)
    ]  # fmt: skip
    if missing:
        yield Found(
            "missing-translation", "title", f"not translated: {', '.join(missing)}", "translate it", "warning"
        )


def whole(entry: Entry) -> Iterator[Found]:
    """A translated body says all that the English one says."""
    for lang, body in entry.bodies.items():
        english = entry.body("en")
        lacks = [name for name in HEADINGS if bool(getattr(english, name)) != bool(getattr(body, name))]
        if lacks or len(body.steps) != len(english.steps):
            what = (
                f"the {lang} body differs from the English one in {', '.join(lacks) or 'the number of steps'}"
            )
            at = next(iter(f"section.{lang}.{name}" for name in HEADINGS if getattr(body, name)), "id")
            yield Found("half-translated", at, what, "translate every section and step, or none")


def filled(entry: Entry) -> Iterator[Found]:
    """Nothing of a template is left."""
    for key, text in sorted(_texts(entry)):
        if TODO in text:
            yield Found("unfilled", key, f"{key} still holds {TODO!r}", "write it, or remove the line")


def _texts(entry: Entry) -> Iterator[tuple[str, str]]:
    for key in ("title", "symptom", "remedy"):
        for lang in LANGUAGES:
            yield f"{key}.{lang}", getattr(getattr(entry, key), lang)
    for key in ("cause", "why", "check", "when_not", "snippet"):
        yield f"section.{'steps' if key == 'snippet' else key}", getattr(entry, key)
    for lang, body in entry.bodies.items():
        yield from ((f"section.{lang}.{name}", str(getattr(body, name))) for name in HEADINGS)
    yield "section.steps", " ".join(entry.steps)
    yield "family", entry.family
    yield "observe", " ".join(item.text for item in entry.observe)
    yield "facts", str(entry.facts)
    for key in ("operators", "chips", "bottlenecks", "links", "sources"):
        yield key, " ".join(getattr(entry, key))
    yield "aliases", str(entry.aliases)


# --- between entries ---


def named(entry: Entry, library: Library) -> Iterator[Found]:
    """Bottlenecks exist: in the vocabulary, or as a pattern that is no more than text."""
    for key in ("bottlenecks", "not_for"):
        for i, name in enumerate(getattr(entry, key)):
            if name not in library.bottlenecks:
                yield Found(
                    "unknown-bottleneck",
                    f"{key}.{i}",
                    f'no bottleneck "{name}"',
                    "see `kb list --kind pattern`",
                )


def links(entry: Entry, library: Library) -> Iterator[Found]:
    """Links lead to entries."""
    for i, link in enumerate(entry.links):
        if link not in library.entries:
            yield Found(
                "dangling-link", f"links.{i}", f'no entry "{link}"', "correct the id or remove the link"
            )
        elif link == entry.id:
            yield Found("dangling-link", f"links.{i}", "links to itself", "remove the link")


def reached(entry: Entry, library: Library) -> Iterator[Found]:
    """A pattern has remedies or says why none is known (`without_remedy`); every recipe is led to, be it as known not to help."""
    if entry.kind == "pattern":
        helps = [
            link
            for link in entry.links
            if link in library.entries and library.entries[link].kind in ("recipe", "tip")
        ]
        if not helps and not entry.facts.get("without_remedy"):
            yield Found(
                "pattern-without-recipe",
                "links",
                "no remedy for this bottleneck",
                "link recipes in order of trial, or say why there is none in facts: without_remedy",
            )
        for link in helps:
            if entry.id not in library.entries[link].bottlenecks:
                at = f"links.{entry.links.index(link)}"
                yield Found(
                    "one-sided",
                    at,
                    f'"{link}" does not say that it repairs this',
                    f"add {entry.id} to its bottlenecks",
                )
    if entry.kind == "recipe" and entry.id not in library.led_to and not entry.not_for:
        # a team cannot edit the shipped patterns: its recipe is found by the bottleneck it names
        severity = (
            "error" if Path(entry.file).is_relative_to(shipped.root()) or not entry.bottlenecks else "warning"
        )
        mend = "link it from a pattern or case"
        yield Found("unreached-recipe", "id", "no pattern and no case leads here", mend, severity)


def told_back(entry: Entry, library: Library) -> Iterator[Found]:
    """A recipe that a case used leads back to the case."""
    if entry.kind != "case":
        return
    for i, link in enumerate(entry.links):
        other = library.entries.get(link)
        if other is not None and other.kind == "recipe" and entry.id not in other.links:
            yield Found("one-sided", f"links.{i}", f'"{link}" does not name this case', "add it to its links")


def contradictions(entry: Entry, library: Library) -> Iterator[Found]:
    """Entries that say the opposite name each other."""
    for other_id in entry.facts.get("contradicts") or ():
        other = library.entries.get(other_id)
        if other is None:
            yield Found("dangling-link", "facts", f'contradicts no entry "{other_id}"', "correct the id")
        elif entry.id not in (other.facts.get("contradicts") or ()) or other_id not in entry.links:
            yield Found(
                "unnamed-contradiction",
                "facts",
                f'"{other_id}" and this do not name each other',
                "name each in contradicts and links of the other",
            )


ENTRY_RULES: tuple[EntryRule, ...] = (
    ids, claims, names, conditions.signature, sections, kinds, translated, whole, filled, worded,
)  # fmt: skip
SET_RULES: tuple[SetRule, ...] = (named, links, reached, told_back, contradictions)
CODES: Sequence[str] = (
    *READ_CODES,
    *(
        "id-file",
        "kind-folder",
        "duplicate-id",
        "duplicate-title",
        "bad-id",
        "no-source",
        "gain-grade",
        "gain-range",
    ),
    *(
        "empty-gain",
        "unknown-bottleneck",
        "unknown-operator",
        "unknown-chip",
        "unknown-metric",
        "bad-comparison",
    ),
    *(
        "no-signature",
        "missing-section",
        "pattern-bottleneck",
        "case-model",
        "self-contradiction",
        "missing-translation",
        "half-translated",
        "no-bottleneck",
        "unknown-fingerprint",
        "unfilled",
        "wording",
    ),
    *(
        "no-entries",
        "dangling-link",
        "pattern-without-recipe",
        "one-sided",
        "unreached-recipe",
        "unnamed-contradiction",
    ),
)
