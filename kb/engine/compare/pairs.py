"""Which operator of one run is which of the other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from kb.engine.compare.sides import Side, key
from kb.measured import Measured


@dataclass(frozen=True, slots=True)
class Pair:
    """The same operator before and after; one of them None where it stands on one side only."""

    before: Measured | None
    after: Measured | None
    differs: tuple[str, ...] = ()


def pairs(before: Side, after: Side) -> tuple[Pair, ...]:
    """Operators paired from strict to loose; each is used once.

    Same type, shapes, dtypes and formats; the same with other dtypes or formats; then, between captures of kernels,
    the same kernel name, and the only kernel of its type, or the only kernel at all, whatever it is called now.
    """
    rest_before, rest_after = list(before.rows), list(after.rows)
    out: list[Pair] = []
    kernels = before.kernels and after.kernels
    rules: list[tuple[Callable[[Measured], Hashable], bool]] = [
        (lambda row: (*key(row), "" if row.shapes else row.name), False),
        (lambda row: (row.type or row.name, row.core, row.shapes, row.dtypes) if row.shapes else None, False),
        (lambda row: (row.type or row.name, row.shapes), True),
    ]
    if kernels:
        rules += [
            (lambda row: (row.name, row.core), True),
            (lambda row: row.name, True),
            (lambda row: row.type, True),
            (lambda _row: "the only one", True),
        ]
    for rule, alone in rules:
        _pair_by(rule, rest_before, rest_after, out, alone=alone)
    out += [Pair(row, None) for row in rest_before]
    out += [Pair(None, row) for row in rest_after]
    return tuple(out)


def _pair_by(
    rule: Callable[[Measured], Hashable],
    before: list[Measured],
    after: list[Measured],
    out: list[Pair],
    *,
    alone: bool,
) -> None:
    """Move the pairs that one rule finds; `alone`: only where one row of either side has the value."""
    ours, theirs = _grouped(rule, before), _grouped(rule, after)
    used: set[int] = set()
    for value, mine in ours.items():
        other = theirs.get(value, [])
        if value is None or not other or (alone and (len(mine) > 1 or len(other) > 1)):
            continue
        for one, two in zip(mine, other, strict=False):
            used |= {id(one), id(two)}
            out.append(Pair(one, two, tuple(_differences(one, two))))
    before[:] = [row for row in before if id(row) not in used]
    after[:] = [row for row in after if id(row) not in used]


def _grouped(
    rule: Callable[[Measured], Hashable], rows: Iterable[Measured]
) -> dict[Hashable, list[Measured]]:
    out: dict[Hashable, list[Measured]] = {}
    for row in rows:
        out.setdefault(rule(row), []).append(row)
    return out


def _differences(one: Measured, two: Measured) -> Iterable[str]:
    if (one.type or one.name) != (two.type or two.name):
        yield "name"
    if one.shapes and two.shapes and one.shapes != two.shapes:
        yield "shape"
    if one.dtypes and two.dtypes and one.dtypes.upper() != two.dtypes.upper():
        yield "dtype"
    if one.formats and two.formats and one.formats != two.formats:
        yield "format"
    if one.core != two.core:
        yield "core"
