"""What a question says: concepts, values, and words that mean nothing to us.

Forms of all three languages are looked for at once, because people mix them. A longer form wins over shorter ones
inside it. Latin forms match whole words, Chinese and Japanese ones anywhere: these languages have no blanks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from kb import operators
from kb.ask import tables
from kb.vocabulary.bottlenecks import IDS
from kb.vocabulary.metrics import BY_ID

LONGEST = 400  # characters of a question
_DOTTED = re.compile(r"\b(?:aten|torch|nn|F|tf|ops|onnx|mindspore)\.(\w+)", re.ASCII)
_IDENTIFIER = re.compile(r"([A-Za-z][A-Za-z0-9_]*)")
_QUOTED = re.compile(r"[`'\"「『“‘]([^`'\"」』”’]{1,120})[`'\"」』”’]")
_US = re.compile(
    r"(\d+(?:\.\d+)?)\s*(us|µs|μs|microseconds?|微秒|マイクロ秒|ms|milliseconds?|毫秒|ミリ秒|s|seconds?|秒)(?![a-z])"
)
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*(?:%|percent|パーセント)|百分之\s*(\d+)")
_COUNT = re.compile(r"(?:top|前|上位)?\s*(?<![a-z0-9_.])(\d{1,4})(?![a-z0-9_.])\s*(?:个|個|つ|件|条|名)?")
_SPELLED = re.compile(
    r"(?<![a-z])(one|two|three|five|ten|twenty)(?![a-z])|(?:前|top)\s*([一二三四五六七八九十])|([一二三四五六七八九十])(?=个|個|つ|件|条)"
)
_NUMBERS = {"one": 1, "two": 2, "three": 3, "five": 5, "ten": 10, "twenty": 20} | {
    char: at for at, char in enumerate("一二三四五六七八九十", 1)
}
_WORD = re.compile(r"[a-z0-9_]+(?:[-'][a-z0-9_]+)*")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_GONE = "\x00"


@dataclass(frozen=True, slots=True)
class Heard:
    """A question taken apart. `slots` are values by name, `unknown` the words that mean nothing here."""

    concepts: frozenset[str]
    slots: Mapping[str, str | float | int]
    unknown: tuple[str, ...]

    @property
    def present(self) -> frozenset[str]:
        """Concepts and the slots that were filled, the count apart: it never decides what is asked."""
        return self.concepts | {f"@{name}" for name in self.slots if name != "n"}


class _Text:
    """A question from which what was understood is taken out, piece by piece."""

    def __init__(self, text: str) -> None:
        self.plain = unicodedata.normalize("NFKC", text)
        self.small = (
            self.plain.casefold() if len(self.plain.casefold()) == len(self.plain) else self.plain.lower()
        )

    def take(self, start: int, end: int) -> None:
        self.plain = self.plain[:start] + _GONE * (end - start) + self.plain[end:]
        self.small = self.small[:start] + _GONE * (end - start) + self.small[end:]


def hear(question: str, names: Iterable[str] = ()) -> Heard:
    """Take a question apart; `names` are operator types and kernels of the run that is asked about."""
    text = _Text(question)
    slots: dict[str, str | float | int] = {}
    _operator(text, tuple(names), slots)
    _ids(text, slots)
    _numbers(text, slots)
    concepts = _concepts(text, slots)
    return Heard(frozenset(concepts), slots, _unknown(text))


def _operator(text: _Text, names: tuple[str, ...], slots: dict[str, str | float | int]) -> None:
    """The operator a question is about: one of the run by name, type or framework name, else one that exists."""
    exact, loose = _names(names)
    for pattern in (_DOTTED, _QUOTED, _IDENTIFIER):
        for found in pattern.finditer(text.plain):
            word = found.group(1)
            plain = pattern is _IDENTIFIER and _is_plain(word)
            name = exact.get(word) or (None if plain else loose.get(word.casefold()))
            if name is None and _looks_like_one(word) and word.casefold() not in BY_ID:
                name = word
            if name is not None:
                slots["operator"] = name
                text.take(*found.span())
                return


def _names(names: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Spellings to the names of the run: the profiler's own, and those in small letters and of frameworks."""
    exact = {name: name for name in names}
    loose: dict[str, str] = {}
    for name in names:
        plain = operators.canonical(name)
        for spelling in (name, plain, *(alias.rpartition(".")[2] for alias in operators.aliases(name))):
            loose.setdefault(spelling.casefold(), name)
    return exact, loose


