"""A convolution with few input channels: the cube multiplies mostly padding."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    below,
    context,
    floor_ratio,
    limit,
    pattern_in,
    reading,
    value,
)
from kb.model import Features


def judge(f: Features) -> Held | None:
    """At most four input channels, away from the floor, in a run where the layer is visible."""
    few, near = limit("conv-few-channels", "channels"), limit("conv-few-channels", "near")
    channels = value(f, "input_channels", 1e9)
    if channels > few.value or channels < 1 or floor_ratio(f) >= near.value:
        return None
    far = below(f, "floor_ratio", near)
    evidence = (
        reading(f, "input_channels", "16 or more, or the 4-channel input format", few),
        *([far] if far else []),
        *context(f, "aic_mac_ratio", "aic_mte1_ratio", "task_duration_us"),
    )
    # With the small-channel format 4 of today's 16 channels are multiplied and filled into L0.
    removable = 1 - few.value / limit("conv-few-channels", "block").value
    return Held(
        0.8 if far else 0.5,
        round(min(removable, 1 - floor_ratio(f)), 4),
        evidence,
        f"{channels:.0f} input channels are padded to {limit('conv-few-channels', 'block').value:.0f}: most of the multiplications are on zeros",
    )


BOTTLENECK = Bottleneck(
    id="conv-few-channels",
    why="The cube works on blocks of 16 channels (32 in int8); what the image lacks is filled with zeros.",
    needs=("input_channels",),
    applies=lambda f: pattern_in(f, "conv2d"),
    judge=judge,
    collect="Input Shapes in NCHW or NHWC (Level1)",
    sources=("ATC documentation: small channel option of the input pre-processing",),
)
