"""Which files an agent may have read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.errors import UsageError


@dataclass(frozen=True, slots=True)
class Roots:
    """Folders, links resolved; nothing outside them is opened."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, folders: Sequence[Path]) -> Roots:
        """The roots for folders as typed.

        Raises:
            UsageError: one is no folder.
        """
        for folder in folders:
            if not folder.is_dir():
                raise UsageError("no such folder", where=str(folder), now="Give folders with --root.")
        return cls(tuple(folder.resolve() for folder in folders))

    def path(self, text: str) -> Path:
        """The file or folder that `text` names, relative ones below the first root; links are followed first.

        Raises:
            UsageError: it lies outside every root.
        """
        try:
            found = (self.folders[0] / text).resolve()
            looped = (
                found.is_symlink()
            )  # links that lead in a circle: since Python 3.13 not resolved, and no fault
        except (OSError, ValueError, RuntimeError) as fault:
            raise UsageError("this is no path", where="path", now="Give a path below a root.") from fault
        if not text or looped or not any(found.is_relative_to(folder) for folder in self.folders):
            roots = ", ".join(map(str, self.folders))
            raise UsageError(
                "outside the folders that may be read", where=text[:200], now=f"Allowed: below {roots}."
            )
        return found
