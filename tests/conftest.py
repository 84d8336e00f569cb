"""Shared fixtures: where the real profiles lie, if they lie anywhere."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import postgres_server
import pytest
from hypothesis import settings
from running import CACHE, ROOT

MOST_WORKERS = 8
os.environ["KB_MODEL"] = "builtin"  # whatever search model whoever runs the tests has chosen
os.environ["XDG_CACHE_HOME"] = str(CACHE)
# What is ignored is inherited: a shell starts jobs in the background deaf to Ctrl-C, nohup deaf to the hang-up.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
settings.register_profile("kb", deadline=None)  # how long an example takes says how busy the machine is
settings.load_profile("kb")


def _shared(name: str) -> Path | None:
    base = Path(os.environ.get("KB_SHARED", ROOT.parent / "shared"))
    path = base / name
    return path if path.is_dir() else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """All tests run on every core, a file at a time; files that are named run here."""
    everything = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    return min(MOST_WORKERS, os.cpu_count() or 1) if everything else 0


@pytest.fixture(scope="session")
def shared_profiles() -> Path:
    """Folder of real profiles; tests that need it skip where it does not exist."""
    path = _shared("profiles")
    if path is None:
        pytest.skip("real profiles are not here: ../shared/profiles (or KB_SHARED) does not exist")
    return path


@pytest.fixture(scope="session")
def shared_facts() -> Path:
    """Folder of the source facts; tests that need it skip where it does not exist."""
    path = _shared("facts")
    if path is None:
        pytest.skip("source facts are not here: ../shared/facts (or KB_SHARED) does not exist")
    return path


@pytest.fixture(scope="session")
def postgres() -> Iterator[postgres_server.Server]:
    """A real server with pgvector, started once for all tests and stopped after them."""
    if why := postgres_server.missing():
        pytest.skip(f"no PostgreSQL to test on: {why}")
    with ExitStack() as held:
        try:
            server = held.enter_context(postgres_server.running())
        except (OSError, RuntimeError, subprocess.SubprocessError) as fault:
            pytest.skip(f"PostgreSQL does not start here: {type(fault).__name__}: {fault}"[:300])
        yield server


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--golden-update", action="store_true", help="write the golden files anew (also: KB_GOLDEN=write)"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare text with a golden file, or write the file when asked to."""
    write = request.config.getoption("--golden-update") or os.environ.get("KB_GOLDEN") == "write"

    def compare(path: Path, text: str) -> None:
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.is_file(), f"{path} is not there; `make golden` writes it"
        assert text == path.read_text(encoding="utf-8"), (
            f"{path.name} changed; `make golden`, then review the diff"
        )

    return compare
