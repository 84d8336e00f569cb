"""A job export read whole: operators, where the time went, per rank and in sum, and what to know about it.

Shared by the readers of msprof's op_summary and the PyTorch profiler's kernel_details, which differ in names
only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from kb.engine.readers import chip
from kb.engine.readers.columns import integer
from kb.engine.readers.job_notices import Table, run_notices, table_notices
from kb.engine.readers.launches import Group, Launches, Reading, TableResult
from kb.engine.readers.layout import Layout, layout
from kb.engine.readers.operators import Built, build, sides_of
from kb.engine.readers.profiler_info import Settings
from kb.engine.readers.rows import Rows
from kb.engine.readers.run_times import from_timelines, total
from kb.engine.readers.source import Bundle, Progress, Source
from kb.engine.readers.step_trace import all_settings, in_order, rank_name, read_ranks
from kb.engine.readers.steps import lengths, step_time, together
from kb.engine.readers.strip import strips
from kb.engine.readers.timeline import COMMUNICATION, TWIN
from kb.model import Capture, Follow, Operator, Profile, RunTimes, SourceFile

_GROUPS = (  # metric group of the profiler, a column only it writes
    ("PipeUtilization", ("aic_mac_time_us", "aiv_vec_time_us")),
    ("ArithmeticUtilization", ("aic_mac_fp16_ratio", "aiv_vec_fp32_ratio")),
    ("Memory", ("aic_main_mem_read_bw", "aiv_main_mem_read_bw")),
    ("MemoryL0", ("aic_l0a_read_bw",)),
    ("MemoryUB", ("aic_ub_read_bw_vector", "aiv_ub_read_bw_vector")),
    ("ResourceConflictRatio", ("aic_vec_bank_cflt_ratio", "aiv_vec_bank_cflt_ratio")),
    ("MemoryAccess", ("gm_to_ub_datas", "gm_to_l1_datas")),
    ("L2Cache", ("aic_write_cache_hit", "aic_read_local_l2_hit")),
    ("PipelineExecuteUtilization", ("aic_mac_exe_ratio",)),
)


RANK_ID = re.compile(r"rank \d+")  # how `rank_name` calls a rank whose number is known
MOST_CORES = 72  # vector cores of the largest chip
LARGE = 16 << 20  # bytes of all tables from which pandas is worth the half second that importing it takes


@dataclass(frozen=True)
class Opened:
    """The rows of a source, and its rank where the file itself says it."""

    rows: Rows
    rank: str | None = None


def _open_csv(source: Source) -> Opened:
    return Opened(Rows(source.path))


def read_job(
    bundle: Bundle,
    sources: Sequence[Source],
    table: str,
    tool: str,
    soc: str | None,
    *,
    reader: str = "",
    opened: Callable[[Source], Opened] = _open_csv,
) -> Profile:
    """The profile of all tables together: operators added up over ranks, times of the same ranks added up.

    `table` names the columns; a reader of something else than CSV files gives its own name and how to get rows.

    Raises:
        SourceError: when a table lacks the columns nothing works without.
    """
    settings = all_settings(bundle)
    size = sum(source.size for source in sources)
    large = size >= LARGE
    watch = _Watch(bundle.progress, size)
    launches = _large_launches() if large else Launches()
    tables = list(_read_tables(bundle, sources, table, opened, settings, launches, watch, large=large))
    launches.finish()
    groups = launches.kept()
    built = build(groups, overlapping=_twins_overlap(launches))
    traced, trace_files, trace_notices = read_ranks(bundle, settings)
    ranks = _rank_times(tables, launches, built, traced)
    apart = _captures_apart(tables, launches)
    with_kernels = [ranks[name] for name in dict.fromkeys(item.rank for item in tables)]
    found_chip, chip_notices = chip.resolve(None, soc, _clues(groups, built.operators))
    first = next(iter(settings.values()), None)
    return Profile(
        target=bundle.target,
        source=reader or table,
        scope="run",
        capture=Capture(
            tool=tool,
            tool_version=f"torch_npu {first.torch_version}" if first and first.torch_version else None,
            cann_version=first.cann_version if first else None,
            metric_groups=_metric_groups(item.form for item in tables),
            level=first.level.rpartition(".")[2] if first and first.level else None,
        ),
        chip=found_chip,
        operators=tuple(built.operators),
        times=total(with_kernels),
        follows=_follows(launches),
        strips=strips(
            (
                rank if len(ranks) > 1 else "",
                device.strip(),
                line.strip,
            )  # a rank alone is called like its folder
            for (rank, device), line in launches.timelines.items()
        ),
        ranks=in_order(ranks) if len(ranks) > 1 and not apart else (),
        files=(
            *(SourceFile(t.label, reader or table, t.result.rows, t.result.lost) for t in tables),
            *trace_files,
        ),
        notices=(
            *bundle.notices,
            *chip_notices,
            *(notice for item in tables for notice in table_notices(item)),
            *run_notices(launches, built, tables, apart),
            *trace_notices,
        ),
    )


def _read_tables(
    bundle: Bundle, sources: Sequence[Source], table: str, opened: Callable[[Source], Opened],
    settings: Mapping[Path, Settings], launches: Launches, watch: _Watch, *, large: bool,
) -> Iterator[Table]:  # fmt: skip
    """Read one table after another into `launches`; tables of the same header share their layout."""
    forms: dict[tuple[str, ...], Layout] = {}
    for source in sources:
        found = opened(source)
        rows = found.rows
        form = forms.get(rows.header)
        if form is None:
            form = forms.setdefault(rows.header, layout(rows.header, table, str(source.path)))
        label, rank = bundle.label(source.path), found.rank or rank_name(source.path, settings)
        reading = Reading(launches, form, label, rank)
        yield Table(source, label, rank, form, _read_table(reading, rows, large, watch))
        watch.next(source.size)


def _large_launches() -> Launches:
    from kb.engine.readers.large.sweep import Sweep

    return Launches(Sweep)


def _read_table(reading: Reading, rows: Rows, large: bool, watch: _Watch) -> TableResult:
    if not large or not rows.blockwise:
        return reading.run(rows)
    from kb.engine.readers.large.blocks import Blocks

    return Blocks(reading).run(rows, watch)


class _Watch:
    """Adds the progress of one table after the other up to the progress of all."""

    def __init__(self, show: Progress | None, size: int) -> None:
        self._show = show
        self._size = size
        self._before = (0, 0)
        self._rows = 0

    def __call__(self, rows: int, size: int) -> None:
        """Tell of rows and bytes of the table in work."""
        self._rows = rows
        if self._show:
            self._show(self._before[0] + rows, min((self._before[1] + size) / self._size, 1.0))

    def next(self, size: int) -> None:
        """The table of `size` bytes is done."""
        self._before = (self._before[0] + self._rows, self._before[1] + size)
        self._rows = 0


def _twins_overlap(launches: Launches) -> bool:
    both = TWIN | COMMUNICATION
    return any(
        spent
        for line in launches.timelines.values()
        for mask, spent in enumerate(line.by_mask)
        if mask & both == both
    )


def _rank_times(
    tables: Sequence[Table], launches: Launches, built: Built, traced: dict[str, RunTimes]
) -> dict[str, RunTimes]:
    """Times of each rank: the vendor's step trace where there is one, else from the time stamps."""
    ranks = dict(traced)
    for rank in dict.fromkeys(item.rank for item in tables):
        mine = [item for item in tables if item.rank == rank]
        lines = [line for (name, _), line in launches.timelines.items() if name == rank]
        found = lengths(together(item.result.steps for item in mine))
        own = from_timelines(lines, not built.loose_twins, mine[0].label, len(found) or None)
        own = replace(own, step=step_time(found, mine[0].label))
        if rank in traced:
            ranks[rank] = replace(traced[rank], idle_gaps=own.idle_gaps, step=own.step)
        else:
            ranks[rank] = own
    return ranks


