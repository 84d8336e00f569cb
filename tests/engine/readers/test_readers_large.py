"""Large tables by blocks give what small ones give line by line, whatever is odd about a line."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.engine.readers import job, launches, read, rows, timeline
from kb.engine.readers.large import blocks
from kb.engine.readers.large.sweep import Sweep
from kb.engine.readers.timeline import COMMUNICATION, COMPUTE, TWIN, Timeline
from kb.errors import SourceError
from kb.model import Measure, Profile
from tools.samples import headers, jobs, trace

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@pytest.fixture(autouse=True)
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Blocks of a few lines, so that small tables have many, with odd lines between clean ones in one block."""
    monkeypatch.setattr(rows, "BLOCK", 3000)
    monkeypatch.setattr(blocks, "FEWEST", 2)
    yield


def both(path: Path) -> tuple[Profile | str, Profile | str]:
    found: list[Profile | str] = []
    for large in (0, 1 << 60):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(job, "LARGE", large)
            try:
                found.append(read([path]))
            except SourceError as fault:
                found.append(fault.what)
    return found[0], found[1]


def plain(value: Any) -> Any:
    """A profile with its numbers rounded: sums in another order differ in the last digits."""
    if isinstance(value, Measure):
        parts = (value.value, value.low, value.high)
        return tuple(p and float(f"{p:.9g}") for p in parts), value.unit, value.origin, value.n
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return value


def same(path: Path) -> Profile:
    by_block, by_line = both(path)
    assert plain(by_block) == plain(by_line)
    assert isinstance(by_block, Profile), by_block
    return by_block


@pytest.mark.parametrize(
    "path", sorted(p for kind in ("kernel_details", "op_summary") for p in (SAMPLES / kind).rglob("*.csv"))
)
def test_every_sample_reads_the_same(path: Path) -> None:
    same(path)


def test_a_generated_table_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "kernel_details.csv"
    trace.write(path, 700, lengths=5, layers=2)
    profile = same(path)
    assert profile.files[0].rows == 700
    assert sum(op.count for op in profile.operators) == 700
    assert profile.times.communication and profile.times.communication.value > 0


def test_the_generator_writes_the_same_bytes_every_time(tmp_path: Path) -> None:
    for name in ("one", "other"):
        trace.write(tmp_path / name, 300)
    text = (tmp_path / "one").read_bytes()
    assert text == (tmp_path / "other").read_bytes()
    lines = text.decode().splitlines()
    assert len(lines) == 301 and 280 < len(text) / 300 < 360
    assert {len(rows.split(line)) for line in lines} == {len(headers.KERNEL_DETAILS.split(","))}


# --- oddities ---------------------------------------------------------------------------------------------------


def _cells(line: str) -> list[str]:
    return line.split(",")


def _set(place: int, word: str) -> Any:
    def change(line: str) -> str:
        cells = rows.split(line)
        cells[place] = word
        return ",".join(f'"{c}"' if "," in c and '"' not in c else jobs_cell(c) for c in cells)

    return change


