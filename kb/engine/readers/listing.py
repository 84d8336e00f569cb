"""What is read and what is refused by name, as the registry has it: for `kb formats` and the page of formats."""

from __future__ import annotations

from dataclasses import dataclass

from kb.engine.readers import foreign, readers

ARCHIVES = (
    ("zip", "stored or deflated members"),
    ("tar", "plain or in gzip; ustar, GNU and pax names"),
    ("gzip", "one file"),
)


@dataclass(frozen=True, slots=True)
class Format:
    """One reader: `family` is "kernel" (captures of single kernels) or "job" (exports of whole runs).

    Of one family the reader with the highest `rank` makes the profile; those with `ADDS` tell something beside it.
    """

    name: str
    title: str
    family: str
    rank: int
    adds: bool


def formats() -> tuple[Format, ...]:
    """All readers, kernel captures first, then by falling rank."""
    found = (
        Format(reader.NAME, reader.TITLE, reader.FAMILY, reader.RANK, getattr(reader, "ADDS", False))
        for reader in readers()
    )
    return tuple(sorted(found, key=lambda item: (item.family != "kernel", -item.rank)))


def refused() -> tuple[tuple[str, str], ...]:
    """(what it looks like, what to give instead) for every kind of file that is refused by name."""
    return tuple(dict.fromkeys((name, now) for _, _, name, now in foreign.looks()))
