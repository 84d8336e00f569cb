"""How a kept run was measured, as columns beside it: derived from its document like the details."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kb.addition import plain_sum
from kb.store.details import Column

PROVENANCE: tuple[Column, ...] = (
    Column("mode", str, "device, simulator or typed (counters typed in)"),
    Column("tool", str, "what measured it"),
    Column("tool_version", str, "version of the tool, where it says so"),
    Column("cann_version", str, "version of CANN, written or inferred"),
    Column("chip_basis", str, "how sure the chip is: file, stated, inferred or unknown"),
    Column("candidates", str, "the chips it may come from where it is not known, joined by commas"),
    Column("replay_mode", str, "kernel, application or range (msopprof)"),
    Column("warm_up", int, "launches before measuring (msopprof)"),
    Column("metrics", str, "metric groups collected, joined by commas"),
    Column("clock_mhz", float, "clock, mean over the operators by their time"),
    Column("elapsed_us", float, "first start to last end, idle time included"),
    Column("ranks", int, "ranks of the run; empty for one"),
    Column("command", str, "the command that collected it, where kb did"),
    Column("content", str, "SHA-256 of what was measured: the same profile has the same, wherever its files lie"),
    Column("knowledge_version", str, "version of the knowledge base that judged it"),
)  # fmt: skip
TYPED = "typed in"


def provenance(document: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of `PROVENANCE` for a document; None where it does not say."""
    capture = _mapping(document.get("capture"))
    versions = _mapping(document.get("versions"))
    chip = _mapping(document.get("chip"))
    found = {
        "mode": _mode(capture),
        "tool": capture.get("tool"),
        "chip_basis": chip.get("basis"),
        "candidates": None if chip.get("soc") else _joined(chip.get("candidates")),
        "metrics": _joined(capture.get("metric_groups")),
        "clock_mhz": _clock(document.get("measured")),
        "knowledge_version": versions.get("knowledge"),
    }
    found |= {
        name: capture.get(name)
        for name in ("tool_version", "cann_version", "replay_mode", "warm_up", "command")
    }
    found |= {name: document.get(name) for name in ("elapsed_us", "ranks", "content")}
    found["ranks"] = found["ranks"] or _mapping(document.get("job")).get("found")
    return {column.name: found[column.name] for column in PROVENANCE}


def _joined(value: Any) -> str | None:
    return ",".join(map(str, value)) if isinstance(value, list) and value else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _mode(capture: Mapping[str, Any]) -> str | None:
    if not capture:
        return None
    if capture.get("simulated"):
        return "simulator"
    return "typed" if capture.get("tool") == TYPED else "device"


def _clock(measured: Any) -> float | None:
    rows = [item for item in measured if isinstance(item, dict)] if isinstance(measured, list) else []
    known = [
        (item["clock_mhz"], item["total_us"])
        for item in rows
        if item.get("clock_mhz") and item.get("total_us")
    ]
    weight = plain_sum(time for _, time in known)
    return round(plain_sum(clock * time for clock, time in known) / weight, 1) if weight > 0 else None
