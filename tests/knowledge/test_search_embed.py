"""The static embedder: exact, repeatable, equal to sentence-transformers on the exported folder."""

from __future__ import annotations

import json
import os
import sqlite3
from array import array
from pathlib import Path

import pytest

from kb.errors import KnowledgeError
from kb.knowledge.embed import Embedder, code_bits, quantise, shipped_model, sign_bits

TEXTS = (
    "NMS CPU fallback",
    "算子回退到 AI CPU，性能下降",
    "NMS が CPU に落ちる",
    "aic_mte2_ratio 0.95 matmul",
    "F.interpolate slow on NPU",
    "é😀 한국어 mixed 算子",
)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder(shipped_model())


def _cosine(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def test_the_vector_is_the_weighted_sum_of_the_pieces(embedder: Embedder) -> None:
    db = sqlite3.connect(shipped_model())
    for text in TEXTS:
        total = [0] * embedder.dimensions
        for piece in embedder.split(text):
            row = db.execute("SELECT weight, vec FROM vocab WHERE piece = ?", (piece,)).fetchone()
            if row:
                total = [t + row[0] * (code - 128) for t, code in zip(total, row[1], strict=True)]
        length = sum(t * t for t in total) ** 0.5
        assert embedder.embed(text) == [t / length for t in total]
    db.close()


def test_translations_are_near_and_other_things_are_not(embedder: Embedder) -> None:
    english, chinese, japanese = map(
        embedder.embed, ("matrix multiplication is slow", "矩阵乘法很慢", "行列積が遅い")
    )
    other = embedder.embed("the log file is missing")
    assert min(_cosine(english, chinese), _cosine(english, japanese), _cosine(chinese, japanese)) > 0.5
    assert _cosine(english, other) < 0.3


def test_nothing_known_gives_zeros(embedder: Embedder) -> None:
    assert embedder.embed("") == [0.0] * embedder.dimensions


def test_many_texts_give_what_one_by_one_gives(embedder: Embedder) -> None:
    assert list(Embedder(shipped_model()).embed_many(TEXTS)) == [embedder.embed(text) for text in TEXTS]


def test_int8_codes_keep_the_direction(embedder: Embedder) -> None:
    vector = embedder.embed(TEXTS[0])
    length, codes = quantise(vector)
    back = [(code - 256 if code > 127 else code) / length for code in codes]
    assert _cosine(vector, back) > 0.999
    assert abs(_cosine(back, back) - 1) < 1e-9
    assert sign_bits([1.0, -1.0, 0.0, 2.0, -1, -1, -1, -1]) == bytes([0b10010000])
    assert quantise([0.0] * 4) == (0.0, bytes(4))


def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    damaged = tmp_path / "static.db"
    damaged.write_bytes(shipped_model().read_bytes()[:5000])
    with pytest.raises(KnowledgeError) as caught:
        Embedder(damaged)
    assert str(damaged) in str(caught.value)
    with pytest.raises(KnowledgeError):
        Embedder(tmp_path / "absent.db")


def test_a_model_of_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "static.db"
    path.write_bytes(shipped_model().read_bytes())
    with sqlite3.connect(path) as db:
        db.execute("UPDATE meta SET value = ? WHERE key = 'format'", (json.dumps(99),))
    db.close()
    with pytest.raises(KnowledgeError, match="format 99"):
        Embedder(path)


@pytest.mark.model
@pytest.mark.filterwarnings("ignore")
def test_sentence_transformers_gives_the_same_vectors(embedder: Embedder, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed (extra `models`)")
    pytest.importorskip(
        "sentence_transformers", reason="sentence-transformers is not installed (extra `models`)"
    )
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from sentence_transformers import SentenceTransformer

    from kb.models.static import export

    model = SentenceTransformer(str(export(tmp_path / "st")), device="cpu")
    for text, vector in zip(TEXTS, model.encode(list(TEXTS)).tolist(), strict=True):
        assert _cosine(embedder.embed(text), vector) >= 0.999, text


def test_the_shipped_model_is_small() -> None:
    assert shipped_model().stat().st_size <= 11.5e6


def test_codes_of_many_are_those_of_one_by_one(embedder: Embedder) -> None:
    bulk = pytest.importorskip("kb.knowledge.bulk", reason="numpy is not installed")
    texts = (
        "",
        *TEXTS,
        *(" ".join(TEXTS[n:]) * 40 for n in range(len(TEXTS))),
        *(f"word {n}" for n in range(600)),
    )
    found = list(bulk.codes(embedder.sums(texts), embedder.dimensions))
    assert found == [quantise(embedder.embed(text)) for text in texts]
    assert [code_bits(vec) for _, vec in found] == [sign_bits(array("b", vec)) for _, vec in found]


def test_sums_too_large_for_64_bits_are_exact_too() -> None:
    bulk = pytest.importorskip("kb.knowledge.bulk", reason="numpy is not installed")
    weight = 1 << 40
    codes = [3, 255, 128, 1]
    row = array("Q", [*(code * weight for code in codes), weight]).tobytes()
    values = [(code - 128) * weight for code in codes]
    length = sum(value * value for value in values) ** 0.5
    assert list(bulk.codes([row], 4)) == [quantise([value / length for value in values])]


def test_a_server_that_is_asked_for_months_keeps_few_words() -> None:
    from kb.knowledge import embed

    asked = Embedder(shipped_model())
    for number in range(0, 2 * embed._ASKED, 50):
        asked.embed(" ".join(f"w{word}" for word in range(number, number + 50)))
    assert len(asked._words) <= embed._ASKED + 50
