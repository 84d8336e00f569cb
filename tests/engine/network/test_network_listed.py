"""Operator JSON with shapes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kb.engine.network import read_operators, with_engines
from kb.errors import SourceError


def read(folder: Path, data: Any, soc: str = "") -> Any:
    path = folder / "ops.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return read_operators(path, soc)


def test_a_list_of_operators(tmp_path: Path) -> None:
    network, soc = read(
        tmp_path,
        {
            "name": "net", "hardware": "Ascend310P3",
            "operators": [
                {"type": "Add", "count": 3, "in_shapes": [[8, 64], [8, 64]], "in_dtypes": ["float16"]},
                {"type": "Unique", "shape": "8x64", "dtype": "float32"},
            ],
        },
    )  # fmt: skip
    assert (network.name, soc, len(network.calls)) == ("net", "Ascend310P3", 2)
    one, two = network.calls
    assert (one.times, [t.shape for t in one.inputs], one.inputs[1].dtype) == (
        3,
        [(8, 64), (8, 64)],
        "float16",
    )
    assert two.inputs[0].shape == (8, 64)
    assert [call.engine for call in with_engines(network, soc).calls] == ["ai_core", "ai_cpu"]


def test_one_operator_alone_and_a_bare_list(tmp_path: Path) -> None:
    network, soc = read(
        tmp_path, {"operator": "Relu", "hardware": "Ascend310P3", "shape": "(8,64)"}, "Ascend910B3"
    )
    assert (network.calls[0].type, network.calls[0].inputs[0].shape, soc) == ("Relu", (8, 64), "Ascend910B3")
    network, soc = read(tmp_path, [{"type": "Relu", "in_shapes": "8,64"}])
    assert (len(network.calls), soc) == (1, "")


@pytest.mark.parametrize(
    "data",
    [
        "", "{", "[" * 5000, "3", '{"operators": []}', '{"operators": 3}', '{"operators": [3]}', '{"operators": [{}]}',
        {"operators": [{"type": ""}]}, {"operators": [{"type": 7}]}, {"operators": [{"type": "Add", "count": 0}]},
        {"operators": [{"type": "Add", "count": True}]}, {"operators": [{"type": "Add", "in_shapes": {"a": 1}}]},
        {"operators": [{"type": "Add", "in_shapes": [[-1, 2]]}]}, {"operators": [{"type": "Add", "in_shapes": "a,b"}]},
        {"operators": [{"type": "Add", "shapes": [[1]]}]}, {"operators": [{"type": "Add", "in_shapes": [[10**12, 10**12]]}]},
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(tmp_path: Path, data: Any) -> None:
    with pytest.raises(SourceError):
        read(tmp_path, data)
