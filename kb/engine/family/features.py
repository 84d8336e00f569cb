"""The fingerprint of a network: what share of its operations is of which kind, and which patterns it shows.

Shares do not depend on depth or width, so a small and a large network of one family look alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from kb.engine.family.motifs import motifs
from kb.engine.family.tokens import tokens
from kb.engine.family.wiring import wire
from kb.graph.types import Model, walk

LAYER_TOKENS = (
    "conv1", "conv3", "conv5", "conv_strip", "patchify", "gconv", "dw", "dw7", "conv1d", "dw1d", "conv3d", "tconv",
    "linear", "bmm", "rnn", "embedding", "attention",
)  # fmt: skip
# Readings that are counts of places: they become a share of the layers.
COUNTED = (
    "attention", "masked_attention", "up_concat", "up_add", "squeeze_excite", "windows", "pixel_shuffle",
    "channel_shuffle", "rotary", "wide_concat", "dense_concat",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """`ops` counts operator types as the file names them; `features` maps names to values between 0 and 1."""

    ops: Mapping[str, int]
    features: Mapping[str, float]
    layers: int
    counts: Mapping[str, float] = field(default_factory=dict)  # tokens and motifs, unscaled, for reasons


def fingerprint(model: Model) -> Fingerprint:
    """The fingerprint of a graph."""
    wiring = wire(model)
    kinds = tokens(wiring)
    patterns = motifs(model, wiring)
    layers = sum(kinds[name] for name in LAYER_TOKENS)
    ops: Counter[str] = Counter()
    for placed in walk(model):
        ops[placed.node.type] += placed.calls
    total = sum(kinds.values()) or 1
    flat = Counter(
        {**kinds, "conv3": kinds["conv3"] + kinds["conv3d"]}
    )  # a 3-D network of a family is of that family
    del flat["conv3d"]
    features = {f"op:{name}": (count / total) ** 0.5 for name, count in sorted(flat.items())}
    features["volume"] = (kinds["conv3d"] / max(layers, 1)) ** 0.5
    for name, value in patterns.items():
        features[name] = min(value / max(layers, 1), 1.0) ** 0.5 if name in COUNTED else value
    features["size"] = min(layers, 400) / 400
    counts = {**kinds, **{name: value for name, value in patterns.items() if value}}
    return Fingerprint(dict(ops), {k: round(v, 4) for k, v in features.items() if v}, layers, counts)
