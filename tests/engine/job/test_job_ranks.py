"""Rank by rank in this process: the same as all tables together, and what only ranks beside one another show."""

from __future__ import annotations

import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from jobs import RANKS, SLOW, TARGET, damage

from kb.engine import pipeline, readers
from kb.engine.bottlenecks.judging import limit
from kb.engine.job import operators as adding
from kb.engine.job.operators import Operators
from kb.engine.job.rank import Lost, Summary, summarise
from kb.engine.job.read import ReadJob, read_job
from kb.engine.job.split import split
from kb.errors import SourceError, UsageError
from kb.model import Measure, Operator, Report
from kb.report import json, views
from kb.report.job import blocks

STEPS = "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n"
CLUSTER = "Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n"


def read(path: Path) -> ReadJob:
    found = read_job([path])
    assert found is not None
    return found


def without_job(report: Report) -> Report:
    """What must be equal to the report of all tables read together."""
    return replace(report, job=None, files=(), warnings=(), run="", content="")


def test_the_same_answer_as_all_tables_read_together(job: Path) -> None:
    one = pipeline.advise([job])
    together = pipeline.advise_profile(readers.read([job]))
    assert json.render(without_job(one)) == json.render(without_job(together))
    assert one.ranks == RANKS


def test_the_order_of_folders_does_not_matter(job: Path) -> None:
    folders = sorted(job.glob("rank_*"))
    one, other = (read_job(order) for order in (folders, folders[::-1]))
    assert one is not None and other is not None
    assert replace(one.profile, target="") == replace(other.profile, target="") and one.job == other.job


def test_the_slow_rank_is_named_with_what_takes_it_longer(job: Path) -> None:
    found = read(job).job
    assert [rank.name for rank in found.slow] == [SLOW]
    slow = found.slow[0]
    assert slow.over == pytest.approx(0.2, abs=0.02)  # planted: 1.25 times the compute time of the others
    assert slow.types and all(item.time_us > item.median_us for item in slow.types)
    assert (
        found.imbalance == pytest.approx(slow.over) and found.limit == limit("rank-imbalance", "spread").value
    )
    exposed = found.figures["exposed_share"]
    assert exposed.lowest == SLOW and exposed.high > exposed.low  # the others wait for it
    assert found.figures["compute_us"].highest == SLOW


def test_common_bottlenecks_count_ranks_and_stand_by_the_time_they_concern(job: Path) -> None:
    found = read(job).job
    assert found.common and all(0 < item.ranks <= RANKS for item in found.common)
    weights = [item.ranks * item.share.median for item in found.common if item.ranks == RANKS]
    assert weights == sorted(weights, reverse=True)


def test_a_damaged_rank_costs_that_rank_and_is_said(job: Path) -> None:
    whole = read(job)
    damage(job, 2)
    found = read(job)
    assert [rank.name for rank in found.job.lost] == ["rank 2"]
    assert found.job.found == RANKS and len(found.job.ranks) == RANKS - 1
    kept = [rank for rank in whole.profile.ranks if rank.name != "rank 2"]
    assert list(found.profile.ranks) == kept
    shutil.rmtree(job / "rank_2_ascend_pt")
    assert read(job).profile.operators == found.profile.operators
    text = next(item.text for item in found.profile.notices if item.code == "ranks-lost")
    assert text.startswith(f"1 of {RANKS} ranks are in no figure: rank 2 (")


def test_the_report_says_which_rank_is_lost_and_where_without_folders_of_the_machine(job: Path) -> None:
    damage(job, 2)
    report = pipeline.advise([job])
    for name in ("text", "markdown", "html", "json"):
        shown = views.render(name, [report], lang="en", width=200, color=False)
        assert "rank 2" in shown and "rank_2_ascend_pt" in shown
        assert str(job / "rank_2_ascend_pt") not in shown


def test_no_rank_that_can_be_read_is_an_error_with_the_first_reason(job: Path) -> None:
    for rank in range(RANKS):
        damage(job, rank)
    with pytest.raises(SourceError, match=f"none of {RANKS} ranks could be read: rank_0_ascend_pt: "):
        read_job([job])


