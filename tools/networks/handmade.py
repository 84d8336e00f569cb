"""Networks written here in the plain form of their family; which size is in the table and which is not."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import nn

from tools.networks.net import Built, Net
from tools.networks.pictures import (
    CenterNet,
    Crnn,
    CycleGan,
    DbNet,
    Dcgan,
    Edsr,
    Espcn,
    Rcan,
    Rdn,
    Rrdb,
    U2Net,
    UNet,
)
from tools.networks.scenes import (
    AutoInt,
    BevDet,
    BevFormer,
    Cross,
    DeepFm,
    Dlrm,
    Petr,
    PointPillars,
    WideDeep,
)
from tools.networks.signals import (
    Acoustic,
    Conformer,
    DeepSpeech,
    FastSpeech,
    Forecast,
    Mlp,
    QuartzNet,
    Tacotron2Encoder,
    Tacotron2Step,
)

_ORIGIN = "written here after the published architecture, random weights"


def nets() -> list[Net]:
    """All of them."""
    rows = [
        ("unet_tconv", "UNet", "build", partial(UNet, 16, 4, "tconv"), (1, 3, 128, 128)),
        ("unet_bilinear", "UNet", "build", partial(UNet, 16, 4, "bilinear"), (1, 3, 128, 128)),
        ("unet3d_tconv", "UNet", "build", partial(UNet, 8, 3, "tconv", 3), (1, 1, 32, 32, 32)),
        ("unet_tconv_3", "UNet", "test", partial(UNet, 8, 3, "tconv"), (1, 1, 96, 96)),
        ("unet_nearest_5", "UNet", "test", partial(UNet, 8, 5, "nearest"), (1, 3, 128, 128)),
        ("unet3d_4", "UNet", "test", partial(UNet, 8, 4, "tconv", 3), (1, 1, 32, 32, 32)),
        ("unet_attention", "UNet", "test", partial(UNet, 8, 4, "bilinear", 2, True), (1, 3, 128, 128)),
        ("u2net_small", "UNet", "test", partial(U2Net, 8), (1, 3, 128, 128)),
        ("edsr_x2", "SuperResolution", "build", partial(Edsr, 16, 2), (1, 3, 48, 48)),
        ("rrdb_4", "SuperResolution", "build", partial(Rrdb, 4), (1, 3, 48, 48)),
        ("edsr_x4", "SuperResolution", "test", partial(Edsr, 32, 4), (1, 3, 48, 48)),
        ("rrdb_23", "SuperResolution", "test", partial(Rrdb, 23), (1, 3, 48, 48)),
        ("espcn_x3", "SuperResolution", "test", partial(Espcn, 3), (1, 1, 48, 48)),
        ("rcan_x2", "SuperResolution", "test", partial(Rcan, 4, 2), (1, 3, 48, 48)),
        ("rdn_x2", "SuperResolution", "test", partial(Rdn, 6, 2), (1, 3, 48, 48)),
        ("dcgan_64", "GAN", "build", partial(Dcgan, 64), (1, 100)),
        ("cyclegan_9", "GAN", "build", partial(CycleGan, 9), (1, 3, 128, 128)),
        ("dcgan_128", "GAN", "test", partial(Dcgan, 128), (1, 100)),
        ("cyclegan_6", "GAN", "test", partial(CycleGan, 6), (1, 3, 128, 128)),
        ("stargan", "GAN", "test", partial(CycleGan, 6, 8), (1, 8, 128, 128)),
        ("centernet_resnet18", "CenterNet", "build", partial(CenterNet, "resnet18"), (1, 3, 256, 256)),
        ("centernet_resnet50", "CenterNet", "test", partial(CenterNet, "resnet50"), (1, 3, 256, 256)),
        ("centernet_mobilenet", "CenterNet", "test", partial(CenterNet, "mobilenet_v2"), (1, 3, 256, 256)),
        ("crnn", "OCR", "build", partial(Crnn, 7), (1, 1, 32, 128)),
        ("crnn_resnet", "OCR", "build", partial(Crnn, 12), (1, 3, 32, 256)),
        ("crnn_small", "OCR", "test", partial(Crnn, 5), (1, 1, 32, 100)),
        ("dbnet_resnet18", "OCR", "build", partial(DbNet, "resnet18"), (1, 3, 256, 256)),
        ("dbnet_resnet50", "OCR", "test", partial(DbNet, "resnet50"), (1, 3, 256, 256)),
        ("deepspeech2_5", "ASR", "build", partial(DeepSpeech, 5, "gru"), (1, 1, 161, 200)),
        ("deepspeech2_3", "ASR", "test", partial(DeepSpeech, 3, "lstm"), (1, 1, 161, 200)),
        ("lstm_acoustic", "ASR", "test", partial(Acoustic, 4), (1, 200, 40)),
        ("lstm_acoustic_2", "ASR", "build", partial(Acoustic, 2), (1, 200, 40)),
        ("conformer_6", "ASR", "build", partial(Conformer, 6), (1, 400, 80)),
        ("conformer_12", "ASR", "test", partial(Conformer, 12), (1, 400, 80)),
        ("quartznet_5", "ASR", "build", partial(QuartzNet, 5), (1, 64, 400)),
        ("quartznet_15", "ASR", "test", partial(QuartzNet, 15), (1, 64, 400)),
        ("tacotron2_encoder", "TTS", "build", Tacotron2Encoder, "ids"),
        ("tacotron2_decoder_step", "TTS", "build", Tacotron2Step, (1, 80)),
        ("fastspeech2_4", "TTS", "build", partial(FastSpeech, 4), "ids"),
        ("fastspeech2_6", "TTS", "test", partial(FastSpeech, 6), "ids"),
        ("deepfm", "RecSys", "build", partial(DeepFm, 26, 3), "fields26"),
        ("wide_deep", "RecSys", "build", partial(WideDeep, 26, 3), "fields26"),
        ("dcn", "RecSys", "test", partial(Cross, 26, 3), "fields26"),
        ("deepfm_39", "RecSys", "test", partial(DeepFm, 39, 2), "fields39"),
        ("wide_deep_13", "RecSys", "test", partial(WideDeep, 13, 4), "fields13"),
        ("dlrm", "RecSys", "build", partial(Dlrm, 26), "fields26"),
        ("dlrm_8", "RecSys", "test", partial(Dlrm, 8), "fields8"),
        ("autoint", "RecSys", "test", partial(AutoInt, 20), "fields20"),
        ("pointpillars", "BEV", "build", partial(PointPillars, (3, 5, 5)), (1, 9, 1000, 20)),
        ("centerpoint_pillar", "BEV", "test", partial(PointPillars, (4, 6, 6), 6), (1, 9, 1500, 20)),
        ("bevdet_r50", "BEV", "build", partial(BevDet, "resnet50"), (6, 3, 128, 256)),
        ("bevdet_r18", "BEV", "test", partial(BevDet, "resnet18"), (6, 3, 128, 256)),
        ("petr_r18", "BEV", "build", partial(Petr, "resnet18", 3), (6, 3, 128, 256)),
        ("petr_r50", "BEV", "test", partial(Petr, "resnet50", 6), (6, 3, 128, 256)),
        ("bevformer_r18", "BEV", "build", partial(BevFormer, "resnet18", 2), (6, 3, 128, 256)),
        ("bevformer_r50", "BEV", "test", partial(BevFormer, "resnet50", 3), (6, 3, 128, 256)),
        ("mlp_classifier", "other", "test", partial(Mlp, 4), (1, 128)),
        ("lstm_forecast", "other", "test", Forecast, (1, 96, 7)),
        ("single_matmul", "none", "test", partial(Mlp, 0), (1, 128)),
    ]
    return [
        Net(name, family, split, _ORIGIN, _build(kind, shape)) for name, family, split, kind, shape in rows
    ]


def _build(kind: Callable[[], nn.Module], shape: tuple[int, ...] | str) -> Callable[[], Built]:
    def build() -> Built:
        if shape == "ids":
            return kind().eval(), (torch.ones(1, 24, dtype=torch.int64),)
        if isinstance(shape, str):
            fields = int(shape.removeprefix("fields"))
            return kind().eval(), (torch.zeros(4, fields, dtype=torch.int64), torch.zeros(4, 13))
        return kind().eval(), (torch.zeros(*shape),)

    return build
