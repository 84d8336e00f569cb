"""From gathered launches to operators: core kind, tensors, and the counters that mean something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kb.addition import plain_sum
from kb.engine.readers import tasks, tensors
from kb.engine.readers.columns import all_columns, impossible, integer, missing
from kb.engine.readers.launches import Group, by_total
from kb.engine.readers.timeline import COMMUNICATION, TWIN
from kb.engine.readers.words import clean
from kb.model import CoreKind, Measure, Operator, Tensor

_ON_CORES = frozenset(("vector", "cube", "mix", "fused", "unknown"))


@dataclass
class Built:
    """Operators of a run, and what was noticed while making them."""

    operators: list[Operator] = field(default_factory=list)
    zero_times: int = 0  # groups whose times are 0.0 although they ran
    untyped: int = 0  # groups without a task type
    twins: int = 0  # rows matched with their collective
    twins_us: float = 0.0
    impossible: set[str] = field(default_factory=set)  # columns with shares far above the whole
    damaged: set[str] = field(default_factory=set)  # columns with cells that are no number of a device
    loose_twins: bool = False  # twins without a collective beside them: they are the collective


def build(groups: Sequence[Group], overlapping: bool) -> Built:
    """Operators by falling total time.

    Args:
        groups: finished groups.
        overlapping: twins and collectives were seen running at the same time.
    """
    split_chip = any(tasks.names_split_cores(group.cell("task_type")) for group in groups)
    out = Built()
    partners = _partners(groups) if overlapping else {}
    kept: list[Group] = []
    twins: dict[int, list[Group]] = {}  # by identity of the collective they repeat
    for group in by_total(groups):
        partner = partners.get(tasks.collective(group.label) or "") if group.kind == TWIN else None
        if partner is None:
            kept.append(group)
            out.loose_twins |= group.kind == TWIN
        else:
            twins.setdefault(id(partner), []).append(group)
            out.twins += group.count
            out.twins_us += group.total_us
    for group in kept:
        operator = _operator(group, split_chip, out)
        if id(group) in twins:
            operator = replace(operator, attributes={**operator.attributes, **_twin_facts(twins[id(group)])})
        out.operators.append(operator)
    return out


def _partners(groups: Sequence[Group]) -> dict[str, Group]:
    """The collective that stands in the file under its own name, by what it does; the longest-running one."""
    found: dict[str, Group] = {}
    for group in by_total(groups):
        if group.kind == COMMUNICATION:
            found.setdefault(tasks.collective(group.label) or group.label, group)
    return found


def _twin_facts(twins: Sequence[Group]) -> dict[str, str]:
    return {
        "twin_names": clean(", ".join(sorted({twin.name for twin in twins}))),
        "twin_rows": str(sum(twin.count for twin in twins)),
        "twin_us": f"{plain_sum(twin.total_us for twin in twins):.3f}",
    }


def _operator(group: Group, split_chip: bool, out: Built) -> Operator:
    task, name = group.cell("task_type"), clean(group.name.strip('"'))
    sides = sides_of(group)
    core = tasks.core_of(task, name, sides, group.layout.prefixed, split_chip)
    if group.kind in (TWIN, COMMUNICATION):
        core = "communication"
    counters, zeros = _counters(group, core, sides)
    for column in [name for name, found in counters.items() if impossible(found.value, found.unit)]:
        del counters[column]
        out.impossible.add(group.layout.header[group.layout.at[column]])
    out.damaged.update(
        group.layout.header[group.layout.at[name]] for name in (*group.damaged, *_blocks_damaged(group))
    )
    out.zero_times += zeros
    out.untyped += missing(task)
    many = group.count > 1
    place = _origin(group, "task_duration_us")
    mean = group.total_us / group.count
    return Operator(
        name=name if not group.folded else clean(group.label),
        type=_type(group, name),
        core=core,
        count=group.count,
        duration=Measure(
            mean,
            "us",
            place,
            group.time.low if many else None,
            group.time.high if many else None,
            group.count,
        ),
        total_us=group.total_us,
        block_dim=_blocks(group, "block_dim", core),
        mix_block_dim=_blocks(group, "mix_block_dim", core),
        inputs=() if group.folded else _tensors(group, "input"),
        outputs=() if group.folded else _tensors(group, "output"),
        counters=counters,
        wait=_wait(group),
        attributes=_attributes(group, name),
    )


def sides_of(group: Group) -> frozenset[str]:
    """Which of the cube ("aic") and the vector core ("aiv") counted cycles in a group."""
    sums = {name: group.sums[k] for k, (name, _) in enumerate(group.layout.counters)}
    found = set()
    for side in ("aic", "aiv"):
        cycles = sums.get(f"{side}_total_cycles")
        worked = cycles if cycles is not None else sums.get(f"{side}_time_us", 0.0)
        if worked > 0:
            found.add(side)
    return frozenset(found)


def _counters(group: Group, core: CoreKind, sides: frozenset[str]) -> tuple[dict[str, Measure], bool]:
    """Counters of the cores that worked. Exports write 0 for a core that had no part in a kernel, and at
    level 0 for every time: such a 0 is no measurement and is left out.
    """
    if core not in _ON_CORES:
        return {}, False
    sums = {name: group.sums[k] for k, (name, _) in enumerate(group.layout.counters)}
    out: dict[str, Measure] = {}
    zero_times = False
    for k, (name, _) in enumerate(group.layout.counters):
        n = group.counts[k]
        side = "aic" if name == "cube_utilization" else name[:3]
        idle_side = group.layout.prefixed and side in ("aic", "aiv") and side not in sides
        if not n or idle_side:
            continue
        if name.endswith("_time_us") and not group.sums[k] and _ran(name, side, sums):
            zero_times = True
            continue
        out[name] = Measure(group.sums[k] / n, all_columns()[name].unit, _origin(group, name), n=n)
    return out, zero_times


def _ran(name: str, side: str, sums: dict[str, float]) -> bool:
    """Whether another column shows that the pipe of a time column was active although the time says 0."""
    ratio = name.replace("_time_us", "_ratio")
    if sums.get(ratio, 0.0) > 0:
        return True
    return not sums.get(f"{side}_time_us", 0.0) and sums.get(f"{side}_total_cycles", 0.0) > 0


def _origin(group: Group, column: str) -> str:
    return f"{group.origin}:{group.layout.header[group.layout.at[column]]}"


def _type(group: Group, name: str) -> str | None:
    cell = group.cell("op_type")
    return tasks.type_from_name(name) if missing(cell) else clean(cell)


def _blocks(group: Group, column: str, core: CoreKind) -> int | None:
    value = integer(group.cell(column))
    return value if value and value > 0 and core in _ON_CORES and not group.folded else None


def _blocks_damaged(group: Group) -> list[str]:
    """Columns of blocks that hold neither a number of blocks nor its absence."""
    cells = {name: group.cell(name) for name in ("block_dim", "mix_block_dim")}
    return [name for name, cell in cells.items() if integer(cell) is None and not missing(cell)]


def _tensors(group: Group, side: str) -> tuple[Tensor, ...]:
    return tensors.parse(
        group.cell(f"{side}_shapes"), group.cell(f"{side}_dtypes"), group.cell(f"{side}_formats")
    )


def _wait(group: Group) -> Measure | None:
    wait = group.wait
    if not wait.count:
        return None
    if wait.count == 1:
        return Measure(wait.total, "us", _origin(group, "wait_us"))
    mean = wait.total / wait.count
    return Measure(mean, "us", _origin(group, "wait_us"), wait.low, wait.high, wait.count)


def _attributes(group: Group, name: str) -> dict[str, str]:
    found = {key: group.cell(key) for key in ("op_state", "hf32", "task_type")}
    out = {key: clean(value) for key, value in found.items() if not missing(value)}
    if missing(group.cell("op_type")) and tasks.type_from_name(name):
        out["type_from"] = "name"
    if group.folded:
        out["folded"] = "shapes not told apart"
    return out
