"""The judgement tables beside this file, and the translations, read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
TEXTS = ("title", "symptom", "remedy")
LANGS = ("en", "zh", "ja")


@cache
def table(name: str) -> dict[str, Any]:
    """One of the yaml tables."""
    return dict(yaml.safe_load((HERE / f"{name}.yaml").read_text(encoding="utf-8")))


@cache
def translations() -> dict[str, dict[str, str]]:
    """Rows of tools/i18n/*.tsv by entry id; missing files are fine."""
    rows: dict[str, dict[str, str]] = {}
    for path in sorted((HERE.parent / "i18n").glob("*.tsv")):
        lines = path.read_text(encoding="utf-8").splitlines()
        head = lines[0].split("\t")
        for line in lines[1:]:
            cells = dict(zip(head, line.split("\t"), strict=False))
            rows[cells.pop("id")] = cells
    return rows


def facts(folder: Path, name: str, key: str) -> list[dict[str, Any]]:
    """The records of one facts file."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    parsed = yaml.load((folder / f"{name}.yaml").read_bytes(), Loader=loader)
    return list(parsed[key])
