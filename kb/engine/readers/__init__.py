"""Readers: files of a profiler to one `Profile`.

Every reader is one module of this package with `NAME`, `TITLE`, `FAMILY`, `RANK`, `recognise` and `read`; it
is found by being there. A file belongs to the reader that is surest of its content; two that are equally sure
are an error that names both. Of one family ("kernel" or "job") the reader with the highest rank makes the
profile, and takes what the lower ones recognised beside it as companions. After it, every module that has
`contribute` and files in the bundle adds what they tell besides; `ADDS` says so in the list of formats.
An archive is read as the folder it unpacks to. Installed packages add readers by entry points in the group `kb.readers`.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from kb.engine.readers import added, archive, foreign
from kb.engine.readers.metrics_json import read_metrics
from kb.engine.readers.source import Bundle, Looking, Progress, Source, find, is_folder, open_source
from kb.errors import KbError, SourceError
from kb.model import Notice, Profile

__all__ = ["Reader", "read", "read_metrics", "reader_of", "readers"]


class Companion(Protocol):
    """A module that recognises a file which is no profile by itself, but tells readers something."""

    NAME: str

    def recognise(self, source: Source) -> int: ...


class Reader(Companion, Protocol):
    """What a reader module has.

    `recognise` says how sure it is of a file, 0 to 100, by its head alone. `read` makes the profile of
    everything in the bundle; it raises SourceError for what cannot be read and nothing else.
    """

    TITLE: str
    FAMILY: str
    RANK: int

    def read(self, bundle: Bundle, soc: str | None = None) -> Profile: ...  # noqa: D102


class Contributor(Companion, Protocol):
    """A module whose files add to a profile that another reader of the same run made."""

    def contribute(self, profile: Profile, bundle: Bundle) -> Profile: ...


def readers() -> tuple[Reader, ...]:
    """All readers, by name, those of plugins last."""
    return (*own(), *added.readers())


def own() -> tuple[Reader, ...]:
    """The readers of `kb` itself, by name."""
    return tuple(cast(Reader, module) for module in _modules() if hasattr(module, "read"))


@cache
def _modules() -> tuple[Companion, ...]:
    modules = [import_module(f"{__name__}.{item.name}") for item in pkgutil.iter_modules(__path__)]
    found = [cast(Companion, module) for module in modules if hasattr(module, "recognise")]
    return tuple(sorted(found, key=lambda module: module.NAME))


def reader_of(path: Path) -> str | None:
    """Name of the reader that a file belongs to by its content; None for what is no profile by itself.

    Raises:
        SourceError: the file cannot be opened.
    """
    owner = _owner_of(open_source(path), added.readers())
    return owner.NAME if owner is not None and hasattr(owner, "read") else None


def read(
    paths: Sequence[Path],
    *,
    soc: str | None = None,
    progress: Progress | None = None,
    within: Path | None = None,
    looking: Looking | None = None,
) -> Profile:
    """The profile of one run: files, archives, or folders walked with bounds; several paths are one run (ranks
    of a job).

    Args:
        paths: what the user gave.
        soc: SoC name the user stated; the profile's own word wins.
        progress: called now and then while a large table is read.
        within: folder that files are named relative to, where it is not what the user gave.
        looking: called now and then while files are looked for.

    Raises:
        SourceError: what could not be read, where, and what to give instead.
        UsageError: `soc` is no known chip.
    """
    given = [Path(path) for path in paths]
    if not given:
        raise SourceError("nothing was given to read", now="give a file or a folder")
    with ExitStack() as stack:
        shown: dict[Path, Path] = {}  # folder of an unpacked archive -> the archive
        notices: list[Notice] = []
        roots = [_root(path, stack, shown, notices) for path in given]
        try:
            sources, left_out = find(roots, looking)
            notices.extend(left_out)
            profile = _read(given, roots, sources, notices, soc, progress, within)
        except KbError as fault:
            if not shown:
                raise
            raise type(fault)(fault.what, where=_shown(fault.where, shown), now=fault.now) from fault
        if not shown:
            return profile
        renamed = tuple(replace(notice, file=_shown(notice.file, shown)) for notice in profile.notices)
        return replace(profile, notices=renamed)


def _root(path: Path, stack: ExitStack, shown: dict[Path, Path], notices: list[Notice]) -> Path:
    """The path itself, or for an archive the folder that it is unpacked to while it is read."""
    if is_folder(path):
        return path
    source = open_source(path)
    if not archive.is_archive(source):
        return path
    folder, left_out = stack.enter_context(archive.unpacked(source))
    shown[folder] = path
    notices.extend(left_out)
    return folder


def _shown(text: str, shown: dict[Path, Path]) -> str:
    """Places in an unpacked archive as places in the archive."""
    for folder, path in shown.items():
        text = text.replace(str(folder), str(path))
    return text


def _read(
    given: Sequence[Path],
    roots: Sequence[Path],
    sources: Sequence[Source],
    notices: list[Notice],
    soc: str | None,
    progress: Progress | None,
    within: Path | None,
) -> Profile:
    files: dict[str, list[Source]] = {}
    theirs = added.readers()  # once: whether plugins are on is a setting that is read from its file
    for source in sources:
        owner = _owner_of(source, theirs)
        if owner is not None:
            files.setdefault(owner.NAME, []).append(source)
        elif source.path in roots:
            raise foreign.refusal(source)
        elif not source.size:
            notices.append(Notice("file-empty", "the file is empty (0 bytes)", str(source.path)))
        elif wide := foreign.wide_text(source):
            text = f"text in {wide} was not read: `iconv -f {wide} -t UTF-8 FILE > NEW` makes it UTF-8"
            notices.append(Notice("file-skipped", text, str(source.path)))
        elif archive.is_archive(source):
            notices.append(Notice("archive-skipped", "an archive inside was not opened", str(source.path)))
    present = [reader for reader in own() if reader.NAME in files]
    present = present or [reader for reader in added.readers() if reader.NAME in files]
    if not present:
        cut = any(notice.code == "too-many-files" for notice in notices)
        raise _nothing(roots, sources, cut=cut)
    main = _main(present, files)
    bundle = Bundle(
        target=" ".join(str(path) for path in given),
        files={name: tuple(found) for name, found in files.items()},
        notices=tuple(notices),
        roots=tuple(roots) if within is None else (within,),
        progress=progress,
    )
    profile = main.read(bundle, soc)
    for module in _modules():
        if module.NAME in files and module.NAME != main.NAME and hasattr(module, "contribute"):
            profile = _with(cast(Contributor, module), profile, bundle)
    return profile


def _with(module: Contributor, profile: Profile, bundle: Bundle) -> Profile:
    """The profile with what a contributor adds; files it cannot read cost only themselves."""
    try:
        return module.contribute(profile, bundle)
    except SourceError as fault:
        label = bundle.label(bundle.of(module.NAME)[0].path)
        return replace(profile, notices=(*profile.notices, Notice("file-skipped", fault.what, label)))


def _owner_of(source: Source, theirs: Sequence[Companion]) -> Companion | None:
    """Who a file belongs to; `theirs`, the readers of plugins, are asked only about what none of ours knows."""
    return _surest(source, _modules()) or _surest(source, theirs)


def _surest(source: Source, modules: Sequence[Companion]) -> Companion | None:
    claims = [(module.recognise(source), module) for module in modules]
    best = max((sure for sure, _ in claims), default=0)
    if best <= 0:
        return None
    winners = [module for sure, module in claims if sure == best]
    if len(winners) > 1:
        names = " and ".join(module.NAME for module in winners)
        raise SourceError(
            f"the readers {names} both claim this file",
            where=str(source.path),
            now="report this file's first line as a fault of kb",
        )
    return winners[0]


def _main(present: Sequence[Reader], files: dict[str, list[Source]]) -> Reader:
    """The reader that makes the profile: the highest rank; kernel captures and job exports do not mix."""
    best = {}
    for reader in sorted(present, key=lambda reader: reader.RANK):
        best[reader.FAMILY] = reader
    if len(best) > 1:
        examples = "; ".join(f"{reader.NAME}: {files[reader.NAME][0].path}" for reader in best.values())
        raise SourceError(
            f"kernel captures and job exports lie together ({examples})",
            where=str(files[next(iter(best.values())).NAME][0].path),
            now="give the folder or file of one of them",
        )
    return next(iter(best.values()))


def _nothing(given: Sequence[Path], sources: Sequence[Source], *, cut: bool) -> SourceError:
    """Why a folder held nothing to read: empty, only empty files, or files of other kinds, which are
    named. `cut` says that there are more files than are looked at.
    """
    where = " ".join(str(path) for path in given)
    if cut:
        text = f"no profile among the first {len(sources)} files, and no more are looked at"
        return SourceError(text, where=where, now="give the folder of the profiler run itself")
    if not sources:
        return SourceError("the folder holds no file", where=where, now="give the folder of a profiler run")
    if not any(source.size for source in sources):
        text = f"every file is empty (0 bytes, {len(sources)} files)"
        return SourceError(text, where=where, now="the export was cut short: export the profile again")
    if len(sources) == 1:
        return foreign.refusal(sources[0])
    told = ((source, foreign.describe(source)) for source in sources)
    # That a folder holds programs, among much else, says nothing of it: it is no program to run.
    known = [(source, found) for source, found in told if found and found[0] != foreign.PROGRAM]
    if known:
        kinds = list(dict.fromkeys(found[0] for _, found in known))
        text = "no profile that is read, only " + "; ".join(kinds[:4]) + ("; ..." if len(kinds) > 4 else "")
        return SourceError(text, where=where, now=known[0][1][1])
    return SourceError(
        f"no profile among {len(sources)} files", where=where, now="`kb formats` lists what is read"
    )
