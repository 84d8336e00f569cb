"""The words search knows beyond the entries: the glossary, operators by their names elsewhere, metrics.

Used when an index or the model is built, never at query time (the index holds what a query needs).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from kb import operators, shipped
from kb.errors import KnowledgeError
from kb.vocabulary.metrics import METRICS

Row = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]

MANY = 3  # a framework name that may become more operators than this says too little


def glossary() -> list[Row]:
    """`data/glossary.tsv`: alternatives in English, Chinese and Japanese, one row a notion."""
    return [(_parts(en), _parts(zh), _parts(ja)) for en, zh, ja in table("glossary.tsv", 3)]


def aliases() -> list[tuple[str, str]]:
    """What people write, and the words of the entries that it stands for.

    `data/aliases.tsv` first, then operators by their ONNX, PyTorch, TensorFlow and MindSpore names.
    """
    found = [(name, means) for names, means in table("aliases.tsv", 2) for name in _parts(names)]
    by_name: dict[str, dict[str, None]] = {}
    for op_type in operator_names():
        for name in operators.aliases(op_type):
            by_name.setdefault(_plain(name), {})[op_type] = None
    known = {name.casefold() for name, _ in found} | {name.casefold() for name in operator_names()}
    for name, types in sorted(by_name.items()):
        others = [op for op in types if op.casefold() != name.casefold()]
        if len(name) > 2 and others and len(types) <= MANY and name.casefold() not in known:
            found.append((name, " ".join(others)))
    return found


def operator_names() -> list[str]:
    """Plain names of the operators of the taxonomy."""
    rows = (row for table in ("op_types", "extra_types") for row in operators.rows(table))
    return list(dict.fromkeys(operators.canonical(row["op_type"]) for row in rows))


def metric_names() -> list[str]:
    """Ids of the metrics."""
    return [metric.id for metric in METRICS]


def _plain(name: str) -> str:
    """A framework's name without name space and overload: `aten.max_pool2d` is `max_pool2d`."""
    return re.sub(r"^(?:aten|npu|torch|nn|F|ops)(?:\.|::)|^_", "", name).split(".")[0].strip("_")


def _parts(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split(";") if part.strip())


def table(name: str, columns: int) -> Iterator[list[str]]:
    """The rows of a table of `data/` below its head line, comments left out.

    Raises:
        KnowledgeError: a row with another number of columns.
    """
    path: Path = shipped.root() / name
    lines = path.read_text(encoding="utf-8").splitlines()
    body = [(number, line) for number, line in enumerate(lines, 1) if line and not line.startswith("#")]
    for number, line in body[1:]:
        cells = line.split("\t")
        if len(cells) != columns:
            raise KnowledgeError(
                f"{len(cells)} columns, expected {columns}",
                where=f"{path}:{number}",
                now="divide the columns by one tab each",
            )
        yield cells