def jobs_cell(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if {",", '"'} & set(cell) else cell


START, DURATION, WAIT, TYPE, LAST, COUNTER = 9, 10, 11, 6, 46, 25
ODD: dict[str, Any] = {
    "one cell less": lambda line: line.rpartition(",")[0],
    "half a line": lambda line: line[: len(line) // 2],
    "one cell more": lambda line: line + ",7",
    "many cells more": lambda line: line + "," * 60,
    "the mark of the blocks": lambda line: line + ",\x02",
    "the mark as last cell": lambda line: line.rpartition(",")[0] + ",\x02",
    "blank": lambda line: "",
    "spaces": lambda line: "   ",
    "an open quote": lambda line: line.replace("dynamic", '"dynamic', 1),
    "a quote within": lambda line: line.replace("dynamic", 'dyn"amic', 1),
    "a quoted name with a comma": lambda line: line.replace(",dynamic,", ',"dynamic",', 1),
    "no duration": _set(DURATION, "N/A"),
    "a negative duration": _set(DURATION, "-1.0"),
    "an endless duration": _set(DURATION, "inf"),
    "a word for a duration": _set(DURATION, "soon"),
    "an underscore": _set(COUNTER, "1_0"),
    "an underscore in the duration": _set(DURATION, "1_0"),
    "an infinite counter": _set(COUNTER, "inf"),
    "a word for a counter": _set(COUNTER, "x"),
    "no counter": _set(COUNTER, "N/A"),
    "no last counter": _set(LAST, ""),
    "an empty wait": _set(WAIT, ""),
    "an exponent": _set(COUNTER, "1.5e3"),
    "no type": _set(TYPE, "N/A"),
    "a padded type": _set(TYPE, " Add"),
    "no start": _set(START, "N/A"),
    "a start with one decimal": _set(START, "1767322800123459.6"),
    "a start without decimals": _set(START, "1767322800123460"),
    "a spreadsheet's start": _set(START, "1.76732E+15"),
    "a start far too late": _set(START, "9999999999999999.999\t"),
    "a start with too many digits": _set(START, "1767322800123459.629" + "0" * 30),
    "an early start": _set(START, "1767322800123000.000\t"),
    "a comma in a type": _set(TYPE, "Add<float,4>"),
    "another device": _set(1, "3"),
    "no device": _set(1, ""),
    "bytes that are no text": lambda line: line.replace("dynamic", "\udcff", 1),
    "a NUL": lambda line: line.replace("dynamic", "dyn\0amic", 1),
    "a Chinese name": lambda line: line.replace("RmsNorm", "算子", 1),
    "CRLF": lambda line: line + "\r",
}


def _table() -> list[str]:
    chance = random.Random(7)
    ops = [*jobs.detector(), *jobs.twins()]
    lines = jobs.kernel_details(ops, 2).splitlines()[1:]
    for _ in range(6):  # near-sorted, as several streams leave it
        k = chance.randrange(len(lines) - 1)
        lines[k : k + 2] = lines[k + 1], lines[k]
    return lines


LINES = _table()


def write(path: Path, lines: list[str], end: str = "\n") -> Path:
    text = "\n".join([headers.KERNEL_DETAILS, *lines]) + end
    path.write_bytes(text.encode("utf-8", errors="surrogateescape"))
    return path


@pytest.mark.parametrize("odd", ODD)
def test_one_odd_line_among_clean_ones(odd: str, tmp_path: Path) -> None:
    for at in (
        (54, 55, len(LINES) - 1) if odd == "a NUL" else (0, 20, len(LINES) - 1)
    ):  # none in a text's head
        lines = list(LINES)
        lines[at] = ODD[odd](lines[at])
        same(write(tmp_path / "table.csv", lines))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    odd=st.lists(
        st.tuples(st.integers(0, len(LINES) - 1), st.sampled_from(sorted(ODD))),
        max_size=8,
        unique_by=lambda item: item[0],
    ),
    block=st.integers(200, 6000),
    end=st.sampled_from(["\n", "", "\r\n", "\n\n"]),
    cut=st.integers(0, 400),
)
def test_any_mixture_of_odd_lines(
    odd: list[tuple[int, str]], block: int, end: str, cut: int, tmp_path: Path
) -> None:
    lines = list(LINES)
    for at, kind in odd:
        if kind == "a NUL" and at < 54:
            continue
        lines[at] = ODD[kind](lines[at])
    path = write(tmp_path / "table.csv", lines, end)
    if not end:
        path.write_bytes(path.read_bytes()[: -cut or None])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "BLOCK", block)
        same(path)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cell=st.text(alphabet='0123456789.eE+-_ \t"naifN/A', max_size=8),
    place=st.sampled_from([8, 10, 11, 13, 25, 46]),
)
def test_any_cell(cell: str, place: int, tmp_path: Path) -> None:
    lines = list(LINES)
    cells = rows.split(lines[5])
    cells[place] = cell
    lines[5] = ",".join(jobs_cell(c) for c in cells)
    same(write(tmp_path / "table.csv", lines))


def test_many_shapes_fold_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "kernel_details.csv"
    trace.write(path, 600, lengths=16, layers=1)
    monkeypatch.setattr(launches, "MOST_OPERATORS", 20)
    profile = same(path)
    folded = [op for op in profile.operators if "folded" in op.attributes]
    assert len(profile.operators) - len(folded) == 20
    assert {op.type for op in folded} <= {op.type for op in jobs_types(profile)}
    assert sum(op.count for op in profile.operators) == 600
    notice = next(notice for notice in profile.notices if notice.code == "shapes-folded")
    assert str(sum(op.count for op in folded)) in notice.text
    monkeypatch.setattr(launches, "MOST_GROUPS", 40)
    profile = same(path)
    assert sum(op.count for op in profile.operators) == 600


def jobs_types(profile: Profile) -> tuple[Any, ...]:
    return profile.operators


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "table.csv", [LINES[0], "," * (3 * rows.LONGEST_LINE)])
    by_block, by_line = both(path)
    assert by_block == by_line and "longer than a megabyte" in str(by_block)


# --- the time line by arrays --------------------------------------------------------------------------------------

