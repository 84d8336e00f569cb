"""Which entries may answer a finding at all."""

from __future__ import annotations

from dataclasses import replace

from kb.engine.bottlenecks import registry
from kb.engine.match import match
from kb.engine.metrics import RunFeatures
from kb.engine.metrics.context import Context
from kb.engine.metrics.identity import labels
from kb.engine.rank import rank
from kb.model import (
    Capture,
    Chip,
    Condition,
    Entry,
    Features,
    Finding,
    Measure,
    Operator,
    OperatorRef,
    Profile,
    Text3,
)


def entry(name: str, **fields: object) -> Entry:
    base: dict[str, object] = {
        "bottlenecks": ("aicpu-fallback",),
        "operators": ("IndexPut", "Mul"),
        "who": "model-developer",
    }
    return Entry(
        name,
        "recipe",
        "reviewed",
        Text3(name),
        Text3(""),
        Text3("do"),
        **({"family": "aicpu_fallback"} | base | fields),
    )  # type: ignore[arg-type]


def operator(kind: str, core: str = "ai_cpu") -> Operator:
    return Operator(kind, kind, core, 1, Measure(500.0, "us", "x"), 500.0)  # type: ignore[arg-type]


def finding(kind: str, pattern: str = "aicpu-fallback", core: str = "ai_cpu") -> tuple[Finding, Features]:
    ref = OperatorRef(kind, kind, core, "", 1, 500.0)
    f = Features(
        operator(kind, core), {}, {"op_type": kind, "core": core, "op_pattern": "elementwise_binary"}
    )
    return Finding(f"{pattern}/{kind}", pattern, "operator", (ref,), 0.3, 0.9, (), 0.9), f


def answers(found: tuple[Finding, Features], *entries: Entry) -> set[str]:
    one, f = found
    return {item.entry.id for item in match([one], {one.id: (f,)}, entries, (), {}, {})}


def test_an_entry_for_one_operator_is_no_answer_for_its_replacement() -> None:
    only = Condition("op_type", "in", ("IndexPut", "IndexPutV2"), "threshold")
    assert answers(finding("Mul"), entry("mask", when=(only,))) == set()
    assert answers(finding("IndexPut"), entry("mask", when=(only,))) == {"mask"}
    assert answers(finding("Mul"), entry("cast")) == {"cast"}


def test_a_kernel_technique_is_no_answer_to_an_ai_cpu_task() -> None:
    technique = entry("tile", bottlenecks=("under-parallel",), operators=("Mul",), family="elementwise")
    assert answers(finding("Mul"), technique) == set()
    assert answers(finding("Mul", "scalar-bound-vector", "vector"), technique) == {"tile"}


def test_versions_of_a_type_keep_its_class() -> None:
    profile = Profile("t", "x", "run", Capture("x"), Chip(), ())
    found = labels(operator("NonMaxSuppressionV3"), Context(profile, (), None, None), {})
    assert found["op_pattern"] == "nms"


def test_a_fused_norm_after_a_product_is_no_epilogue() -> None:
    def after_product(kind: str, pattern: str) -> Features:
        values = {"compute_time_share": Measure(0.2, "1", "x")}
        return Features(
            operator(kind, "vector"),
            values,
            {"op_type": kind, "op_pattern": pattern, "follows": "MatMul", "core": "vector"},
        )

    judge = registry()["epilogue-in-separate-kernel"].judge_run
    assert judge is not None
    run = Features(None, {})
    assert judge(run, [after_product("AddRmsNorm", "fused_norm")]) is None
    assert judge(run, [after_product("Add", "elementwise_binary")]) is not None


def test_decoding_attention_is_no_idle_cube() -> None:
    rule = registry()["cube-idle-no-dot"]
    assert rule.judge is not None
    values = {"aic_mac_ratio": Measure(0.04, "1", "x")}
    for pattern, held in (("attention_decode", False), ("attention", True)):
        f = Features(operator("X", "mix"), values, {"op_type": "X", "core": "mix", "op_pattern": pattern})
        assert (rule.judge(f) is not None) is held
        assert rule.applies(f)


def test_weight_quantised_products_with_few_rows_are_matrix_times_vector() -> None:
    rule = registry()["gemv-small-m"]
    f = Features(None, {"matmul_m": Measure(8.0, "", "stated")}, {"op_pattern": "weight_quant_matmul"})
    assert rule.applies(f)
    assert rule.judge is not None and rule.judge(f) is not None, "an unknown K is not a small one"


