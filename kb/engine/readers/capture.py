"""One msopprof launch: the files of its folder, joined into one operator.

Tables are joined on (block_id, sub_block_id), never on cycles: each table comes from other passes of the
kernel. A value that several tables hold is taken from PipeUtilization first, then in the order of
`MSOPPROF_TABLES`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kb.engine.readers.columns import (
    MSOPPROF_TABLES,
    all_columns,
    damaged,
    families,
    index,
    integer,
    missing,
    number,
    time_us,
)
from kb.engine.readers.rows import Rows, split
from kb.engine.readers.source import Source
from kb.engine.readers.visualize import KINDS, Visual
from kb.engine.readers.words import clean
from kb.model import CoreCounters, CoreKind, Measure, Notice, Operator, SourceFile

OF_ONE_KERNEL = 0.5  # difference of core cycles between tables: passes of one kernel differed by a fifth at most in real captures
MOST_CORES = 65_536
_MOST_INFO_LINES = 64
_MOST_NAME_LINES = 16
_MOST_BLOCKS = 10**7
_FASTEST_MHZ = 1e5
_SUB_BLOCKS = frozenset(("cube0", "vector0", "vector1"))


@dataclass
class Capture:
    """The files of one launch, and what was read of them."""

    folder: Path
    label: str
    basic: Source | None = None
    info: Source | None = None
    visual_file: Source | None = None
    tables: dict[str, Source] = field(default_factory=dict)
    # after `read`
    facts: dict[str, str] = field(default_factory=dict)  # cells of OpBasicInfo, else of op_basic_info.txt
    soc: str | None = None
    visual: Visual | None = None
    cores: dict[tuple[int, str], dict[str, float]] = field(default_factory=dict)
    ids: dict[str, frozenset[str]] = field(default_factory=dict)  # table -> column ids in its header
    families: frozenset[str] = frozenset()
    cycles: dict[str, dict[tuple[int, str], float]] = field(
        default_factory=dict
    )  # table -> core -> total cycles
    files: list[SourceFile] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)


def read_basic(capture: Capture, label: str) -> None:
    """OpBasicInfo.csv: one row about the launch."""
    assert capture.basic is not None  # noqa: S101 - the caller looked
    rows = Rows(capture.basic.path)
    at, _ = index(rows.header, "OpBasicInfo")
    found = _whole_rows(rows)
    place = at.get("task_duration_us", 0)
    usable = [row for row in found if len(row) > place and not damaged(row[place], "us")]
    if len(usable) < len(found):
        text = f"{len(found) - len(usable)} rows without a usable Task Duration were left out"
        capture.notices.append(Notice("rows-lost", f"{text}; {len(usable)} rows used", label))
    if usable:
        capture.facts = {
            name: clean(usable[0][place]) for name, place in at.items() if place < len(usable[0])
        }
    if len(usable) > 1:
        text = f"{len(usable)} rows about one launch; the first is used"
        capture.notices.append(Notice("several-rows", text, label, 3))
    capture.files.append(SourceFile(label, "OpBasicInfo", len(usable), len(found) - len(usable)))


def _blocks(cell: str) -> int | None:
    found = integer(cell)
    return found if found is not None and 0 < found < _MOST_BLOCKS else None


def _megahertz(cell: str) -> float | None:
    found = number(cell)
    return found if found is not None and 0 < found < _FASTEST_MHZ else None


def _whole_rows(rows: Rows) -> list[list[str]]:
    """The first rows of OpBasicInfo.csv. An operator's name may hold line breaks, in quotes or bare, since the tool
    quotes nothing: lines too short for a row are put together where that gives the cells of one.
    """
    lines = [line for line, _ in zip(rows.lines(), range(_MOST_INFO_LINES), strict=False) if line]
    width = len(rows.header)
    out: list[list[str]] = []
    start = 0
    while start < len(lines):
        stop = start + 1
        for end in range(start + 1, min(start + _MOST_NAME_LINES, len(lines)) + 1):
            if len(split(" ".join(lines[start:end]))) == width:
                stop = end
                break
        out.append(split(" ".join(lines[start:stop])))
        start = stop
    return out


def read_info(capture: Capture, label: str) -> None:
    """dump/op_basic_info.txt: key=value lines; the only text that names the SoC."""
    assert capture.info is not None  # noqa: S101 - the caller looked
    keys = {
        "op name": "op_name",
        "op type": "kernel_kind",
        "block dim": "block_dim",
        "mix block dim": "mix_block_dim",
        "device id": "device_id",
        "current freq": "current_freq",
        "rated freq": "rated_freq",
        "is mc2": "is_mc2",
        "is lccl": "is_lccl",
    }
    pairs = info_pairs(capture.info.text)
    capture.soc = pairs.get("run soc version") or None
    for key, name in keys.items():
        if pairs.get(key) and not missing(pairs[key]):
            capture.facts.setdefault(name, pairs[key])
    capture.files.append(SourceFile(label, "op_basic_info"))


def info_pairs(text: str) -> dict[str, str]:
    """Lines `Key=value` (or `Key: value`) of op_basic_info.txt, keys in lower case."""
    out: dict[str, str] = {}
    for line in text.splitlines()[:200]:
        for mark in ("=", ":"):
            key, found, value = line.partition(mark)
            if found and clean(value):
                out.setdefault(key.strip().casefold(), clean(value))
                break
    return out


def read_table(capture: Capture, table: str, source: Source, label: str) -> None:
    """One per-core table into `capture.cores`."""
    rows = Rows(source.path)
    at, unknown = index(rows.header, table)
    capture.ids[table] = frozenset(at)
    own = families(rows.header, table)
    capture.families = capture.families & own if capture.families and own else capture.families or own
    values = [(name, place) for name, place in at.items() if name not in ("block_id", "sub_block_id")]
    units = [(place, all_columns()[name].unit) for name, place in values]
    width = max(at.values(), default=-1) + 1
    used = lost = 0
    last_short = False
    cycles = capture.cycles.setdefault(table, {})
    for row in rows:
        core = _core(row, at) if len(row) >= width else None
        if core is not None and any(damaged(row[place], unit) for place, unit in units):
            core = None
        last_short = core is None
        if core is None or (core not in capture.cores and len(capture.cores) >= MOST_CORES):
            lost += 1
            continue
        used += 1
        found = {name: value for name, place in values if (value := number(row[place])) is not None}
        into = capture.cores.setdefault(core, {})
        for name, value in found.items():
            into.setdefault(name, value)
        total = found.get("aic_total_cycles", found.get("aiv_total_cycles"))
        if total is not None:
            cycles.setdefault(core, total)
    capture.files.append(SourceFile(label, table, used, lost))
    if lost:
        cut = rows.unfinished and last_short
        text = (
            "the last row is cut off and was left out"
            if cut and lost == 1
            else f"{lost} damaged rows were left out"
        )
        capture.notices.append(
            Notice("row-cut-off" if cut else "rows-lost", f"{text}; {used} rows used", label)
        )
    if unknown:
        names = clean(", ".join(unknown[:8]))
        capture.notices.append(
            Notice("unknown-columns", f"columns not known and not used: {names}", label, 1)
        )


def _core(row: Sequence[str], at: dict[str, int]) -> tuple[int, str] | None:
    """Block and sub-block of a row; (0, "core") on chips whose tool aggregates over cores."""
    if "block_id" not in at:
        return (0, "core") if any(number(cell) is not None for cell in row) else None
    block = integer(row[at["block_id"]])
    sub = row[at["sub_block_id"]].strip() if "sub_block_id" in at else "core"
    return (block, sub) if block is not None and 0 <= block < 1e6 and sub in _SUB_BLOCKS | {"core"} else None


def operator(capture: Capture) -> Operator | None:
    """The launch as an operator; None when nothing says how long it took."""
    facts, visual = capture.facts, capture.visual
    core = _kind(capture)
    duration = _duration(capture)
    if duration is None:
        return None
    blocks = {block for block, _ in capture.cores}
    block_dim = _blocks(facts.get("block_dim", "")) or (visual.block_dim if visual else None)
    mix_dim = _blocks(facts.get("mix_block_dim", "")) or (visual.mix_block_dim if visual else None)
    attributes = {
        key: facts[key] for key in ("device_id", "is_mc2", "is_lccl") if not missing(facts.get(key, ""))
    }
    if capture.label:
        attributes["folder"] = capture.label
    if block_dim is None and blocks and core != "fused":
        block_dim = len(blocks)
        attributes["block_dim_from"] = "rows"
    elif core not in ("fused", "unknown") and blocks and block_dim and len(blocks) != block_dim:
        text = f"{block_dim} blocks were launched, the tables hold {len(blocks)}"
        capture.notices.append(Notice("blocks-missing", text, capture.label))
    clock = _megahertz(facts.get("current_freq", "")) or (visual.clock_mhz if visual else None)
    rated = _megahertz(facts.get("rated_freq", "")) or (visual.rated_clock_mhz if visual else None)
    name = facts.get("op_name") or (visual.name if visual else None)
    if not name:
        attributes["name_from"] = "folder"
    return Operator(
        name=name or capture.folder.name or "kernel",
        type=None,
        core=core,
        count=1,
        duration=duration,
        total_us=duration.value,
        block_dim=block_dim,
        mix_block_dim=mix_dim,
        cores=tuple(
            CoreCounters(block, sub, values) for (block, sub), values in sorted(capture.cores.items())
        ),
        clock_mhz=clock,
        rated_clock_mhz=rated,
        attributes=attributes,
    )


def _kind(capture: Capture) -> CoreKind:
    """From the tool's word, else from which rows there are."""
    word = capture.facts.get("kernel_kind", "").casefold()
    if word in KINDS:
        return KINDS[word]
    if capture.visual and capture.visual.kind:
        return capture.visual.kind
    subs = {sub[:-1] if sub in _SUB_BLOCKS else sub for _, sub in capture.cores}
    if {"cube", "vector"} <= subs:
        return "mix"
    kinds: dict[str, CoreKind] = {"cube": "cube", "vector": "vector", "core": "fused"}
    return next((kinds[sub] for sub in ("cube", "vector", "core") if sub in subs), "unknown")


