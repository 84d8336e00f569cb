"""Whole collections against the stand-in: what comes out, what is said, what is left behind."""

from __future__ import annotations

import stat
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from collect_machine import FAST, STANDIN, Machine, is_root, without

from kb.engine.collect import Collected, collect
from kb.errors import CollectError

SIMULATOR: dict[str, Any] = {"mode": "simulator", "soc": "Ascend910B2"}


@dataclass(frozen=True)
class Good:
    """A run with a usable result: notices it must carry, launches, and whether it is whole."""

    name: str
    scenario: str = "ok"
    standin: dict[str, object] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    codes: frozenset[str] = frozenset()
    says: str = ""
    launches: int = 1
    complete: bool = True


@dataclass(frozen=True)
class Bad:
    """A run with nothing usable: what the error says, and the remedy."""

    name: str
    scenario: str
    what: str
    now: str = ""
    standin: dict[str, object] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


def _partial(*codes: str) -> dict[str, Any]:
    return {"codes": frozenset(codes), "complete": False}


GOODS = (
    Good("one kernel, dated log"),
    Good("one kernel, plain log", standin={"log": "plain", "version": "26.1.0"}),
    Good("one kernel, debug log", standin={"log": "debug"}),
    Good("310P", standin={"chip": "310p"}),
    Good("950", standin={"chip": "950", "log": "plain"}),
    Good("mix kernel matched by its prefix", standin={"kernels": "add_custom_mix_aic:mix"}),
    Good(
        "several launches of one kernel",
        standin={"kernels": "add_custom,add_custom,add_custom"},
        options={"launch_count": 3},
        launches=3,
    ),
    Good(
        "several kernels",
        standin={"kernels": "add_custom,mm:cube,add_custom"},
        options={"launch_count": 9, "kernel_name": "*"},
        launches=3,
    ),
    Good(
        "several devices",
        standin={"kernels": "add_custom@0,add_custom@1"},
        options={"launch_count": 2},
        launches=2,
    ),
    Good("fewer launches than asked", options={"launch_count": 50}, codes=frozenset({"fewer-launches"})),
    Good("only some tables asked", options={"aic_metrics": ("Memory", "L2Cache")}),
    Good("only the duration asked", options={"aic_metrics": ("BasicInfo",)}),
    Good("range replay", options={"replay_mode": "range", "warm_up": 1}),
    Good("no kernel name", options={"kernel_name": None}, codes=frozenset({"first-kernel-only"}),
         says="--kernel-name 'add_custom'"),
    Good("simulator", options=SIMULATOR, launches=0),
    Good("exit status without meaning", "ends-with-3", codes=frozenset({"tool-status"})),
    Good("no duration", "no-duration", **_partial("duration-missing", "tool-says")),
    Good("a table lost", "loses-table", says="Memory", **_partial("table-missing", "tool-says")),
    Good("a table emptied", "empties-table", says="Memory", **_partial("table-missing")),
    Good("columns lost", "misses-indicators", says="L2Cache", **_partial("tool-says")),
    Good("second launch fails", "second-launch-fails", standin={"kernels": "add_custom,add_custom"},
         options={"launch_count": 2}, says="1 failed", **_partial("kernels-failed", "tool-says")),
    Good("killed half-way", "killed-half-way", standin={"kernels": "add_custom,add_custom"},
         options={"launch_count": 2}, says="SIGKILL", **_partial("partial-tool-killed", "unparsed")),
    Good("simulator ran into its own limit", "simulator-timeout-partial", options=SIMULATOR, launches=0,
         **_partial("tool-says")),
    Good("harmless remark", "no-debug-lines"),
    Good("permission is a warning only", "warns-permission", standin={"log": "plain", "version": "26.1.0"}),
    Good("another result appears", "twins", codes=frozenset({"other-results"})),
    Good("a process stays behind", "leaves-process", codes=frozenset({"processes-ended"})),
    Good("a daemon stays behind", "leaves-daemon", codes=frozenset({"processes-ended"})),
    Good("a daemon stays behind and is deaf", "leaves-deaf-daemon", codes=frozenset({"processes-ended"})),
    Good("output closed early", "closes-output"),
    Good("lines glued together", "glues-lines"),
    Good("lines that come in pieces", "dribbles"),
    Good("garbage in the output", "garbage"),
)  # fmt: skip

