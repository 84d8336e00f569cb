"""Search: three languages, filters, reasons, files of queries, nothing heavy loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_samples import ENTRIES

from kb.errors import SourceError, UsageError
from kb.knowledge import query, search, store
from kb.knowledge.embed import Embedder, shipped_model

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def index() -> store.Index:
    return store.in_memory(ENTRIES, Embedder(shipped_model()))


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("NMS CPU fallback", "nms-off-the-host"),
        ("非极大值抑制回退到主机", "nms-off-the-host"),
        ("非最大値抑制がホストに落ちる", "nms-off-the-host"),
        ("MatMul V3 tiling", "matmul-tiling"),
        ("matmulv3 切分", "matmul-tiling"),
        ("EZ9999", "log-ez9999"),
        ("jit_compile", "compile-once"),
        ("--jit_compile=False を設定", "compile-once"),
        ("aiv_mte2_ratio 0.95", "mte2-larger-copies"),
        ("yolov5 310P 后处理慢", "yolo-on-310p"),
    ],
)
def test_the_right_entry_comes_first(index: store.Index, text: str, best: str) -> None:
    assert search.search(text, use=index).results[0].id == best


def test_the_document_has_its_promised_shape(index: store.Index) -> None:
    told = search.search("MatMul tiling", k=2, use=index).to_dict()
    assert list(told)[:4] == ["schema", "query", "no_good_match", "results"]
    assert told["schema"] == "kb.search/1"
    assert [row["rank"] for row in told["results"]] == [1, 2]
    assert list(told["results"][0]) == ["rank", "id", "kind", "title", "score", "why", "summary", "sources"]
    json.dumps(told)


def test_explain_shows_both_parts_and_the_words(index: store.Index) -> None:
    (hit,) = search.search("NMS 回退", k=1, use=index).results
    assert set(hit.parts) == {"meaning", "words", "matched", "also"}
    assert hit.parts["matched"] == ["NMS", "回退"]
    assert hit.parts["also"] == {"nonmaxsuppression": "NMS", "fallback": "回退"}
    assert -1 <= hit.parts["meaning"] <= 1
    assert 0 <= hit.parts["words"] <= 1
    assert hit.why.startswith("has NMS, 回退; has ")
    assert "nonmaxsuppression for NMS" in hit.why
    assert "parts" in search.search("NMS", k=1, use=index).to_dict(explain=True)["results"][0]


def test_titles_and_summaries_follow_the_language(index: store.Index) -> None:
    (hit,) = search.search("NMS", k=1, lang="zh", use=index).results
    assert (hit.title, hit.summary) == ("避免 NMS 回退到 AI CPU", "改用 NMSWithMask")


def test_filters_are_exact(index: store.Index) -> None:
    def ids(**given: str) -> set[str]:
        return {hit.id for hit in search.search("slow", use=index, **given).results}

    everything = {entry.id for entry in ENTRIES}
    assert ids(kind="case") == {"yolo-on-310p"}
    assert ids(op="MatMulV2") == {"matmul-tiling"}
    assert ids(op="torch.mm") == {"matmul-tiling"}
    assert ids(op="Conv2D") == set()
    assert ids(soc="Ascend310P3") == everything - {"mte2-larger-copies", "matmul-tiling"}
    assert ids(soc="Ascend910B2") == everything - {"yolo-on-310p"}
    assert ids(soc="atlas-a2") == everything - {"yolo-on-310p"}
    assert ids(soc="Ascend910B3") == everything - {"yolo-on-310p", "matmul-tiling"}
    assert ids(bottleneck="mte2-bound") == {"mte2-larger-copies"}
    assert ids(kind="recipe", op="NonMaxSuppression") == {"nms-off-the-host"}


def test_wrong_options_are_named(index: store.Index) -> None:
    with pytest.raises(UsageError, match="unknown kind"):
        search.search("x", kind="poem", use=index)
    with pytest.raises(UsageError, match="unknown chip"):
        search.search("x", soc="Ascend9999", use=index)
    with pytest.raises(UsageError):
        search.search("x", k=0, use=index)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=120))
def test_no_query_can_break_it(text: str) -> None:
    found = search.search(text, use=_INDEX)
    scores = [hit.score for hit in found.results]
    assert scores == sorted(scores, reverse=True)


_INDEX = store.in_memory(ENTRIES, Embedder(shipped_model()))


@pytest.mark.parametrize(
    "text", ['"', "NEAR(a b)", "title:x OR y", "a* AND (b", "'; DROP TABLE entry; --", "\0", "^x"]
)
def test_query_syntax_is_plain_text(index: store.Index, text: str) -> None:
    search.search(text, use=index)
    assert index.db.execute("SELECT count(*) FROM entry").fetchone() == (len(ENTRIES),)


def test_a_file_of_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, index: store.Index) -> None:
    monkeypatch.setattr(store, "index", lambda model="": index)
    path = tmp_path / "queries.tsv"
    path.write_text("query\tlang\nNMS CPU fallback\ten\n\n切分\tzh\n", encoding="utf-8")
    found = list(search.search_many(path, k=1))
    assert [(one.query, one.results[0].id) for one in found] == [
        ("NMS CPU fallback", "nms-off-the-host"),
        ("切分", "matmul-tiling"),
    ]
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SourceError, match="UTF-8"):
        list(search.search_many(path))
    with pytest.raises(SourceError):
        list(search.search_many(tmp_path / "absent.tsv"))


def test_similar_entries_leave_the_entry_itself_out(index: store.Index) -> None:
    ids = [hit.id for hit in search.similar("nms-off-the-host", use=index)]
    assert "nms-off-the-host" not in ids
    assert len(ids) == len(ENTRIES) - 1
    (hit,) = search.similar("cube unit idles in a matmul", kinds=("recipe",), k=1, use=index)
    assert (hit.rank, hit.id) == (1, "matmul-tiling")


HEAVY = (
    "numpy",
    "pandas",
    "sqlite_utils",
    "sklearn",
    "torch",
    "typer",
    "rich",
    "yaml",
    "dataclasses",
    "kb.model",
)


def test_a_search_loads_nothing_heavy(tmp_path: Path) -> None:
    """Both when the index is there already; the first run builds it and may read YAML."""
    code = (
        "import sys; from kb.knowledge.search import search\n"
        "assert search('NMS CPU fallback').results\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
        )
    assert done.stdout.strip() == "[]"


def test_cosines_from_distances_are_the_dot_products(index: store.Index) -> None:
    vector = index.embedder.embed("NMS falls back")
    for n, cosine, _ in search._cosines(index, vector, range(1, len(ENTRIES) + 1)):
        length, codes = index.db.execute("SELECT length, vec FROM vector WHERE n = ?", (n,)).fetchone()
        signed = [code - 256 if code > 127 else code for code in codes]
        assert cosine == pytest.approx(sum(map(float.__mul__, vector, map(float, signed))) / length, abs=1e-9)
    zeros = [0.0] * len(vector)
    assert {cosine for _, cosine, _ in search._cosines(index, zeros, range(1, 3))} == {0.0}


def test_an_entry_is_compared_by_the_vector_that_the_index_holds(
    index: store.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(index.embedder), "embed", lambda *_: pytest.fail("it is embedded already"))
    hits = search.similar("matmul-tiling", use=index)
    assert len(hits) == len(ENTRIES) - 1
    assert "matmul-tiling" not in {hit.id for hit in hits}
    assert [hit.rank for hit in hits] == list(range(1, len(ENTRIES)))
    assert {hit.kind for hit in search.similar("matmul-tiling", kinds=("tip",), use=index)} == {"tip"}


def test_filters_by_evidence_bottleneck_and_language(index: store.Index) -> None:
    entries = {entry.id: entry for entry in ENTRIES}
    for grade in {entry.grade for entry in ENTRIES}:
        hits = search.search("slow", evidence=grade, use=index).results
        assert {hit.id for hit in hits} == {e.id for e in ENTRIES if e.grade == grade}
    assert [hit.id for hit in search.search("slow", bottleneck="host-bound", use=index).results] == [
        "compile-once"
    ]
    assert len(search.search("slow", language="en", use=index).results) == len(entries)
    assert not search.search("slow", language="ja", use=index).results  # none is written out in Japanese
    for wrong in ({"evidence": "rumour"}, {"language": "de"}, {"bottleneck": "host-bond"}):
        with pytest.raises(UsageError) as caught:
            search.search("slow", use=index, **wrong)
        assert caught.value.now


def test_only_rare_words_of_a_large_index_are_looked_up(
    index: store.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = query.read(index.db, index.size, "MatMulV3 tiling unheardof")
    assert search._rare_enough(asked) >= {"tiling", "unheardof"}
    monkeypatch.setattr(search, "POSTINGS", 0)
    rare = search._rare_enough(asked)
    assert any(asked.counts.get(term) for term in rare)  # at least one that some entry holds
    assert len(rare) < len({*asked.own, *asked.also})


@pytest.mark.parametrize("written", ["matmultiling", "tilingg"])
def test_a_word_that_goes_on_or_is_mistyped_is_found_and_known(index: store.Index, written: str) -> None:
    asked = query.read(index.db, index.size, written)
    assert asked.unknown == (written,)
    assert set(asked.also) & {"matmul", "tiling"}
    assert asked.known > 0.5
    assert search.search(written, use=index).results[0].id == "matmul-tiling"


def test_a_query_that_begins_with_a_dash_is_told_how(capsys: pytest.CaptureFixture[str]) -> None:
    from kb.cli import main

    assert main(["search", "--aic-metrics"]) == 2
    assert "kb search -- --aic-metrics" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["cube unit idles in a matmul", "NMS CPU fallback", "算子耗时过长", "zzzz", ""]
)
def test_nearness_is_what_similar_says(index: store.Index, text: str) -> None:
    for kinds in (("recipe", "tip"), ("case",)):
        hits = search.similar(text, kinds=kinds, k=5, use=index)
        assert search.nearness(text, kinds=kinds, k=5, use=index) == {hit.id: hit.score for hit in hits}
