"""Networks over signals: speech recognised and spoken, and two that belong to no family."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tools.networks.parts import tower


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


class Mlp(nn.Module):
    def __init__(self, layers: int) -> None:
        super().__init__()
        self.net = tower(128, layers, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


class Forecast(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn, self.head = nn.LSTM(7, 32, batch_first=True), nn.Linear(32, 7)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.rnn(x)[0][:, -1])
