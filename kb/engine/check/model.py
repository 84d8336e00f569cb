"""Coverage of an ONNX model on a chip: each node judged, nodes of one type and engine put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kb import targets
from kb.engine.check import coverage, limits
from kb.engine.check.remedies import remedies
from kb.engine.check.result import OPEN_ONLY, TABLES, CheckedNode, CheckedOperator, CheckResult, Engine
from kb.engine.family.nearest import recognise
from kb.engine.family.similar import similar_cases
from kb.graph.known import UNKNOWN, Known
from kb.graph.shapes import infer
from kb.graph.types import Model, Node, Placed, walk
from kb.model import Entry

SHOWN_NODES, LISTED_NODES = 5, 200
_ORDER = ("no_importer", "no_kernel", "ai_cpu", "host", "unknown", "dvpp", "dsa", "ai_core")
_QUANTISED = frozenset(
    {
        "QuantizeLinear",
        "DequantizeLinear",
        "DynamicQuantizeLinear",
        "ConvInteger",
        "MatMulInteger",
        "QLinearConv",
        "QLinearMatMul",
    }
)
_COUNTED_OUTPUT = frozenset({"NonZero", "NonMaxSuppression", "Unique", "Compress"})


def check(model: Model, soc: str, entries: Iterable[Entry] | None = None) -> CheckResult:
    """Where each operator of a model would run on a chip, and what stands in the way.

    `entries` are those of the knowledge base, for remedies and similar cases; without them both stay empty.

    Raises:
        UsageError: unknown chip.
    """
    targets.family_of(soc)
    known = list(entries or ())
    judge = _Judge(model, soc, infer(model))
    judged = [(placed, judge.node(placed)) for placed in walk(model)]
    family = recognise(model)
    return CheckResult(
        model=model.name,
        soc=soc,
        opset=model.opset,
        operators=tuple(_operators(judged, known)),
        importable=judge.opset_fits and not any(verdict.engine == "no_importer" for _, verdict in judged),
        family=family,
        similar_cases=similar_cases(family, Counter(placed.node.type for placed, _ in judged), soc, known),
        warnings=tuple(_warnings(model, judge, judged)),
        nodes=tuple(_attention(judged))[:LISTED_NODES],
        summary=_summary(judged),
        breaks_limits=sum(placed.calls for placed, verdict in judged if verdict.limits),
    )


def engines(model: Model, soc: str) -> dict[int, tuple[Engine, tuple[str, ...]]]:
    """Where each node would run on a chip and why, by the node's identity; only nodes that need a kernel.

    Raises:
        UsageError: unknown chip.
    """
    targets.family_of(soc)
    judge = _Judge(model, soc, infer(model))
    found = ((placed.node, judge.node(placed)) for placed in walk(model))
    return {id(node): (verdict.engine, tuple(verdict.reasons)) for node, verdict in found if verdict.runs}


@dataclass(slots=True)
class _Verdict:
    engine: Engine
    reasons: list[str] = field(default_factory=list)
    row: coverage.Importer | None = None
    runs: bool = True
    refused: int = 0
    limits: int = 0


class _Judge:
    """Judges single nodes; holds what all of them share."""

    def __init__(self, model: Model, soc: str, known: Mapping[str, Known]) -> None:
        self.model, self.soc, self.known = model, soc, known
        self.opset = model.opset
        self.opset_fits = self.opset is None or coverage.OLDEST <= self.opset <= coverage.NEWEST

    def node(self, placed: Placed) -> _Verdict:
        node = placed.node
        row = coverage.importer(node.domain, node.type)
        if (node.domain, node.type) in self.model.functions:
            return _Verdict(
                "no_importer", ["defined as a function inside the model; inline functions before the import"]
            )
        if row is None:
            return _Verdict(*_unknown(node))
        if not row.exists:
            return _Verdict("no_importer", [f"no importer: {row.limits or 'none is registered'}"], row)
        opset = self._opset(node)
        if opset is not None and not row.accepts(opset):
            return _Verdict(
                "no_importer", [f"importer for opset {row.opsets} only, the model uses {opset}"], row
            )
        engine, runs = coverage.engine(row, self.soc)
        verdict = _Verdict(engine, [], row, runs)
        if engine == "no_kernel" and runs:
            verdict.reasons.append(f"no kernel for {row.kernel} on this chip in {TABLES}")
        if engine == "ai_cpu":
            verdict.reasons.append(f"{row.kernel} has only an AI CPU kernel on this chip in {TABLES}")
        if not self._folds(node):
            self._limits(node, verdict)
            self._dtype(node, verdict)
            self._dynamic(node, verdict)
        return verdict

    def _opset(self, node: Node) -> int | None:
        """Version to look up: that of the node's domain; a too new model is judged as if exported for the newest."""
        version = self.model.opsets.get(node.domain)
        if version is None or not node.standard:
            return version
        return min(max(version, coverage.OLDEST), coverage.NEWEST)

    def _folds(self, node: Node) -> bool:
        """Whether a converter computes the node away: it depends on constants and shapes only."""
        return bool(node.outputs) and all(
            self.known.get(name, UNKNOWN).static for name in node.outputs if name
        )

    def _inputs(self, node: Node) -> list[Known]:
        return [self.known.get(name, UNKNOWN) if name else UNKNOWN for name in node.inputs]

    def _limits(self, node: Node, verdict: _Verdict) -> None:
        for limit in limits.broken(node, self._inputs(node)):
            verdict.reasons.append(limit.text)
            verdict.limits += 1
            if limit.effect == "ai_cpu" and verdict.engine == "ai_core":
                verdict.engine = "ai_cpu"
            verdict.refused += limit.effect == "refused"

    def _dtype(self, node: Node, verdict: _Verdict) -> None:
        inputs = self._inputs(node)
        if verdict.engine != "ai_core" or verdict.row is None or not inputs:
            return
        found = coverage.refused_dtype(verdict.row, self.soc, inputs[0].dtype)
        if found:
            verdict.engine, reason = found
            verdict.reasons.append(reason)

    def _dynamic(self, node: Node, verdict: _Verdict) -> None:
        if verdict.engine != "ai_core" or verdict.row is None:
            return
        shapes = [known.shape for known in self._inputs(node)[:1]]
        unknown = any(shape is None or any(not isinstance(dim, int) for dim in shape) for shape in shapes)
        if unknown and coverage.dynamic_kernel(verdict.row.kernel, self.soc) is False:
            verdict.reasons.append(
                f"dynamic shape: no dynamic-shape kernel of {verdict.row.kernel} is listed"
            )


