"""What the user says about the operator besides the profile: its shape, so that sizes can be checked.

Two ways to say it: tensors (`1024x2048`, `[4,128,64]:float32`) or named sizes as write-ups use them
(`M=1 N=4096 K=4096 fp16`, `B=24 N=5 S=9216 D=64`).
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

from kb import operators, targets
from kb.engine import tensors
from kb.engine.tensors import MAX_ELEMENTS, NAMED
from kb.errors import UsageError
from kb.model import Chip, CoreKind, Measure, Notice, Operator, Profile, Tensor
from kb.vocabulary.dtypes import ASSUMED

_DIMS = r"(\d{1,18}(?:\s*[x,*]\s*\d{1,18})*)"
_SHAPE = re.compile(
    rf"^\s*(?:{_DIMS}|\[\s*{_DIMS}\s*,?\s*\]|\(\s*{_DIMS}\s*,?\s*\))\s*(?:[:@ ]\s*([A-Za-z]\w*))?\s*$"
)
# Named sizes by work pattern: what a letter means depends on the operator.
_SIZES = {
    "matmul": {"m": "matmul_m", "n": "matmul_n", "k": "matmul_k"},
    "attention": {"d": "head_dim", "head_dim": "head_dim", "headdim": "head_dim"},
    "conv": {"c": "input_channels", "cin": "input_channels", "ci": "input_channels"},
}
_CORE_OF_CLASS: dict[str, CoreKind] = {
    "cube": "cube", "mix": "mix", "vector": "vector", "data-movement": "vector", "format-conversion": "vector",
}  # fmt: skip


def parse(text: str) -> tuple[Tensor, ...]:
    """Input tensors from words such as `1024x2048`, `(8,1024)`, `[4,128,64]:float32`, `32x128; 128x64`.

    A missing dtype counts as float16: then the volume is a lower bound for the usual dtypes.

    Raises:
        UsageError: not a shape.
    """
    found_tensors = []
    for part in text.split(";"):
        found = _SHAPE.match(part)
        if found is None:
            raise UsageError(
                f"not a shape: {part.strip()!r}",
                where="--shape",
                now="write 1024x2048, (8,1024), [4,128,64]:float32, or several with ; between",
            )
        plain, square, round_, dtype = found.groups()
        shape = tuple(int(number) for number in re.split(r"\s*[x,*]\s*", plain or square or round_))
        if not 0 < math.prod(shape) <= MAX_ELEMENTS:
            fault = "a size of 0" if 0 in shape else "more than 2**50 elements"
            raise UsageError(
                f"{fault}: {part.strip()!r}",
                where="--shape",
                now="give the shape of one tensor, such as 8x1024",
            )
        found_tensors.append(Tensor(shape, dtype or ASSUMED.name, "ND"))
    return tuple(found_tensors)


def sizes(text: str, pattern: str) -> dict[str, Measure]:
    """Metrics out of named sizes such as `M=1 N=4096 K=4096`, as far as the work pattern gives them a meaning."""
    wanted = next((names for kind, names in _SIZES.items() if kind in pattern), {})
    found: dict[str, Measure] = {}
    for name, number in NAMED.findall(text):
        metric = wanted.get(name.lower())
        if metric is not None:
            found.setdefault(metric, Measure(float(number), "", f"stated: {name}={number}"))
    return found


def apply(profile: Profile, shape: str | None) -> Profile:
    """The profile with what is stated about its kernels: tensors where they carry none, named sizes as metrics.

    Raises:
        UsageError: `shape` (the option) is neither, or the profile is no capture of kernels.
    """
    if shape and profile.scope != "operator":
        raise UsageError(
            "--shape is for the capture of one kernel",
            where="--shape",
            now="a model-level profile carries its own shapes",
        )
    text = shape or profile.stated.get("shape", "")
    if not text or profile.scope != "operator":
        return profile
    text = f"{text} {profile.stated.get('dtype', '')}".strip()
    if NAMED.search(text) or not shape:
        if shape:
            _check_sizes(text, profile)
        changed = tuple(_with_words(op, text) for op in profile.operators)
    else:
        changed = tuple(_with_inputs(op, parse(text)) for op in profile.operators)
    return replace(
        profile, operators=changed, stated={**profile.stated, "shape": shape or profile.stated["shape"]}
    )


def _check_sizes(text: str, profile: Profile) -> None:
    """Sizes that a user typed must mean something for an operator of the profile, and be above 0."""
    kinds = [operators.pattern(op.type or op.name) for op in profile.operators]
    patterns = {
        *(_SIZES if None in kinds else ()),
        *filter(None, kinds),
    }  # an own kernel may compute anything
    found = [sizes(text, pattern) for pattern in patterns]
    zero = next((f"{name}={number}" for name, number in NAMED.findall(text) if int(number) == 0), None)
    if zero or not any(found):
        raise UsageError(
            f"a size of 0: {zero}" if zero else f"no size in {text!r} means anything for these operators",
            where="--shape",
            now="products have M, N and K, attention D, convolutions C; or give a tensor such as 1024x2048",
        )


def with_chip(profile: Profile) -> Profile:
    """The profile with its chip from the hardware named beside typed counters; a name nobody knows becomes a notice."""
    name = profile.stated.get("hardware", "")
    if profile.chip.basis != "unknown" or not name:
        return profile
    try:
        found = targets.resolve(name)
    except UsageError:
        notice = Notice(
            "hardware-unknown",
            f"no chip is known as {name!r}: nothing that needs its peaks is claimed; name it with --soc",
        )
        return replace(profile, notices=(*profile.notices, notice))
    chip = Chip(found[0] if len(found) == 1 else None, found, "stated", f"hardware: {name}")
    return replace(
        profile, chip=chip, operators=tuple(_with_engine(op, found[0]) for op in profile.operators)
    )


def _with_engine(op: Operator, soc: str) -> Operator:
    """A typed operator whose core nobody stated: on AI CPU without an AI Core kernel on the chip, else by its class."""
    if op.core != "unknown" or op.type is None:
        return op
    if operators.engine(op.type, soc) == "ai_cpu":
        source = "no AI Core kernel in the CANN 8.1.RC1 list of this chip"
        return replace(op, core="ai_cpu", attributes={**op.attributes, "core_from": source})
    core = core_of(op.type, fused=targets.all_targets()[soc].fused)
    if core is None:
        return op
    return replace(op, core=core, attributes={**op.attributes, "core_from": "class of the operator"})


def core_of(op_type: str, *, fused: bool) -> CoreKind | None:
    """The kind of core that an AI Core kernel of this type runs on; None for a type of no known class."""
    core = _CORE_OF_CLASS.get(operators.category(op_type) or "")
    return "fused" if core is not None and fused else core


def _with_words(op: Operator, text: str) -> Operator:
    """The operator with the tensors and named sizes that a text gives; what is none is only a remark."""
    pattern = operators.pattern(op.type or op.name) or ""
    counters = {**sizes(text, pattern), **op.counters}
    if op.inputs:
        dtype = tensors.dtype_in(text)
        inputs = tuple(item if item.dtype else replace(item, dtype=dtype) for item in op.inputs)
        outputs = op.outputs or tensors.outputs(inputs, pattern)
        return replace(op, counters=counters, inputs=inputs, outputs=outputs)
    found = tensors.read(text, pattern)
    return replace(op, counters=counters, inputs=found.inputs, outputs=op.outputs or found.outputs)


def _with_inputs(op: Operator, stated: tuple[Tensor, ...]) -> Operator:
    return op if op.inputs or not stated else replace(op, inputs=stated)
