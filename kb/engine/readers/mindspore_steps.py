"""step_trace_raw_*_detail_time.csv of the MindSpore profiler: one row a step, in units of ten nanoseconds.

Beside the fixed columns it has three for every all-reduce of a stream; their number differs from run to run.
"""

from __future__ import annotations

from dataclasses import dataclass

from kb.engine.readers.columns import integer
from kb.engine.readers.intervals import Union
from kb.engine.readers.records import Records
from kb.model import Measure, RunTimes

TICK_US = 0.01
MEAN = "-"  # step_num of the last row, which repeats the others as their mean


@dataclass
class Steps:
    """Sums over the steps, in ticks."""

    label: str
    steps: int = 0
    total: int = 0
    waited: int = 0
    talked: float = 0.0
    talks: bool = False  # the table has columns of all-reduces

    def times(self) -> RunTimes:
        """Run times of the steps."""
        n = self.steps
        if not n:
            return RunTimes()
        talk = f"{self.label}:stream_*_parallel_*, union per step"
        return RunTimes(
            span=Measure(self.total * TICK_US, "us", f"{self.label}:total", n=n),
            busy=Measure(
                (self.total - self.waited) * TICK_US,
                "us",
                f"{self.label}:total - iteration_interval",
                n=n,
                computed=True,
            ),
            communication=Measure(self.talked * TICK_US, "us", talk, n=n, computed=True)
            if self.talks
            else None,
            idle=Measure(self.waited * TICK_US, "us", f"{self.label}:iteration_interval", n=n),
            steps=n,
        )


def read_steps(records: Records, into: Steps) -> None:
    """Add the rows of a table."""
    starts = {
        name[: -len("_start_point")]: place
        for place, name in enumerate(records.header)
        if _edge(name, "start")
    }
    ends = {
        name[: -len("_end_point")]: place for place, name in enumerate(records.header) if _edge(name, "end")
    }
    pairs = [(f"{name} start", f"{name} end") for name in starts if name in ends]
    records.at |= {f"{name} start": place for name, place in starts.items()}
    records.at |= {f"{name} end": place for name, place in ends.items()}
    into.talks = into.talks or bool(pairs)
    for cells in records:
        if cells["step_number"].strip() == MEAN:
            continue
        total, waited = integer(cells["step_total"]), integer(cells.get("step_interval", ""))
        if total is None or waited is None or not 0 <= waited <= total:
            records.reject()
            continue
        into.steps += 1
        into.total += total
        into.waited += waited
        union = Union()
        for first, last in pairs:
            start, end = integer(cells[first]), integer(cells[last])
            if start is not None and end is not None and start <= end:
                union.add(start, end)
        union.finish()
        into.talked += min(union.length, total)


def _edge(name: str, which: str) -> bool:
    return name.startswith("stream_") and name.endswith(f"_{which}_point")