def _unknown(node: Node) -> tuple[Engine, list[str]]:
    if node.standard:
        return "unknown", ["not in the coverage table: newer than ONNX 1.23, or misspelt"]
    return "no_importer", [
        f"custom domain {node.domain}: no importer; it needs an own plugin or another form"
    ]


def _operators(judged: list[tuple[Placed, _Verdict]], entries: list[Entry]) -> Iterator[CheckedOperator]:
    groups: dict[tuple[str, str, Engine], list[tuple[Placed, _Verdict]]] = {}
    for placed, verdict in judged:
        groups.setdefault((placed.node.domain, placed.node.type, verdict.engine), []).append(
            (placed, verdict)
        )
    counts = {key: sum(placed.calls for placed, _ in members) for key, members in groups.items()}

    def order(key: tuple[str, str, Engine]) -> tuple[bool, int, int, str]:
        return not groups[key][0][1].runs, _ORDER.index(key[2]), -counts[key], key[1]

    for key in sorted(groups, key=order):
        yield _operator(key, counts[key], groups[key], entries)


def _operator(
    key: tuple[str, str, Engine], count: int, members: list[tuple[Placed, _Verdict]], entries: list[Entry]
) -> CheckedOperator:
    domain, op, engine = key
    row = members[0][1].row
    broken = _counted([reason for _, verdict in members for reason in verdict.reasons], len(members))
    limits_text = row.limits if row is not None and row.exists else ""
    runs = members[0][1].runs
    shown = [member for member in members if member[1].reasons] or members
    troubled = engine in ("ai_cpu", "no_importer", "host") or (engine == "no_kernel" and runs)
    names = (op, row.kernel, *row.cann_ops) if row is not None else (op,)
    restriction = "; ".join([*broken, *([limits_text] if limits_text else [])])
    return CheckedOperator(
        type=op,
        count=count,
        engine=engine,
        restriction=restriction or None,
        remedies=remedies(entries, names[:2]) if troubled else (),
        domain=domain,
        kernels=_kernels(row),
        opsets=row.opsets if row is not None else "",
        broken=tuple(broken),
        nodes=tuple(_label(placed) for placed, _ in shown[:SHOWN_NODES]),
        runs=runs,
    )


