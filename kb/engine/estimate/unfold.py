"""Convolutions as matrix products, in the layouts that kernels get (NC1HWC0 with FRACTAL_Z) and in NCHW."""

from __future__ import annotations

import math

from kb.engine.estimate.geometry import Product, Shape
from kb.engine.estimate.spec import OpSpec, layout
from kb.model import Tensor

BLOCK = 16  # channels that a cube block takes at least


def convolution_product(spec: OpSpec) -> Product | None:
    """(batch x space) x channels out x (channels in x window); without an output the map keeps its size.

    Groups of few channels are computed together until they fill a block, zeros between them: so a depthwise
    convolution costs 16 times its operations.
    """
    groups = _groups(spec)
    if groups > 1:
        return _grouped_product(spec, groups)
    maps, flt = _maps_and_filter(spec)
    out = next((t.shape for t in spec.present_outputs if t.shape), None)
    if maps and flt is not None and out is not None and len(out) == 5:
        return Product(1, out[0] * out[2] * out[3], flt[1] * flt[2], flt[0] * flt[3])
    plain = [shape for t in spec.present_inputs if (shape := t.shape) and len(shape) >= 3]
    if len(plain) < 2 or len(plain[0]) != len(plain[1]) or 0 in plain[1]:
        return None
    image, weight = plain[0], plain[1]
    space = math.prod(out) // weight[0] if out else image[0] * math.prod(image[2:])
    return Product(1, max(1, space), weight[0], math.prod(weight[1:]))


def _groups(spec: OpSpec) -> int:
    """Groups as the attributes state them, else all channels for a depthwise convolution, else 1."""
    said = spec.attributes.get("groups", "")
    if said.isdecimal() and len(said) < 9:
        return max(1, int(said))
    weight = _plain_filter(spec)
    return weight[0] if weight is not None and spec.type.startswith("DepthwiseConv") else 1


def _plain_filter(spec: OpSpec) -> Shape | None:
    """The filter of a grouped convolution, (channels out, channels in of a group, window ...) or (channels, window ...)."""
    shaped = [t.shape for t in spec.present_inputs if t.shape]
    return next((shape for shape in shaped[1:] if len(shape) in (3, 4, 5) and _side(shape) <= 255), None)


def _side(shape: Shape) -> int:
    return max(shape[-2:])


def _grouped_product(spec: OpSpec, groups: int) -> Product | None:
    weight = _plain_filter(spec)
    maps = [shape for t in (*spec.present_outputs, *spec.present_inputs[:1]) if (shape := t.shape)]
    if weight is None or not maps or 0 in weight or 0 in maps[0] or len(maps[0]) < 4:
        return None
    image = maps[0]
    space = image[0] * (
        math.prod(image[2:4]) if len(image) == 5 and image[4] in (16, 32) else math.prod(image[2:])
    )
    inside, window = (1, math.prod(weight[1:])) if len(weight) == 3 else (weight[1], math.prod(weight[2:]))
    outside = max(1, weight[0] // groups)
    together = next(n for n in range(1, BLOCK + 1) if n * inside % BLOCK == 0 and n * outside % BLOCK == 0)
    together = min(together, groups)
    return Product(
        math.ceil(groups / together), space, together * outside, together * inside * window, together
    )


def gradient_input_product(spec: OpSpec) -> Product | None:
    """(batch x space) x channels in x (channels out x window); a stride leaves zeros that are multiplied too."""
    maps, flt = _maps_and_filter(spec)
    out = next((shape for t in spec.present_outputs if (shape := t.shape) and len(shape) == 5), None)
    if not maps or flt is None or out is None or 0 in out:
        return None
    batch, groups, height, width, block = out
    window = max(1, flt[0] * flt[3] // (groups * block))
    _, from_groups, from_height, from_width, from_block = maps[0]
    space = max(height * width, from_height * from_width)
    return Product(1, batch * space, groups * block, from_groups * from_block * window)


def gradient_filter_product(spec: OpSpec) -> Product | None:
    """Channels out x (channels in x window) x (batch x space of the output's gradient)."""
    maps, flt = _maps_and_filter(spec)
    if len(maps) < 2 or flt is None:
        return None
    groups = flt[1] * flt[2] // max(1, maps[0][4])
    gradient = next((shape for shape in maps if shape[1] == groups), maps[0])
    return Product(1, flt[1] * flt[2], flt[0] * flt[3], gradient[0] * gradient[2] * gradient[3])


def _maps_and_filter(spec: OpSpec) -> tuple[list[Shape], Shape | None]:
    """Feature maps in NC1HWC0 among the inputs, and the filter in FRACTAL_Z (windows x Cin/C0, Cout/16, 16, C0)."""
    maps: list[Shape] = [
        t.shape for t in spec.present_inputs if layout(t) == "NC1HWC0" and t.shape and len(t.shape) == 5
    ]
    filters: list[Shape] = [
        t.shape
        for t in (*spec.present_inputs, *spec.present_outputs)
        if t.shape and len(t.shape) == 4 and _is_filter(t)
    ]
    return maps, filters[0] if filters else None


def _is_filter(tensor: Tensor) -> bool:
    """FRACTAL_Z by name, or by its blocks of 16 x C0 where no layout is given."""
    form, shape = layout(tensor), tensor.shape or ()
    return form.startswith("FRACTAL_Z") or (not form and shape[2] == 16 and shape[3] in (8, 16, 32))
