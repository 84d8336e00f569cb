"""One module a parser; `names` lists them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Protocol, cast

CORPUS = Path(__file__).resolve().parents[1] / "corpus"


class Target(Protocol):
    """What a target module has."""

    PARSES: tuple[str, ...]

    def seeds(self) -> list[bytes]: ...

    def one(self, data: bytes) -> None: ...


def names() -> list[str]:
    """Names of all targets, in order."""
    return sorted(found.name for found in iter_modules(__path__))


def target(name: str) -> Target:
    """The target of that name."""
    return cast(Target, import_module(f"{__name__}.{name}"))


def kept(name: str) -> list[bytes]:
    """Inputs of the target that earlier runs kept: those that reach code the seeds do not, and what was once a fault."""
    return [path.read_bytes() for path in sorted((CORPUS / name).glob("*"))]