def test_words_alone_lead_to_an_entry_where_nothing_else_does() -> None:
    one, f = finding("Mul")
    near, far = entry("near", bottlenecks=()), entry("far", bottlenecks=())
    nearness = {one.id: {"near": 0.71, "far": 0.3}}
    (found,) = match([one], {one.id: (f,)}, [near, far], (), {}, nearness)
    assert (found.entry.id, found.by_text) == ("near", True)
    (told,) = rank([found], run_scope=True)
    assert any("by text only" in line for line in told.evidence)
    assert told.gain.low == 0
    tied = match([one], {one.id: (f,)}, [near, entry("tied")], (), {}, nearness)
    assert {item.entry.id for item in tied} == {"tied"}  # facts come first


def test_words_alone_say_nothing_where_no_time_is_open_or_the_entry_is_known_not_to_help() -> None:
    one, f = finding("Mul")
    nearness = {one.id: {"near": 0.9}}
    near = entry("near", bottlenecks=())
    for headroom in (None, 0.0):
        closed = replace(one, headroom=headroom)
        assert match([closed], {one.id: (f,)}, [near], (), {}, nearness) == []
    against = entry("near", bottlenecks=(), not_for=("aicpu-fallback",))
    assert match([one], {one.id: (f,)}, [against], (), {}, nearness) == []


def test_a_reading_that_rules_an_entry_out_takes_it_off_the_list() -> None:
    one, f = finding("MatMul", "head-overhead", "cube")
    fewer = entry(
        "fewer-cores",
        bottlenecks=("head-overhead",),
        operators=("MatMul",),
        family="launch",
        not_when=(Condition("block_dim", "<=", 1, "threshold"),),
    )

    def with_blocks(n: float | None) -> tuple[Finding, Features]:
        values = {} if n is None else {"block_dim": Measure(n, "", "x")}
        return one, replace(f, values=values)

    assert answers(with_blocks(1), fewer) == set()
    assert answers(with_blocks(2), fewer) == {"fewer-cores"}
    assert answers(with_blocks(None), fewer) == {"fewer-cores"}  # what is not measured rules nothing out


def test_of_a_run_every_operator_that_can_say_must_rule_an_entry_out() -> None:
    few = Condition("matmul_m", "<=", 32, "inferred")
    fuse = entry(
        "fuse", bottlenecks=("comm-exposed",), operators=("*",), family="communication", not_when=(few,)
    )
    one = Finding("comm-exposed", "comm-exposed", "run", (), 0.3, 0.9, (), 0.3)

    def given(*rows: float) -> set[str]:
        products = tuple(
            Features(
                operator("MatMul", "cube"),
                {"matmul_m": Measure(n, "", "x")},
                {"op_type": "MatMul", "core": "cube"},
            )
            for n in rows
        )
        run = RunFeatures(Features(None, {}, {}), products, True, frozenset())
        return {item.entry.id for item in match([one], {}, [fuse], (), {}, {}, run)}

    assert given(16, 1) == set()
    assert given(16, 4096) == {"fuse"}
    assert given() == {"fuse"}


def test_what_holds_only_on_some_of_the_possible_chips_rules_nothing_out() -> None:
    """20 to 24 cores, 22 blocks: on the smaller chip nothing is left idle, on the larger one it is."""
    one, f = finding("MatMul", "under-parallel", "cube")
    spread = entry(
        "spread",
        bottlenecks=("under-parallel",),
        operators=("MatMul",),
        family="matmul",
        not_when=(Condition("blocks_per_core", ">=", 1, "threshold"),),
    )

    def with_share(middle: float, low: float | None, high: float | None) -> tuple[Finding, Features]:
        return one, replace(f, values={"blocks_per_core": Measure(middle, "1x", "x", low, high)})

    assert answers(with_share(1.0, 22 / 24, 22 / 20), spread) == {"spread"}
    assert answers(with_share(1.2, 24 / 24, 24 / 20), spread) == set()
    assert answers(with_share(1.0, None, None), spread) == set()


def test_an_entry_for_one_size_says_so_where_no_shapes_are_told() -> None:
    one, f = finding("MatMul", "under-parallel", "cube")
    row = entry(
        "row", bottlenecks=("under-parallel",), operators=("MatMul",), family="matmul",
        when=(Condition("matmul_m", "==", 1, "threshold"),),
    )  # fmt: skip
    f = replace(f, labels={**f.labels, "op_pattern": "matmul"})

    def only_if(rows: float | None) -> str | None:
        values = {} if rows is None else {"matmul_m": Measure(rows, "", "x")}
        (found,) = match([one], {one.id: (replace(f, values=values),)}, [row], (), {}, {})
        return found.only_if

    assert only_if(None) == "only where matmul_m == 1: no shapes are told here"
    assert only_if(1.0) is None
