"""Real profiles whose trouble is known: the right bottleneck, the right remedy, for the reason shown.

Only bottleneck and entry ids are asserted, reached through the general path; the arithmetic that makes an answer the
right one stands beside it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kb.engine.pipeline import Knowledge, advise, open_knowledge
from kb.engine.request import Request
from kb.errors import SourceError
from kb.model import Report


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return open_knowledge()


@pytest.fixture
def report(shared_profiles: Path, knowledge: Knowledge):  # type: ignore[no-untyped-def]
    def make(name: str, **options: str) -> Report:
        return advise([shared_profiles / name], Request(**options), knowledge)

    return make


def first(report: Report, count: int) -> list[str]:
    return [item.id for item in report.recommendations[:count]]


def patterns(report: Report) -> set[str]:
    return {finding.pattern for finding in report.findings}


def test_cummin_writes_few_bytes_at_a_time(report) -> None:  # type: ignore[no-untyped-def]
    """272 KiB in 2177 MTE3 instructions a core = 128 B each; MTE3 37 %, scalar 60 %, together all of the time."""
    found = report("cummin-s1-rounds/round_001")
    assert {"small-mte3-writes", "scalar-bound-vector"} <= patterns(found)
    assert "vector-larger-copies" in first(found, 2)
    assert "vector-double-buffer" not in first(found, 3)
    cores = next(finding for finding in found.findings if finding.pattern == "under-parallel")
    assert "4 independent pieces" in cores.summary and "split" in cores.summary
    assert all(item.gain.low == 0 for item in found.recommendations if item.finding == cores.id)


def test_cummin_gain_covers_what_the_next_round_measured(report) -> None:  # type: ignore[no-untyped-def]
    """692.12 us -> 343.08 us after batching the index writes: 50.4 % saved."""
    found = report("cummin-s1-rounds/round_001")
    copies = next(item for item in found.recommendations if item.id == "vector-larger-copies")
    assert copies.gain.low <= 0.504 <= copies.gain.high


def test_complex_is_an_element_loop(report) -> None:  # type: ignore[no-untyped-def]
    """Scalar 99.7 %, vector 2e-6: the scalar unit moves every element."""
    found = report("complex-all-scalar-48core")
    assert found.findings[0].pattern == "scalar-bound-vector"
    assert first(found, 1) == ["vector-scalar-loop-to-vector-api"]


def test_cumsum_small_copies_on_eight_cores(report) -> None:  # type: ignore[no-untyped-def]
    """512 KiB in 1025 instructions a core = 512 B each; 8 of 48 vector cores."""
    found = report("cumsum-small-dma-8core")
    assert {"small-mte2-reads", "under-parallel"} <= patterns(found)
    assert set(first(found, 2)) == {"vector-larger-copies", "vector-use-all-cores"}


def test_addr_is_too_small_to_tune(report) -> None:  # type: ignore[no-untyped-def]
    """4 KiB in, 2 KiB out on one core in 4.34 us: launch cost, not the kernel."""
    found = report("addr-one-core")
    assert not found.recommendations
    assert any("6 KiB" in item.reason for item in found.not_judged)


def test_addr_contradicts_the_stated_size(report) -> None:  # type: ignore[no-untyped-def]
    """1024 x 2048 float16 is 4 MiB a tensor; 6 KiB moved."""
    found = report("addr-one-core", shape="1024x2048")
    assert patterns(found) == {"capture-contradicts-size"}
    assert not found.recommendations


def test_attention_on_vector_cores_only(report) -> None:  # type: ignore[no-untyped-def]
    """16 of 24 launched blocks work (the others 1 us); on those vec 0.62, scalar 0.54; Op Type is vector."""
    found = report("attn-bwd-batch-cast/before")
    assert {"core-imbalance", "cube-idle-no-dot"} <= patterns(found)
    scalar = next(finding for finding in found.findings if finding.pattern == "scalar-bound-vector")
    readings = {item.metric: item.value for item in scalar.evidence}
    assert readings["aiv_scalar_ratio"] == pytest.approx(0.54, abs=0.01)
    assert readings["aiv_vec_ratio"] == pytest.approx(0.62, abs=0.01)
    to_cube = {item.id for item in found.recommendations if item.finding.startswith("cube-idle-no-dot")}
    assert set(first(found, 3)) & ({"avoid-per-row-api-calls", "avoid-pipe-all-barrier"} | to_cube)
    cube = next(finding for finding in found.findings if finding.pattern == "cube-idle-no-dot")
    assert not any(item.metric == "aic_mac_ratio" for item in cube.evidence), (
        "an absent share is no reading of 0"
    )


def test_narrow_copy_is_set_up_and_at_its_floor(report) -> None:  # type: ignore[no-untyped-def]
    """DSARandomNormal, its Cast are 98 % of the run; the copy moves 67 + 67 MB in 77 to 118 us, above 0.8 TB/s."""
    found = report("narrow-copy-persistent")
    setup = next(finding for finding in found.findings if finding.pattern == "setup-dominated-run")
    assert {ref.type for ref in setup.operators} == {"DSARandomNormal", "Cast"}
    assert setup.share > 0.97
    assert any("roofline floor" in text and "narrow_copy" in text and "L2" in text for text in found.warnings)
    assert not any("narrow_copy" in item.finding for item in found.recommendations)


def test_cnn_training_is_communication_first(report) -> None:  # type: ignore[no-untyped-def]
    """Exposed 101 963 us against 8 874 us of compute; TransData 1 423 us, ForeachAddList 1 959 us."""
    found = report("torch-cnn-level1-rank0")
    assert found.findings[0].pattern == "comm-exposed"
    assert found.findings[0].headroom == pytest.approx(0.92, abs=0.01)
    named = [ref.type for finding in found.findings[1:] for ref in finding.operators]
    assert "TransData" in named and "ForeachAddList" in named
    conversion = next(finding for finding in found.findings if finding.pattern == "format-conversion-share")
    assert conversion.operators[0].type == "TransData"
    advice = found.recommendations[0].finding
    assert advice == "comm-exposed"


@pytest.mark.parametrize(
    "name", ["msprof-empty-files", "lfs-pointer-csv", "foreign-edge-npu-op", "sqlite-no-tables"]
)
def test_unreadable_input_is_refused_in_words(report, name: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SourceError) as caught:
        report(name)
    assert caught.value.what and caught.value.now
    assert caught.value.exit_status == 3


def test_a_run_has_one_id_wherever_its_files_lie(
    tmp_path: Path, knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = Path(__file__).parents[1] / "samples" / "msopprof"
    name = next(path.parent.relative_to(sample) for path in sorted(sample.rglob("PipeUtilization*.csv")))
    for place in ("here", "else/where"):
        shutil.copytree(sample / name, tmp_path / place)
    monkeypatch.chdir(tmp_path / "here")
    ids = [
        advise([place], Request(), knowledge).run
        for place in (Path(), Path("../else/where"), tmp_path / "here")
    ]
    assert len(set(ids)) == 1 and len(ids[0]) == 12
