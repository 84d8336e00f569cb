"""Networks over tables of ids (recommendation) and over scenes seen from above."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tools.networks.parts import Attend, Backbone, conv, tower


class _Fields(nn.Module):
    """Embeddings of categorical fields, one table each."""

    def __init__(self, fields: int, d: int = 8) -> None:
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(100, d) for _ in range(fields)])

    def forward(self, ids: Tensor) -> Tensor:
        return torch.stack([t(ids[:, i]) for i, t in enumerate(self.tables)], 1)


class DeepFm(nn.Module):
    def __init__(self, fields: int, layers: int) -> None:
        super().__init__()
        self.wide, self.emb = _Fields(fields, 1), _Fields(fields)
        self.deep = tower(fields * 8 + 13, layers)

    def forward(self, ids: Tensor, dense: Tensor) -> Tensor:
        e = self.emb(ids)
        fm = 0.5 * (e.sum(1) ** 2 - (e**2).sum(1)).sum(1, keepdim=True)
        return torch.sigmoid(self.wide(ids).sum(1) + fm + self.deep(torch.cat([e.flatten(1), dense], 1)))


class WideDeep(nn.Module):
    def __init__(self, fields: int, layers: int) -> None:
        super().__init__()
        self.wide, self.emb = nn.Linear(13, 1), _Fields(fields)
        self.deep = tower(fields * 8 + 13, layers)

    def forward(self, ids: Tensor, dense: Tensor) -> Tensor:
        return torch.sigmoid(self.wide(dense) + self.deep(torch.cat([self.emb(ids).flatten(1), dense], 1)))


class Cross(nn.Module):
    def __init__(self, fields: int, layers: int) -> None:
        super().__init__()
        width = fields * 8 + 13
        self.emb, self.deep = _Fields(fields), tower(width, layers, 64)
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
        self.emb, self.bottom = _Fields(fields), tower(13, 2, 8)
        self.top = tower((fields + 1) ** 2 + 8, 3)

    def forward(self, ids: Tensor, dense: Tensor) -> Tensor:
        d = self.bottom(dense)
        x = torch.cat([d[:, None], self.emb(ids)], 1)
        return torch.sigmoid(self.top(torch.cat([(x @ x.transpose(1, 2)).flatten(1), d], 1)))


class AutoInt(nn.Module):
    def __init__(self, fields: int) -> None:
        super().__init__()
        self.emb = _Fields(fields)
        self.q, self.k, self.v, self.r = (nn.Linear(8, 8) for _ in range(4))
        self.head = tower(fields * 8 + 13, 2)

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


class Petr(nn.Module):
    def __init__(self, name: str, layers: int, d: int = 64) -> None:
        super().__init__()
        self.net = Backbone(name)
        self.lat, self.pos = (
            nn.Conv2d(self.net.widths[-2], d, 1),
            nn.Sequential(nn.Conv2d(192, d, 1), nn.ReLU(), nn.Conv2d(d, d, 1)),
        )
        self.query, self.rays = nn.Parameter(torch.zeros(1, 300, d)), nn.Parameter(torch.zeros(6, 192, 8, 16))
        self.own, self.other = (nn.ModuleList([Attend(d) for _ in range(layers)]) for _ in range(2))
        self.ffn = nn.ModuleList(
            [
                nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(), nn.Linear(2 * d, d), nn.LayerNorm(d))
                for _ in range(layers)
            ]
        )
        self.cls, self.box = (
            nn.ModuleList([tower(d, 2, 10) for _ in range(layers)]),
            nn.ModuleList([tower(d, 2, 10) for _ in range(layers)]),
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
        self.own = nn.ModuleList([Attend(d) for _ in range(layers)])
        self.offset, self.weight = (nn.ModuleList([nn.Linear(d, n) for _ in range(layers)]) for n in (8, 4))
        self.ffn = nn.ModuleList(
            [
                nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(), nn.Linear(2 * d, d), nn.LayerNorm(d))
                for _ in range(layers)
            ]
        )
        self.dec, self.objects = (
            nn.ModuleList([Attend(d) for _ in range(2 * layers)]),
            nn.Parameter(torch.zeros(1, 300, d)),
        )
        self.cls, self.box = tower(d, 2, 10), tower(d, 2, 10)

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
