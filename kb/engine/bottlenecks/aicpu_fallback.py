"""An operator has no AI Core kernel for its type, dtype or attributes and runs on the AI CPU."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import Bottleneck, Held, above, confidence, context, label, limit, value
from kb.model import Features

# Whole AI Core kernels of small size take 2 to 10 us on the device (cost model section 2); what an AI CPU task takes
# beyond the slower end is what moving it could win.
AI_CORE_KERNEL_US = 10.0
AI_CPU_KERNEL_US = (
    136.0  # the shorter of the two AI CPU tasks on record there; stands in where no time is known
)


def judge(f: Features) -> Held | None:
    """Any AI CPU task longer than the advisor's limit."""
    long = above(f, "task_duration_us", limit("aicpu-fallback", "duration"))
    if long is None and "task_duration_us" in f.values:
        return None
    duration = value(f, "task_duration_us", AI_CPU_KERNEL_US)
    floor = max(AI_CORE_KERNEL_US, value(f, "memory_floor_us"))
    headroom = round(max(0.0, 1 - floor / duration), 4) if duration > 0 else None
    evidence = (label(f, "core", "an AI Core kind"), *([long] if long else []), *context(f, "launch_count"))
    sure = confidence(duration, 20, 200) if long else 0.7
    return Held(sure, headroom, evidence, f"{f.labels.get('op_type', 'operator')} runs on the AI CPU")


BOTTLENECK = Bottleneck(
    id="aicpu-fallback",
    why="An AI CPU task is slower by orders of magnitude, and copies and stream waits surround it.",
    needs=("core",),
    applies=lambda f: f.labels.get("core") == "ai_cpu" and f.labels.get("op_pattern") != "communication",
    judge=judge,
    collect="Task Type / Accelerator Core column (msprof or torch profiler, Level1)",
    sources=("msprof-analyze advisor, aicpu rule",),
)
