"""Outcomes as entries, and cases drafted from two runs: valid, without names, and read with suspicion."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from comparison_samples import AFTER, BEFORE, RUN_AFTER, RUN_BEFORE

from kb.engine.compare import compare
from kb.engine.compare.result import outcome_of
from kb.errors import UsageError
from kb.experience import Outcome
from kb.knowledge.draft import draft
from kb.knowledge.entry import entry_to_text
from kb.knowledge.faults import errors
from kb.knowledge.outcomes import exported, imported, text_of
from kb.knowledge.store import load_entries
from kb.knowledge.validate import validate
from kb.model import Entry, Report

APPLIED = "vector-larger-copies"
SECRET = "/home/ann/secret_project/kernel_of_ann"
OUTCOME = Outcome(
    "0123456789ab", "2026-03-04T05:06:07+00:00", APPLIED, "operator", 0.25, 0.02, "faster", pattern="small-mte2-reads",
    operator="Add", core="vector", soc="Ascend910B2", shapes="64x64; -", dtypes="FLOAT16; -", cann="8.5.0",
    run_before="f" * 12, run_after="e" * 12,
)  # fmt: skip


@pytest.fixture(scope="module")
def entries() -> dict[str, Entry]:
    return load_entries()


def written(folder: Path, entries: dict[str, Entry], *outcomes: Outcome) -> list[Path]:
    made = exported(outcomes, entries)
    paths = [folder / "cases" / f"{entry.id}.md" for entry in made]
    (folder / "cases").mkdir(parents=True, exist_ok=True)
    for entry, path in zip(made, paths, strict=True):
        path.write_text(text_of(entry), encoding="utf-8")
    return paths


def test_what_is_exported_is_valid_and_comes_back(tmp_path: Path, entries: dict[str, Entry]) -> None:
    other = replace(OUTCOME, id="ba9876543210", saved=-0.1, result="slower", of="run", operator="", shapes="")
    written(tmp_path, entries, OUTCOME, other)
    assert errors(validate([tmp_path])) == ()
    back = {item.id: item for item in imported(tmp_path)}
    assert set(back) == {OUTCOME.id, other.id}
    known = replace(
        OUTCOME, created="2026-03-01T00:00:00+00:00", origin="imported", run_before="", run_after=""
    )
    assert back[OUTCOME.id] == known


def test_no_name_and_no_path_leaves_the_house(tmp_path: Path, entries: dict[str, Entry]) -> None:
    (path,) = written(
        tmp_path, entries,
        replace(OUTCOME, operator=SECRET, soc=SECRET, shapes=SECRET, dtypes=SECRET, cann=SECRET, core=SECRET, pattern=SECRET),
    )  # fmt: skip
    text = path.read_text()
    assert (
        "secret" not in text
        and "ann" not in text.replace("cann", "").replace("channel", "").split("remedy:")[0]
    )
    assert OUTCOME.run_before not in text
    assert errors(validate([tmp_path])) == ()


def test_outcomes_of_other_teams_and_of_unknown_entries_are_not_passed_on(entries: dict[str, Entry]) -> None:
    assert (
        exported([replace(OUTCOME, origin="imported"), replace(OUTCOME, entry="nobody-knows-it")], entries)
        == []
    )


def test_outcomes_of_entries_that_only_this_team_has_stay_here(entries: dict[str, Entry]) -> None:
    own = {**entries, "ours-alone": replace(entries[APPLIED], id="ours-alone")}
    assert exported([replace(OUTCOME, entry="ours-alone")], own) == []


def test_many_outcomes_are_several_files(tmp_path: Path, entries: dict[str, Entry]) -> None:
    many = [replace(OUTCOME, id=f"{number:012x}") for number in range(250)]
    assert len(written(tmp_path, entries, *many)) == 3
    assert errors(validate([tmp_path])) == ()
    assert len(imported(tmp_path)) == 250


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("saved: 0.25, band", "saved: 2.5, band"),
        ("saved: 0.25, band", "saved: lots, band"),
        ("key: 0123456789ab", "key: ../../etc"),
        ("result: faster", "result: brilliant"),
        ("month: 2026-03", "month: yesterday"),
        ("applied: vector-larger-copies", "applied: '; drop table outcomes'"),
    ],
)
def test_a_row_that_no_export_writes_is_refused_whole(
    tmp_path: Path, entries: dict[str, Entry], old: str, new: str
) -> None:
    (path,) = written(tmp_path, entries, OUTCOME)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(UsageError, match="not what an export writes"):
        imported(tmp_path)


def test_facts_that_are_not_of_their_kind_are_dropped(tmp_path: Path, entries: dict[str, Entry]) -> None:
    (path,) = written(tmp_path, entries, OUTCOME)
    path.write_text(path.read_text().replace("operator: Add", "operator: rm -rf").replace("64x64", "$(id)"))
    (found,) = imported(tmp_path)
    assert (found.operator, found.shapes) == ("", "")


def test_what_is_no_export_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no outcomes"):
        imported(tmp_path)
    (tmp_path / "x.md").write_text("hello")
    with pytest.raises(UsageError, match="no entry"):
        imported(tmp_path)


@pytest.mark.parametrize(("before", "after"), [(BEFORE, AFTER), (AFTER, BEFORE), (RUN_BEFORE, RUN_AFTER)])
def test_a_draft_is_valid_once_its_placeholders_are_written(
    tmp_path: Path, entries: dict[str, Entry], before: Report, after: Report
) -> None:
    found = compare(before, after)
    outcome = outcome_of(found, before, entries[APPLIED], id="0123456789ab", created="2026-01-01")
    text = entry_to_text(draft(found, outcome, before, entries[APPLIED], "our-case"))
    path = tmp_path / "cases" / "our-case.md"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    faults = errors(validate([tmp_path]))
    assert faults and {fault.code for fault in faults} == {"unfilled"}
    path.write_text(text.replace("TODO", "written"), encoding="utf-8")
    assert errors(validate([tmp_path])) == ()
