"""Sentences of the engine in another language: their template is recognised, and said in the other language.

The engine computes plain English, which documents and kept runs hold. Here each sentence is held against the templates of
`kb.report.catalogue.sentences`; what stands at the placeholders is carried over, so figures and units cannot change. A text
that fits no template stays English. Texts may come from hostile profiles: a match looks for the fixed pieces of a template
from left to right and never goes back, and long texts are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from kb.report.catalogue.sentences import Sentence, load

LONGEST = 4000  # characters of a text that is looked at
DEEPEST = 6  # sentences within sentences
KEY = 3  # characters of the beginning that the templates are sorted by
SEAMS = 6  # places that are tried where two texts were joined
_PLACE = re.compile(r"\{(\w+)([*#&]?)\}")
_FIGURE = re.compile(r"[-+±<>=≤≥~]{0,2} ?\d[\d.,e+-]{0,20}(?: ?[A-Za-z%/µ.]{1,8})?", re.ASCII)
_WIDE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")  # kana and Chinese characters
_LATIN = re.compile(r"[A-Za-z0-9%]", re.ASCII)
_SEAMS = ("; ", ". ")
_TOGETHER = {"zh": "；", "ja": "。"}
_STOP = {"zh": "。", "ja": "。"}
_LISTS = {"zh": ((" or ", " 或 "), (" and ", " 和 ")), "ja": ((" or ", " または "), (" and ", " と "))}


class _Field(NamedTuple):
    name: str
    kind: str  # "" carried over, "#" a figure, "*" a sentence, "&" names with "or" or "and" between them


class Template(NamedTuple):
    """A template taken apart: fixed pieces with a field between each two."""

    pieces: tuple[str, ...]
    fields: tuple[_Field, ...]
    sentence: Sentence

    def match(self, text: str) -> tuple[str, ...] | None:
        """What stands in the fields, each as short as can be; None where the text is another one."""
        first, last = self.pieces[0], self.pieces[-1]
        if not text.startswith(first) or not text.endswith(last):
            return None
        if not self.fields:
            return () if text == first else None
        found: list[str] = []
        at, end = len(first), len(text) - len(last)
        if at > end:
            return None
        pieces = (*self.pieces[1:-1], None)
        for field, before, piece in zip(self.fields, self.pieces, pieces, strict=False):
            if piece is None:
                stop = end
            elif (
                piece.endswith("(")
                and last.startswith(")")
                and (field.kind == "*" or self._remark(len(found)))
            ):
                stop = text.rfind(piece, at + 1, end)  # a remark at the end opens with the last bracket
            else:
                stop = text.find(piece, at + 1, end)
            if stop < at or (stop == at and (piece is not None or field.kind != "*")):
                return None  # only what may follow a sentence can be missing
            value = text[at:stop]
            if field.kind == "#" and not _FIGURE.fullmatch(value):
                return None
            if before.endswith("(") and _closes(value):
                return None  # the bracket that stands before it ends within: what follows is another remark
            found.append(value)
            at = stop + len(piece or "")
        if not last and any(seam in found[-1][2:] for seam in _SEAMS):
            return None  # what follows is a text of its own, not a part of this one
        if not first and self.fields[0].kind != "*" and any(seam in found[0] for seam in (*_SEAMS, ": ")):
            return None  # so is what came before
        return tuple(found)

    def _remark(self, at: int) -> bool:
        """Whether behind this field only a sentence in brackets is left: the field itself may hold brackets."""
        return at == len(self.fields) - 2 and self.fields[-1].kind == "*"


def _closes(value: str) -> bool:
    """Whether a text closes a bracket that it did not open."""
    depth = 0
    for sign in value:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return True
    return False


def tell(text: str, lang: str) -> str:
    """A sentence of the engine in `lang`; as it stands where no template fits, or for English."""
    if lang not in _TOGETHER or not text or len(text) > LONGEST or not text.strip():
        return text
    return _told(text, lang, 0) or text


def tell_all(texts: Iterable[str], lang: str) -> tuple[str, ...]:
    """Several sentences."""
    return tuple(tell(text, lang) for text in texts)


@lru_cache(maxsize=8192)
def _told(text: str, lang: str, depth: int) -> str | None:
    """The translation, None where there is none."""
    if depth > DEEPEST or not any(sign.isalpha() for sign in text):
        return None
    whole = _whole(text, lang, depth)
    if whole is None and text.endswith("."):
        whole = _whole(text[:-1], lang, depth)
        whole = None if whole is None else whole + _STOP[lang]
    return whole or _joined(text, lang, depth)


def _whole(text: str, lang: str, depth: int) -> str | None:
    """By one template, that of a text which begins with a small letter where this is the beginning of a sentence."""
    told = _found(text, lang, depth)
    if told is None and text[:1].isascii() and text[:1].isupper():
        told = _found(text[0].lower() + text[1:], lang, depth)
    return told


def _found(text: str, lang: str, depth: int) -> str | None:
    """By one template, over the whole or over what follows a name and a colon: the one with most fixed words."""
    best = _fitting(text)
    head = ""
    for at in _places(text, ": "):
        other = _fitting(text[at + 2 :])
        if other is not None and (best is None or other[0] > best[0]):
            best, head = other, text[:at]
    if best is None:
        return None
    said = _filled(best[1], best[2], lang, depth)
    return f"{_told(head, lang, depth + 1) or head}：{said}" if head else said


def _fitting(text: str) -> tuple[int, Template, tuple[str, ...]] | None:
    """Of the templates that fit the one with most fixed words: how many letters they have, it, its values."""
    best: tuple[int, Template, tuple[str, ...]] | None = None
    for template in _candidates(text):
        values = template.match(text)
        if values is not None:
            size = sum(map(len, template.pieces))
            if best is None or size > best[0]:
                best = size, template, values
    return best


def _filled(template: Template, values: tuple[str, ...], lang: str, depth: int) -> str:
    told = {
        field.name: _field(field, value, lang, depth)
        for field, value in zip(template.fields, values, strict=True)
    }
    text, at = "", 0
    said = template.sentence.in_language(lang)
    for place in _PLACE.finditer(said):
        text = _beside(_beside(text, said[at : place.start()]), told[place[1]])
        at = place.end()
    return _beside(text, said[at:])


def _beside(left: str, right: str) -> str:
    """Two pieces put together: a blank between Chinese or Japanese and Latin letters or digits, none between the former."""
    if left[-1:] == " " and _WIDE.match(left[-2:-1]) and _WIDE.match(right):
        left = left[:-1]
    elif right[:1] == " " and _WIDE.match(left[-1:]) and _WIDE.match(right[1:]):
        right = right[1:]
    elif (_WIDE.match(left[-1:]) and _LATIN.match(right)) or (_LATIN.match(left[-1:]) and _WIDE.match(right)):
        return f"{left} {right}"
    return left + right


def _field(field: _Field, value: str, lang: str, depth: int) -> str:
    if field.kind == "*":
        return _told(value, lang, depth + 1) or value
    if field.kind == "&":
        for word, other in _LISTS[lang]:
            value = value.replace(word, other)
    return value


def _joined(text: str, lang: str, depth: int) -> str | None:
    """Texts that were put together: sentences, parts after a semicolon, something with a remark, a name before a text."""
    if text.endswith("."):
        told_rest = _told(text[:-1], lang, depth + 1)
        if told_rest:
            return told_rest + _STOP[lang]
    for seam, sign in ((". ", _STOP[lang]), ("; ", _TOGETHER[lang])):
        if seam in text:
            parts = text.split(seam)
            told = [_told(part, lang, depth + 1) for part in parts]
            if any(told):
                return sign.join(new or old for new, old in zip(told, parts, strict=True))
    return _remarked(text, lang, depth) or _named(text, lang, depth)


def _remarked(text: str, lang: str, depth: int) -> str | None:
    """A text with a remark in brackets behind it; square ones hold names."""
    if text.endswith("]") and (at := text.rfind(" [")) > 0:
        told_head = _told(text[:at], lang, depth + 1)
        return told_head + text[at:] if told_head else None
    at = text.rfind(" (")
    if at <= 0 or not text.endswith(")"):
        return None
    head, note = text[:at], text[at + 2 : -1]
    told = _told(head, lang, depth + 1), _told(note, lang, depth + 1)
    return f"{told[0] or head}（{told[1] or note}）" if any(told) else None


def _named(text: str, lang: str, depth: int) -> str | None:
    """A file, an operator or a label, a colon, and a text about it."""
    for at in _places(text, ": "):
        told = _told(text[at + 2 :], lang, depth + 1)
        if told:
            head = text[:at]
            return f"{_told(head, lang, depth + 1) or head}：{told}"
    return None


def _places(text: str, seam: str) -> Iterator[int]:
    at = -1
    for _ in range(SEAMS):
        at = text.find(seam, at + 1)
        if at < 0:
            return
        yield at


def _candidates(text: str) -> Iterator[Template]:
    begun, open_ended = _index()
    yield from begun.get(text[:KEY], ())
    for longest, template in open_ended:
        if longest in text:
            yield template


@lru_cache(maxsize=1)
def _index() -> tuple[Mapping[str, tuple[Template, ...]], tuple[tuple[str, Template], ...]]:
    """Templates by how they begin; those that begin with a field, by their longest fixed piece."""
    begun: dict[str, list[Template]] = {}
    open_ended: list[tuple[str, Template]] = []
    for sentence in load():
        template = taken_apart(sentence)
        if len(template.pieces[0]) >= KEY:
            begun.setdefault(template.pieces[0][:KEY], []).append(template)
        else:
            open_ended.append((max(template.pieces, key=len), template))
    return {key: tuple(found) for key, found in begun.items()}, tuple(open_ended)


def taken_apart(sentence: Sentence) -> Template:
    """The pieces and fields of a template."""
    pieces, fields, at = [], [], 0
    for place in _PLACE.finditer(sentence.en):
        pieces.append(sentence.en[at : place.start()])
        fields.append(_Field(place[1], place[2]))
        at = place.end()
    return Template((*pieces, sentence.en[at:]), tuple(fields), sentence)
