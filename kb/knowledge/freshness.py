"""Whether an index is of today: the format of its file, and a mark of all that it is made from and by."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from kb.knowledge import own

FORMAT = 5  # of the index file: kb.knowledge.index writes it, kb.knowledge.store reads it
_ALSO_READ = (
    "glossary.tsv",
    "aliases.tsv",
    "operators/op_types.tsv",
    "operators/extra_types.tsv",
    "model/static.db",
)
_MAKERS = ("index.py", "terms.py", "words.py")  # a change of these changes what an index holds


def fingerprint(root: Path, *, times: bool) -> str:
    """A cheap mark of the files an index is made from and by: names and sizes, and with `times` when they were changed."""
    files = sorted(_stats(root))
    text = "\n".join(f"{name} {size} {changed if times else ''}" for name, size, changed in files)
    return f"{FORMAT}-{len(files)}-{sum(size for _, size, _ in files)}-{crc32(text.encode()):08x}"


def mark(root: Path) -> str:
    """The fingerprint of the shipped files, and of the team's."""
    shipped = fingerprint(root, times=True)
    files = sorted(stat for folder in own.folders() for stat in own.stats(folder))
    return f"{shipped}-{crc32(repr((own.folders(), files)).encode()):08x}" if own.folders() else shipped


def _stats(root: Path) -> Iterator[tuple[str, int, int]]:
    for folder in own.FOLDERS:
        try:
            with os.scandir(root / folder) as found:
                for item in found:
                    if item.name.endswith(".md"):
                        stat = item.stat()
                        yield f"{folder}/{item.name}", stat.st_size, stat.st_mtime_ns
        except FileNotFoundError:
            continue
    for path in (*(root / name for name in _ALSO_READ), *map(Path(__file__).with_name, _MAKERS)):
        try:
            stat = path.stat()
        except FileNotFoundError:
            continue
        yield path.name, stat.st_size, stat.st_mtime_ns
