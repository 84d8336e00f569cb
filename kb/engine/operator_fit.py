"""How far an entry speaks of an operator: by its type, its work pattern, or the way its kernel is written."""

from __future__ import annotations

from collections.abc import Sequence

from kb import operators
from kb.addition import plain_sum
from kb.engine import signature
from kb.engine.kind_of_run import KindOfRun
from kb.engine.metrics.identity import SEVERAL
from kb.model import Condition, Entry, Features, Finding
from kb.vocabulary.work_patterns import ALL_PRODUCTS

# Entries that describe a technique for any kernel of the kind, whatever operator it was measured on.
TECHNIQUES = frozenset({"memory", "pipeline", "scalar", "launch", "elementwise", "host"})
# Work patterns whose kernels are written and tuned alike.
_KIN = (
    ALL_PRODUCTS,
    ("conv2d", "conv3d", "depthwise", "conv2d_dx", "conv2d_dw", "deform_conv"),
    ("attention", "attention_grad", "attention_sparse", "attention_decode"),
    ("elementwise", "elementwise_binary", "elementwise_transcendental", "elementwise_nary", "elementwise_grad", "elementwise_gated", "logical", "compare", "cast", "foreach", "activation", "scan"),
    ("norm", "fused_norm", "norm_grad", "softmax", "reduce", "reduce_index", "loss"),
    ("copy", "fill_copy", "rearrange", "transpose", "format", "select", "gather", "scatter", "kv_cache", "cast"),
    ("gather", "scatter", "gather_interp", "select"),
    ("nms", "sort", "detect", "dynamic"),
    ("pool", "pool_grad", "resize", "pool_resize"),
)  # fmt: skip
# Work patterns whose time goes into multiplying matrices.
_MULTIPLYING = frozenset({*_KIN[0], *_KIN[1], *_KIN[2], "attention_linear"})
OWN_UNKNOWN = 0.9  # fit for an own kernel in an unknown language, of an entry for own Triton kernels
LAST_NAMED = 0.8  # fit for an operator that an entry names late in its list
# Bottlenecks whose remedy is to use the unit that the kernel does not use now.
_OTHER_UNIT = frozenset({"cube-idle-no-dot"})
# Classes whose members have little in common but the class.
_DISTINCT = frozenset({"hccl", "mc2", "moe", "moe_comm", "dynamic", "none", "optimizer"})
# Families of entries that speak of one kind of operator only, and what that kind's work patterns are.
FAMILY_KIN = {
    "matmul": _KIN[0],
    "grouped_matmul": _KIN[0],
    "conv": _KIN[1],
    "attention": (*_KIN[2], "attention_linear"),
    "norm_softmax": _KIN[4],
    "reduce": _KIN[4],
    "gather_scatter": (*_KIN[6], "sort", "moe", "attention_sparse", "transpose"),
    "nms": _KIN[7],
    "pooling_resize": _KIN[8],
    "communication": ("hccl", "mc2", "moe_comm", *_KIN[0]),
}


def part_of(entry: Entry, finding: Finding) -> float:
    """Share of a run-level finding's time in the operator types that the entry names; 1 when it names none of them."""
    if finding.scope != "run" or len(finding.operators) < 2:
        return 1.0
    times = [ref.time_us or 0.0 for ref in finding.operators]
    named = [
        time
        for ref, time in zip(finding.operators, times, strict=True)
        if _names(entry, ref.type or ref.name)
    ]
    total = plain_sum(times)
    return plain_sum(named) / total if named and total > 0 else 1.0


def _names(entry: Entry, kind: str) -> bool:
    """The entry names this type; one that names work patterns instead names all types of them."""
    named = [name for name in entry.operators if name != "*"]
    if named:
        return any(operators.matches(name, kind) for name in named)
    patterns = [item for item in entry.when if item.metric == "op_pattern" and item.basis == "threshold"]
    have = Features(None, {}, {"op_pattern": operators.pattern(kind) or ""})
    return any(signature.holds(item, have) for item in patterns)


