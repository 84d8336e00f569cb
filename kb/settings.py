"""What a user has set once for all commands: option, then KB_* variable, then configuration file, then default.

The file is TOML with one line a key; it is read where a setting is first asked for, and only if it is there.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from kb.errors import SourceError, UsageError

LARGEST = 1 << 20  # bytes of a configuration file


class Key(NamedTuple):
    """A setting: its variable, its default, and whether it names files."""

    variable: str
    default: str = ""
    files: bool = False


KEYS: Mapping[str, Key] = {
    "soc": Key("KB_SOC"),
    "lang": Key("KB_LANG", "en"),
    "format": Key("KB_FORMAT", "text"),
    "db": Key("KB_DB", files=True),
    "data": Key("KB_DATA", files=True),
    "index": Key("KB_INDEX", files=True),
    "plugins": Key("KB_PLUGINS", "on"),
}


_preferred: dict[str, str] = {}  # what an option of the command that runs says


class Setting(NamedTuple):
    """The value in force, and where it stands: the variable, the file, or nowhere."""

    value: str
    origin: Literal["option", "variable", "file", "default"]
    where: str = ""


def setting(key: str) -> Setting:
    """What is in force for a key when no option says otherwise; an empty variable counts as not set.

    Raises:
        UsageError: the configuration file is damaged. SourceError: it cannot be read.
    """
    about = KEYS[key]
    if key in _preferred:
        return Setting(_preferred[key], "option", f"--{key}")
    given = os.environ.get(about.variable, "")
    if given:
        return Setting(given, "variable", about.variable)
    kept = stored().get(key, "")
    if kept:
        return Setting(kept, "file", f"{path()}: {key}")
    return Setting(about.default, "default")


def value(key: str) -> str:
    """The value in force, empty where nothing is set and there is no default; see `setting`."""
    return setting(key).value


def prefer(key: str, wanted: str) -> None:
    """What an option says for the command that runs; an empty text takes it back."""
    _preferred.pop(key, None)
    if wanted:
        _preferred[key] = wanted


def path() -> Path:
    """The configuration file: KB_CONFIG, else kb/config.toml in XDG_CONFIG_HOME or ~/.config.

    Raises:
        SourceError: there is no home folder.
    """
    named = os.environ.get("KB_CONFIG", "")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CONFIG_HOME", "")
    if base and Path(base).is_absolute():
        return Path(base) / "kb" / "config.toml"
    try:
        return Path.home() / ".config" / "kb" / "config.toml"
    except RuntimeError:
        raise SourceError("there is no home folder", now="Set KB_CONFIG to the path of a file.") from None


def stored() -> Mapping[str, str]:
    """The settings in the file; none where there is no file.

    Raises:
        UsageError: it is damaged. SourceError: it cannot be read.
    """
    try:
        file = path()
    except SourceError:
        return {}
    text = _text(file)
    return _settings(text, file) if text else {}


def change(key: str, wanted: str | None) -> Path:
    """Write one setting to the file, or take it out where `wanted` is None; other lines stay as they are.

    Raises:
        UsageError: the file is damaged, cannot be written, or cannot be edited line by line.
    """
    file = path()
    text = _text(file)
    before = _settings(text, file)
    line = re.compile(rf"^[ \t]*{key}[ \t]*=.*\n?", re.MULTILINE)
    fresh = "" if wanted is None else f"{key} = {_quoted(wanted)}\n"
    edited = line.sub(lambda _: fresh, text, count=1) if line.search(text) else fresh + text
    expected = {name: kept for name, kept in before.items() if name != key} | (
        {} if wanted is None else {key: _resolved(key, wanted, file)}
    )
    try:
        fits = _settings(edited, file) == expected
    except UsageError:
        fits = False
    if not fits:
        raise UsageError("this file cannot be edited line by line", where=str(file), now="Edit it by hand.")
    _write(file, edited)
    return file


def _text(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            raw = stream.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as fault:
        raise SourceError(
            f"cannot be read: {fault.strerror or fault}",
            where=str(file),
            now="Make it readable, or let KB_CONFIG name another file.",
        ) from fault
    try:
        if len(raw) > LARGEST:
            raise ValueError("too large")
        return raw.decode("utf-8")
    except ValueError as fault:
        raise UsageError(
            f"no configuration file: {fault}", where=str(file), now="Mend or remove it."
        ) from fault


@lru_cache(maxsize=4)
def _settings(text: str, file: Path) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for key, kept in _parsed(text, file).items():
        if key not in KEYS:
            continue  # of a later version
        parts = kept if isinstance(kept, list) and key == "data" else [kept]
        if not all(isinstance(part, str) for part in parts):
            raise UsageError(f"{key} is no text", where=str(file), now=f'Write {key} = "...".')
        joined = os.pathsep.join(parts)
        if joined:
            found[key] = _resolved(key, joined, file)
    return found


def _parsed(text: str, file: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return dict(tomllib.loads(text))
    except tomllib.TOMLDecodeError as fault:
        raise UsageError(f"no TOML: {fault}", where=str(file), now="Mend it, or remove it.") from fault


def _resolved(key: str, kept: str, file: Path) -> str:
    """A value from the file; relative paths in it start at the folder of the file."""
    if not KEYS[key].files or "://" in kept:
        return kept
    parts = (part for part in kept.split(os.pathsep) if part)
    return os.pathsep.join(
        part if part.startswith("~") else str(file.parent.absolute() / part) for part in parts
    )


def absolute(named: str) -> str:
    """Paths as they stand for one who typed them here, divided as in PATH."""
    parts = (part for part in named.split(os.pathsep) if part)
    return os.pathsep.join(str(Path(os.path.expanduser(part)).absolute()) for part in parts)  # noqa: PTH111


def _quoted(text: str) -> str:
    """The text as a TOML basic string."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in plain) + '"'


def _write(file: Path, text: str) -> None:
    part = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.write_text(text, encoding="utf-8", newline="\n")
            part.replace(file.resolve())  # a link to the file stays a link
        finally:
            part.unlink(missing_ok=True)
    except OSError as fault:
        raise UsageError(
            f"cannot be written: {fault.strerror or fault}",
            where=str(file),
            now="Set KB_CONFIG to another file, or make it one that can be written and has room.",
        ) from fault
