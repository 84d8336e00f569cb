"""The shipped search model as a sentence-transformers folder: `python -m kb.models.static FOLDER`.

The package carries one form, the SQLite table of the light runtime (11 MB; the same numbers as float32 are 40 MB).
The folder written here is loaded by `SentenceTransformer(folder)` as it is and gives the same vectors.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Normalize, StaticEmbedding
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from kb import shipped

UNKNOWN = "<unk>"


def read(path: Path) -> tuple[Tokenizer, np.ndarray]:
    """The reference tokenizer and the float32 table of a model file, rows in the tokenizer's order."""
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        unit = json.loads(db.execute("SELECT value FROM meta WHERE key = 'unit'").fetchone()[0])
        rows = db.execute(
            "SELECT piece, score, weight, vec FROM vocab ORDER BY piece != ?, piece", (UNKNOWN,)
        ).fetchall()
    finally:
        db.close()
    codes = np.frombuffer(b"".join(row[3] for row in rows), np.uint8).reshape(len(rows), -1)
    weights = np.array([row[2] for row in rows], np.float32)
    table = (codes.astype(np.float32) - 128) * (weights * np.float32(unit))[:, None]
    tokenizer = Tokenizer(models.Unigram([(row[0], row[1]) for row in rows], unk_id=0, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    return tokenizer, table


def export(folder: Path, model: Path | None = None) -> Path:
    """Write the model as a plain sentence-transformers folder (StaticEmbedding, about 40 MB); returns the folder."""
    tokenizer, table = read(model or shipped.root() / "model" / "static.db")
    SentenceTransformer(
        modules=[StaticEmbedding(tokenizer, embedding_weights=table), Normalize()], device="cpu"
    ).save(str(folder))
    return folder


if __name__ == "__main__":
    print(export(Path(sys.argv[1])))
