"""Reading operator tables: two spellings of shapes, and faults with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.engine.estimate.rows import read_rows
from kb.errors import SourceError
from kb.model import Tensor


def table(folder: Path, *lines: str) -> Path:
    path = folder / "ops.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_profiler_spelling(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "# a comment",
        "chip\top_type\tin_shapes\tin_dtypes\tin_formats\tout_shapes\tout_dtypes\tblock_dim\tanything",
        "",
        "910B2\tMulAiCore\t16,768;;4\tFLOAT;FLOAT;DT_UNDEFINED\tND;ND;NULL\t16,768\tFLOAT\t12\tx",
        "910B2\tDSARandomUniform\tN/A\tN/A\tN/A\t1,64\tFLOAT\t0",
    )
    first, second = read_rows(path)
    assert first.where == f"{path}:4"
    assert first.chip == "910B2"
    assert first.spec.inputs == (
        Tensor((16, 768), "FLOAT", "ND"),
        Tensor((), "FLOAT", "ND"),
        Tensor(None),
    )
    assert first.spec.present_inputs == first.spec.inputs[:2]
    assert first.spec.blocks == 12
    assert not first.spec.call
    assert second.spec.inputs == ()
    assert second.spec.outputs == (Tensor((1, 64), "FLOAT"),)
    assert second.spec.blocks is None


def test_list_spelling(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "op_type\tin_shapes\tin_dtypes\tkind",
        "MHA\t[[2,3],null,[]]\t[float16,float16,'float32']\tcase_sum",
        "ForeachNorm\t[[[8],[4,2]]]\t[float32]\tcase_sum",
    )
    first, second = read_rows(path)
    assert first.spec.inputs == (Tensor((2, 3), "float16"), Tensor(None), Tensor((), "float32"))
    assert first.spec.call
    assert second.spec.inputs == (Tensor((8,), "float32"), Tensor((4, 2), "float32"))


@pytest.mark.parametrize(
    ("lines", "line", "what"),
    [
        (("chip\tin_shapes", "x\t1"), 1, "no column op_type"),
        (("op_type\top_type", "x\ty"), 1, "stands twice"),
        (("op_type\t\x1b[2J\t\x1b[2J", "x\ty\tz"), 1, r"column '.x1b.2J' stands twice"),
        (("op_type\tin_shapes", "Add\t1\t2"), 2, "3 cells, the header has 2"),
        (("op_type\tin_shapes", "\t1"), 2, "op_type is empty"),
        (("op_type\tin_shapes", "Add\t1,a"), 2, "not understood"),
        (("op_type\tin_shapes", "Add\t1,-1"), 2, "out of bounds"),
        (("op_type\tin_shapes", "Add\t9999999,9999999,9999999"), 2, "out of bounds"),
        (("op_type\tin_shapes", "Add\t[[1,2]"), 2, "not a JSON list"),
        (("op_type\tin_shapes", 'Add\t[["a"]]'), 2, "not understood"),
        (("op_type\tin_shapes", "Add\t[[[[[[[1]]]]]]]"), 2, "not understood"),
        (("op_type\tblock_dim", "Add\tmany"), 2, "no number"),
        (("# only a comment",), None, "no header"),
    ],
)
def test_faults_name_file_and_line(
    tmp_path: Path, lines: tuple[str, ...], line: int | None, what: str
) -> None:
    path = table(tmp_path, *lines)
    with pytest.raises(SourceError, match=what) as fault:
        list(read_rows(path))
    assert fault.value.where == (f"{path}:{line}" if line else str(path))
    assert fault.value.now


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        list(read_rows(tmp_path / "none.tsv"))
    with pytest.raises(SourceError, match="cannot be read"):
        list(read_rows(tmp_path))
    (tmp_path / "x.tsv").write_bytes(b"op_type\n\xff\xfe\n")
    with pytest.raises(SourceError, match="not UTF-8"):
        list(read_rows(tmp_path / "x.tsv"))
    (tmp_path / "long.tsv").write_text("op_type\n" + "A" * (1 << 21), encoding="utf-8")
    with pytest.raises(SourceError, match="characters"):
        list(read_rows(tmp_path / "long.tsv"))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_give_rows_or_a_source_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.tsv"
    path.write_bytes(b"op_type\tin_shapes\tin_dtypes\n" + content)
    try:
        for row in read_rows(path):
            assert row.spec.type
    except SourceError as fault:
        assert str(path) in fault.where
