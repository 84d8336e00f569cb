"""The command line: dispatch, and the one place that turns errors into messages and an exit status.

Nothing heavy is imported here: `kb search` runs without typer and rich, `kb --help` without pandas and
sqlite-utils.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence

from kb.commands._streams import lead_nowhere, prepared
from kb.errors import KbError, OutputError, PipeClosed

INTERNAL, NO_OUTPUT, INTERRUPTED, PIPE_CLOSED = 70, 74, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    0 to 5 as `kb.errors` says, 130 interrupted, 141 the reader of a pipe went away, 74 the answer could not be written,
    70 a fault of `kb`.
    """
    args = list(sys.argv[1:] if argv is None else argv)
    with prepared():
        return _run(args)


def _run(args: list[str]) -> int:
    own = args[: args.index("--")] if "--" in args else args
    shown = warnings.showwarning
    warnings.showwarning = _own_warnings(shown, quiet="-q" in own or "--quiet" in own)
    try:
        status = _answer(args)
        sys.stdout.flush()
        return status
    except PipeClosed:
        lead_nowhere(sys.stdout)
        return PIPE_CLOSED
    except OutputError as fault:
        lead_nowhere(sys.stdout)
        now = "Make room there, or write it somewhere else."
        _tell(f"the answer cannot be written: {fault}", now=now, lang=_language(own))
        return NO_OUTPUT
    except KeyboardInterrupt:
        _tell("interrupted")
        return INTERRUPTED
    finally:
        warnings.showwarning = shown


def _answer(args: list[str]) -> int:
    """Run the command; its errors are told, those of stdout left to the caller."""
    own = args[: args.index("--")] if "--" in args else args
    try:
        return _dispatch(args)
    except OutputError:
        raise
    except SystemExit as end:  # an option parser that has printed, or a request to end
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception as fault:
        if not isinstance(fault, KbError) and _was_interrupted(fault):
            raise KeyboardInterrupt from fault
        if "--debug" in own:
            import traceback  # noqa: PLC0415

            traceback.print_exc()
        return _report(fault, _language(own))


def _own_warnings(shown: Callable[..., None], *, quiet: bool) -> Callable[..., None]:
    """How warnings are shown: what is wrong with a plugin or a rule as a message of ours, others as Python does."""

    def show(message: Warning | str, category: type[Warning], *where: object, **more: object) -> None:
        if category.__name__ not in ("PluginWarning", "RuleWarning"):
            shown(message, category, *where, **more)
        elif not quiet:
            _tell(f"the plugin {message}" if category.__name__ == "PluginWarning" else f"{message}")

    return show


def _was_interrupted(fault: BaseException) -> bool:
    """Whether an error nobody foresaw began as Ctrl-C: while a class is made, Python 3.11 turns that into another."""
    cause: BaseException | None = fault
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__ or cause.__context__
    return cause is not None


def _dispatch(args: list[str]) -> int:
    if args[:1] == ["search"]:
        from kb.commands import search  # noqa: PLC0415

        return search.main(args[1:])
    from kb.commands import _app  # noqa: PLC0415

    return _app.run(args)


def _language(own: Sequence[str]) -> str:
    """The language of messages: as the options say, else as is set; English where neither can be told."""
    for at, word in enumerate(own):
        if word.startswith("--lang"):
            name, _, value = word.partition("=")
            if name == "--lang":
                return value or "".join(own[at + 1 : at + 2])
    from kb import settings  # noqa: PLC0415

    try:
        return settings.value("lang")
    except KbError:
        return "en"


def _report(fault: Exception, lang: str) -> int:
    """Say what went wrong: our own error, one of the option parser, or one that nobody foresaw."""
    if isinstance(fault, KbError):
        _tell(fault.what, where=fault.where, now=fault.now, lang=lang)
        return fault.exit_status
    if hasattr(fault, "format_message"):
        command = getattr(getattr(fault, "ctx", None), "command_path", "kb")
        now = f"See `{command} --help`."
        if type(fault).__name__ == "NoSuchOption" and command.endswith("profile-and-advise"):
            now = f"Options of the program go behind `--`: kb profile-and-advise ./my_operator -- --m 1024. {now}"
        if getattr(fault, "option_name", "") in ("-o", "--output"):
            now = f"The answer goes to standard output: write it to a file with `> FILE`. {now}"
        _tell(fault.format_message(), now=now, lang=lang)
        return int(getattr(fault, "exit_code", 2))
    if type(fault).__name__ == "Abort":
        _tell("interrupted", lang=lang)
        return INTERRUPTED
    _tell(
        f"this is a fault in kb: {type(fault).__name__}: {fault}",
        now="Run it again with --debug and report what it prints.",
        lang=lang,
    )
    return INTERNAL


def _tell(what: str, *, where: str = "", now: str = "", lang: str = "en") -> None:
    from kb.report.text import clean  # noqa: PLC0415

    if lang != "en":
        from kb.report.sentences import tell  # noqa: PLC0415

        what, where, now = (tell(text, lang) for text in (what, where, now))
    head = f"{where}: {what}" if where else what
    lines = [f"kb: {clean(head)}"]
    lines += [f"    {clean(line)}" for line in now.splitlines()]
    print("\n".join(lines), file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
