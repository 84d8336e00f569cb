"""Which SoC a profile was taken on: written in the profile, else stated by the user, else inferred as
candidates.

Chain: `dump/op_basic_info.txt`, block 5 of `visualize_data.bin`, the user's `--soc`, then header family,
clock and core counts. What is inferred is only ever a list of candidates, unless exactly one chip is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from kb.errors import UsageError
from kb.model import Chip, Notice

CLOCK_TOLERANCE = 0.01  # cycles / time of one core agrees with the clock to four digits; exports round times


class Target(Protocol):
    """What this module needs to know of a chip."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def family(self) -> str: ...  # noqa: D102
    @property
    def cube_cores(self) -> int | None: ...  # noqa: D102
    @property
    def vector_cores(self) -> int | None: ...  # noqa: D102
    @property
    def clock_mhz(self) -> float | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Clues:
    """What a profile betrays about its chip: families whose tool writes such a header, clock in MHz (cycles /
    time), and the most blocks a launch of each kind used.
    """

    families: frozenset[str] = frozenset()
    clock_mhz: float | None = None
    cube_blocks: int = 0
    vector_blocks: int = 0


def known_targets() -> tuple[Target, ...]:
    """All chips of `data/targets`; none when the chip table is not there."""
    try:
        targets = import_module("kb.targets")  # loading the chip table costs, and only this step needs it
    except ImportError:
        return ()
    return tuple(targets.all_targets().values())


def match(name: str, targets: Sequence[Target]) -> Target | None:
    """The target that a SoC name stands for: its id or an alias, any case, with or without "Ascend"."""
    wanted = _fold(name)
    for target in targets:
        if wanted in {_fold(label) for label in (target.id, *getattr(target, "aliases", ()))}:
            return target
    return None


def _fold(name: str) -> str:
    return name.strip().casefold().removeprefix("ascend").strip(" _-")


def resolve(
    written: tuple[str, str] | None, stated: str | None, clues: Clues, targets: Sequence[Target] | None = None
) -> tuple[Chip, list[Notice]]:
    """The chip by the chain above, and what to tell the user.

    Args:
        written: SoC name found in the profile and where; it wins over what the user states.
        stated: what the user gave with `--soc`.
        clues: for the inference when neither is there.
        targets: the chips to choose from, those of `data/targets` when None.

    Raises:
        UsageError: when the stated name is no chip of the table.
    """
    table = known_targets() if targets is None else targets
    said = match(stated, table) if stated else None
    if stated and table and said is None:
        raise UsageError(
            f"unknown SoC {stated!r}",
            where="--soc",
            now="use a name such as Ascend910B2 or 310P3 (kb doctor lists them)",
        )
    if written:
        return _from_file(written, stated, said, table)
    if stated:
        return Chip(said.id if said else stated, basis="stated", how="stated with --soc"), []
    return _inferred(clues, table), []


def _from_file(
    written: tuple[str, str], stated: str | None, said: Target | None, table: Sequence[Target]
) -> tuple[Chip, list[Notice]]:
    name, where = written
    found = match(name, table)
    soc = found.id if found else name
    notices = []
    if stated and soc != (said.id if said else stated):
        text = f"the profile says it was taken on {soc}; the stated {stated} is not used"
        notices.append(Notice("soc-differs", text, where))
    if table and found is None:
        notices.append(
            Notice("soc-unknown", f"no data on the chip {name}: nothing is compared with its peaks", where)
        )
    return Chip(soc, basis="file", how=f"written in {where}"), notices


def _inferred(clues: Clues, table: Sequence[Target]) -> Chip:
    if not clues.families or not table:
        return Chip(how="" if table else "no table of chips")
    basis = [f"header of {' or '.join(sorted(clues.families))}"]
    left = [target for target in table if target.family in clues.families]
    if clues.clock_mhz:
        clock = clues.clock_mhz
        close = [t for t in left if t.clock_mhz and abs(t.clock_mhz / clock - 1) <= CLOCK_TOLERANCE]
        left = close or left
        basis.append(
            f"clock {clock:.0f} MHz" if close else f"clock {clock:.0f} MHz is no rated clock, not used"
        )
    for kind, blocks in (("cube", clues.cube_blocks), ("vector", clues.vector_blocks)):
        # a launch may use more blocks than there are cores: only a number that is some chip's core
        # count speaks
        if blocks in {_cores(target, kind) for target in left}:
            left = [target for target in left if (_cores(target, kind) or 0) >= blocks]
            basis.append(f"{blocks} {kind} blocks")
    ids = tuple(sorted(target.id for target in left))
    if not ids:
        return Chip(how="")
    return Chip(ids[0] if len(ids) == 1 else None, ids, "inferred", ", ".join(basis))


def _cores(target: Target, kind: str) -> int | None:
    return target.cube_cores if kind == "cube" else target.vector_cores


def clock_of(pairs: Iterable[tuple[float, float]]) -> float | None:
    """Median of cycles / microseconds, in MHz, over the (cycles, time) pairs long enough to be exact."""
    found = sorted(cycles / time for cycles, time in pairs if time >= 1 and cycles > 0)
    return found[len(found) // 2] if found else None
