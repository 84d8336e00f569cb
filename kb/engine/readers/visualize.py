"""visualize_data.bin of msopprof: the blocks behind MindStudio Insight's pages.

Nothing official documents the format, so it is read as a hostile binary: a walk over block headers (u64 size
with padding, u8 type, u8 padding, two marks), JSON payloads of a few types only, every size bounded, every
value checked. It holds what no CSV does: the SoC (block 5) and the tool's own advice. The layout was
read off msopprof's open source and checked on two real files.
"""

from __future__ import annotations

import json
import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from kb.engine.readers import chip
from kb.engine.readers.columns import number, time_us
from kb.engine.readers.rows import unreadable
from kb.engine.readers.source import Bundle, Source
from kb.engine.readers.visualize_cores import Cores, add_block, core_times
from kb.engine.readers.words import clean
from kb.errors import SourceError
from kb.model import Capture, CoreCounters, CoreKind, Measure, Notice, Operator, Profile, SourceFile

NAME = "visualize_data"
TITLE = "msopprof data for MindStudio Insight (visualize_data.bin)"
FAMILY = "kernel"
RANK = 20
ADDS = True

_HEADER = struct.Struct("<QBBBB")
_MARK = 0x5A
_SOURCE_FILE, _INSTR_API, _OP_BASIC = 1, 4, 5
_SOURCE_PATH = 4096
_TYPES = frozenset(range(1, 16))
_WANTED = frozenset((5, 6, 7, 8, 9, 12, 13))
MOST_BLOCKS = 4_096
LARGEST_PAYLOAD = 32 << 20
MOST_ADVICE = 100

_NUMBERED = re.compile(r"^\d+\)\s*")  # the tool numbers its advice

KINDS: dict[str, CoreKind] = {"vector": "vector", "cube": "cube", "mix": "mix", "aicore": "fused"}


@dataclass
class Visual:
    """What is used of such a file; absent parts are None or empty."""

    soc: str | None = None
    name: str | None = None
    kind: CoreKind | None = None
    duration_us: float | None = None
    block_dim: int | None = None
    mix_block_dim: int | None = None
    clock_mhz: float | None = None
    rated_clock_mhz: float | None = None
    cores: Cores = field(default_factory=dict)
    advice: list[str] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    blocks: int = 0


def recognise(source: Source) -> int:
    """By the first block header: its marks, a known type, and a size the file can hold."""
    if len(source.head) < _HEADER.size:
        return 0
    size, kind, pad, mark, end = _HEADER.unpack_from(source.head)
    sound = kind in _TYPES and pad < 4 and end == _MARK and mark in (_MARK, 0)
    return 90 if sound and size <= source.size else 0


def parse(source: Source, label: str) -> Visual:
    """Read the blocks that matter; damage ends the reading and is noticed.

    Raises:
        SourceError: when the file cannot be opened, or holds not one readable block.
    """
    out = Visual()
    try:
        with source.path.open("rb") as file:
            for kind, payload in _blocks(file, os.fstat(file.fileno()).st_size, out, label):
                _use(kind, payload, out)
    except OSError as fault:
        raise unreadable(source.path, fault) from fault
    if not out.blocks:
        raise SourceError(
            "looks like visualize_data.bin but holds no readable block",
            where=str(source.path),
            now="copy the file again, or give the CSV files of the same run",
        )
    return out


def _blocks(file: BinaryIO, size: int, out: Visual, label: str) -> Iterator[tuple[int, dict[str, Any]]]:
    place = 0
    for _ in range(MOST_BLOCKS):
        head = file.read(_HEADER.size)
        if len(head) < _HEADER.size:
            if head:
                out.notices.append(
                    Notice("file-cut-off", f"ends inside a block header at byte {place}", label)
                )
            return
        length, kind, pad, _, end = _HEADER.unpack(head)
        start = place + _HEADER.size + (_SOURCE_PATH if kind == _SOURCE_FILE else 0)
        if end != _MARK or pad > length or start + length > size:
            out.notices.append(
                Notice("file-cut-off", f"damaged or cut off at byte {place}; the rest is not used", label)
            )
            return
        if kind in _WANTED and length <= LARGEST_PAYLOAD:
            file.seek(start)
            payload = _json(file.read(length - pad))
            if payload is None:
                out.notices.append(
                    Notice("block-skipped", f"block of type {kind} at byte {place} is damaged", label)
                )
            else:
                out.blocks += 1
                yield kind, payload
        place = start + length
        file.seek(place)
    out.notices.append(Notice("file-cut-off", f"only the first {MOST_BLOCKS} blocks were read", label))


