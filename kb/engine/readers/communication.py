"""communication.json and communication_matrix.json of the PyTorch profiler, and the cluster's file of all ranks.

Beside a table of kernels they say how much of the communication is waiting for other ranks, how fast the links
were and how large the packets; alone they give the collectives and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from statistics import median
from typing import Any

from kb.engine.readers import chip, collectives
from kb.engine.readers.collectives import Collectives
from kb.engine.readers.columns import LONGEST_US, number
from kb.engine.readers.json_stream import Stopped, values
from kb.engine.readers.source import Bundle, Source
from kb.engine.readers.step_trace import all_settings, in_order, rank_name
from kb.engine.readers.words import clean
from kb.errors import SourceError
from kb.model import Capture, Measure, Notice, Profile, RunTimes, SourceFile

NAME = "communication"
TITLE = "collectives and links of the PyTorch profiler (communication*.json, cluster_communication.json)"
FAMILY = "job"
RANK = 8
ADDS = True

_TIMES, _BANDWIDTH = "Communication Time Info", "Communication Bandwidth Info"
_TOTAL = "Total Op Info"
SLOW_LINK = 0.7  # of the median link of the same transport
MOST_LINKS = 100_000
LONGEST_MS = LONGEST_US / 1000

Links = dict[tuple[str, str], list[float]]  # (transport, "0-1") -> MB, ms


def recognise(source: Source) -> int:
    """By the names of its members, which stand in the first kilobytes."""
    text = source.text
    if not text.lstrip().startswith("{"):
        return 0
    matrix = '"Transport Type"' in text and '"Transit Size(MB)"' in text
    return 90 if f'"{_TIMES}"' in text or matrix else 0


def contribute(profile: Profile, bundle: Bundle) -> Profile:
    """Waiting, transit, packets and links for a profile made from other files of the same run."""
    found, files, notices = _gather(bundle)
    out = collectives.add_to(profile, found)
    return replace(out, files=(*out.files, *files), notices=(*out.notices, *notices))


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """The collectives alone.

    Raises:
        SourceError: when not one collective or link can be used.
    """
    found, files, notices = _gather(bundle)
    if not any(file.rows for file in files):
        raise SourceError(
            "looks like communication.json but holds no collective",
            where=str(bundle.of(NAME)[0].path),
            now="export the profile again",
        )
    the_chip, chip_notices = chip.resolve(None, soc)
    ranks = {name: _times(spent, found.origin) for name, spent in found.ranks.items()}
    empty = Profile(
        target=bundle.target,
        source=NAME,
        scope="run",
        capture=Capture("Ascend PyTorch Profiler"),
        chip=the_chip,
        operators=(),
        times=_times(collectives.total(found), found.origin, len(found.steps) or None)
        if ranks
        else RunTimes(),
        ranks=in_order(ranks) if len(ranks) > 1 else (),
        files=tuple(files),
        notices=(*bundle.notices, *notices, *chip_notices),
    )
    return collectives.add_to(empty, found)


def _times(spent: collectives.Spent, origin: str, steps: int | None = None) -> RunTimes:
    communication = Measure(spent.elapsed, "us", f"{origin}:Elapse Time", n=spent.count)
    return collectives.with_waiting(RunTimes(communication=communication, steps=steps), spent, origin)


def _gather(bundle: Bundle) -> tuple[Collectives, list[SourceFile], list[Notice]]:
    known = all_settings(bundle)
    found = Collectives(origin=", ".join(bundle.label(source.path) for source in bundle.of(NAME)[:2]))
    links: Links = {}
    files: list[SourceFile] = []
    notices: list[Notice] = []
    for source in bundle.of(NAME):
        label = bundle.label(source.path)
        stopped = Stopped()
        used = 0
        for keys, value in values(source.path, 3, stopped):
            if len(keys) == 3 and isinstance(value, dict) and keys[2] != _TOTAL:
                used += _take(found, links, keys, value, rank_name(source.path, known))
        files.append(SourceFile(label, NAME, used))
        if stopped:
            text = f"{stopped.why} at character {stopped.at}; the {used} collectives before it are used"
            notices.append(Notice("file-cut-off", text, label))
    notices.extend(_slow_links(links))
    return found, files, notices


def _take(
    found: Collectives, links: Links, keys: tuple[str, ...], value: Mapping[str, Any], rank: str
) -> int:
    """One member at depth three: a collective, the ranks of one (cluster), or the links of one (matrix)."""
    if _TIMES in value:
        return _collective(found, keys[2], rank, value, keys[0])
    used = 0
    for name, inner in value.items():
        if not isinstance(inner, dict):
            continue
        if _TIMES in inner:  # group of ranks, step, collective, rank
            used += _collective(found, keys[2], f"rank {clean(name, 20)}", inner, keys[1])
        elif "Transport Type" in inner:
            used += _link(links, name, inner)
    return used


def _collective(found: Collectives, name: str, rank: str, value: Mapping[str, Any], step: str) -> int:
    times = value.get(_TIMES)
    if not isinstance(times, dict):
        return 0
    elapsed, transit, waiting = (
        _amount(times.get(f"{part} Time(ms)")) for part in ("Elapse", "Transit", "Wait")
    )
    if elapsed is None:
        return 0
    found.call(rank, name, elapsed * 1000, (transit or 0.0) * 1000, (waiting or 0.0) * 1000)
    if len(found.steps) < collectives.MOST_RANKS:
        found.steps.add(step)
    bandwidth = value.get(_BANDWIDTH)
    for transport, sent in bandwidth.items() if isinstance(bandwidth, dict) else ():
        if isinstance(sent, dict):
            size, spent = _amount(sent.get("Transit Size(MB)")), _amount(sent.get("Transit Time(ms)"))
            found.moved(transport, size or 0.0, spent or 0.0)
            sizes = sent.get("Size Distribution")
            for packet, entry in sizes.items() if isinstance(sizes, dict) else ():
                count = entry[0] if isinstance(entry, list) and entry else entry
                found.packets(transport, _amount(packet) or 0.0, _amount(count) or 0.0)
    return 1


def _link(links: Links, name: str, value: Mapping[str, Any]) -> int:
    size, spent = _amount(value.get("Transit Size(MB)")), _amount(value.get("Transit Time(ms)"))
    transport = str(value.get("Transport Type"))[:20]
    if size is None or not spent or transport == "LOCAL":
        return 0
    if (transport, name) not in links and len(links) >= MOST_LINKS:
        return 0
    sums = links.setdefault((transport, name), [0.0, 0.0])
    sums[0] += size
    sums[1] += spent
    return 1


def _slow_links(links: Links) -> list[Notice]:
    """Links far below the others of their transport: a faulty or shared one."""
    rates: dict[str, dict[str, float]] = {}
    for (transport, name), (size, spent) in links.items():
        if size > 0:
            rates.setdefault(transport, {})[name] = size / spent
    out = []
    for transport, found in sorted(rates.items()):
        middle = median(found.values())
        worst = min(found, key=lambda name: (found[name], name))
        if len(found) > 2 and found[worst] < SLOW_LINK * middle:
            text = f"{clean(transport)} link {clean(worst, 20)} moves {found[worst]:.3g} GB/s"
            out.append(Notice("slow-link", f"{text}, the middle one {middle:.3g}"))
    return out


def _amount(value: object) -> float | None:
    """A number from zero up, written as number or text."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    found = number(str(value)[:64])
    return found if found is not None and 0 <= found < LONGEST_MS else None
