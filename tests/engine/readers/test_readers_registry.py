"""Every reader has samples whole, odd and broken, and a file belongs to one reader only."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import ROOT

from kb.engine import readers
from kb.engine.readers.source import open_source
from kb.errors import KbError, SourceError
from kb.model import Profile

SAMPLES = ROOT / "tests" / "samples"
NAMES = [reader.NAME for reader in readers.readers()]


def samples(name: str, kind: str) -> list[Path]:
    return sorted((SAMPLES / name).glob(f"{kind}*"))


def test_readers_are_found_by_being_there() -> None:
    expected = {"kernel_details", "msopprof", "op_statistic", "op_summary", "step_trace", "visualize_data"}
    expected |= {"simulator", "trace", "task_time", "api_statistic", "operator_details", "communication"}
    expected |= {"database", "analysis_db", "mindspore", "shape_statistic"}
    assert expected == set(NAMES)
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("reader", readers.readers(), ids=lambda reader: reader.NAME)
def test_a_reader_says_what_it_is(reader: readers.Reader) -> None:
    assert reader.TITLE and reader.TITLE != reader.NAME
    assert reader.FAMILY in ("kernel", "job")
    assert reader.RANK > 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["whole", "odd", "broken"])
def test_a_reader_has_samples_of_each_kind(name: str, kind: str) -> None:
    assert samples(name, kind), f"tests/samples/{name}/{kind}* is missing: tools/make_samples.py writes them"


@pytest.mark.parametrize("path", [p for n in NAMES for p in samples(n, "whole") + samples(n, "odd")], ids=str)
def test_whole_and_odd_samples_read_without_loss(path: Path) -> None:
    profile = readers.read([path])
    assert profile.source == path.relative_to(SAMPLES).parts[0]
    assert profile.operators or profile.times.span or profile.source == "api_statistic"
    assert any(file.rows for file in profile.files)
    assert not [file for file in profile.files if file.rows_lost]


@pytest.mark.parametrize("path", [p for n in NAMES for p in samples(n, "broken")], ids=str)
def test_broken_samples_are_refused_or_say_what_is_missing(path: Path) -> None:
    found: Profile | KbError
    try:
        found = readers.read([path])
    except KbError as fault:
        found = fault
    if isinstance(found, Profile):
        codes = {notice.code for notice in found.notices}
        assert codes & {"row-cut-off", "rows-lost", "no-rows", "file-cut-off"}
    else:
        assert isinstance(found, SourceError) and found.where and found.now


def test_two_readers_that_claim_one_file_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.engine.readers import op_statistic, op_summary

    monkeypatch.setattr(op_statistic, "recognise", lambda source: 90)
    with pytest.raises(SourceError, match="op_statistic and op_summary"):
        readers.read([SAMPLES / "op_summary" / "odd-level0.csv"])
    assert op_summary.recognise(open_source(SAMPLES / "op_summary" / "odd-level0.csv")) == 90


def test_content_decides_not_the_name(tmp_path: Path) -> None:
    text = (SAMPLES / "op_statistic" / "whole.csv").read_bytes()
    (tmp_path / "op_summary_1.csv").write_bytes(text)
    assert readers.read([tmp_path / "op_summary_1.csv"]).source == "op_statistic"
    (tmp_path / "picture.png").write_bytes((SAMPLES / "op_summary" / "odd-level0.csv").read_bytes())
    assert readers.read([tmp_path / "picture.png"]).source == "op_summary"


def test_kernel_captures_and_job_exports_do_not_mix() -> None:
    with pytest.raises(SourceError, match=r"msopprof: .*whole-vector"):
        readers.read([SAMPLES / "op_summary" / "odd-level0.csv", SAMPLES / "msopprof" / "whole-vector"])


def test_a_better_table_beside_a_lesser_one_makes_the_profile(tmp_path: Path) -> None:
    for name, sample in (("a.csv", "op_statistic/whole.csv"), ("b.csv", "kernel_details/odd-level0.csv")):
        (tmp_path / name).write_bytes((SAMPLES / sample).read_bytes())
    assert readers.read([tmp_path]).source == "kernel_details"


def test_the_settings_of_a_profiler_run_alone_are_refused_by_name(tmp_path: Path) -> None:
    text = '{"config": {"common_config": {}, "experimental_config": {"_profiler_level": "Level1"}}, "rank_id": 3}'
    (tmp_path / "profiler_info_3.json").write_text(text)
    with pytest.raises(SourceError, match="settings of a PyTorch profiler run"):
        readers.read([tmp_path])


def test_whose_file_it_is(tmp_path: Path) -> None:
    assert readers.reader_of(SAMPLES / "trace" / "whole-torch" / "trace_view.json") == "trace"
    (tmp_path / "config.json").write_text('{"kernel_path": "a.o", "test_cases": []}')
    (tmp_path / "profiler_info_0.json").write_text('{"common_config": 1, "experimental_config": 2}')
    assert [readers.reader_of(path) for path in sorted(tmp_path.iterdir())] == [None, None]


@pytest.mark.parametrize(
    "sample", ["trace/whole-torch", "database/whole.db", "database/odd-old.db", "task_time/whole.csv"]
)
def test_large_input_takes_another_way_to_the_same_answer(
    sample: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.engine.readers import job

    small = readers.read([SAMPLES / sample])
    monkeypatch.setattr(job, "LARGE", 0)
    large = readers.read([SAMPLES / sample])
    assert [(op.type, op.count, op.core) for op in large.operators] == [
        (op.type, op.count, op.core) for op in small.operators
    ]
    assert [op.total_us for op in large.operators] == pytest.approx([op.total_us for op in small.operators])
    assert large.times.span == small.times.span and large.times.busy == small.times.busy
    assert large.notices == small.notices


def test_an_error_of_a_mixture_has_a_place() -> None:
    with pytest.raises(SourceError) as caught:
        readers.read([SAMPLES / "op_summary" / "odd-level0.csv", SAMPLES / "msopprof" / "whole-vector"])
    assert caught.value.where and caught.value.now


def test_a_header_is_the_line_that_rows_see(tmp_path: Path) -> None:
    """Other characters that end a line elsewhere do not end one here; a cut cell is no cell."""
    from kb.engine.readers.rows import Rows

    path = tmp_path / "f.csv"
    for text in (
        "a,b\x1ec,d\n1,2\n",
        "a,\x0bb\u2028,c\r\n1",
        "\n \r\na,b\rc\n",
        "a,b",
        "x" * 16_380 + ",abcdef,g\n1\n",
    ):
        path.write_text(text, newline="")
        found, whole = open_source(path).header, Rows(path).header
        assert found == whole[: len(found)] and len(found) >= min(len(whole), 1)
    assert found == ("x" * 16_380,)
