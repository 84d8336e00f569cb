"""`kb runs sql`: any text as SQL against a store, which stays as it was."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import report_samples

from fuzz.sample import FEED
from kb.errors import KbError
from kb.report.json import document
from kb.store.query import query
from kb.store.runs import save

PARSES = ("kb.store.query",)
_SECONDS = 0.5


@cache
def _store() -> tuple[Path, str]:
    """A store with two runs, and the hash of its file."""
    path = FEED.folder / "runs.db"
    for name in ("sample", "run"):
        save(document(report_samples.ALL[name]), db=str(path))
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


def seeds() -> list[bytes]:
    """What may be asked, and what may not."""
    return [
        text.encode()
        for text in (
            "select * from runs", "with recursive n(x) as (select 1 union all select x+1 from n) select * from n limit 9",
            "delete from runs", "attach database 'x.db' as y", "pragma writable_schema=1", "select load_extension('x')",
            "insert into operators select * from operators returning *", "vacuum into 'y.db'", "create temp table t(a)",
            "select name, sql from sqlite_master order by 1", "pragma table_info(runs)", "select zeroblob(1000000000)",
        )
    ]  # fmt: skip


def one(data: bytes) -> None:
    """Ask it."""
    path, before = _store()
    try:
        query(data.decode("utf-8", "replace"), db=str(path), rows=50, seconds=_SECONDS)
    except KbError as fault:
        assert fault.what and fault.now, fault
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before, "the store was changed"
    assert {found.name for found in path.parent.glob("*.db")} <= {"runs.db"}, "a file was written"
