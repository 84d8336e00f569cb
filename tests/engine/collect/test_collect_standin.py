"""The stand-in itself: grammar, exit statuses, layouts and headers as the specification says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from collect_machine import STANDIN, Machine


def _run(machine: Machine, *words: str, name: str = "msopprof") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(STANDIN / name), *words],
        cwd=machine.work,
        env=machine.variables,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--output", "x", "./add_custom"), "argument --output miss value"),
        (("--launch-count=5001", "./add_custom"), "Launch count should within [1, 5000]"),
        (("--launch-count=x", "./add_custom"), "Launch count should within [1, 5000]"),
        (("--warm-up=501", "./add_custom"), "Warm up times should within [0, 500]"),
        (("--launch-skip-before-match=1001", "./add_custom"), "should within [0, 1000]"),
        (("--aic-metrics=PMSampling", "./add_custom"), "Unexpected argument --aic-metrics=PMSampling"),
        (("simulator", "--soc-version=Ascend910B2", "--aic-metrics=memoryub", "./add_custom"), "=memoryub"),
        (("simulator", "--soc-version=Ascend910X", "./add_custom"), "--soc-version is invalid"),
        (("simulator", "--warm-up=1", "./add_custom"), "--warm-up"),
        (("--replay-mode=range", "./add_custom"), "--replay-mode=range only support when --mstx=on"),
        (("--mode=device", "./add_custom"), "--mode"),
        (("./missing",), "is not exist or not executable"),
        ((), "can not be used together or empty"),
        (("--config=x.json", "./add_custom"), "can not be used together or empty"),
    ],
)
def test_bad_arguments_end_with_255(machine: Machine, words: tuple[str, ...], says: str) -> None:
    done = _run(machine, *words)
    assert done.returncode == 255
    assert says in done.stdout


@pytest.mark.parametrize(
    "scenario", ["memory", "launch-fails", "cannot-parse", "permission", "lies-empty", "silent"]
)
def test_every_later_failure_ends_with_0(machine: Machine, scenario: str) -> None:
    machine.play(scenario)
    assert _run(machine, "./add_custom").returncode == 0


def test_options_after_the_program_belong_to_the_program(machine: Machine) -> None:
    done = _run(machine, "--output=o", "./add_custom", "--launch-count=9999")
    assert done.returncode == 0
    assert "sum is right: --launch-count=9999" in done.stdout


def test_the_version_is_known_only_where_it_is_played(machine: Machine) -> None:
    assert _run(machine, "-v").returncode == 255
    machine.play(version="26.1.0")
    assert _run(machine, "-v").stdout == "msopprof vesion is 26.1.0\n"


def test_msprof_forwards_op_and_nothing_else(machine: Machine) -> None:
    assert _run(machine, "op", "--output=o", "./add_custom", name="msprof").returncode == 0
    assert len(list((machine.work / "o").glob("OPPROF_*"))) == 1
    assert _run(machine, "--output=o", "./add_custom", name="msprof").returncode == 1


def _layout(machine: Machine, kernels: str, *words: str) -> set[str]:
    machine.play(kernels=kernels)
    assert _run(machine, "--output=o", "--kernel-name=*", *words, "./add_custom").returncode == 0
    (top,) = (machine.work / "o").iterdir()
    assert re.fullmatch(r"OPPROF_\d{14}_[A-Z]{16}", top.name)
    return {
        re.sub(r"_\d{17}", "_<time>", str(path.relative_to(top))) for path in top.rglob("OpBasicInfo*.csv")
    }


def test_layouts(machine: Machine) -> None:
    assert _layout(machine, "add") == {"OpBasicInfo.csv"}


def test_layout_of_several_launches(machine: Machine) -> None:
    assert _layout(machine, "add,mm:mix,add,more", "--launch-count=3") == {
        "add/0/OpBasicInfo_<time>.csv",
        "add/1/OpBasicInfo_<time>.csv",
        "mm/0/OpBasicInfo_<time>.csv",
    }


def test_layout_of_several_devices(machine: Machine) -> None:
    assert _layout(machine, "add@0,add@1", "--launch-count=3") == {
        "device0/add/0/OpBasicInfo_<time>.csv",
        "device1/add/0/OpBasicInfo_<time>.csv",
    }


def test_filters_skip_then_name_then_count(machine: Machine) -> None:
    machine.play(kernels="add_1,mul,add_2,add_3")
    words = ("--launch-skip-before-match=1", "--kernel-name=add", "--launch-count=1")
    _run(machine, "--output=o", *words, "./add_custom")
    (basics,) = (machine.work / "o").rglob("OpBasicInfo.csv")
    assert "add_2" in basics.read_text()


@pytest.mark.parametrize(
    ("chip", "kind", "rows"),
    [
        ("a2-closed", "vector", 2),
        ("a2", "mix", 6),
        ("a2", "cube", 2),
        ("310p", "vector", 1),
        ("950", "mix", 6),
    ],
)
def test_tables_have_the_rows_and_commas_of_the_tool(
    machine: Machine, chip: str, kind: str, rows: int
) -> None:
    machine.play(kernels=f"add:{kind}", chip=chip)
    _run(machine, "--output=o", "./add_custom")
    tables = [path for path in (machine.work / "o").rglob("*.csv") if path.name != "OpBasicInfo.csv"]
    assert len(tables) == 7
    for path in tables:
        lines = path.read_text().splitlines()
        assert len(lines) == rows + 1
        assert len({line.count(",") for line in lines}) == 1
        assert all(line.endswith(",") for line in lines) == (chip != "950")


def test_headers_are_those_of_real_captures(machine: Machine, shared_profiles: Path) -> None:
    """Every header that the stand-in writes for A2 and 950 exists in a published capture, byte for byte."""
    tables = ("PipeUtilization", "Memory", "ResourceConflictRatio")
    real = {
        path.read_text(errors="replace").partition("\n")[0].strip()
        for path in shared_profiles.rglob("*.csv")
        if path.name.startswith(tables)
    }
    for chip in ("a2", "a2-closed", "950"):
        machine.play(chip=chip)
        _run(machine, f"--output={chip}", "./add_custom")
        for name in tables:
            (path,) = (machine.work / chip).rglob(f"{name}.csv")
            assert path.read_text().splitlines()[0] in real, (chip, name)
