"""The trained table in its shipped form: int8 rows in one SQLite file, which `kb.knowledge.embed` reads."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from vocabulary import Piece

FORMAT = 1
LARGEST_WEIGHT = 65_535


def quantise(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Rows as bytes, a whole-number weight a row, and the unit: row = (codes - 128) * weight * unit."""
    steps = np.abs(table).max(1) / 127
    unit = float(steps.max() / LARGEST_WEIGHT)
    weights = np.maximum(np.round(steps / unit), 1).astype(np.int64)
    codes = np.clip(np.round(table / (weights[:, None] * unit)), -127, 127).astype(np.int16)
    return (codes + 128).astype(np.uint8), weights, unit


def write(path: Path, pieces: Sequence[Piece], table: np.ndarray, about: Mapping[str, object]) -> str:
    """Write the model file anew; returns its version, a hash of all it holds.

    Tables: `vocab(piece, score, weight, vec)` and `meta(key, value)` with JSON values.
    """
    codes, weights, unit = quantise(
        np.vstack([np.zeros_like(table[:1]), table[1:]])
    )  # the unknown piece adds nothing
    rows = sorted(
        (p.text, round(p.score, 4), int(w), c.tobytes())
        for p, w, c in zip(pieces, weights, codes, strict=True)
    )
    digest = hashlib.sha256()
    for text, score, weight, code in rows:
        digest.update(f"{text}\0{score}\0{weight}\0".encode() + code)
    version = digest.hexdigest()[:12]
    meta = {
        "format": FORMAT,
        "dimensions": table.shape[1],
        "unit": unit,
        "pieces": len(rows),
        "version": version,
        **about,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path)
    with db:
        db.execute(
            "CREATE TABLE vocab(piece TEXT PRIMARY KEY, score REAL, weight INTEGER, vec BLOB) WITHOUT ROWID"
        )
        db.executemany("INSERT INTO vocab VALUES(?, ?, ?, ?)", rows)
        db.execute("CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID")
        db.executemany("INSERT INTO meta VALUES(?, ?)", [(k, json.dumps(v)) for k, v in sorted(meta.items())])
    db.execute("VACUUM")
    db.close()
    return version
