"""How alike the sizes are at which a figure was measured and those of the operator at hand."""

from __future__ import annotations

import math

from kb.addition import plain_sum
from kb.engine import tensors
from kb.engine.stated import sizes
from kb.model import Features, PublishedGain
from kb.vocabulary.work_patterns import PRODUCTS

ALIKE = 1.0  # mean difference of the logarithms to base 2 up to which sizes count as alike


def apart(gain: PublishedGain, f: Features) -> float | None:
    """Mean difference of the sizes' logarithms to base 2; None where the figure or the operator names none."""
    pattern = f.labels.get("op_pattern", "")
    stated = {name: item.value for name, item in sizes(gain.shapes, pattern).items()}
    stated |= _product_sizes(gain.shapes, pattern)
    gaps = [
        abs(math.log2(have / size)) for name, size in stated.items() if (have := f.get(name)) and size > 0
    ]
    return plain_sum(gaps) / len(gaps) if gaps else None


def _product_sizes(text: str, pattern: str) -> dict[str, float]:
    """M, N and K of a product out of other words than their names: `8192 cubed`, `[1024,256] x [256,640]`."""
    found = tensors.read(text, pattern) if pattern.startswith(PRODUCTS) else tensors.Sizes()
    if len(found.inputs) < 2 or not (found.inputs[0].shape and found.inputs[1].shape):
        return {}
    (m, k), n = found.inputs[0].shape, found.inputs[1].shape[1]
    return {"matmul_m": float(m), "matmul_n": float(n), "matmul_k": float(k)}
