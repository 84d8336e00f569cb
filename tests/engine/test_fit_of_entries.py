"""All shipped entries held against operators and runs that they are not for: vector work gets no advice about products, a run
that trains none about generating, and what a title says of a kind of run stands in the conditions too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from kb import operators
from kb.engine.match import match
from kb.engine.metrics import RunFeatures
from kb.engine.signature import surely_holds
from kb.knowledge.store import load_entries
from kb.model import Entry, Features, Finding, Measure, OperatorRef
from kb.vocabulary.bottlenecks import IDS
from kb.vocabulary.metrics import OF_THE_RUN

ENTRIES = load_entries()
CUBE = {"matmul", "grouped_matmul", "conv", "attention"}
VECTOR = {"elementwise", "norm_softmax", "reduce", "gather_scatter", "activation", "pooling_resize", "nms"}
# The conditions that say for which kernels an entry holds are of the operator; these say for which runs.
OF_ONE_RUN = re.compile(r"\b(training|gradient|decode|prefill|inference|recommendation|video|detectron2|recommenders)\b", re.IGNORECASE)  # fmt: skip


def advised(
    kind: str, core: str, patterns: Iterable[str], phase: str = "unknown", *others: str
) -> list[Entry]:
    """Entries that are advised for an operator in trouble of each of these kinds, in a run of it and others."""
    labels = {
        "op_type": kind,
        "op_pattern": operators.pattern(kind) or "",
        "core": core,
        "hand_written": "no",
    }
    lead = Features(None, {}, labels)
    ref = OperatorRef(kind, kind, core, "", 1, 50.0)
    run = RunFeatures(
        Features(None, {}, {"run_phase": phase}),
        (lead, *(Features(None, {}, {"op_type": name}) for name in others)),
    )
    out = []
    for pattern in patterns:
        finding = Finding(f"{pattern}/{kind}", pattern, "operator", (ref,), 1.0, 0.8, (), headroom=0.5)
        found = match([finding], {finding.id: (lead,)}, ENTRIES.values(), (), {}, {}, run)
        out += [item.entry for item in found]
    return out


@pytest.mark.parametrize("kind", ["Add", "Mul", "Cast", "Relu", "Sub"])
def test_no_advice_about_products_for_vector_work(kind: str) -> None:
    """`Add` is named by entries about the sum behind a product; of a slow `Add` they say nothing."""
    troubles = [
        "scalar-bound-vector",
        "mte2-bound-vector-below-peak",
        "under-parallel",
        "small-mte2-reads",
        "core-imbalance",
    ]
    assert [
        one.id for one in advised(kind, "vector", troubles, "unknown", "MatMul") if one.family in CUBE
    ] == []


@pytest.mark.parametrize("kind", ["MatMul", "Conv2D", "BatchMatMul"])
def test_no_advice_about_vector_work_for_products(kind: str) -> None:
    troubles = ["mte2-bound-cube-hungry", "fixpipe-bound", "scalar-bound-cube", "mte1-bound"]
    assert [one.id for one in advised(kind, "cube", troubles) if one.family in VECTOR] == []


@pytest.mark.parametrize("kind", ["MatMul", "Add", "Softmax", "Conv2D"])
def test_no_advice_about_communication_for_operators_that_compute(kind: str) -> None:
    troubles = sorted(set(IDS) - {"comm-exposed", "rank-imbalance"})
    core = "cube" if kind in ("MatMul", "Conv2D") else "vector"
    assert [
        one.id for one in advised(kind, core, troubles) if one.family in ("communication", "distributed")
    ] == []


def test_no_kernel_of_another_type_for_what_runs_on_the_ai_cpu() -> None:
    assert "fallback-unsafe-index" not in [one.id for one in advised("Cast", "ai_cpu", ["aicpu-fallback"])]


@pytest.mark.parametrize(
    ("phase", "never"),
    [
        ("inference", {"matmul-accumulate-gradient-fusion", "coc-communication-over-computation", "attention-dsa-fused-training"}),
        ("training", {"graph-mode-decode", "tip-graph-mode-decode", "fa-layout-ntd", "output-fp16", "conv-bn-folding", "whitelist-transdata"}),
    ],
)  # fmt: skip
def test_no_advice_for_another_kind_of_run(phase: str, never: set[str]) -> None:
    assert never <= ENTRIES.keys()
    for kind, core in (
        ("Add", "vector"),
        ("MatMul", "cube"),
        ("TransData", "vector"),
        ("FlashAttentionScore", "mix"),
    ):
        assert never.isdisjoint(one.id for one in advised(kind, core, sorted(IDS), phase))


def test_a_title_that_names_one_kind_of_run_stands_in_the_conditions() -> None:
    open_ = [
        entry.id
        for entry in ENTRIES.values()
        if entry.kind in ("recipe", "tip") and entry.bottlenecks and OF_ONE_RUN.search(entry.title.en)
        if not any(item.metric in OF_THE_RUN for item in entry.when)
        and not all(map(_tells_the_run, entry.operators))
    ]
    assert open_ == []


def _tells_the_run(name: str) -> bool:
    """An operator that runs nowhere else."""
    return name.endswith("Grad") or operators.pattern(name) in ("attention_linear", "attention_decode")


def test_a_written_out_norm_is_not_what_every_multiplication_is() -> None:
    """A detector multiplies and adds too; none of it is an RMSNorm, a rotary embedding or a gate."""
    fused = {"fused-norm-rope-swiglu", "rmsnorm-fused", "rope-fused", "swiglu-fused"}
    finding = Finding("tiny-kernels", "tiny-kernels", "run", (), 1.0, 0.8, (), headroom=0.5)

    def found(*pairs: tuple[str, str]) -> set[str]:
        types = {name for pair in pairs for name in pair}
        ran = tuple(Features(None, {}, {"op_type": name, "core": "vector"}) for name in sorted(types))
        run = RunFeatures(Features(None, {}, {"run_phase": "inference"}), ran, True, frozenset(pairs))
        return {
            item.entry.id for item in match([finding], {finding.id: ran}, ENTRIES.values(), (), {}, {}, run)
        } & fused

    assert (
        found(("Conv2D", "Swish"), ("Swish", "Slice"), ("Slice", "Concat"), ("Concat", "Mul"), ("Mul", "Add"))
        == set()
    )
    assert "rmsnorm-fused" in found(
        ("Pow", "ReduceMean"), ("ReduceMean", "Add"), ("Add", "Rsqrt"), ("Rsqrt", "Mul")
    )
    assert "rope-fused" in found(("Slice", "Neg"), ("Neg", "Concat"), ("Concat", "Mul"))


@pytest.mark.parametrize(
    ("ids", "metric", "cannot", "can"),
    [
        (("reduce-core-count-for-tiny-kernels", "triton-grid-cap"), "block_dim", 1, 96),
        (("triton-grid-cap", "matmul-stream-k"), "blocks_per_core", 0.5, 1.5),
        (("vector-use-all-cores", "matmul-use-all-cores"), "used_core_share", 1, 0.5),
        (("matmul-stream-k",), "tail_blocks", 0, 3),
        (("avoid-per-row-api-calls", "counter-mode-tail", "global-mask-reuse"), "aiv_vec_ratio", 0, 0.3),
        (("client-matmul-tiling",), "aic_mac_ratio", 0.85, 0.4),
        (("matmul-scalar-loop-to-cube-api",), "matmul_m", 1, 256),
    ],
)
def test_a_direction_that_cannot_be_taken_is_ruled_out(
    ids: tuple[str, ...], metric: str, cannot: float, can: float
) -> None:
    """Fewer than one core, more than there are, vector calls where no vector instruction ran: read by the matcher."""
    for name in ids:
        for reading, ruled_out in ((cannot, True), (can, False)):
            f = Features(None, {metric: Measure(reading, "", "x")}, {})
            said = any(surely_holds(condition, f) for condition in ENTRIES[name].not_when)
            assert said is ruled_out, (name, metric, reading)
