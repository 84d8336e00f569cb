"""Time stamps without loss, and the union of intervals against a count of every nanosecond."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.engine.readers import timeline
from kb.engine.readers.timeline import COMMUNICATION, COMPUTE, TWIN, Timeline, nanoseconds

Rows = list[tuple[int, int, int]]


@pytest.mark.parametrize(
    ("cell", "ns"),
    [
        ("1784216647596110.805\t", 1784216647596110805),
        ("1736413971558972.912\t", 1736413971558972912),
        ('"1736413971558972.912\t"', 1736413971558972912),
        ("1695115378713661", 1695115378713661000),
        ("1695115378715400.2", 1695115378715400200),
        ("1000000.000", 1000000000),
        ("12.3456789", 12345),
        ("5.42118E+14", None),
        ("N/A", None),
        ("", None),
        (".5\t", None),
        ("-3.000\t", None),
        ("1.2.3", None),
    ],
)
def test_time_stamps_are_exact(cell: str, ns: int | None) -> None:
    assert nanoseconds(cell) == ns


@given(st.integers(0, 2**62))
def test_no_digit_is_lost(ns: int) -> None:
    assert nanoseconds(f"{ns // 1000}.{ns % 1000:03d}\t") == ns


@given(st.text(max_size=30))
def test_any_cell_gives_a_number_or_nothing(cell: str) -> None:
    found = nanoseconds(cell)
    assert found is None or found >= 0


def build(rows: Rows) -> Timeline:
    line = Timeline()
    for start, length, kind in rows:
        line.add((start, start + length, kind, "s", "Op"))
    line.finish()
    return line


ROWS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 15), st.sampled_from((COMPUTE, COMMUNICATION, TWIN))),
    max_size=25,
)


@given(ROWS)
def test_times_are_those_of_a_count_over_every_nanosecond(rows: Rows) -> None:
    line = build(rows)
    counted = [0] * 8
    if rows:
        for now in range(min(r[0] for r in rows), max(r[0] + r[1] for r in rows)):
            mask = 0
            for start, length, kind in rows:
                if start <= now < start + length:
                    mask |= kind
            counted[mask] += 1
    assert line.by_mask == counted
    assert line.span_ns == sum(counted)
    assert line.late == 0


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: Rows, random) -> None:  # type: ignore[no-untyped-def]
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert build(shuffled).by_mask == build(rows).by_mask


def test_gaps_count_pauses_of_a_microsecond_and_ignore_twins() -> None:
    line = build(
        [(0, 5_000, COMPUTE), (5_500, 1_000, COMPUTE), (8_000, 1_000, COMPUTE), (9_200, 3_000, TWIN)]
    )
    assert line.gaps == 1  # 6.5 to 8.0; the 0.5 us pause is the device's own, the twin at the end no work
    line = build([(0, 1_000, COMPUTE), (1_000, 5_000, TWIN), (4_000, 1_000, COMMUNICATION)])
    assert line.gaps == 1


def test_exposed_communication_is_what_no_compute_hides() -> None:
    line = build([(0, 100, COMPUTE), (60, 100, COMMUNICATION), (70, 50, COMMUNICATION)])
    assert line.time_ns(COMMUNICATION) == 100
    assert line.time_ns(COMMUNICATION, without=COMPUTE) == 60
    assert line.time_ns(COMPUTE | COMMUNICATION) == 160


def test_memory_is_bounded_and_late_rows_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "BUFFER", 8)
    line = Timeline()
    for n in range(40):
        line.add((100 * n, 100 * n + 50, COMPUTE, "s", "Op"))
    line.add((0, 10, COMPUTE, "s", "Op"))
    line.finish()
    assert line.late == 1
    assert line.time_ns(COMPUTE) == 40 * 50


def test_what_follows_what_per_stream() -> None:
    line = Timeline()
    for start, stream, name in (
        (0, "1", "A"),
        (10, "2", "X"),
        (20, "1", "B"),
        (30, "2", "Y"),
        (40, "1", "A"),
        (50, "1", "B"),
    ):
        line.add((start, start + 5, COMPUTE, stream, name))
    line.finish()
    assert set(line.follows()) == {("A", "B", 2, 10), ("B", "A", 1, 5), ("X", "Y", 1, 5)}
