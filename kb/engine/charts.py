"""The series behind a report's pictures: computed here, so that views only draw.

Roofline (Williams et al. 2009): GFLOP/s over FLOP/B, under the chip's bandwidths and peaks. Operations are counted by
shape, else by the counters; bytes by the counters, else by shape. An operator without both is not drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from kb.addition import plain_sum
from kb.engine.bottlenecks.diagnose import operator_ref
from kb.engine.metrics import RunFeatures
from kb.engine.metrics.pipes import PIPES
from kb.engine.metrics.sides import sides
from kb.engine.metrics.work import moved_bytes, must_move
from kb.model import (
    Charts,
    DataPath,
    Features,
    Operator,
    OperatorFloor,
    OperatorPipes,
    PipeShare,
    Profile,
    Roof,
    WallPart,
    WorkPoint,
)
from kb.targets import Target

SHOWN = 20  # operators of a chart, those with the most time
DETAILED = 4  # operators whose pipes are drawn
GIB = 1024**3 / 1e9  # msopprof's GB/s are GiB/s (spec section 2.5)

# Volume column (KiB, summed over the cores) of a path between memories.
_VOLUMES = (
    ("GM", "L1", "aic", "gm_to_l1_datas"),
    ("L1", "GM", "aic", "l1_to_gm_datas"),
    ("L0C", "L1", "aic", "l0c_to_l1_datas"),
    ("L0C", "GM", "aic", "l0c_to_gm_datas"),
    ("GM", "UB", "aiv", "gm_to_ub_datas"),
    ("UB", "GM", "aiv", "ub_to_gm_datas"),
)
# Bandwidth column (GiB/s of one core) of a path inside a core; the prefix of the side comes before the name.
_RATES = (
    ("L1", "L0A", "aic", "l0a_write_bw"),
    ("L1", "L0B", "aic", "l0b_write_bw"),
    ("L0A", "cube", "aic", "l0a_read_bw"),
    ("L0B", "cube", "aic", "l0b_read_bw"),
    ("cube", "L0C", "aic", "l0c_write_bw_cube"),
    ("UB", "vector", "aiv", "ub_read_bw_vector"),
    ("vector", "UB", "aiv", "ub_write_bw_vector"),
)


def charts(profile: Profile, features: RunFeatures, targets: Sequence[Target]) -> Charts:
    """Everything a page can draw of this profile; empty series where the profile does not give them."""
    longest = sorted(features.operators, key=_by_time)[:SHOWN]
    roofs = tuple(_roofs(longest, targets))
    points = tuple(point for f in longest if (point := _point(f, roofs)) is not None)
    detailed = [f for f in longest if f.labels.get("setup") != "yes" and any(_pipes(f))][:DETAILED]
    return Charts(
        chips=tuple(target.id for target in targets),
        roofs=roofs if points else (),
        points=points,
        pipes=tuple(OperatorPipes(operator_ref(f), tuple(_pipes(f))) for f in detailed),
        paths=tuple(_paths(detailed[0].operator)) if detailed and detailed[0].operator else (),
        floors=tuple(floor for f in longest if (floor := _floor(f)) is not None),
        wall=tuple(_wall(profile)),
        strips=profile.strips,
    )


def _by_time(f: Features) -> tuple[float, str]:
    return (-round(f.operator.total_us, 3), f.operator.name) if f.operator else (0.0, "")


def _point(f: Features, roofs: Sequence[Roof]) -> WorkPoint | None:
    op = f.operator
    if op is None or op.duration.value <= 0 or op.duration.unit != "us":
        return None
    work, counted = _operations(f)
    moved, by = _bytes(f, op)
    if not work or not moved:
        return None
    gflops, intensity = work / op.duration.value / 1e3, work / moved
    point = WorkPoint(operator_ref(f), round(intensity, 6), round(gflops, 6), f"{counted}; {by}")
    ceilings = dict(_ceilings(op, intensity, roofs))
    if "memory" not in ceilings:
        return point
    lowest = min(ceilings, key=lambda name: ceilings[name])
    return replace(point, roof=lowest, reached=round(gflops / ceilings[lowest], 6))


def _ceilings(op: Operator, intensity: float, roofs: Sequence[Roof]) -> Iterator[tuple[str, float]]:
    """GFLOP/s that the memory and the unit of this kernel allow at most; of a mix kernel the cube."""
    unit = "vector" if op.core == "vector" else "cube"
    for roof in roofs:
        if roof.name == "memory":
            yield roof.name, roof.value * intensity
        elif roof.kind == "compute" and roof.name.startswith(unit):
            yield roof.name, roof.value


def _operations(f: Features) -> tuple[float, str]:
    if "flops" in f.values:
        return f.values["flops"].value, "operations by shape"
    counted = [f.values[name].value for name in ("cube_operations", "vector_operations") if name in f.values]
    return plain_sum(counted), "operations by counters"


def _bytes(f: Features, op: Operator) -> tuple[float, str]:
    if "read_bytes" in f.values and "write_bytes" in f.values:
        return f.values["read_bytes"].value + f.values["write_bytes"].value, "bytes by counters"
    return must_move(op, f.labels.get("op_pattern", "")) or 0.0, "bytes by shape"


def _roofs(longest: Sequence[Features], targets: Sequence[Target]) -> Iterator[Roof]:
    """The highest figure over the candidate chips: a point above it cannot be."""
    memory = _highest(targets, lambda target: target.memory_gbps_high or target.memory_gbps)
    if memory is not None:
        yield Roof("memory", "bandwidth", float(memory))
    cache = _highest(targets, lambda target: target.l2_gbps_high or target.l2_gbps)
    if cache is not None:
        yield Roof("L2", "bandwidth", float(cache))
    kinds = {f.operator.core for f in longest if f.operator}
    if kinds & {"cube", "mix", "fused"}:
        peak = _highest(targets, lambda target: target.cube_flops("fp16"))
        if peak is not None:
            yield Roof("cube fp16", "compute", peak / 1e9)
    if kinds & {"vector", "mix", "fused"}:
        peak = _highest(targets, lambda target: target.vector_ops("fp32"))
        if peak is not None:
            yield Roof("vector fp32", "compute", peak / 1e9)


def _highest(targets: Sequence[Target], figure: Callable[[Target], float | None]) -> float | None:
    known = [value for target in targets if (value := figure(target)) is not None]
    return max(known, default=None)


def _pipes(f: Features) -> Iterator[PipeShare]:
    if f.operator is None:
        return
    of_side = sides(f.operator)
    for prefix, names in PIPES.items():
        for pipe in names:
            found = f.values.get(f"{prefix}_{pipe}_ratio")
            if found is None:
                continue
            side = of_side.get(prefix)
            cores = (side.ratios(pipe) or side.per_core(f"{pipe}_ratio")) if side else []
            yield PipeShare(
                f"{prefix}_{pipe}",
                round(found.value, 4),
                tuple(round(share, 4) for share in sorted(cores)) if len(cores) > 1 else (),
            )


def _paths(op: Operator) -> Iterator[DataPath]:
    of_side = sides(op)
    for source, target, prefix, column in _VOLUMES:
        if prefix not in of_side or op.duration.value <= 0:
            continue
        volume = moved_bytes(op, (column,))
        if volume:
            yield DataPath(source, target, round(volume / op.duration.value / 1e3, 3), "kernel", volume)
    for source, target, prefix, column in _RATES:
        rate = of_side[prefix].column(column) if prefix in of_side else None
        if rate is not None and rate.value > 0:
            yield DataPath(source, target, round(rate.value * GIB, 3), "core")


def _floor(f: Features) -> OperatorFloor | None:
    floor = f.values.get("floor_us")
    if floor is None or f.operator is None:
        return None
    lowest = (
        floor.value if floor.low is None else floor.low
    )  # as the roofs are the highest: no candidate beats it
    return OperatorFloor(operator_ref(f), round(lowest * f.operator.count, 3))


def _wall(profile: Profile) -> Iterator[WallPart]:
    times = profile.times
    exposed = times.exposed.value if times.exposed is not None else None
    if times.compute is None or times.idle is None:
        return
    yield WallPart("compute", round(times.compute.value, 3))
    if exposed is not None:
        yield WallPart("communication", round(exposed, 3))
    yield WallPart("idle", round(times.idle.value, 3))
