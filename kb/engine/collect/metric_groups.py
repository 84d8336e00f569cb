"""The values of `--aic-metrics`: where each one works and which tables it writes.

Source: msopprof user guides (device and simulator) and the option checks of its source, as of 26.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from kb.errors import UsageError

Family = Literal["A2/A3", "310P", "950"]
RunMode = Literal["device", "simulator"]

TABLES = (
    "ArithmeticUtilization",
    "L2Cache",
    "Memory",
    "MemoryL0",
    "MemoryUB",
    "PipeUtilization",
    "ResourceConflictRatio",
)
LONGEST = 200  # characters of the whole option value that the tool accepts
_A2_A3_950: tuple[Family, ...] = ("A2/A3", "950")
_ALL: tuple[Family, ...] = ("A2/A3", "310P", "950")


@dataclass(frozen=True, slots=True)
class MetricGroup:
    """One value of `--aic-metrics`: modes and chips it works on, tables written, replay modes refused."""

    name: str
    modes: tuple[RunMode, ...] = ("device",)
    chips: tuple[Family, ...] = _ALL
    tables: tuple[str, ...] = ()
    not_with: tuple[str, ...] = ()


_SIMULATED = ("PipeUtilization", "ResourceConflictRatio")
_BOTH: tuple[RunMode, ...] = ("device", "simulator")
_GROUPS = (
    *(MetricGroup(table, modes=_BOTH, tables=(table,)) for table in _SIMULATED),
    *(MetricGroup(table, tables=(table,)) for table in TABLES if table not in _SIMULATED),
    MetricGroup("Default", tables=TABLES),
    MetricGroup("Roofline", tables=TABLES),
    MetricGroup("MemoryDetail", chips=_A2_A3_950, tables=TABLES, not_with=("range",)),
    MetricGroup("Occupancy", chips=_A2_A3_950),
    MetricGroup("Source", chips=_A2_A3_950, not_with=("range",)),
    MetricGroup("KernelScale", chips=_A2_A3_950),
    MetricGroup("TimelineDetail", chips=_A2_A3_950, not_with=("application", "range")),
    MetricGroup("PipeTimeline", chips=("950",), not_with=("application", "range")),
    MetricGroup("InstrTimeline", chips=("950",), not_with=("range",)),
    MetricGroup("PcSampling", chips=("950",), not_with=("range",)),
    MetricGroup("BasicInfo"),
    MetricGroup("PMSampling", modes=("simulator",)),
    MetricGroup("OverHead", modes=("simulator",), chips=("A2/A3",)),
)
GROUPS = {group.name.lower(): group for group in _GROUPS}


def names_for(mode: RunMode) -> str:
    """The values that work in a mode, for messages."""
    return ", ".join(group.name for group in _GROUPS if mode in group.modes)


def canonical(names: Iterable[str]) -> tuple[str, ...]:
    """The names as the tool spells them, doubles dropped; the tool itself ignores case.

    Raises:
        UsageError: a name is unknown or the whole value is too long.
    """
    found: dict[str, None] = {}
    for name in names:
        group = GROUPS.get(name.strip().lower())
        if group is None:
            raise UsageError(
                f"{name.strip()!r} is no metric group",
                where="--aic-metrics",
                now=f"On a device: {names_for('device')}. In the simulator: {names_for('simulator')}.",
            )
        found[group.name] = None
    if len(",".join(found)) > LONGEST:
        raise UsageError(
            f"the list is longer than the {LONGEST} characters that msopprof accepts",
            where="--aic-metrics",
            now="Default already holds the seven tables; name fewer groups.",
        )
    return tuple(found)


def family_of(soc: str | None) -> Family | None:
    """The family that decides which groups a chip has; None when the name does not say."""
    name = (soc or "").lower()
    if "950" in name:
        return "950"
    if "310p" in name:
        return "310P"
    return "A2/A3" if "910b" in name or "910_93" in name else None


def expected_tables(names: Iterable[str]) -> tuple[str, ...]:
    """The CSV tables that a device run with these groups writes beside OpBasicInfo; none named means
    Default.
    """
    chosen = [GROUPS[name.lower()] for name in names] or [GROUPS["default"]]
    wanted = {table for group in chosen for table in group.tables}
    return tuple(table for table in TABLES if table in wanted)