def operator_fit(entry: Entry, finding: Finding, lead: Features | None, run: KindOfRun) -> tuple[float, str]:
    """How far the entry speaks of this operator: 1 the same, 0 another kind."""
    named = [name for name in entry.operators if name != "*"]
    if lead is None and not finding.operators:
        if not named:
            return 1.0, ""
        return (0.0, "") if run.has(named) is False else (0.9, "")
    if lead is not None and finding.pattern not in _OTHER_UNIT and not _same_side(entry, lead):
        return 0.0, ""
    types = (
        [lead.labels.get("op_type", "")]
        if lead is not None
        else [ref.type or ref.name for ref in finding.operators]
    )
    for kind in types:
        for place, name in enumerate(named):
            if operators.matches(name, kind):  # an entry names first what it is about
                if name == operators.OWN_KERNEL:
                    return _own_kernel(lead), "written for own Triton kernels"
                return max(LAST_NAMED, 1 - 0.05 * place), f"written for {kind}"
    patterns = (
        {lead.labels["op_pattern"]}
        if lead is not None and "op_pattern" in lead.labels
        else {operators.pattern(kind) for kind in types}
    )
    if patterns.isdisjoint(FAMILY_KIN.get(entry.family, patterns)):
        return 0.0, ""
    wanted = {operators.pattern(name.rstrip("*")) for name in named} - {None}
    if patterns & wanted & _DISTINCT:
        return 0.5, f"written for {'/'.join(named[:3])}, another operator of the class"
    if patterns & wanted:
        return 0.9, f"written for {'/'.join(named[:3])}, the same kind of operator"
    if not named or "*" in entry.operators:
        return 0.8, "for any operator"
    kernels = entry.who == "kernel-developer"
    if kernels and entry.family in TECHNIQUES and lead is not None and _vector(lead):
        return 0.8, f"a technique for vector kernels, measured on {'/'.join(named[:3])}"
    # Kernels of a kin are written alike; a change of the model or its deployment is for the operators that it names, and
    # so is what brings an operator back from the AI CPU.
    on_core = lead is None or lead.labels.get("core") != "ai_cpu"
    if on_core and kernels and any(patterns & set(kin) and wanted & set(kin) for kin in _KIN):
        return 0.6, f"written for {'/'.join(named[:3])}, a related kind"
    return 0.0, ""


def figures_carry(entry: Entry, lead: Features | None) -> bool:
    """Whether figures of the entry's operators say anything of this one.

    A matrix product does not win what an element-wise operator won, nor the other way round: how much work stands behind
    a byte or an instruction differs by orders of magnitude. Only where both sides are known.
    """
    of = {operators.pattern(name.rstrip("*")) for name in entry.operators if name != "*"} - {None}
    have = lead.labels.get("op_pattern") if lead is not None else None
    return not of or have is None or (have in _MULTIPLYING) in {pattern in _MULTIPLYING for pattern in of}


def _own_kernel(lead: Features | None) -> float:
    """An own kernel that is known to be in Triton, or one that may be."""
    return 1.0 if lead is not None and lead.labels.get("kernel_language") == "triton" else OWN_UNKNOWN


def _vector(f: Features) -> bool:
    return f.labels.get("core") in ("vector", "fused")


def _same_side(entry: Entry, f: Features) -> bool:
    """False when the entry reads only counters of the core kind that this kernel does not use."""
    sides = {condition.metric[:3] for condition in entry.when if condition.metric[:4] in ("aic_", "aiv_")}
    core = f.labels.get("core")
    if not sides or core not in ("vector", "cube"):
        return True
    return ("aiv" if core == "vector" else "aic") in sides


# Conditions that say of which operators an entry speaks at all, not how well it fits.
_OF_THE_OPERATOR = frozenset({"op_type", "op_pattern", "core", "follows", "followed_by"})


def another_operator(conditions: Sequence[Condition], f: Features | None) -> bool:
    """The entry says for which operators it holds (type, core, neighbour), and this is none of them.

    Others name their replacements too. An operator with several neighbours may still be one.
    """
    return f is not None and any(
        condition.metric in _OF_THE_OPERATOR
        and condition.basis == "threshold"
        and f.labels.get(condition.metric) != SEVERAL
        and signature.holds(condition, f) is False
        for condition in conditions
    )
