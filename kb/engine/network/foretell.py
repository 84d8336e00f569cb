"""From the calls of a network to its forecast: each operator's time with a range, the total, and what to doubt."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from kb import operators, targets
from kb.engine.estimate import Estimate, NotEstimated, OpSpec, estimate
from kb.engine.estimate.load import total_bytes
from kb.engine.estimate.scales import Scales
from kb.engine.estimate.total import add_up
from kb.engine.network.crosscheck import cross_checks
from kb.engine.network.types import Call, Network, Timed
from kb.forecast import Forecast, ForecastOperator
from kb.model import Tensor

_CPU = frozenset({"ai_cpu", "host"})
_NOWHERE = {
    "no_importer": "no importer: it cannot be converted as it is",
    "no_kernel": "no kernel on this chip",
}
_SIMPLE = re.compile(r"~?(?P<low>\d+)?(?:\.\.\d+)?\*?N(?P<out>out)?")


def timed(network: Network, soc: str, scales: Scales | None = None) -> list[Timed]:
    """Every distinct call with its estimate, in the order of first use."""
    chip = targets.typical(soc)
    counts: Counter[tuple[object, ...]] = Counter()
    first: dict[tuple[object, ...], Call] = {}
    for call in network.calls:
        key = (call.type, call.inputs, call.outputs, call.engine, call.layers, tuple(call.attributes.items()))
        counts[key] += call.times
        first.setdefault(key, call)
    return [Timed(call, *_answer(call, chip.id, counts[key], scales)) for key, call in first.items()]


def _answer(
    call: Call, soc: str, count: int, scales: Scales | None
) -> tuple[OpSpec, int, Estimate | NotEstimated]:
    core = "AI_CPU" if call.engine in _CPU else ""
    spec = OpSpec(call.type, call.inputs, call.outputs, core, attributes=call.attributes)
    if call.engine in _NOWHERE:
        return spec, count, NotEstimated(_NOWHERE[call.engine])
    if not any(tensor.shape is not None for tensor in (*call.inputs, *call.outputs)):
        return spec, count, NotEstimated("its shapes are not known: they depend on the data or on open sizes")
    return spec, count, estimate(spec, soc, scales=scales)


def foretell(network: Network, soc: str, found: Sequence[Timed], family: str = "") -> Forecast:
    """The forecast of a network whose calls have their estimates; `family` is its kind, for the comparison."""
    chip = targets.typical(soc)
    known = [(one.count, one.answer) for one in found if isinstance(one.answer, Estimate)]
    total = add_up(known)
    rows = [_row(one, total.mid_us) for one in found]
    rows.sort(key=lambda row: (-(row.mid_us or 0.0), row.not_estimated is None, row.type, row.name))
    bounds: dict[str, float] = defaultdict(float)
    for count, answer in known:
        bounds[answer.bound] += count * answer.mid_us / total.mid_us if total.mid_us else 0.0
    engines: Counter[str] = Counter()
    for one in found:
        engines[one.call.engine] += one.count
    return Forecast(
        soc=chip.id,
        low_us=round(total.low_us, 3),
        mid_us=round(total.mid_us, 3),
        high_us=round(total.high_us, 3),
        operators=tuple(rows),
        calls=sum(one.count for one in found),
        not_estimated=sum(one.count for one in found if isinstance(one.answer, NotEstimated)),
        samples=network.samples,
        engines=dict(sorted(engines.items())),
        bounds={name: round(bounds[name], 4) for name in sorted(bounds, key=lambda name: -bounds[name])},
        checks=tuple(cross_checks(chip, found, total.mid_us, network.samples, family)),
        assumptions=tuple(_assumptions(network, chip, found)),
        doubts=tuple(
            dict.fromkeys(
                one.answer.doubt for one in found if isinstance(one.answer, Estimate) and one.answer.doubt
            )
        ),
    )


def _row(one: Timed, whole: float) -> ForecastOperator:
    call, answer, count = one.call, one.answer, one.count
    common = {
        "type": call.type, "name": call.name, "engine": call.engine, "count": count, "shapes": shapes_text(call.inputs),
        "layers": call.layers, "bytes": round(total_bytes(one.spec) * count),
    }  # fmt: skip
    if isinstance(answer, NotEstimated):
        return ForecastOperator(**common, not_estimated=answer.reason)  # type: ignore[arg-type]
    flops = answer.operations if answer.operations is not None else _vector_operations(one.spec)
    return ForecastOperator(
        **common,  # type: ignore[arg-type]
        low_us=round(answer.low_us * count, 3),
        mid_us=round(answer.mid_us * count, 3),
        high_us=round(answer.high_us * count, 3),
        share=round(answer.mid_us * count / whole, 6) if whole else None,
        flops=None if flops is None else round(flops * count),
        bound=answer.bound,
        basis=answer.basis,
    )


def _vector_operations(spec: OpSpec) -> float | None:
    """Operations of a vector kernel where the operator table counts them an element; the lower end of its range."""
    match = _SIMPLE.fullmatch(operators.work_formula(spec.type))
    if match is None:
        return None
    sides = spec.present_outputs if match["out"] else (*spec.present_inputs, *spec.present_outputs)
    largest = max((math.prod(tensor.shape or ()) for tensor in sides), default=0)
    return float(match["low"] or 1) * largest


def _assumptions(network: Network, chip: targets.Target, found: Iterable[Timed]) -> Iterable[str]:
    yield from network.assumptions
    yield (
        "times are those of the kernels on the device, one after another: no host, no copies to and from it, no other stream"
    )
    source = next((one.answer.basis for one in found if isinstance(one.answer, Estimate)), "")
    if chip.family not in ("ascend-910", "atlas-a2", "atlas-a3", "ascend-950") and source:
        yield f"no operator timings of {chip.id} are public: see the basis of each operator for the constants that stand in"
    if any(one.call.engine in _CPU for one in found):
        yield "AI CPU kernels: 180 us a call and 1 GB/s, from two measured kernels; a factor of 3 either way"
    unknown = sorted({one.call.type for one in found if one.call.engine == "unknown"})
    if unknown:
        yield f"no table says where {', '.join(unknown[:6])} run: counted as AI Core kernels where a class fits"


def shapes_text(tensors: Iterable[Tensor]) -> str:
    """Shapes as a report writes them: "1x64x56x56; 64x64x3x3"."""
    return "; ".join(
        "-" if tensor.shape is None else "x".join(map(str, tensor.shape)) or "scalar" for tensor in tensors
    )
