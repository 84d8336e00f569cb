"""Where the search index lies, and that it is there, whole and fresh before anyone reads it.

A wheel carries `data/index.db`, read unless a fresh one lies in the cache (made by `kb index`, or because that one is
damaged). A checkout builds one into the user's cache (`KB_INDEX`, else `$XDG_CACHE_HOME/kb`)
and again when the entry files have changed; unchanged entries keep their vectors. Where nothing can be written, a
private temporary folder serves, else memory. A team's own entries (`KB_DATA`) are in it too; what had to be left out
of them is told on stderr whenever the index is opened.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from kb import settings, shipped
from kb.errors import KnowledgeError
from kb.guarded import defend
from kb.knowledge import chosen, freshness, own
from kb.knowledge.reading import Index
from kb.knowledge.turn import in_turn

if TYPE_CHECKING:
    from kb.knowledge.embed import Encoder
    from kb.model import Entry

MEMORY = ":memory:"  # where an index lies that no file holds
_LOCK_SECONDS = 60.0
_SAY_AFTER_SECONDS = 1.0
_LEFT_SECONDS = 3600.0  # without a change, after which a part of an index is nobody's
_REMEMBERED = 5000  # entries, some 10 KB each
_TOLD = 5  # faults of a team's entries told one by one


_open: dict[tuple[str, str, str, str, str], Index] = {}


def index(model: str = "") -> Index:
    """The index of the shipped knowledge and the team's own, opened once a process; built first where needed.

    Args:
        model: builtin, semantic or own; else the one in use (`kb.knowledge.chosen`).

    Raises:
        UsageError: there is no such model.
        KnowledgeError: the entries, the model or the file that `KB_INDEX` names are at fault.
    """
    named, key = _key(model)
    if key in _open and not _open[key].current():
        _open.pop(key).db.close()
    if key not in _open:
        _open[key] = _told(_team(key[4], key[2]) or _find(named, key[2]))
    return _open[key]


def local(model: str = "") -> Index:
    """The index of the knowledge that is installed here, and the user's own, whatever a team's database holds."""
    named, key = _key(model)
    key = (*key[:4], "")
    if key not in _open:
        _open[key] = _told(_find(named, key[2]))
    return _open[key]


def _team(server: str, model: str) -> Index | None:
    """The index of a team's database; None where no server is used, or it holds no knowledge yet."""
    if not server:
        return None
    from kb.knowledge import team
    from kb.postgres.address import address

    return team.opened(address(server, where="KB_DB"), chosen.encoder(model))


def rebuilt(model: str = "", *, progress: Callable[[int], None] | None = None) -> Index:
    """The index made anew: after one that proved damaged, or because somebody asks for it.

    The one that came with the installation stays as it is; from now on the fresh one in the cache is read in its place.
    """
    named, key = _key(model)
    broken = _open.pop(key, None)
    if broken is not None:
        broken.db.close()
    _open[key] = _told(_cached(named, key[2], chosen.encoder(key[2]), anew=True, progress=progress))
    return _open[key]


def ready(encoder: Encoder, model: str, progress: Callable[[int], None] | None = None) -> Index:
    """The index for a model that is about to be chosen, made where it is missing; the one in use stays as it is."""
    named, _ = _key(chosen.BUILTIN)
    return _cached(named, model, encoder, progress=progress)


def _key(model: str) -> tuple[Path | None, tuple[str, str, str, str, str]]:
    named = settings.value("index")
    packs = os.pathsep.join(map(str, own.packs()))
    place = settings.value("db")
    server = place if "://" in place and not named else ""  # an index that is named is meant
    key = (named, settings.value("data"), chosen.name(model), packs, server)
    return (Path(named).expanduser() if named else None), key


def _told(found: Index) -> Index:
    for line in found.left_out[:_TOLD]:
        print(f"kb: an entry was left out: {line} (`kb validate` tells more)", file=sys.stderr)
    if len(found.left_out) > _TOLD:
        print(f"kb: and {len(found.left_out) - _TOLD} more faults in your entries", file=sys.stderr)
    return found


