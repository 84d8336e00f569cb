"""What the tables of `data/operators` say about one ONNX operator on one chip: importer, kernel, engine, dtypes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from kb import operators, targets
from kb.engine.check.result import Engine
from kb.vocabulary.dtypes import dtype_of

OLDEST, NEWEST = 9, 18  # opset range that the ATC guide states for CANN 7.0 and later
_LETTERS: dict[str, Engine] = {
    "C": "ai_core",
    "P": "ai_cpu",
    "T": "ai_cpu",
    "G": "no_kernel",
    ".": "no_kernel",
    "v": "dvpp",
}
_FLOATS = frozenset({"f32", "f16", "bf16"})  # converted into each other by the precision mode
_LIST_COLUMN = {"ascend-310p": "in0_310P", "atlas-a2": "in0_910B", "atlas-a3": "in0_910B"}
_TAGS = {
    "ascend-310p": ("310P",),
    "atlas-a2": ("a2",),
    "atlas-a3": ("a2",),
    "ascend-910": ("910",),
    "ascend-610": ("610",),
    "ascend-950": ("950",),
}
# Kernels whose first input is not the operator's first input (sizes, split axis), so the dtype list says nothing.
_OTHER_FIRST = frozenset(
    {"Split", "SplitV", "Fill", "SelectV2", "Range", "Conv2DTranspose", "Conv3DTranspose"}
)


@dataclass(frozen=True, slots=True)
class Importer:
    """How the converter takes an ONNX operator: which opsets, which CANN operators, which of them does the work."""

    op: str
    domain: str
    opsets: str
    cann_ops: tuple[str, ...]
    kernel: str
    how: str  # direct, decomposed, mixed, none
    limits: str
    letters: Mapping[str, str]

    @property
    def exists(self) -> bool:
        """Whether any opset has an importer."""
        return self.how != "none"

    def accepts(self, opset: int) -> bool:
        """Whether an importer is registered for this opset."""
        return any(low <= opset <= high for low, high in _ranges(self.opsets))


def importer(domain: str, op: str) -> Importer | None:
    """The table's row for an operator, None when no table knows it."""
    return _importers().get((domain or "ai.onnx", op))


def engine(row: Importer, soc: str) -> tuple[Engine, bool]:
    """Where the operator's main kernel runs on a chip, and whether it needs a kernel at all.

    Raises:
        UsageError: unknown chip.
    """
    family = targets.family_of(soc)
    column = operators.engine_columns().get(family, "")
    letter = row.letters.get(column)
    if letter is None:  # a family that the coverage table has no column for
        found = operators.engine(row.kernel, soc) if row.kernel else "unknown"
        return _engine(found), True
    if letter in ("", "?"):
        return "unknown", True
    return _LETTERS.get(letter, "unknown"), letter != "G"


def refused_dtype(row: Importer, soc: str, dtype: str) -> tuple[Engine, str] | None:
    """Where a node with this first-input type goes when its AI Core kernel does not list the type; None when it does.

    Both lists count: the kernel's own, and the types that keep an aclnn call on the AI Core.
    """
    if not dtype or dtype == "string" or row.kernel in _OTHER_FIRST:
        return None
    family = targets.family_of(soc)
    listed = _listed(row.kernel, family)
    known = dtype_of(dtype)
    short = (known.short if known else "") or dtype
    if not listed or "dyn" in listed or short in listed or (short in _FLOATS and _FLOATS & listed):
        return None
    what = f"{dtype} input: the AI Core kernel {row.kernel} lists {', '.join(sorted(listed))}"
    cpu = _cpu_types(row.kernel)
    if cpu is None:
        return "unknown", f"{what}; no AI CPU kernel is listed"
    if cpu and dtype not in cpu and short not in cpu:
        return "unknown", f"{what}; the AI CPU kernel does not list it either"
    return "ai_cpu", what