def _is_plain(word: str) -> bool:
    """A word of everyday language too (Add, Max, Where): an operator only as the profiler spells it."""
    return word.islower() and (word in tables.concepts() or word in tables.values() or len(word) <= 3)


def _looks_like_one(word: str) -> bool:
    inner = word[1:]
    mixed = any(char.isupper() for char in inner) and any(char.islower() for char in word)
    return (mixed and word.casefold() not in tables.concepts()) and operators.is_known(word)


def _ids(text: _Text, slots: dict[str, str | float | int]) -> None:
    """Ids of bottlenecks and metrics, as they stand or with blanks."""
    for slot, ids in (("pattern", _patterns()), ("metric", {name: name for name in BY_ID if "_" in name})):
        for form in sorted(ids, key=len, reverse=True):
            at = text.small.find(form)
            if at >= 0 and _whole(text.small, at, at + len(form)):
                slots.setdefault(slot, ids[form])
                text.take(at, at + len(form))
                break


@cache
def _patterns() -> dict[str, str]:
    return {form: name for name in IDS for form in (name, name.replace("-", " "))}


def _numbers(text: _Text, slots: dict[str, str | float | int]) -> None:
    if found := _US.search(text.small):
        unit = found.group(2)
        factor = (
            1.0 if unit[0] in "uµμ微マ" or unit.startswith("micro") else 1e3 if unit[0] in "m毫ミ" else 1e6
        )
        slots["us"] = float(found.group(1)) * factor
        text.take(*found.span())
    if found := _PERCENT.search(text.small):
        slots["percent"] = float(found.group(1) or found.group(2))
        text.take(*found.span())
    if found := _COUNT.search(text.small):
        slots["n"] = max(1, int(found.group(1)))
        text.take(*found.span(1))
    elif found := _SPELLED.search(text.small):
        word = next(group for group in found.groups() if group)
        slots["n"] = _NUMBERS[word]
        text.take(*found.span())


def _concepts(text: _Text, slots: dict[str, str | float | int]) -> set[str]:
    """Concepts by their forms, the longest first."""
    found: set[str] = set()
    for form, meaning in _lexicon():
        at = text.small.find(form)
        while at >= 0:
            end = at + len(form)
            if _whole(text.small, at, end):
                if isinstance(meaning, tuple):
                    slots.setdefault(*meaning)
                else:
                    found |= meaning
                text.take(at, end)
            at = text.small.find(form, at + 1)
    return found


@cache
def _lexicon() -> tuple[tuple[str, frozenset[str] | tuple[str, str]], ...]:
    both: dict[str, frozenset[str] | tuple[str, str]] = {**tables.concepts(), **tables.values()}
    return tuple(sorted(both.items(), key=lambda item: (-len(item[0]), item[0])))


def _whole(text: str, start: int, end: int) -> bool:
    """Whether a Latin form is not part of a longer Latin word; other scripts need no such edges."""
    before = start > 0 and _latin(text[start]) and _latin(text[start - 1])
    after = end < len(text) and _latin(text[end - 1]) and _latin(text[end])
    return not before and not after


def _latin(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


def _unknown(text: _Text) -> tuple[str, ...]:
    """What is left: Latin words, and runs of Chinese or Japanese."""
    rest = text.small.replace("'s", " ")
    return tuple(dict.fromkeys([*_WORD.findall(rest), *_WIDE.findall(rest)]))
