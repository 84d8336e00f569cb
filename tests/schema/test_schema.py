"""Every document has a JSON Schema, and what commands print obeys it, with no member that it does not describe."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from running import ROOT, SAMPLE, needs_cli, needs_sample, run_kb, tracked

from kb.schema import DOCUMENTS, schema_of
from tools.samples import onnx_writer as w

GOLDEN = sorted(
    path for path in (ROOT / "tests" / "golden").rglob("*.json*") if path.suffix in (".json", ".jsonl")
)


def check(document: Any, *, closed: bool = True) -> None:
    """One document, or a list of them, against the schema that it names."""
    for item in document if isinstance(document, list) else [document]:
        name = item["schema"]
        Draft202012Validator(DOCUMENTS[name].schema(name, closed=closed)).validate(item)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_schema_is_one(name: str) -> None:
    for closed in (False, True):
        Draft202012Validator.check_schema(DOCUMENTS[name].schema(name, closed=closed))


def test_every_document_of_the_code_has_a_schema() -> None:
    code = "".join(
        (ROOT / path).read_text(encoding="utf-8") for path in tracked("kb") if path.endswith(".py")
    )
    assert set(re.findall(r'"(kb\.[a-z.-]+/\d+)"', code)) == set(DOCUMENTS)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: str(path.relative_to(ROOT / "tests" / "golden")))
def test_golden_documents_obey(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    documents = (
        [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else [json.loads(text)]
    )
    assert documents
    if any("schema" not in row for row in documents):
        pytest.skip("rows of a document, not documents")
    for document in documents:
        check(document)


def test_there_are_golden_documents() -> None:
    assert len(GOLDEN) >= 4


@needs_cli
@needs_sample
@pytest.mark.parametrize(
    "line",
    [
        f"advise {SAMPLE}", f"check {SAMPLE}/../matmul.onnx --soc Ascend310P3", "config list", "config get soc", "doctor",
        "ask --list", "similar yolov8s-910b-seed", "model show", f"compare {SAMPLE} {SAMPLE}", "outcome", "show yolov8s-910b-seed", "eval search tests/benchmarks/queries_dev.tsv", "eval knowledge",
        "explain scalar-bound-vector", "explain host-bound", "formats", "index", "list --kind pattern", "runs list", "schema",
        "search NMS", "search --explain NMS", "search --soc Ascend310P3 转置", "validate",
    ],
)  # fmt: skip
def test_what_a_command_prints_obeys(line: str, tmp_path: Path) -> None:
    arguments = line.split()
    if arguments[0] == "check":
        arguments[1] = str(_model(tmp_path))
    if arguments[0] == "runs":
        assert run_kb("advise", SAMPLE, home=tmp_path).returncode == 0
    if "queries_dev" in line and not (ROOT / arguments[2]).is_file():
        pytest.skip("the questions are not in this tree")
    done = run_kb(*arguments, "--format", "json", home=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    check(json.loads(done.stdout))


def _model(folder: Path) -> Path:
    path = folder / "m.onnx"
    path.write_bytes(w.small())
    return path


@needs_cli
def test_new_obeys(tmp_path: Path) -> None:
    done = run_kb("new", "tip", "our-tip", "--into", str(tmp_path), "--format", "json", home=tmp_path)
    check(json.loads(done.stdout))


@needs_cli
def test_the_command_prints_what_the_library_makes(tmp_path: Path) -> None:
    done = run_kb("schema", "report", home=tmp_path)
    assert json.loads(done.stdout) == DOCUMENTS["kb.report/1"].schema("kb.report/1")
    assert run_kb("schema", "kb.runs/1", "--format", "jsonl", home=tmp_path).stdout.count("\n") == 1
    unknown = run_kb("schema", "raport", home=tmp_path)
    assert unknown.returncode == 2 and "report" in unknown.stderr


@dataclass(frozen=True)
class _Inner:
    """What is inside."""

    n: int


@dataclass(frozen=True)
class _Outer:
    """A made-up document."""

    always: str
    sometimes: float | None
    inner: tuple[_Inner, ...]


@pytest.mark.parametrize(
    "wrong",
    [
        {"always": "a", "inner": []},
        {"schema": "kb.made/2", "always": "a", "inner": []},
        {"schema": "kb.made/1", "inner": []},
        {"schema": "kb.made/1", "always": 1, "inner": []},
        {"schema": "kb.made/1", "always": "a", "sometimes": None, "inner": []},
        {"schema": "kb.made/1", "always": "a", "inner": [{"n": "1"}]},
        {"schema": "kb.made/1", "always": "a", "inner": [], "more": 1},
    ],
)
def test_what_does_not_obey_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Draft202012Validator(schema_of("kb.made/1", _Outer, {}, closed=True)).validate(wrong)


def test_members_may_be_added_where_the_schema_is_open() -> None:
    later = {"schema": "kb.made/1", "always": "a", "inner": [{"n": 1, "m": 2}], "more": 1}
    Draft202012Validator(schema_of("kb.made/1", _Outer, {})).validate(later)
