"""Which build wrote a capture, told from its headers: the files themselves carry no version.

Signals and limits: the header tables of msopprof's open source by date, and captures of CANN 8.3.RC1 to 9.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

Guess = tuple[str | None, str | None]


def sniff(tables: Mapping[str, Set[str]]) -> Guess:
    """Version of msopprof and of CANN as text, for the column ids seen in each table; None where nothing
    tells.

    The text names the limits and that they come from the header, as in ">= 26.0.0 (header)".
    """
    pipe = tables.get("PipeUtilization", frozenset())
    conflict = tables.get("ResourceConflictRatio", frozenset())
    cache = tables.get("L2Cache", frozenset())
    memory = tables.get("Memory", frozenset())
    if (
        "aic_read_close_hit" in cache
        or "aiv_vec_stu_cflt_ratio" in conflict
        or "aiv_vec_vf_ratio" in tables.get("ArithmeticUtilization", frozenset())
    ):
        return _ascend_950(pipe, memory, cache), None
    if any(name in pipe for name in ("aic_scalar_single_time_us", "aiv_scalar_single_time_us")):
        return ">= 26.0.0 (header)", ">= 9.0.0 (header)"
    if "aiv_mte1_wait_ratio" in conflict or "aic_mte1_active_bw" in pipe:
        return None, ">= 8.3.RC1, <= 8.5.2 (header)"
    return None, None


def _ascend_950(pipe: Set[str], memory: Set[str], cache: Set[str]) -> str | None:
    new_cache = "aic_read_close_hit" in cache
    if "aiv_ub_to_gm_bw" in memory or "aiv_mte3_active_bw" in pipe:
        return ">= 26.1.0 (header)" if new_cache else "<= 2026-01-20 or >= 26.1.0 (header)"
    return ">= 26.0.0 (header)" if new_cache else None
