"""Thousands of damaged copies of the samples: a profile that makes sense, or an error with place and remedy."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path

import mutants
import pytest
from running import ROOT

from kb.engine.readers import job, read, readers
from kb.errors import KbError

SAMPLES = ROOT / "tests" / "samples"
FOUND = mutants.samples(SAMPLES, [reader.NAME for reader in readers()])
EACH = 60
LONG = 600


def damaged(sample: Path, seeds: range, folder: Path) -> Counter[str]:
    """What became of the mutants of a sample; a fault names its seed."""
    outcomes = Counter[str]()
    for seed in seeds:
        inner = folder / str(seed)
        inner.mkdir()
        try:
            outcomes[mutants.outcome(mutants.place(sample, seed, inner))] += 1
        except Exception as fault:
            raise AssertionError(f"mutants.place({sample}, {seed}): {fault!r}") from fault
    return outcomes


def test_there_are_enough() -> None:
    assert len(FOUND) * EACH >= 2000
    assert {path.relative_to(SAMPLES).parts[0] for path in FOUND} == {reader.NAME for reader in readers()}


@pytest.mark.parametrize("sample", FOUND, ids=lambda path: path.relative_to(SAMPLES).as_posix())
def test_mutants(tmp_path: Path, sample: Path) -> None:
    place = FOUND.index(sample)
    outcomes = damaged(sample, range(place * 1000, place * 1000 + EACH), tmp_path)
    assert sum(outcomes.values()) == EACH


BLOCKWISE = [path for path in FOUND if path.relative_to(SAMPLES).parts[0] in ("kernel_details", "op_summary")]


def facts(path: Path) -> object:
    """Operators and notices of a file, or its error as text."""
    try:
        profile = read([path])
    except KbError as fault:
        return str(fault)
    operators = sorted(
        (op.type or "", op.core, op.count, round(op.total_us, 4), len(op.counters))
        for op in profile.operators
    )
    return operators, sorted((notice.code, notice.text) for notice in profile.notices)


@pytest.mark.parametrize("sample", BLOCKWISE, ids=lambda path: path.relative_to(SAMPLES).as_posix())
def test_mutants_by_lines_and_by_blocks(
    tmp_path: Path, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large tables are read another way, to the same answer, whatever is wrong with them."""
    for seed in range(EACH // 2):
        inner = tmp_path / str(seed)
        inner.mkdir()
        path = mutants.place(sample, seed, inner)
        monkeypatch.setattr(job, "LARGE", 1 << 60)
        by_lines = facts(path)
        monkeypatch.setattr(job, "LARGE", 0)
        assert facts(path) == by_lines, f"mutants.place({sample}, {seed})"


@pytest.mark.long
@pytest.mark.parametrize("sample", FOUND, ids=lambda path: path.relative_to(SAMPLES).as_posix())
def test_many_mutants(tmp_path: Path, sample: Path) -> None:
    """New ones every day."""
    start = int(time.time() // 86_400) * 1_000_000
    assert sum(damaged(sample, range(start, start + LONG), tmp_path).values()) == LONG


def test_every_damage_changes_something() -> None:
    data = (SAMPLES / "op_summary" / "odd-level0.csv").read_bytes()
    for damage in mutants.DAMAGES:
        changed = 0
        for seed in range(20):
            copy = bytearray(data)
            damage(copy, random.Random(seed))
            changed += bytes(copy) != data
        assert changed > 10, damage.__name__


def test_a_seed_makes_the_same_mutant() -> None:
    data = (SAMPLES / "op_summary" / "odd-level0.csv").read_bytes()
    assert mutants.mutant(data, 5) == mutants.mutant(data, 5) != mutants.mutant(data, 6)
