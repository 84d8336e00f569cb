"""What a metric may look at besides the kernel itself: the run, and the chips the profile may come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kb.addition import plain_sum
from kb.model import Measure, Operator, Profile
from kb.targets import Target, in_short

Reading = tuple[str, Measure]


@dataclass(frozen=True, slots=True)
class Context:
    """The run a kernel belongs to; `targets` are the candidate chips, empty when nothing is known.

    `compute_us` and `run_us` are the denominators of shares: compute time and busy time of the run, overlap removed.
    """

    profile: Profile
    targets: tuple[Target, ...]
    run_us: float | None
    compute_us: float | None

    def over_targets(
        self, value: Callable[[Target], float | None], unit: str, origin: str, *, partial: bool = False
    ) -> Measure | None:
        """A chip-dependent number over all candidate chips: mean, with the range as low and high.

        None when no chip is known or one candidate lacks the fact, so that a claim made on the unfavourable end of
        the range holds for every candidate. With `partial` the candidates that have the fact are enough: for caps
        (floors), where one chip that is already at its limit is reason enough to promise nothing.
        """
        values = [value(target) for target in self.targets]
        known = [item for item in values if item is not None]
        if not known or (len(known) != len(values) and not partial):
            return None
        low, high = min(known), max(known)
        where = f"{origin} [{', '.join(in_short([target.id for target in self.targets]))}]"
        if low == high:
            return Measure(low, unit, where, computed=True)
        return Measure(plain_sum(known) / len(known), unit, where, low, high, len(known), computed=True)


def cores_of(op: Operator, target: Target) -> int | None:
    """Cores of the kernel's kind on a chip: cube cores for cube and mix kernels, vector cores for vector ones."""
    if op.core in ("cube", "mix", "fused"):
        return target.cube_cores
    return target.vector_cores if op.core == "vector" else None
