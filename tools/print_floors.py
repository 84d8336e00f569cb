"""docs/floors.md: the floors of the package and of the engine, from the contracts that the tests hold them to."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent

HEAD = """\
# Floors

Printed from the import contracts of `pyproject.toml` by `make docs`; what each floor says of itself is the first sentence
of its code. A module imports what stands below it, never what stands above. Parts of one line do not know each other;
those in brackets are optional. [How it is built](architecture.md) says why.
"""


def contracts() -> list[dict[str, Any]]:
    """The import contracts, as `lint-imports` reads them."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: list[dict[str, Any]] = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    return found


def layers(container: str) -> list[list[str]]:
    """The floors of a package, from the top down: the parts of each."""
    (found,) = [one for one in contracts() if one["type"] == "layers" and one["containers"] == [container]]
    return [re.findall(r"\w+", layer) for layer in found["layers"]]


def sentence(module: str) -> str:
    """The first sentence of a module or package."""
    place = ROOT.joinpath(*module.split("."))
    path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(re.split(r"(?<=\.)\s|\n\n", text, maxsplit=1)[0].split()).rstrip(".:")


def _rows(container: str) -> Iterator[str]:
    yield "| floor | what it is |"
    yield "|---|---|"
    for parts in layers(container):
        names = [f"{container}.{part}" for part in parts]
        yield f"| {', '.join(f'`{name}`' for name in names)} | {'; '.join(map(sentence, names))} |"


def floors_page() -> str:
    """docs/floors.md."""
    lines = [HEAD]
    for container, title in (("kb", "The package"), ("kb.engine", "The engine")):
        lines += [f"## {title}", "", *_rows(container), ""]
    lines += ["## Contracts", "", "Every one of these is run with the tests (`lint-imports`):", ""]
    lines += [f"- {one['name']}" for one in contracts()]
    return "\n".join(lines) + "\n"
