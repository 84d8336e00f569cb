"""Every parser has a fuzz target, and each target bears its seeds, kept inputs and damaged copies of them.

The fuzzer itself (`make fuzz`) needs the extra `fuzz`; this needs nothing.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import mutants
import pytest

from fuzz import targets
from kb.engine import readers

NAMES = targets.names()
DAMAGED, LARGEST_KEPT, MOST_KEPT = 12, 4096, 40


def test_every_reader_has_a_target() -> None:
    parsed = {module for name in NAMES for module in targets.target(name).PARSES}
    assert {getattr(reader, "__name__", "") for reader in readers.own()} <= parsed
    for module in parsed:
        import_module(module)


def test_corpora_are_small_and_belong_to_targets() -> None:
    folders = [path for path in targets.CORPUS.iterdir() if path.is_dir()]
    assert {path.name for path in folders} <= set(NAMES)
    for folder in folders:
        files = list(folder.iterdir())
        assert len(files) <= MOST_KEPT
        assert all(path.stat().st_size <= LARGEST_KEPT for path in files)


@pytest.mark.parametrize("name", NAMES)
def test_seeds_and_their_damaged_copies_are_borne(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_CONFIG", "")
    target = targets.target(name)
    seeds = target.seeds()
    assert seeds, "nothing to start from"
    step = max(1, len(seeds) // 12)
    for number, data in enumerate([*seeds[::step], *targets.kept(name)]):
        for fed in (data, *(mutants.mutant(data, 100 * number + n) for n in range(DAMAGED))):
            try:
                target.one(fed)
            except Exception as fault:
                raise AssertionError(f"{name}: {fault!r} on {fed[:2000]!r}") from fault


def test_inputs_of_no_bytes_and_of_zeros_are_borne() -> None:
    for name in NAMES:
        for data in (b"", b"\0", bytes(64)):
            targets.target(name).one(data)


def test_kept_inputs_are_named_after_what_they_hold() -> None:
    for path in Path(targets.CORPUS).rglob("*"):
        assert path.is_dir() or path.name.isascii()
