"""Lets torchvision import where its compiled operators do not fit the torch build: only their schemas are needed."""

from __future__ import annotations

import importlib.util
import re
import sys
import warnings
from pathlib import Path

import torch

_SCHEMAS = {
    "nms": "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "roi_align": "(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width,"
    " int sampling_ratio, bool aligned) -> Tensor",
}


def install() -> torch.library.Library:
    """Declare every operator that torchvision registers a fake kernel for; NMS keeps the first boxes."""
    warnings.filterwarnings("ignore")
    library = torch.library.Library("torchvision", "DEF")
    spec = importlib.util.find_spec("torchvision")
    assert spec and spec.origin
    text = (Path(spec.origin).parent / "_meta_registrations.py").read_text(encoding="utf-8")
    names = set(re.findall(r"register_fake\(\"torchvision::(\w+)\"\)", text)) | set(_SCHEMAS)
    for name in sorted(names):
        library.define(name + _SCHEMAS.get(name, "(Tensor x) -> Tensor"))
    library.impl("nms", _first_boxes, "CPU")
    library.impl("roi_align", _zeros, "CPU")
    torch.backends.mha.set_fastpath_enabled(False)  # the exporter does not know the fast path
    import torchvision  # noqa: F401 - its modules hold the name by value

    for name, module in list(sys.modules.items()):
        if name.startswith("torchvision.") and hasattr(module, "_has_ops"):
            module._has_ops = _has_ops
    return library


def _has_ops() -> bool:
    return True


def _first_boxes(dets: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    return torch.arange(min(8, dets.shape[0]))


def _zeros(
    input: torch.Tensor, rois: torch.Tensor, spatial_scale: float, pooled_height: int, pooled_width: int,
    sampling_ratio: int, aligned: bool,
) -> torch.Tensor:  # fmt: skip
    return input.new_zeros((rois.shape[0], input.shape[1], pooled_height, pooled_width))
