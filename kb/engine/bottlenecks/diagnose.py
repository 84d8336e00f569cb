"""All bottlenecks over all operators of a run: findings by time at stake, and what was not judged.

Equal judgements on operators of one type become one finding; nothing is reported call by call. A rule that fails is listed
as not judged; the others are asked all the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from kb.addition import plain_sum
from kb.engine.bottlenecks import registry
from kb.engine.bottlenecks.asking import Asked
from kb.engine.bottlenecks.gate import (
    ALWAYS,
    INFORMATIVE,
    LAUNCH,
    at_launch_floor,
    hardly_enough,
    near_floor,
    too_small,
    worth_judging,
    wrong_times,
)
from kb.engine.bottlenecks.judging import Bottleneck, Held, Withheld, open_share, value
from kb.model import Diagnosis, Features, Finding, Notice, NotJudged, Operator, OperatorRef, Tensor

OF_THE_CAPTURE = frozenset({"setup-dominated-run"})  # leaves nothing to win and changes how all else is read
BARELY = (
    0.6  # how sure a finding stays about a kernel just large enough to judge: a part of what it were else
)
UNKNOWN_OPEN = 0.3  # order only: the part of its time that a finding without a bound leaves open
MAX_OPERATORS = 12  # named in one finding; the rest is counted


def diagnose(run: Features, operators: Sequence[Features], scope: str, most_sure: float = 1.0) -> Diagnosis:
    """Judge everything; order and content depend on the features only.

    Args:
        most_sure: no finding is surer than this, where the times were not measured.
    """
    not_judged: list[NotJudged] = []
    asked = Asked()
    held: dict[tuple[str, str], list[tuple[Features, Held]]] = defaultdict(list)
    candidates = [f for f in operators if worth_judging(f, scope)]
    small = {
        id(f): reason for f in candidates if (reason := wrong_times(f, scope) or too_small(f)) is not None
    }
    contradicted = set()
    remarks: list[str] = []
    for f in candidates:
        here = _judge_operator(f, _askable(f, small=id(f) in small), asked)
        if any(bottleneck.id == "capture-contradicts-size" for bottleneck, _ in here):
            contradicted.add(id(f))
            here = [pair for pair in here if pair[0].id == "capture-contradicts-size"]
        unsure = here and hardly_enough(f)
        if unsure:
            remarks.append(f"{_name(f)}: {unsure}")
            here = [
                (item, replace(verdict, confidence=round(verdict.confidence * BARELY, 3)))
                for item, verdict in here
            ]
        for bottleneck, verdict in here:
            held[bottleneck.id, _group(f)].append((f, verdict))
    findings = [_operator_finding(key, pairs) for key, pairs in held.items()]
    notices = [Notice(item.pattern, item.summary) for item in findings if item.pattern in INFORMATIVE]
    findings = [item for item in findings if item.pattern not in INFORMATIVE]
    for bottleneck in _run_level(scope):
        judge = None if bottleneck.missing(run) else bottleneck.judge_run
        whole = asked.ask(bottleneck, "the run", partial(judge, run, operators), None) if judge else None
        if isinstance(whole, Withheld):
            not_judged.append(NotJudged(bottleneck.id, whole.reason, whole.collect))
            remarks.append(whole.reason)
        elif whole is not None:
            findings.append(_run_finding(bottleneck, whole))
    findings = _without_shadowed(findings)
    findings = [replace(item, confidence=min(item.confidence, most_sure)) for item in findings]
    for f in candidates:
        if id(f) in small and id(f) not in contradicted:
            not_judged.append(
                NotJudged(
                    "operator",
                    f"{_name(f)}: {small[id(f)]}",
                    "the profile again"
                    if wrong_times(f, scope)
                    else "a launch of production size, or kb advise with --shape",
                )
            )
    judged = [f for f in candidates if id(f) not in small and id(f) not in contradicted]
    not_judged += _missing(judged, run, scope, asked)
    not_judged += asked.failed()
    busy = 1 - min(1.0, value(run, "device_idle_share"))
    findings.sort(key=lambda item: (-round(_defended(item, busy), 9), item.pattern, item.id))
    remarks += [item.summary for item in findings[1:] if item.pattern in OF_THE_CAPTURE]
    return Diagnosis(tuple(findings), tuple(not_judged), tuple(notices), tuple(remarks))


def _defended(finding: Finding, busy: float) -> float:
    """What a finding can be defended to cost, a part of the elapsed time: time concerned x part open x confidence.

    `busy` is the part of the elapsed time that findings of the run are parts of. Of a finding without a computed bound
    a part is taken as open (`UNKNOWN_OPEN`), to order it only.
    """
    room = UNKNOWN_OPEN if finding.headroom is None else finding.headroom
    return finding.share * room * finding.confidence * (1.0 if finding.base == "elapsed" else busy)


def _askable(f: Features, *, small: bool) -> frozenset[str] | None:
    """The bottlenecks that may be asked of a kernel; None for all of them."""
    if small:
        return ALWAYS
    if at_launch_floor(f):
        return ALWAYS | LAUNCH
    return ALWAYS | INFORMATIVE if near_floor(f) else None


def _judge_operator(
    f: Features, askable: frozenset[str] | None, asked: Asked
) -> list[tuple[Bottleneck, Held]]:
    found: dict[str, tuple[Bottleneck, Held]] = {}
    for bottleneck in registry().values():
        if bottleneck.judge is None or (askable is not None and bottleneck.id not in askable):
            continue
        if not _applies(bottleneck, f, asked) or bottleneck.missing(f):
            continue
        verdict = asked.ask(bottleneck, _name(f), partial(bottleneck.judge, f), None)
        if verdict is not None:
            found[bottleneck.id] = (bottleneck, verdict)
    return [
        pair
        for pair in found.values()
        if not any(other in found for other in pair[0].yields_to)
        and (pair[0].parent is None or _counts(pair[0].parent, found))
    ]


def _applies(bottleneck: Bottleneck, f: Features, asked: Asked) -> bool:
    return asked.ask(bottleneck, _name(f), partial(bottleneck.applies, f), otherwise=False)


def _counts(parent: str, found: Mapping[str, tuple[Bottleneck, Held]]) -> bool:
    """A parent holds, and nothing but a child of its own explains it better."""
    if parent not in found:
        return False
    better = [found[other][0] for other in found[parent][0].yields_to if other in found]
    return all(bottleneck.parent == parent for bottleneck in better)


def _run_level(scope: str) -> Iterable[Bottleneck]:
    return (
        item
        for item in registry().values()
        if item.judge_run is not None and (scope == "run" or item.id in ALWAYS)
    )


def _group(f: Features) -> str:
    return f"{f.labels.get('op_type', '?')}|{f.labels.get('core', '?')}"


def _operator_finding(key: tuple[str, str], pairs: list[tuple[Features, Held]]) -> Finding:
    pattern, group = key
    pairs = sorted(pairs, key=lambda pair: (-round(_stake(pair[0]), 9), _name(pair[0])))
    total = plain_sum(_time(f) for f, _ in pairs)
    lead = pairs[0][1]
    rooms = [
        (open_share(f) if verdict.headroom is None else verdict.headroom, _time(f)) for f, verdict in pairs
    ]
    weight = plain_sum(time for _, time in rooms)
    headroom = plain_sum(room * time for room, time in rooms) / weight if weight else rooms[0][0]
    return Finding(
        id=f"{pattern}/{group.split('|')[0]}",
        pattern=pattern,
        scope="operator",
        operators=tuple(operator_ref(f) for f, _ in pairs[:MAX_OPERATORS]),
        share=round(min(1.0, plain_sum(_stake(f) for f, _ in pairs)), 6),
        confidence=lead.confidence if total else round(lead.confidence, 3),
        evidence=lead.evidence,
        headroom=round(headroom, 4),
        parent=registry()[pattern].parent,
        summary=lead.summary if len(pairs) == 1 else f"{lead.summary} (the longest of {len(pairs)} shapes)",
    )


def _run_finding(bottleneck: Bottleneck, verdict: Held) -> Finding:
    group = [f for f in verdict.operators if f.operator is not None]
    own = group and bottleneck.headroom_of == "operators"
    share = plain_sum(value(f, "op_time_share") for f in group) if own else 1.0
    group.sort(key=lambda f: (-round(_time(f), 3), _name(f)))
    return Finding(
        id=bottleneck.id,
        pattern=bottleneck.id,
        scope="run",
        operators=_by_type(group)[:MAX_OPERATORS],
        share=round(min(1.0, share), 6),
        confidence=verdict.confidence,
        evidence=verdict.evidence,
        headroom=verdict.headroom,
        base="elapsed" if bottleneck.headroom_of == "elapsed" else "run",
        summary=verdict.summary,
    )


def _by_type(group: Sequence[Features]) -> tuple[OperatorRef, ...]:
    """One reference a type and core, by falling time; the shape is named where there is only one."""
    found: dict[tuple[str, str], list[OperatorRef]] = defaultdict(list)
    for f in group:
        ref = operator_ref(f)
        found[ref.type or ref.name, ref.core].append(ref)
    merged = [
        refs[0]
        if len(refs) == 1
        else replace(
            refs[0],
            shapes="",
            count=sum(ref.count for ref in refs),
            time_us=_sum(refs),
        )
        for refs in found.values()
    ]
    return tuple(sorted(merged, key=lambda ref: (-(ref.time_us or 0.0), ref.name)))


def _sum(refs: Sequence[OperatorRef]) -> float | None:
    times = [ref.time_us for ref in refs if ref.time_us is not None]
    return round(plain_sum(times), 3) if times else None


def _without_shadowed(findings: list[Finding]) -> list[Finding]:
    """One id a finding; two groups of one type (AI CPU and AI Core) keep both, told apart by the core."""
    seen: set[str] = set()
    out = []
    for finding in findings:
        unique = finding.id
        if unique in seen:
            unique = f"{finding.id}/{finding.operators[0].core if finding.operators else len(seen)}"
        seen.add(unique)
        out.append(replace(finding, id=unique))
    return out


def _missing(operators: Sequence[Features], run: Features, scope: str, asked: Asked) -> list[NotJudged]:
    """Bottlenecks that apply to some operator but could be judged on none."""
    out = []
    for bottleneck in registry().values():
        if bottleneck.judge_run is not None:
            lacking = bottleneck.missing(run) if scope == "run" else ()
        else:
            meant = [f for f in operators if _applies(bottleneck, f, asked)]
            if not meant or any(not bottleneck.missing(f) for f in meant):
                continue
            lacking = bottleneck.missing(meant[0])
        if lacking:
            words = ", ".join(need.replace("|", " or ") for need in lacking)
            out.append(
                NotJudged(bottleneck.id, f"needs {words}, which the input does not hold", bottleneck.collect)
            )
    return out


def _time(f: Features) -> float:
    return f.operator.total_us if f.operator else 0.0


def _stake(f: Features) -> float:
    return value(f, "op_time_share", 1.0)


def _name(f: Features) -> str:
    return f.operator.name if f.operator else "run"


def operator_ref(f: Features) -> OperatorRef:
    """How the report names an operator group."""
    op = f.operator
    assert op is not None
    kind = f.labels.get("op_type")
    time = round(op.total_us, 3) if op.duration.unit == "us" else None
    return OperatorRef(kind, op.name, op.core, shapes(op), op.count, time)


def shapes(op: Operator) -> str:
    """Input shapes as text: "1024x65536; 64"; empty when the export has none."""
    return "; ".join(_shape(tensor) for tensor in op.inputs)


def _shape(tensor: Tensor) -> str:
    if tensor.shape is None:
        return "-"
    return "x".join(map(str, tensor.shape)) or "scalar"
