"""msopprof on a device: one folder a launch with up to eight CSVs, `dump/` and visualize_data.bin.

All layouts are told apart by where the files lie together, not by folder names: a single folder, kernel/order
folders, device folders above them, a part of a folder, or one lone table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from kb.engine.readers import chip, versions, visualize
from kb.engine.readers.capture import (
    Capture,
    info_pairs,
    judge_consistency,
    operator,
    read_basic,
    read_info,
    read_table,
    slowest_of,
)
from kb.engine.readers.columns import MSOPPROF_TABLES, index, msopprof_table, number
from kb.engine.readers.source import Bundle, Source
from kb.engine.readers.visualize_cores import only_here
from kb.engine.readers.words import clean
from kb.errors import SourceError
from kb.model import Capture as HowMeasured
from kb.model import Notice, Operator, Profile

NAME = "msopprof"
TITLE = "msopprof on a device (OpBasicInfo.csv, PipeUtilization.csv and the other tables)"
FAMILY = "kernel"
RANK = 30

_STAMP = re.compile(r"_(\d{17})$")


def recognise(source: Source) -> int:
    """By the header of one of the eight tables, or the SoC line of op_basic_info.txt."""
    return 90 if kind_of(source) else 0


def kind_of(source: Source) -> str | None:
    """Table name, "OpBasicInfo", "op_basic_info", or None for a file of something else."""
    if not source.header:
        return None
    table = msopprof_table(source.header)
    if table:
        return table
    known, unknown = index(source.header, "OpBasicInfo")
    cells = {cell.casefold() for cell in source.header}
    if (
        {"op_name", "kernel_kind", "task_duration_us"} <= known.keys()
        and len(unknown) < 4
        and "task type" not in cells
    ):
        return "OpBasicInfo"
    pairs = info_pairs(source.text) if source.size < 1 << 16 else {}
    return "op_basic_info" if "run soc version" in pairs else None


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """One operator a launch.

    Raises:
        SourceError: when no launch holds a measurement.
    """
    captures = _captures(bundle)
    notices = list(bundle.notices)
    found = [(capture, _read_one(capture, bundle)) for capture in captures]
    found = _without_second_groups(found, notices)
    kept = [(capture, op) for capture, op in found if op is not None]
    if not kept:
        raise SourceError(
            "msopprof files are here, but none holds a duration or a core's time",
            where=str(captures[0].folder),
            now="run msopprof again, or copy the whole OPPROF_* folder",
        )
    tool, cann = _version([capture for capture, _ in kept])
    written = _written_soc(capture for capture, _ in kept)
    the_chip, chip_notices = chip.resolve(written, soc, _clues(kept))
    groups = [table for table in MSOPPROF_TABLES if any(table in capture.ids for capture, _ in kept)]
    advice = [line for capture, _ in kept if capture.visual for line in capture.visual.advice]
    return Profile(
        target=bundle.target,
        source=NAME,
        scope="operator",
        capture=HowMeasured("msopprof", tool, cann, metric_groups=tuple(groups)),
        chip=the_chip,
        operators=tuple(op for _, op in kept),
        tool_advice=tuple(dict.fromkeys(advice)),
        files=tuple(file for capture, _ in found for file in capture.files),
        notices=(
            *notices,
            *_apart(kept),
            *(n for capture, _ in found for n in capture.notices),
            *chip_notices,
        ),
    )


def _apart(kept: Iterable[tuple[Capture, Operator]]) -> Iterable[Notice]:
    """Folders of one kernel that do not count launches: rounds of work on it, which are no run together.

    The tool itself numbers the folders of the launches of one collection.
    """
    folders: dict[str, set[Path]] = {}
    for capture, op in kept:
        if not capture.folder.name.isdecimal():
            folders.setdefault(op.type or op.name, set()).add(capture.folder)
    for name, found in folders.items():
        if len(found) > 1:
            text = (
                f"captures of {clean(name)} in {len(found)} folders of their own: taken one after another, not launches of "
                "one run. What follows adds them up; give one alone, or compare two with kb compare"
            )
            yield Notice("captures-apart", text)
            return


def _captures(bundle: Bundle) -> list[Capture]:
    """The launches: files of one folder belong together; a folder with several of a kind is split by
    time stamp.
    """
    folders: dict[Path, list[tuple[str, Source]]] = {}
    for source in bundle.of(NAME):
        kind = kind_of(source)
        folder = source.path.parent
        if kind == "op_basic_info" and folder.name == "dump":
            folder = folder.parent
        if kind:
            folders.setdefault(folder, []).append((kind, source))
    out: list[Capture] = []
    for folder, members in folders.items():
        kinds = [kind for kind, _ in members]
        crowded = len(kinds) != len(set(kinds))
        parts: dict[str, list[tuple[str, Source]]] = {}
        for kind, source in members:
            stamp = _STAMP.search(source.path.stem) if crowded else None
            parts.setdefault(stamp[1] if stamp else "", []).append((kind, source))
        out.extend(_assemble(folder, part, bundle) for part in parts.values())
    for source in bundle.of(visualize.NAME):
        home = next((capture for capture in out if capture.folder == source.path.parent), None)
        if home:
            home.visual_file = source
    return sorted(out, key=lambda capture: _natural(capture.label))


def _natural(label: str) -> list[tuple[int, str]]:
    """Sort key under which launch 10 follows launch 9."""
    return [
        (int(part), "") if part.isdecimal() and len(part) < 18 else (-1, part)
        for part in re.split(r"(\d+)", label)
    ]


def _assemble(folder: Path, members: Sequence[tuple[str, Source]], bundle: Bundle) -> Capture:
    label = bundle.label(folder) if folder not in bundle.roots else ""
    capture = Capture(folder, label)
    for kind, source in members:
        if kind == "OpBasicInfo" and capture.basic is None:
            capture.basic = source
        elif kind == "op_basic_info" and capture.info is None:
            capture.info = source
        elif kind in MSOPPROF_TABLES and kind not in capture.tables:
            capture.tables[kind] = source
        else:
            text = f"a second {kind} table in one folder was left out"
            capture.notices.append(Notice("second-table", text, bundle.label(source.path)))
    return capture


def _read_one(capture: Capture, bundle: Bundle) -> Operator | None:
    if capture.basic:
        read_basic(capture, bundle.label(capture.basic.path))
    if capture.info:
        read_info(capture, bundle.label(capture.info.path))
    if capture.visual_file:
        label = bundle.label(capture.visual_file.path)
        try:
            capture.visual = visualize.parse(capture.visual_file, label)
        except SourceError as fault:  # the tables stand without it
            capture.notices.append(Notice("file-skipped", fault.what, label))
        else:
            capture.notices.extend(capture.visual.notices)
    for table in MSOPPROF_TABLES:
        if table in capture.tables:
            source = capture.tables[table]
            read_table(capture, table, source, bundle.label(source.path))
    if capture.visual:
        _take_visual(capture, capture.visual)
    judge_consistency(capture)
    return operator(capture)


def _take_visual(capture: Capture, visual: visualize.Visual) -> None:
    """The readings of visualize_data.bin: all of them where there is no table, else those no table has."""
    if not capture.cores:
        capture.cores = dict(visual.cores)
        return
    for core, values in visual.cores.items():
        if core in capture.cores:
            own = {name: value for name, value in values.items() if name in only_here()}
            capture.cores[core] = {**own, **capture.cores[core]}


def _without_second_groups(
    found: list[tuple[Capture, Operator | None]], notices: list[Notice]
) -> list[tuple[Capture, Operator | None]]:
    """Leave out folders that show another metric group of a kernel that is here whole.

    Such a folder has no OpBasicInfo, the same cores, and core times within a quarter of the whole one's.
    """
    whole = [(capture, op) for capture, op in found if op and capture.basic]
    out = []
    for capture, op in found:
        twin = None
        if op and not capture.basic:
            twin = next((other for other, _ in whole if _same_kernel(capture, other)), None)
        if twin is None:
            out.append((capture, op))
        else:
            home = twin.label or "its parent"
            text = f"looks like another metric group of the kernel in {home}; give it alone to read it"
            notices.append(Notice("second-metric-group", text, capture.label))
    return out


def _same_kernel(one: Capture, other: Capture) -> bool:
    if one.cores.keys() != other.cores.keys():
        return False
    pairs = [(slowest_of(one.cores[core]), slowest_of(other.cores[core])) for core in one.cores]
    return all(a and b and abs(a - b) <= 0.25 * max(a, b) for a, b in pairs)


def _version(captures: Iterable[Capture]) -> versions.Guess:
    guesses = [versions.sniff(capture.ids) for capture in captures]
    tool = next((tool for tool, _ in guesses if tool), None)
    return tool, next((cann for _, cann in guesses if cann), None)


def _written_soc(captures: Iterable[Capture]) -> tuple[str, str] | None:
    """The SoC as written: in op_basic_info.txt of any launch, else in its visualize_data.bin."""
    both = list(captures)
    for capture in both:
        if capture.soc:
            return capture.soc, next(f.path for f in capture.files if f.kind == "op_basic_info")
    for capture in both:
        if capture.visual and capture.visual.soc and capture.visual_file:
            return capture.visual.soc, capture.visual_file.path.name
    return None


def _clues(kept: Sequence[tuple[Capture, Operator]]) -> chip.Clues:
    family: frozenset[str] | None = None
    pairs: list[tuple[float, float]] = []
    blocks = {"cube": 0, "vector": 0}
    rated: float | None = None
    for capture, op in kept:
        if capture.families:
            family = capture.families if family is None else family & capture.families
        rated = rated or number(capture.facts.get("rated_freq", ""))
        for values in capture.cores.values():
            for side in ("aic", "aiv"):
                cycles, time = values.get(f"{side}_total_cycles"), values.get(f"{side}_time_us")
                if cycles and time:
                    pairs.append((cycles, time))
        for kind, most in blocks.items():
            blocks[kind] = max(most, sum(core.sub_block.startswith(kind) for core in op.cores))
    return chip.Clues(family or frozenset(), rated or chip.clock_of(pairs), blocks["cube"], blocks["vector"])
