from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_fakes import ENTRIES, Asked


def test_search_for_people(kb: Any) -> None:
    done = kb("search", "NMS", "CPU", "fallback")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[0] == "NMS CPU fallback  2 found"
    for part in (
        "1. About scalar-bound-vector",
        "pattern · scalar-bound-vector · 1.00",
        "why: words: nms",
        "A summary.",
    ):
        assert part in done.out
    assert "cosine" not in done.out
    assert "cosine: 0.500" in kb("search", "--explain", "x").out


def test_search_for_tools(kb: Any) -> None:
    found = json.loads(kb("search", "NMS", "--format", "json").out)
    assert list(found) == ["schema", "query", "no_good_match", "results"]
    assert list(found["results"][0]) == ["rank", "id", "kind", "title", "score", "why", "summary", "sources"]
    assert "parts" in json.loads(kb("search", "NMS", "--format", "json", "--explain").out)["results"][0]
    assert len(kb("search", "NMS", "--format", "jsonl").out.splitlines()) == 1


def test_search_options_reach_the_search(kb: Any, asked: Asked) -> None:
    kb(
        "search",
        "-k",
        "3",
        "--kind",
        "recipe",
        "--op",
        "MatMul",
        "--soc",
        "Ascend310P3",
        "--lang",
        "zh",
        "转置",
    )
    assert asked.calls == [
        ("search", ("转置", {"k": 3, "kind": "recipe", "op": "MatMul", "soc": "Ascend310P3", "lang": "zh"}))
    ]


def test_search_says_when_nothing_fits(kb: Any) -> None:
    done = kb("search", "nothing like it")
    assert done.status == 0
    assert "Nothing fits well; these are the nearest." in done.out
    assert kb("search", "void").out.startswith("void  Nothing found.")


def test_many_queries_are_answered_line_by_line(kb: Any, tmp_path: Path) -> None:
    (tmp_path / "q.tsv").write_text("one\ntwo\n")
    lines = kb("search", "--queries", "q.tsv").out.splitlines()
    assert [json.loads(line)["query"] for line in lines] == ["one", "two"]
    assert kb("search", "--queries", "gone.tsv").status == 3


@pytest.mark.parametrize(
    "arguments",
    [[], ["x", "--queries", "y"], ["-k", "0", "x"], ["-k", "two", "x"], ["--kind", "song", "x"], ["--nope", "x"],
     ["x", "--format", "pdf"], ["x", "--lang", "fr"]],
)  # fmt: skip
def test_wrong_search_usage_is_2(kb: Any, asked: Asked, arguments: list[str]) -> None:
    done = kb("search", *arguments)
    assert (done.status, done.out, asked.calls) == (2, "", [])
    assert len(done.err.splitlines()) == 2


@pytest.mark.parametrize(
    ("line", "marks"),
    [
        (["show", "vector-larger-copies"], ["About vector-larger-copies", "do this", "owner/repo:path@abc"]),
        (["list"], ["6 entries", "aicpu-index-put-mask", "About yolov8s-910b-seed"]),
        (
            ["explain", "scalar-bound-vector"],
            ["What helps", "scalar-loop-to-vector-api", "vector-double-buffer", "yolov8s"],
        ),
        (["search", "x"], ["scalar-bound-vector"]),
        (["index"], ["504", "/cache/index.db"]),
        (["runs", "list"], ["No run has been kept yet."]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_pages(kb: Any, line: list[str], marks: list[str], name: str) -> None:
    done = kb(*line, "--format", name)
    assert (done.status, done.err) == (0, "")
    for mark in marks:
        assert mark in done.out


def test_an_entry_as_json(kb: Any) -> None:
    found = json.loads(kb("show", "vector-larger-copies", "--format", "json").out)
    assert (found["schema"], found["id"]) == ("kb.entry/1", "vector-larger-copies")
    assert found["title"] == {
        "en": "About vector-larger-copies",
        "zh": "关于 vector-larger-copies",
        "ja": "vector-larger-copies について",
    }
    assert "file" not in found


def test_an_unknown_id_is_2_with_those_near(kb: Any) -> None:
    done = kb("show", "vector-large-copies")
    assert (done.status, done.out) == (2, "")
    assert done.err == "kb: no entry 'vector-large-copies'\n    Did you mean vector-larger-copies?\n"
    assert "scalar-bound-vector" in kb("explain", "scalar-bound").err
    assert "vector-double-buffer" in kb("show", "double-buffer").err
    assert "kb search" in kb("show", "zzz").err
    assert kb("list", "--bottleneck", "nope").status == 2


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        (["--kind", "pattern"], ["scalar-bound-vector"]),
        (["--op", "MatMulV2"], ["vector-larger-copies"]),
        (["--op", "Cummin"], ["scalar-loop-to-vector-api"]),
        (["--bottleneck", "small-mte3-writes"], ["vector-larger-copies"]),
        (["--kind", "case", "--soc", "Ascend310P3"], ["yolov8s-910b-seed"]),
        (["--kind", "case", "--soc", "Ascend910B2"], []),
        (
            ["--kind", "recipe", "--soc", "ascend910b2"],
            ["scalar-loop-to-vector-api", "vector-double-buffer", "vector-larger-copies"],
        ),
    ],
)
def test_list_filters(kb: Any, options: list[str], ids: list[str]) -> None:
    lines = kb("list", *options, "--format", "jsonl").out.splitlines()
    assert [json.loads(line)["id"] for line in lines] == ids
    assert [row["id"] for row in json.loads(kb("list", *options, "--format", "json").out)["entries"]] == ids


def test_list_knows_no_such_chip(kb: Any) -> None:
    assert kb("list", "--soc", "Ascend9000").status == 2


def test_explain_as_json(kb: Any) -> None:
    found = json.loads(kb("explain", "scalar-bound-vector", "--format", "json").out)
    assert found["pattern"]["id"] == found["bottleneck"] == "scalar-bound-vector"
    assert [row["id"] for row in found["helps"]] == ["scalar-loop-to-vector-api"]
    assert [row["id"] for row in found["does_not_help"]] == ["vector-double-buffer"]
    assert [row["id"] for row in found["cases"]] == ["yolov8s-910b-seed"]


def test_entries_in_another_language(kb: Any) -> None:
    assert kb("show", "aicpu-index-put-mask", "--lang", "zh").out.startswith("关于 aicpu-index-put-mask")
    assert "について" in kb("list", "--lang", "ja").out
    assert len(ENTRIES) == 6
