"""What the knowledge base holds: entries of four kinds, with conditions, published gains and texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

EntryKind = Literal["case", "recipe", "pattern", "tip"]
State = Literal["draft", "reviewed", "proven", "retired"]
Grade = Literal["vendor", "third-party", "stated", "practice"]
Basis = Literal["observed", "threshold", "inferred"]


@dataclass(frozen=True, slots=True)
class Text3:
    """A text in English, Simplified Chinese and Japanese; English is the fallback."""

    en: str
    zh: str = ""
    ja: str = ""

    def get(self, lang: str) -> str:
        """The text in `lang` ("en", "zh" or "ja"), English when missing."""
        return {"zh": self.zh, "ja": self.ja}.get(lang) or self.en


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison on a metric id of the vocabulary: `metric op value`.

    `op` is one of < <= > >= == != in ~ ("~" means about, within 20 %). `value` is a number, a word, another metric
    id behind "@" (`@core_count`), or a list for `in`.
    """

    metric: str
    op: str
    value: float | str | tuple[float | str, ...]
    basis: Basis


@dataclass(frozen=True, slots=True)
class Observation:
    """What a person would see but no metric shows; printed, never matched."""

    text: str
    basis: Basis


@dataclass(frozen=True, slots=True)
class PublishedGain:
    """One published before/after. `saved` is the fraction of time saved (negative: slower), None if not stated.

    `of` names what the fraction refers to: "operator", "run", or "part" (a share such as MTE2 time only), which
    never becomes a promise for the whole. `when` says of which kernels the figure speaks, where an entry has figures
    of unlike ones: it counts for a profile unless something measured there says otherwise.
    """

    saved_low: float | None
    saved_high: float | None
    of: Literal["operator", "run", "part"]
    before: str = ""
    after: str = ""
    unit: str = ""
    shapes: str = ""
    chip: str = ""
    version: str = ""
    grade: Grade = "stated"
    note: str = ""
    when: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Body:
    """The body of an entry in one language; the snippet is the same in all."""

    cause: str = ""  # What slows you down
    steps: tuple[str, ...] = ()  # What to do, one list item each
    why: str = ""  # Why it helps
    check: str = ""  # How to check
    when_not: str = ""  # When it does not help


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the knowledge base, of any kind; the file format is `docs/decisions/0003-entry-format.md`."""

    id: str
    kind: EntryKind
    state: State
    title: Text3
    symptom: Text3
    remedy: Text3
    family: str
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # language -> users' words
    bottlenecks: tuple[str, ...] = ()  # patterns it repairs (recipe, tip), is (pattern), or shows (case)
    not_for: tuple[str, ...] = ()  # patterns where it is known not to help
    operators: tuple[str, ...] = ()  # CANN types or globs such as MatMul*; empty means any
    chips: tuple[str, ...] = ()  # SoC or family ids; empty means any
    who: str = ""  # kernel-developer, model-developer, deployment
    effort: str = ""  # low, medium, high
    bounded_by: str = ""  # metric: the part of the run that the remedy can win at most
    when: tuple[Condition, ...] = ()
    not_when: tuple[
        Condition, ...
    ] = ()  # what rules it out: it cannot be done there, or was seen not to help
    observe: tuple[Observation, ...] = ()
    gains: tuple[PublishedGain, ...] = ()
    grade: Grade = "stated"
    links: tuple[str, ...] = ()  # ids of related entries
    sources: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)  # of the kind (case: model, toolchain, results)
    cause: str = ""  # body: What slows you down
    steps: tuple[str, ...] = ()  # body: What to do, one list item each
    snippet: str = ""  # body: fenced block under What to do
    why: str = ""  # body: Why it helps
    check: str = ""  # body: How to check
    when_not: str = ""  # body: When it does not help
    file: str = ""  # where it was read from
    bodies: Mapping[str, Body] = field(default_factory=dict)  # the body in further languages, "zh" and "ja"

    def body(self, lang: str) -> Body:
        """The body in `lang`, English when it is not translated."""
        own = Body(self.cause, self.steps, self.why, self.check, self.when_not)
        return self.bodies.get(lang, own)
