"""The run store on a server: opened for writing, for reading, or so that nothing can be written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kb.errors import SourceError
from kb.postgres.address import Address
from kb.postgres.session import Session, opened
from kb.store import migrations


def steps_seen(session: Session) -> set[str] | None:
    """Steps of the schema that the database has; None where it has no store.

    Raises:
        SourceError: the role may not look.
    """
    if not session.execute("select 1 from pg_namespace where nspname = 'kb'").fetchone():
        return None
    if not session.execute("select to_regclass('kb.migrations') is not null").fetchone()[0]:
        return None
    return {name for (name,) in session.execute("select name from migrations").fetchall()}


@contextmanager
def writing(place: Address) -> Iterator[Session]:
    """The store open for writing; made where the database has none. An older one is left as it is.

    Others may still use the older schema, so bringing it up to date is a command of its own.

    Raises:
        SourceError: it cannot be reached, made or understood, or its schema is not this version's.
    """
    with opened(place) as session:
        seen = steps_seen(session)
        if seen is None:
            migrations.migrate(session)
        else:
            _same(seen, place)
        yield session


@contextmanager
def reading(place: Address) -> Iterator[Session | None]:
    """The store, or None where the database has none.

    Raises:
        SourceError: it cannot be reached or understood, or its schema is not this version's.
    """
    with opened(place) as session:
        seen = steps_seen(session)
        if seen is not None:
            _same(seen, place)
        yield session if seen is not None else None


@contextmanager
def looking(place: Address, seconds: float | None = None) -> Iterator[Session | None]:
    """A transaction that cannot write, each statement at most so long; None where there is no store.

    Raises:
        SourceError: it cannot be reached or understood, or its schema is not this version's.
    """
    with reading(place) as session:
        if session is not None:
            session.execute("begin isolation level repeatable read read only")
            if seconds is not None:
                session.execute(
                    "select set_config('statement_timeout', ?, true)", [f"{max(1, int(seconds * 1000))}ms"]
                )
            # The first look fixes the transaction: from here on it cannot be made one that writes.
            session.execute("select 1 from migrations limit 1").fetchone()
        yield session


def _same(seen: set[str], place: Address) -> None:
    try:
        missing = migrations.unseen(seen)
    except SourceError as fault:
        raise SourceError(
            fault.what, where=str(place), now="Update kb, or give another database with --db."
        ) from None
    if missing:
        raise SourceError(
            f"the store is of an older kb (it lacks step {missing[0][0]})",
            where=str(place),
            now="Once everybody has this version, its owner runs: kb db migrate",
        )