def close() -> None:
    """Forget all open indexes."""
    while _open:
        _open.popitem()[1].db.close()


def opened(path: Path, embedder: Encoder) -> Index:
    """Open an index file; see `Index` for the errors."""
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
    try:
        return Index(defend(db), embedder, str(path))
    except BaseException:
        db.close()
        raise


def in_memory(entries: Sequence[Entry], embedder: Encoder, left_out: Sequence[str] = ()) -> Index:
    """An index of these entries that no file holds."""
    from kb.knowledge import index as builder

    db = sqlite3.connect(MEMORY, check_same_thread=False)
    db.execute("PRAGMA temp_store = MEMORY")  # the disk may be full; SQLite would spill its own tables to it
    builder.fill(db, entries, embedder, left_out=left_out)
    return Index(db, embedder, MEMORY)


@in_turn
def load_entries(use: Index | None = None) -> dict[str, Entry]:
    """All entries by id, in the order of the index: JSON only, no YAML.

    Entries of an index of the usual size are made once: a server is asked for them with every report.
    """
    from kb.knowledge import record

    known = (index(chosen.BUILTIN) if use is None else use).known
    if known:
        return dict(known)
    found = {}
    for told in _records("SELECT json FROM entry ORDER BY n", (), use):
        if told["file"]:
            told["file"] = str(shipped.root() / told["file"])  # an absolute path stays as it is
        found[told["id"]] = record.entry(told)
    source = index(chosen.BUILTIN) if use is None else use  # another one where it had to be made anew
    if len(found) <= _REMEMBERED:
        source.known = dict(found)
    return found


@in_turn
def record_of(entry: str, use: Index | None = None) -> dict[str, Any] | None:
    """The entry of that id as the index holds it, None where there is none."""
    found = _records("SELECT json FROM entry WHERE id = ?", (entry,), use)
    return found[0] if found else None


def _records(query: str, values: tuple[str, ...], use: Index | None) -> list[dict[str, Any]]:
    """Entries as the index holds them; an index of ours that proves damaged behind its head is made anew, once."""

    def read(source: Index) -> list[dict[str, Any]]:
        return [json.loads(text) for (text,) in source.db.execute(query, values)]

    if use is not None:
        return read(use)
    try:  # the entries are the same with every model, and this one is always there
        return read(index(chosen.BUILTIN))
    except (sqlite3.DatabaseError, ValueError):
        return read(rebuilt(chosen.BUILTIN))


@in_turn
def version() -> str:
    """Version of the shipped knowledge, such as 2026.11."""
    return shipped.version()


def _find(named: Path | None, model: str) -> Index:
    encoder = chosen.encoder(model)
    if named is None and model == chosen.BUILTIN and not own.folders():
        found = _made_instead(encoder) or _usable(
            shipped.root() / "index.db", encoder, freshness.fingerprint(shipped.root(), times=False)
        )
        if found:
            return found
    return _cached(named, model, encoder)


def _made_instead(encoder: Encoder) -> Index | None:
    """The fresh index in the cache, where one is: it was asked for, or the one that a wheel carries is damaged."""
    try:
        path = _cache_folder() / _name("")
    except OSError:
        return None
    return _usable(path, encoder, freshness.mark(shipped.root())) if path.is_file() else None


def _usable(path: Path, embedder: Encoder, mark: str) -> Index | None:
    """The index of that file if it is whole, of this model and fresh."""
    if not path.is_file():
        return None
    try:
        found = opened(path, embedder)
    except (sqlite3.Error, ValueError, KeyError, TypeError, KnowledgeError):
        return None
    if found.fingerprint == mark:
        return found
    found.db.close()
    return None