def _json(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _use(kind: int, payload: dict[str, Any], out: Visual) -> None:
    if kind == _OP_BASIC:
        out.soc = _word(payload.get("soc"))
        out.name = _word(payload.get("name"))
        out.kind = KINDS.get((_word(payload.get("op_type")) or "").casefold())
        out.duration_us = time_us(str(payload.get("duration"))[:64])
        out.block_dim, out.mix_block_dim = (
            _count(payload.get("block_dim")),
            _count(payload.get("mix_block_dim")),
        )
        out.clock_mhz, out.rated_clock_mhz = value(payload.get("cur_freq")), value(payload.get("rated_freq"))
        core_times(payload, out.cores)
    else:
        add_block(kind, payload, out.kind, out.cores)
    _advice(payload, out.advice)


def value(cell: object) -> float | None:
    """A finite number, written as number or text; None otherwise."""
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str)):
        return None
    return number(str(cell)[:64])


def _count(cell: object) -> int | None:
    found = value(cell)
    return int(found) if found is not None and 0 < found < 1e9 else None


def _word(cell: object) -> str | None:
    return (clean(cell) or None) if isinstance(cell, str) else None


def _advice(payload: dict[str, Any], out: list[str]) -> None:
    """The tool's own advice, at the top of a block or per core; each sentence once, control characters
    dropped.
    """
    found: list[object] = [payload.get("advice")]
    for key in ("core_memory_map", "table_per_block"):
        items = payload.get(key)
        if isinstance(items, list):
            found.extend(item.get("advice") for item in items if isinstance(item, dict))
    for item in found:
        for text in item if isinstance(item, list) else [item]:
            for line in text.splitlines() if isinstance(text, str) else ():
                sentence = _NUMBERED.sub("", clean(line, 300))
                if sentence and sentence not in out and len(out) < MOST_ADVICE:
                    out.append(sentence)


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """A profile of the file alone: basics, core times, and per-core readings where the blocks hold them."""
    operators: list[Operator] = []
    files: list[SourceFile] = []
    notices = list(bundle.notices)
    advice: list[str] = []
    written: tuple[str, str] | None = None
    for source in bundle.of(NAME):
        label = bundle.label(source.path)
        visual = parse(source, label)
        notices.extend(visual.notices)
        files.append(SourceFile(label, NAME, visual.blocks))
        advice.extend(line for line in visual.advice if line not in advice)
        if visual.soc and written is None:
            written = (visual.soc, label)
        operators.append(_operator(visual, label, source))
    found, chip_notices = chip.resolve(written, soc)
    notices.append(Notice("no-csv", "read from visualize_data.bin alone; the CSV files of the run hold more"))
    return Profile(
        target=bundle.target,
        source=NAME,
        scope="operator",
        capture=Capture("msopprof"),
        chip=found,
        operators=tuple(operators),
        tool_advice=tuple(advice),
        files=tuple(files),
        notices=(*notices, *chip_notices),
    )


def _operator(visual: Visual, label: str, source: Source) -> Operator:
    times = [t for v in visual.cores.values() for k, t in v.items() if k in ("aic_time_us", "aiv_time_us")]
    if visual.duration_us:
        duration = Measure(visual.duration_us, "us", f"{label}:duration")
    elif times:
        duration = Measure(max(times), "us", f"{label}: slowest core", computed=True)
    else:
        raise SourceError(
            "holds no duration", where=str(source.path), now="give the CSV files of the same run"
        )
    return Operator(
        name=visual.name or source.path.parent.name,
        type=None,
        core=visual.kind or "unknown",
        count=1,
        duration=duration,
        total_us=duration.value,
        block_dim=visual.block_dim,
        mix_block_dim=visual.mix_block_dim,
        cores=tuple(CoreCounters(b, s, v) for (b, s), v in sorted(visual.cores.items())),
        clock_mhz=visual.clock_mhz,
        rated_clock_mhz=visual.rated_clock_mhz,
        attributes={} if visual.name else {"name_from": "folder"},
    )