INTERVALS = st.lists(
    st.tuples(
        st.integers(0, 5000),
        st.integers(0, 3000),
        st.sampled_from((COMPUTE, COMMUNICATION, TWIN)),
        st.sampled_from("12"),
        st.sampled_from("ABC"),
    ),
    max_size=60,
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(st.tuples(st.booleans(), INTERVALS), max_size=4),
    ordered=st.booleans(),
    buffer=st.sampled_from((8, 1 << 14)),
)
def test_a_sweep_is_a_timeline(
    parts: list[tuple[bool, list[tuple[int, int, int, str, str]]]], ordered: bool, buffer: int
) -> None:
    import numpy as np

    shift = 0
    one, other = Timeline(), Sweep()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timeline, "BUFFER", buffer if ordered else 1 << 14)
        for many, found in parts:
            rows_ = [(s + shift, s + shift + n, kind, stream, name) for s, n, kind, stream, name in found]
            if ordered:
                rows_.sort(key=lambda row: row[0])
                shift += 5000
            for row in rows_:
                one.add(row)
            if many and rows_:
                coded = [(s, e, k, other.code(stream), other.code(name)) for s, e, k, stream, name in rows_]
                other.add_many(np.array(coded, dtype=np.int64).T)
            else:
                for row in rows_:
                    other.add(row)
        one.finish()
        other.finish()
    assert one.strip.strip("", "") == other.strip.strip("", "")
    assert (one.by_mask, one.gaps, one.late, one.first) == (
        other.by_mask,
        other.gaps,
        other.late,
        other.first,
    )
    assert list(one.follows()) == list(other.follows())


def test_without_task_types_launches_of_one_kernel_are_told_apart_by_the_cores_that_worked(
    tmp_path: Path,
) -> None:
    """A mean over the cube build and the vector build of a kernel is the share of neither."""
    sample = (SAMPLES / "op_summary" / "odd-level0.csv").read_text(encoding="utf-8").splitlines()
    header = sample[0].split(",")
    row = sample[1].split(",")
    start, name = header.index("Task Start Time(us)"), header.index("Op Name")

    def launch(n: int, cube: bool) -> str:
        cells = list(row)
        cells[start], cells[name] = f"{1_767_322_800_100_000 + 90 * n}.000", "matmul_kernel"
        for place, column in enumerate(header):
            if column.startswith(("aic_", "aiv_")):
                cells[place] = "0"
        side, pipe = ("aic", "mac") if cube else ("aiv", "scalar")
        cells[header.index(f"{side}_total_cycles")] = "17301"
        cells[header.index(f"{side}_{pipe}_ratio")] = "0.5"
        return ",".join(cells)

    path = tmp_path / "op_summary_1.csv"
    lines = [launch(n, cube=n % 3 == 0) for n in range(30)]
    path.write_text("\n".join([sample[0], *lines]) + "\n", encoding="utf-8")
    found = {op.core: op for op in same(path).operators}
    assert {core: op.count for core, op in found.items()} == {"cube": 10, "vector": 20}
    assert found["cube"].counters["aic_mac_ratio"].value == 0.5
    assert found["vector"].counters["aiv_scalar_ratio"].value == 0.5


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("kind", ["kernel_details", "op_summary"])
def test_a_line_break_within_quotes_belongs_to_its_cell(tmp_path: Path, kind: str, end: str) -> None:
    """Every third kernel has a name of two lines: no row is lost, and a fault behind them has the right line."""
    sample = (SAMPLES / kind / "odd-level0.csv").read_text(encoding="utf-8").splitlines()
    head, row = sample[0].split(","), sample[1].split(",")
    name = head.index("Name" if "Name" in head else "Op Name")
    duration = next(k for k, cell in enumerate(head) if "Duration" in cell)

    def launch(n: int) -> str:
        cells = list(row)
        cells[name] = f'"two{end}lines {n % 4}"' if n % 3 == 0 else f"one{n % 4}"
        return ",".join(cells)

    lines = [launch(n) for n in range(60)]
    broken = list(row)
    broken[duration] = "broken"
    path = tmp_path / f"{kind}_1.csv"
    path.write_bytes(
        (end if end != "\r" else "\n").join([sample[0], *lines, ",".join(broken), launch(1), ""]).encode()
    )
    profile = same(path)
    assert (profile.files[0].rows, profile.files[0].rows_lost) == (61, 1)
    assert sum(op.count for op in profile.operators) == 61
    (lost,) = [notice for notice in profile.notices if notice.code == "rows-lost"]
    assert lost.line == 62 + 20  # the header, sixty rows of which twenty have two lines, and the one itself
    assert "ragged-rows" not in {notice.code for notice in profile.notices}


def test_a_lost_closing_quote_costs_one_row(tmp_path: Path) -> None:
    sample = (SAMPLES / "op_summary" / "odd-level0.csv").read_text(encoding="utf-8").splitlines()
    lines = [
        sample[1].replace(sample[1].split(",")[4], '"open', 1) if n == 20 else sample[1] for n in range(60)
    ]
    path = tmp_path / "op_summary_1.csv"
    path.write_text("\n".join([sample[0], *lines]) + "\n", encoding="utf-8")
    profile = same(path)
    assert profile.files[0].rows + profile.files[0].rows_lost == 60
    assert profile.files[0].rows >= 59
