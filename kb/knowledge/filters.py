"""Filters of a search: which entries may be an answer at all, whatever their nearness. They are exact."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kb.errors import UsageError
from kb.postgres.protocol import Connection
from kb.vocabulary.entries import GRADES, LANGUAGES


class Filters(NamedTuple):
    """What entries have to be; a filter that is None or empty lets all pass."""

    kind: str | None = None
    op: str | None = None
    soc: str | None = None
    bottleneck: str | None = None
    evidence: str | None = None
    language: str | None = None

    def check(self) -> None:
        """Refuse a grade or language that no entry can have.

        Raises:
            UsageError: there is no such grade or language.
        """
        if self.evidence is not None and self.evidence not in GRADES:
            raise UsageError(
                f'unknown grade "{self.evidence}"', where="--evidence", now=f"one of {', '.join(GRADES)}"
            )
        if self.language is not None and self.language not in LANGUAGES:
            raise UsageError(
                f'unknown language "{self.language}"',
                where="--language",
                now=f"one of {', '.join(LANGUAGES)}",
            )

    def rows(self, db: Connection) -> set[int] | None:
        """Entries that pass all filters; None when there are no filters.

        Raises:
            UsageError: no entry names that bottleneck or operator, or no chip is called so.
        """
        passed: list[set[int]] = []
        if self.kind:
            passed.append({n for (n,) in db.execute("SELECT n FROM entry WHERE kind = ?", (self.kind,))})
        if self.bottleneck:
            known = _values(db, "bottleneck")
            if self.bottleneck not in known:
                from difflib import get_close_matches

                near = get_close_matches(self.bottleneck, known, n=3)
                hint = f"did you mean {', '.join(near)}?" if near else "`kb list --kind pattern` prints them"
                raise UsageError(f'unknown bottleneck "{self.bottleneck}"', where="--bottleneck", now=hint)
            passed.append(_tagged(db, "bottleneck", [self.bottleneck]))
        if self.evidence:
            passed.append(_tagged(db, "grade", [self.evidence]))
        if self.language:
            passed.append(_tagged(db, "lang", [self.language]))
        if self.op:
            passed.append(_tagged(db, "op", _operators(db, self.op)))
        if self.soc:
            limited = _tagged(db, "chip", _values(db, "chip"))
            everywhere = {n for (n,) in db.execute("SELECT n FROM entry")} - limited
            passed.append(everywhere | _tagged(db, "chip", _chips(db, self.soc)))
        return set.intersection(*passed) if passed else None


def _values(db: Connection, axis: str) -> list[str]:
    return [value for (value,) in db.execute("SELECT DISTINCT value FROM tag WHERE axis = ?", (axis,))]


def _tagged(db: Connection, axis: str, values: Iterable[str]) -> set[int]:
    found: set[int] = set()
    for value in values:
        found.update(
            n for (n,) in db.execute("SELECT n FROM tag WHERE axis = ? AND value = ?", (axis, value))
        )
    return found


def _operators(db: Connection, op: str) -> list[str]:
    from kb import operators

    values = _values(db, "op")
    operators.require(op, values)
    return [value for value in values if value != "*" and operators.matches(value, op)]


def _chips(db: Connection, soc: str) -> list[str]:
    """Values of the entries' chips that share a SoC with the one asked for."""
    from kb import targets

    asked = set(targets.resolve(soc))
    return [value for value in _values(db, "chip") if asked.intersection(targets.resolve(value))]
