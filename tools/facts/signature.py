"""Signatures of the facts -> conditions on metric ids of the vocabulary, and observations for the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from kb.model import Basis, Condition, Observation
from kb.vocabulary.metrics import BY_ID
from tools.facts.tables import table

# names of the facts that are a metric under another name
RENAMED = {
    "L2_total_hit_rate": "l2_hit_rate",
    "host_gap": "host_gap_us",
    "device_idle": "device_idle_share",
    "M": "matmul_m",
    "K": "matmul_k",
    "Block Dim": "block_dim",
}
VALUES = {"core_count": "@core_count", "cube_core_count": "@core_count", "vector_core_count": "@core_count"}
# absolute figures of one shape: true of the source's profile, no sign of the trouble elsewhere
ABSOLUTE = re.compile(r"(_us|_ms|^cycles|^op_count|^grid_dim|^read_main_memory|^dcache|^us_each|kernels_per)")
WORDS = {
    "==": "is", "~": "about", ">": "above", "<": "below", ">=": "at least", "<=": "at most", "!=": "is not",
    ">>": "far above", "<<": "far below", "in": "in", "contains": "contains", "shows": "shows", "matches": "matches",
    "many per step": "many per step",
}  # fmt: skip
UNITS = {"_us": " in us", "_ms": " in ms", "_GBps": " in GB/s", "_bytes": " in bytes"}
_LINE = re.compile(r"(\S+) (<=|>=|==|!=|<|>|~|in) (.+) (observed|threshold|inferred)")


def signature(
    entry_id: str, metrics: Sequence[dict[str, Any]]
) -> tuple[tuple[Condition, ...], tuple[Observation, ...]]:
    """Conditions and observations of one record."""
    special = table("when").get(entry_id, {"take": [], "when": []})
    conditions = list(parse_lines(special["when"]))
    observations = []
    for record in metrics:
        name = str(record["metric"])
        if name in special["take"]:
            continue
        found = _condition(name, record)
        if found is None:
            observations.append(Observation(_words(name, record["op"], record["value"]), _basis(record)))
        elif found not in conditions:
            conditions.append(found)
    return tuple(conditions), tuple(observations)


def parse_lines(lines: Iterable[str]) -> Iterable[Condition]:
    """ "metric op value basis" lines as conditions."""
    for line in lines:
        found = _LINE.fullmatch(line)
        if not found:
            raise ValueError(line)
        metric, op, raw, basis = found.groups()
        value: Any = tuple(item.strip() for item in raw.strip("[]").split(",")) if op == "in" else _typed(raw)
        yield Condition(metric, op, value, basis)  # type: ignore[arg-type]


def _condition(name: str, record: dict[str, Any]) -> Condition | None:
    op, value, basis = record["op"], record["value"], _basis(record)
    if name == "Task Type":
        return Condition("core", "==", {"AI_CPU": "ai_cpu", "MIX_AIC": "mix"}[value], basis)
    if name == "kernel_type":
        return Condition("core", "==", "mix", basis)
    metric = RENAMED.get(name, name)
    if (
        metric not in BY_ID
        or op not in ("<", "<=", ">", ">=", "==", "!=", "~")
        or BY_ID[metric].kind == "label"
    ):
        return None
    if isinstance(value, str):
        value = VALUES.get(value, value)
        if not value.startswith("@"):
            return None
    if metric == "block_dim" and op in ("==", "~") and value != 1:
        return None
    if basis == "observed" and op in ("~", "==") and ABSOLUTE.search(name):
        return None
    return Condition(metric, op, value if isinstance(value, str) else float(value), basis)


def _basis(record: dict[str, Any]) -> Basis:
    basis: Basis = record["basis"]
    return basis


def _typed(raw: str) -> Any:
    try:
        return float(raw)
    except ValueError:
        return raw


def _words(name: str, op: str, value: Any) -> str:
    unit = next((words for ending, words in UNITS.items() if name.endswith(ending)), "")
    if name in ("op_sequence", "pipeline_trace", "code"):
        start = {"op_sequence": "operator order", "pipeline_trace": "the pipeline trace", "code": "the code"}[
            name
        ]
        verb = "" if op == "==" else f" {WORDS[op]}"
        return f"{start}{verb or ':'} {value}"
    plain = re.sub(r"_(us|ms|GBps|bytes)$", "", name) if unit else name
    plain = plain.replace("_", " ")
    if value is True or value == "True":
        return f"{plain}: yes"
    return f"{plain}{unit} {WORDS.get(op, op)} {value}"
