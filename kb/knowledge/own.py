"""A team's own entries: the folders that KB_DATA names and those of knowledge packs, merged with the shipped ones.

KB_DATA (or `data` in the configuration file) holds one folder, or several divided as in PATH. A knowledge pack is an
installed package with an entry point in the group `kb.knowledge`: a package or path whose folder holds entries. They are laid out like the shipped ones, or hold entry files
directly. An entry with a fault, an id that is taken among them, is left out and told, never put in place of another.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from kb import plugins, settings
from kb.errors import KnowledgeError

FOLDERS = ("cases", "recipes", "patterns", "tips")


def folders() -> tuple[Path, ...]:
    """The folders of KB_DATA, in the order given, then those of knowledge packs; none where neither is there.

    Raises:
        KnowledgeError: a folder of KB_DATA does not exist.
    """
    return tuple(dict.fromkeys((*named(), *packs())))


def named() -> tuple[Path, ...]:
    """The folders of KB_DATA, in the order given; none when it is not set.

    Raises:
        KnowledgeError: one of them does not exist.
    """
    given = settings.setting("data")
    names = [name for name in given.value.split(os.pathsep) if name]
    found = tuple(dict.fromkeys(Path(os.path.expanduser(name)).resolve() for name in names))  # noqa: PTH111
    for folder in found:
        if not folder.is_dir():
            raise KnowledgeError(
                f"{given.where} names a folder that does not exist",
                where=str(folder),
                now=f"make it, or unset {given.where}",
            )
    return found


def packs() -> tuple[Path, ...]:
    """Folders of the knowledge packs that are installed; one without a folder is named in a warning."""
    return _folders_of(plugins.loaded("kb.knowledge"))


@cache
def _folders_of(found: tuple[plugins.Plugin, ...]) -> tuple[Path, ...]:
    folders = []
    for plugin in found:
        thing = plugin.thing
        place = next(iter(getattr(thing, "__path__", ())), thing)  # a package stands for its folder
        try:
            folder = Path(place).resolve()
        except TypeError:
            plugins.warn(plugin, "names neither a package nor a path")
            continue
        if folder.is_dir():
            folders.append(folder)
        else:
            plugins.warn(plugin, f"names a folder that does not exist: {folder}")
    return tuple(folders)


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
