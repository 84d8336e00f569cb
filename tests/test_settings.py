"""Settings: which source wins, what the file may hold, and what is written to it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from running import ROOT, SAMPLE, needs_cli, needs_sample, run_kb

from kb import settings
from kb.cli import main
from kb.errors import UsageError
from kb.store.database import location


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration file that is not there yet, and no variable set."""
    for key in settings.KEYS.values():
        monkeypatch.delenv(key.variable, raising=False)
    monkeypatch.setenv("KB_CONFIG", str(tmp_path / "conf" / "config.toml"))
    return tmp_path / "conf" / "config.toml"


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_variable_before_file_before_default(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings.setting("lang") == settings.Setting("en", "default")
    write(file, 'lang = "ja"\n')
    assert settings.setting("lang") == settings.Setting("ja", "file", f"{file}: lang")
    monkeypatch.setenv("KB_LANG", "zh")
    assert settings.setting("lang") == settings.Setting("zh", "variable", "KB_LANG")
    monkeypatch.setenv("KB_LANG", "")
    assert settings.value("lang") == "ja"


def test_an_option_wins(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(file, 'lang = "ja"\nformat = "json"\n')
    assert main(["config", "list"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "kb.config/1"
    assert main(["config", "list", "--format", "text", "--lang", "zh"]) == 0
    assert "设置项" in capsys.readouterr().out
    assert main(["config", "list", "--format", "text"]) == 0
    assert "設定項目" in capsys.readouterr().out


def test_a_format_that_a_command_does_not_have_is_passed_over(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(file, 'format = "html"\n')
    assert (
        main(["estimate", "--soc", "Ascend910B2", str(file)]) == 3
    )  # no table, but no fault of the format either
    assert "op_type" in capsys.readouterr().err
    monkeypatch.setenv("KB_FORMAT", "morse")
    assert main(["config", "list"]) == 2
    assert "KB_FORMAT: no format 'morse'" in capsys.readouterr().err


def test_paths_in_the_file_start_at_its_folder(file: Path) -> None:
    write(file, 'db = "runs.db"\ndata = ["ours", "/theirs", "~/mine"]\n')
    assert location() == file.parent / "runs.db"
    assert settings.value("data").split(os.pathsep) == [str(file.parent / "ours"), "/theirs", "~/mine"]


@pytest.mark.parametrize(
    "text",
    [
        "lang = ",
        "lang = 3",
        'lang = ["en"]',
        "data = [1]",
        "[lang]\nx = 1",
        "\x00",
        'lang = "en"\nlang = "zh"',
    ],
)
def test_a_damaged_file_is_named(file: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(file, text)
    assert main(["search", "NMS"]) == 2
    told = capsys.readouterr().err
    assert str(file) in told and "Traceback" not in told


def test_a_file_that_is_no_text_or_too_large_is_named(file: Path) -> None:
    file.parent.mkdir()
    for raw in (b"\xff\xfe", b"#" * (settings.LARGEST + 1)):
        file.write_bytes(raw)
        with pytest.raises(UsageError, match="no configuration file"):
            settings.value("lang")


def test_keys_of_a_later_version_are_passed_over_and_kept(file: Path) -> None:
    write(file, '# ours\ncolour = "blue"\nlang = "ja"  # for now\n\n[later]\nlang = "x"\n')
    settings.change("lang", "zh")
    assert file.read_text() == '# ours\ncolour = "blue"\nlang = "zh"\n\n[later]\nlang = "x"\n'
    settings.change("soc", "Ascend910B2")
    assert settings.value("soc") == "Ascend910B2" and settings.value("lang") == "zh"
    settings.change("soc", None)
    settings.change("soc", None)
    assert settings.setting("soc").origin == "default"
    assert "[later]" in file.read_text()


@pytest.mark.parametrize("value", ['a"b', "back\\slash", "line\nend", "ünï 文字", "\x7f", "'"])
def test_any_text_survives(file: Path, value: str) -> None:
    settings.change("soc", value)
    assert settings.value("soc") == value


def test_what_cannot_be_edited_line_by_line_is_left_alone(file: Path) -> None:
    text = 'lang = """\nen"""\n'
    write(file, text)
    with pytest.raises(UsageError, match="line by line"):
        settings.change("lang", "zh")
    assert file.read_text() == text


def test_a_link_to_the_file_stays_a_link(file: Path, tmp_path: Path) -> None:
    write(tmp_path / "dotfiles" / "kb.toml", 'lang = "ja"\n')
    file.parent.mkdir()
    file.symlink_to(tmp_path / "dotfiles" / "kb.toml")
    settings.change("lang", "zh")
    assert file.is_symlink() and 'lang = "zh"' in (tmp_path / "dotfiles" / "kb.toml").read_text()
    assert [item.name for item in (tmp_path / "dotfiles").iterdir()] == ["kb.toml"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["set", "lang", "fr"], "en, zh, ja"), (["set", "soc", "Ascend999"], "unknown chip"), (["set", "plugins", "maybe"], "on, off"),
        (["set", "format", "pdf"], "markdown"), (["set", "speed", "high"], "no setting 'speed'"), (["get", "speed"], "no setting"),
        (["unset", "speed"], "no setting"), (["set", "lang", ""], "unset"),
    ],
)  # fmt: skip
def test_what_cannot_be_set(
    file: Path, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", *arguments]) == 2
    assert told in capsys.readouterr().err
    assert not file.exists()


def test_the_command_sets_gets_and_takes_out(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["config", "set", "db", "here.db"]) == 0
    assert main(["config", "get", "db", "-q"]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'here.db'}\n"
    monkeypatch.setenv("KB_DB", "/elsewhere.db")
    assert main(["config", "set", "db", "there.db"]) == 0
    assert "KB_DB is set and wins" in capsys.readouterr().err
    monkeypatch.delenv("KB_DB")
    assert main(["config", "unset", "db"]) == 0
    assert main(["config", "get", "db"]) == 0
    assert capsys.readouterr().out == "\n"
    assert main(["config", "path"]) == 0
    assert capsys.readouterr().out == f"{file}\n"


@needs_cli
@needs_sample
def test_the_chip_of_the_file_is_used_where_the_profile_names_none(tmp_path: Path) -> None:
    (tmp_path / ".config" / "kb").mkdir(parents=True)
    (tmp_path / ".config" / "kb" / "config.toml").write_text('soc = "Ascend310P3"\n')
    names = tmp_path / "names"
    names.write_text("aten.add.Tensor\n")
    done = run_kb("check", "--torch", str(names), "--format", "json", home=tmp_path)
    assert json.loads(done.stdout)["soc"] == "Ascend310P3"
    plain = json.loads(run_kb("advise", str(ROOT / SAMPLE), "--format", "json", home=tmp_path).stdout)
    assert plain["chip"]["basis"] == "file" or plain["chip"]["soc"] == "Ascend310P3"


@needs_cli
def test_the_version_names_the_knowledge(tmp_path: Path) -> None:
    version = (ROOT / "data" / "VERSION").read_text().strip()
    assert run_kb("--version", home=tmp_path).stdout.strip().endswith(f"knowledge {version}")
