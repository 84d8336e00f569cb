"""A sample of a reader in which one file is replaced by the fuzzer's bytes; the first byte says which one."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import mutants

from kb.engine.pipeline import Knowledge, advise_profile, open_knowledge
from kb.engine.readers import read
from kb.engine.request import Request
from kb.errors import KbError
from kb.model import Profile
from kb.report import views

SAMPLES = Path(__file__).resolve().parents[1] / "tests" / "samples"
LARGEST = 32 << 10  # bytes of a file that serves as a seed
ADVISED = 8  # one profile in so many goes on to a report and two of its views


class Feed:
    """What the inputs of all targets of a process share: a folder for them, and the opened knowledge."""

    @cached_property
    def folder(self) -> Path:
        """A private folder, gone at the end of the process."""
        made = Path(tempfile.mkdtemp(prefix="kb-fuzz-"))
        atexit.register(shutil.rmtree, made, ignore_errors=True)
        return made

    @cached_property
    def knowledge(self) -> Knowledge:
        """The shipped entries, opened once."""
        return open_knowledge()

    def file(self, name: str, data: bytes) -> Path:
        """A file of that name which holds `data`."""
        path = self.folder / name
        path.write_bytes(data)
        return path


FEED = Feed()


def refused(fault: KbError) -> None:
    """An error of `kb` says where and what now, in words that a terminal may show."""
    assert fault.what and fault.now, f"an error without remedy: {fault!r}"
    assert "\x1b" not in str(fault), f"a terminal escape in an error: {str(fault)!r}"


def profile_of(path: Path, data: bytes) -> None:
    """Read a profile, check it, and for some of them go on to the report and its views."""
    try:
        profile = read([path])
    except KbError as fault:
        refused(fault)
        return
    mutants.check(profile)
    if zlib.crc32(data) % ADVISED == 0:
        _advised(profile)


def _advised(profile: Profile) -> None:
    try:
        report = advise_profile(profile, Request(soc=None), FEED.knowledge)
    except KbError as fault:
        refused(fault)
        return
    for name in ("json", "text"):
        views.render(name, [report], lang="en", width=100, color=False)


@dataclass(frozen=True)
class _Slot:
    """A file of a sample: what is given to the reader, what is replaced, and what stood there."""

    given: Path
    path: Path
    whole: bytes


class Sample:
    """The samples of one reader."""

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def slots(self) -> list[_Slot]:
        """Every small file of every sample, copied to where it can be replaced."""
        root = FEED.folder / self.name
        shutil.copytree(SAMPLES / self.name, root, dirs_exist_ok=True)
        found = []
        for given in sorted(root.iterdir()):
            files = (
                [given] if given.is_file() else sorted(path for path in given.rglob("*") if path.is_file())
            )
            found += [_Slot(given, path, path.read_bytes()) for path in files if path.name != "README.txt"]
        return [slot for slot in found if len(slot.whole) <= LARGEST][:256]

    def seeds(self) -> list[bytes]:
        """One input a file: its number, then its bytes."""
        return [bytes([number]) + slot.whole for number, slot in enumerate(self.slots)]

    def one(self, data: bytes) -> None:
        """Read the sample with the file replaced."""
        slot = self.slots[(data[0] if data else 0) % len(self.slots)]
        slot.path.write_bytes(data[1:])
        try:
            profile_of(slot.given, data)
        finally:
            slot.path.write_bytes(slot.whole)
