"""Sizes of inputs: as given, as in the file, else assumed and said."""

from __future__ import annotations

import pytest

from kb.engine.network import convert, parse_shapes
from kb.engine.network.inputs import bind
from kb.errors import UsageError
from kb.graph import parse
from tools.samples import onnx_writer as w


def model(*shapes: list[w.Dim], dtype: int = w.FLOAT) -> bytes:
    names = [f"x{at}" for at in range(len(shapes))]
    nodes = [w.node("Relu", [name], [f"y{name}"]) for name in names]
    inputs = [w.value(name, shape, dtype) for name, shape in zip(names, shapes, strict=True)]
    return w.model(w.graph(nodes, inputs, [w.value(f"y{name}", None) for name in names]))


def test_shapes_as_users_write_them() -> None:
    assert parse_shapes(["images:1,3,640,640"]) == {"images": (1, 3, 640, 640)}
    assert parse_shapes(["a:1,2;b:3x4", " c : [5, 6] "]) == {"a": (1, 2), "b": (3, 4), "c": (5, 6)}


@pytest.mark.parametrize(
    "text",
    ["", "images", "images:", ":1,2", "a:1,,2", "a:-1,3", "a:0,3", "a:1,2:3", "a:" + "9," * 9 + "9", "a:1e3"],
)
def test_shapes_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_shapes([text])


def test_fixed_sizes_stay_and_nothing_is_assumed() -> None:
    found, said = bind(parse(model([2, 3, 8, 8])), {})
    assert (found.graph.inputs[0].shape, said) == ((2, 3, 8, 8), ())


def test_open_sizes_are_assumed_and_said() -> None:
    found, said = bind(parse(model(["n", 3, "h", "w"])), {})
    assert found.graph.inputs[0].shape == (1, 3, 224, 224)
    assert len(said) == 1 and "1x3x224x224" in said[0] and "--input-shape x0" in said[0]
    found, said = bind(parse(model(["n", None], dtype=w.INT64)), {})
    assert found.graph.inputs[0].shape == (1, 128)


def test_one_symbol_is_one_size() -> None:
    found, said = bind(parse(model(["n", 4], ["n", 7])), {"x0": (5, 4)})
    assert [value.shape for value in found.graph.inputs] == [(5, 4), (5, 7)]
    assert len(said) == 1 and "x1" in said[0]


def test_a_given_size_reaches_the_calls() -> None:
    network = convert(parse(model(["n", 3, "h", "w"])), "Ascend910B3", {"x0": (4, 3, 32, 32)}).network
    assert network.calls[0].inputs[0].shape == (4, 3, 32, 32)
    assert network.samples == 4


@pytest.mark.parametrize("given", [{"nothing": (1, 2)}, {"x0": (1, 2)}])
def test_sizes_that_do_not_fit_the_model_are_refused(given: dict[str, tuple[int, ...]]) -> None:
    with pytest.raises(UsageError):
        bind(parse(model(["n", 3, "h", "w"])), given)
