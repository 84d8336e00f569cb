"""Per-core readings inside visualize_data.bin, mapped to the same column ids as the CSVs.

The mapping was checked on a run that has both: active rate(%) / 100 is the CSV's ratio, throughput its
bandwidth, the hit rate its hit rate. Rows and tables that are not named here are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from kb.engine.readers.columns import all_columns, impossible, number
from kb.model import CoreKind

Cores = dict[tuple[int, str], dict[str, float]]
MOST_CORES = 4_096

_PIPES = {"MTE1": "mte1", "MTE2": "mte2", "MTE3": "mte3", "FIXP": "fixpipe", "Scalar": "scalar"}
_COUNTED = frozenset(("mte1", "mte2", "mte3"))  # pipes whose instructions the CSVs count
_INSTRUCTIONS = {  # block 7: instructions by what they work on; of vector instructions no CSV counts any
    "Cube All Active": "aic_cube_total_instr_number",
    "Cube FP": "aic_cube_fp_instr_number",
    "Cube INT": "aic_cube_int_instr_number",
    "Vector All Active": "aiv_vec_total_instr_number",
    "Vector FP32": "aiv_vec_fp32_instr_number",
    "Vector FP16": "aiv_vec_fp16_instr_number",
    "Vector S32": "aiv_vec_int32_instr_number",
    "Vector S16": "aiv_vec_int16_instr_number",
    "Vector Misc": "aiv_vec_misc_instr_number",
}
_COUNT_UNIT, _PERCENT_UNIT = 1, 3
_SHARES = {  # block 6, in percent
    "Cube All Active": "aic_mac_ratio",
    "Cube FP": "aic_mac_fp16_ratio",
    "Cube INT": "aic_mac_int8_ratio",
    "Cube Wait": "aic_cube_wait_ratio",
    "Vector All Active": "aiv_vec_ratio",
}
_CACHE = {  # block 9, table Cache: row to (hit rate, misses, requests)
    "L2 Cache Total": ("total_hit_rate", "", ""),
    "L2 Cache Read": ("read_hit_rate", "", ""),
    "L2 Cache Write": ("write_hit_rate", "", ""),
    "iCache Total": ("", "icache_misses", "icache_requests"),
}
_THROUGHPUT = {
    "Read Main Memory": "main_mem_read_bw",
    "Write Main Memory": "main_mem_write_bw",
    "UB Read GM": "gm_to_ub_bw",
    "UB Read HBM": "gm_to_ub_bw",
    "UB Write GM": "ub_to_gm_bw",
    "UB Write HBM": "ub_to_gm_bw",
    "UB Read Vector": "ub_read_bw_vector",
    "UB Write Vector": "ub_write_bw_vector",
    "UB Read Scalar": "ub_read_bw_scalar",
    "UB Write Scalar": "ub_write_bw_scalar",
}
_CORE_OF_TABLE = re.compile(r"(?:Pipe|HBM|UB|GM)(?: (Cube|Vector Core[01])| (Core[01]))?$")
_HEAD = re.compile(r"(Cube|Vector)(\d) Duration")


@cache
def only_here() -> frozenset[str]:
    """Columns that no CSV has, so that the file adds something even beside all of them."""
    return frozenset(column.id for column in all_columns().values() if column.tables == ("visualize_data",))


def core_times(payload: dict[str, Any], cores: Cores) -> None:
    """Time of every core from block 5: one row a block, of one kind or with a column per core of a mix
    kernel.
    """
    for key in ("block_detail", "mix_block_detail"):
        detail = payload.get(key)
        if not isinstance(detail, dict):
            continue
        heads = [str(name) for name in _list(detail.get("head_name"))]
        for row in _list(detail.get("row")):
            cells = [str(cell) for cell in _list(row.get("value") if isinstance(row, dict) else None)]
            block = _block(cells[0] if cells else None)
            if block is None or len(cells) != len(heads):
                continue
            kind = cells[1] if key == "block_detail" else ""
            for head, cell in zip(heads[1:], cells[1:], strict=True):
                match = _HEAD.match(head)
                sub = f"{match[1].casefold()}{match[2]}" if match else f"{kind}0"
                if "Duration" in head and sub[:-1] in ("cube", "vector"):
                    _put(cores, block, sub, f"{_side(sub)}_time_us", number(cell))


def add_block(kind: int, payload: dict[str, Any], op_kind: CoreKind | None, cores: Cores) -> None:
    """Readings of block 6 and 7 (compute units), 8 (busy share, cycles), 9 (pipes, memory, caches) and 12 (L2)."""
    if kind in (6, 7):
        _units(
            payload,
            *((_SHARES, _PERCENT_UNIT, 0.01) if kind == 6 else (_INSTRUCTIONS, _COUNT_UNIT, 1.0)),
            cores,
        )
    elif kind == 8:
        _busy(payload, cores)
    elif kind == 9:
        for table in _list(payload.get("table_per_block")):
            if isinstance(table, dict):
                _tables(table, op_kind, cores)
    elif kind == 12:
        _occupancy(payload, cores)


def _units(payload: dict[str, Any], names: Mapping[str, str], unit: int, factor: float, cores: Cores) -> None:
    for item in _list(payload.get("subblock_detail")):
        if not isinstance(item, dict) or item.get("unit") != unit:
            continue
        block, sub = _block(item.get("block_id")), str(item.get("block_type", ""))
        sub = f"{sub}0" if sub in ("cube", "vector") else sub
        name = str(item.get("name", ""))
        # in mix kernels the name ends in the number of the core
        column = names.get(name) or (names.get(name[:-1]) if name.endswith(sub[-1:]) else None)
        if block is None or column is None or sub not in ("cube0", "vector0", "vector1"):
            continue
        found = _number(item.get("value"))
        if found is not None and column.startswith(_side(sub)):
            _put(cores, block, sub, column, found * factor)


def _busy(payload: dict[str, Any], cores: Cores) -> None:
    for item in _list(payload.get("core_memory_map")):
        if not isinstance(item, dict):
            continue
        block = _block(item.get("core_no"))
        for key, sub, metric in (
            ("Cube", "cube0", "aic_mac_ratio"),
            ("Vector", "vector0", "aiv_vec_ratio"),
            ("Vector1", "vector1", "aiv_vec_ratio"),
        ):
            part = item.get(key)
            if block is not None and isinstance(part, dict):
                share = _number(part.get("ratio"))
                _put(cores, block, sub, metric, None if share is None else share / 100)
                _put(cores, block, sub, f"{_side(sub)}_total_cycles", _number(part.get("total_cycles")))


def _tables(item: dict[str, Any], op_kind: CoreKind | None, cores: Cores) -> None:
    block = _block(item.get("block_id"))
    for table in _list(item.get("table_detail")):
        if block is None or not isinstance(table, dict):
            continue
        if table.get("table_name") == "Cache":
            _cache(table, op_kind, block, cores)
            continue
        sub = _core_of_table(str(table.get("table_name", "")), op_kind)
        if sub is None:
            continue
        heads = [str(name) for name in _list(table.get("header_name"))][1:]
        for name, cells in _rows(table):
            found = dict(zip(heads, cells, strict=False))
            if name in _PIPES:
                _pipe(_PIPES[name], found, block, sub, cores)
            elif name in _THROUGHPUT:
                metric = _THROUGHPUT[name]
                if sub != "cube0" or metric.startswith("main_mem"):
                    _put(cores, block, sub, f"{_side(sub)}_{metric}", _number(found.get("throughput(GB/s)")))


def _cache(table: dict[str, Any], op_kind: CoreKind | None, block: int, cores: Cores) -> None:
    """Caches are counted per block: of a mix kernel nobody can tell which core's requests they were."""
    sub = {"vector": "vector0", "cube": "cube0"}.get(op_kind or "")
    if sub is None:
        return
    side = _side(sub)
    heads = [str(name) for name in _list(table.get("header_name"))][1:]
    for name, cells in _rows(table):
        if name not in _CACHE:
            continue
        found = dict(zip(heads, cells, strict=False))
        for column, head in zip(_CACHE[name], ("hit rate(%)", "miss", "total"), strict=True):
            if column:
                _put(cores, block, sub, f"{side}_{column}", _number(found.get(head)))
        missed, asked = _number(found.get("miss")), _number(found.get("total"))
        if name == "iCache Total" and missed is not None and asked:
            _put(cores, block, sub, f"{side}_icache_miss_rate", missed / asked)


