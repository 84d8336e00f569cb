"""The pieces of the static model: what the first teacher's tokenizer knows of our scripts, and the field's own words whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tokenizers import Tokenizer

SPACE = "\u2581"  # marks the start of a word, as in SentencePiece
UNKNOWN = "<unk>"
UNKNOWN_SCORE = -30.0
WORD_SCORE = -9.0  # log probability of a whole domain word: likelier than its parts together
LONGEST = 32
_ASCII = re.compile(rf"[\x21-\x7e{SPACE}]+")
_CJK = re.compile(rf"[{SPACE}\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\x21-\x7e]+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True)
class Piece:
    """A piece, its log probability, how the teachers are asked about it, and how often it was seen."""

    text: str
    score: float
    readable: str
    count: int


def readable(word: str) -> str:
    """An identifier in words: `FlashAttentionScore` and `aic_mte2_ratio` become what a teacher can read."""
    parts = [part for chunk in re.split(r"[_\W]+", word) for part in _PARTS.findall(chunk)]
    return " ".join(parts) or word


def domain_words(names: Iterable[str], texts: Iterable[str], at_least: int = 3) -> dict[str, str]:
    """Words to keep whole, lower-cased, with their readable form.

    `names` (operators, metrics, glossary terms) are kept whatever their count; of `texts` the words seen often enough.
    """
    words: dict[str, str] = {}
    for name in names:
        for word in re.findall(r"[A-Za-z][A-Za-z0-9_]{2,}", name):
            words.setdefault(SPACE + word.lower(), readable(word))
        for word in re.findall("[\u30a0-\u30ff\u4e00-\u9fff]{2,8}", name):
            words.setdefault(word, word)
    counts = Counter(word for text in texts for word in re.findall(r"[A-Za-z][A-Za-z0-9_]{2,}", text))
    for word, count in sorted(counts.items()):
        if count >= at_least:
            words.setdefault(SPACE + word.lower(), readable(word))
    return {word: text for word, text in words.items() if len(word) <= LONGEST}


def build(
    teacher: Sequence[tuple[str, float]],
    tokenizer: Tokenizer,
    sentences: Sequence[str],
    words: Mapping[str, str],
    at_least: int = 3,
) -> list[Piece]:
    """All pieces, the unknown one first, then by falling score.

    Case variants are merged (the best score wins). Latin pieces must be seen `at_least` times in `sentences`;
    Chinese and Japanese ones are all kept.
    """
    counts = count(tokenizer, sentences)
    scores: dict[str, float] = {}
    seen: Counter[str] = Counter()
    for text, score in teacher[4:]:
        piece = text.lower()
        if text == "<mask>" or not _CJK.fullmatch(text):
            continue
        seen[piece] += counts[text]
        scores[piece] = max(score, scores.get(piece, score))
    kept = {
        piece: score
        for piece, score in scores.items()
        if not _ASCII.fullmatch(piece) or seen[piece] >= at_least or len(piece.strip(SPACE)) <= 1
    }
    for word in words:
        kept.setdefault(word, WORD_SCORE)
    ordered = sorted(kept.items(), key=lambda item: (-item[1], item[0]))
    pieces = [Piece(UNKNOWN, UNKNOWN_SCORE, " ", 0)]
    for text, score in ordered:
        shown = words.get(text) or text.replace(SPACE, " ").strip() or " "
        pieces.append(Piece(text, score, shown, seen[text]))
    return pieces


def count(tokenizer: Tokenizer, sentences: Sequence[str]) -> Counter[str]:
    """How often each of the tokenizer's pieces occurs."""
    counts: Counter[str] = Counter()
    for start in range(0, len(sentences), 10_000):
        for found in tokenizer.encode_batch(
            list(sentences[start : start + 10_000]), add_special_tokens=False
        ):
            counts.update(
                token for token, real in zip(found.tokens, found.attention_mask, strict=True) if real
            )
    return counts
