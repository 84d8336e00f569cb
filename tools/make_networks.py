"""The operator calls of networks with a published throughput, as one table for `kb eval estimate --networks`.

    python -m tools.make_networks ONNX_FOLDER THROUGHPUT.tsv tests/benchmarks/networks_310p.tsv

`ONNX_FOLDER` holds NAME-bBATCH.onnx of the networks in `NETWORKS`, exported without weights. The throughput table has the
columns task, model, chip, batch, throughput. Left out, with the reason in the head of what is written: series that
cannot be what they say. Models are not committed, this table is.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from pathlib import Path

from kb import targets
from kb.engine.check import engines
from kb.engine.network.lower import lower
from kb.engine.network.types import Call
from kb.graph import read
from kb.model import Tensor

SOC = "Ascend310P3"
# plain CNNs and vision transformers whose variant the publication names or its accuracy tells; our name: published one
NETWORKS = {
    "VGG19": "VGG19", "ResNet18": "Resnet18_for_PyTorch", "ResNet34": "ResNet34", "ResNet50": "Resnet50_Pytorch_Infer",
    "ResNet50-vd": "Resnetvd", "ResNeXt50": "ResNeXt50", "SE-ResNeXt50": "SE-ResNeXt50_32x4d", "SE-ResNeXt101": "Se-Resnext101",
    "Res2Net101": "Res2Net_v1b_101_for_PyTorch", "ResNeSt50": "ResNeSt50", "SKNet50": "Sknet50", "RepVGG": "RepVGG",
    "DPN131": "DPN131_for_Pytorch", "HRNet-W18": "HRNet-Image-Classification", "GoogLeNet": "GoogleNet",
    "InceptionV3": "InceptionV3_for_Pytorch", "InceptionV4": "InceptionV4_for_Pytorch", "Xception": "xception",
    "PNASNet-5": "pnasnet5large", "SPNASNet": "spnasnet_100", "MobileNetV2": "MobileNetV2_for_Pytorch",
    "MobileNetV3-large": "MobileNetV3_large_100", "ShuffleNetV2": "Shufflenetv2_for_Pytorch",
    "EfficientNet-B0": "EfficientNet_for_Pytorch", "EfficientNet-B1": "EfficientNet-B1", "EfficientNet-B3": "EfficientNet-B3",
    "EfficientNet-B5": "EfficientNet-B5", "ConvMixer": "convmixer_1536_20", "ViT-small": "vit-small", "TNT": "TNT", "XCiT": "xcit",
}  # fmt: skip
HEAD = """\
# Operator calls of networks whose throughput on {soc} is published (public model READMEs, 2023-12, development half), one
# call a line, made by tools/make_networks.py from graphs exported with random weights. per_s: samples a second.
# Plain CNNs and vision transformers only. Left out: GENet and a ResNet50 (throughput of 32 x 32 pictures), an int8
# ResNet50, MAE (its rate falls sixty-fold with the batch), TResNet (variant not told), and batch sizes with several
# rates that differ by more than half.
network\tbatch\tper_s\tcount\tchip\top_type\tcore\tin_shapes\tin_dtypes\tin_formats\tout_shapes\tout_dtypes\tout_formats\tgroups
"""


def main() -> int:
    """Write the table; names what is missing."""
    folder, published, out = (Path(arg) for arg in sys.argv[1:4])
    rates = _rates(published)
    lines = []
    for name, model in sorted(NETWORKS.items()):
        for path in sorted(folder.glob(f"{name}-b*.onnx")):
            batch = int(path.stem.rpartition("-b")[2])
            found = rates.get((model, batch), [])
            if found and max(found) <= 1.5 * min(found):
                lines += _lines(name, batch, found[0], path)
            else:
                print(f"{name} at batch {batch}: no usable rate")
    out.write_text(HEAD.format(soc=SOC) + "\n".join(lines) + "\n", encoding="utf-8")
    return 0


def _rates(path: Path) -> dict[tuple[str, int], list[float]]:
    found: dict[tuple[str, int], list[float]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if not line.startswith("#") and cells[0] != "task" and cells[3].isdecimal():
            found[cells[1], int(cells[3])].append(float(cells[4]))
    return found


def _lines(name: str, batch: int, rate: float, path: Path) -> list[str]:
    model = read(path)
    where = {key: engine for key, (engine, _) in engines(model, SOC).items()}
    counts = Counter(_cells(call) for call in lower(model, targets.load(SOC), where))
    return [
        "\t".join((name, str(batch), f"{rate:g}", str(count), SOC, *cells)) for cells, count in counts.items()
    ]


def _cells(call: Call) -> tuple[str, ...]:
    core = "AI_CPU" if call.engine == "ai_cpu" else ""
    return (call.type, core, *_side(call.inputs), *_side(call.outputs), call.attributes.get("groups", ""))


def _side(tensors: tuple[Tensor, ...]) -> tuple[str, str, str]:
    known = [tensor for tensor in tensors if tensor.shape is not None]
    shapes = ";".join(",".join(map(str, tensor.shape or ())) for tensor in known)
    return shapes, ";".join(tensor.dtype for tensor in known), ";".join(tensor.format for tensor in known)


if __name__ == "__main__":
    raise SystemExit(main())