def _pipe(pipe: str, cells: dict[str, str], block: int, sub: str, cores: Cores) -> None:
    side = _side(sub)
    if side == "aiv" and pipe in ("mte1", "fixpipe"):  # a vector core has neither
        return
    share = _number(cells.get("active rate(%)"))
    _put(cores, block, sub, f"{side}_{pipe}_ratio", None if share is None else share / 100)
    waiting = _number(cells.get("wait cycles"))
    _put(cores, block, sub, f"{side}_{pipe}_wait_cycles", waiting)
    if pipe in _COUNTED:
        _put(cores, block, sub, f"{side}_{pipe}_instructions", _number(cells.get("instructions")))
        cycles = cores.get((block, sub), {}).get(f"{side}_total_cycles")
        if waiting is not None and cycles:
            _put(cores, block, sub, f"{side}_{pipe}_wait_ratio", waiting / cycles)


def _occupancy(payload: dict[str, Any], cores: Cores) -> None:
    for item in _list(payload.get("op_detail")):
        if not isinstance(item, dict):
            continue
        block = _block(item.get("core_id"))
        for part in _list(item.get("core_detail")):
            if block is None or not isinstance(part, dict):
                continue
            sub = f"{part.get('subcore_type')}{part.get('subcore_id')}"
            # for pure vector kernels this page counts physical pairs, not the CSV's blocks
            if sub in ("cube0", "vector0", "vector1") and (block, sub) in cores:
                _put(cores, block, sub, f"{_side(sub)}_total_hit_rate", _number(part.get("L2cache_hit_rate")))


def _core_of_table(name: str, op_kind: CoreKind | None) -> str | None:
    match = _CORE_OF_TABLE.match(name)
    if not match:
        return None
    if match[1] == "Cube":
        return "cube0"
    if match[1] or match[2]:
        return f"vector{(match[1] or match[2])[-1]}"
    return {"vector": "vector0", "cube": "cube0"}.get(op_kind or "")


def _rows(table: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    for row in _list(table.get("row")):
        if isinstance(row, dict):
            yield str(row.get("name", "")), [str(cell) for cell in _list(row.get("value"))]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    return number(str(value)[:64])


def _block(value: object) -> int | None:
    found = _number(value)
    return int(found) if found is not None and 0 <= found < 1e6 else None


def _side(sub: str) -> str:
    return "aic" if sub.startswith("cube") else "aiv"


def _put(cores: Cores, block: int, sub: str, metric: str, value: float | None) -> None:
    if value is None or ((block, sub) not in cores and len(cores) >= MOST_CORES):
        return
    column = all_columns().get(metric)
    if column is not None and impossible(value, column.unit):
        return
    cores.setdefault((block, sub), {}).setdefault(metric, value)
