"""What takes the place of something that was kept says so, and what cannot be made again stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import ROOT

import kb.cli
from kb.store.runs import judged_for, list_runs

PROFILE = ROOT / "tests/samples/kernel_details/whole-detector"


def test_judging_for_another_chip_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    db = str(tmp_path / "runs.db")

    def advised(*more: str) -> str:
        assert kb.cli.main(["advise", str(PROFILE), "--db", db, *more]) == 0
        return capsys.readouterr().err

    assert judged_for("0" * 12, db=db) is None
    assert "kept as judged" not in advised("--soc", "Ascend310P3")
    (run,) = list_runs(db=db)
    assert judged_for(run.id, db=db) == ("Ascend310P3",)
    assert "kept as judged" not in advised("--soc", "Ascend310P3")  # the same again is nothing new
    said = advised("--soc", "Ascend310P1")
    assert (
        f"run {run.id} was kept as judged for Ascend310P3 and is now kept as judged for Ascend310P1" in said
    )
    assert "with --soc Ascend310P3 it is as before" in said
    assert len(list_runs(db=db)) == 1
    assert "kept as judged" not in advised("--soc", "Ascend310P3", "-q")


def test_an_earlier_calibration_is_kept_beside_the_new_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db, folder = str(tmp_path / "runs.db"), tmp_path / "calibration"

    def calibrated(profile: Path) -> str:
        command = ["estimate", "--calibrate", str(profile), "--soc", "Ascend910B2", "--db", db]
        assert kb.cli.main(command) == 0
        return capsys.readouterr().err

    assert "is kept as" not in calibrated(PROFILE)
    path = folder / "Ascend910B2.json"
    first = path.read_text()
    assert "is kept as" not in calibrated(PROFILE)  # the same again is nothing new
    other = json.loads(first) | {"source": "of last year"}
    path.write_text(json.dumps(other))
    said = calibrated(PROFILE)
    aside = folder / "Ascend910B2.1.json"
    assert str(aside) in said and json.loads(aside.read_text()) == other
    assert path.read_text() == first
    path.write_text("damaged")
    assert str(folder / "Ascend910B2.2.json") in calibrated(PROFILE)
    assert json.loads(aside.read_text()) == other
