"""Text to the terms of the lexical index: words, parts of identifiers, identifiers whole, CJK bigrams.

Entries and queries are split alike. Stemming (porter) is left to SQLite's FTS5, which sees our terms divided by spaces.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

CJK = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_SAYS_NOTHING = """
a an the is are was to of in on at and or by for with it its be been that this these those from as so than then how what
which when why even though not no do does did can could should would i my we our you your me he she every each any some
there here into out up if but has have had will just only very too also get got use used using please help bug usage
question feature issue
怎么 什么 如何 为什 为何 请问 怎样 哪些 哪里 可以 是否 有没 没有 一下 一个 这个 那个 我们
する した して ます です こと ある いる ない から たい なる れる られ どう でき
"""
STOP = frozenset(_SAYS_NOTHING.split())
_TOKEN = re.compile(rf"[A-Za-z0-9_]+|[{CJK}]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_VERSION = re.compile(r"(?<=[a-z])v\d+$")  # MatMulV2 is found as matmul too
_LONGEST = 64  # characters of a term; longer ones are hashes and base64
_REMEMBERED = 1 << 18  # tokens of which a large build knows the terms


def tokens(text: str) -> list[str]:
    """Runs of Latin letters, digits and underscores, and runs of Chinese or Japanese, as written."""
    return [token for token in _TOKEN.findall(_normal(text)) if not _too_long(token)]


def _normal(text: str) -> str:
    """NFKC. Nothing is composed across the end of a line, so lines of ASCII are left alone."""
    if text.isascii():
        return text
    normal = unicodedata.normalize
    return "\n".join([line if line.isascii() else normal("NFKC", line) for line in text.split("\n")])


def _too_long(token: str) -> bool:
    return len(token) > _LONGEST and token[0] <= "\x7f"


@lru_cache(maxsize=1 << 16)
def of_token(token: str) -> tuple[str, ...]:
    """The terms of one token, the token itself first.

    `FlashAttentionScore` gives flashattentionscore, flash, attention, score; `MatMulV2` matmulv2, matmul;
    `aic_mte2_ratio` itself, aicmte2ratio,
    aic, mte2, ratio, mte; a run of Chinese or Japanese its pairs of characters. Stop words, lone characters and small
    numbers give none.
    """
    if is_cjk(token):
        if len(token) == 1:
            return (token,) if ord(token) > 0x30FF else ()  # a lone kana is a particle
        return tuple(pair for i in range(len(token) - 1) if (pair := token[i : i + 2]) not in STOP)
    whole = token.casefold().strip("_")
    if not _speaks(whole):
        return ()
    chunks = [chunk for chunk in token.split("_") if chunk]
    found = [whole, _VERSION.sub("", whole)]
    if len(chunks) > 1:
        found += [whole.replace("_", ""), *(chunk.casefold() for chunk in chunks)]
    for chunk in chunks:
        if any(map(str.islower, chunk)):  # NC1HWC0 and EZ9999 stay whole
            found += [part.casefold() for part in _PART.findall(chunk) if len(part) > 2]
    return tuple(term for term in dict.fromkeys(found) if _speaks(term))


def _speaks(term: str) -> bool:
    return len(term) > 1 and term not in STOP and not (term.isdigit() and len(term) < 3)


def terms(text: str) -> list[str]:
    """All terms of a text in order, repeats kept."""
    return [term for token in tokens(text) for term in of_token(token)]


class Written(dict[str, str]):
    """What the index holds of each token: its terms divided by spaces. `seen`: all terms so far."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def __missing__(self, token: str) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        found = () if _too_long(token) else of_token(token)
        self.seen.update(found)
        self[token] = " ".join(found)
        return self[token]

    def text(self, text: str) -> str:
        """The terms of a text divided by one or more spaces."""
        return " ".join(map(self.__getitem__, _TOKEN.findall(_normal(text))))


def squeeze(run: Iterable[str]) -> str:
    """Adjacent tokens written as one word: `Flash`, `attention_score` give flashattentionscore."""
    return "".join(run).replace("_", "").casefold()


def is_cjk(term: str) -> bool:
    """Whether the term is Chinese or Japanese."""
    return term[0] > "\x7f"
