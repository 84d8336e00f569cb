"""Families of networks, as `model.family` of the cases names them; what resembles none is "other"."""

from __future__ import annotations

OTHER = "other"
FAMILIES = (
    "ResNet", "VGG", "DenseNet", "Inception", "EfficientNet", "MobileNet", "ConvNeXt", "NASNet", "ViT", "Swin", "SAM",
    "HRNet", "UNet", "Segmentation", "YOLO", "SSD", "FasterRCNN", "CenterNet", "Detection", "OCR", "SuperResolution",
    "GAN", "StableDiffusion", "VideoDiffusion", "BERT", "Embedding", "LLM", "ASR", "TTS", "RecSys", "BEV", OTHER,
)  # fmt: skip
