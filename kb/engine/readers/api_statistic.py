"""api_statistic*.csv of msprof and the PyTorch profiler: what the host did, by API."""

from __future__ import annotations

from dataclasses import replace

from kb.engine.readers import chip, host_calls
from kb.engine.readers.columns import index, number, time_us
from kb.engine.readers.host_calls import HostCalls
from kb.engine.readers.records import Records
from kb.engine.readers.source import Bundle, Source
from kb.engine.readers.words import clean
from kb.model import Capture, Notice, Profile, SourceFile

NAME = "api_statistic"
TITLE = "host API times of msprof or the PyTorch profiler (api_statistic*.csv)"
FAMILY = "job"
RANK = 4
ADDS = True

_NEEDED = ("api_level", "api_name", "api_us")


def recognise(source: Source) -> int:
    """By level, name and time of an API."""
    known, _ = index(source.header, NAME)
    return 90 if all(name in known for name in _NEEDED) else 0


def contribute(profile: Profile, bundle: Bundle) -> Profile:
    """What the host did, for a profile made from other files of the same run."""
    calls, files, notices = _gather(bundle)
    return replace(
        profile,
        counters={**profile.counters, **host_calls.counters(calls)},
        files=(*profile.files, *files),
        notices=(*profile.notices, *notices),
    )


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """A profile without operators: the host's side alone."""
    the_chip, chip_notices = chip.resolve(None, soc)
    empty = Profile(
        target=bundle.target,
        source=NAME,
        scope="run",
        capture=Capture("msprof"),
        chip=the_chip,
        operators=(),
        notices=(*bundle.notices, *chip_notices),
    )
    return contribute(empty, bundle)


def _gather(bundle: Bundle) -> tuple[HostCalls, list[SourceFile], list[Notice]]:
    sources = bundle.of(NAME)
    calls = HostCalls(", ".join(bundle.label(source.path) for source in sources[:2]))
    files: list[SourceFile] = []
    notices: list[Notice] = []
    for source in sources:
        records = Records(source.path, NAME, bundle.label(source.path))
        for cells in records:
            spent, count = time_us(cells["api_us"]), number(cells.get("launches", ""))
            if spent is None or not cells["api_name"].strip():
                records.reject()
            else:
                calls.add(cells["api_level"].strip(), clean(cells["api_name"]), spent, count or 0.0)
        files.append(records.file)
        notices.extend(records.notices())
    return calls, files, [*notices, *host_calls.notices(calls)]