def test_a_fault_of_a_reader_costs_one_rank(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = readers.read

    def read_with_fault(paths: list[Path], **options: object) -> object:
        if "rank_1" in paths[0].name:
            raise ZeroDivisionError("a fault")
        return real(paths, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(readers, "read", read_with_fault)
    found = read(job).job
    assert [(rank.name, rank.reason) for rank in found.lost] == [
        ("rank 1", "a reader failed: ZeroDivisionError: a fault")
    ]


def test_an_unknown_chip_is_an_error_and_no_lost_ranks(job: Path) -> None:
    with pytest.raises(UsageError):
        read_job([job], "Ascend123")
    assert read_job([job], TARGET) is not None


def test_a_table_of_the_whole_job_gives_times_to_ranks_without(job: Path) -> None:
    for place in job.glob("rank_*/ASCEND_PROFILER_OUTPUT"):
        (place / "step_trace_time.csv").unlink()
        table = place / "kernel_details.csv"
        table.write_text(table.read_text().replace("Start Time(us)", "Begun"))
    assert "slow ranks" in read(job).job.not_judged[0]
    (job / "cluster_analysis_output").mkdir()
    rows = "".join(f",rank,{rank},{900 + 200 * (rank == 4)},50,10,60,5\n" for rank in range(RANKS))
    (job / "cluster_analysis_output/cluster_step_trace_time.csv").write_text(CLUSTER + rows)
    found = read(job).job
    assert [(rank.name, rank.compute_us) for rank in found.slow] == [("rank 4", 1100.0)]


def test_a_rank_that_its_host_holds_up_is_named(job: Path) -> None:
    """It computes as long as the others, its device idles: nothing in the compute times shows it."""
    assert read(job).job.held_up == ()
    for rank in range(RANKS):
        free = 400 if rank == 4 else 5
        place = job / f"rank_{rank}_ascend_pt/ASCEND_PROFILER_OUTPUT"
        (place / "step_trace_time.csv").write_text(
            STEPS + f"0,1,900,{0 if rank == 4 else 395},10,60,{free}\n"
        )
    found = read(job).job
    (held,) = found.held_up
    assert held.name == "rank 4" and found.slow == ()
    assert held.idle_share > held.median_share + (found.limit or 0) and held.median_share < 0.01
    assert "rank 4" in str(list(blocks(found, "en")))
    first = pipeline.advise([job]).warnings[0]
    assert first.startswith("the device of these ranks idles longer") and "rank 4" in first


def test_a_slow_rank_is_the_first_thing_to_mind(job: Path) -> None:
    first = pipeline.advise([job]).warnings[0]
    assert first.startswith("these ranks compute longer") and SLOW in first and "rank 0" not in first


def test_kernels_that_belong_to_no_rank_are_not_left_out(job: Path) -> None:
    shutil.copy(
        job / "rank_0_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", job / "kernel_details.csv"
    )
    assert read_job([job]) is None  # then all tables are read together
    assert pipeline.advise([job]).ranks == RANKS + 1


def test_ranks_of_different_length_are_not_compared(job: Path) -> None:
    place = job / "rank_0_ascend_pt/ASCEND_PROFILER_OUTPUT"
    (place / "step_trace_time.csv").write_text(STEPS + "0,1,900,50,10,60,5\n")
    found = read(job).job
    assert found.slow == () and found.imbalance is None
    assert "slow ranks and imbalance: the ranks cover different numbers of steps" in found.not_judged


def test_a_summary_is_small_and_can_be_sent(job: Path) -> None:
    folder = split([job])
    assert folder is not None
    found = summarise(folder.ranks[0])
    assert isinstance(found, Summary) and pickle.loads(pickle.dumps(found)) == found
    table = job / "rank_0_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv"
    size = len(pickle.dumps(found))
    head, *rows = table.read_text().splitlines(keepends=True)
    table.write_text(head + "".join(rows) * 8)
    again = summarise(folder.ranks[0])
    assert not isinstance(again, Lost)
    assert len(pickle.dumps(again)) < 1.1 * size  # of operators, not of rows


def operator(name: str, us: float, count: int = 1, **more: object) -> Operator:
    mean = Measure(us / count, "us", "t.csv:Duration(us)", us / count, us / count, count)
    return Operator(name, name, "vector", count, mean, us, **more)  # type: ignore[arg-type]


def test_equal_operators_are_one_with_the_mean_of_all_launches() -> None:
    sums = Operators()
    ratio = {"aiv_vec_ratio": Measure(0.5, "1", "t", n=1)}, {"aiv_vec_ratio": Measure(0.2, "1", "t", n=3)}
    sums.add([operator("Add", 10.0, 1, counters=ratio[0])])
    sums.add([operator("Add", 60.0, 3, counters=ratio[1]), operator("Mul", 5.0)])
    one, other = sums.result()
    assert (one.count, one.total_us, one.duration.value, one.duration.n) == (4, 70.0, 17.5, 4)
    assert (one.duration.low, one.duration.high) == (10.0, 20.0)
    assert one.counters["aiv_vec_ratio"].value == pytest.approx((0.5 + 3 * 0.2) / 4)
    assert other.type == "Mul"


def test_operators_stay_bounded_whatever_the_number_of_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "MOST_GROUPS", 40)
    monkeypatch.setattr(adding, "MOST_OPERATORS", 10)
    sums = Operators()
    for rank in range(20):
        sums.add([operator("Add", 1.0 + rank, block_dim=1 + rank * 5 + block) for block in range(5)])
    found = sums.result()
    assert len(found) == 11 and sum(op.count for op in found) == 100
    assert sum(op.total_us for op in found) == pytest.approx(5 * sum(1.0 + rank for rank in range(20)))
    assert [op.block_dim for op in found if "folded" in op.attributes] == [None]


def test_ranks_with_steps_alone_are_compared_and_count_in_no_share(job: Path) -> None:
    whole = read(job).profile
    for number, folder in enumerate(sorted(job.glob("rank_*"))):
        step = folder / "ASCEND_PROFILER_OUTPUT" / "step_trace_time.csv"
        if not step.is_file():
            step = next(folder.rglob("*.csv")).with_name("step_trace_time.csv")
            step.write_text(STEPS + "0,1,700,200,0,200,100\n", encoding="utf-8")
        if number:
            for path in folder.rglob("*"):
                if path.is_file() and path != step:
                    path.unlink()
    found = read(job)
    alone = pipeline.advise([min(job.glob("rank_*"))])
    report = pipeline.advise([job])
    assert len(found.job.ranks) == len(whole.ranks) and found.profile.operators
    assert report.total_us == alone.total_us and report.ranks is None
    assert any("ranks: the others hold times of steps alone" in item for item in report.warnings)
