"""Programs that try a kernel, told from models by what ran: their gaps and fills are the program's, not the kernel's.

A model launches many kinds of kernels, step after step. A program that tries one kernel launches that kernel over and
over, or a handful of kernels once; what the device waits for in between is the program's own loop, its checks and its
printing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.addition import plain_sum
from kb.engine.bottlenecks.judging import limit, value
from kb.model import Features

# Constants and masks made once at the start; in a model they run in every step beside the work.
_CONSTANT = re.compile(r"(Zeros|Ones)(Like)?|Fill(V2)?|MemSet|Range|Arange|Eye|Tril|Triu", re.IGNORECASE)


def trial(run: Features, operators: Sequence[Features]) -> str:
    """What tells that this is a program trying kernels, in words; empty for a model or where nothing tells.

    Steps, communication and what only models do (`run_phase`) speak for a model.
    """
    if "step_us" in run.values or value(run, "comm_share") > 0:
        return ""
    if run.labels.get("run_phase", "unknown") != "unknown":
        return ""
    counts: dict[str, float] = {}
    for f in operators:
        if f.labels.get("setup") != "yes" and f.operator is not None:
            kind = f.labels.get("op_type", f.operator.name)
            counts[kind] = counts.get(kind, 0.0) + value(f, "launch_count")
    launches = plain_sum(counts.values())
    most = sorted(counts, key=lambda kind: (-counts[kind], kind))[: round(limit("host-bound", "kinds").value)]
    again = plain_sum(counts[kind] for kind in most)
    if launches > len(counts) and again >= limit("host-bound", "again").value * launches:
        return f"{again:.0f} of {launches:.0f} launches are {' and '.join(most)}"
    if 0 < launches < limit("host-bound", "launches").value:
        return f"{launches:.0f} launches are all that was recorded"
    return ""


def is_constant(f: Features) -> bool:
    """A kernel that fills a tensor with a constant or makes a mask."""
    return _CONSTANT.fullmatch(f.labels.get("op_type", "")) is not None
