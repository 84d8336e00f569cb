"""What PostgreSQL and its driver complain of, as errors that say what to do. No message shows a password."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kb.errors import SourceError, UsageError

if TYPE_CHECKING:
    import psycopg

    from kb.postgres.address import Address

# By the state that the server gives, else by words of the driver, which has none when it cannot connect.
_STATES = {
    "42501": (
        "this role may not do that",
        "Ask whoever owns the database; `kb db grant` gives the right to read.",
    ),
    "25006": ("the database takes no writing here", "Give the address of the server that takes writes."),
    "53100": ("the server's disk is full", "Make room there; what was kept before is whole."),
    "53300": ("the server has no connection left", "Try again later."),
    "57P01": ("the server was stopped", "Try again when it runs; what was not confirmed is not kept."),
    "57P02": ("the server crashed", "Try again when it runs; what was not confirmed is not kept."),
    "57P03": ("the server is starting or stopping", "Try again in a moment."),
    "57014": (
        "the server stopped the statement, which took too long",
        "Ask for less, or allow it more time.",
    ),
    "55P03": ("another kb is writing", "Try again."),
    "40P01": ("another kb is writing the same", "Try again."),
    "40001": ("another kb is writing the same", "Try again."),
    "42P01": ("a table is missing", "See `kb db status`."),
    "3F000": ("this database holds no store of kb", "See `kb db status`."),
}
_WORDS = (
    (("password authentication failed", "no password supplied"), "the server refused the password",
     "Correct it in the address, PGPASSWORD or ~/.pgpass."),
    (("no pg_hba.conf entry", "authentication failed"), "the server refused this user from here",
     "Ask whoever runs the server to let this user in."),
    (("does not exist",), "the server has no such database or user", "Correct the address, or create it first."),
    (("could not translate host name", "failed to resolve", "name or service not known"), "there is no such host",
     "Correct the address."),
    (("timeout expired", "timed out"), "the server does not answer", "See that it runs and can be reached from here."),
    (("is starting up", "shutting down"), "the server is starting or stopping", "Try again in a moment."),
    (("too many connections", "connection slots"), "the server has no connection left", "Try again later."),
    (("connection refused", "no such file or directory", "could not connect", "is the server running"),
     "no server answers there", "See that it runs, and correct the address."),
)  # fmt: skip


class ServerError(SourceError):
    """A fault of the server or of the way to it; `state` is its SQLSTATE where it has one, `said` what it said."""

    def __init__(self, what: str, *, where: str, now: str, state: str | None, said: str) -> None:
        super().__init__(what, where=where, now=now)
        self.state, self.said = state, said


@contextmanager
def faults(place: Address) -> Iterator[None]:
    """The driver's errors as `ServerError`."""
    import psycopg  # noqa: PLC0415 - an extra, loaded where a server is used

    try:
        yield
    except psycopg.Error as fault:
        raise error(fault, place) from None


def error(fault: psycopg.Error, place: Address) -> ServerError:
    """One error of the driver's in plain words."""
    said = " ".join(place.scrubbed(str(fault)).split())[:300]
    what, now = _found(fault.sqlstate, said.casefold())
    told = said if what == said else f"{what} ({said})"
    text = f"the database cannot be used: {told}"
    return ServerError(text, where=str(place), now=now, state=fault.sqlstate, said=said)


def _found(state: str | None, said: str) -> tuple[str, str]:
    if state in _STATES:
        return _STATES[state]
    if state is None:
        for words, what, now in _WORDS:
            if any(word in said for word in words):
                return what, now
        return "the connection failed or was lost", "See that the server runs, and try again."
    return "the server refused", "See the server's log, and `kb db status`."


def no_driver(where: str) -> UsageError:
    """The driver is an extra."""
    return UsageError(
        "PostgreSQL needs psycopg, which is not installed",
        where=where,
        now="pip install 'ascend-kb[postgres]', or give the path of a SQLite file.",
    )
