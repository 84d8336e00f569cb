"""A team's own entries: the folders that KB_DATA names, merged with the shipped ones.

KB_DATA holds one folder, or several divided as in PATH. They are laid out like the shipped ones, or hold entry files
directly. An entry with a fault, an id that is taken among them, is left out and told, never put in place of another.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from kb.errors import KnowledgeError

FOLDERS = ("cases", "recipes", "patterns", "tips")


def folders() -> tuple[Path, ...]:
    """The folders of KB_DATA, in the order given; none when it is not set.

    Raises:
        KnowledgeError: one of them does not exist.
    """
    named = [name for name in os.environ.get("KB_DATA", "").split(os.pathsep) if name]
    found = tuple(dict.fromkeys(Path(name).resolve() for name in named))
    for folder in found:
        if not folder.is_dir():
            raise KnowledgeError(
                "KB_DATA names a folder that does not exist",
                where=str(folder),
                now="make it, or unset KB_DATA",
            )
    return found


def stats(folder: Path) -> Iterator[tuple[str, int, int]]:
    """(path, size, time of change) of every file that `kb.knowledge.merged` would read below a folder."""
    for name in (".", *FOLDERS):
        try:
            with os.scandir(folder / name) as found:
                for item in found:
                    if item.name.endswith(".md"):
                        stat = item.stat()
                        yield item.path, stat.st_size, stat.st_mtime_ns
        except (FileNotFoundError, NotADirectoryError):
            continue
