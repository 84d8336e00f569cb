"""The operator tables: copied as they are, they are the project's own."""

from __future__ import annotations

import shutil
from pathlib import Path

TABLES = (
    "op_types",
    "op_engines",
    "aicpu_ops",
    "coverage_onnx",
    "coverage_tf",
    "coverage_caffe",
    "coverage_torch",
    "instr_throughput",
)


def write(facts: Path, data: Path) -> int:
    """Copy the tables to `data/operators`; returns how many."""
    folder = data / "operators"
    folder.mkdir(parents=True, exist_ok=True)
    for table in TABLES:
        shutil.copyfile(facts / f"{table}.tsv", folder / f"{table}.tsv")
    return len(TABLES)
