"""What the user says about the operator besides the profile: its shape, so that sizes can be checked.

Two ways to say it: tensors (`1024x2048`, `[4,128,64]:float32`) or named sizes as write-ups use them
(`M=1 N=4096 K=4096 fp16`, `B=24 N=5 S=9216 D=64`).
"""

from __future__ import annotations

import re
from dataclasses import replace

from kb import operators, targets
from kb.engine import tensors
from kb.engine.tensors import ASSUMED_DTYPE, MAX_ELEMENTS
from kb.errors import UsageError
from kb.model import Chip, CoreKind, Measure, Notice, Operator, Profile, Tensor

_SHAPE = re.compile(r"^\s*\[?\s*(\d+(?:\s*[x,*]\s*\d+)*)\s*\]?\s*(?:[:@ ]\s*([A-Za-z][A-Za-z0-9_]*))?\s*$")
_NAMED = re.compile(r"\b([A-Za-z][A-Za-z_]{0,7})\s*=\s*(\d{1,12})\b")
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
    """Input tensors from words such as `1024x2048`, `[4,128,64]:float32`, `32x128; 128x64`.

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
        found_tensors.append(Tensor(shape, found.group(2) or ASSUMED_DTYPE, "ND"))
    return tuple(found_tensors)


def sizes(text: str, pattern: str) -> dict[str, Measure]:
    """Metrics out of named sizes such as `M=1 N=4096 K=4096`, as far as the work pattern gives them a meaning."""
    wanted = next((names for kind, names in _SIZES.items() if kind in pattern), {})
    found: dict[str, Measure] = {}
    for name, number in _NAMED.findall(text):
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
    if _NAMED.search(text) or not shape:
        changed = tuple(_with_words(op, text) for op in profile.operators)
    else:
        changed = tuple(_with_inputs(op, parse(text)) for op in profile.operators)
    return replace(
        profile, operators=changed, stated={**profile.stated, "shape": shape or profile.stated["shape"]}
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
    core = _CORE_OF_CLASS.get(operators.category(op.type) or "")
    if core is None:
        return op
    if targets.all_targets()[soc].fused:
        core = "fused"
    return replace(op, core=core, attributes={**op.attributes, "core_from": "class of the operator"})


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