def dynamic_kernel(kernel: str, soc: str) -> bool | None:
    """Whether a dynamic-shape kernel is listed; None where the tables do not say (they do for 910B only)."""
    if targets.family_of(soc) not in ("atlas-a2", "atlas-a3"):
        return None
    row = _engine_rows().get(kernel)
    if row is None or "C" not in row["910B_A2"]:
        return None  # the type is only a name for the converter; its kernel goes by another one
    return row["dynamic_shape_910b"] == "1"


def _engine(found: str) -> Engine:
    known: dict[str, Engine] = {
        "ai_core": "ai_core", "ai_cpu": "ai_cpu", "dsa": "dsa", "dvpp": "dvpp", "host": "host", "no_kernel": "no_kernel",
    }  # fmt: skip
    return known.get(found, "unknown")


@cache
def _importers() -> dict[tuple[str, str], Importer]:
    columns = set(operators.engine_columns().values())
    found = {}
    for row in operators.rows("coverage_onnx"):
        cann = tuple(name for name in row["cann_ops"].split(";") if name)
        letters = {key: row[key] for key in row if key in columns}
        kernel = row["main_kernel"]
        worker = _worker(row["onnx_op"], kernel, cann, letters)
        if worker != kernel:
            kernel, letters = worker, {}
        found[row["domain"], row["onnx_op"]] = Importer(
            row["onnx_op"],
            row["domain"],
            row["opsets"],
            cann,
            kernel,
            row["import"],
            row["restriction"],
            letters,
        )
    return found


def _worker(op: str, kernel: str, cann: tuple[str, ...], letters: Mapping[str, str]) -> str:
    """The emitted operator that does the work, where the table names a helper of a decomposition instead.

    That is the one of the same name; else, when the table's choice needs no kernel, the first that has one.
    """
    same = [name for name in cann if operators.canonical(name).casefold() == op.casefold()]
    if same and operators.canonical(kernel).casefold() != op.casefold():
        return same[0]
    if "G" in letters.values() and op.casefold() != kernel.casefold():
        computing = [
            name
            for name in cann
            if name in _engine_rows() and operators.category(name) in ("cube", "vector", "mix")
        ]
        return computing[0] if computing else kernel
    return kernel


@cache
def _engine_rows() -> dict[str, Mapping[str, str]]:
    return {row["op_type"]: row for row in operators.rows("op_engines")}


@cache
def _cpu_rows() -> dict[str, Mapping[str, str]]:
    return {row["op_type"]: row for row in operators.rows("aicpu_ops")}


@cache
def _listed(kernel: str, family: str) -> frozenset[str]:
    """Types of the first input that stay on the AI Core; empty when no table says."""
    found: set[str] = set()
    column = _LIST_COLUMN.get(family)
    row = _engine_rows().get(kernel)
    if row and column:
        found.update(filter(None, row[column].split(",")))
    if not found:
        return frozenset()
    tagged = _tagged(_cpu_rows().get(kernel, {}).get("aclnn_aicore_dtypes", ""))
    for tag in _TAGS.get(family, ()):
        found.update(tagged.get(tag, tagged.get("default", ())))
    return frozenset(found)


def _tagged(cell: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for part in cell.split(";"):
        tag, _, names = part.strip().partition(":")
        if names and not names.startswith("idx:"):
            found.setdefault(tag, set()).update(names.split(","))
    return found


def _cpu_types(kernel: str) -> frozenset[str] | None:
    """Types that the AI CPU kernel lists (empty: it lists none), None when there is no AI CPU kernel."""
    row = _engine_rows().get(kernel)
    letters = row["aicpu"] if row else ""
    cpu = _cpu_rows().get(kernel)
    if "P" not in letters and "T" not in letters:
        return None
    names = cpu["aicpu_dtypes"].split(",") if cpu and cpu["aicpu_dtypes"] else []
    return frozenset({"float": "float32", "double": "float64"}.get(name, name) for name in names)


@cache
def _ranges(text: str) -> tuple[tuple[int, int], ...]:
    found = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)
        if match:
            low = int(match[1])
            found.append((low, int(match[2] or low)))
    return tuple(found)
