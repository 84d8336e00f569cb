"""Input and output lists of job exports: shapes, dtypes and formats, parallel lists split by semicolons."""

from __future__ import annotations

import re

from kb.engine.readers.columns import missing
from kb.engine.readers.words import clean
from kb.model import Tensor

MOST_TENSORS = 256
MOST_AXES = 32
_AXIS = re.compile(r"-?[0-9]{1,18}")


def parse(shapes: str, dtypes: str, formats: str) -> tuple[Tensor, ...]:
    """Tensors of one row. An empty member is an absent optional input, or a scalar where a dtype stands
    beside it.

    The shape cell keeps its own quotes ("1024,64;64"); N/A means that the export holds no shapes.
    """
    text = shapes.strip().strip('"')
    if missing(shapes) or (not text and missing(dtypes)):
        return ()
    kinds, layouts = _list(dtypes), _list(formats)
    out = []
    for position, part in enumerate(text.split(";")[:MOST_TENSORS]):
        dtype = kinds[position] if position < len(kinds) else ""
        layout = layouts[position] if position < len(layouts) else ""
        out.append(_tensor(part.strip(), dtype, layout))
    return tuple(out)


def _list(cell: str) -> list[str]:
    return (
        []
        if missing(cell)
        else [clean(part).removeprefix("FORMAT_") for part in cell.strip().strip('"').split(";")]
    )


def _tensor(shape: str, dtype: str, layout: str) -> Tensor:
    if not shape:
        # dtype DT_UNDEFINED marks an input that was not given; a real dtype without axes is a scalar
        absent = not dtype or missing(dtype) or dtype.upper() in ("DT_UNDEFINED", "UNDEFINED")
        return Tensor(None) if absent else Tensor((), dtype, layout)
    axes = [axis.strip() for axis in shape.split(",")]
    if len(axes) <= MOST_AXES and all(_AXIS.fullmatch(axis) for axis in axes):
        return Tensor(tuple(int(axis) for axis in axes), dtype, layout)
    return Tensor(None, dtype, layout)
