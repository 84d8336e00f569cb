"""Every real capture through the whole command: what it says, a paragraph each; a change shows as a diff to review."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from running import run_kb

from tools import trial

TABLE = Path(__file__).parent / "trial.txt"


def test_real_captures(shared_profiles: Path, golden: Callable[[Path, str], None], tmp_path: Path) -> None:
    answers = trial.said(shared_profiles, 1, lambda arguments: run_kb(*arguments, home=tmp_path))
    assert {one.name.partition("/")[0] for one in answers} == {
        path.name for path in shared_profiles.iterdir() if path.is_dir()
    }
    faults = [one.name for one in answers if one.status not in (0, 3, 5) or "Traceback" in one.message]
    assert not faults
    golden(TABLE, trial.table(answers))