def _cached(
    named: Path | None,
    model: str,
    embedder: Encoder,
    *,
    anew: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Index:
    root = shipped.root()
    mark = freshness.mark(root)
    if named is not None and named.exists() and not _is_index(named):
        raise KnowledgeError(
            "the file that KB_INDEX names is no search index, or a damaged one",
            where=str(named),
            now="delete it or name another file",
        )
    for place in _places(named, model, embedder):
        try:
            path = place()
            found = None if anew else _usable(path, embedder, mark)
            return found or _made(path, embedder, mark, anew=anew, progress=progress)
        except (OSError, sqlite3.OperationalError) as fault:  # SQLite has its own error for a full disk
            if named is not None:
                raise KnowledgeError(
                    f"the search index cannot be written: {getattr(fault, 'strerror', None) or fault}",
                    where=str(named),
                    now="let KB_INDEX name a file in a folder you may write to and that has room",
                ) from fault
    from kb.knowledge.merged import merged

    entries, left_out = merged(root)
    return in_memory(entries, embedder, left_out)


def _places(named: Path | None, model: str, embedder: Encoder) -> list[Callable[[], Path]]:
    """Where the index may lie, best first; each model and each checkout has its own."""
    other = "" if model == chosen.BUILTIN else f"-{embedder.version}"
    if named is not None:
        return [lambda: named.with_name(f"{named.stem}{other}{named.suffix}")]
    name = _name(other)
    return [lambda: _cache_folder() / name, lambda: _own_temporary() / name]


def _name(other: str) -> str:
    folders = ":".join(map(str, (shipped.root(), *own.folders())))
    return f"index-{crc32(folders.encode()):08x}{other}.db"


def _made(
    path: Path, embedder: Encoder, mark: str, *, anew: bool, progress: Callable[[int], None] | None = None
) -> Index:
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path):
        _sweep(path)
        found = None if anew else _usable(path, embedder, mark)  # another process may just have made it
        if found is None:
            _build(path, embedder, mark, progress)
            found = opened(path, embedder)
        return found


def _sweep(path: Path) -> None:
    """Delete what builders that were killed have left beside it; one at work has written within the hour."""
    for part in path.parent.glob(f".{path.name}.*"):
        with suppress(OSError):  # another one was faster, or it is somebody else's
            if time.time() - part.stat().st_mtime > _LEFT_SECONDS:
                part.unlink()


def _build(path: Path, embedder: Encoder, mark: str, progress: Callable[[int], None] | None) -> None:
    import threading

    from kb.knowledge import index as builder
    from kb.knowledge.merged import merged

    text = f"kb: building the search index {path} (once, and after entries changed)"
    notice = threading.Timer(_SAY_AFTER_SECONDS, print, (text,), {"file": sys.stderr, "flush": True})
    notice.daemon = True
    notice.start()
    try:
        entries, left_out = merged(shipped.root())
        builder.build(
            entries, path, embedder, fingerprint=mark, old=path, left_out=left_out, progress=progress
        )
    finally:
        notice.cancel()


def _is_index(path: Path) -> bool:
    try:
        db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            return bool(db.execute("SELECT 1 FROM meta WHERE key = 'model_version'").fetchone())
        finally:
            db.close()
    except sqlite3.Error:
        return False


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "kb"  # noqa: PTH117
    except RuntimeError as fault:  # no home folder is known
        raise OSError(str(fault)) from fault


def _own_temporary() -> Path:
    """A folder below the temporary one that only this user can write; refused when somebody else made it."""
    import tempfile

    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"kb-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    stat = folder.lstat()
    if folder.is_symlink() or (hasattr(os, "getuid") and (stat.st_uid != user or stat.st_mode & 0o022)):
        raise OSError(f"{folder} belongs to somebody else")
    return folder


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one process build at a time; after a minute go on all the same, since files are replaced whole."""
    with path.with_name(path.name + ".lock").open("wb") as handle:
        try:
            import fcntl
        except ImportError:  # no such locks on this system: at worst two build the same
            yield
            return
        until = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    break
                time.sleep(0.05)
        yield
