"""Lines of three forms, told from the program's own, in chunks of any size."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.engine.collect.log import clean, parse_line
from kb.engine.collect.log_texts import BY_WEIGHT, TEXTS, recognise
from kb.engine.collect.output import BoundedFile, OutputSplitter

SAVED = "Profiling results saved in /x/OPPROF_20260522141449_GXIWCYDOKQWIEHDM"
FORMS = {
    "dated": f"2026-05-22 14:14:49 [INFO]  {SAVED}",
    "plain": f"[INFO]  {SAVED}",
    "debug": f"[DEBUG] [2026-05-22 14:14:49] [Thread-1402] [op_prof.cpp:88] {SAVED}",
}
# Message texts of the tool, by kind, as its documentation and source spell them.
SPELLED = {
    "Profiling running finished. All task success.": "good",
    "Save profiling data with metric [L2Cache] success.": "good",
    "Profiling data parse finished.": "good",
    "Profiling kernels result is: 3 success, 1 failed": "summary",
    "Profiling results are empty. No kernel profiling data was generated": "nothing",
    "No profiling data dumped.": "nothing",
    "No profiling data matched --kernel-name=foo*": "nothing",
    "Failed to save profiling data with metric [Memory]": "partial",
    "Access profiling data file [a] failed. Some indicators of [L2Cache] failed to be collected": "partial",
    "Get op basic info [Task Duration] failed.": "partial",
    "Failed to parse L2Cache evict value": "partial",
    "Profiling data parse failed. Please check": "parse",
    "Get profiling data failed.": "parse",
    "Failed to parse pc to code, maybe kernel missed debug_line": "harmless",
    "Running task failed, data parsing start": "app",
    "Child process killed by signal 6": "app",
    "Kernel run on device 0 No. 3 time failed.": "app",
    "Replay data restore failed. Skipping 2": "app",
    "memoryContext failed!": "app",
    "application to be profiled is not exist or not executable.": "setup",
    "Failed to load simulator so, please check your LD_LIBRARY_PATH": "setup",
    "--soc-version is invalid, please specify a simulator in /x": "setup",
    "Device profiling is not supported on current chip.": "setup",
    "Tmp output path maybe not secure, /x already exist": "setup",
    "--output parameter is not a folder but already exist": "setup",
    "$ASCEND_HOME_PATH not found": "setup",
    "Launch count should within [1, 5000]": "args",
    "Launch-skip-before-match should within [0, 1000]": "args",
    "Warm up times should within [0, 500]": "args",
    "--core-id is invalid": "args",
    "--timeout is invalid": "args",
    "Unexpected argument in --aic-metrics, maybe in wrong run mode / wrong soc platform": "args",
    "Unexpected argument --aic-metrics=memoryub, please check": "args",
    "--mstx-include only support when --mstx=on": "args",
    "--replay-mode=range only support when --mstx=on": "args",
    "argument --output miss value": "args",
    "The timeout has reached and the application will be forcibly killed.": "timeout",
    "The option \"--application\" will be deprecated": "harmless",
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_the_three_forms(form: str) -> None:
    parsed = parse_line(FORMS[form])
    assert parsed is not None
    before, line = parsed
    assert before == ""
    assert (line.form, line.text, line.known_kind) == (form, SAVED, "good")
    assert line.groups["folder"].endswith("GXIWCYDOKQWIEHDM")


@pytest.mark.parametrize(("text", "kind"), SPELLED.items())
def test_every_spelled_message_has_its_kind(text: str, kind: str) -> None:
    found = recognise(text)
    assert found is not None
    assert found[0].kind == kind


def test_everything_that_explains_a_failure_has_a_meaning() -> None:
    for text in TEXTS:
        if text.kind in BY_WEIGHT:
            groups = dict.fromkeys(text.pattern.groupindex, "x")
            assert text.means.format(**groups), text.pattern.pattern
            text.now.format(**groups)


@pytest.mark.parametrize(
    "line",
    [
        "[INFO]  Open device 0 success",  # the macro of the vendor's samples, mark and blanks included
        "[ERROR] RUNTIME(4711,add_custom):2026-05-22-14:14:49.123 aclrtMalloc failed",
        "[ WARN:0@0.1] global loadsave.cpp",
        "no mark at all",
        "",
    ],
)
def test_lines_of_the_program_are_not_taken_for_the_tool(line: str) -> None:
    assert parse_line(line) is None


def test_what_the_program_printed_before_the_tool_on_one_line_is_cut_off() -> None:
    parsed = parse_line(f"result ok{FORMS['dated']}")
    assert parsed is not None
    assert parsed[0] == "result ok"


def test_bytes_that_are_no_text_can_be_shown() -> None:
    clean(b"a\xff\xfe".decode("utf-8", "surrogateescape")).encode()


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("10%\r20%\r30%\r\n", "30%"),
        ("a\x00\x08\x9bb", "ab"),
        ("abc\u202edcba", "abcdcba"),
        ("x" * 5000, "x" * 1000),
    ],
)
def test_what_is_shown_is_fit_for_a_terminal(raw: str, shown: str) -> None:
    assert clean(raw) == shown


def _splitter(folder: Path, limit: int = 1 << 20) -> OutputSplitter:
    return OutputSplitter(BoundedFile(folder / "app", limit), BoundedFile(folder / "tool", limit))


OUTPUT = (
    b"start\n"
    + FORMS["dated"].encode()
    + b"\n2026-05-22 14:14:50 [INFO]  Operator Basic Information:\n\tOp Name: add_custom\n\tOp Type: vector\n"
    b"2026-05-22 14:14:50 [INFO]  Performance Summary Report:\n\t1) MTE2 bandwidth is low\n"
    b"\xff\xfe of the program\n\tindented by the program\n"
    b"[ERROR] something of either\n"
    b"tail\xe4\xb8\xad 2026-05-22 14:14:51 [WARN]  Get op basic info [Task Duration] failed.\nlast, no end"
)


@given(cuts=st.lists(st.integers(0, len(OUTPUT)), max_size=12))
@settings(deadline=None, max_examples=60)
def test_splitting_does_not_depend_on_how_the_bytes_arrive(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("split")
    splitter = _splitter(folder)
    marks = [0, *sorted(cuts), len(OUTPUT)]
    for start, end in itertools.pairwise(marks):
        splitter.feed(OUTPUT[start:end])
    splitter.end()
    assert (folder / "app").read_bytes() == (
        b"start\n\xff\xfe of the program\n\tindented by the program\n[ERROR] something of either\n"
        b"tail\xe4\xb8\xad last, no end"
    )
    log = splitter.summary()
    assert log.kernels == ("add_custom",)
    assert log.advice == ("1) MTE2 bandwidth is low",)
    assert log.counts == {"good": 1, "partial": 1}
    assert log.troubles == ("[ERROR] something of either", "Get op basic info [Task Duration] failed.")
    assert splitter.last_line == "last, no end"


@given(st.lists(st.binary(max_size=300), max_size=20))
@settings(deadline=None, max_examples=60)
def test_any_bytes_are_taken_and_none_of_the_programs_lost(
    tmp_path_factory: pytest.TempPathFactory, chunks: list[bytes]
) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    splitter = _splitter(folder)
    for chunk in chunks:
        splitter.feed(chunk)
    splitter.end()
    if splitter.tool.size == 0:
        whole = b"".join(chunks)
        assert splitter.app.size == len(whole)
        assert not whole or (folder / "app").read_bytes() == whole


def test_a_file_stops_at_its_limit_and_counts_what_it_dropped(tmp_path: Path) -> None:
    file = BoundedFile(tmp_path / "app", 10)
    file.write(b"12345678")
    file.write(b"abcdefgh")
    file.close()
    assert (tmp_path / "app").read_bytes() == b"12345678ab"
    assert file.dropped == 6


def test_a_disk_fault_is_kept_and_not_raised(tmp_path: Path) -> None:
    file = BoundedFile(tmp_path / "missing" / "app", 10)
    file.write(b"12345678")
    file.write(b"x")
    file.close()
    assert file.fault
    assert file.dropped == 9


def test_a_line_without_end_is_not_held_in_memory(tmp_path: Path) -> None:
    splitter = _splitter(tmp_path)
    for _ in range(40):
        splitter.feed(b"x" * 10_000)
        assert len(splitter._rest) <= 80_000
    splitter.end()
    assert splitter.app.size == 400_000


def test_a_setup_warning_explains_no_failure_but_an_error_does(tmp_path: Path) -> None:
    splitter = _splitter(tmp_path)
    splitter.feed(b"2026-05-22 14:14:49 [WARN]  --output is a soft link\n")
    splitter.feed(b"2026-05-22 14:14:49 [ERROR] Get profiling data failed.\n")
    splitter.end()
    worst = splitter.summary().worst()
    assert worst is not None
    assert worst.known_kind == "parse"
