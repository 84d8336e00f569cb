"""What ran when: parts of the time line, and pauses by name."""

from __future__ import annotations

from kb.engine.readers.strip import LONGEST, PARTS, SHOWN_STRIPS, Gathered, strips
from kb.engine.readers.timeline import COMMUNICATION, COMPUTE
from kb.model import Strip

MS = 1_000_000


def gathered(*rows: tuple[int, int, int, str, str]) -> Strip:
    one = Gathered()
    one.take(rows)
    found = one.strip("rank 0", "0")
    assert found is not None
    return found


def test_lanes_and_pauses_of_two_streams() -> None:
    found = gathered(
        (0, 4 * MS, COMPUTE, "2", "MatMul"),
        (4 * MS, 5 * MS, COMMUNICATION, "31", "hcom_allReduce_"),
        (8 * MS, 10 * MS, COMPUTE, "2", "Softmax"),
    )
    assert found.span_us == 10_000 and found.pause_count == 1 and found.paused_us == 3000
    (pause,) = found.pauses
    assert (pause.start_us, pause.time_us, pause.after, pause.before) == (5000, 3000, "hcom_allReduce_", "Softmax")  # fmt: skip
    lanes = {lane.stream: lane for lane in found.lanes}
    assert lanes["2"].communication == () == lanes["31"].compute
    parts = len(lanes["2"].compute)
    assert PARTS // 2 < parts <= PARTS
    busy = sum(share / 100 for share in lanes["2"].compute) * found.part_us
    assert abs(busy - 6000) < found.part_us
    assert lanes["31"].communication[parts // 2 - parts // 20] == 100


def test_time_is_kept_when_the_parts_grow() -> None:
    one = Gathered()
    one.take((at * 10_000, at * 10_000 + 5_000, COMPUTE, "2", "Add") for at in range(5_000))
    (row,) = one.lanes.values()
    assert sum(row[0]) == 5_000 * 5_000
    assert one.pause_count == 4_999 and one.paused == 4_999 * 5_000
    found = one.strip("", "")
    assert found is not None and len(found.pauses) == LONGEST
    assert [pause.start_us for pause in found.pauses] == [
        5.0 + 10 * at for at in range(LONGEST)
    ]  # the first of equals
    assert set(found.lanes[0].compute[:-1]) <= set(range(45, 56))


def test_overlapping_work_is_no_pause_and_a_short_one_is_none() -> None:
    found = gathered(
        (0, 9_000, COMPUTE, "2", "Long"),
        (1_000, 2_000, COMPUTE, "3", "Short"),
        (9_900, 12_000, COMPUTE, "3", "Next"),
    )
    assert found.pause_count == 0 and found.pauses == ()


def test_what_has_no_length_has_no_strip_and_of_many_the_pausing_ones_are_kept() -> None:
    def device(pause: int) -> Gathered:
        one = Gathered()
        one.take([(0, 1_000, COMPUTE, "", "A"), (1_000 + pause, 2_000 + pause, COMPUTE, "", "B")])
        return one

    assert Gathered().strip("", "") is None
    found = strips([(f"rank {at}", "0", device(at * 2_000)) for at in range(10)])
    assert [strip.rank for strip in found] == [f"rank {at}" for at in range(10 - SHOWN_STRIPS, 10)]


def test_streams_beyond_the_shown_are_counted() -> None:
    found = gathered(*((at * 10, at * 10 + 1_000 + at, COMPUTE, str(at), "A") for at in range(40)))
    assert [lane.stream for lane in found.lanes] == ["31", "30", "29", "28", "27", "26"]
    assert found.more_lanes == 34
