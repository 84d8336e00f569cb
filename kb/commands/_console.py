"""What all commands share once their options are read; standard library only."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kb import settings
from kb.errors import UsageError
from kb.report.dump import dumps
from kb.report.page import Page
from kb.report.text import clean
from kb.vocabulary.entries import LANGUAGES

PAGE_FORMATS = ("text", "json", "jsonl", "markdown", "html")


@dataclass(frozen=True, slots=True)
class Common:
    """The options that every command has, checked; `asked`: the format was named by the option."""

    format: str
    lang: str
    quiet: bool = False
    verbose: bool = False
    db: str = ""
    asked: bool = False


def common(*, formats: Sequence[str], format: str, lang: str, quiet: bool, verbose: bool, db: str) -> Common:
    """The common options with their defaults from the environment and the configuration file.

    A format that is set there and that this command does not have, but others do, is passed over.

    Raises:
        UsageError: an unknown format or language, or a configuration file at fault.
    """
    asked = format or settings.value("format")
    if asked not in formats:
        if format or asked not in PAGE_FORMATS:
            where = "--format" if format else settings.setting("format").where
            raise UsageError(
                f"no format {asked!r} here", where=where, now=f"Choose one of {', '.join(formats)}."
            )
        asked = formats[0]
    chosen = lang or settings.value("lang")
    if chosen not in LANGUAGES:
        where = "--lang" if lang else settings.setting("lang").where
        raise UsageError(f"no language {chosen!r}", where=where, now=f"Choose one of {', '.join(LANGUAGES)}.")
    settings.prefer("db", db)  # also for the knowledge, which a team's database holds
    return Common(asked, chosen, quiet, verbose, db, bool(format))


def screen_width() -> int:
    """Columns to print for: the terminal's, COLUMNS where it is set, 80 in a pipe."""
    return shutil.get_terminal_size((80, 24)).columns


def use_color() -> bool:
    """Whether to colour: on a terminal that can, unless NO_COLOR is set; FORCE_COLOR colours pipes too."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def emit(text: str) -> None:
    """Print to stdout, with a line end.

    Raises:
        OutputError: it cannot be written there.
    """
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def in_words(given: Common, text: str) -> str:
    """A remark in the language of the answer."""
    if given.lang == "en":
        return text
    from kb.report.sentences import tell

    return tell(text, given.lang)


def say(given: Common, text: str) -> None:
    """A remark on stderr, silent with -q."""
    if not given.quiet:
        print(f"kb: {clean(in_words(given, text))}", file=sys.stderr)


def remark(given: Common, text: str) -> None:
    """What is being done, on stderr, only with -v."""
    if given.verbose:
        print(f"kb: {clean(in_words(given, text))}", file=sys.stderr)


def show(
    given: Common, page: Page, document: Mapping[str, Any], rows: Iterable[Mapping[str, Any]] | None = None
) -> None:
    """Print an answer: `page` for people, `document` as JSON, `rows` of it as JSON Lines."""
    if given.format == "json":
        emit(dumps(document))
    elif given.format == "jsonl":
        for row in [document] if rows is None else rows:
            emit(dumps(row, indent=None))
    elif given.format == "markdown":
        from kb.report.page import markdown

        emit(markdown.render(page))
    elif given.format == "html":
        from kb.report.page import html

        emit(html.render(page))
    else:
        from kb.report.page import text

        emit(text.render(page, width=screen_width(), color=use_color()))