def _follows(launches: Launches) -> tuple[Follow, ...]:
    sums: dict[tuple[str, str], list[int]] = {}
    for line in launches.timelines.values():
        for before, after, count, spent in line.follows():
            found = sums.setdefault((before, after), [0, 0])
            found[0] += count
            found[1] += spent
    ordered = sorted(sums.items(), key=lambda item: (-item[1][1], item[0]))
    return tuple(Follow(before, after, count, spent / 1000) for (before, after), (count, spent) in ordered)


def _metric_groups(forms: Iterable[Layout]) -> tuple[str, ...]:
    measured = frozenset[str]().union(*(form.measured for form in forms))
    return tuple(name for name, marks in _GROUPS if measured.intersection(marks))


def _clues(groups: Sequence[Group], operators: Sequence[Operator]) -> chip.Clues:
    """Clock from total cycles / (time x blocks), core counts from the largest launches, family from
    the prefixes.
    """
    pairs = []
    for group in groups:
        sums = {name: group.sums[k] for k, (name, _) in enumerate(group.layout.counters)}
        blocks = integer(group.cell("block_dim")) or 0
        vector_blocks = integer(group.cell("mix_block_dim")) or blocks
        for side, n in (("aic", blocks), ("aiv", vector_blocks)):
            # with more blocks than cores the time column is no time of one core
            if side in sides_of(group) and 0 < n <= MOST_CORES:
                pairs.append((sums.get(f"{side}_total_cycles", 0.0), sums.get(f"{side}_time_us", 0.0) * n))
    prefixed = any(group.layout.prefixed for group in groups)
    plain = any(group.layout.measured for group in groups) and not prefixed
    families = {"atlas-a2", "atlas-a3", "ascend-950"} if prefixed else set()
    if plain:
        families = {"ascend-310", "ascend-310p", "ascend-910"}
    most = {
        kind: max((op.block_dim or 0 for op in operators if op.core == kind), default=0)
        for kind in ("cube", "vector")
    }
    return chip.Clues(frozenset(families), chip.clock_of(pairs), most["cube"], most["vector"])


def _captures_apart(tables: Sequence[Table], launches: Launches) -> bool:
    """Tables that only their folders tell apart, and that share no moment: captures one after another, no ranks.

    Ranks with a number are believed: clocks of several hosts can differ by more than a capture takes.
    """
    names = dict.fromkeys(item.rank for item in tables)
    if len(names) < 2 or any(RANK_ID.fullmatch(name) for name in names):
        return False
    spans = []
    for name in names:
        lines = [line for (rank, _), line in launches.timelines.items() if rank == name]
        first = [line.first for line in lines if line.first is not None]
        if not first:
            return False
        spans.append((min(first), max((line.first or 0) + line.span_ns for line in lines)))
    spans.sort()
    return all(end <= start for (_, end), (start, _) in pairwise(spans))
