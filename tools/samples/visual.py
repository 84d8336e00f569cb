"""visualize_data.bin samples: blocks of JSON behind binary headers."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any


def block(kind: int, payload: dict[str, Any] | bytes) -> bytes:
    """One block: size with padding, type, padding, two marks, payload padded to four bytes."""
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    pad = -len(data) % 4
    path = b"\0" * 4096 if kind == 1 else b""
    return struct.pack("<QBBBB", len(data) + pad, kind, pad, 0x5A, 0x5A) + path + data + b"\0" * pad


def _basic(kind: str, detail: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": "scale_custom" if kind == "vector" else "matmul_bias_mix_aic",
        "soc": "Ascend910B2",
        "op_type": kind,
        "duration": 31.25,
        "block_dim": "2",
        "mix_block_dim": "4" if kind == "mix" else "",
        "device_id": "0",
        "pid": "4242",
        "cur_freq": "1800",
        "rated_freq": "1800",
        "advice": [],
        **detail,
    }


def _pipes(name: str, rows: tuple[tuple[str, int, int, int, float], ...]) -> dict[str, Any]:
    head = ["", "instructions", "cycle", "wait cycles", "active rate(%)"]
    return {
        "table_name": name,
        "header_name": head,
        "size": [len(rows), 4],
        "row": [{"name": n, "value": [str(i), str(c), str(w), f"{r:.6f}"]} for n, i, c, w, r in rows],
    }


def _cache() -> dict[str, Any]:
    """Hits and misses of the caches, counted per block."""
    rows = (("L2 Cache Read", 90, 10), ("L2 Cache Total", 150, 50), ("iCache Total", 1960, 40))
    return {
        "table_name": "Cache",
        "header_name": ["", "hit", "miss", "total", "hit rate(%)"],
        "size": [len(rows), 4],
        "row": [
            {"name": name, "value": [str(hit), str(miss), str(hit + miss), f"{100 * hit / (hit + miss):.6f}"]}
            for name, hit, miss in rows
        ],
    }


def _units(blocks: int, counts: dict[str, int], unit: int) -> dict[str, Any]:
    """What the compute units did, one entry a block and name; unit 1 is a count, 3 percent."""
    return {
        "advice": [],
        "subblock_detail": [
            {"block_id": str(n), "block_type": "vector", "name": name, "unit": unit, "value": str(count)}
            for n in range(blocks)
            for name, count in counts.items()
        ],
    }


def vector() -> bytes:
    """A vector kernel on two blocks; block 1 is slower."""
    detail = {
        "block_detail": {
            "head_name": ["Block ID", "Core Type", "Duration (μs)"],
            "row": [{"value": ["0", "vector", "20.000000"]}, {"value": ["1", "vector", "28.000000"]}],
            "size": [3, 3],
        }
    }
    busy = [
        {
            "core_no": str(n),
            "Vector": {"cycle": 3600, "ratio": 10.0, "total_cycles": total},
            "advice": ["aivector compute usage lower than 20%"],
        }
        for n, total in ((0, 36000), (1, 50400))
    ]
    pipes = [
        {
            "block_id": str(n),
            "advice": ["MTE2 bandwidth utilization lower than 80% when active"],
            "table_detail": [
                _pipes(
                    "Pipe",
                    (
                        ("MTE1", 0, 0, 0, 0.0),
                        ("MTE2", 64, 18000, 900, 50.0),
                        ("MTE3", 32, 7200, 360, 20.0),
                        ("Scalar", 0, 9000, 90, 25.0),
                    ),
                ),
                _cache(),
            ],
        }
        for n in range(2)
    ]
    return (
        block(5, _basic("vector", detail))
        + block(6, _units(2, {"Vector All Active": 10}, 3))
        + block(7, _units(2, {"Vector All Active": 300, "Vector FP16": 256, "Vector Wait": 17}, 1))
        + block(8, {"core_memory_map": busy})
        + block(9, {"table_per_block": pipes})
        + block(14, {"Cacheline Records": []})
    )


def mix() -> bytes:
    """A mix kernel with a source file, an unknown block type and a damaged block among the good ones."""
    detail = {
        "mix_block_detail": {
            "head_name": [
                "Block ID",
                "Cube0 Duration (μs)",
                "Vector0 Duration (μs)",
                "Vector1 Duration (μs)",
            ],
            "row": [{"value": ["0", "25.5", "13.25", "24.0"]}, {"value": ["1", "25.75", "13.5", "NA"]}],
            "size": [3, 4],
        }
    }
    advice = (
        "\t1) core1 vector1 took more time than other core.\n"
        "\t2) \x1b[31mcore0\x1b[0m cache hit rate lower than other core.\n"
    )
    return (
        block(1, b"int main() {}")
        + block(5, _basic("mix", detail))
        + block(11, {"unknown": True})
        + block(6, b"{not json")
        + block(12, {"advice": advice, "op_detail": []})
    )


def tests(folder: Path) -> None:
    """tests/samples/visualize_data."""
    for name, data in (("whole-vector", vector()), ("odd-mix", mix()), ("broken-cut", vector()[:-300])):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.bin").write_bytes(data)
    (folder / "broken-first-block.bin").write_bytes(block(5, b"{")[:20])
