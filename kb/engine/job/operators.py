"""Operators of many ranks added up: equal ones are one, in bounded memory, whatever the number of ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from kb.engine.readers.launches import MOST_GROUPS, MOST_OPERATORS, SUM_DIGITS
from kb.model import Measure, Operator

_FOLDED = {"folded": "shapes not told apart"}
_TWIN_SUMS = {"twin_rows": "{:.0f}", "twin_us": "{:.3f}"}  # attributes that are sums over launches

Key = tuple[object, ...]


@dataclass
class Sum:
    """Readings of one figure added up, each with the launches that it is the mean of."""

    first: Measure
    total: float = 0.0
    n: int = 0
    low: float | None = None
    high: float | None = None
    parts: int = 0

    def add(self, measure: Measure) -> None:
        """Take in the mean of some launches."""
        self.total += measure.value * measure.n
        self.n += measure.n
        self.parts += 1
        low = measure.value if measure.low is None else measure.low
        high = measure.value if measure.high is None else measure.high
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)

    def mean(self, *, spread: bool) -> Measure:
        """The mean over all launches; `spread` gives the extremes too."""
        if self.parts == 1:
            return self.first
        low, high = (self.low, self.high) if spread else (None, None)
        value = self.total / self.n if self.n else self.first.value
        return Measure(
            value, self.first.unit, self.first.origin, low, high, self.n, computed=self.first.computed
        )


@dataclass
class _Many:
    first: Operator
    duration: Sum
    count: int = 0
    total_us: float = 0.0
    name: str = ""
    counters: dict[str, Sum] = field(default_factory=dict)
    wait: Sum | None = None
    twins: dict[str, float] = field(default_factory=dict)

    def add(self, op: Operator) -> None:
        self.count += op.count
        self.total_us += op.total_us
        self.name = min(self.name, op.name)
        self.duration.add(op.duration)
        for name, measure in op.counters.items():
            self.counters.setdefault(name, Sum(measure)).add(measure)
        if op.wait is not None:
            self.wait = self.wait or Sum(op.wait)
            self.wait.add(op.wait)
        for name in _TWIN_SUMS:
            if name in op.attributes:
                self.twins[name] = self.twins.get(name, 0.0) + float(op.attributes[name])

    def operator(self) -> Operator:
        total = round(self.total_us, SUM_DIGITS)
        duration = self.duration.mean(spread=True)
        if self.duration.parts > 1 and self.count:
            duration = replace(duration, value=total / self.count, n=self.count)
        twins = {name: _TWIN_SUMS[name].format(value) for name, value in self.twins.items()}
        return replace(
            self.first,
            name=self.name,
            count=self.count,
            duration=duration,
            total_us=total,
            counters={name: item.mean(spread=False) for name, item in self.counters.items()},
            wait=None if self.wait is None else self.wait.mean(spread=True),
            attributes={**self.first.attributes, **twins},
        )


class Operators:
    """Adds operators up; at most `MOST_GROUPS` are told apart, and `MOST_OPERATORS` in the end."""

    def __init__(self) -> None:
        self._sums: dict[Key, _Many] = {}
        self.folded = 0  # launches counted by type only
        self.folded_us = 0.0

    def add(self, operators: Iterable[Operator]) -> None:
        """Take in the operators of one rank."""
        for op in operators:
            key = _key(op)
            if key not in self._sums and len(self._sums) >= MOST_GROUPS:
                op = _without_shapes(op)  # noqa: PLW2901 - from here on it is this one
                key = _key(op)
            self._into(self._sums, key, op)

    def result(self) -> tuple[Operator, ...]:
        """All operators by falling time."""
        ordered = sorted((item.operator() for item in self._sums.values()), key=_by_time)
        apart = [op for op in ordered if not _is_folded(op)]
        kept: dict[Key, _Many] = {}
        for op in (*filter(_is_folded, ordered), *map(_without_shapes, apart[MOST_OPERATORS:])):
            self._into(kept, _key(op), op)
        folded = [item.operator() for item in kept.values()]
        self.folded = sum(op.count for op in folded)
        self.folded_us = sum(op.total_us for op in folded)
        return tuple(sorted((*apart[:MOST_OPERATORS], *folded), key=_by_time))

    @staticmethod
    def _into(sums: dict[Key, _Many], key: Key, op: Operator) -> None:
        found = sums.get(key)
        if found is None:
            found = sums[key] = _Many(op, Sum(op.duration), name=op.name)
        found.add(op)


def _key(op: Operator) -> Key:
    """What equal launches share; of the counters which there are, because a counter of some is no mean of all."""
    return (
        op.type or op.name, op.core, op.block_dim, op.mix_block_dim, op.inputs, op.outputs, _is_folded(op),
        *sorted(op.counters),
    )  # fmt: skip


def _is_folded(op: Operator) -> bool:
    return "folded" in op.attributes


def _without_shapes(op: Operator) -> Operator:
    attributes: Mapping[str, str] = {**op.attributes, **_FOLDED}
    return replace(
        op,
        name=op.type or op.name,
        block_dim=None,
        mix_block_dim=None,
        inputs=(),
        outputs=(),
        attributes=attributes,
    )


def _by_time(op: Operator) -> tuple[float, str, str, str, str]:
    return (
        -round(op.total_us, 3),
        op.type or "",
        op.name,
        op.core,
        repr((op.inputs, op.outputs, op.block_dim)),
    )
