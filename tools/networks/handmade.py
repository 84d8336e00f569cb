"""Networks written here in the plain form of their family: U-Net, super-resolution, GAN, OCR, speech, recommendation, BEV."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tools.networks.net import Built, Net

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


def conv(
    i: int, o: int, k: int = 3, s: int = 1, act: nn.Module | None = None, groups: int = 1
) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(i, o, k, s, k // 2, groups=groups), nn.BatchNorm2d(o), act or nn.ReLU())


class UNet(nn.Module):
    def __init__(self, width: int, depth: int, up: str, dims: int = 2, gates: bool = False) -> None:
        super().__init__()
        conv_, norm, pool, tconv = (
            (nn.Conv2d, nn.BatchNorm2d, nn.MaxPool2d, nn.ConvTranspose2d)
            if dims == 2
            else (nn.Conv3d, nn.BatchNorm3d, nn.MaxPool3d, nn.ConvTranspose3d)
        )

        def double(i: int, o: int) -> nn.Sequential:
            return nn.Sequential(
                conv_(i, o, 3, padding=1), norm(o), nn.ReLU(), conv_(o, o, 3, padding=1), norm(o), nn.ReLU()
            )

        first = 3 if dims == 2 and depth != 3 else 1
        sizes = [width * 2**i for i in range(depth + 1)]
        self.down = nn.ModuleList([double(i, o) for i, o in zip([first, *sizes[:-1]], sizes, strict=True)])
        self.pool = pool(2)
        self.up, self.gates, self.join = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        for low, high in zip(sizes[:-1][::-1], sizes[1:][::-1], strict=True):
            if up == "tconv":
                self.up.append(tconv(high, low, 2, 2))
            else:
                options = {"align_corners": True} if up == "bilinear" else {}
                self.up.append(
                    nn.Sequential(nn.Upsample(scale_factor=2, mode=up, **options), conv_(high, low, 1))
                )
            self.gates.append(nn.Sequential(conv_(low, 1, 1), nn.Sigmoid()) if gates else nn.Identity())
            self.join.append(double(2 * low, low))
        self.use_gates, self.head = gates, conv_(width, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        kept = []
        for i, block in enumerate(self.down):
            x = block(x if i == 0 else self.pool(x))
            kept.append(x)
        for up, gate, join, skip in zip(self.up, self.gates, self.join, kept[-2::-1], strict=True):
            x = up(x)
            kept_skip = skip * gate(F.relu(skip + x)) if self.use_gates else skip
            x = join(torch.cat([kept_skip, x], 1))
        return self.head(x)


class Rsu(nn.Module):
    def __init__(self, depth: int, i: int, mid: int, o: int) -> None:
        super().__init__()
        self.inp = conv(i, o)
        self.enc = nn.ModuleList([conv(o if d == 0 else mid, mid) for d in range(depth)])
        self.dec = nn.ModuleList([conv(2 * mid, mid if d else o) for d in range(depth - 1)])

    def forward(self, x: Tensor) -> Tensor:
        x = kept = self.inp(x)
        stack = []
        for block in self.enc:
            x = block(x)
            stack.append(x)
            x = F.max_pool2d(x, 2)
        x = stack.pop()
        for block in reversed(self.dec):
            skip = stack.pop()
            x = block(torch.cat([F.interpolate(x, scale_factor=2.0, mode="bilinear"), skip], 1))
        return x + kept


class U2Net(nn.Module):
    def __init__(self, w: int) -> None:
        super().__init__()
        self.enc = nn.ModuleList([Rsu(5, 3, w, w), Rsu(4, w, w, w), Rsu(3, w, w, w)])
        self.dec = nn.ModuleList([Rsu(4, 2 * w, w, w), Rsu(5, 2 * w, w, w)])
        self.side = nn.ModuleList([nn.Conv2d(w, 1, 3, padding=1) for _ in range(3)])
        self.head = nn.Conv2d(3, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        a = self.enc[0](x)
        b = self.enc[1](F.max_pool2d(a, 2))
        c = self.enc[2](F.max_pool2d(b, 2))
        d = self.dec[0](torch.cat([F.interpolate(c, scale_factor=2.0, mode="bilinear"), b], 1))
        e = self.dec[1](torch.cat([F.interpolate(d, scale_factor=2.0, mode="bilinear"), a], 1))
        sides = [self.side[0](e), self.side[1](d), self.side[2](c)]
        sides = [
            s if i == 0 else F.interpolate(s, scale_factor=2.0**i, mode="bilinear")
            for i, s in enumerate(sides)
        ]
        return torch.sigmoid(self.head(torch.cat(sides, 1)))


class Edsr(nn.Module):
    def __init__(self, blocks: int, scale: int, w: int = 32) -> None:
        super().__init__()
        self.head = nn.Conv2d(3, w, 3, padding=1)
        self.body = nn.ModuleList(
            [
                nn.Sequential(nn.Conv2d(w, w, 3, padding=1), nn.ReLU(), nn.Conv2d(w, w, 3, padding=1))
                for _ in range(blocks)
            ]
        )
        self.last = nn.Conv2d(w, w, 3, padding=1)
        ups: list[nn.Module] = []
        for _ in range(scale // 2):
            ups += [nn.Conv2d(w, 4 * w, 3, padding=1), nn.PixelShuffle(2)]
        self.tail = nn.Sequential(*ups, nn.Conv2d(w, 3, 3, padding=1))

    def forward(self, x: Tensor) -> Tensor:
        x = kept = self.head(x)
        for block in self.body:
            x = x + 0.1 * block(x)
        return self.tail(self.last(x) + kept)


class Dense5(nn.Module):
    def __init__(self, w: int, g: int) -> None:
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv2d(w + i * g, g if i < 4 else w, 3, padding=1) for i in range(5)])

    def forward(self, x: Tensor) -> Tensor:
        kept = [x]
        for i, c in enumerate(self.convs):
            y = c(torch.cat(kept, 1) if i else x)
            kept.append(F.leaky_relu(y, 0.2) if i < 4 else y)
        return x + 0.2 * kept[-1]


class Rrdb(nn.Module):
    def __init__(self, blocks: int, w: int = 16) -> None:
        super().__init__()
        self.head = nn.Conv2d(3, w, 3, padding=1)
        self.body = nn.ModuleList([nn.Sequential(*[Dense5(w, 8) for _ in range(3)]) for _ in range(blocks)])
        self.mid = nn.Conv2d(w, w, 3, padding=1)
        self.up = nn.ModuleList([nn.Conv2d(w, w, 3, padding=1) for _ in range(2)])
        self.tail = nn.Sequential(
            nn.Conv2d(w, w, 3, padding=1), nn.LeakyReLU(0.2), nn.Conv2d(w, 3, 3, padding=1)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = kept = self.head(x)
        for block in self.body:
            x = x + 0.2 * block(x)
        x = self.mid(x) + kept
        for up in self.up:
            x = F.leaky_relu(up(F.interpolate(x, scale_factor=2.0, mode="nearest")), 0.2)
        return self.tail(x)


class Espcn(nn.Module):
    def __init__(self, scale: int) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 64, 5, padding=2), nn.Tanh(), nn.Conv2d(64, 32, 3, padding=1), nn.Tanh(),
            nn.Conv2d(32, scale * scale, 3, padding=1), nn.PixelShuffle(scale),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


class Rcan(nn.Module):
    def __init__(self, groups: int, scale: int, w: int = 16) -> None:
        super().__init__()
        self.head = nn.Conv2d(3, w, 3, padding=1)
        self.convs = nn.ModuleList(
            [
                nn.Sequential(nn.Conv2d(w, w, 3, padding=1), nn.ReLU(), nn.Conv2d(w, w, 3, padding=1))
                for _ in range(groups * 4)
            ]
        )
        self.att = nn.ModuleList(
            [
                nn.Sequential(
                    nn.AdaptiveAvgPool2d(1), nn.Conv2d(w, 4, 1), nn.ReLU(), nn.Conv2d(4, w, 1), nn.Sigmoid()
                )
                for _ in range(groups * 4)
            ]
        )
        self.tail = nn.Sequential(
            nn.Conv2d(w, w * scale * scale, 3, padding=1),
            nn.PixelShuffle(scale),
            nn.Conv2d(w, 3, 3, padding=1),
        )

    def forward(self, x: Tensor) -> Tensor:
        x = kept = self.head(x)
        for c, a in zip(self.convs, self.att, strict=True):
            y = c(x)
            x = x + y * a(y)
        return self.tail(x + kept)


class Rdn(nn.Module):
    def __init__(self, blocks: int, scale: int, w: int = 16) -> None:
        super().__init__()
        self.head = nn.Conv2d(3, w, 3, padding=1)
        self.blocks = nn.ModuleList(
            [
                nn.ModuleList([nn.Conv2d(w * (i + 1), w, 3, padding=1) for i in range(6)])
                for _ in range(blocks)
            ]
        )
        self.fuse = nn.ModuleList([nn.Conv2d(w * 7, w, 1) for _ in range(blocks)])
        self.all = nn.Conv2d(w * blocks, w, 1)
        self.tail = nn.Sequential(
            nn.Conv2d(w, w * scale * scale, 3, padding=1),
            nn.PixelShuffle(scale),
            nn.Conv2d(w, 3, 3, padding=1),
        )

    def forward(self, x: Tensor) -> Tensor:
        x = first = self.head(x)
        outs = []
        for block, fuse in zip(self.blocks, self.fuse, strict=True):
            kept = [x]
            for c in block:
                kept.append(F.relu(c(torch.cat(kept, 1) if len(kept) > 1 else x)))
            x = x + fuse(torch.cat(kept, 1))
            outs.append(x)
        return self.tail(self.all(torch.cat(outs, 1)) + first)


class Dcgan(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.ConvTranspose2d(100, 128, 4, 1, 0), nn.BatchNorm2d(128), nn.ReLU()]
        side = 4
        while side < size // 2:
            layers += [nn.ConvTranspose2d(128, 128, 4, 2, 1), nn.BatchNorm2d(128), nn.ReLU()]
            side *= 2
        self.net = nn.Sequential(*layers, nn.ConvTranspose2d(128, 3, 4, 2, 1), nn.Tanh())

    def forward(self, z: Tensor) -> Tensor:
        return self.net(z[:, :, None, None])


class CycleGan(nn.Module):
    def __init__(self, blocks: int, inputs: int = 3, w: int = 16) -> None:
        super().__init__()
        norm = nn.InstanceNorm2d
        self.head = nn.Sequential(
            nn.ReflectionPad2d(3), nn.Conv2d(inputs, w, 7), norm(w), nn.ReLU(), nn.Conv2d(w, 2 * w, 3, 2, 1), norm(2 * w),
            nn.ReLU(), nn.Conv2d(2 * w, 4 * w, 3, 2, 1), norm(4 * w), nn.ReLU(),
        )  # fmt: skip
        c = 4 * w
        self.body = nn.ModuleList(
            [
                nn.Sequential(
                    nn.ReflectionPad2d(1),
                    nn.Conv2d(c, c, 3),
                    norm(c),
                    nn.ReLU(),
                    nn.ReflectionPad2d(1),
                    nn.Conv2d(c, c, 3),
                    norm(c),
                )
                for _ in range(blocks)
            ]
        )
        self.tail = nn.Sequential(
            nn.ConvTranspose2d(c, c // 2, 3, 2, 1, 1), norm(c // 2), nn.ReLU(), nn.ConvTranspose2d(c // 2, w, 3, 2, 1, 1),
            norm(w), nn.ReLU(), nn.ReflectionPad2d(3), nn.Conv2d(w, 3, 7), nn.Tanh(),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        x = self.head(x)
        for block in self.body:
            x = x + block(x)
        return self.tail(x)


class Backbone(nn.Module):
    """Feature maps of a torchvision network at strides 4 to 32."""

    def __init__(self, name: str) -> None:
        super().__init__()
        import torchvision
        from torchvision.models.feature_extraction import create_feature_extractor

        net = torchvision.models.get_model(name, weights=None)
        nodes = (
            ["layer1", "layer2", "layer3", "layer4"]
            if name.startswith("resnet")
            else ["features.3", "features.6", "features.13", "features.18"]
        )
        self.net = create_feature_extractor(net.eval(), dict(zip(nodes, "abcd", strict=True)))
        with torch.no_grad():
            self.widths = [v.shape[1] for v in self.net(torch.zeros(1, 3, 64, 64)).values()]

    def forward(self, x: Tensor) -> list[Tensor]:
        return list(self.net(x).values())


class CenterNet(nn.Module):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.net = Backbone(name)
        sizes = [self.net.widths[-1], 64, 64, 64]
        self.up = nn.Sequential(
            *[
                nn.Sequential(nn.ConvTranspose2d(i, o, 4, 2, 1), nn.BatchNorm2d(o), nn.ReLU())
                for i, o in zip(sizes, sizes[1:], strict=False)
            ]
        )
        self.heads = nn.ModuleList(
            [
                nn.Sequential(nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, n, 1))
                for n in (80, 2, 2)
            ]
        )

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        x = self.up(self.net(x)[-1])
        heat = torch.sigmoid(self.heads[0](x))
        peak = heat * (F.max_pool2d(heat, 3, 1, 1) == heat).float()
        return peak, self.heads[1](x), self.heads[2](x)


class Crnn(nn.Module):
    def __init__(self, convs: int) -> None:
        super().__init__()
        first = 3 if convs == 12 else 1
        widths = [min(32 * 2 ** (i // 2), 128) for i in range(convs)]
        layers: list[nn.Module] = []
        for i, (a, b) in enumerate(zip([first, *widths[:-1]], widths, strict=True)):
            layers += [nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU()]
            if i < 2:
                layers.append(nn.MaxPool2d(2))
            elif i in (3, 4):
                layers.append(nn.MaxPool2d((2, 1)))
        self.cnn = nn.Sequential(*layers)
        self.rnn = nn.LSTM(widths[-1], 64, num_layers=2, bidirectional=True)
        self.head = nn.Linear(128, 37)

    def forward(self, x: Tensor) -> Tensor:
        x = self.cnn(x).mean(2).permute(2, 0, 1)
        return F.log_softmax(self.head(self.rnn(x)[0]), 2)


class DbNet(nn.Module):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.net = Backbone(name)
        self.lat = nn.ModuleList([nn.Conv2d(w, 64, 1) for w in self.net.widths])
        self.out = nn.ModuleList([conv(64, 16) for _ in range(4)])
        self.head = nn.Sequential(
            conv(64, 16),
            nn.ConvTranspose2d(16, 16, 2, 2),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.ConvTranspose2d(16, 1, 2, 2),
            nn.Sigmoid(),
        )

    def forward(self, x: Tensor) -> Tensor:
        maps = [lat(m) for lat, m in zip(self.lat, self.net(x), strict=True)]
        for i in (2, 1, 0):
            maps[i] = maps[i] + F.interpolate(maps[i + 1], scale_factor=2.0, mode="nearest")
        outs = [o(m) for o, m in zip(self.out, maps, strict=True)]
        outs = [
            o if i == 0 else F.interpolate(o, scale_factor=float(2**i), mode="nearest")
            for i, o in enumerate(outs)
        ]
        return self.head(torch.cat(outs, 1))


class DeepSpeech(nn.Module):
    def __init__(self, layers: int, kind: str) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 32, (41, 11), (2, 2), (20, 5)), nn.BatchNorm2d(32), nn.Hardtanh(0, 20),
            nn.Conv2d(32, 32, (21, 11), (2, 1), (10, 5)), nn.BatchNorm2d(32), nn.Hardtanh(0, 20),
        )  # fmt: skip
        self.rnn = (nn.GRU if kind == "gru" else nn.LSTM)(32 * 41, 64, num_layers=layers, bidirectional=True)
        self.head = nn.Linear(128, 29)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv(x)
        x = x.flatten(1, 2).permute(2, 0, 1)
        return self.head(self.rnn(x)[0]).softmax(-1)


class Acoustic(nn.Module):
    def __init__(self, layers: int) -> None:
        super().__init__()
        self.rnn = nn.LSTM(40, 64, num_layers=layers, bidirectional=True, batch_first=True)
        self.head = nn.Linear(128, 62)

    def forward(self, x: Tensor) -> Tensor:
        return F.log_softmax(self.head(self.rnn(x)[0]), -1)


class ConformerBlock(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.f1, self.f2 = (
            nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 4 * d), nn.SiLU(), nn.Linear(4 * d, d))
            for _ in range(2)
        )
        self.norm, self.qkv, self.out = nn.LayerNorm(d), nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.cn, self.p1, self.dw, self.bn, self.p2 = (
            nn.LayerNorm(d),
            nn.Conv1d(d, 2 * d, 1),
            nn.Conv1d(d, d, 15, padding=7, groups=d),
            nn.BatchNorm1d(d),
            nn.Conv1d(d, d, 1),
        )
        self.last = nn.LayerNorm(d)

    def forward(self, x: Tensor) -> Tensor:
        x = x + 0.5 * self.f1(x)
        b, t, d = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(b, t, 3, 4, d // 4).permute(2, 0, 3, 1, 4)
        a = (q @ k.transpose(-1, -2) / 4.0).softmax(-1) @ v
        x = x + self.out(a.transpose(1, 2).reshape(b, t, d))
        y = F.glu(self.p1(self.cn(x).transpose(1, 2)), dim=1)
        x = x + self.p2(F.silu(self.bn(self.dw(y)))).transpose(1, 2)
        return self.last(x + 0.5 * self.f2(x))


class Conformer(nn.Module):
    def __init__(self, layers: int, d: int = 64) -> None:
        super().__init__()
        self.sub = nn.Sequential(nn.Conv2d(1, d, 3, 2), nn.ReLU(), nn.Conv2d(d, d, 3, 2), nn.ReLU())
        self.inp = nn.Linear(d * 19, d)
        self.body = nn.Sequential(*[ConformerBlock(d) for _ in range(layers)])
        self.head = nn.Linear(d, 500)

    def forward(self, x: Tensor) -> Tensor:
        x = self.sub(x[:, None])
        x = self.inp(x.transpose(1, 2).flatten(2))
        return F.log_softmax(self.head(self.body(x)), -1)


class QuartzNet(nn.Module):
    def __init__(self, blocks: int, c: int = 64) -> None:
        super().__init__()

        def unit(k: int) -> nn.Sequential:
            return nn.Sequential(
                nn.Conv1d(c, c, k, padding=k // 2, groups=c), nn.Conv1d(c, c, 1), nn.BatchNorm1d(c)
            )

        self.head = nn.Sequential(nn.Conv1d(64, c, 33, 2, 16), nn.BatchNorm1d(c), nn.ReLU())
        self.body = nn.ModuleList(
            [
                nn.Sequential(*[nn.Sequential(unit(33), nn.ReLU()) for _ in range(4)], unit(33))
                for _ in range(blocks)
            ]
        )
        self.side = nn.ModuleList(
            [nn.Sequential(nn.Conv1d(c, c, 1), nn.BatchNorm1d(c)) for _ in range(blocks)]
        )
        self.tail = nn.Conv1d(c, 29, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.head(x)
        for block, side in zip(self.body, self.side, strict=True):
            x = F.relu(block(x) + side(x))
        return F.log_softmax(self.tail(x).transpose(1, 2), -1)


class Tacotron2Encoder(nn.Module):
    def __init__(self, d: int = 64) -> None:
        super().__init__()
        self.emb = nn.Embedding(148, d)
        self.conv = nn.Sequential(
            *[nn.Sequential(nn.Conv1d(d, d, 5, padding=2), nn.BatchNorm1d(d), nn.ReLU()) for _ in range(3)]
        )
        self.rnn = nn.LSTM(d, d // 2, batch_first=True, bidirectional=True)

    def forward(self, ids: Tensor) -> Tensor:
        return self.rnn(self.conv(self.emb(ids).transpose(1, 2)).transpose(1, 2))[0]


class Tacotron2Step(nn.Module):
    def __init__(self, d: int = 64) -> None:
        super().__init__()
        self.pre = nn.Sequential(nn.Linear(80, d), nn.ReLU(), nn.Linear(d, d), nn.ReLU())
        self.r1, self.r2 = nn.LSTM(d, d, batch_first=True), nn.LSTM(2 * d, d, batch_first=True)
        self.query, self.loc, self.v = nn.Linear(d, d), nn.Conv1d(1, d, 31, padding=15), nn.Linear(d, 1)
        self.memory = nn.Parameter(torch.zeros(1, 40, d))
        self.mel, self.gate = nn.Linear(2 * d, 80), nn.Linear(2 * d, 1)
        self.post = nn.Sequential(
            *[nn.Sequential(nn.Conv1d(80, 80, 5, padding=2), nn.BatchNorm1d(80), nn.Tanh()) for _ in range(5)]
        )

    def forward(self, mel: Tensor) -> tuple[Tensor, Tensor]:
        h = self.r1(self.pre(mel)[:, None])[0]
        where = self.loc(self.memory.mean(2)[:, None]).transpose(1, 2)
        weight = self.v(torch.tanh(self.query(h) + self.memory + where)).softmax(1)
        seen = (weight * self.memory).sum(1, keepdim=True)
        h = self.r2(torch.cat([h, seen], -1))[0]
        h = torch.cat([h, seen], -1)
        out = self.mel(h)
        return out + self.post(out.transpose(1, 2)).transpose(1, 2), torch.sigmoid(self.gate(h))


class FastSpeech(nn.Module):
    def __init__(self, layers: int, d: int = 64) -> None:
        super().__init__()
        self.emb = nn.Embedding(148, d)
        self.a, self.b = (nn.ModuleList([_FftBlock(d) for _ in range(layers)]) for _ in range(2))
        self.variance = nn.ModuleList(
            [
                nn.Sequential(nn.Conv1d(d, d, 3, padding=1), nn.ReLU(), nn.Conv1d(d, 1, 3, padding=1))
                for _ in range(3)
            ]
        )
        self.pos, self.mel = nn.Embedding(256, d), nn.Linear(d, 80)
        self.post = nn.Sequential(
            *[nn.Sequential(nn.Conv1d(80, 80, 5, padding=2), nn.BatchNorm1d(80), nn.Tanh()) for _ in range(5)]
        )

    def forward(self, ids: Tensor) -> Tensor:
        x = self.emb(ids)
        for block in self.a:
            x = block(x)
        length = torch.exp(self.variance[0](x.transpose(1, 2))).round().clamp(min=1)
        pitch = (self.variance[1](x.transpose(1, 2)) * 255).clamp(0, 255).long()[:, 0]
        x = x + self.pos(pitch)
        ends = torch.cumsum(length, -1)
        frames = torch.arange(96, device=x.device, dtype=x.dtype)[None, :, None]
        align = (frames < ends).float() - (frames < ends - length).float()
        x = align @ x
        for block in self.b:
            x = block(x)
        mel = self.mel(x)
        return mel + self.post(mel.transpose(1, 2)).transpose(1, 2)


class _FftBlock(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.qkv, self.out, self.n1, self.n2 = (
            nn.Linear(d, 3 * d),
            nn.Linear(d, d),
            nn.LayerNorm(d),
            nn.LayerNorm(d),
        )
        self.c1, self.c2 = nn.Conv1d(d, 2 * d, 9, padding=4), nn.Conv1d(2 * d, d, 1)

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = self.qkv(x).reshape(b, t, 3, 2, d // 2).permute(2, 0, 3, 1, 4)
        a = (q @ k.transpose(-1, -2) / 5.7).softmax(-1) @ v
        x = self.n1(x + self.out(a.transpose(1, 2).reshape(b, t, d)))
        return self.n2(x + self.c2(F.relu(self.c1(x.transpose(1, 2)))).transpose(1, 2))


class _Fields(nn.Module):
    """Embeddings of categorical fields, one table each."""

    def __init__(self, fields: int, d: int = 8) -> None:
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(100, d) for _ in range(fields)])

    def forward(self, ids: Tensor) -> Tensor:
        return torch.stack([t(ids[:, i]) for i, t in enumerate(self.tables)], 1)


def _tower(i: int, layers: int, o: int = 1) -> nn.Sequential:
    parts: list[nn.Module] = []
    for _ in range(layers):
        parts += [nn.Linear(i, 64), nn.ReLU()]
        i = 64
    return nn.Sequential(*parts, nn.Linear(i, o))


class DeepFm(nn.Module):
    def __init__(self, fields: int, layers: int) -> None:
        super().__init__()
        self.wide, self.emb = _Fields(fields, 1), _Fields(fields)
        self.deep = _tower(fields * 8 + 13, layers)

    def forward(self, ids: Tensor, dense: Tensor) -> Tensor:
        e = self.emb(ids)
        fm = 0.5 * (e.sum(1) ** 2 - (e**2).sum(1)).sum(1, keepdim=True)
        return torch.sigmoid(self.wide(ids).sum(1) + fm + self.deep(torch.cat([e.flatten(1), dense], 1)))


class WideDeep(nn.Module):
    def __init__(self, fields: int, layers: int) -> None:
        super().__init__()
        self.wide, self.emb = nn.Linear(13, 1), _Fields(fields)
        self.deep = _tower(fields * 8 + 13, layers)

    def forward(self, ids: Tensor, dense: Tensor) -> Tensor:
        return torch.sigmoid(self.wide(dense) + self.deep(torch.cat([self.emb(ids).flatten(1), dense], 1)))


class Cross(nn.Module):
    def __init__(self, fields: int, layers: int) -> None:
        super().__init__()
        width = fields * 8 + 13
        self.emb, self.deep = _Fields(fields), _tower(width, layers, 64)
        self.cross = nn.ModuleList([nn.Linear(width, 1) for _ in range(layers)])
        self.head = nn.Linear(width + 64, 1)

    def forward(self, ids: Tensor, dense: Tensor) -> Tensor:
        x = first = torch.cat([self.emb(ids).flatten(1), dense], 1)
        for c in self.cross:
            x = first * c(x) + x
        return torch.sigmoid(self.head(torch.cat([x, self.deep(first)], 1)))


class Dlrm(nn.Module):
    def __init__(self, fields: int) -> None:
        super().__init__()
        self.emb, self.bottom = _Fields(fields), _tower(13, 2, 8)
        self.top = _tower((fields + 1) ** 2 + 8, 3)

    def forward(self, ids: Tensor, dense: Tensor) -> Tensor:
        d = self.bottom(dense)
        x = torch.cat([d[:, None], self.emb(ids)], 1)
        return torch.sigmoid(self.top(torch.cat([(x @ x.transpose(1, 2)).flatten(1), d], 1)))


class AutoInt(nn.Module):
    def __init__(self, fields: int) -> None:
        super().__init__()
        self.emb = _Fields(fields)
        self.q, self.k, self.v, self.r = (nn.Linear(8, 8) for _ in range(4))
        self.head = _tower(fields * 8 + 13, 2)

    def forward(self, ids: Tensor, dense: Tensor) -> Tensor:
        x = self.emb(ids)
        for _ in range(2):
            x = F.relu((self.q(x) @ self.k(x).transpose(1, 2)).softmax(-1) @ self.v(x) + self.r(x))
        return torch.sigmoid(self.head(torch.cat([x.flatten(1), dense], 1)))


class PointPillars(nn.Module):
    def __init__(self, depths: tuple[int, ...], tasks: int = 1) -> None:
        super().__init__()
        self.lin, self.norm = nn.Conv2d(9, 32, 1), nn.BatchNorm2d(32)
        self.blocks, self.ups = nn.ModuleList(), nn.ModuleList()
        width = 32
        for i, depth in enumerate(depths):
            self.blocks.append(
                nn.Sequential(
                    conv(width, 32 * 2**i, 3, 2), *[conv(32 * 2**i, 32 * 2**i) for _ in range(depth)]
                )
            )
            width = 32 * 2**i
            self.ups.append(
                nn.Sequential(nn.ConvTranspose2d(width, 32, 2**i, 2**i), nn.BatchNorm2d(32), nn.ReLU())
            )
        self.heads = nn.ModuleList([nn.Conv2d(96, n, 1) for _ in range(tasks) for n in (18, 42, 12)])
        self.register_buffer("where", torch.arange(10000).remainder(64 * 64))

    def forward(self, points: Tensor) -> tuple[Tensor, ...]:
        x = F.relu(self.norm(self.lin(points))).amax(3)
        grid = x.new_zeros(1, 32, 64 * 64)
        grid = grid.scatter(2, self.where[: x.shape[2]].expand(1, 32, -1), x)
        x = grid.view(1, 32, 64, 64)
        outs = []
        for block, up in zip(self.blocks, self.ups, strict=True):
            x = block(x)
            outs.append(up(x))
        x = torch.cat(outs, 1)
        return tuple(head(x) for head in self.heads)


class BevDet(nn.Module):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.net = Backbone(name)
        self.depth = nn.Conv2d(self.net.widths[-2], 24 + 32, 1)
        self.bev = nn.Sequential(conv(32, 64, 3, 2), conv(64, 64), conv(64, 128, 3, 2), conv(128, 128))
        self.up = nn.Sequential(nn.Upsample(scale_factor=4.0, mode="bilinear"), conv(128, 64))
        self.heads = nn.ModuleList(
            [nn.Sequential(conv(64, 32), nn.Conv2d(32, n, 3, padding=1)) for n in (10, 2, 1, 3, 2, 2)]
        )
        self.register_buffer("where", torch.arange(6 * 24 * 8 * 16).remainder(64 * 64))

    def forward(self, images: Tensor) -> tuple[Tensor, ...]:
        x = self.depth(self.net(images)[-2])
        depth, feature = x[:, :24].softmax(1), x[:, 24:]
        volume = (depth[:, None] * feature[:, :, None]).permute(1, 0, 2, 3, 4).reshape(32, -1)
        bev = volume.new_zeros(32, 64 * 64).scatter_add(1, self.where.expand(32, -1), volume)
        x = self.up(self.bev(bev.view(1, 32, 64, 64)))
        return tuple(head(x) for head in self.heads)


class _Attend(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o, self.n = (*(nn.Linear(d, d) for _ in range(4)), nn.LayerNorm(d))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        def heads(z: Tensor) -> Tensor:
            return z.reshape(z.shape[0], z.shape[1], 4, -1).transpose(1, 2)

        a = (heads(self.q(x)) @ heads(self.k(y)).transpose(-1, -2) / 4.0).softmax(-1) @ heads(self.v(y))
        return self.n(x + self.o(a.transpose(1, 2).flatten(2)))


class Petr(nn.Module):
    def __init__(self, name: str, layers: int, d: int = 64) -> None:
        super().__init__()
        self.net = Backbone(name)
        self.lat, self.pos = (
            nn.Conv2d(self.net.widths[-2], d, 1),
            nn.Sequential(nn.Conv2d(192, d, 1), nn.ReLU(), nn.Conv2d(d, d, 1)),
        )
        self.query, self.rays = nn.Parameter(torch.zeros(1, 300, d)), nn.Parameter(torch.zeros(6, 192, 8, 16))
        self.own, self.other = (nn.ModuleList([_Attend(d) for _ in range(layers)]) for _ in range(2))
        self.ffn = nn.ModuleList(
            [
                nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(), nn.Linear(2 * d, d), nn.LayerNorm(d))
                for _ in range(layers)
            ]
        )
        self.cls, self.box = (
            nn.ModuleList([_tower(d, 2, 10) for _ in range(layers)]),
            nn.ModuleList([_tower(d, 2, 10) for _ in range(layers)]),
        )

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        memory = self.lat(self.net(images)[-2]) + self.pos(self.rays)
        memory = memory.permute(0, 2, 3, 1).reshape(1, -1, memory.shape[1])
        x, classes, boxes = self.query, [], []
        for own, other, ffn, cls, box in zip(self.own, self.other, self.ffn, self.cls, self.box, strict=True):
            x = ffn(other(own(x, x), memory))
            classes.append(cls(x))
            boxes.append(torch.sigmoid(box(x)))
        return torch.stack(classes), torch.stack(boxes)


class BevFormer(nn.Module):
    """Camera features sampled at projected reference points by grid sampling, the form exporters give."""

    def __init__(self, name: str, layers: int, d: int = 64) -> None:
        super().__init__()
        self.net = Backbone(name)
        self.lat = nn.Conv2d(self.net.widths[-2], d, 1)
        self.query, self.points = (
            nn.Parameter(torch.zeros(1, 400, d)),
            nn.Parameter(torch.zeros(6, 400, 4, 2)),
        )
        self.own = nn.ModuleList([_Attend(d) for _ in range(layers)])
        self.offset, self.weight = (nn.ModuleList([nn.Linear(d, n) for _ in range(layers)]) for n in (8, 4))
        self.ffn = nn.ModuleList(
            [
                nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(), nn.Linear(2 * d, d), nn.LayerNorm(d))
                for _ in range(layers)
            ]
        )
        self.dec, self.objects = (
            nn.ModuleList([_Attend(d) for _ in range(2 * layers)]),
            nn.Parameter(torch.zeros(1, 300, d)),
        )
        self.cls, self.box = _tower(d, 2, 10), _tower(d, 2, 10)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        maps = self.lat(self.net(images)[-2])
        x = self.query
        for own, offset, weight, ffn in zip(self.own, self.offset, self.weight, self.ffn, strict=True):
            x = own(x, x)
            grid = self.points + offset(x).view(1, 400, 4, 2)
            seen = F.grid_sample(maps, grid, align_corners=False)
            seen = (seen * weight(x).softmax(-1)[:, None]).sum(-1)
            x = ffn(x + seen.mean(0, keepdim=True).transpose(1, 2))
        y = self.objects
        for i, dec in enumerate(self.dec):
            y = dec(y, x if i % 2 else y)
        return self.cls(y), torch.sigmoid(self.box(y))


class Mlp(nn.Module):
    def __init__(self, layers: int) -> None:
        super().__init__()
        self.net = _tower(128, layers, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


class Forecast(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn, self.head = nn.LSTM(7, 32, batch_first=True), nn.Linear(32, 7)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.rnn(x)[0][:, -1])
