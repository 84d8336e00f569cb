"""`-`: standard input where a command reads a file, standard output where it writes one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from running import ROOT, SAMPLE, environment, needs_cli, needs_sample, run_kb

pytestmark = needs_cli

KERNEL = {"operator": "RmsNorm", "hardware": "Ascend910B2", "metrics": {"Task Duration(us)": 113.6, "aiv_scalar_ratio": 0.7, "aiv_vec_ratio": 0.1}}  # fmt: skip
TABLE = "op_type\tin_shapes\tin_dtypes\nAdd\t1024,1024;1024,1024\tDT_FLOAT16;DT_FLOAT16\n"


def piped(home: Path, text: str | bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    raw = text.encode() if isinstance(text, str) else text
    return subprocess.run(
        [sys.executable, "-m", "kb", *arguments], cwd=home, env=environment(home), input=raw, capture_output=True,
        check=False, timeout=300,
    )  # fmt: skip


@pytest.mark.parametrize("many", [False, True])
def test_counters_from_a_pipe(tmp_path: Path, many: bool) -> None:
    done = piped(
        tmp_path, json.dumps([KERNEL] if many else KERNEL), "advise", "--metrics", "-", "--format", "json"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, list) is many
    assert (found[0] if many else found)["findings"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("advise", "--metrics", "-"), "{"), (("advise", "--metrics", "-"), b"\xff\xfe"), (("advise", "--metrics", "-"), ""),
        (("check", "--torch", "-", "--soc", "Ascend310P3"), ""), (("estimate", "-"), ""), (("estimate", "-"), b"\xff\xfe"),
        (("estimate", "-"), "no header\n"),
    ],
)  # fmt: skip
def test_nothing_usable_in_the_pipe_is_said(
    tmp_path: Path, arguments: tuple[str, ...], text: str | bytes
) -> None:
    done = piped(tmp_path, text, *arguments)
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith(b"kb: -") and b"Traceback" not in done.stderr


def test_names_from_a_pipe(tmp_path: Path) -> None:
    done = piped(
        tmp_path, "aten.add.Tensor\n", "check", "--torch", "-", "--soc", "Ascend310P3", "--format", "json"
    )
    assert json.loads(done.stdout)["operators"][0]["type"] == "aten.add.Tensor", done.stderr


def test_a_table_from_a_pipe(tmp_path: Path) -> None:
    done = piped(tmp_path, TABLE, "estimate", "-", "--soc", "Ascend910B2")
    assert json.loads(done.stdout)["op_type"] == "Add", done.stderr
    (tmp_path / "ops.tsv").write_text(TABLE, encoding="utf-8")
    assert done.stdout == piped(tmp_path, "", "estimate", "ops.tsv", "--soc", "Ascend910B2").stdout


def test_questions_from_a_pipe(tmp_path: Path) -> None:
    done = piped(tmp_path, "NMS\nmatmul tiling\n", "search", "--queries", "-")
    assert [json.loads(line)["query"] for line in done.stdout.splitlines()] == ["NMS", "matmul tiling"]


def test_a_closed_standard_input_is_an_error_and_no_hang(tmp_path: Path) -> None:
    line = f"{sys.executable} -m kb advise --metrics - <&-"
    done = subprocess.run(
        line, shell=True, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert done.returncode == 3 and "Traceback" not in done.stderr


@needs_sample
def test_a_report_to_standard_output(tmp_path: Path) -> None:
    run = json.loads(run_kb("advise", SAMPLE, "--format", "json", home=tmp_path).stdout)["run"]
    plain = run_kb("report", run, "--format", "markdown", home=tmp_path)
    assert (
        run_kb("report", run, "--format", "markdown", "-o", "-", home=tmp_path, cwd=ROOT).stdout
        == plain.stdout
    )
    assert not (ROOT / "-").exists()


def test_the_workflow_names_commands_and_options_that_exist(tmp_path: Path) -> None:
    path = ROOT / "examples" / "github-action" / "kernel-gate.yml"
    steps = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]["gate"]["steps"]
    text = "\n".join(step.get("run", "") for step in steps)
    assert "--fail-on-regression" in text
    lines = [
        line.strip().split(" > ")[0].split(" || ")[0]
        for line in text.splitlines()
        if line.strip().startswith("kb ")
    ]
    assert len(lines) >= 4
    helps: dict[str, str] = {}
    for line in lines:
        command, *words = re.sub(r"\$\([^)]*\)", "", line).removeprefix("kb ").split()
        if command not in helps:
            helps[command] = run_kb(command, "--help", home=tmp_path).stdout
        assert [word for word in words if word.startswith("-") and word not in helps[command]] == [], line
