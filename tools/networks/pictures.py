"""Networks over pictures: U-Net, super-resolution, GAN, centre points, text."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tools.networks.parts import Backbone, conv


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


class CenterNet(nn.Module):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.net = Backbone(name)
        sizes = [self.net.widths[-1], 64, 64, 64]
        self.up = nn.Sequential(
            *[
                nn.Sequential(nn.ConvTranspose2d(i, o, 4, 2, 1), nn.BatchNorm2d(o), nn.ReLU())
                for i, o in pairwise(sizes)
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