BADS = (
    Bad("no kernel matches", "ok", r"No kernel matched --kernel-name nothing\*", "_mix_aic",
        options={"kernel_name": "nothing*"}),
    Bad("no kernel launched", "ok", "launched no kernel", "launches a kernel",
        standin={"kernels": ""}, options={"kernel_name": None}),
    Bad("no kernel in the simulator", "simulates-nothing", "no instruction table", "--kernel-name",
        options=SIMULATOR),
    Bad("simulator limit and nothing", "simulator-timeout", "time limit", "--timeout", options=SIMULATOR),
    Bad("simulator libraries", "simulator-libraries", "libraries cannot be loaded", "set_env.sh",
        options=SIMULATOR),
    Bad("nothing said, nothing written", "silent", "without a result folder", "kb doctor"),
    Bad("praise and an empty folder", "lies-empty", "no OpBasicInfo.csv with a numeric", "kb doctor"),
    Bad("praise and rubbish", "lies-rubbish", "no OpBasicInfo.csv with a numeric"),
    Bad("backup of memory failed", "memory", "could not be backed up", "smaller shape"),
    Bad("restore of memory failed", "restore", "could not be restored", "smaller shape"),
    Bad("launch failed", "launch-fails", "launch 0 on device 0 failed", "10 s"),
    Bad("cannot parse", "cannot-parse", "no kernel|could not be parsed"),
    Bad("tool crashes", "crashes", r"msopprof itself was killed by signal 11 \(SIGSEGV\)", "Kept: raw data"),
    Bad("tool is killed", "killed", r"killed by signal 9 \(SIGKILL\)", "20 GB"),
    Bad("permission refused", "permission", "refuses .* permissions", "chmod 700"),
    Bad("soft link refused", "soft-link", "soft link", "without links"),
    Bad("old temporary folder", "tmp-insecure", "temporary folder", "Remove"),
    Bad("chip not supported", "chip", "cannot be profiled on board", "--mode simulator"),
    Bad("no ASCEND_HOME_PATH", "no-home", "ASCEND_HOME_PATH is not set", "set_env.sh"),
    Bad("error that nobody knows", "unknown-error", "Something that no table knows", "kb doctor"),
    Bad("launch count refused", "ok", "at most 100 launches", "--launch-count 100",
        standin={"launches": 100, "version": "26.1.0"}, options={"launch_count": 200}),
    Bad("result is a link to elsewhere", "linked-result", "without a result folder"),
)  # fmt: skip


@pytest.mark.parametrize("case", GOODS, ids=lambda case: case.name)
def test_a_usable_result(machine: Machine, case: Good) -> None:
    machine.play(case.scenario, **case.standin)
    collected = machine.collect(**case.options)
    codes = {notice.code for notice in collected.notices}
    assert case.codes <= codes, collected.notices
    assert case.says in " ".join(notice.text for notice in collected.notices)
    assert collected.complete == case.complete, collected.notices
    assert collected.launches == case.launches
    assert collected.folder.is_dir()
    assert collected.folder.name.startswith("OPPROF_20")
    assert collected.capture.simulated == (case.options.get("mode") == "simulator")
    assert collected.app_output is not None
    assert "sum is right: " in collected.app_output.read_text(errors="replace")
    assert _mode_of(collected.folder.parent) == 0o700


@pytest.mark.parametrize("case", BADS, ids=lambda case: case.name)
def test_nothing_usable(machine: Machine, case: Bad) -> None:
    machine.play(case.scenario, **case.standin)
    with pytest.raises(CollectError, match=case.what) as caught:
        machine.collect(**case.options)
    assert case.now in caught.value.now
    assert caught.value.where
    assert caught.value.exit_status == 4
    assert "\x1b" not in str(caught.value)


def _mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _all_files(collected: Collected) -> set[str]:
    return {path.name.split("_2")[0].removesuffix(".csv") for path in collected.folder.rglob("*.csv")}


def test_output_of_tool_and_program_are_kept_apart(machine: Machine) -> None:
    machine.program("add_custom", '#!/bin/sh\necho "[INFO]  Open device 0 success"\necho oops >&2\n')
    collected = machine.collect()
    assert collected.app_output is not None
    assert collected.tool_output is not None
    assert collected.app_output.read_text() == "[INFO]  Open device 0 success\noops\n"
    tool = collected.tool_output.read_text()
    assert "Profiling results saved in" in tool
    assert "Open device" not in tool
    assert "Op Name: add_custom" in tool
    assert collected.log.kernels == ("add_custom",)
    assert collected.log.succeeded == 1
    assert collected.log.advice[0].startswith("1) MTE2")
    assert _mode_of(collected.app_output) == 0o600


