"""Parts that several networks share: a convolution with its norm, a tower of linear layers, a trunk, attention."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def conv(
    i: int, o: int, k: int = 3, s: int = 1, act: nn.Module | None = None, groups: int = 1
) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(i, o, k, s, k // 2, groups=groups), nn.BatchNorm2d(o), act or nn.ReLU())


def tower(i: int, layers: int, o: int = 1) -> nn.Sequential:
    parts: list[nn.Module] = []
    for _ in range(layers):
        parts += [nn.Linear(i, 64), nn.ReLU()]
        i = 64
    return nn.Sequential(*parts, nn.Linear(i, o))


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


class Attend(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o, self.n = (*(nn.Linear(d, d) for _ in range(4)), nn.LayerNorm(d))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        def heads(z: Tensor) -> Tensor:
            return z.reshape(z.shape[0], z.shape[1], 4, -1).transpose(1, 2)

        a = (heads(self.q(x)) @ heads(self.k(y)).transpose(-1, -2) / 4.0).softmax(-1) @ heads(self.v(y))
        return self.n(x + self.o(a.transpose(1, 2).flatten(2)))
