"""A team's own entries: merged with the shipped ones, validated, and never in place of one of these."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from search_samples import ENTRIES, make_root

from kb import shipped
from kb.errors import KnowledgeError
from kb.knowledge import own, search, store
from kb.knowledge.entry import FOLDERS, parse_entry
from kb.knowledge.template import TODO, template
from kb.knowledge.validate import errors, render_text, validate

GOOD = Path(__file__).parents[1] / "samples" / "entries" / "good"
TIP = (GOOD / "tips" / "sample-tip.md").read_text(encoding="utf-8")


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A team's folder with one tip beside a small shipped knowledge base."""
    root = make_root(tmp_path / "data")
    folder = tmp_path / "team"
    (folder / "tips").mkdir(parents=True)
    (folder / "tips" / "our-tip.md").write_text(_tip("our-tip", "Zirconium in the log"), encoding="utf-8")
    monkeypatch.setattr(shipped, "root", lambda: root)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("KB_DATA", str(folder))
    monkeypatch.delenv("KB_INDEX", raising=False)
    store.close()
    yield folder
    store.close()


def _tip(entry_id: str, title: str) -> str:
    head = parse_entry(TIP).entry
    assert head is not None
    return TIP.replace("id: sample-tip", f"id: {entry_id}").replace(head.title.en, title)


def test_their_entries_are_found_and_shown(team: Path) -> None:
    assert search.search("zirconium").results[0].id == "our-tip"
    entries = store.load_entries()
    assert set(entries) == {entry.id for entry in ENTRIES} | {"our-tip"}
    assert entries["our-tip"].file == str(team / "tips" / "our-tip.md")


def test_a_change_of_theirs_is_seen(team: Path) -> None:
    assert store.index().size == len(ENTRIES) + 1
    store.close()
    (team / "README.md").write_text("no entry: the entries lie in the folders beside it", encoding="utf-8")
    (team / "tips" / "second.md").write_text(_tip("second", "Niobium in the log"), encoding="utf-8")
    assert search.search("niobium").results[0].id == "second"


def test_without_them_the_shipped_ones_stand_alone(team: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.index().size == len(ENTRIES) + 1
    monkeypatch.delenv("KB_DATA")
    assert store.index().size == len(ENTRIES)


def test_a_shipped_id_is_not_shadowed_and_the_team_is_told(
    team: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = next(entry for entry in ENTRIES if entry.kind == "tip")
    path = team / "tips" / f"{taken.id}.md"
    path.write_text(_tip(taken.id, "In place of yours"), encoding="utf-8")
    assert store.load_entries()[taken.id].title == taken.title
    assert f"{path}:2: id is taken by" in capsys.readouterr().err
    store.close()
    store.index()
    assert "id is taken by" in capsys.readouterr().err, "told again from the index that exists"
    assert "duplicate-id" in {fault.code for fault in validate()}


def test_a_faulty_entry_of_theirs_is_left_out_and_told(
    team: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (team / "tips" / "broken.md").write_text("---\nid: broken\x1b[31m\n---\n", encoding="utf-8")
    assert "our-tip" in store.load_entries()
    told = capsys.readouterr().err
    assert "broken.md" in told
    assert "\x1b" not in told


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_DATA", str(tmp_path / "gone"))
    with pytest.raises(KnowledgeError, match="does not exist"):
        own.folders()


def test_several_folders_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("KB_DATA", f"{tmp_path / 'a'}:{tmp_path / 'b'}:{tmp_path / 'a'}")
    assert own.folders() == (tmp_path / "a", tmp_path / "b")


@pytest.mark.parametrize("kind", sorted(FOLDERS))
def test_a_template_is_no_entry_until_it_is_filled(kind: str, tmp_path: Path) -> None:
    path = tmp_path / FOLDERS[kind] / "our-own-entry.md"
    path.parent.mkdir()
    text = template(kind, "our-own-entry")
    path.write_text(text, encoding="utf-8")
    assert "unfilled" in {fault.code for fault in errors(validate([path]))}
    filled = text.replace("links: [TODO]", "links: [our-recipe]").replace(
        "bottlenecks: []", "bottlenecks: [tail-wave]"
    )
    path.write_text(filled.replace(TODO, "said"), encoding="utf-8")
    if kind == "pattern":  # a pattern of a team's own needs a remedy that says so
        recipe = template("recipe", "our-recipe").replace("bottlenecks: []", "bottlenecks: [our-own-entry]")
        (tmp_path / "recipes").mkdir()
        (tmp_path / "recipes" / "our-recipe.md").write_text(recipe.replace(TODO, "told"), encoding="utf-8")
    faults = errors(validate([tmp_path]))
    assert not faults, render_text(faults)


def test_a_translated_body_is_read_written_and_chosen() -> None:
    text = (GOOD / "recipes" / "sample-recipe.md").read_text(encoding="utf-8")
    entry = parse_entry(text).entry
    assert entry is not None
    assert entry.body("zh").steps == ("把一维范围切到所有核上。", "尾块交给最后一个核。")
    assert entry.body("ja").when_not == "数マイクロ秒のカーネル。"
    assert entry.body("en").cause == entry.cause
    from kb.knowledge import record
    from kb.knowledge.entry import entry_to_text
    from kb.model import to_dict

    assert parse_entry(entry_to_text(entry)).entry == entry
    assert record.entry(to_dict(entry)) == entry


def test_a_snippet_stands_in_the_english_steps_alone() -> None:
    text = (GOOD / "recipes" / "sample-recipe.md").read_text(encoding="utf-8")
    doubled = text.replace("2. 尾块交给最后一个核。", "2. 尾块交给最后一个核。\n\n```cpp\nx();\n```")
    assert "extra-snippet" in {fault.code for fault in parse_entry(doubled).faults}


def test_the_good_samples_are_a_team_folder(team: Path) -> None:
    shutil.copytree(GOOD / "tips", team / "tips", dirs_exist_ok=True)
    assert "sample-tip" in store.load_entries()
