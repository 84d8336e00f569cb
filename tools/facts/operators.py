"""The operator tables: copied as they are, they are the project's own."""

from __future__ import annotations

from pathlib import Path

from tools.facts.output import Output

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


def write(facts: Path, out: Output) -> None:
    """Copy the tables to `data/operators`."""
    for table in TABLES:
        out.put(f"operators/{table}.tsv", (facts / f"{table}.tsv").read_text(encoding="utf-8"))