def _duration(capture: Capture) -> Measure | None:
    stated = time_us(capture.facts.get("task_duration_us", ""))
    if stated is not None and stated > 0:
        return Measure(stated, "us", f"{_file(capture, 'OpBasicInfo')}:Task Duration(us)")
    if capture.visual and capture.visual.duration_us:
        return Measure(capture.visual.duration_us, "us", "visualize_data.bin:duration")
    slowest = max((slowest_of(values) or 0.0 for values in capture.cores.values()), default=0.0)
    if not slowest:
        return None
    text = "no Task Duration in the capture: the slowest core's time stands for it, without launch overhead"
    capture.notices.append(Notice("duration-computed", text, capture.label))
    where = capture.files[0].path if capture.files else capture.label
    return Measure(slowest, "us", f"{where}: slowest core (aic_time or aiv_time)", computed=True)


def _file(capture: Capture, kind: str) -> str:
    return next((file.path for file in capture.files if file.kind == kind), kind)


def slowest_of(values: dict[str, float]) -> float | None:
    """Time of a core in microseconds, whichever kind it is."""
    return values.get("aic_time_us", values.get("aiv_time_us"))


def judge_consistency(capture: Capture) -> None:
    """Notices about what makes the numbers of one capture not fit each other."""
    spread = 0.0
    first = next((capture.cycles[t] for t in MSOPPROF_TABLES if capture.cycles.get(t)), {})
    for core, cycles in first.items():
        others = [table[core] for table in capture.cycles.values() if core in table]
        if cycles > 0:
            spread = max(spread, (max(others) - min(others)) / cycles)
    if spread > OF_ONE_KERNEL:
        text = f"core cycles differ by up to {spread:.1%} between the tables: they are not of one kernel, or not of one size"
        capture.notices.append(Notice("tables-apart", text, capture.label))
    elif spread > 0.001:
        text = f"tables come from different passes: core cycles differ by up to {spread:.1%} between them"
        capture.notices.append(Notice("multi-pass", text, capture.label))
    odd = [found for values in capture.cores.values() if (found := _denominator(values)) is not None]
    if odd and max(odd) > 1.05:
        low, high = f"{min(odd):.2f}", f"{max(odd):.2f}"
        text = f"the tool's ratios divide by {low} to {high} times the core's own time; they are recomputed"
        capture.notices.append(Notice("ratio-denominator", text, capture.label))


def _denominator(values: dict[str, float]) -> float | None:
    """What a core's ratios divide by, as a multiple of its time; from its busiest pipe, where rounding
    is least.
    """
    core = slowest_of(values)
    side = "aic" if "aic_time_us" in values else "aiv"
    pairs = []
    for name, time in values.items():
        ratio = values.get(name.replace("_time_us", "_ratio"), 0.0)
        if name.startswith(side) and name.endswith("_time_us") and name != f"{side}_time_us" and ratio > 0.01:
            pairs.append((time, ratio))
    if not pairs or not core:
        return None
    time, ratio = max(pairs)
    return time / ratio / core
