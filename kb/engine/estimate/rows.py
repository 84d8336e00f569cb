"""Operator tables as text: one row a call, tab-separated, columns as in profiler exports; read row by row.

Two spellings of shapes are understood: `2,3;4` (`;` between tensors, an empty slot is a scalar, or an absent input
where dtype or format say so) and JSON lists such as `[[2,3],null]`.
"""

from __future__ import annotations

import io
import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from kb.engine.estimate.spec import OpSpec
from kb.errors import SourceError
from kb.model import Tensor
from kb.textfile import STDIN

MAX_LINE = 1 << 20  # characters; a longer line is no operator
MAX_TENSORS = 4096
MAX_RANK = 32
MAX_ELEMENTS = 1 << 50
_ABSENT_DTYPES = frozenset({"DT_UNDEFINED", "UNDEFINED", "N/A", "NULL"})
_FOR_MODELS = "for an ONNX model or operators in JSON: kb profile-and-advise FILE --soc SOC"
_EXAMPLE = "columns are tab-separated: op_type, in_shapes, in_dtypes, ... as in `chip\top_type\tin_shapes`"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of an operator table: where it stands, its cells by column, and the call that they describe."""

    where: str
    cells: dict[str, str]
    spec: OpSpec

    @property
    def chip(self) -> str:
        """The chip named in the row, empty when it names none."""
        return self.cells.get("chip", "")


def read_rows(path: Path) -> Iterator[Row]:
    """Rows of an operator table in file order; `-` is standard input; `#` lines are comments, the first other line is the header.

    Raises:
        SourceError: unreadable file, no `op_type` column, or a row that cannot be understood; names file and line.
    """
    try:
        with _opened(path) as file:
            head: list[str] = []
            number = 0
            while line := file.readline(MAX_LINE + 1):
                number += 1
                where = f"{path}:{number}"
                if len(line) > MAX_LINE:
                    raise SourceError(f"line of more than {MAX_LINE} characters", where=where, now=_EXAMPLE)
                line = line.rstrip("\r\n")
                if line.startswith("#") or not line.strip():
                    continue
                cells = line.split("\t")
                if head:
                    yield _row(head, cells, where)
                else:
                    head = _head(cells, where)
            if not head:
                raise SourceError("no header line", where=str(path), now=_EXAMPLE)
    except OSError as fault:
        raise SourceError(
            f"cannot be read: {fault.strerror or fault}", where=str(path), now="Give a readable file."
        ) from fault
    except UnicodeDecodeError as fault:
        now = _FOR_MODELS if path.suffix.lower() == ".onnx" else "Save the table as UTF-8."
        raise SourceError(f"not UTF-8 text (byte {fault.start})", where=str(path), now=now) from fault


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    """The table as text; standard input is read as it comes and left open."""
    if path != STDIN:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file
        return
    raw = getattr(sys.stdin, "buffer", None)
    if raw is None:
        yield sys.stdin or io.StringIO()
        return
    file = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
    try:
        yield file
    finally:
        file.detach()


def _head(cells: list[str], where: str) -> list[str]:
    names = [cell.strip() for cell in cells]
    if "op_type" not in names:
        if names[0].startswith(("{", "[")):
            raise SourceError("JSON, not a table", where=where, now=_FOR_MODELS)
        if "op_type" in names[0].split(","):
            now = "Separate the columns by tabs: shapes hold commas."
            raise SourceError("the columns are separated by commas", where=where, now=now)
        raise SourceError("no column op_type in the header", where=where, now=_EXAMPLE)
    twice = {name for name in names if name and names.count(name) > 1}
    if twice:
        raise SourceError(
            f"column {min(twice)[:40]!r} stands twice in the header", where=where, now="Keep one of them."
        )
    return names


def _row(head: list[str], cells: list[str], where: str) -> Row:
    if len(cells) > len(head):
        raise SourceError(
            f"{len(cells)} cells, the header has {len(head)}",
            where=where,
            now="Separate cells by single tabs.",
        )
    return row_of({name: cell.strip() for name, cell in zip(head, cells, strict=False)}, where)


def row_of(named: dict[str, str], where: str) -> Row:
    """A row from its cells by column name.

    Raises:
        SourceError: a cell that cannot be understood; names `where`.
    """
    op_type = named.get("op_type", "")
    if not op_type:
        raise SourceError("op_type is empty", where=where, now="Name the operator type, such as MatMul.")
    spec = OpSpec(
        op_type,
        _tensors(named, "in", where),
        _tensors(named, "out", where),
        core=named.get("core", ""),
        blocks=_blocks(named.get("block_dim", ""), where),
        attributes={key: named[key] for key in ("op_state", "attrs", "groups") if named.get(key)},
        call=named.get("kind") == "case_sum",
    )
    return Row(where, named, spec)


def _blocks(cell: str, where: str) -> int | None:
    if not cell or cell == "N/A":
        return None
    try:
        value = int(float(cell))
    except (ValueError, OverflowError):
        raise SourceError(
            f"block_dim {cell[:40]!r} is no number", where=where, now="Leave it empty when unknown."
        ) from None
    return value if 0 < value < 1 << 20 else None


def _tensors(named: dict[str, str], side: str, where: str) -> tuple[Tensor, ...]:
    shapes = named.get(f"{side}_shapes", "")
    dtypes = _words(named.get(f"{side}_dtypes", ""))
    formats = _words(named.get(f"{side}_formats", ""))
    if shapes in ("", "N/A") and not any(dtypes):
        return ()
    if shapes == "N/A":
        return ()
    found = (
        _json_shapes(shapes, where)
        if shapes.startswith("[") and ";" not in shapes
        else [_shape(part, where) for part in shapes.split(";")]
    )
    if len(found) > MAX_TENSORS:
        raise SourceError(
            f"{len(found)} tensors in {side}_shapes", where=where, now=f"At most {MAX_TENSORS} are read."
        )
    return tuple(
        _tensor(
            shape,
            dtypes[min(at, len(dtypes) - 1)] if dtypes else "",
            formats[at] if at < len(formats) else "",
        )
        for at, shape in enumerate(found)
    )


def _tensor(shape: tuple[int, ...] | None, dtype: str, form: str) -> Tensor:
    absent = shape is None or dtype.upper() in _ABSENT_DTYPES or form.upper() == "NULL"
    return Tensor(None) if absent else Tensor(shape, dtype, form)


def _words(cell: str) -> list[str]:
    if cell.startswith("["):
        return [part.strip().strip("'\"") for part in cell.strip("[]").split(",")]
    return [part.strip() for part in cell.split(";")] if cell else []


def _shape(text: str, where: str) -> tuple[int, ...]:
    bare = text.strip()
    if bare[:1] + bare[-1:] in ("()", "[]"):
        bare = bare[1:-1].rstrip().removesuffix(",")
    try:
        dims = tuple(int(part) for part in bare.split(",")) if bare else ()
    except ValueError:
        raise SourceError(
            f"shape {text[:60]!r} is not understood", where=where, now="Write 2,3;4 or [[2,3],[4]]."
        ) from None
    return _checked(dims, where)


def _checked(dims: tuple[int, ...], where: str) -> tuple[int, ...]:
    if (
        len(dims) > MAX_RANK
        or min(dims, default=0) < 0
        or math.prod(max(dim, 1) for dim in dims) > MAX_ELEMENTS
    ):
        raise SourceError(
            f"shape {str(dims)[:60]} is out of bounds",
            where=where,
            now="Dimensions are 0 or more; -1 must be filled in.",
        )
    return dims


def _json_shapes(text: str, where: str) -> list[tuple[int, ...] | None]:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        raise SourceError(
            f"shapes {text[:60]!r} are not a JSON list", where=where, now="Write 2,3;4 or [[2,3],[4]]."
        ) from None
    return list(_flat(parsed, where, depth=0))


def _flat(item: Any, where: str, depth: int) -> Iterator[tuple[int, ...] | None]:
    """Shapes of a JSON list; a list of lists of shapes (a tensor list as one input) is laid out flat."""
    if item is None:
        yield None
    elif (
        isinstance(item, list)
        and (depth or item)
        and all(isinstance(part, int) and not isinstance(part, bool) for part in item)
    ):
        yield _checked(tuple(item), where)
    elif isinstance(item, list) and depth < 4:
        for part in item:
            yield from _flat(part, where, depth + 1)
    else:
        raise SourceError(
            f"shape {str(item)[:60]!r} is not understood", where=where, now="Write 2,3;4 or [[2,3],[4]]."
        )
