"""What stands beside the kernels: collectives, host calls, framework operators; alone or added to a profile."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from running import ROOT

from kb.engine.metrics import measure_profile
from kb.engine.readers import read
from kb.engine.readers.records import Records
from kb.errors import KbError, SourceError
from kb.model import Profile
from tools.samples import tables

SAMPLES = ROOT / "tests" / "samples"
ON_DISK = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def test_collectives_alone() -> None:
    """Two steps of an all-reduce (2.5 ms, 1 of it moving data) and a send (0.4 ms, 0.1 moving); the sum row is left out."""
    profile = read([SAMPLES / "communication" / "whole-rank"])
    assert [(op.type, op.count, op.total_us) for op in profile.operators] == [
        ("hcom_allReduce_", 2, pytest.approx(5000.0)),
        ("hcom_send_", 2, pytest.approx(800.0)),
    ]
    times = profile.times
    assert times.waiting and times.transit and times.waiting.value == pytest.approx(2 * (1500 + 300))
    assert times.transit.value == pytest.approx(2 * (1000 + 100))
    # a step moves 4 x 2 + 24 and 2 x 0.5 MB; 9 of 33 MB are in packets below 16 MB
    assert profile.counters["small_packet_ratio"].value == pytest.approx(9 / 33)
    assert profile.counters["link_bandwidth"].value == pytest.approx(33 / 2.1)


def test_a_link_far_below_the_others_is_named() -> None:
    (notice,) = [n for n in read([SAMPLES / "communication" / "whole-rank"]).notices if n.code == "slow-link"]
    assert notice.text == "HCCS link 0-4 moves 5 GB/s, the middle one 17.5"


def test_collectives_of_a_cluster_are_told_apart_by_rank() -> None:
    profile = read([SAMPLES / "communication" / "odd-cluster.json"])
    assert [(rank.name, rank.times.waiting and rank.times.waiting.value) for rank in profile.ranks] == [
        ("rank 0", pytest.approx(19_500.0)),  # 10 ms of waiting and 9.5 idle
        ("rank 1", pytest.approx(20_500.0)),
    ]


def test_everything_beside_the_kernels_is_added(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "kernel_details" / "whole-detector", tmp_path / "run")
    alone = read([tmp_path / "run"])
    for sample, name in (
        ("communication/whole-rank/communication.json", "communication.json"),
        ("api_statistic/whole.csv", "api_statistic.csv"),
        ("operator_details/whole.csv", "operator_details.csv"),
    ):
        shutil.copy(SAMPLES / sample, tmp_path / "run" / name)
    profile = read([tmp_path / "run"])
    assert profile.source == "kernel_details" and profile.operators == alone.operators
    assert {file.kind for file in profile.files} == {
        "kernel_details", "communication", "api_statistic", "operator_details",
    }  # fmt: skip
    run = measure_profile(profile, ()).run.values
    assert run["comm_wait_ratio"].value == pytest.approx(
        3600 / 5800
    )  # idle within a collective moves no data either
    assert run["small_packet_ratio"].value == pytest.approx(9 / 33)
    # of acl calls, the reset left out; runtime calls lie inside them
    assert run["host_sync_share"].value == pytest.approx(2614.01 / (2614.01 + 1876.98))
    assert not measure_profile(alone, ()).run.values.keys() & {"comm_wait_ratio", "host_sync_share"}


def test_a_file_beside_the_kernels_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "kernel_details" / "whole-detector", tmp_path / "run")
    (tmp_path / "run" / "api_statistic.csv").write_text(tables.API + "x" * (2 << 20))
    profile = read([tmp_path / "run"])
    assert profile.operators and "file-skipped" in [notice.code for notice in profile.notices]


def test_framework_operators_alone() -> None:
    profile = read([SAMPLES / "operator_details" / "whole.csv"])
    assert [(op.name, op.core, op.count, op.total_us) for op in profile.operators] == [
        ("HcclAllreduce", "communication", 1, 855.25),
        ("Conv2D", "unknown", 2, 421.0),
    ]
    assert profile.operators[1].duration.low == 200.5 and profile.operators[1].duration.high == 220.5


def test_cells_with_line_breaks_and_a_quote_that_never_closes() -> None:
    whole = read([SAMPLES / "operator_details" / "whole.csv"]).files[0]
    assert (whole.rows, whole.rows_lost) == (4, 0)
    broken = read([SAMPLES / "operator_details" / "broken-open-quote.csv"]).files[0]
    assert broken.rows == 2 and broken.rows_lost >= 1


def test_a_quote_that_never_closes_costs_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "operator_details.csv"
    path.write_text(tables.OPERATORS + '"' + "aten::add,x\n" * 300_000)
    records = Records(path, "operator_details", "f")
    assert list(records) == [] and records.lost > 1


def test_a_row_without_end_is_refused(tmp_path: Path) -> None:
    """Quoted cells that break lines go on as one row for ever."""
    path = tmp_path / "operator_details.csv"
    path.write_text(tables.OPERATORS + '"a\nb",' * 600_000)
    with pytest.raises(SourceError, match="longer than"):
        read([path])


@ON_DISK
@given(
    body=st.text(alphabet='0123456789.,"\n\r\tNAeE+-:aclhostvector;é', max_size=300), which=st.integers(0, 4)
)
def test_any_text_below_a_good_header(tmp_path: Path, body: str, which: int) -> None:
    header = (tables.API, tables.OPERATORS, tables.TASK_TIME, tables.SHAPES, "full_op_name,execution_time\n")[
        which
    ]
    (tmp_path / "f.csv").write_bytes((header + body).encode())
    try:
        assert isinstance(read([tmp_path / "f.csv"]), Profile)
    except KbError as fault:
        assert fault.where and fault.now


number = st.sampled_from([0, 1, 2.5, -3, 1e308, float("nan"), 10**30, "7", "x", None, True, [2], {"a": 1}])
sent = st.fixed_dictionaries(
    {"Transit Size(MB)": number, "Transit Time(ms)": number},
    optional={
        "Size Distribution": st.dictionaries(st.sampled_from(["0.5", "32", "x"]), number, max_size=2)
        | number,
        "Transport Type": st.sampled_from(["HCCS", "LOCAL", 3]),
    },
)
info = st.fixed_dictionaries(
    {
        "Communication Time Info": st.dictionaries(
            st.sampled_from(["Elapse Time(ms)", "Wait Time(ms)"]), number
        )
        | number
    },
    optional={
        "Communication Bandwidth Info": st.dictionaries(st.sampled_from(["HCCS", "RDMA"]), sent | number)
    },
)
key = st.sampled_from(["a", "0-1", "Total Op Info"])


@ON_DISK
@given(
    st.lists(
        st.tuples(key, key, key, info | sent | st.dictionaries(key, info | sent, max_size=2)), max_size=3
    )
)
def test_any_collectives(tmp_path: Path, found: list[tuple[str, str, str, object]]) -> None:
    data: dict[str, object] = {"Communication Time Info": {}}
    for step, kind, name, value in found:
        data[step] = {kind: {name: value}}
    (tmp_path / "c.json").write_text(json.dumps(data))
    try:
        profile = read([tmp_path / "c.json"])
    except SourceError as fault:
        assert fault.where and fault.now
    else:
        share = profile.counters.get("small_packet_ratio")
        assert share is None or 0 <= share.value <= 1