def test_only_the_tables_asked_for_are_expected(machine: Machine) -> None:
    collected = machine.collect(aic_metrics=("Memory", "L2Cache"))
    assert collected.complete
    assert _all_files(collected) == {"OpBasicInfo", "Memory", "L2Cache"}


def test_arguments_with_blanks_and_quotes_arrive_whole(machine: Machine) -> None:
    machine.program("add_custom", '#!/bin/sh\nprintf "%s|" "$@"\n')
    odd = ("two words", "it's", "", '"', "$HOME", "a\\b")
    collected = machine.collect(("./add_custom", *odd))
    assert collected.app_output is not None
    assert collected.app_output.read_text() == "|".join(odd) + "|"


def test_without_the_wrapper_the_stand_in_tears_arguments_apart(machine: Machine) -> None:
    """Otherwise the test above would prove nothing."""
    machine.program("add_custom", '#!/bin/sh\nprintf "%s|" "$@"\n')
    argv = [str(STANDIN / "msopprof"), f"--output={machine.work / 'o'}", "./add_custom", "two words"]
    done = subprocess.run(argv, cwd=machine.work, env=machine.variables, capture_output=True, check=True)
    assert b"two|words|" in done.stdout


def test_a_python_program(machine: Machine) -> None:
    (machine.work / "infer.py").write_text("import sys; print('args', sys.argv[1:])")
    collected = machine.collect(("python3", "infer.py", "--steps", "3"))
    assert collected.app_output is not None
    assert collected.app_output.read_text() == "args ['--steps', '3']\n"
    assert collected.folder.parent.name.startswith("infer-")


@pytest.mark.parametrize("mode", ["device", "simulator"])
def test_a_program_that_crashes(machine: Machine, mode: str) -> None:
    machine.program("add_custom", "#!/bin/sh\necho before the crash\nkill -ABRT $$\n")
    machine.play(kernels="")
    options = SIMULATOR if mode == "simulator" else {}
    with pytest.raises(CollectError, match=r"killed by signal 6 \(SIGABRT\)") as caught:
        machine.collect(**options)
    assert "before the crash" in caught.value.now
    assert ("runtime_camodel" in caught.value.now) == (mode == "simulator")


def test_a_program_that_crashes_after_a_kernel_was_measured(machine: Machine) -> None:
    machine.program("add_custom", "#!/bin/sh\nkill -SEGV $$\n")
    collected = machine.collect()
    assert not collected.complete
    assert "SIGSEGV" in " ".join(notice.text for notice in collected.notices)
    assert collected.app_output is None


def test_msprof_op_is_driven_the_same_way(machine: Machine) -> None:
    programs = Path(machine.variables["PATH"].split(":")[0])
    (programs / "msopprof").unlink()
    (programs / "msprof").symlink_to(STANDIN / "msprof")
    assert machine.collect().complete


def test_a_config_json_is_collected(machine: Machine) -> None:
    (machine.work / "op.json").write_text('{"kernel_path": "./a.o", "mode": "onboard"}')
    collected = machine.collect(("op.json",), kernel_name=None)
    assert collected.complete
    assert collected.app_output is None


def test_no_tool_says_where_it_looked_and_what_to_do(machine: Machine) -> None:
    programs = Path(machine.variables["PATH"].split(":")[0])
    (programs / "msopprof").unlink()
    with pytest.raises(CollectError, match="msopprof was not found") as caught:
        machine.collect()
    assert "PATH" in caught.value.where
    assert "$ASCEND_HOME_PATH/tools/msopprof/bin" in caught.value.where
    assert "set_env.sh" in caught.value.now
    assert "kb advise DIR" in caught.value.now
    assert not (machine.work / "kb-profiles").exists()


def test_a_tool_that_cannot_be_started_leaves_nothing_behind(machine: Machine) -> None:
    planned = machine.plan()
    assert planned.tool is not None
    Path(planned.tool.path).unlink()
    with pytest.raises(CollectError, match="cannot be started"):
        collect(planned, limits=FAST)
    assert not (machine.work / "kb-profiles").exists()


def test_earlier_results_in_the_folder_are_not_taken_for_new(machine: Machine) -> None:
    old = machine.work / "out" / "OPPROF_20990101000000_AAAAAAAAAAAAAAAA"
    old.mkdir(parents=True, mode=0o700)
    (machine.work / "out").chmod(0o700)
    (old / "OpBasicInfo.csv").write_text("Op Name,Task Duration(us),\nold,1.0,\n")
    collected = machine.collect(output="out")
    assert collected.folder != old
    assert collected.folder.parent == machine.work / "out"
    machine.play("silent")
    with pytest.raises(CollectError, match="without a result folder"):
        machine.collect(output="out")


