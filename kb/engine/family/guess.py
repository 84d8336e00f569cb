"""The answer of the recogniser."""

from __future__ import annotations

from dataclasses import dataclass

NONE, OTHER = "none", "other"
FAMILIES = (
    "ResNet", "VGG", "DenseNet", "Inception", "EfficientNet", "MobileNet", "ConvNeXt", "NASNet", "ViT", "Swin", "SAM",
    "HRNet", "UNet", "Segmentation", "YOLO", "SSD", "FasterRCNN", "CenterNet", "Detection", "OCR", "SuperResolution",
    "GAN", "StableDiffusion", "VideoDiffusion", "BERT", "Embedding", "LLM", "ASR", "TTS", "RecSys", "BEV", OTHER,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FamilyGuess:
    """A family of the closed list, or "none" for a graph that is no network.

    `confidence` is between 0 and 1; `why` names what spoke for it, `nearest` the reference networks it resembles, and
    `also` further families by falling likeness (for the nearest cases when the family itself has none).
    """

    name: str
    confidence: float
    why: str = ""
    nearest: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