def _kernels(row: coverage.Importer | None) -> tuple[str, ...]:
    """CANN operators that the importer creates, the one that does the work first."""
    if row is None:
        return ()
    return tuple(dict.fromkeys(filter(None, (row.kernel, *row.cann_ops))))


def _counted(reasons: list[str], total: int) -> list[str]:
    return [f"{reason} ({n} of {total})" if n < total else reason for reason, n in Counter(reasons).items()]


def _label(placed: Placed) -> str:
    name = placed.node.name or next((out for out in placed.node.outputs if out), placed.node.type)
    return f"{placed.place}/{name}" if placed.place else name


def _attention(judged: list[tuple[Placed, _Verdict]]) -> Iterator[CheckedNode]:
    for placed, verdict in judged:
        missing = verdict.engine == "no_kernel" and verdict.runs
        if verdict.engine in ("ai_cpu", "no_importer", "host", "unknown") or missing or verdict.reasons:
            yield CheckedNode(
                placed.node.type, _label(placed), verdict.engine, tuple(verdict.reasons), placed.place
            )


def _summary(judged: list[tuple[Placed, _Verdict]]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for placed, verdict in judged:
        found[verdict.engine if verdict.runs else "needs_no_kernel"] += placed.calls
    return dict(sorted(found.items()))


def _warnings(model: Model, judge: _Judge, judged: list[tuple[Placed, _Verdict]]) -> Iterator[str]:
    yield from _opset_warnings(model)
    yield from _file_warnings(model)
    refused = sum(verdict.refused > 0 for _, verdict in judged)
    if refused:
        yield f"nodes that break a limit of the published operator list: {refused}; the conversion may stop there"
    types = Counter(placed.node.type for placed, _ in judged)
    quantised = sum(types[name] for name in _QUANTISED)
    if quantised:
        yield (
            f"{quantised} nodes of ONNX int8 quantisation: QDQ and integer operators have no importer; convert the float"
            " model and quantise with the vendor's tool (AMCT, ModelSlim)"
        )
    flow = [name for name in ("If", "Loop", "Scan") if types[name]]
    if flow:
        yield f"control flow ({', '.join(flow)}): the graph cannot run as one static whole"
    counted = sorted(_COUNTED_OUTPUT & set(types))
    if counted:
        yield f"the number of results of {', '.join(counted)} depends on the data: what follows has dynamic shapes"
    if targets.family_of(judge.soc) == "ascend-950":
        yield OPEN_ONLY


def _opset_warnings(model: Model) -> Iterator[str]:
    span = f"{coverage.OLDEST} to {coverage.NEWEST}"
    if model.opset is None:
        yield "the file imports no ONNX opset; it is judged without one"
    elif model.opset > coverage.NEWEST:
        yield (
            f"opset {model.opset} is too new: importers are registered for opset {span}. Engines are those of the same"
            f" operators at opset {coverage.NEWEST}; export the model again with opset {coverage.NEWEST} or lower"
        )
    elif model.opset < coverage.OLDEST:
        yield f"opset {model.opset} is too old: importers are stated for opset {span}; convert the model to a newer opset"
    used = {placed.node.domain for placed in walk(model) if not placed.node.standard}
    if used:
        yield f"custom operator domains: {', '.join(sorted(used)[:8])}"


def _file_warnings(model: Model) -> Iterator[str]:
    outside = [constant for constant in model.graph.constants.values() if constant.location is not None]
    if outside:
        places = sorted({constant.location or "?" for constant in outside})
        unsafe = [
            place
            for place in places
            if place.startswith(("/", "\\")) or ".." in place.replace("\\", "/").split("/")
        ]
        yield f"weights of {len(outside)} tensors lie in other files ({', '.join(places[:3])}); keep them beside the model"
        if model.absent:
            yield f"weights are missing: {', '.join(model.absent[:3])} does not lie beside the model; the converter stops without it"
        if unsafe:
            yield f"external data outside the model's folder: {unsafe[0]!r}; converters refuse or misread such paths"
    if model.functions:
        yield f"{len(model.functions)} operators are defined as functions inside the model; inline them before the import"
    symbols = sorted(
        {dim for value in model.graph.inputs for dim in value.shape or () if isinstance(dim, str)}
    )
    open_ = any(dim is None for value in model.graph.inputs for dim in value.shape or ())
    if symbols or open_:
        names = f" ({', '.join(symbols[:6])})" if symbols else ""
        yield f"dynamic input shapes{names}: fix them, or give ranges or gears to the converter; fixed shapes run faster"
