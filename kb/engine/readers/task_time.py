"""task_time_*.csv of msprof: start and stop of every task of the device, without shapes and counters."""

from __future__ import annotations

from dataclasses import replace

from kb.engine.readers.columns import index
from kb.engine.readers.job import read_job
from kb.engine.readers.source import Bundle, Source
from kb.model import Notice, Profile

NAME = "task_time"
TITLE = "msprof task times (task_time_*.csv)"
FAMILY = "job"
RANK = 18

_NEEDED = ("op_name", "task_type", "task_duration_us", "start_us", "stop_us")


def recognise(source: Source) -> int:
    """By the task's name and kind with its start and stop."""
    known, _ = index(source.header, NAME)
    return 90 if all(name in known for name in _NEEDED) else 0


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """See `read_job`; tasks that are no kernels (events, copies) are not among the operators."""
    profile = read_job(bundle, bundle.of(NAME), NAME, "msprof", soc)
    label = profile.files[0].path
    kernels = tuple(op for op in profile.operators if op.core != "other")
    others = sum(op.count for op in profile.operators if op.core == "other")
    notices = [*profile.notices, times_only(label)]
    if others:
        text = f"{others} tasks that are no kernels (events, copies, parts of collectives) were left out"
        notices.append(Notice("other-tasks", text, label))
    return replace(profile, operators=kernels, notices=tuple(notices))


def times_only(label: str) -> Notice:
    """What lists of tasks lack, whatever the level they were collected at."""
    text = "times of tasks only: shapes and counters are in op_summary_*.csv or kernel_details.csv of the run"
    return Notice("times-only", text, label)