def test_a_second_run_in_the_same_second_gets_its_own_logs(machine: Machine) -> None:
    (machine.work / "out").mkdir(mode=0o700)
    planned = machine.plan(output="out")
    first, second = collect(planned, limits=FAST), collect(planned, limits=FAST)
    assert first.app_output != second.app_output
    assert first.folder != second.folder


def test_a_folder_that_changed_hands_is_refused(machine: Machine) -> None:
    planned = machine.plan(output="out")
    (machine.work / "out").mkdir(mode=0o777)
    (machine.work / "out").chmod(0o777)
    with pytest.raises(CollectError, match="changed"):
        collect(planned, limits=FAST)
    assert list((machine.work / "out").iterdir()) == []


@pytest.mark.skipif(is_root(), reason="root may read everything")
def test_a_result_without_read_permission(machine: Machine) -> None:
    machine.play("unreadable")
    with pytest.raises(CollectError, match="cannot be read"):
        machine.collect()
    for path in machine.work.rglob("OPPROF_*"):
        path.chmod(0o700)


def test_a_process_that_cleared_its_environment_is_ended_too(machine: Machine) -> None:
    machine.play("leaves-stranger")
    collected = machine.collect()
    pid = (collected.folder.parent / "stranger.pid").read_text()
    stat_file = Path("/proc", pid, "stat")
    deadline = time.monotonic() + 5  # SIGKILL is certain, but not instant
    while stat_file.exists() and stat_file.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < deadline
        time.sleep(0.02)


FLOODED = """
import resource, sys
from pathlib import Path
from kb.engine.collect import Limits, Options, collect, look_around, plan
planned = plan(Options(("./add_custom",)), look_around(root=Path(sys.argv[1])))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
done = collect(planned, limits=Limits(app_bytes=10_000_000))
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(grown, done.app_output.stat().st_size, done.complete)
print(*(notice.text for notice in done.notices if notice.code == "app-output-cut"))
"""


def test_100_mb_of_program_output_in_bounded_memory(machine: Machine) -> None:
    """In a process of its own, whose peak nothing else has raised before."""
    machine.play("flood")
    done = subprocess.run(
        [sys.executable, "-c", FLOODED, str(machine.root)],
        cwd=machine.work,
        env={**machine.variables, "PYTHONPATH": str(Path(__file__).resolve().parents[3])},
        capture_output=True,
        text=True,
        check=True,
    )
    grown_kib, kept, complete, dropped = done.stdout.split()[:4]
    assert int(grown_kib) < 20 * 1024
    assert int(kept) == 10_000_000
    assert complete == "True"
    assert int(dropped) > 90_000_000


def test_a_flood_with_the_tools_own_mark_and_an_endless_line(machine: Machine) -> None:
    machine.play("flood-marked")
    collected = machine.collect()
    assert collected.complete
    assert collected.app_output is not None
    assert collected.app_output.read_text().count("step of the program") == 20_000
    machine.play("one-endless-line")
    collected = machine.collect()
    assert collected.app_output is not None
    assert collected.app_output.read_bytes().count(b"x") == 10_000_000


def test_progress_tells_kernel_launches_line_and_bytes(machine: Machine) -> None:
    machine.play(kernels="add_custom,add_custom,mm:cube", pause_s=0.5)
    machine.collect(launch_count=3, kernel_name="*")
    best = max(machine.events, key=lambda event: event.launches)
    assert best.asked == 3
    assert best.launches >= 2
    assert best.kernel in ("add_custom", "mm")
    assert best.disk_bytes > 0
    assert [event.elapsed_s for event in machine.events] == sorted(e.elapsed_s for e in machine.events)
    assert any("sum is right" in event.line for event in machine.events)


def test_progress_that_raises_ends_the_run_and_leaves_nobody(machine: Machine) -> None:
    machine.play("stone-deaf")

    def fail(_: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        collect(machine.plan(("./add_custom", "a b")), progress=fail, limits=FAST)


def test_running_without_a_device_goes_ahead_when_asked_for(machine: Machine) -> None:
    from kb.engine.collect import Options, plan

    environment = without(machine.look(), devices=())
    collected = collect(plan(Options(("./add_custom",), mode="device"), environment), limits=FAST)
    assert "no-device" not in {notice.code for notice in collected.notices}, "the run answered that"
