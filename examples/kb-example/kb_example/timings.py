"""A reader: timing logs of a build farm, one operator a line.

    # example timings 1 Ascend910B2
    MatMul<TAB>cube<TAB>412.5<TAB>64

The columns are type, core kind, time in microseconds of all launches together, and launches.
"""

from __future__ import annotations

from pathlib import Path

from kb.engine.readers.source import Bundle, Source
from kb.errors import SourceError
from kb.model import Capture, Chip, CoreKind, Measure, Operator, Profile, SourceFile

NAME = "example_timings"
TITLE = "timing log of the example build farm"
FAMILY = "job"  # a whole run; "kernel" would be captures of single kernels
RANK = 10  # where a folder holds several formats of one run, the highest rank makes the profile

_HEAD = "# example timings 1"
_CORES: tuple[CoreKind, ...] = ("vector", "cube", "mix", "ai_cpu")


def recognise(source: Source) -> int:
    """Sure by the first line; only the head of the file is looked at."""
    return 100 if source.text.startswith(_HEAD) else 0


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """The run; `kb` asks only when there is at least one file of this kind."""
    path = bundle.of(NAME)[0].path
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    operators = tuple(_operator(line, f"{path}:{at}") for at, line in enumerate(lines, 2) if line.strip())
    named = head.removeprefix(_HEAD).strip() or soc
    return Profile(
        target=bundle.target,
        source=NAME,
        scope="run",
        capture=Capture("example build farm"),
        chip=Chip(named, basis="file" if head != _HEAD else "stated") if named else Chip(),
        operators=operators,
        files=(SourceFile(bundle.label(path), NAME, len(operators)),),
        notices=bundle.notices,
    )


def _operator(line: str, where: str) -> Operator:
    kind, _, rest = line.partition("\t")
    try:
        core, time, launches = rest.split("\t")
        total, count = float(time), int(launches)
        known = next(known for known in _CORES if known == core)
    except (ValueError, StopIteration):
        raise SourceError(
            "not type, core, time and launches", where=where, now="mend the line, or leave it out"
        ) from None
    measured = Measure(total / count, "us", f"{Path(where).name}: time / launches", n=count, computed=True)
    return Operator(kind, kind, known, count, measured, total)
