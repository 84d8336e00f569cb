"""A foretold network in the form of a profile, so that it is judged by the same rules as a measured one.

Every duration says that it is estimated; there are no counters, so whatever needs one is not judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from kb import targets
from kb.engine import stated
from kb.engine.estimate import Estimate
from kb.engine.network.types import Network, Timed
from kb.model import (
    Capture,
    Chip,
    CoreKind,
    Follow,
    Measure,
    Notice,
    Operator,
    Profile,
    SourceFile,
)

TOOL = "estimate"


def to_profile(network: Network, found: Sequence[Timed], soc: str, path: Path, kind: str) -> Profile:
    """The profile of a network: one operator a distinct call that has a time. `kind` names the file's format."""
    chip = targets.typical(soc)
    known = ((one, one.answer) for one in found if isinstance(one.answer, Estimate))
    ran = [_operator(one, answer, fused=chip.fused) for one, answer in known]
    notices = [
        Notice(
            "estimated",
            "estimated from shapes, nothing was measured: no counter is read, so no bottleneck is proven",
        )
    ]
    missing = sorted({one.call.type for one in found if not isinstance(one.answer, Estimate)})
    if missing:
        count = sum(one.count for one in found if not isinstance(one.answer, Estimate))
        notices.append(
            Notice(
                "not-estimated",
                f"calls without a time, missing from every sum: {count} of {', '.join(missing[:8])}",
            )
        )
    notices += [Notice("model", text) for text in network.notices]
    return Profile(
        target=network.name,
        source="network",
        scope="run",
        capture=Capture(TOOL),
        chip=Chip(chip.id, (chip.id,), "stated", "--soc"),
        operators=tuple(ran),
        follows=tuple(_follows(network, found)),
        files=(SourceFile(str(path), kind, len(network.calls)),),
        notices=tuple(notices),
    )


def _operator(one: Timed, answer: Estimate, *, fused: bool) -> Operator:
    call = one.call
    duration = Measure(
        answer.mid_us,
        "us",
        f"estimated: {answer.basis}",
        answer.low_us,
        answer.high_us,
        one.count,
        computed=True,
    )
    return Operator(
        name=call.name,
        type=call.type,
        core=_core(call.type, call.engine, fused=fused),
        count=one.count,
        duration=duration,
        total_us=answer.mid_us * one.count,
        inputs=call.inputs,
        outputs=call.outputs,
    )


def _core(kind: str, engine: str, *, fused: bool) -> CoreKind:
    if engine in ("ai_cpu", "host"):
        return "ai_cpu"
    if engine in ("dsa", "dvpp"):
        return "dsa" if engine == "dsa" else "dvpp"
    return stated.core_of(kind, fused=fused) or "unknown"


def _follows(network: Network, found: Sequence[Timed]) -> Iterator[Follow]:
    times = {
        (one.call.type, one.call.inputs, one.call.outputs): one.answer.mid_us
        for one in found
        if isinstance(one.answer, Estimate)
    }
    counts: Counter[tuple[str, str]] = Counter()
    after_us: Counter[tuple[str, str]] = Counter()
    for before, after in zip(network.calls, network.calls[1:], strict=False):
        pair = before.type, after.type
        counts[pair] += 1
        after_us[pair] += times.get((after.type, after.inputs, after.outputs), 0.0)  # type: ignore[assignment]
    for pair, count in sorted(counts.items()):
        yield Follow(*pair, count, after_us[pair])
