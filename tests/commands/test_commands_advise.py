from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from command_fakes import Asked
from report_samples import EMPTY, RUN, SAMPLE

from kb.engine.request import Request
from kb.report.json import document
from kb.store.runs import list_runs

WRITES = SAMPLE.recommendations[0]


def test_text_by_default_and_the_run_is_kept(kb: Any, tmp_path: Path) -> None:
    done = kb("advise", "some/profile")
    assert (done.status, done.err) == (0, "")
    assert SAMPLE.headline in done.out
    assert "\x1b" not in done.out
    assert [run.id for run in list_runs(db=str(tmp_path / "runs.db"))] == [SAMPLE.run]


def test_a_report_without_findings_is_an_answer_too(kb: Any) -> None:
    done = kb("advise", "empty", "--format", "json")
    found = json.loads(done.out)
    assert done.status == 0
    assert (found["findings"], found["target"]) == ([], EMPTY.target)
    assert re.fullmatch(r"[0-9a-f]{12}", found["run"])


@pytest.mark.parametrize("name", ["json", "jsonl", "markdown", "html"])
def test_formats(kb: Any, name: str) -> None:
    done = kb("advise", "x", "--format", name)
    assert done.status == 0
    marks = {
        "json": '{\n  "schema"',
        "jsonl": '{"schema"',
        "markdown": "## 1 Operator",
        "html": "<!doctype html>",
    }
    assert done.out.startswith(marks[name])


def test_options_reach_the_pipeline(kb: Any, asked: Asked) -> None:
    kb("advise", "a", "b", "--soc", "Ascend910B2", "--shape", "1024x2048", "--for", "model", "--top", "3")
    kb("advise", "a")
    # the whole answer is kept; what is printed is narrowed afterwards
    assert asked.calls == [
        ("advise", ([Path("a"), Path("b")], Request("Ascend910B2", "1024x2048", None, 60))),
        ("narrow", Request("Ascend910B2", "1024x2048", "model-developer", 3)),
        ("advise", ([Path("a")], Request(top=60))),
        ("narrow", Request()),
    ]


def test_metrics_of_one_object_and_of_a_list(kb: Any, tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text("{}")
    (tmp_path / "two.json").write_text("[{}, {}]")
    (tmp_path / "list.json").write_text("\ufeff [{}]", encoding="utf-8")
    one, two = document(SAMPLE), document(RUN)
    told = json.loads(json.dumps([one, two]))
    assert json.loads(kb("advise", "--metrics", "one.json", "--format", "json").out) == told[0]
    assert json.loads(kb("advise", "--metrics", "two.json", "--format", "json").out) == told
    assert json.loads(kb("advise", "--metrics", "list.json", "--format", "json").out) == told[:1]
    lines = kb("advise", "--metrics", "two.json", "--format", "jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == told
    assert len(list_runs(db=str(tmp_path / "runs.db"))) == 2


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["advise"], "no profile"),
        (["advise", "x", "--metrics", "y.json"], "both a profile and --metrics"),
        (["advise", "x", "--format", "docx"], "no format 'docx'"),
        (["advise", "x", "--lang", "fr"], "no language 'fr'"),
        (["advise", "x", "--top", "0"], "--top"),
        (["advise", "x", "--for", "me"], "--for"),
        (["advise", "x", "--nonsense"], "--nonsense"),
    ],
)
def test_wrong_usage_is_2_and_judges_nothing(kb: Any, asked: Asked, arguments: list[str], what: str) -> None:
    done = kb(*arguments)
    assert (done.status, done.out, asked.calls) == (2, "", [])
    assert what in done.err
    assert len(done.err.splitlines()) == 2  # what, and what now


@pytest.mark.parametrize(
    ("target", "status", "text"),
    [
        ("missing", 3, "kb: missing: no such file or folder\n    Check the path.\n"),
        ("bare", 5, "kb: bare: no counter that a judgement needs\n    Collect with: msopprof\n"),
        ("entry", 1, "kb: data/tips/x.md:3: an entry is at fault\n"),
        ("interrupt", 130, "kb: interrupted\n"),
    ],
)
def test_errors_have_their_exit_status(kb: Any, target: str, status: int, text: str) -> None:
    done = kb("advise", target)
    assert (done.status, done.out, done.err) == (status, "", text)


def test_a_bug_is_named_as_one_and_debug_shows_where(kb: Any) -> None:
    done = kb("advise", "bug")
    assert done.status == 70
    assert "fault in kb: ZeroDivisionError" in done.err
    assert "Traceback" not in done.err
    assert "Traceback" in kb("advise", "bug", "--debug").err
    assert "Traceback" in kb("advise", "missing", "--debug").err
    assert kb("advise", "missing", "--debug").status == 3


