"""Which SoC a profile was taken on: written in it, else stated by the user, else inferred as candidates.

Chain: `dump/op_basic_info.txt`, block 5 of `visualize_data.bin`, the user's `--soc`, then header family, clock
and core counts. What is inferred is only ever a list of candidates, unless exactly one chip is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kb import targets
from kb.errors import UsageError
from kb.model import Chip, Notice
from kb.targets import Target

CLOCK_TOLERANCE = 0.01  # cycles / time of one core agrees with the clock to four digits; exports round times


@dataclass(frozen=True, slots=True)
class Clues:
    """What a profile betrays about its chip.

    `families` are those whose tool writes such a header, `clock_mhz` is cycles / time, and the block numbers are
    the most that a launch of each kind used.
    """

    families: frozenset[str] = frozenset()
    clock_mhz: float | None = None
    cube_blocks: int = 0
    vector_blocks: int = 0


NO_CLUES = Clues()


def resolve(
    written: tuple[str, str] | None, stated: str | None, clues: Clues = NO_CLUES
) -> tuple[Chip, list[Notice]]:
    """The chip by the chain above, and what to tell the user.

    Args:
        written: SoC name found in the profile and where; it wins over what the user states.
        stated: what the user gave with `--soc`; a family gives candidates.
        clues: for the inference when neither is there.

    Raises:
        UsageError: when the stated name is no chip or family.
    """
    said = targets.resolve(stated) if stated else ()
    if written:
        return _from_file(written, stated, said)
    if stated:
        soc = said[0] if len(said) == 1 else None
        chip = Chip(soc, () if soc else said, "stated", "stated with --soc")
        return chip, _doubts(stated, said, clues)
    found = _inferred(clues)
    if found.basis != "inferred" or found.soc:
        return found, []
    names = ", ".join(targets.in_short(found.candidates))
    fit = len(found.candidates)
    text = f"chip inferred from {found.how}: one of {names}"
    if fit > targets.FEW:
        text = f"chip inferred from {found.how}: one of {fit} chips of {names}"
    return found, [Notice("chip-inferred", text)]


def _from_file(
    written: tuple[str, str], stated: str | None, said: tuple[str, ...]
) -> tuple[Chip, list[Notice]]:
    name, where = written
    notices = []
    try:
        soc = targets.load(name).id
    except UsageError:
        soc = name
        text = f"no data on the chip {name}: nothing is compared with its peaks"
        notices.append(Notice("soc-unknown", text, where))
    if said and soc not in said:
        text = f"the profile says it was taken on {soc}; the stated {stated} is not used"
        notices.append(Notice("soc-differs", text, where))
    return Chip(soc, basis="file", how=f"written in {where}"), notices


def _doubts(stated: str, said: tuple[str, ...], clues: Clues) -> list[Notice]:
    """That no profiler writes such tables for the stated chip; the user's word is taken all the same."""
    if not clues.families or clues.families & {targets.family_of(name) for name in said}:
        return []
    known = " or ".join(sorted(clues.families))
    text = f"the columns are those of {known}; the stated {stated} is none of these, and all that rests on it is in doubt"
    return [Notice("soc-doubtful", text)]


def _inferred(clues: Clues) -> Chip:
    if not clues.families:
        return Chip()
    basis = [f"header of {' or '.join(sorted(clues.families))}"]
    left = [target for target in targets.all_targets().values() if target.family in clues.families]
    if clues.clock_mhz:
        clock = clues.clock_mhz
        close = [target for target in left if _runs_at(target, clock)]
        left = close or left
        basis.append(f"clock {clock:.0f} MHz" if close else f"clock {clock:.0f} MHz fits no chip, not used")
    for kind, blocks in (("cube", clues.cube_blocks), ("vector", clues.vector_blocks)):
        # a launch may use more blocks than there are cores: only a chip's own core count speaks
        if blocks in {_cores(target, kind) for target in left}:
            left = [target for target in left if _cores(target, kind) >= blocks]
            basis.append(f"{blocks} {kind} blocks")
    ids = tuple(sorted(target.id for target in left))
    if not ids:
        return Chip()
    return Chip(ids[0] if len(ids) == 1 else None, ids, "inferred", ", ".join(basis))


def _runs_at(target: Target, clock: float) -> bool:
    """Whether the clock is one of those known of the chip (tables and traces differ for some)."""
    known = (target.clock_mhz, target.clock_mhz_low, target.clock_mhz_high)
    return any(abs(mhz / clock - 1) <= CLOCK_TOLERANCE for mhz in known if mhz)


def _cores(target: Target, kind: str) -> int:
    return target.cube_cores if kind == "cube" else target.vector_cores


def clock_of(pairs: Iterable[tuple[float, float]]) -> float | None:
    """Median of cycles / microseconds, in MHz, over the (cycles, time) pairs long enough to be exact."""
    found = sorted(cycles / time for cycles, time in pairs if time >= 1 and cycles > 0)
    return found[len(found) // 2] if found else None
