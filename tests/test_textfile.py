"""Files that a user names: whatever is there, an answer at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.benchmark.report import read_floor
from kb.engine.check import read_names
from kb.engine.readers.metrics_json import read_metrics
from kb.errors import SourceError
from kb.knowledge import evaluate, search
from kb.textfile import read_text

READERS: dict[str, Callable[[Path], object]] = {
    "text": read_text,
    "metrics": read_metrics,
    "queries": lambda path: list(search.search_many(path)),
    "questions": evaluate.questions,
    "names": read_names,
    "floor": read_floor,
}


def test_text_comes_without_its_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeff转置\r\n".encode())
    assert read_text(path) == "转置\r\n"


@pytest.mark.parametrize("name", READERS)
def test_what_is_no_file_of_text_is_refused_and_never_waited_for(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "bytes").write_bytes(b"fine\n\xff\xfe\n")
    for path in (
        tmp_path / "pipe",
        tmp_path / "folder",
        tmp_path / "absent",
        tmp_path / "bytes",
        Path("/dev/zero"),
    ):
        with pytest.raises(SourceError) as caught:
            READERS[name](path)
        assert str(path) in caught.value.where
        assert caught.value.now


def test_the_place_and_the_bound_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"fine\n\xff")
    with pytest.raises(SourceError, match="byte 5") as caught:
        read_text(path)
    assert caught.value.where == f"{path}:2"
    path.write_bytes(b"x" * ((1 << 20) + 1))
    with pytest.raises(SourceError, match="larger than 1 MiB"):
        read_text(path, largest=1 << 20)