def test_a_store_that_cannot_be_written_does_not_cost_the_report(kb: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = kb("advise", "x", "--db", str(tmp_path / "file" / "kb.db"))
    assert done.status == 0
    assert SAMPLE.headline in done.out
    assert "this run was not kept" in done.err
    assert kb("advise", "x", "-q", "--db", str(tmp_path / "file" / "kb.db")).err == ""


def test_language_by_option_or_variable(kb: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "结论" in kb("advise", "x", "--lang", "zh").out
    monkeypatch.setenv("KB_LANG", "ja")
    done = kb("advise", "x")
    assert "結論" in done.out
    assert "vector-larger-copies について" in done.out  # the entry's own title
    assert "Verdict" in kb("advise", "x", "--lang", "en").out
    monkeypatch.setenv("KB_LANG", "tlh")
    assert kb("advise", "x").status == 2


@pytest.mark.parametrize("width", [80, 160])
def test_the_width_of_the_screen_is_used(kb: Any, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = kb("advise", "x").out.splitlines()
    assert max(map(len, lines)) == width
    assert not any(line != line.rstrip() for line in lines)


def test_colour_where_asked_for(kb: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in kb("advise", "x").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in kb("advise", "x").out
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.delenv("FORCE_COLOR")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[" in kb("advise", "x").out
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in kb("advise", "x").out


def test_verbose_says_what_is_done_on_stderr_only(kb: Any) -> None:
    done = kb("advise", "x", "-v")
    assert "reading x" in done.err
    assert done.out == kb("advise", "x").out


def test_a_profile_given_to_the_main_job_is_advised_on(kb: Any, asked: Asked, tmp_path: Path) -> None:
    (tmp_path / "OPPROF_1").mkdir()
    (tmp_path / "op_summary.csv").write_text("Op Name,Duration\n")
    for target in ("OPPROF_1", "op_summary.csv"):
        assert kb("profile-and-advise", target, "--top", "1").status == 0
    assert [call[1] for call in asked.calls if call[0] == "advise"] == [
        ([Path(name)], Request(top=60)) for name in ("OPPROF_1", "op_summary.csv")
    ]
    assert ("narrow", Request(top=1)) in asked.calls


def test_kernels_without_times_are_not_judged(tmp_path: Path) -> None:
    """Durations of 0 are no idle device: nothing was recorded."""
    from kb.engine.pipeline import advise
    from kb.errors import NothingToJudge

    table = tmp_path / "kernel_details.csv"
    head = "Name,Type,Accelerator Core,Start Time(us),Duration(us)\n"
    table.write_text(head + "a,Add,AI_VECTOR_CORE,100.0,0\nb,Mul,AI_VECTOR_CORE,200.0,0\n", encoding="utf-8")
    with pytest.raises(NothingToJudge, match="every kernel takes 0 us"):
        advise([table])


def test_where_no_operator_is_left_the_first_reason_is_said_with_its_place(tmp_path: Path) -> None:
    """Rows that were lost are a damaged input, a table without rows is none to judge."""
    from kb.engine.pipeline import advise
    from kb.errors import NothingToJudge, SourceError

    table = tmp_path / "kernel_details.csv"
    head = "Name,Type,Accelerator Core,Start Time(us),Duration(us)\n"
    table.write_text(head, encoding="utf-8")
    with pytest.raises(NothingToJudge, match="a header but no usable row") as none:
        advise([table])
    assert none.value.where == str(table)
    for lost in ("inf", "nan", "-5", "1e308"):
        table.write_text(head + f"a,Add,AI_VECTOR_CORE,100.0,{lost}\n" * 2, encoding="utf-8")
        with pytest.raises(SourceError, match="2 rows without a usable duration") as fault:
            advise([table])
        assert fault.value.where == f"{table}:2"
        assert f'Duration(us) is "{lost}"' in fault.value.what


def test_a_trace_that_is_cut_before_its_first_kernel_is_damaged(shared_profiles: Path) -> None:
    from kb.engine.pipeline import advise
    from kb.errors import SourceError

    with pytest.raises(SourceError, match="ends inside the document") as fault:
        advise([shared_profiles / "torch-trace-view-truncated"])
    assert fault.value.where.endswith("torch-trace-view-truncated/trace_view.json")


def test_averages_per_shape_are_named_with_what_is_needed_instead(shared_profiles: Path) -> None:
    from kb.engine.pipeline import advise
    from kb.errors import NothingToJudge

    with pytest.raises(NothingToJudge, match="averages per shape") as none:
        advise([shared_profiles / "op-perf-database"])
    assert "kernel_details" in none.value.now


@pytest.mark.parametrize(
    ("file", "start"), [("r.html", "<!doctype"), ("r.md", "## 1 "), ("r.json", "{"), ("r.txt", SAMPLE.target)]
)
def test_the_answer_is_written_to_a_file(kb: Any, tmp_path: Path, file: str, start: str) -> None:
    done = kb("advise", "x", "-o", str(tmp_path / file))
    assert (done.status, done.out) == (0, "")
    assert f"{file}" in done.err
    assert (tmp_path / file).read_text(encoding="utf-8").startswith(start)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_the_format_asked_for_wins_over_the_ending_and_minus_is_standard_output(
    kb: Any, tmp_path: Path
) -> None:
    kb("advise", "x", "-o", str(tmp_path / "r.out"), "--format", "markdown")
    assert (tmp_path / "r.out").read_text(encoding="utf-8").startswith("## 1 ")
    assert SAMPLE.headline in kb("advise", "x", "-o", "-").out


def test_a_name_that_no_format_goes_with_is_refused_before_the_work(kb: Any, asked: Asked) -> None:
    done = kb("advise", "x", "-o", "r.docx")
    assert (done.status, done.out) == (2, "")
    assert "r.docx" in done.err
    assert asked.calls == []


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no /dev/full on this system")
def test_a_full_disk_is_74(kb: Any) -> None:
    done = kb("advise", "x", "-o", "/dev/full", "--format", "json")
    assert (done.status, done.out) == (74, "")
    assert "/dev/full: No space left on device" in done.err
