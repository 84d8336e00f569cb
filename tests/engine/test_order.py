"""The order of rows in a file, and of the paths on the command line, does not change the answer."""

from __future__ import annotations

import csv
import itertools
import json
import random
import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.engine.pipeline import Knowledge, advise, open_knowledge
from kb.engine.request import Request
from kb.model import Report, to_dict

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
TABLES = ("*.csv",)


@cache
def knowledge() -> Knowledge:
    return open_knowledge()


def answer(report: Report) -> str:
    """Everything that is told, without the names of the files and what is taken of their bytes."""
    bare = replace(report, target="", run="", content="", files=())
    return json.dumps(to_dict(bare), sort_keys=True, ensure_ascii=False)


def shuffled(source: Path, to: Path, seed: int) -> int:
    """A copy of a profile with the rows of its tables in another order; how many tables that were."""
    shutil.copytree(source, to)
    tables = sorted({path for name in TABLES for path in to.rglob(name)})
    for path in tables:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            header, *rows = list(csv.reader(stream))
        random.Random(seed).shuffle(rows)
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([header, *rows])
    return len(tables)


def same(before: Sequence[Path], after: Sequence[Path]) -> None:
    one, two = (answer(advise(list(paths), Request(), knowledge())) for paths in (before, after))
    assert json.loads(one)["findings"], "nothing is said, so nothing is compared"
    assert one == two


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000))
@pytest.mark.parametrize(
    "name",
    [
        "kernel_details/whole-detector",
        "op_summary/whole-detector",
        "msopprof/whole-vector",
        "step_trace/whole-ranks",
    ],
)
def test_rows_of_a_sample(name: str, seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    copy = tmp_path_factory.mktemp("rows") / "copy"
    assert shuffled(SAMPLES / name, copy, seed)
    same([SAMPLES / name], [copy])


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    "name",
    [
        "torch-llm-pp2-level2",
        "torch-cnn-level1-rank0",
        "matmul-scalar-to-cube/before",
        "cummin-s1-rounds/round_001",
        "attn-bwd-batch-cast/before",
        "cluster-step-trace-8rank",
        "vllm-qwen3-32b-decode",
    ],
)
def test_rows_of_a_real_profile(name: str, seed: int, shared_profiles: Path, tmp_path: Path) -> None:
    assert shuffled(shared_profiles / name, tmp_path / "copy", seed)
    same([shared_profiles / name], [tmp_path / "copy"])


def test_ranks_in_any_order(shared_profiles: Path) -> None:
    ranks = sorted(path for path in (shared_profiles / "torch-llm-pp2-level2").iterdir() if path.is_dir())
    assert len(ranks) > 2
    for other in (ranks[::-1], ranks[1:] + ranks[:1]):
        same(ranks, other)


def test_files_of_one_run_in_any_order(shared_profiles: Path) -> None:
    """Each table named by itself, as a shell's pattern hands them over."""
    files = sorted((shared_profiles / "matmul-scalar-to-cube" / "before").glob("*.csv"))
    assert len(files) > 1
    for other in itertools.permutations(files):
        same(files, other)
