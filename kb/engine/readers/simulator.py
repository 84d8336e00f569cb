"""msopprof simulator: instructions and source lines of a kernel on a cycle model of the chip.

Per core one `*_instr_exe.csv` and one `*_code_exe.csv`, and a `trace.json` per core or for all. What they tell is
order and attribution: which pipe is active how long, which lines cost most. Their times are the model's and are
never put beside times of a device. A share of a core's time needs the trace: without it no core's time is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kb.addition import plain_sum
from kb.engine.readers import chip, simulator_trace, visualize
from kb.engine.readers.columns import all_columns, counter, damaged, time_us
from kb.engine.readers.records import Records
from kb.engine.readers.simulator_trace import PIPES, Core, CoreTrace, core_named
from kb.engine.readers.source import Bundle, Source
from kb.engine.readers.visualize_cores import MOST_CORES
from kb.engine.readers.words import clean
from kb.errors import SourceError
from kb.model import Capture, CoreCounters, CoreKind, Measure, Notice, Operator, Profile, SourceFile

NAME = "simulator"
TITLE = "msopprof simulator (*_code_exe.csv, *_instr_exe.csv, trace.json; code_exe of msopgen)"
FAMILY = "kernel"
RANK = 25

HOT_LINES = 5
MOST_CYCLES = 1e13  # an hour and a half of a device: no simulation gets there
MOST_LINES = 200_000
_WAITED = {"mac": "cube"}  # columns of waiting say cube where those of time say mac
_SYNC = ("SET_FLAG", "WAIT_FLAG", "SET_CROSS_CORE", "BAR", "PIPE_BARRIER")


def recognise(source: Source) -> int:
    """By the columns of its two tables, or the head of its trace."""
    return 90 if kind_of(source) else 0


def kind_of(source: Source) -> str | None:
    """ "instr_exe", "code_exe", "trace", or None for a file of something else."""
    cells = {cell.casefold() for cell in source.header}
    if {"instr", "pipe", "cycles"} <= cells:
        return "instr_exe"
    if {"code", "call_count", "cycles"} <= cells or {"line", "call count", "cycles"} <= cells:
        return "code_exe"
    return "trace" if simulator_trace.is_trace(source) else None


@dataclass
class _Line:
    cycles: float = 0.0
    calls: float = 0.0


@dataclass
class _Launch:
    """What the files of one simulated launch hold."""

    home: Path
    label: str
    pipes: dict[Core, dict[str, float]] = field(default_factory=dict)  # active us, from instructions
    waits: dict[Core, dict[str, float]] = field(default_factory=dict)  # us in wait flags
    traces: dict[Core, CoreTrace] = field(default_factory=dict)
    lines: dict[str, _Line] = field(default_factory=dict)
    seen: set[tuple[str, Core | None]] = field(default_factory=set)
    visual: visualize.Visual | None = None
    files: list[SourceFile] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """One operator a simulated launch.

    Raises:
        SourceError: when no row of any table can be used.
    """
    launches: dict[Path, _Launch] = {}
    for source in sorted(bundle.of(NAME), key=lambda item: kind_of(item) != "trace"):
        home, core = _place(source.path)
        shown = home.parent if home.name == "simulator" else home
        launch = launches.setdefault(
            home, _Launch(home, "" if shown in bundle.roots else bundle.label(shown))
        )
        _take(launch, source, core, bundle.label(source.path))
    for source in bundle.of(visualize.NAME):
        if source.path.parent in launches:
            _take_visual(launches[source.path.parent], source, bundle.label(source.path))
    found = [launches[home] for home in sorted(launches)]
    operators = [op for launch in found if (op := _operator(launch)) is not None]
    if not operators:
        raise SourceError(
            "tables of the simulator are here, but no row with cycles",
            where=str(bundle.of(NAME)[0].path),
            now="run msopprof simulator again (built with -g, with --kernel-name), or copy the whole folder",
        )
    written = next(
        ((v.visual.soc, v.label or "visualize_data.bin") for v in found if v.visual and v.visual.soc), None
    )
    the_chip, chip_notices = chip.resolve(written, soc)
    return Profile(
        target=bundle.target,
        source=NAME,
        scope="operator",
        capture=Capture("msopprof simulator", simulated=True),
        chip=the_chip,
        operators=tuple(operators),
        files=tuple(file for launch in found for file in launch.files),
        notices=(*bundle.notices, *(n for launch in found for n in launch.notices), *chip_notices),
    )


def contribute(profile: Profile, bundle: Bundle) -> Profile:
    """Beside times of a device the model's are left out: the two are never mixed."""
    sources = bundle.of(NAME)
    tables = sum(kind_of(source) != "trace" for source in sources)
    what = f"{len(sources)} files of the simulator" if tables else "a trace of single instructions"
    text = f"{what} beside the capture were left out; give them alone to read them"
    notice = Notice("simulated-left-out", text, bundle.label(sources[0].path))
    return replace(profile, notices=(*profile.notices, notice))


