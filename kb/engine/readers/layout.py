"""Where the columns of a job table lie, and how to cut a line without splitting all of it.

Every known export orders its columns in three zones: what differs from launch to launch (task id, start,
duration), what is equal for equal launches (blocks, shapes, dtypes, formats), and the counters. Cutting at
the two borders is enough to know the group of a line; the middle is parsed once per group, the counters in
bulk. This is what makes reading faster than splitting each line would be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from kb.engine.readers.columns import all_columns, counter, index
from kb.errors import SourceError

IDENTITY = (
    "op_type",
    "task_type",
    "block_dim",
    "mix_block_dim",
    "input_shapes",
    "input_dtypes",
    "input_formats",
    "output_shapes",
    "output_dtypes",
    "output_formats",
)
_PER_LAUNCH = (
    "step_id",
    "device_id",
    "task_id",
    "stream_id",
    "op_name",
    "op_type",
    "op_state",
    "task_type",
    "start_us",
    "stop_us",
    "task_duration_us",
    "wait_us",
)


@dataclass(frozen=True, eq=False)
class Layout:
    """The columns of one header.

    `front` cells lead a line and `tail` cells end it; both are 0 when the zones are mixed. `span` is the
    number of cells from the first counter to the end of the line. `working` are the places of the counters that tell
    which of cube and vector core worked; none where the header does not tell the two apart.
    """

    header: tuple[str, ...]
    at: dict[str, int]
    counters: tuple[tuple[str, int], ...]
    unknown: tuple[str, ...]
    prefixed: bool
    identity: Callable[[list[str]], tuple[str, ...]]
    identity_places: tuple[int, ...]
    front: int
    tail: int
    span: int
    at_name: int
    at_type: int
    at_task: int
    at_duration: int
    working: tuple[int, ...]

    @property
    def tail_commas(self) -> int:
        """Commas within the tail of a whole row."""
        return max(self.tail - 1, 0)

    @property
    def width(self) -> int:
        """Number of cells in a whole row."""
        return len(self.header)

    def worked(self, tail: Sequence[str]) -> tuple[str, ...]:
        """Which cores worked by the last cells of a row: for each, whether its counter is above zero.

        Without a task type (task-time level 0) nothing else tells a kernel's launches on the cube from those of
        another build of it on the vector cores, and the mean of both would be the share of neither.
        """
        cells = ["".join(tail[place - self.width :][:1]) for place in self.working]
        return tuple("worked" if counter(cell) else "" for cell in cells)

    @property
    def measured(self) -> frozenset[str]:
        """Ids of the counters this header has."""
        return frozenset(name for name, _ in self.counters)


def layout(header: tuple[str, ...], table: str, where: str) -> Layout:
    """The layout of a header of `table` (op_summary or kernel_details).

    Raises:
        SourceError: when a column nothing works without is missing.
    """
    at, unknown = index(header, table)
    for name in ("op_name", "task_type", "task_duration_us"):
        if name not in at:
            wanted = " or ".join(all_columns()[name].spellings)
            raise SourceError(f"no column {wanted}", where=f"{where}:1", now="export the table again")
    counters = tuple((name, place) for name, place in at.items() if _is_counter(name))
    places = [at[name] for name in IDENTITY if name in at]
    if "op_type" not in at:
        places.insert(0, at["op_name"])
    span = len(header) - min((place for _, place in counters), default=len(header))
    front = _front(header, at, span)
    prefixed = any(cell.casefold().startswith("aiv_") for cell in header)
    return Layout(
        header,
        at,
        counters,
        unknown,
        prefixed,
        itemgetter(*places),
        tuple(places),
        front,
        span if front else 0,
        span,
        at["op_name"],
        at.get("op_type", at["op_name"]),
        at["task_type"],
        at["task_duration_us"],
        _working(at) if prefixed else (),
    )


def _working(at: dict[str, int]) -> tuple[int, ...]:
    """Places of the cycles of the cube and the vector cores, of their times where the cycles are not given."""
    columns = ((f"{side}_total_cycles", f"{side}_time_us") for side in ("aic", "aiv"))
    return tuple(at[name] for pair in columns for name in [name for name in pair if name in at][:1])


def _is_counter(name: str) -> bool:
    if name == "cube_utilization" or name.endswith("_datas"):
        return True
    return name.startswith(("aic_", "aiv_"))


def _front(header: tuple[str, ...], at: dict[str, int], span: int) -> int:
    """Number of leading cells that hold all per-launch columns, 0 when a counter lies before another
    column.
    """
    front = 1 + max(at[name] for name in _PER_LAUNCH if name in at)
    behind = [at[name] for name in IDENTITY if name in at and at[name] >= front]
    in_order = max(behind, default=front - 1) < len(header) - span and front < len(header)
    return front if in_order else 0
