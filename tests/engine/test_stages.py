"""Communication that only looks like the links: what moves, what waits, and stages of a pipeline beside slow ranks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kb.engine.bottlenecks.judging import limit
from kb.engine.job.read import read_job
from kb.engine.metrics import measure_profile
from kb.engine.metrics.stages import SAME_STAGE, How, stages
from kb.engine.pipeline import advise
from kb.engine.readers import read
from kb.errors import NothingToJudge
from kb.model import Measure, Operator, Rank, Report, RunTimes

LEVEL1 = "torch-cnn-level1-rank0"
PIPELINE = "torch-llm-pp2-level2"


def us(value: float) -> Measure:
    return Measure(value, "us", "made")


def ranks(*compute: float) -> list[Rank]:
    return [
        Rank(f"rank {at}", RunTimes(span=us(1000), compute=us(time), exposed=us(1000 - time)))
        for at, time in enumerate(compute)
    ]


def sends(kind: str = "hcom_batchSendRecv_") -> list[Operator]:
    return [Operator(kind, kind, "communication", 3, us(100), 300.0)]


@pytest.mark.parametrize(
    ("kind", "compute", "how", "groups"),
    [
        ("hcom_allReduce_", (231, 230, 400, 401), "none", [(0, 1, 2, 3)]),  # one of these ranks is slow
        ("hcom_batchSendRecv_", (231, 230, 400, 401), "by time", [(0, 1), (2, 3)]),
        ("hcom_send_", (400, 231, 401, 230), "by time", [(1, 3), (0, 2)]),
        ("HcomReceive", (300, 301, 302, 299), "by time", [(0, 1, 2, 3)]),  # equal stages: one group
        ("hcom_receive_", (230, 230, 230, 400), "unknown", []),  # a slow rank, or a heavier stage of one rank
        ("hcom_receive_", (100, 109, 119, 130), "unknown", []),  # no gap between them
        ("hcom_send_", (230,), "alone", [(0,)]),
    ],
)
def test_ranks_that_send_to_one_another_are_stages(
    kind: str, compute: tuple[float, ...], how: How, groups: list[tuple[int, ...]]
) -> None:
    found = stages(sends(kind), ranks(*compute))
    assert found.how == how
    assert [tuple(int(rank.name[5:]) for rank in group) for group in found.groups] == groups


def test_ranks_of_a_stage_are_as_alike_as_ranks_that_are_not_slow() -> None:
    assert limit("rank-imbalance", "spread").value == limit("stage-imbalance", "spread").value == SAME_STAGE


def named(report: Report, pattern: str) -> object:
    return next((item for item in report.findings if item.pattern == pattern), None)


def test_stages_of_a_pipeline_are_no_slow_ranks(shared_profiles: Path) -> None:
    """Stage 0 computes 231 ms, stage 1 401 ms and so 42 % more; equal ones save (401 - 316) / 810 ms."""
    report = advise([shared_profiles / PIPELINE])
    assert named(report, "rank-imbalance") is None
    (found,) = [item for item in report.findings if item.pattern == "stage-imbalance"]
    assert found.headroom == pytest.approx((400.8 - 315.9) / 810, abs=0.002)
    assert "rank 0, rank 1: 231 ms; rank 2, rank 3: 401 ms" in found.evidence[0].source
    assert not {"slow-rank", "coc-communication-over-computation", "mc2-matmul-allreduce"} & {
        item.id for item in report.recommendations
    }
    assert report.job and report.job.stages == (("rank 0", "rank 1"), ("rank 2", "rank 3"))
    assert not report.job.slow and report.job.imbalance == pytest.approx(0.0017, abs=0.0005)


def test_one_stage_alone_asks_for_the_others(shared_profiles: Path) -> None:
    """12 collectives to 28 attention layers: nothing here is tensor parallel."""
    report = advise([shared_profiles / PIPELINE / "rank_0_ascend_pt"])
    assert "add them" in report.warnings[0] and "stage of a pipeline" in report.warnings[0]
    assert any(item.id == "stage-imbalance" and "RANK_1" in item.collect for item in report.not_judged)
    assert not {"coc-communication-over-computation", "mc2-matmul-allreduce"} & {
        item.id for item in report.recommendations
    }
    first = report.recommendations[0]
    assert first.id == "slow-rank" and first.steps[0].startswith("Where only one rank was collected")
    with pytest.raises(NothingToJudge, match="only the times of one rank's steps"):
        advise([shared_profiles / PIPELINE / "rank_3_ascend_pt"])


def test_ranks_whose_stage_nothing_tells_are_not_compared(shared_profiles: Path, tmp_path: Path) -> None:
    """A fifth rank between the stages: no groups of one size."""
    shutil.copytree(shared_profiles / PIPELINE, tmp_path, dirs_exist_ok=True)
    place = tmp_path / "rank_4_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    place.mkdir(parents=True)
    heads = "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n"
    (place / "step_trace_time.csv").write_text(f"{heads}13,310000,300000,0,300000,200000\n")
    found = read_job([tmp_path])
    assert found is not None and not found.job.slow and found.job.imbalance is None
    assert any("nothing tells which is in which" in text for text in found.job.not_judged)
    report = advise([tmp_path])
    assert named(report, "rank-imbalance") is None and named(report, "stage-imbalance") is None
    assert any("nothing in the files tells which rank is in which stage" in text for text in report.warnings)


def test_packets_win_no_more_than_the_time_in_which_data_moves(shared_profiles: Path) -> None:
    """Of 106 ms of collectives 3.7 ms are transit, 5.9 waiting and 96.4 idle."""
    report = advise([shared_profiles / LEVEL1])
    run = {item.metric: item.value for item in report.findings[0].evidence}
    assert run["comm_wait_ratio"] == pytest.approx(1 - 3.683 / 105.99, abs=0.001)
    packets = next(item for item in report.recommendations if item.id == "comm-small-packets-and-alignment")
    assert packets.gain.high == pytest.approx(3.683 / 110.8, abs=0.001)
    assert "comm_transit_share" in packets.gain.basis
    assert report.recommendations[0].id == "slow-rank"
    assert "97 % of the collectives' time moves no data" in report.findings[0].summary


def test_overlap_hides_no_more_than_there_is_computation(shared_profiles: Path) -> None:
    profile = read([shared_profiles / LEVEL1])
    run = measure_profile(profile, ()).run.values
    assert run["comm_overlap_share"].value == pytest.approx(1 - run["comm_exposed_share"].value)


def test_a_transit_that_was_not_measured_is_no_zero(tmp_path: Path) -> None:
    """Some exports write 0 for collectives that moved data: their waiting is then not all of the time."""
    times = {"Elapse Time(ms)": 10.0, "Transit Time(ms)": 0, "Wait Time(ms)": 4.0, "Idle Time(ms)": 6.0}
    call = {"Communication Time Info": times, "Communication Bandwidth Info": {}}
    (tmp_path / "communication.json").write_text(
        json.dumps({"step1": {"collective": {"hcom_allReduce__1_0_1": call}}})
    )
    profile = read([tmp_path])
    assert profile.times.transit is None
    assert not measure_profile(profile, ()).run.values.keys() & {"comm_wait_ratio", "comm_transit_share"}
