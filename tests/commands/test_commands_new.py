from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_fakes import ENTRIES

from kb.knowledge.entry import FOLDERS
from kb.knowledge.template import template


@pytest.mark.parametrize("kind", sorted(FOLDERS))
def test_new_writes_the_template_of_every_kind(kb: Any, tmp_path: Path, kind: str) -> None:
    done = kb("new", kind, "our-own", "--into", "ours", "--format", "json")
    path = Path("ours") / FOLDERS[kind] / "our-own.md"
    assert done.status == 0
    assert json.loads(done.out) == {"schema": "kb.new/1", "id": "our-own", "kind": kind, "path": str(path)}
    assert (tmp_path / path).read_text(encoding="utf-8") == template(kind, "our-own")


def test_new_writes_into_the_first_folder_of_the_team(
    kb: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ours").mkdir()
    monkeypatch.setenv("KB_DATA", str(tmp_path / "ours"))
    done = kb("new", "tip", "our-own")
    assert done.status == 0
    assert f"kb validate {tmp_path / 'ours' / 'tips' / 'our-own.md'}\n" in done.out
    assert (tmp_path / "ours" / "tips" / "our-own.md").is_file()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("tip", "our-own"), "nowhere to write to"),
        (("tip", "../escape", "--into", "."), "is no id"),
        (("tip", "Our_Own", "--into", "."), "is no id"),
        (("tip", next(iter(ENTRIES)), "--into", "."), "exists"),
        (("advice", "our-own", "--into", "."), "advice"),
        (("tip", "our-own", "--into", "file"), "cannot be written"),
    ],
)
def test_new_refuses(kb: Any, tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    (tmp_path / "file").write_text("in the way")
    done = kb("new", *arguments)
    assert done.status == 2
    assert told in done.err
    assert not list(tmp_path.rglob("*.md"))


def test_new_never_overwrites(kb: Any, tmp_path: Path) -> None:
    assert kb("new", "tip", "our-own", "--into", ".").status == 0
    path = tmp_path / "tips" / "our-own.md"
    path.write_text("mine", encoding="utf-8")
    done = kb("new", "tip", "our-own", "--into", ".")
    assert (done.status, path.read_text(encoding="utf-8")) == (2, "mine")
    assert "the file exists" in done.err
