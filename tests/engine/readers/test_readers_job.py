"""Job exports: groups, counters, where the time went, and the ways such a table goes wrong."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from running import ROOT

from kb.engine.readers import launches, read
from kb.model import Operator, Profile, Tensor
from tools.samples import headers, jobs

SAMPLES = ROOT / "tests" / "samples"
Save = Callable[[str], Profile]


@pytest.fixture
def profile_of(tmp_path: Path) -> Save:
    def save(text: str) -> Profile:
        path = tmp_path / "table.csv"
        path.write_bytes(text.encode())
        return read([path])

    return save


def by_type(profile: Profile, kind: str) -> list[Operator]:
    return [op for op in profile.operators if op.type == kind]


def codes(profile: Profile) -> list[str]:
    return [notice.code for notice in profile.notices]


def detector() -> Profile:
    return read([SAMPLES / "kernel_details" / "whole-detector"])


# --- groups and counters ----------------------------------------------------------------------------------------


def test_equal_launches_are_one_operator() -> None:
    profile = detector()
    conv = by_type(profile, "Conv2D")[0]
    assert (conv.name, conv.core, conv.count, conv.block_dim, conv.mix_block_dim) == (
        "Conv2D4",
        "cube",
        4,
        20,
        None,
    )
    assert conv.total_us == pytest.approx(2 * 52.0 + 2 * 43.0)
    assert (conv.duration.value, conv.duration.low, conv.duration.high, conv.duration.n) == (
        47.5,
        43.0,
        52.0,
        4,
    )
    assert conv.duration.origin == "kernel_details.csv:Duration(us)"
    assert profile.scope == "run" and profile.capture.metric_groups == ("PipeUtilization",)
    assert profile.files[0].rows == 48 and sum(op.count for op in profile.operators) == 48


def test_operators_come_by_falling_total() -> None:
    totals = [op.total_us for op in detector().operators]
    assert totals == sorted(totals, reverse=True)


def test_counters_are_means_over_launches_with_unit_and_origin() -> None:
    conv = by_type(detector(), "Conv2D")[0]
    found = conv.counters["aic_mac_time_us"]
    assert found.value == pytest.approx(((52 - 2.6) * 0.52 + (43 - 2.6) * 0.52) / 2, abs=1e-3)
    assert (found.unit, found.origin, found.n) == ("us", "kernel_details.csv:aic_mac_time(us)", 4)
    assert conv.counters["aic_mte2_ratio"].value == pytest.approx(0.83)
    assert conv.counters["cube_utilization"].unit == "%"


def test_a_core_that_had_no_part_has_no_counters() -> None:
    profile = detector()
    assert not [name for name in by_type(profile, "Conv2D")[0].counters if name.startswith("aiv_")]
    vector = by_type(profile, "Sigmoid")[0]
    assert not [name for name in vector.counters if name.startswith("aic_") or name == "cube_utilization"]
    assert by_type(profile, "NonMaxSuppression")[0].counters == {}


def test_cores_by_word() -> None:
    profile = detector()
    assert {op.type: op.core for op in profile.operators} == {
        "TransData": "vector", "Conv2D": "cube", "Sigmoid": "vector", "Mul": "vector",
        "NonMaxSuppression": "ai_cpu", "GatherV2": "vector",
    }  # fmt: skip


def test_tensors_with_scalars_and_absent_inputs(profile_of: Save) -> None:
    op = replace(
        jobs.detector()[0], shapes=("4,2;;8;", "4,2"), dtype="FLOAT;DT_UNDEFINED;INT64;FLOAT", format="ND"
    )
    (found,) = profile_of(jobs.kernel_details([op], 1)).operators
    assert found.inputs == (
        Tensor((4, 2), "FLOAT", "ND"), Tensor(None), Tensor((8,), "INT64", "ND"), Tensor((), "FLOAT", "ND"),
    )  # fmt: skip
    assert found.outputs == (Tensor((4, 2), "FLOAT", "ND"),)


def test_wait_and_attributes() -> None:
    nms = by_type(detector(), "NonMaxSuppression")[0]
    assert nms.wait is not None and nms.wait.value == 58.0 and nms.wait.n == 2
    assert nms.attributes == {"op_state": "dynamic", "task_type": "AI_CPU"}


def test_old_and_new_headers_give_the_same_operators() -> None:
    old = read([SAMPLES / "kernel_details" / "odd-old-header.csv"])
    new = read([SAMPLES / "op_summary" / "whole-detector"])
    plain = [
        [(op.type, op.core, op.count, op.total_us, op.block_dim, op.inputs) for op in p.operators]
        for p in (old, new)
    ]
    assert plain[0] == plain[1]


def test_a_fused_chip_without_prefixes() -> None:
    profile = read([SAMPLES / "op_summary" / "odd-fused-chip.csv"])
    conv, relu = profile.operators
    assert (conv.core, relu.core, conv.count, conv.block_dim) == ("fused", "fused", 2, 8)
    assert conv.counters["aic_mac_ratio"].value == 0.47 and conv.counters["aic_vec_ratio"].value == 0.11
    assert relu.counters["aic_mac_ratio"].value == 0.0
    assert conv.counters["aic_memory_bound"].value == pytest.approx(0.66 / 0.47, abs=1e-3)
    assert set(profile.chip.candidates) == {"Ascend310P1", "Ascend310P3"}  # 1060 MHz from cycles / time


def test_many_shapes_fold_beyond_a_bound(monkeypatch: pytest.MonkeyPatch, profile_of: Save) -> None:
    monkeypatch.setattr(launches, "MOST_GROUPS", 5)
    ops = [replace(jobs.detector()[1], shapes=(f"{n},8", f"{n},8")) for n in range(1, 30)]
    profile = profile_of(jobs.kernel_details(ops, 1))
    assert len(profile.operators) == 6 and sum(op.count for op in profile.operators) == 29
    folded = next(op for op in profile.operators if "folded" in op.attributes)
    assert (folded.count, folded.inputs, folded.core) == (24, (), "cube")
    assert "shapes-folded" in codes(profile)


# --- where the time went ----------------------------------------------------------------------------------------


def test_times_are_the_union_of_intervals() -> None:
    """Each step: 94.9 us of pauses in front (35 + 58 + 44 + 0.4 x 21 other starts) less the first start."""
    t = detector().times
    assert t.span and t.busy and t.idle and t.compute and t.exposed
    busy = sum(op.duration for op in jobs.detector()) * 2
    assert t.busy.value == t.compute.value == pytest.approx(busy)
    assert t.idle.value == pytest.approx(2 * sum(op.gap for op in jobs.detector()) - 35.0)
    assert t.span.value == pytest.approx(t.busy.value + t.idle.value)
    assert (t.exposed.value, t.steps, t.idle_gaps) == (0.0, 2, 5)
    assert t.span.computed and t.span.origin.startswith("kernel_details.csv")


def test_the_step_trace_beside_the_table_is_preferred(tmp_path: Path) -> None:
    folder = tmp_path / "run_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    folder.mkdir(parents=True)
    (folder / "kernel_details.csv").write_text(jobs.kernel_details(jobs.detector()))
    (folder / "step_trace_time.csv").write_text(
        jobs.STEP_TRACE + "0,7,2000.5,120.0,30.0,150.0,90.0,2210.5,0,120.0,1.0\n"
    )
    t = read([tmp_path]).times
    assert t.compute and t.exposed and t.idle and t.span and t.communication and t.busy
    assert (t.compute.value, t.exposed.value, t.communication.value, t.idle.value) == (
        2000.5,
        120.0,
        150.0,
        90.0,
    )
    assert (t.span.value, t.busy.value, t.steps, t.idle_gaps) == (2210.5, 2120.5, 1, 5)
    assert t.compute.origin.endswith("step_trace_time.csv:Computing")


def test_ranks_are_added_up_and_listed(tmp_path: Path) -> None:
    for rank in (0, 1):
        (tmp_path / f"rank_{rank}").mkdir()
        (tmp_path / f"rank_{rank}" / "kernel_details.csv").write_text(
            jobs.kernel_details(jobs.detector(), 1 + rank)
        )
    profile = read([tmp_path])
    assert [rank.name for rank in profile.ranks] == ["rank 0", "rank 1"]
    assert [rank.times.busy.value for rank in profile.ranks if rank.times.busy] == pytest.approx(
        [2654.7, 5309.4]
    )
    assert profile.times.busy and profile.times.busy.value == pytest.approx(3 * 2654.7)
    assert sum(op.total_us for op in profile.operators) == pytest.approx(3 * 2654.7)
    assert "ranks-summed" in codes(profile)


def test_two_paths_are_one_run(tmp_path: Path) -> None:
    paths = [tmp_path / f"rank_{rank}" for rank in (0, 1)]
    for path in paths:
        path.mkdir()
        (path / "kernel_details.csv").write_text(jobs.kernel_details(jobs.detector(), 1))
    assert len(read(paths).ranks) == 2


def test_slices_of_one_rank_are_one_time_line(tmp_path: Path) -> None:
    lines = jobs.kernel_details(jobs.detector()).splitlines(keepends=True)
    (tmp_path / "op_0.csv").write_text("".join(lines[:20]))
    (tmp_path / "op_1.csv").write_text(lines[0] + "".join(lines[20:]))
    found, whole = read([tmp_path]), detector()
    assert found.ranks == () and found.times.span and whole.times.span
    assert found.times.span.value == whole.times.span.value
    assert [op.total_us for op in found.operators] == pytest.approx([op.total_us for op in whole.operators])


def test_rank_and_versions_from_the_settings(tmp_path: Path) -> None:
    (tmp_path / "kernel_details.csv").write_text(jobs.kernel_details(jobs.detector()))
    (tmp_path / "profiler_info_3.json").write_text(
        '{"config": {"common_config": {}, "experimental_config": {}}, "rank_id": "3", "cann_version": "8.3.RC1", '
        '"torch_npu_version": "2.7.1"}'
    )
    capture = read([tmp_path]).capture
    assert (capture.cann_version, capture.tool_version) == ("8.3.RC1", "torch_npu 2.7.1")


def test_follows_per_stream_in_start_order() -> None:
    follows = {(f.before, f.after): f for f in detector().follows}
    pair = follows["Conv2D", "Sigmoid"]
    assert pair.count == 12
    assert pair.after_us == pytest.approx(2 * sum(31.0 - 4 * n for n in range(6)))
    assert ("NonMaxSuppression", "GatherV2") not in follows  # another stream


def test_collectives_are_not_counted_twice_nor_blamed_on_ai_cpu() -> None:
    profile = read([SAMPLES / "kernel_details" / "odd-twins.csv"])
    assert [(op.type, op.core) for op in profile.operators] == [
        ("hcom_allReduce_", "communication"), ("MatMulV2", "cube"), ("hcom_allGather_", "communication"),
    ]  # fmt: skip
    assert profile.operators[0].attributes["twin_rows"] == "1"
    assert profile.operators[0].attributes["twin_us"] == "900.000"
    assert profile.operators[2].attributes["twin_names"] == "AivKernel"
    t = profile.times
    assert t.communication and t.busy and t.exposed
    assert (t.communication.value, t.busy.value, t.exposed.value) == (380.0, 500.0, 380.0)
    notice = next(notice for notice in profile.notices if notice.code == "collective-twins")
    assert "978 us" in notice.text
    assert profile.files[0].rows == 5


def test_a_helper_without_its_collective_is_the_communication(profile_of: Save) -> None:
    profile = profile_of(
        jobs.kernel_details([op for op in jobs.twins() if not op.name.startswith("hcom")], 1)
    )
    assert {op.type: op.core for op in profile.operators} == {
        "MatMulV2": "cube", "allreduceAicpuKernel": "communication", "hcom_allGather_": "communication",
    }  # fmt: skip
    assert "collective-twins" not in codes(profile)
    assert profile.times.communication and profile.times.communication.value == 900.0


# --- what goes wrong --------------------------------------------------------------------------------------------


def test_the_last_row_cut_off() -> None:
    profile = read([SAMPLES / "kernel_details" / "broken-cut.csv"])
    assert (profile.files[0].rows, profile.files[0].rows_lost) == (47, 1)
    assert "row-cut-off" in codes(profile)


@pytest.mark.parametrize("keep", [3, 40, 120, 200, 270])
def test_wherever_it_is_cut_only_the_last_row_is_lost(profile_of: Save, keep: int) -> None:
    text = jobs.kernel_details(jobs.detector(), 1)
    start = text.rstrip("\n").rfind("\n") + 1
    profile = profile_of(text[: start + keep])
    assert (profile.files[0].rows, profile.files[0].rows_lost) == (23, 1)


def test_a_last_row_that_only_lacks_its_line_end_is_used(profile_of: Save) -> None:
    profile = profile_of(jobs.kernel_details(jobs.detector(), 1).rstrip("\n"))
    assert (profile.files[0].rows, profile.files[0].rows_lost) == (24, 0)


def test_ragged_rows_are_used_as_far_as_they_go() -> None:
    profile = read([SAMPLES / "kernel_details" / "odd-ragged.csv"])
    assert (profile.files[0].rows, profile.files[0].rows_lost) == (48, 0)
    notice = next(notice for notice in profile.notices if notice.code == "ragged-rows")
    assert notice.text.startswith("2 rows") and notice.line == 4
    assert by_type(profile, "Conv2D")[0].total_us == by_type(detector(), "Conv2D")[0].total_us


def test_rows_without_duration_are_lost_and_named(profile_of: Save) -> None:
    lines = jobs.kernel_details(jobs.detector(), 1).splitlines()
    for n, word in ((3, "soon"), (5, "-1.000"), (7, "inf"), (9, "1e300"), (11, "")):
        cells = lines[n].split(",")
        cells[10] = word
        lines[n] = ",".join(cells)
    profile = profile_of("\n".join(lines) + "\n")
    assert (profile.files[0].rows, profile.files[0].rows_lost) == (19, 5)
    notice = next(notice for notice in profile.notices if notice.code == "rows-lost")
    assert notice.text.startswith("5 rows") and notice.line == 4


def test_spreadsheet_numbers_give_no_times() -> None:
    profile = read([SAMPLES / "op_summary" / "odd-spreadsheet.csv"])
    assert profile.times.span is None and profile.follows == ()
    assert "excel-mangled" in codes(profile)
    assert sum(op.count for op in profile.operators) == 24


def test_level_zero_keeps_ratios_and_leaves_out_zero_times() -> None:
    profile = read([SAMPLES / "op_summary" / "odd-level0.csv"])
    assert {"level0", "zero-times"} <= set(codes(profile))
    trans = by_type(profile, "TransData")[0]
    assert trans.attributes["type_from"] == "name" and trans.count == 4
    assert trans.core == "vector" and trans.block_dim is None and trans.inputs == ()  # told by the cycles
    assert trans.counters["aiv_mte2_ratio"].value == pytest.approx(0.58)
    assert not [name for name in trans.counters if name.endswith("_time_us")]
    assert next(op for op in profile.operators if op.name == "Conv2D0").core == "cube"
    assert next(op for op in profile.operators if op.name == "non_max_suppression").core == "unknown"


def test_a_share_far_above_the_whole_is_no_reading(profile_of: Save) -> None:
    lines = jobs.kernel_details([jobs.detector()[0]], 1).splitlines()
    place = lines[0].split(",").index("aiv_scalar_ratio")
    cells = next(csv.reader([lines[1]]))
    whole = profile_of("\n".join(lines) + "\n").operators[0].counters
    cells[place] = "2014000"
    with io.StringIO() as row:
        csv.writer(row, lineterminator="").writerow(cells)
        lines[1] = row.getvalue()
    profile = profile_of("\n".join(lines) + "\n")
    counters = profile.operators[0].counters
    assert set(whole) - set(counters) == {"aiv_scalar_ratio"}
    (notice,) = [item for item in profile.notices if item.code == "shares-damaged"]
    assert "200 %" in notice.text and "aiv_scalar_ratio" in notice.text and notice.file


def test_level_zero_of_the_pytorch_profiler_keeps_collectives_apart() -> None:
    profile = read([SAMPLES / "kernel_details" / "odd-level0.csv"])
    (collective,) = [op for op in profile.operators if op.core == "communication"]
    assert (collective.type, collective.total_us) == ("hcom_allReduce_", 400.0)
    assert profile.times.exposed and profile.times.exposed.value == 400.0
    assert {op.core for op in profile.operators} == {"communication", "unknown"}


def test_old_builds_call_vector_kernels_ai_core(profile_of: Save) -> None:
    text = jobs.kernel_details([jobs.detector()[0]], 1).replace("AI_VECTOR_CORE", "AI_CORE")
    assert profile_of(text).operators[0].core == "vector"  # only vector cycles were counted


def test_time_stamps_that_a_float_would_round(profile_of: Save) -> None:
    """Two kernels 1 ns apart: at 1.7e15 us a float steps by 250 ns."""
    lines = jobs.kernel_details(jobs.detector()[1:3], 1).splitlines()
    for n, stamp in ((1, "1767322800123456.789"), (2, "1767322800123544.790")):
        cells = lines[n].split(",")
        cells[9] = stamp + "\t"
        lines[n] = ",".join(cells)
    t = profile_of("\n".join(lines) + "\n").times
    assert t.idle and t.idle.value == 0.001


def test_names_lose_terminal_escapes(profile_of: Save) -> None:
    op = replace(jobs.detector()[1], name="\x1b[31mConv\x1b[0m", type="Co\x07nv")
    (found,) = profile_of(jobs.kernel_details([op], 1)).operators
    assert (found.name, found.type) == ("Conv", "Co nv")


def test_unsorted_beyond_the_buffer_says_so(monkeypatch: pytest.MonkeyPatch, profile_of: Save) -> None:
    from kb.engine.readers import timeline

    monkeypatch.setattr(timeline, "BUFFER", 4)
    lines = jobs.kernel_details(jobs.detector(), 1).splitlines()
    assert "unsorted" in codes(profile_of("\n".join([lines[0], *lines[:0:-1]]) + "\n"))


# --- the quick way of cutting lines equals the careful one ---------------------------------------------------------


def plain(profile: Profile) -> list[object]:
    def rounded(op: Operator) -> object:
        counters = {name: round(m.value, 6) for name, m in op.counters.items()}
        return (
            op.type,
            op.core,
            op.count,
            round(op.total_us, 6),
            op.block_dim,
            op.inputs,
            op.outputs,
            counters,
        )

    t = profile.times
    parts = [m and m.value for m in (t.span, t.busy, t.compute, t.communication, t.exposed, t.idle)]
    return [*map(rounded, profile.operators), parts, t.idle_gaps, t.steps, profile.follows]


def shuffled(text: str, order: list[int]) -> str:
    rows = list(csv.reader(io.StringIO(text)))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([row[i] for i in order] for row in rows)
    return out.getvalue()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(len(headers.KERNEL_DETAILS.split(",")))))
def test_columns_in_any_order_give_the_same_profile(order: list[int], tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(shuffled(jobs.kernel_details(jobs.detector()), order))
    assert plain(read([path])) == plain(detector())


def test_quoted_cells_give_the_same_profile(profile_of: Save) -> None:
    rows = list(csv.reader(io.StringIO(jobs.kernel_details(jobs.detector()))))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    assert plain(profile_of(out.getvalue())) == plain(detector())


def test_a_comma_in_a_name_does_not_shift_columns(profile_of: Save) -> None:
    text = jobs.kernel_details(jobs.detector()).replace(",gather_boxes,", ',"gather<float,4>",')
    profile = profile_of(text)
    assert by_type(profile, "GatherV2")[0].name == "gather<float,4>"
    assert plain(profile) == plain(detector())


def test_summing_in_parts_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = detector()
    monkeypatch.setattr(launches, "WAITING", 3)
    monkeypatch.setattr(launches, "_CROWD", 1)
    assert plain(detector()) == plain(whole)


def test_rows_without_a_start_are_counted(profile_of: Save) -> None:
    head = "Name,Type,Accelerator Core,Start Time(us),Duration(us)\n"
    profile = profile_of(head + "a,Add,AI_VECTOR_CORE,100.0,5\nb,Mul,AI_VECTOR_CORE,N/A,5\n")
    (note,) = [note for note in profile.notices if note.code == "no-start"]
    assert note.text.startswith("1 rows without a usable start time")


# --- captures and ranks -----------------------------------------------------------------------------------------


def _two_folders(tmp_path: Path, names: tuple[str, str], minute: int) -> Profile:
    """The level 0 sample twice, the second `minute` minutes later, in folders of these names."""
    text = (SAMPLES / "op_summary" / "odd-level0.csv").read_text(encoding="utf-8")
    later = str(17673228001 + 6 * minute)
    for name, content in zip(names, (text, text.replace("17673228001", later)), strict=True):
        (tmp_path / name).mkdir()
        (tmp_path / name / "op_summary_1.csv").write_text(content, encoding="utf-8")
    return read([tmp_path])


def test_captures_one_after_another_are_no_ranks(tmp_path: Path) -> None:
    profile = _two_folders(tmp_path, ("before", "after"), 20)
    assert "captures-apart" in codes(profile) and "ranks-summed" not in codes(profile)
    assert profile.ranks == ()


@pytest.mark.parametrize(("names", "minute"), [(("a", "b"), 0), (("rank_0", "rank_1"), 20)])
def test_tables_of_one_moment_or_with_rank_numbers_are_ranks(
    tmp_path: Path, names: tuple[str, str], minute: int
) -> None:
    profile = _two_folders(tmp_path, names, minute)
    assert "captures-apart" not in codes(profile)
    assert len(profile.ranks) == 2
