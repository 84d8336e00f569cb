"""From a graph to the calls of a converted one: fusions, layouts, conversions, and graphs that make no sense."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from kb import targets
from kb.engine.check import engines
from kb.engine.network import Call, convert
from kb.engine.network.lower import lower
from kb.errors import KbError
from kb.graph import parse
from tools.samples import models
from tools.samples import onnx_writer as w

FUSED, SPLIT, PLAIN = "Ascend310P3", "Ascend910B3", "Ascend950PR_9589"


def calls(
    nodes: Sequence[bytes], shape: Sequence[int], tensors: Sequence[bytes], soc: str, out: str = "y"
) -> list[Call]:
    graph = w.graph(nodes, [w.value("x", list(shape))], [w.value(out, None)], tensors)
    return list(convert(parse(w.model(graph)), soc, {}).network.calls)


def types(found: Sequence[Call]) -> list[str]:
    return [call.type for call in found]


def conv(source: str, out: str, into: int, channels: int, group: int = 1) -> tuple[bytes, bytes]:
    node = w.node(
        "Conv", [source, f"w{out}"], [out], kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=group, name=out
    )
    return node, w.tensor(f"w{out}", [channels, into // group, 3, 3])


RESIDUAL_CONVS = [conv("x", "a", 16, 16), conv("r", "b", 16, 16)]
RESIDUAL = [
    RESIDUAL_CONVS[0][0], w.node("Relu", ["a"], ["r"]), RESIDUAL_CONVS[1][0], w.node("Add", ["b", "x"], ["s"]),
    w.node("Relu", ["s"], ["y"]),
]  # fmt: skip
WEIGHTS = [weight for _, weight in RESIDUAL_CONVS]


def test_a_residual_block_is_two_kernels_where_cores_hold_cube_and_vector() -> None:
    found = calls(RESIDUAL, [1, 16, 8, 8], WEIGHTS, FUSED)
    assert types(found) == ["TransData", "Conv2D", "Conv2D", "TransData"]
    assert found[1].layers == ("Conv", "Relu")
    assert found[2].layers == ("Conv", "Add", "Relu")
    data, summed, weight = found[2].inputs
    assert (data.shape, data.format, data.dtype) == ((1, 1, 8, 8, 16), "NC1HWC0", "FLOAT16")
    assert summed.shape == data.shape
    assert (weight.shape, weight.format) == ((9, 1, 16, 16), "FRACTAL_Z")
    assert found[-1].outputs[0].shape == (1, 16, 8, 8)


def test_the_sum_is_a_kernel_of_its_own_where_they_are_apart() -> None:
    found = calls(RESIDUAL, [1, 16, 8, 8], WEIGHTS, SPLIT)
    assert types(found) == ["TransData", "Conv2D", "Conv2D", "Add", "Relu", "TransData"]
    assert {tensor.format for call in found[1:-1] for tensor in call.inputs} == {"NC1HWC0", "FRACTAL_Z"}


def test_no_conversion_where_convolutions_work_on_plain_layouts() -> None:
    found = calls(RESIDUAL, [1, 16, 8, 8], WEIGHTS, PLAIN)
    assert "TransData" not in types(found)


def test_a_value_that_is_read_elsewhere_is_not_merged_away() -> None:
    node, weight = conv("x", "a", 16, 16)
    nodes = [node, w.node("Relu", ["a"], ["r"]), w.node("Sub", ["r", "a"], ["y"])]
    found = calls(nodes, [1, 16, 8, 8], [weight], FUSED)
    assert [call.layers for call in found if call.layers] == [("Conv",), ("Relu", "Sub")]


def test_an_output_of_the_network_is_not_merged_away() -> None:
    node, weight = conv("x", "a", 16, 16)
    graph = w.graph(
        [node, w.node("Relu", ["a"], ["y"])],
        [w.value("x", [1, 16, 8, 8])],
        [w.value("a", None), w.value("y", None)],
        [weight],
    )
    found = convert(parse(w.model(graph)), FUSED, {}).network.calls
    assert [call.layers for call in found if call.layers] == [("Conv",), ("Relu",)]


def test_depthwise_and_grouped_convolutions_say_their_groups() -> None:
    one, weight = conv("x", "a", 32, 32, group=32)
    two, other = conv("a", "y", 32, 32, group=4)
    found = calls([one, two], [1, 32, 8, 8], [weight, other], FUSED)
    assert [(c.type, dict(c.attributes)) for c in found if c.layers] == [
        ("DepthwiseConv2D", {"groups": "32"}), ("Conv2D", {"groups": "4"}),
    ]  # fmt: skip


def attention() -> tuple[list[bytes], list[bytes]]:
    """Heads split by reshape and transpose, products around a softmax, heads joined again."""
    nodes, tensors = [], [
        w.tensor("split", [4], w.INT64, integers=[1, 32, 4, 16]), w.tensor("join", [3], w.INT64, integers=[1, 32, 64]),
    ]  # fmt: skip
    for name, perm in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        tensors.append(w.tensor(f"w{name}", [64, 64]))
        nodes += [
            w.node("MatMul", ["x", f"w{name}"], [f"{name}0"]), w.node("Reshape", [f"{name}0", "split"], [f"{name}1"]),
            w.node("Transpose", [f"{name}1"], [name], perm=perm),
        ]  # fmt: skip
    nodes += [
        w.node("MatMul", ["q", "k"], ["s"]), w.node("Softmax", ["s"], ["p"], axis=-1), w.node("MatMul", ["p", "v"], ["o"]),
        w.node("Transpose", ["o"], ["o1"], perm=[0, 2, 1, 3]), w.node("Reshape", ["o1", "join"], ["o2"]),
        w.node("MatMul", ["o2", "wo"], ["y"]),
    ]  # fmt: skip
    return nodes, [*tensors, w.tensor("wo", [64, 64])]


def test_heads_move_without_leaving_the_blocks_of_products() -> None:
    nodes, tensors = attention()
    found = calls(nodes, [1, 32, 64], tensors, FUSED)
    counts = Counter(types(found))
    assert counts == {
        "TransData": 2, "MatMulV2": 4, "ConfusionTransposeD": 4, "BatchMatMulV2": 2, "SoftmaxV2": 1,
    }  # fmt: skip
    product = next(call for call in found if call.type == "MatMulV2")
    assert [tensor.shape for tensor in product.inputs] == [(4, 2, 16, 16), (4, 4, 16, 16)]
    last = found[-2]
    assert (last.type, last.outputs[0].format) == ("MatMulV2", "FRACTAL_NZ")


def test_products_stay_plain_where_cube_and_vector_are_apart() -> None:
    nodes, tensors = attention()
    found = calls(nodes, [1, 32, 64], tensors, SPLIT)
    counts = Counter(types(found))
    assert counts == {"MatMulV2": 4, "TransposeD": 4, "BatchMatMulV2": 2, "SoftmaxV2": 1}
    assert found[0].inputs[0].shape == (32, 64)


def test_spelt_out_operations_become_one_kernel() -> None:
    half = [w.tensor(name, []) for name in ("root", "one", "half", "eps", "two")]
    gelu = [
        w.node("Div", ["x", "root"], ["d"]), w.node("Erf", ["d"], ["e"]), w.node("Add", ["e", "one"], ["f"]),
        w.node("Mul", ["x", "f"], ["g"]), w.node("Mul", ["g", "half"], ["y"]),
    ]  # fmt: skip
    assert types(calls(gelu, [4, 64], half, SPLIT)) == ["Gelu"]
    norm = [
        w.node("ReduceMean", ["x"], ["m"], axes=[-1]), w.node("Sub", ["x", "m"], ["c"]), w.node("Pow", ["c", "two"], ["p"]),
        w.node("ReduceMean", ["p"], ["v"], axes=[-1]), w.node("Add", ["v", "eps"], ["a"]), w.node("Sqrt", ["a"], ["s"]),
        w.node("Div", ["c", "s"], ["n"]), w.node("Mul", ["n", "gamma"], ["g"]), w.node("Add", ["g", "beta"], ["y"]),
    ]  # fmt: skip
    weights = [*half, w.tensor("gamma", [64]), w.tensor("beta", [64])]
    found = calls(norm, [4, 64], weights, SPLIT)
    assert types(found) == ["LayerNorm"]
    assert [tensor.shape for tensor in found[0].inputs] == [(4, 64), (64,), (64,)]
    silu = [w.node("Sigmoid", ["x"], ["s"]), w.node("Mul", ["x", "s"], ["y"])]
    assert types(calls(silu, [4, 64], [], SPLIT)) == ["Swish"]
    swish = [
        w.node("Add", ["x", "three"], ["a"]), w.node("Clip", ["a", "zero", "six"], ["c"]),
        w.node("Mul", ["x", "c"], ["m"]), w.node("Div", ["m", "six"], ["y"]),
    ]  # fmt: skip
    assert types(calls(swish, [4, 64], [w.tensor(n, []) for n in ("three", "zero", "six")], SPLIT)) == [
        "HardSwish"
    ]


def test_what_falls_back_is_on_ai_cpu_in_plain_layout() -> None:
    found = convert(parse(models.detector()), FUSED, {}).network.calls
    pool = next(call for call in found if call.type == "AvgPoolV2")
    assert (pool.engine, pool.inputs[0].shape) == ("ai_cpu", (1, 128, 20, 20))
    assert {call.engine for call in found} == {"ai_core", "ai_cpu"}


def test_chips_of_every_family_take_the_shipped_model() -> None:
    model = parse(models.detector())
    for family, item in targets.families().items():
        if item.typical is not None:
            assert convert(model, family, {}).network.calls, family


def test_shapes_that_do_not_fit_are_no_crash() -> None:
    nodes = [
        w.node("Conv", ["x"], ["a"]), w.node("MatMul", ["a"], ["b"]), w.node("Transpose", ["b"], ["c"], perm=[5, 5]),
        w.node("Softmax", [], ["d"]), w.node("Add", ["c", "d"], ["e"]), w.node("Concat", ["e", "x"], ["y"], axis=77),
        w.node("Gemm", ["x", "x", "x"], ["z"]), w.node("Sqrt", ["z"], ["q"]), w.node("Erf", ["q"], ["r"]), w.node("Tanh", [], []),
    ]  # fmt: skip
    assert calls(nodes, [2, 0, 3], [], FUSED) is not None


@pytest.mark.parametrize("soc", [FUSED, SPLIT])
def test_damaged_models_are_read_or_refused(soc: str) -> None:
    """Single bytes changed: either an error of ours, or calls."""
    whole = models.detector()
    rng = random.Random(8)
    chip = targets.load(soc)
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            model = parse(bytes(data))
            lower(model, chip, {key: engine for key, (engine, _) in engines(model, soc).items()})
        except KbError:
            continue


def test_a_cycle_ends() -> None:
    nodes = [w.node("Add", ["x", "b"], ["a"]), w.node("Relu", ["a"], ["b"]), w.node("Sqrt", ["b"], ["y"])]
    assert calls(nodes, [4, 4], [], FUSED) is not None
    ring = [w.node("Erf", ["y"], ["e"]), w.node("Add", ["e", "e"], ["f"]), w.node("Mul", ["f", "y"], ["y"])]
    assert calls(ring, [4, 4], [], SPLIT) is not None
