"""One network to export."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Built = tuple[Any, tuple[Any, ...]]  # torch module in eval mode, example inputs


@dataclass(frozen=True)
class Net:
    """`family` may name two ("ViT|Detection") where the closed list allows either.

    `split` is "build" (a row of the shipped table), "test" (not looked at until the table stood), or "fresh" (exported
    after the table had been mended once with the test networks' faults known).
    """

    name: str
    family: str
    split: str
    origin: str
    build: Callable[[], Built]
    dynamo: bool = False
    dynamic: bool = False


def table(text: str, make: Callable[[str], Callable[[], Built]], origin: str) -> list[Net]:
    """Rows `family split name name ...`; a name ending in `+dynamic` or `+dynamo` is exported so."""
    nets = []
    for line in text.strip().splitlines():
        family, split, *names = line.split()
        for raw in names:
            name, _, how = raw.partition("+")
            nets.append(
                Net(name, family, split, origin, make(name), dynamo=how == "dynamo", dynamic=how == "dynamic")
            )
    return nets
