"""A thousand mixed strings and what the reference tokenizer makes of them, for the test of the pure-Python one."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path

from pairs import Row
from tokenizers import Tokenizer

COUNT = 1000
_SEEN_IN_TEXTS = (
    "ﬁ ＡＢＣ　１２３ ｶﾅ ﾊﾞｯﾌｧ ① Ⅳ ㍿ é e\u0301 ß İ ǅ Ω Ωμέγα привет שלום สวัสดี 한국어 😀👩\u200d💻 \u200b\u00a0 ▁ <unk> <s> ∑∂ “q” — … "
    "0x1F 1e-5 3.14 a_b__c C++ #pragma $PATH ../x && || ; ' \" \\ aic_mte2_ratio=0.95 NC1HWC0 EZ9999 W8A8"
)
_ODD = _SEEN_IN_TEXTS.split(" ")


def strings(rows: Sequence[Row], names: Sequence[str]) -> list[str]:
    """Mixed strings: the field's words in three languages, identifiers, odd characters, other scripts."""
    rng = random.Random(20)
    words = [text for row in rows for cell in row for text in cell]
    found = []
    for _ in range(COUNT):
        parts = []
        for _ in range(rng.randint(1, 7)):
            draw = rng.random()
            source = words if draw < 0.5 else list(names) if draw < 0.75 else _ODD
            word = rng.choice(source)
            parts.append(word.upper() if rng.random() < 0.1 else word)
            parts.append(rng.choice((" ", " ", "", "\t", "、", "。", ",", "\n", "-", "/")))
        if rng.random() < 0.2:
            parts.append(
                "".join(
                    chr(
                        rng.choice(
                            (
                                rng.randint(0x4E00, 0x9FFF),
                                rng.randint(0x3041, 0x30FE),
                                rng.randint(0x21, 0x17F),
                            )
                        )
                    )
                    for _ in range(8)
                )
            )
        found.append("".join(parts))
    return found


def digest(pieces: Sequence[str]) -> str:
    """What the golden file keeps of a split."""
    return hashlib.blake2b("\0".join(pieces).encode(), digest_size=6).hexdigest()


def write(path: Path, tokenizer: Tokenizer, rows: Sequence[Row], names: Sequence[str], version: str) -> None:
    """Write the golden file of this model."""
    texts = strings(rows, names)
    splits = [[text, digest(tokenizer.encode(text).tokens)] for text in texts]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps({"model": version, "splits": splits}, ensure_ascii=False, indent=0) + "\n",
        encoding="utf-8",
    )