def _place(path: Path) -> tuple[Path, Core | None]:
    """The folder of the launch a file belongs to, and its core by folder or file name."""
    above = core_named(path.parent.name)
    return (path.parent.parent, above) if above else (path.parent, core_named(path.name))


def _take(launch: _Launch, source: Source, core: Core | None, label: str) -> None:
    kind = kind_of(source) or ""
    if (kind, core) in launch.seen or (kind == "trace" and launch.traces and core is None):
        text = f"a second {kind} of one core was left out"
        launch.notices.append(Notice("second-table", text, label))
        return
    launch.seen.add((kind, core))
    if kind == "trace":
        found, used = simulator_trace.read(source, core, label, launch.notices)
        for name, trace in found.items():  # the trace of all cores comes first, by its path
            launch.traces.setdefault(name, trace)
        launch.files.append(SourceFile(label, kind, used))
        return
    records = Records(source.path, kind, label)
    if kind == "instr_exe":
        _instructions(launch, records, core or (0, "core"))
    else:
        _lines(launch, records)
    launch.files.append(records.file)
    launch.notices.extend(records.notices())


def _instructions(launch: _Launch, records: Records, core: Core) -> None:
    if core not in launch.pipes and len(launch.pipes) >= MOST_CORES:
        return
    pipes, waits = launch.pipes.setdefault(core, {}), launch.waits.setdefault(core, {})
    for cells in records:
        cycles, spent = _cycles(cells["cycles"]), time_us(cells.get("running_us", ""))
        pipe = PIPES.get(cells["pipe"].strip().upper())
        if cycles is None or damaged(cells.get("running_us", ""), "us"):
            records.reject()
        elif pipe is not None and spent is not None:
            into = waits if cells["instruction"].strip().upper().startswith(_SYNC) else pipes
            into[pipe] = into.get(pipe, 0.0) + spent


def _lines(launch: _Launch, records: Records) -> None:
    for cells in records:
        cycles, calls = _cycles(cells["cycles"]), counter(cells["call_count"])
        name = _short(cells["source_line"])
        if cycles is None or not name:
            records.reject()
        elif name in launch.lines or len(launch.lines) < MOST_LINES:
            line = launch.lines.setdefault(name, _Line())
            line.cycles += cycles
            line.calls += calls or 0.0


def _cycles(cell: str) -> float | None:
    found = counter(cell)
    return found if found is not None and found < MOST_CYCLES else None


def _short(place: str) -> str:
    """path:line without the folders of somebody's machine, the last one kept to tell files apart."""
    return clean("/".join(place.strip().split("/")[-2:]), 120)


def _take_visual(launch: _Launch, source: Source, label: str) -> None:
    try:
        launch.visual = visualize.parse(source, label)
    except SourceError as fault:  # the tables stand without it
        launch.notices.append(Notice("file-skipped", fault.what, label))
    else:
        launch.files.append(SourceFile(label, visualize.NAME, launch.visual.blocks))


