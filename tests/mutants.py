"""Mutants: copies of files damaged as disks, editors, killed exports and attackers damage them; each from a seed.

Run as a program it makes mutants until the time is up and prints how many: `python tests/mutants.py 600`.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

Damage = Callable[[bytearray, random.Random], None]

_SPLICES = (
    b'"', b",", b"\n", b"\r", b"\0", b"\t", b"\xff\xfe", b"\xef\xbb\xbf", b"N/A", b"-1", b"1e999", b"nan", b"{", b"[",
    b"]}", b"\\u", b"99999999999999999999", b"=cmd|' /C calc'!A0", b"\x1b[2J\x1b]0;x\x07", b"../../etc/passwd",
    "\u202e\ud7ff\U0001f600".encode(),
)  # fmt: skip


def _span(data: bytearray, dice: random.Random) -> tuple[int, int]:
    start = dice.randrange(len(data) + 1)
    return start, min(len(data), start + dice.choice((1, 2, 8, 40, 400, 4000)))


def cut_end(data: bytearray, dice: random.Random) -> None:
    """As a killed export leaves it."""
    del data[dice.randrange(len(data) + 1) :]


def cut_out(data: bytearray, dice: random.Random) -> None:
    start, end = _span(data, dice)
    del data[start:end]


def scramble(data: bytearray, dice: random.Random) -> None:
    start, end = _span(data, dice)
    data[start:end] = dice.randbytes(end - start)


def repeat(data: bytearray, dice: random.Random) -> None:
    start, end = _span(data, dice)
    data[start:start] = data[start:end]


def swap(data: bytearray, dice: random.Random) -> None:
    """Two lines change places."""
    lines = data.split(b"\n")
    one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    data[:] = b"\n".join(lines)


def splice(data: bytearray, dice: random.Random) -> None:
    start, end = _span(data, dice)
    data[start : end if dice.random() < 0.5 else start] = dice.choice(_SPLICES)


def flip(data: bytearray, dice: random.Random) -> None:
    if data:
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)


def move_column(data: bytearray, dice: random.Random) -> None:
    """Two cells of the header change places, so that every column below means another."""
    head, mark, rest = bytes(data).partition(b"\n")
    cells = head.split(b",")
    one, other = dice.randrange(len(cells)), dice.randrange(len(cells))
    cells[one], cells[other] = cells[other], cells[one]
    data[:] = b",".join(cells) + mark + rest


def renumber(data: bytearray, dice: random.Random) -> None:
    """One number becomes an extreme one."""
    places = [n for n in range(len(data)) if 48 <= data[n] < 58 and (n == 0 or not 48 <= data[n - 1] < 58)]
    if places:
        start = dice.choice(places)
        end = start
        while end < len(data) and 48 <= data[end] < 58:
            end += 1
        data[start:end] = dice.choice(
            (b"0", b"-7", b"4294967295", b"9223372036854775808", b"1e308", b"0x10", b"", b"0.0000001")
        )


DAMAGES: tuple[Damage, ...] = (
    cut_end, cut_out, scramble, repeat, swap, splice, flip, move_column, renumber,
)  # fmt: skip


def mutant(data: bytes, seed: int) -> bytes:
    """The copy of `data` that a seed makes, with one to four damages."""
    dice = random.Random(seed)
    out = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        dice.choice(DAMAGES)(out, dice)
    return bytes(out)


def place(sample: Path, seed: int, folder: Path) -> Path:
    """A copy of a sample (a file or a folder) with one of its files damaged; what to give to a reader."""
    dice = random.Random(seed)
    if sample.is_file():
        target = folder / sample.name
        target.write_bytes(mutant(sample.read_bytes(), seed))
        return target
    files = sorted(path for path in sample.rglob("*") if path.is_file())
    chosen = dice.choice(files)
    for path in files:
        target = folder / path.relative_to(sample)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(mutant(path.read_bytes(), seed) if path == chosen else path.read_bytes())
    return folder


def samples(root: Path, readers: Sequence[str]) -> list[Path]:
    """Every sample of the readers, files and folders."""
    return sorted(
        path
        for name in readers
        for path in (root / name).iterdir()
        if path.name != "README.txt" and not path.name.startswith("broken")
    )


def outcome(path: Path) -> str:
    """What became of a mutant: the reader, or the kind of refusal; anything else is a fault and is raised."""
    from kb.engine.readers import read
    from kb.errors import KbError

    try:
        profile = read([path])
    except KbError as fault:
        assert fault.where and fault.now, f"an error without place or remedy: {fault!r}"
        return type(fault).__name__
    check(profile)
    return profile.source


def check(profile: object) -> None:
    """What holds of every profile, however damaged its file: numbers are finite, words are printable."""
    from kb.engine.readers.columns import LARGEST, LONGEST_US
    from kb.model import Measure, Profile

    assert isinstance(profile, Profile)
    for op in profile.operators:
        assert op.count > 0 and op.name.isprintable() and (op.type is None or op.type.isprintable())
        assert 0 <= op.duration.value < 10 * LONGEST_US and 0 <= op.total_us < float("inf")
        for spread in (op.duration.low, op.duration.high):
            assert spread is None or 0 <= spread < LONGEST_US
        assert op.clock_mhz is None or 0 < op.clock_mhz < 1e6
        assert op.block_dim is None or 0 < op.block_dim < 1 << 53
        values = [value for core in op.cores for value in core.values.values()]
        values += [measure.value for measure in op.counters.values()]
        assert all(abs(value) < LARGEST for value in values)
    for measure in (getattr(profile.times, name) for name in profile.times.__slots__):
        assert not isinstance(measure, Measure) or 0 <= measure.value < LARGEST
    assert all(notice.text.isprintable() for notice in profile.notices), profile.notices


def main(seconds: float) -> int:
    """Mutants until the time is up; 1 when one of them was handled wrongly."""
    root = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(root), str(root / "tests")]
    from kb.engine.readers import readers

    found = samples(root / "tests" / "samples", [reader.NAME for reader in readers()])
    started, seed, counts, wrong = time.monotonic(), random.randrange(1 << 30), Counter[str](), 0
    while time.monotonic() - started < seconds:
        seed += 1
        sample = found[seed % len(found)]
        with tempfile.TemporaryDirectory() as folder:
            try:
                counts[outcome(place(sample, seed, Path(folder)))] += 1
            except Exception:
                wrong += 1
                print(f"seed {seed} of {sample}:")
                traceback.print_exc()
    print(f"{sum(counts.values())} mutants, {wrong} handled wrongly:", dict(counts.most_common()))
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 60))
