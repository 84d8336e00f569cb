"""`kb compare`, `kb outcome` and `kb case from-compare` as they are typed."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from comparison_samples import AFTER, BEFORE, DEVICE, FASTER, KERNEL, report

from kb.report import json as report_json
from kb.store.outcomes import load
from kb.store.runs import save

ONE, TWO, SIM, WORSE = "a" * 12, "b" * 12, "5" * 12, "d" * 12
APPLIED = "vector-larger-copies"


@pytest.fixture
def kept(kb: Any, tmp_path: Path) -> Any:
    """Runs before, after, simulated, and slower again, in the store."""
    slower = report(replace(KERNEL, mean_us=130.0, total_us=130.0), run=WORSE)
    simulated = replace(AFTER, run=SIM, capture=replace(DEVICE, simulated=True))
    for found in (BEFORE, AFTER, simulated, slower):
        save(report_json.kept(found), db=str(tmp_path / "runs.db"))
    return kb


def test_two_kept_runs(kept: Any) -> None:
    done = kept("compare", ONE, TWO[:4])
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("Faster: 50 us instead of 100 us (-50.0 %)")
    assert f"kb outcome {ONE} {TWO} --applied ID" in done.out
    assert json.loads(kept("compare", ONE, TWO, "--format", "json").out)["verdict"] == "faster"


def test_profiles_are_judged_and_kept(kb: Any, asked: Any, tmp_path: Path) -> None:
    for name in ("sample", "other"):
        (tmp_path / name).mkdir()
    done = kb("compare", "sample", "other")
    assert done.status == 0
    assert [call[0] for call in asked.calls] == ["advise", "advise"]
    assert "within" in done.out.splitlines()[0].lower()
    assert len(json.loads(kb("runs", "list", "--format", "json").out)["runs"]) == 1  # the same profile twice


def test_a_saved_report_is_a_side(kept: Any, tmp_path: Path) -> None:
    (tmp_path / "before.json").write_text(json.dumps(report_json.kept(BEFORE)))
    assert kept("compare", "before.json", TWO).out == kept("compare", ONE, TWO).out


@pytest.mark.parametrize(
    ("before", "after", "limit", "status"),
    [
        (ONE, TWO, "5%", 0),
        (ONE, WORSE, "5%", 1),
        (ONE, WORSE, "5", 1),
        (ONE, WORSE, "50 %", 0),
        (ONE, SIM, "5%", 5),
        (ONE, ONE, "0", 0),
    ],
)
def test_the_gate_decides_the_exit_status(
    kept: Any, before: str, after: str, limit: str, status: int
) -> None:
    done = kept("compare", before, after, "--fail-on-regression", limit)
    assert done.status == status
    assert done.out
    assert kept("compare", before, after).status == 0


def test_a_file_for_ci(kept: Any, tmp_path: Path) -> None:
    done = kept("compare", ONE, WORSE, "--fail-on-regression", "5%", "--format", "junit", "-o", "result.xml")
    assert (done.status, done.out) == (1, "")
    assert ET.fromstring((tmp_path / "result.xml").read_text()).get("failures") == "2"
    found = json.loads(kept("compare", ONE, WORSE, "--format", "sarif").out)
    assert found["runs"][0]["results"][0]["ruleId"] == "regression"


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("compare", ONE, "zzz"), 2, "no such path"),
        (("compare", ONE, "./nowhere"), 3, "no such file"),
        (("compare", ONE, ""), 2, "an empty path"),
        (("compare", ONE, TWO, "--noise", "wide"), 2, "no percentage"),
        (("compare", ONE, TWO, "--fail-on-regression", "-5%"), 2, "no percentage"),
        (("compare", ONE, TWO, "--format", "xml"), 2, "no format"),
        (("outcome", ONE, TWO), 2, "name it with each advice (kb report"),
        (("outcome", ONE, "--applied", APPLIED), 2, "RUN_AFTER is missing"),
        (("outcome", ONE, TWO, "--applied", "vector-larger-copi"), 2, "vector-larger-copies"),
        (("outcome", ONE, ONE, "--applied", APPLIED), 2, "one run cannot be before and after"),
        (("outcome", ONE, SIM, "--applied", APPLIED), 5, "cannot be compared"),
        (("outcome", ONE, TWO, "--applied", APPLIED, "--forget", "x"), 2, "at once"),
        (("outcome", "--export", "out"), 2, "no outcome to export"),
        (("outcome", "--import", "nowhere"), 3, "no such file"),
        (("outcome", "--forget", "x"), 2, "no outcome"),
        (("case", "from-compare", ONE, SIM, "--applied", APPLIED), 5, "cannot be compared"),
    ],
)
def test_what_goes_wrong_is_said(kept: Any, arguments: tuple[str, ...], status: int, told: str) -> None:
    done = kept(*arguments)
    assert (done.status, done.out) == (status, "")
    assert told in done.err
    assert "Traceback" not in done.err


def test_an_outcome_is_kept_and_shown(kept: Any, tmp_path: Path) -> None:
    done = kept("outcome", ONE, TWO, "--applied", APPLIED)
    assert done.status == 0, done.err
    assert done.out.startswith(f"Kept: {APPLIED} gave -50.0 % (faster)")
    (found,) = load(db=str(tmp_path / "runs.db"))
    assert (found.entry, found.saved, found.run_before, found.run_after) == (APPLIED, 0.5, ONE, TWO)
    assert kept("outcome", ONE, TWO, "--applied", APPLIED).status == 0
    assert len(load(db=str(tmp_path / "runs.db"))) == 1  # the same try is one
    shown = kept("show", APPLIED)
    assert "Tried here" in shown.out and "-50.0 %" in shown.out
    document = json.loads(kept("show", APPLIED, "--format", "json").out)
    assert (document["tried"]["count"], document["outcomes"][0]["id"]) == (1, found.id)
    assert "-50.0 %  faster" in kept("outcome").out
    assert [row["id"] for row in json.loads(kept("outcome", "--format", "json").out)["outcomes"]] == [
        found.id
    ]
    assert kept("outcome", "--forget", found.id).status == 0
    assert "Tried here" not in kept("show", APPLIED).out


def test_outcomes_reach_the_ranking(kept: Any, asked: Any, tmp_path: Path) -> None:
    kept("outcome", ONE, TWO, "--applied", APPLIED)
    kept("advise", "sample")
    _, (_, request) = next(call for call in asked.calls if call[0] == "advise")
    assert [item.entry for item in request.outcomes] == [APPLIED]


def test_a_store_that_cannot_be_read_costs_only_a_warning(kb: Any, tmp_path: Path) -> None:
    (tmp_path / "runs.db").write_text("this is no database")
    done = kb("show", APPLIED)
    assert done.status == 0
    assert "outcomes are not used" in done.err


def test_a_case_is_drafted(kept: Any, tmp_path: Path) -> None:
    arguments = ("case", "from-compare", ONE, TWO, "--applied", APPLIED, "--into", "own", "--id", "our-case")
    done = kept(*arguments)
    assert done.status == 0, done.err
    text = (tmp_path / "own" / "cases" / "our-case.md").read_text()
    assert "TODO" in text and "100 us to 50 us (50 % less)" in text
    assert json.loads(kept(*arguments[:6], "--format", "json").out)["text"].startswith(
        "---\nid: vector-larger"
    )
    assert kept(*arguments[:6]).out.startswith("---\nid: vector-larger-copies-")
    again = kept(*arguments)
    assert again.status == 2
    assert "exists" in again.err


def test_outcomes_travel_to_another_team(kept: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept("outcome", ONE, TWO, "--applied", APPLIED)
    done = kept("outcome", "--export", "share", "--format", "json")
    (file,) = json.loads(done.out)["files"]
    text = Path(file).read_text()
    assert "some/folder" not in text and ONE not in text and FASTER.name not in text.replace("operators: [Add]", "").replace("operator: Add", "").replace("variant: Add", "")  # fmt: skip
    monkeypatch.setenv("KB_DB", str(tmp_path / "theirs.db"))
    assert json.loads(kept("outcome", "--import", "share", "--format", "json").out)["added"] == 1
    assert json.loads(kept("outcome", "--import", "share", "--format", "json").out)["added"] == 0
    assert (
        "other team" in kept("outcome").out.replace("\n", " ").replace("  ", " ")
        or "other" in kept("outcome").out
    )
