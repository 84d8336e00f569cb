"""One hash of what a profile holds, so that the same profile is the same run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from kb.model import Measure, Operator, Profile, RunTimes

TYPED = "typed in"


def content(profile: Profile) -> str:
    """SHA-256 of what was measured.

    Names of files and folders, what the user states about them, and what `kb` concludes stay out: the same profile
    has the same hash wherever its files lie, whichever chip is named and whichever release judges it.
    """
    digest = hashlib.sha256()
    for line in _lines(profile):
        digest.update(line.encode("utf-8", "surrogatepass"))
        digest.update(b"\n")
    return digest.hexdigest()


def _lines(profile: Profile) -> Iterator[str]:
    capture = profile.capture
    yield repr((profile.source, profile.scope, capture.tool, capture.simulated))
    if capture.tool == TYPED:  # here all that is known was stated
        yield repr((sorted(profile.stated.items()), profile.chip.soc))
    yield repr(_readings(profile.counters))
    yield repr(_times(profile.times))
    for rank in profile.ranks:
        yield repr((rank.name, _times(rank.times)))
    yield from sorted(map(_operator, profile.operators))  # an order of equal times must not matter


def _operator(op: Operator) -> str:
    tensors = [
        [(tensor.shape, tensor.dtype, tensor.format) for tensor in side] for side in (op.inputs, op.outputs)
    ]
    cores = [(core.block, core.sub_block, sorted(core.values.items())) for core in op.cores]
    wait = None if op.wait is None else _figures(op.wait)
    name = "" if op.attributes.get("name_from") == "folder" else op.name  # the profile itself has none
    return repr(
        (
            name, op.type, op.core, op.count, _figures(op.duration), op.total_us, op.block_dim, op.mix_block_dim,
            tensors, _readings(op.counters), cores, wait, op.clock_mhz, op.rated_clock_mhz,
        )
    )  # fmt: skip


def _readings(counters: Mapping[str, Measure]) -> list[tuple[str, tuple[object, ...]]]:
    return sorted((name, _figures(measure)) for name, measure in counters.items())


def _times(times: RunTimes) -> list[object]:
    parts = (times.span, times.busy, times.compute, times.communication, times.exposed, times.idle, times.step,
             times.waiting, times.transit)  # fmt: skip
    return [times.idle_gaps, times.steps, *(None if part is None else _figures(part) for part in parts)]


def _figures(measure: Measure) -> tuple[object, ...]:
    return (measure.value, measure.unit, measure.low, measure.high, measure.n)
