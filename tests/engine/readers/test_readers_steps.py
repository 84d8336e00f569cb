"""Steps: their length with its spread, and which of the first ones warmed up."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.engine.readers import read
from kb.engine.readers.steps import Steps, lengths, step_time, together, warm_up, warm_up_text
from tools.samples import trace


def steps(*us: float) -> list[tuple[str, float]]:
    return [(str(n), value) for n, value in enumerate(us)]


def test_a_step_lasts_until_the_next_one_starts() -> None:
    found = Steps()
    found.saw("7", 1_000, 3_000)
    found.saw("8", 10_000, 12_000)
    found.saw("7", 2_000, 4_000)
    found.saw("", 0, 50_000)  # a kernel that belongs to no step
    assert lengths(found) == [("7", 9.0), ("8", 2.0)]
    assert lengths(Steps()) == []


def test_the_tables_of_a_rank_are_put_together() -> None:
    one, other = Steps(), Steps()
    one.saw("1", 0, 5_000)
    other.saw("1", 4_000, 9_000)
    other.saw("2", 9_000, 10_000)
    assert lengths(together([one, other])) == [("1", 9.0), ("2", 1.0)]


@pytest.mark.parametrize(
    ("us", "count"),
    [
        ((90, 10, 11, 10), 1),
        ((90, 40, 10, 11, 10, 12), 2),
        ((14, 10, 11, 10), 0),
        ((10, 90, 10, 10), 0),  # slow, but not at the beginning
        ((90, 10, 11), 0),  # too few to tell
        ((90, 80, 70, 10, 10, 10), 0),  # half of the run is no warm-up
        ((0, 0, 0, 0), 0),
    ],
)
def test_slow_steps_at_the_beginning_are_warm_up(us: tuple[float, ...], count: int) -> None:
    assert warm_up(steps(*us)) == count


def test_the_time_of_a_step_leaves_out_the_warm_up() -> None:
    found = step_time(steps(90, 10, 12, 11), "k.csv")
    assert found is not None
    assert (found.value, found.low, found.high, found.n) == (11.0, 10, 12, 3)
    assert "without 1 of warm-up" in found.origin
    text = warm_up_text(steps(90, 10, 12, 11))
    assert text is not None and "step (0) took 8.2 times" in text
    assert step_time(steps(5), "k.csv") is None
    assert warm_up_text(steps(5, 5, 5, 5)) is None


@given(st.lists(st.floats(0, 1e9), max_size=30))
def test_the_spread_is_that_of_the_steps_kept(us: list[float]) -> None:
    found = steps(*us)
    assert 0 <= warm_up(found) <= len(found) // 3
    measure = step_time(found, "k.csv")
    if measure is not None:
        assert measure.low is not None and measure.high is not None
        kept = us[warm_up(found) :]
        assert (measure.low, measure.high, measure.n) == (min(kept), max(kept), len(kept))


def test_a_first_step_that_compiles_is_named(tmp_path: Path) -> None:
    trace.write(tmp_path / "kernel_details.csv", 17 * 10, lengths=1, layers=1)
    quiet = read([tmp_path])
    assert quiet.times.step is not None and quiet.times.steps == 10
    assert "warm-up-steps" not in [
        notice.code for notice in quiet.notices
    ]  # pauses eight times as long are short here
    path = tmp_path / "kernel_details.csv"
    lines = path.read_text().splitlines(keepends=True)
    late = []
    for line in lines[18:]:
        cells = line.split(",")
        whole, part = cells[9].split(".")
        late.append(",".join([*cells[:9], f"{int(whole) + 100_000}.{part}", *cells[10:]]))
    path.write_text("".join(lines[:18] + late))
    profile = read([path])
    (notice,) = [notice for notice in profile.notices if notice.code == "warm-up-steps"]
    assert "step (0)" in notice.text
    assert profile.times.step and profile.times.step.n == 9


def test_steps_of_several_ranks_show_their_spread(tmp_path: Path) -> None:
    for rank, length in ((0, 1), (1, 2)):
        (tmp_path / f"rank_{rank}").mkdir()
        trace.write(tmp_path / f"rank_{rank}" / "kernel_details.csv", 17 * 6, lengths=length, layers=1)
    profile = read([tmp_path])
    ranks = [rank.times.step for rank in profile.ranks]
    step = profile.times.step
    assert step and step.low is not None and step.high is not None
    assert step.n == sum(item.n for item in ranks if item)
    assert step.low == min(item.low for item in ranks if item and item.low is not None)
    assert step.high == max(item.high for item in ranks if item and item.high is not None)


def test_a_row_of_a_step_trace_that_ends_before_its_rank_belongs_to_the_rank_of_the_file(
    tmp_path: Path,
) -> None:
    table = tmp_path / "step_trace_time.csv"
    table.write_text(
        "Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Type,Index\n"
        "10,2,1,3,4,rank,0\n"
        "20,2,1,3,4\n"
    )
    assert sorted(rank.name for rank in read([table]).ranks) == ["rank 0", tmp_path.name]
