"""Operators of a model typed by hand or written by a tool, with shapes: the JSON that is estimated like a model.

The columns of `kb estimate` are its keys: `{"hardware": "Ascend310P3", "operators": [{"type": "Conv2D", "count": 4,
"in_shapes": [[1, 3, 224, 224], [64, 3, 7, 7]], "in_dtypes": ["float16"], "out_shapes": [[1, 64, 112, 112]]}]}`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kb.engine.check.types import check_types
from kb.engine.estimate.rows import row_of
from kb.engine.network.types import Call, Network
from kb.errors import SourceError
from kb.textfile import read_text

MOST = 100_000
_CELLS = ("in_shapes", "in_dtypes", "in_formats", "out_shapes", "out_dtypes", "out_formats", "core", "groups")
_KEYS = frozenset(
    (*_CELLS, "type", "operator", "name", "count", "shape", "dtype", "share", "time_us", "metrics")
)
_NOW = 'give {"hardware": ..., "operators": [{"type": "Add", "in_shapes": [[8, 64], [8, 64]]}]}'


def read_operators(path: Path, soc: str) -> tuple[Network, str]:
    """The calls of an operator JSON, and the chip: `soc`, else the one the file names (empty when neither does).

    Raises:
        SourceError: no JSON, or a value of the wrong type, with its place.
    """
    data = _load(path)
    if isinstance(data, list):
        data = {"operators": data}
    if not isinstance(data, dict):
        raise SourceError("no object with operators", where=str(path), now=_NOW)
    items = data.get("operators", [data])
    if not isinstance(items, list) or not 0 < len(items) <= MOST:
        raise SourceError(f"operators is no list of 1 to {MOST} objects", where=str(path), now=_NOW)
    hardware = data.get("hardware", "")
    chip = soc or (hardware if isinstance(hardware, str) else "")
    calls = [_call(item, f"{path}: operators[{at}]") for at, item in enumerate(items)]
    name = data.get("name")
    return Network(name if isinstance(name, str) and name else path.name, tuple(calls)), chip


def with_engines(network: Network, soc: str) -> Network:
    """The network with each call on the engine that its type has on a chip, where the file does not say.

    Raises:
        UsageError: unknown chip.
    """
    counts = {call.type: call.times for call in network.calls}
    found = {op.type: op.engine if op.runs else "no_kernel" for op in check_types(counts, soc).operators}
    calls = tuple(
        Call(
            call.type, call.name, call.inputs, call.outputs, call.engine or found[call.type], call.layers,
            call.attributes, call.times,
        )
        for call in network.calls
    )  # fmt: skip
    return Network(network.name, calls, network.assumptions, network.notices, network.samples)


def _load(path: Path) -> Any:
    text = read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as fault:
        if path.suffix.lower() not in (".json", ".jsonl") and not text.lstrip().startswith(("{", "[")):
            if not text.strip():
                raise SourceError(
                    "the file is empty", where=str(path), now="export or copy it again"
                ) from fault
            raise SourceError(
                "neither an ONNX model nor operators in JSON",
                where=str(path),
                now="Give one of these; for a list of PyTorch names: kb check --torch FILE --soc SOC",
            ) from fault
        raise SourceError(
            f"not valid JSON: {fault.msg}", where=f"{path}:{fault.lineno}:{fault.colno}", now="mend the JSON"
        ) from fault
    except (ValueError, RecursionError) as fault:
        raise SourceError("JSON nested too deeply", where=str(path), now="mend it") from fault


def _call(item: Any, where: str) -> Call:
    if not isinstance(item, dict):
        raise SourceError("no object", where=where, now=_NOW)
    unknown = sorted(str(key) for key in set(item) - _KEYS)
    if unknown and "operators" not in item and "hardware" not in item:
        raise SourceError(
            f"unknown key {unknown[0][:40]!r}", where=where, now=f"known: {', '.join(sorted(_KEYS))}"
        )
    kind = item.get("type", item.get("operator"))
    count = item.get("count", 1)
    if not isinstance(kind, str) or not kind.strip():
        raise SourceError("type is no text", where=where, now=_NOW)
    if isinstance(count, bool) or not isinstance(count, int) or not 0 < count < 10**9:
        raise SourceError("count is no whole number above 0", where=where, now="leave it out for 1")
    cells = {name: _cell(item[name], f"{where}.{name}") for name in _CELLS if item.get(name) is not None}
    cells.setdefault("in_shapes", _cell(item.get("shape", ""), f"{where}.shape"))
    cells.setdefault("in_dtypes", _cell(item.get("dtype", ""), f"{where}.dtype"))
    spec = row_of({"op_type": kind.strip()[:200], **cells}, where).spec
    name = item.get("name")
    on_cpu = spec.core.upper().replace(" ", "_") in ("AI_CPU", "AICPU")
    return Call(
        spec.type, name if isinstance(name, str) and name else spec.type, spec.inputs, spec.outputs,
        "ai_cpu" if on_cpu else "ai_core" if spec.core else "", (), spec.attributes, count,
    )  # fmt: skip


def _cell(value: Any, where: str) -> str:
    """A value as the cell of an operator table: texts as they are, lists of shapes as JSON, lists of words joined."""
    if isinstance(value, str):
        return value.replace("x", ",") if "shape" in where.rpartition(".")[2] else value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return ";".join(value)
    if isinstance(value, list):
        return json.dumps(value)
    raise SourceError("neither a text nor a list", where=where, now=_NOW)
