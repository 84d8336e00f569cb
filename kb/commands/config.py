"""Show and change what holds for all commands.

An option wins over a KB_* variable, that over the configuration file, that over the default.

Examples:
  kb config list
  kb config set soc Ascend910B2
  kb config get lang
  kb config path
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kb import settings
from kb.commands._console import PAGE_FORMATS, Common, emit, say, show
from kb.errors import UsageError
from kb.postgres.address import masked
from kb.report.catalogue import say as text
from kb.report.dump import dumps
from kb.report.page import Page, Table
from kb.vocabulary.entries import LANGUAGES

PANEL, ORDER = "Upkeep", 9

_Key = Annotated[str, typer.Argument(metavar="KEY", help=f"One of {', '.join(settings.KEYS)}.")]


def _list(common: Common) -> int:
    """List all settings with the value in force and where it comes from.

    Exit status: 0 printed.

    Examples:
      kb config list
      kb config list --format json
    """
    rows = [_row(key) for key in settings.KEYS]
    document = {"schema": "kb.config/1", "path": str(settings.path()), "settings": rows}
    show(common, _page(rows, common.lang), document, rows)
    return 0


def _row(key: str) -> dict[str, Any]:
    found = settings.setting(key)
    told: dict[str, Any] = {"key": key, "origin": found.origin, "where": found.where}
    return {name: value for name, value in (told | {"value": masked(found.value)}).items() if value}


def _page(rows: list[dict[str, Any]], lang: str) -> Page:
    heads = tuple(
        text(name, lang) for name in ("config.key", "config.value", "config.origin", "config.meaning")
    )
    origins = {"file": text("config.file", lang), "default": text("config.default", lang)}
    cells = tuple(
        (
            row["key"],
            row.get("value", ""),
            origins.get(row["origin"]) or row["where"],
            text(f"config.{row['key']}", lang),
        )
        for row in rows
    )
    return Page(str(settings.path()), (Table(heads, cells),), lang=lang)


def _get(common: Common, key: _Key) -> int:
    """Print the value in force of one setting; an empty line where there is none.

    Exit status: 0 printed.

    Examples:
      kb config get soc
      kb config get db --format json
    """
    _known(key)
    row = _row(key)
    if common.format in ("json", "jsonl"):
        emit(dumps({"schema": "kb.config/1", "path": str(settings.path()), "settings": [row]}, indent=None))
    else:
        emit(row.get("value", ""))
    return 0


def _set(
    common: Common,
    key: _Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="What holds from now on.")],
) -> int:
    """Write a setting to the configuration file; everything else in it stays as it is.

    Exit status: 0 kept, 2 no such setting or value, or its file cannot be written.

    Examples:
      kb config set soc Ascend910B2
      kb config set lang zh
    """
    _known(key)
    if not value:
        raise UsageError("an empty value", where=key, now=f"Take it out with `kb config unset {key}`.")
    file = settings.change(key, _checked(key, value))
    say(common, f"{key} is set in {file}")
    _warn_hidden(common, key)
    return 0


def _unset(common: Common, key: _Key) -> int:
    """Take a setting out of the configuration file.

    Exit status: 0 taken out, or it was not set, 2 no such setting, or its file cannot be written.

    Examples:
      kb config unset soc
    """
    _known(key)
    file = settings.change(key, None)
    say(common, f"{key} is not set in {file}")
    _warn_hidden(common, key)
    return 0


def _path(common: Common) -> int:  # noqa: ARG001
    """Print where the configuration file lies, whether it is there or not.

    Exit status: 0 printed.

    Examples:
      kb config path
    """
    emit(str(settings.path()))
    return 0


def _known(key: str) -> None:
    if key not in settings.KEYS:
        raise UsageError(f"no setting {key!r}", where="KEY", now=f"Choose one of {', '.join(settings.KEYS)}.")


def _checked(key: str, value: str) -> str:
    """The value as it is written: a word that is known, an absolute path.

    Raises:
        UsageError: no such language, format, chip, or neither on nor off.
    """
    words = {"lang": LANGUAGES, "format": PAGE_FORMATS, "plugins": ("on", "off")}.get(key, ())
    if words and value not in words:
        raise UsageError(f"no {key} {value!r}", where=key, now=f"Choose one of {', '.join(words)}.")
    if key == "soc":
        from kb import targets

        targets.family_of(value)
    if settings.KEYS[key].files and "://" not in value:
        return settings.absolute(value)
    return value


def _warn_hidden(common: Common, key: str) -> None:
    found = settings.setting(key)
    if found.origin == "variable":
        say(common, f"but {found.where} is set and wins")


COMMANDS = {"list": _list, "get": _get, "set": _set, "unset": _unset, "path": _path}