def _operator(launch: _Launch) -> Operator | None:
    cores = tuple(
        CoreCounters(block, sub, values)
        for (block, sub), values in sorted(_counters(launch).items())
        if values
    )
    total = plain_sum(line.cycles for line in launch.lines.values())
    if not cores and not total:
        return None
    attributes = {"folder": launch.label} if launch.label else {}
    attributes |= _hot(launch, total)
    if not (launch.visual and launch.visual.name) and not _in_layout(launch.home):
        attributes["name_from"] = "folder"
    if launch.traces and not launch.pipes and not launch.lines:
        text = "instructions without the simulator's tables: taken as simulated, a device's timeline looks the same"
        launch.notices.append(Notice("trace-alone", text, launch.label))
    if launch.pipes and not launch.traces:
        text = "without trace.json no core's time is known: pipe times and hot lines, but no shares"
        launch.notices.append(Notice("no-trace", text, launch.label))
    visual = launch.visual
    duration = _duration(launch)
    blocks = {core.block for core in cores}
    return Operator(
        name=(visual and visual.name) or _name(launch.home),
        type=None,
        core=_kind({core.sub_block for core in cores}),
        count=1,
        duration=duration,
        total_us=duration.value,
        block_dim=visual.block_dim if visual else None,
        cores=cores,
        attributes=attributes | ({"simulated_cores": str(len(blocks))} if blocks else {}),
    )


def _counters(launch: _Launch) -> dict[Core, dict[str, float]]:
    """Columns of a device's PipeUtilization, filled from the trace where there is one."""
    out: dict[Core, dict[str, float]] = {}
    for core in sorted(launch.traces.keys() | launch.pipes.keys()):
        side = "aiv" if core[1].startswith("vector") else "aic"
        trace = launch.traces.get(core)
        values: dict[str, float] = {}
        active: Mapping[str, float] = launch.pipes.get(core, {})
        if trace and trace.span_us > 0:
            values[f"{side}_time_us"] = trace.span_us
            active = {pipe: union.length for pipe, union in trace.pipes.items()}
        for pipe, spent in active.items():
            values[f"{side}_{pipe}_time_us"] = spent
            if trace and trace.span_us > 0:
                values[f"{side}_{pipe}_ratio"] = spent / trace.span_us
        if trace and trace.span_us > 0:
            for pipe, spent in launch.waits.get(core, {}).items():
                column = f"{side}_{_WAITED.get(pipe, pipe)}_wait_ratio"
                if column in all_columns():
                    values[column] = min(1.0, spent / trace.span_us)
        out[core] = values
    return out


def _duration(launch: _Launch) -> Measure:
    """Simulated time of the slowest core; at least its longest pipe where there is no trace."""
    spans = [trace.span_us for trace in launch.traces.values() if trace.span_us > 0]
    if spans:
        where = "trace.json: first event to last end of the slowest core, simulated"
        return Measure(max(spans), "us", where, computed=True)
    longest = max((spent for pipes in launch.pipes.values() for spent in pipes.values()), default=0.0)
    if longest:
        where = (
            "instr_exe:running_time(us), sum of the longest pipe: the kernel takes at least this, simulated"
        )
        return Measure(longest, "us", where, computed=True)
    cycles = plain_sum(line.cycles for line in launch.lines.values())
    return Measure(cycles, "cycles", "code_exe:cycles, sum over lines and cores, simulated", computed=True)


def _hot(launch: _Launch, total: float) -> dict[str, str]:
    """The lines with the most cycles, as attributes of the operator and as a notice."""
    ranked = sorted(launch.lines.items(), key=lambda item: (-item[1].cycles, item[0]))[:HOT_LINES]
    hot = [
        f"{name}: {line.cycles / total:.0%} of the cycles, {line.calls:.0f} calls"
        for name, line in ranked
        if line.cycles
    ]
    if hot:
        launch.notices.append(Notice("hot-lines", "most cycles: " + "; ".join(hot), launch.label))
    return {f"hot_line_{place}": text for place, text in enumerate(hot, 1)}


def _name(home: Path) -> str:
    """<operator>/<launch>/simulator in a run of several kernels, else the result folder."""
    folder = home.parent if home.name == "simulator" else home
    named = folder.parent if folder.name.isdecimal() else folder
    return clean(named.name) or "kernel"


def _in_layout(home: Path) -> bool:
    """The folder is named after the kernel by the tool, not after the result."""
    return (home.parent if home.name == "simulator" else home).name.isdecimal()


def _kind(subs: set[str]) -> CoreKind:
    kinds = {sub.rstrip("0123456789") for sub in subs}
    if {"cube", "vector"} <= kinds:
        return "mix"
    one: dict[str, CoreKind] = {"cube": "cube", "vector": "vector", "core": "fused"}
    return next((one[kind] for kind in one if kind in kinds), "unknown")
