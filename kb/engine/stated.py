"""What the user says about the operator besides the profile: its shape, so that sizes can be checked."""

from __future__ import annotations

import re
from dataclasses import replace

from kb.errors import UsageError
from kb.model import Operator, Profile, Tensor

_SHAPE = re.compile(r"^\s*\[?\s*(\d+(?:\s*[x,*]\s*\d+)*)\s*\]?\s*(?:[:@ ]\s*([A-Za-z][A-Za-z0-9_]*))?\s*$")
MAX_ELEMENTS = 2**50
DEFAULT_DTYPE = "float16"  # the narrowest common dtype, so that a volume computed from it is a lower bound


def parse(text: str) -> tuple[Tensor, ...]:
    """Input tensors from words such as `1024x2048`, `[4,128,64]:float32`, `32x128; 128x64`.

    A missing dtype counts as float16: then the volume is a lower bound for the usual dtypes.

    Raises:
        UsageError: not a shape.
    """
    tensors = []
    for part in text.split(";"):
        found = _SHAPE.match(part)
        if found is None:
            raise UsageError(
                f"not a shape: {part.strip()!r}",
                where="--shape",
                now="write 1024x2048, [4,128,64]:float32, or several with ; between",
            )
        shape = tuple(int(number) for number in re.split(r"\s*[x,*]\s*", found.group(1)))
        size = 1
        for number in shape:
            size *= number
        if size > MAX_ELEMENTS:
            raise UsageError(
                f"more than 2**50 elements: {part.strip()!r}",
                where="--shape",
                now="give the shape of one tensor",
            )
        tensors.append(Tensor(shape, found.group(2) or DEFAULT_DTYPE, "ND"))
    return tuple(tensors)


def apply(profile: Profile, shape: str | None) -> Profile:
    """The profile with the stated input tensors on operators that carry none; unchanged without a statement."""
    if not shape:
        return profile
    tensors = parse(shape)
    if profile.scope != "operator":
        raise UsageError(
            "--shape is for the capture of one kernel",
            where="--shape",
            now="a model-level profile carries its own shapes",
        )
    operators = tuple(_with_inputs(op, tensors) for op in profile.operators)
    return replace(profile, operators=operators, stated={**profile.stated, "shape": shape})


def _with_inputs(op: Operator, tensors: tuple[Tensor, ...]) -> Operator:
    return op if op.inputs else replace(op, inputs=tensors)
