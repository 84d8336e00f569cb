"""What a kernel developer stumbled over on a day with `kb` (docs/usability.md), each by its kind."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from comparison_samples import AFTER, BEFORE
from running import ROOT, SAMPLE, needs_cli, needs_sample, run_kb

from kb.commands import doctor
from kb.comparison import Comparison, TimeBasis
from kb.engine.collect.doctor import Check
from kb.engine.compare import compare
from kb.knowledge.body import tidy
from kb.report import entries
from kb.report.catalogue import say
from kb.report.comparison import words
from kb.report.page import Items, Para

pytestmark = [needs_cli, needs_sample]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The answer for the shipped sample, as it is printed."""
    return run_kb("advise", SAMPLE, home=tmp_path_factory.mktemp("home")).stdout


def test_a_condition_that_holds_says_the_reading_and_names_what_bounds_it(first: str) -> None:
    assert "block_dim is 4: < core_count 40 holds (threshold)" in first
    assert "aiv_mte2_ratio is 61 %, near 72 % (observed)" in first
    assert "@" not in first.split("── What to do")[1].split("sources", maxsplit=1)[0]


def test_the_low_end_is_called_so(first: str) -> None:
    plain = " ".join(first.split())
    assert "the low end is a third of the figure: there is one, of another kernel" in plain


def test_cores_that_are_alike_are_no_range(first: str) -> None:
    assert "the same on 4 cores" in first and "11 % to 11 %" not in first


def test_no_origin_ends_in_a_unit_behind_the_mean(first: str) -> None:
    assert "cores(%)" not in first


def test_the_order_of_advice_says_what_it_goes_by(first: str) -> None:
    head = next(line for line in first.splitlines() if line.startswith("── What to do"))
    assert "by saving, evidence and fit together" in head
    assert "收益" not in say("head.recommendations", "zh") and "効果" not in say("head.recommendations", "ja")


def test_a_run_that_could_not_be_kept_is_not_offered_as_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = run_kb("advise", SAMPLE, "--db", str(tmp_path / "file" / "runs.db"), home=tmp_path)
    assert done.returncode == 0 and "this run was not kept" in done.stderr
    assert "kb report" not in done.stdout and "kb show" in done.stdout


@pytest.mark.parametrize(("folders", "told"), [(("round_0", "round_1"), True), (("0", "1"), False)])
def test_rounds_of_one_kernel_are_no_run(tmp_path: Path, folders: tuple[str, str], told: bool) -> None:
    for name in folders:
        shutil.copytree(ROOT / SAMPLE, tmp_path / "work" / name)
    done = run_kb("advise", str(tmp_path / "work"), "--format", "json", home=tmp_path)
    found = [text for text in json.loads(done.stdout)["warnings"] if "taken one after another" in text]
    assert bool(found) is told
    if told:
        assert "in 2 folders of their own" in found[0] and "kb compare" in found[0]


@pytest.mark.parametrize(
    ("reading", "by"), [("aiv_mte2_ratio", "mte2-bound-vector-below-peak"), ("gm_bandwidth", "alone")]
)
def test_a_reading_is_explained_as_what_it_is(tmp_path: Path, reading: str, by: str) -> None:
    done = run_kb("explain", reading, home=tmp_path)
    assert done.returncode == 2
    assert f"{reading} is a reading and no bottleneck; it means " in done.stderr and by in done.stderr


def test_lists_of_an_entry_stay_lists() -> None:
    blocks = list(entries._listed(tidy("Published:\n- 4 to 3 us\n- 9 to 8 us\n\nBoth on one chip.")))
    assert [type(block) for block in blocks] == [Para, Items, Para]
    assert blocks[1].items == ("4 to 3 us", "9 to 8 us")


def _compared(basis: TimeBasis, whole: tuple[float, float]) -> Comparison:
    found = compare(BEFORE, AFTER)
    assert found.total is not None
    before, after = replace(found.before, total_us=whole[0]), replace(found.after, total_us=whole[1])
    return replace(found, before=before, after=after, total=replace(found.total, basis=basis))


def test_times_reckoned_from_other_launches_say_so_beside_the_runs_as_they_were() -> None:
    found = _compared("launches", (100.0, 900.0))
    assert words.headline(found, "en").endswith("launch for launch: not launched equally often")
    assert words.whole_text(found, "en").startswith("100 us -> 900 us")
    assert "set-up kernels" in words.whole_text(_compared("run", (640.0, 590.0)), "en")


def test_times_of_the_whole_run_are_not_told_twice() -> None:
    whole = _compared("run", (100.0, 50.0))
    assert whole.total is not None and (whole.total.before_us, whole.total.after_us) == (100.0, 50.0)
    assert words.whole_text(whole, "en") == ""
    assert words.whole_text(_compared("launch", (640.0, 590.0)), "en") == ""
    assert "launch for launch" not in words.headline(whole, "en")


def test_what_prevents_nothing_is_no_failure() -> None:
    root = Check("root", "not root", "fail", "running as root", "use another user", blocks=False)
    assert doctor._mark(root) == "warn"
    assert doctor._mark(replace(root, blocks=True)) == "FAIL"
    assert doctor._mark(replace(root, state="pass")) == "ok"
    assert doctor._mark(replace(root, id="device")) == "FAIL"


def test_programs_in_a_folder_do_not_make_it_one(tmp_path: Path) -> None:
    for name in ("tool", "libtool.so"):
        (tmp_path / name).write_bytes(b"\x7fELF" + bytes(60))
    done = run_kb("advise", str(tmp_path), home=tmp_path / "home")
    assert done.returncode == 3 and "no profile among 2 files" in done.stderr
    assert "profile-and-advise" not in done.stderr
