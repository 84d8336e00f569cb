"""Files that lie, outside the readers: exported programs, configs, calibrations, tables of cases."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from kb.benchmark import real
from kb.engine.check import read_names
from kb.engine.collect.environment import Environment
from kb.engine.collect.target import resolve_target
from kb.engine.estimate import calibrate
from kb.errors import SourceError

DIGITS = b"9" * 5000


def program(content: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytearray:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr(zipfile.ZipInfo("models/model.json"), content)
    return bytearray(out.getvalue())


def refused(path: Path, data: bytes) -> SourceError:
    path.write_bytes(data)
    with pytest.raises(SourceError) as caught:
        read_names(path)
    assert caught.value.now
    return caught.value


def test_a_program_whose_member_is_cut_off_is_refused(tmp_path: Path) -> None:
    data = program(b'{"target": "torch.ops.aten.add.Tensor"}', zipfile.ZIP_STORED)
    data[29] = 1  # the length of what follows the name: the member now ends behind the file
    refused(tmp_path / "a.pt2", bytes(data))


def test_a_program_whose_member_is_damaged_is_refused(tmp_path: Path) -> None:
    whole = program(b'{"target": "torch.ops.aten.add.Tensor"}' * 20)
    whole[50:60] = b"\xff" * 10  # inside what deflate packed
    refused(tmp_path / "a.pt2", bytes(whole))


def test_an_encrypted_program_is_refused(tmp_path: Path) -> None:
    data = program(b"{}")
    place = data.rfind(b"PK\1\2")
    data[6] |= 1
    data[place + 8] |= 1
    assert "encrypted" in str(refused(tmp_path / "a.pt2", bytes(data)))


def test_a_program_with_a_directory_of_millions_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.engine.check.torch.LARGEST", 10)
    assert "too many members" in str(refused(tmp_path / "a.pt2", bytes(program(b"{}"))))


def test_a_number_of_thousands_of_digits_in_a_config_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_bytes(b'{"kernel_path": %b}' % DIGITS)
    with pytest.raises(SourceError, match="cannot be read as JSON"):
        resolve_target(("c.json",), Environment({}, tmp_path))


def test_a_calibration_of_infinitely_many_kernels_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    text = (
        '{"schema": "%s", "chip": "x", "source": "y", "classes": {"map": {"factor": 1, "kernels": Infinity}}}'
    )
    path.write_text(text % calibrate.SCHEMA, encoding="utf-8")
    with pytest.raises(SourceError, match="damaged calibration"):
        calibrate.load(path)


def test_an_alias_bomb_in_a_table_of_cases_is_refused_at_once(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    path = tmp_path / "cases.yaml"
    path.write_text("- " + "\n  ".join(lines), encoding="utf-8")
    with pytest.raises(SourceError, match="not a case") as caught:
        real.load(path, tmp_path)
    assert len(str(caught.value)) < 2000
