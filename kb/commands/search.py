"""Search in your own words, in English, Chinese or Japanese."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NoReturn

from kb.commands._console import PAGE_FORMATS, common, emit, show
from kb.errors import UsageError
from kb.report.dump import dumps
from kb.report.found import found_page
from kb.vocabulary.entries import GRADES, KINDS, LANGUAGES

PANEL, ORDER = "Knowledge base", 1

_EXAMPLES = """\
Examples:
  kb search "NMS CPU fallback"
  kb search -k 3 --kind recipe --op MatMul "cube utilisation is low"
  kb search --soc Ascend310P3 "转置耗时过长"
  kb search --bottleneck host-bound --evidence vendor "launch overhead"
  kb search --queries questions.tsv > answers.jsonl

Exit status: 0 even when nothing fits well (the answer says so), 2 for a wrong option."""


def main(args: list[str]) -> int:
    """Run `kb search`; argparse instead of typer, because this command is started most often."""
    given = _parser().parse_args(args)
    shared = common(
        formats=PAGE_FORMATS,
        format=given.format,
        lang=given.lang,
        quiet=given.quiet,
        verbose=given.verbose,
        db=given.db,
    )
    words = " ".join(given.query).strip()
    if bool(words) == bool(given.queries):
        raise UsageError("give either a query or --queries FILE", now="See `kb search --help`.")
    from kb.knowledge import search

    wanted = {"k": given.k, "kind": given.kind, "op": given.op, "soc": given.soc, "lang": shared.lang}
    further = ("bottleneck", "evidence", "language", "model")
    wanted |= {name: value for name in further if (value := getattr(given, name))}
    if given.queries:
        for result in search.search_many(Path(given.queries), **wanted):
            emit(dumps(result.to_dict(explain=given.explain), indent=None))
            sys.stdout.flush()
        return 0
    result = search.search(words, **wanted)
    document = result.to_dict(explain=given.explain)
    show(shared, found_page(result, shared.lang, explain=given.explain), document, None)
    return 0


class _Parser(argparse.ArgumentParser):
    """argparse that leaves errors to `kb.cli`."""

    def error(self, message: str) -> NoReturn:
        now = "See `kb search --help`."
        if message.startswith("unrecognized"):
            now += " A query that begins with a dash goes behind two of them: kb search -- --aic-metrics"
        raise UsageError(message[:1].lower() + message[1:], now=now)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="kb search", description=__doc__, epilog=_EXAMPLES, add_help=False, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter, usage="kb search [OPTIONS] QUERY...",
    )  # fmt: skip
    parser.add_argument(
        "query", nargs="*", metavar="QUERY", help="what you want to know; quotes are optional"
    )
    own = parser.add_argument_group("Options")
    own.add_argument("-k", type=_count, default=10, metavar="N", help="at most N answers (default 10)")
    own.add_argument("--kind", choices=KINDS, metavar="KIND", help="only case, recipe, pattern or tip")
    own.add_argument("--op", metavar="TYPE", help="only entries about this operator, such as MatMul")
    own.add_argument("--soc", metavar="SOC", help="only entries that hold on this chip, such as Ascend910B2")
    own.add_argument(
        "--bottleneck", metavar="ID", help="only entries about this bottleneck, such as host-bound"
    )
    own.add_argument(
        "--evidence", choices=GRADES, metavar="GRADE", help=f"only of this grade: {', '.join(GRADES)}"
    )
    own.add_argument(
        "--language",
        choices=LANGUAGES,
        metavar="LANG",
        help="only entries written out in en, zh or ja; titles are in all",
    )
    own.add_argument(
        "--model",
        default="",
        metavar="NAME",
        help="builtin, semantic or own instead of the one in use (`kb model`)",
    )
    own.add_argument(
        "--queries",
        metavar="FILE.tsv",
        help="answer each line's first column, as JSON Lines; - is standard input",
    )
    own.add_argument("--explain", action="store_true", help="say how each score came about")
    shared = parser.add_argument_group("Common options")
    shared.add_argument(
        "--format",
        "-f",
        default="",
        metavar="FORMAT",
        help=f"one of {', '.join(PAGE_FORMATS)} (default text)",
    )
    shared.add_argument("--lang", default="", metavar="LANG", help="en, zh or ja (default: KB_LANG, else en)")
    shared.add_argument("-q", "--quiet", action="store_true", help="nothing on stderr but errors")
    shared.add_argument("-v", "--verbose", action="store_true", help="say on stderr what is being done")
    shared.add_argument("--db", default="", metavar="FILE", help="run store; not used by search")
    shared.add_argument("--debug", action="store_true", help="show the traceback of an error")
    shared.add_argument("--help", "-h", action=_Help, nargs=0, help="show this text")
    return parser


class _Help(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        parser.print_help()
        sys.stdout.flush()
        raise SystemExit(0)


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return number
