"""JSON as a stream: the same values as the standard module gives, prefixes of cut files, flat memory."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.engine.readers import json_stream
from kb.engine.readers.json_stream import Stopped, values

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.text(max_size=8)
    | st.floats(allow_nan=False)
)
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)
ON_DISK = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def expected(value: Any, depth: int, keys: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    """What the stream should give, from the decoded document."""
    if depth and isinstance(value, list):
        return [found for item in value for found in expected(item, depth - 1, (*keys, ""))]
    if depth and isinstance(value, dict):
        return [found for name, item in value.items() for found in expected(item, depth - 1, (*keys, name))]
    return [(keys, value)]


@ON_DISK
@given(
    document=documents, depth=st.integers(0, 4), indent=st.sampled_from([None, 2]), chunk=st.integers(1, 40)
)
def test_the_values_of_a_document(
    tmp_path: Path, document: Any, depth: int, indent: int | None, chunk: int
) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps(document, indent=indent), encoding="utf-8")
    stopped = Stopped()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK", chunk)
        assert list(values(path, depth, stopped)) == expected(document, depth)
    assert not stopped


@ON_DISK
@given(document=st.lists(documents, min_size=1, max_size=5), cut=st.integers(0, 10_000))
def test_a_cut_document_gives_a_prefix(tmp_path: Path, document: list[Any], cut: int) -> None:
    text = json.dumps(document, ensure_ascii=True)
    path = tmp_path / "f.json"
    path.write_text(text[: cut % len(text)], encoding="utf-8")
    stopped = Stopped()
    found = list(values(path, 1, stopped))
    assert stopped and stopped.at <= len(text)
    whole = expected(document, 1)
    # a number may be cut into another number; everything before it is what was written
    assert found[:-1] == whole[: max(0, len(found) - 1)] and len(found) <= len(whole)


@ON_DISK
@given(st.binary(max_size=200))
def test_any_bytes(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "f.json").write_bytes(data)
    list(values(tmp_path / "f.json", 2, Stopped()))


def test_a_damaged_middle_ends_the_reading_there(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text('[{"a": 1}, {"a": 2}, {"a" 3}, {"a": 4}]')
    stopped = Stopped()
    assert [value for _, value in values(path, 1, stopped)] == [{"a": 1}, {"a": 2}]
    assert stopped.why == "damaged" and stopped.at == 21


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 100_000, '[{"a": ' + "[" * 200_000])
def test_deep_nesting_is_an_end_and_no_crash(tmp_path: Path, text: str) -> None:
    (tmp_path / "f.json").write_text(text)
    stopped = Stopped()
    assert list(values(tmp_path / "f.json", 1, stopped)) == [] and stopped


def test_a_value_without_end_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text('[1, "' + "x" * (12 << 20))
    stopped = Stopped()
    tracemalloc.start()
    found = list(values(tmp_path / "f.json", 1, stopped))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [(("",), 1)] and "four million" in stopped.why
    assert peak < 64 << 20


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    dice = random.Random(1)
    peaks = []
    for count in (2_000, 20_000):
        path = tmp_path / f"{count}.json"
        path.write_text(
            json.dumps([{"ts": dice.random(), "args": {"text": "x" * 300}} for _ in range(count)])
        )
        tracemalloc.start()
        assert sum(1 for _ in values(path, 1, Stopped())) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.2
