"""Counters typed by hand or written by a tool: one object or a list."""

from __future__ import annotations

import json
import zlib
from typing import Any

from fuzz.sample import ADVISED, FEED, refused
from kb.engine.pipeline import advise_metrics
from kb.engine.readers import read_metrics
from kb.errors import KbError

PARSES = ("kb.engine.readers.metrics_json", "kb.engine.tensors")


def seeds() -> list[bytes]:
    """A kernel, a model, a list."""
    kernel: dict[str, Any] = {
        "operator": "RmsNorm", "hardware": "Ascend 910B2", "shape": "8192x1024", "dtype": "float16", "core": "vector",
        "metrics": {"Task Duration(us)": 113.6, "Block Dim": 64, "aiv_vec_ratio": 0.658, "aiv_mte2_ratio": "41%"},
    }  # fmt: skip
    operators = [
        {"type": "Conv2D", "count": 110, "share": 0.6},
        {"type": "NonMaxSuppressionV6", "time_us": 12.5},
    ]
    model = {"hardware": "Ascend310P3", "task": "object-detection", "operators": operators}
    return [json.dumps(item).encode() for item in (kernel, model, [kernel, model])]


def one(data: bytes) -> None:
    """Read it, and judge some."""
    path = FEED.file("metrics.json", data)
    try:
        found = read_metrics(path)
        if len(found) < 8 and zlib.crc32(data) % ADVISED == 0:
            advise_metrics(path, knowledge=FEED.knowledge)
    except KbError as fault:
        refused(fault)
