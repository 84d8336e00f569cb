"""hardware.yaml -> data/targets/*.yaml.

The platform numbers are copied; what the table leaves open (which of several published bandwidths to compute
with) is decided in `chips.yaml` beside this file, each with its reason.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from tools.facts.output import Output

GIB = 1024**3 / 1e9

FAMILY = {
    "310": "ascend-310",
    "310P": "ascend-310p",
    "310B": "ascend-310b",
    "910": "ascend-910",
    "910B": "atlas-a2",
    "910_93": "atlas-a3",
    "950": "ascend-950",
    "610": "ascend-610",
    "610Lite": "ascend-610lite",
    "910_55": "ascend-910-55",
    "AS31XM1": "as31xm1",
    "auto_m201": "bs9sx1a",
    "auto_m310": "bs9sx2a-mc61",
    "edge": "edge",
}

CUBE = {  # operations a cycle and core; multiply-add counts 2. formulas and dtype_support of the table
    "ascend-310": {"fp16": 8192, "int8": 16384},
    "ascend-310p": {"fp16": 8192, "int8": 16384, "int4": 32768},
    "ascend-310b": {"fp16": 8192, "int8": 16384, "int4": 32768},
    "ascend-910": {"fp16": 8192, "int8": 16384},
    "atlas-a2": {"fp16": 8192, "bf16": 8192, "fp32": 2048, "int8": 16384, "int4": 32768},
    "atlas-a3": {"fp16": 8192, "bf16": 8192, "fp32": 2048, "int8": 16384, "int4": 32768},
    "ascend-950": {"fp16": 8192, "bf16": 8192, "fp32": 4096, "int8": 16384, "fp8": 16384, "fp4": 32768},
}

# short names of sources; what they stand for is written in data/targets/families.yaml
S1, S3, TOOL = "platform files", "bishengir", "msopprof limits"

RATES = yaml.safe_load((Path(__file__).parent / "chips.yaml").read_text(encoding="utf-8"))
MEMORY, L2, PATHS = RATES["memory"], RATES["l2"], RATES["paths_gib"]

EXTRA_ALIASES = {
    "Ascend910B": ["910-30core", "910B (legacy)", "Ascend910B (legacy)"],
    "Ascend910B4": ["910B4-0"],
}
CLOCK = {"Ascend910B4": (1650, 1500, 1650)}  # traces say 1650, the platform file 1500


def _short(soc: str) -> list[str]:
    return (
        [soc.removeprefix("Ascend")]
        if soc.startswith("Ascend") and soc not in ("Ascend910B", "Ascend910_95")
        else []
    )


def chip(soc: str, fact: dict[str, Any]) -> dict[str, Any]:
    """One chip of the table in the shape of a target file."""
    family = FAMILY[fact["family"]]
    low_peak = "derived_peak" not in fact
    cube = {} if low_peak else CUBE.get(family, {"fp16": 8192, "int8": 16384})
    lanes = fact["vec_lanes_fp16"]
    use, clock_low, clock_high = CLOCK.get(soc, (fact["clock_mhz_cfg"],) * 3)
    memory = MEMORY.get(soc)
    l2 = fact["l2"]
    out: dict[str, Any] = {
        "id": soc,
        "family": family,
        "aliases": _short(soc) + EXTRA_ALIASES.get(soc, []),
        "arch": fact["arch"],
        "npu_arch": fact["npu_arch"],
        "cores": {
            "cube": fact["cube_cores"],
            "vector": fact["vector_cores"],
            "extra_vector": fact["extra_vector_only_cores"],
            "ai_cpu": fact["ai_cpu_cores_cfg"],
            "fused": fact["core_layout"].startswith("fused"),
        },
        "clock_mhz": {"use": use, "low": clock_low, "high": clock_high},
        "memory": {
            "bytes": fact["memory"]["size_cfg"],
            "gbps": None,
            "low": None,
            "high": None,
            "planner_gbps": fact["ddr_cfg"]["derived_read_gbps"],
        },
        "l2": {"bytes": l2["size"] or None, "gbps": l2["derived_read_gbps"], "low": None, "high": None},
        "cube_ops_per_cycle": cube,
        "vector_lanes": {"fp16": lanes, "fp32": lanes // 2},
        "buffers": {name: size for name, size in fact["buffers_per_core"].items() if size},
        "onchip_bytes_per_cycle": {k: v for k, v in fact["onchip_B_per_clk"].items() if v},
        "path_gbps": {k: round(v * GIB, 1) for k, v in PATHS.get(soc, {}).items()},
    }
    sources = [f"cores, clock, buffers, L2 size, planner rates: {S1}"]
    if memory:
        out["memory"].update({k: memory[k] for k in ("gbps", "low", "high")})
        sources.append(f"memory bandwidth: {memory['why']}")
    if soc in L2:
        out["l2"].update({k: L2[soc][k] for k in ("gbps", "low", "high")})
        sources.append(f"L2 bandwidth: {L2[soc]['why']}")
    elif l2["size"] and l2["derived_read_gbps"]:
        sources.append("L2 bandwidth: planner rate only")
    if soc in PATHS:
        sources.append(f"path_gbps: {TOOL}, a core, L2 hit; another HBM vendor gives up to 12 % more")
    if fact.get("clock_note"):
        sources.append(f"clock seen in traces: {fact['clock_mhz_observed']} MHz, cycles / time")
    out["notes"] = _notes(soc, family, fact)
    out["sources"] = sources
    return _clean(out)


def _notes(soc: str, family: str, fact: dict[str, Any]) -> list[str]:
    notes = []
    if soc == "Ascend910B":
        notes.append("First-generation 910 with 30 cores. Not the Atlas A2 chip, which is Ascend910B1 to B4.")
    if soc == "Ascend910B4":
        notes.append("Clock: traces show 1650 MHz, the platform file says 1500; estimates use 1650.")
    if family == "atlas-a3":
        notes.append("Reported per die; a package has two dies.")
    if soc == "Ascend910_9362":
        notes.append("Memory: the platform file says 32 GiB, a device profile 64 GiB a die.")
    if family == "ascend-950":
        notes.append("Vector lanes are a lower bound: published vector peaks are about twice as high.")
    if family in ("atlas-a2", "atlas-a3"):
        notes.append("Published fp16 peaks of 376, 313 and 280 TFLOPS need clocks never seen in traces.")
    if fact["extra_vector_only_cores"]:
        notes.append("The extra vector-only cores help elementwise operators only.")
    return notes


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {k: _clean(v) for k, v in value.items()}
        return {k: v for k, v in kept.items() if v is not None and v not in ({}, [])}
    return value


def bins_950(table: dict[str, list[str]]) -> list[dict[str, Any]]:
    """The 950 bins: one file for each silicon (kind and core count), which lists its other bins."""
    out = []
    for key, names in table.items():
        if key == "also_910_93":
            continue
        cube, vector = (int(n) for n in re.findall(r"\d+", key))
        expanded, old = _expand(names)
        for kind in ("PR", "DT"):
            mine = [n for n in expanded if n.startswith(f"Ascend950{kind}")]
            if mine:
                out.append(_bin(mine, old, kind, cube, vector))
    return out


def _expand(names: list[str]) -> tuple[list[str], dict[str, str]]:
    full: list[str] = []
    old: dict[str, str] = {}
    prefix = ""
    for name in names:
        span = re.fullmatch(r"(\w+_\d{3})(\d)\.\.\d{3}(\d)", str(name))
        items = [f"{span[1]}{i}" for i in range(int(span[2]), int(span[3]) + 1)] if span else [str(name)]
        for item in items:
            prefix = item.rsplit("_", 1)[0] if "_" in item else prefix
            whole = item if "_" in item else f"{prefix}_{item}"
            if prefix == "Ascend910":
                old[whole.rsplit("_", 1)[1]] = whole
            else:
                full.append(whole)
    return full, old


def _bin(ids: list[str], old: dict[str, str], kind: str, cube: int, vector: int) -> dict[str, Any]:
    memory = MEMORY[f"950{kind}"]
    paths = PATHS["950-36" if cube == 36 else "950"] if cube >= 28 else {}
    l2 = {4: 16, 8: 32}.get(cube)
    names = {
        bin_id: [bin_id.removeprefix("Ascend"), *filter(None, [old.get(bin_id.rsplit("_", 1)[1])])]
        for bin_id in ids
    }
    small = cube < 28
    return _clean(
        {
            "id": ids[0],
            "family": "ascend-950",
            "aliases": names[ids[0]],
            "bins": {bin_id: names[bin_id] for bin_id in ids[1:]},
            "arch": "dav-c310",
            "npu_arch": 3510,
            "cores": {"cube": cube, "vector": vector, "extra_vector": 0, "fused": False},
            "clock_mhz": {"use": 1650, "low": 1650, "high": 1800},
            "memory": {} if small else {k: memory[k] for k in ("gbps", "low", "high")},
            "l2": {"bytes": l2 * 2**20 if l2 else None},
            "cube_ops_per_cycle": CUBE["ascend-950"],
            "vector_lanes": {"fp16": 128, "fp32": 64},
            "buffers": {"L1": 524288, "L0A": 65536, "L0B": 65536, "L0C": 262144, "UB": 253952, "BT": 4096},
            "path_gbps": {k: round(v * GIB, 1) for k, v in paths.items()},
            "notes": [
                "Clock uncertain: 1650 or 1800 MHz in the profiler's table; 950 captures show 1650.",
                "L2 size of the larger bins differs by model (128, 112 or 96 MiB)." if not small else None,
                "Vector lanes are a lower bound: published vector peaks are about twice as high.",
            ],
            "sources": [
                f"core counts and buffers: {S3}; usable UB 248 KiB of 256",
                f"clock, cube rates, path_gbps: {TOOL}",
                None if small else f"memory bandwidth: {memory['why']}",
            ],
        }
    )


def write(facts: Path, out: Output) -> None:
    """Write all target files below `data/targets`."""
    table = yaml.safe_load((facts / "hardware.yaml").read_text(encoding="utf-8"))
    chips = [chip(soc, fact) for soc, fact in table["socs"].items()]
    donor = next(c for c in chips if c["id"] == "Ascend910_9362")
    twin = {k: v for k, v in donor.items() if k != "memory"} | {
        "id": "Ascend910_9363",
        "aliases": ["910_9363"],
        "notes": [
            "Reported per die; a package has two dies.",
            "Only the core counts are published; the rest as 910_9362.",
        ],
        "sources": [f"core counts: {S3}"],
    }
    for key in ("clock_mhz", "l2"):
        twin.pop(key)
    everything = [*chips, twin, *bins_950(table["soc_950_bins"])]
    for item in everything:
        for key in ("notes", "sources"):
            item[key] = [line for line in item.get(key, []) if line]
        text = "".join(_line(k, v) for k, v in item.items() if v or v == 0)
        out.put(f"targets/{item['id']}.yaml", text)


def _line(key: str, value: Any) -> str:
    flow = None if isinstance(value, dict) or key == "aliases" else False
    return yaml.safe_dump(
        {key: value}, sort_keys=False, width=10_000, allow_unicode=True, default_flow_style=flow
    )
