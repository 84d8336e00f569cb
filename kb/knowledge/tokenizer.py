"""Splitting text into the pieces of the static model: a unigram tokenizer in plain Python.

It equals the reference (`tokenizers`: NFKC, lower case, white space, Metaspace, Unigram), which trained the model.
Pieces never cross a word, so a word is split once and can be remembered.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

SPACE = "\u2581"  # marks the start of a word, as in SentencePiece
LONGEST = 32  # characters of the longest piece
LONGEST_TEXT = 20_000  # characters; what is longer is cut, so that no input can take minutes

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_MARKED = re.compile(f"{SPACE}[^{SPACE}]*")


def words(text: str) -> list[str]:
    """The words of a text, normalised, each with its start mark.

    `SPACE` within a word is a start mark too, as in the reference.
    """
    plain = unicodedata.normalize("NFKC", _CONTROL.sub("", text[:LONGEST_TEXT])).lower()
    if SPACE not in plain:
        return [SPACE + word for word in plain.split()]
    marked = (word if word[0] == SPACE else SPACE + word for word in plain.split())
    return [part for word in marked for part in _MARKED.findall(word)]


def candidates(word_list: Iterable[str]) -> set[str]:
    """Every substring that might be a piece."""
    return {
        word[start:end]
        for word in word_list
        for start in range(len(word))
        for end in range(start + 1, min(len(word), start + LONGEST) + 1)
    }


def split(word: str, scores: Mapping[str, float], unknown: float) -> list[str]:
    """The most likely pieces of one word (Viterbi); a run of unknown characters stays together as it is.

    Args:
        word: as `words` gives it.
        scores: log probability of each piece that occurs in the word.
        unknown: log probability of a character that no piece covers.
    """
    size = len(word)
    best: list[float | None] = [0.0] + [None] * size
    came_from: list[tuple[int, str]] = [(0, "")] * (size + 1)
    for start in range(size):
        base = best[start] or 0.0
        alone = False  # whether a piece covers just the character at `start`
        for end in range(start + 1, min(size, start + LONGEST) + 1):
            piece = word[start:end]
            score = scores.get(piece)
            if score is None:
                continue
            alone = alone or end == start + 1
            known = best[end]
            if known is None or base + score > known:
                best[end], came_from[end] = base + score, (start, piece)
        known = best[start + 1]
        if not alone and (known is None or base + unknown > known):
            best[start + 1], came_from[start + 1] = base + unknown, (start, "")
    return _walk_back(word, came_from)


def _walk_back(word: str, came_from: list[tuple[int, str]]) -> list[str]:
    pieces: list[str] = []
    end = len(word)
    strangers = ""
    while end > 0:
        start, piece = came_from[end]
        if not piece:
            strangers = word[start:end] + strangers
        if strangers and (piece or start == 0):
            pieces.append(strangers)
            strangers = ""
        if piece:
            pieces.append(piece)
        end = start
    return pieces[::-1]
