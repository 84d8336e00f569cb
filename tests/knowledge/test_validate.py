"""Validation: the shipped knowledge is whole, and each kind of fault is found in its bad sample."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from kb import shipped
from kb.errors import KnowledgeError
from kb.knowledge.entry import load_entries, parse_file
from kb.knowledge.validate import CODES, errors, render_text, to_dict, validate
from kb.knowledge.wording import LANGUAGES, discouraged
from kb.knowledge.words import table

SAMPLES = Path(__file__).parents[1] / "samples" / "entries"
NOT_A_FILE = {"unreadable"}  # cannot be kept as a sample


def test_the_shipped_knowledge_has_no_fault() -> None:
    faults = validate()
    assert not faults, render_text(faults)


def test_the_good_samples_have_no_fault() -> None:
    assert not validate([SAMPLES / "good"], beside=[])


def test_every_code_has_a_sample() -> None:
    assert {path.name for path in (SAMPLES / "bad").iterdir()} | NOT_A_FILE == set(CODES)


@pytest.mark.parametrize("code", sorted(set(CODES) - NOT_A_FILE))
def test_a_bad_sample_is_found_and_says_where_and_what_now(code: str) -> None:
    faults = validate([SAMPLES / "bad" / code], beside=[SAMPLES / "good"])
    found = [fault for fault in faults if fault.code == code]
    assert found, render_text(faults)
    for fault in faults:
        path = Path(fault.file)
        lines = path.read_bytes().split(b"\n") if path.is_file() else []
        assert 1 <= fault.line <= len(lines) + 1
        assert fault.column >= 1
        assert fault.what
        assert fault.mend
        assert "/bad/" in fault.file


def test_a_fault_points_at_the_value_concerned() -> None:
    faults = validate([SAMPLES / "bad" / "unknown-metric"], beside=[SAMPLES / "good"])
    (fault,) = [fault for fault in faults if fault.code == "unknown-metric"]
    line = Path(fault.file).read_text(encoding="utf-8").splitlines()[fault.line - 1]
    assert line[fault.column - 1 :].startswith("block_dimension")


def test_all_faults_at_once(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "good", tmp_path / "team")
    path = tmp_path / "team" / "recipes" / "sample-recipe.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("[Add, MatMul*]", "[Frobnicate]").replace("state: draft", "state: done"),
        encoding="utf-8",
    )
    (tmp_path / "team" / "tips" / "sample-tip.md").write_text("nothing", encoding="utf-8")
    assert {fault.code for fault in validate([tmp_path / "team"], beside=[])} >= {
        "unknown-operator",
        "bad-choice",
        "no-head",
    }


def test_a_warning_does_not_make_it_invalid() -> None:
    faults = validate([SAMPLES / "bad" / "missing-translation"], beside=[SAMPLES / "good"])
    assert {fault.code for fault in faults} == {"missing-translation"}
    assert not errors(faults)
    assert to_dict(faults)["valid"] is True


def test_views_of_faults() -> None:
    faults = validate([SAMPLES / "bad" / "no-source"], beside=[SAMPLES / "good"])
    text = render_text(faults)
    assert "bad-sample" in text
    assert "[no-source]" in text
    assert text.endswith("1 error, 0 warnings")
    document = json.loads(json.dumps(to_dict(faults)))
    assert document["schema"] == "kb.validate/1"
    assert document["valid"] is False
    assert document["faults"][0]["code"] == "no-source"


def test_a_team_entry_cannot_take_a_shipped_id(tmp_path: Path) -> None:
    folder = tmp_path / "recipes"
    folder.mkdir()
    shutil.copy(SAMPLES / "good" / "recipes" / "sample-recipe.md", folder / "sample-recipe.md")
    beside = [SAMPLES / "good"]
    assert "duplicate-id" in {fault.code for fault in validate([tmp_path], beside)}
    with pytest.raises(KnowledgeError, match="1 faults"):
        load_entries([*beside, tmp_path])


def test_a_missing_file_is_a_fault_not_a_traceback(tmp_path: Path) -> None:
    parsed = parse_file(tmp_path / "gone.md")
    assert parsed.entry is None
    assert [fault.code for fault in parsed.faults] == ["unreadable"]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("---\nid: secret\n---\n", encoding="utf-8")
    (tmp_path / "team" / "tips").mkdir(parents=True)
    (tmp_path / "team" / "tips" / "secret.md").symlink_to(outside)
    assert {fault.code for fault in validate([tmp_path / "team"])} == {"no-entries"}


def test_one_file_is_judged_among_the_shipped_ones(tmp_path: Path) -> None:
    text = (SAMPLES / "good" / "tips" / "sample-tip.md").read_text(encoding="utf-8")
    path = tmp_path / "sample-tip.md"
    path.write_text(text.replace("sources:", "links: [vector-double-buffer]\nsources:"), encoding="utf-8")
    assert validate([path]) == []
    path.write_text(text.replace("sources:", "links: [no-such-entry]\nsources:"), encoding="utf-8")
    assert {fault.code for fault in validate([path])} == {"dangling-link"}
    assert {fault.file for fault in validate([path])} == {str(path)}


def test_a_folder_of_one_kind_can_be_given() -> None:
    assert validate([SAMPLES / "good" / "recipes"], beside=[SAMPLES / "good"]) == []


def test_a_term_that_the_entries_avoid_is_told_with_the_one_to_write() -> None:
    faults = validate([SAMPLES / "bad" / "wording"], beside=[SAMPLES / "good"])
    (fault,) = faults
    assert (fault.code, fault.severity, fault.mend) == ("wording", "warning", "write 归约")
    line = Path(fault.file).read_text(encoding="utf-8").splitlines()[fault.line - 1]
    assert "规约" in line
    assert not list(discouraged("`规约` is code here", "zh"))
    assert not list(discouraged("规约", "ja"))


def test_what_is_written_instead_is_not_avoided_itself() -> None:
    rows = list(table("wording.tsv", 3))
    assert {lang for lang, _, _ in rows} <= set(LANGUAGES)
    for lang, _, write in rows:
        term = re.split("[(,:]", write)[0]  # a reason may follow in brackets
        assert not list(discouraged(term, lang)), term


@pytest.mark.parametrize(
    ("line", "code", "what"),
    [
        ("- {metric: runs, op: in, value: ['Pow -> ReduceMeen'], basis: threshold}", "unknown-operator", "ReduceMeen"),
        ("- {metric: model_family, op: ==, value: Yolo, basis: threshold}", "bad-comparison", "Yolo"),
        ("- {metric: run_phase, op: ==, value: train, basis: threshold}", "bad-comparison", "train"),
        ("- {metric: collectives_run, op: '!=', value: steps, basis: inferred}", "bad-comparison", "steps"),
        ("bounded_by: collective_starts", "unknown-metric", "collective_starts"),
        ("bounded_by: collective_us", "bad-comparison", "collective_us"),
    ],
)  # fmt: skip
def test_for_whom_an_entry_is_must_be_spelt_as_known(tmp_path: Path, line: str, code: str, what: str) -> None:
    """A typing error there would leave the entry out everywhere, without a word."""
    good = SAMPLES / "good" / "recipes" / "sample-recipe.md"
    text = good.read_text(encoding="utf-8")
    path = tmp_path / good.name
    assert "\nwhen:\n" in text
    place = "\nwhen:\n" + line + "\n" if line.startswith("-") else f"\n{line}\nwhen:\n"
    path.write_text(text.replace("\nwhen:\n", place), encoding="utf-8")
    found = [fault for fault in validate([path], beside=[SAMPLES / "good"]) if fault.code == code]
    assert [what in fault.what for fault in found] == [True]


@pytest.mark.parametrize("says_why", [True, False])
def test_a_pattern_without_a_remedy_says_why(tmp_path: Path, says_why: bool) -> None:
    """A diagnosis may stand alone where no source supports an entry; it does not do so by oversight."""
    name = "stage-imbalance.md"
    text = (shipped.root() / "patterns" / name).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines(keepends=True) if says_why or "without_remedy" not in line]
    (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    codes = {fault.code for fault in validate([tmp_path / name])}
    assert ("pattern-without-recipe" in codes) is not says_why
