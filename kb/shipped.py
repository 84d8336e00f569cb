"""Where the shipped data lie: inside the installed package, or beside it in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kb.errors import KnowledgeError


@cache
def root() -> Path:
    """Folder of the shipped data (`data/` of a checkout, `kb/data` once installed).

    Raises:
        KnowledgeError: when neither exists, which means that the installation is incomplete.
    """
    package = Path(__file__).resolve().parent
    for folder in (package / "data", package.parent / "data"):
        if (folder / "VERSION").is_file():
            return folder
    raise KnowledgeError(
        "the shipped data folder is missing", where=str(package), now="install ascend-kb again"
    )


def version() -> str:
    """Version of the shipped knowledge, such as 2026.11."""
    return (root() / "VERSION").read_text(encoding="utf-8").strip()
