"""The command line: dispatch, and the one place that turns errors into messages and an exit status.

Nothing heavy is imported here: `kb search` runs without typer and rich, `kb --help` without pandas and
sqlite-utils.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from kb.errors import KbError, OutputError

INTERNAL, NO_OUTPUT, INTERRUPTED, PIPE_CLOSED = 70, 74, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    0 to 5 as `kb.errors` says, 130 interrupted, 141 the reader of a pipe went away, 74 the answer could not be written,
    70 a fault of `kb`.
    """
    args = list(sys.argv[1:] if argv is None else argv)
    own = args[: args.index("--")] if "--" in args else args
    debug = "--debug" in own
    _prepare_streams()
    shown = warnings.showwarning
    warnings.showwarning = partial(_show_warning, shown, quiet="-q" in own or "--quiet" in own)
    try:
        status = _dispatch(args)
        _flush()
        return status
    except BrokenPipeError:
        _close_stdout()
        return PIPE_CLOSED
    except OutputError as fault:
        _close_stdout()
        _tell(f"the answer cannot be written: {fault}")
        return NO_OUTPUT
    except KeyboardInterrupt:
        _tell("interrupted")
        return INTERRUPTED
    except Exception as fault:
        if debug:
            import traceback  # noqa: PLC0415

            traceback.print_exc()
        return _report(fault)
    finally:
        warnings.showwarning = shown


def _show_warning(
    shown: Callable[..., None],
    message: Warning | str,
    category: type[Warning],
    *where: Any,
    quiet: bool,
    **more: Any,
) -> None:
    """What is wrong with somebody's plugin, as a message of ours; other warnings as Python shows them."""
    if category.__name__ != "PluginWarning":
        shown(message, category, *where, **more)
    elif not quiet:
        _tell(f"the plugin {message}")


class _Nowhere(io.TextIOBase):
    """A stream that takes everything and keeps nothing."""

    def write(self, text: str) -> int:
        return len(text)


def _prepare_streams() -> None:
    """Streams that can print any text; what the caller closed (`>&-`) leads nowhere instead of being missing."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, _Nowhere())
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as fault:
        raise OutputError(fault.strerror or str(fault)) from fault


def _dispatch(args: list[str]) -> int:
    if args[:1] == ["search"]:
        from kb.commands import search  # noqa: PLC0415

        return search.main(args[1:])
    from kb.commands import _app  # noqa: PLC0415

    return _app.run(args)


def _report(fault: Exception) -> int:
    """Say what went wrong: our own error, one of the option parser, or one that nobody foresaw."""
    if isinstance(fault, KbError):
        _tell(fault.what, where=fault.where, now=fault.now)
        return fault.exit_status
    if hasattr(fault, "format_message"):
        command = getattr(getattr(fault, "ctx", None), "command_path", "kb")
        now = f"See `{command} --help`."
        if type(fault).__name__ == "NoSuchOption" and command.endswith("profile-and-advise"):
            now = f"Options of the program go behind `--`: kb profile-and-advise ./my_operator -- --m 1024. {now}"
        _tell(fault.format_message(), now=now)
        return int(getattr(fault, "exit_code", 2))
    if type(fault).__name__ == "Abort":
        _tell("interrupted")
        return INTERRUPTED
    _tell(
        f"this is a fault in kb: {type(fault).__name__}: {fault}",
        now="Run it again with --debug and report what it prints.",
    )
    return INTERNAL


def _tell(what: str, *, where: str = "", now: str = "") -> None:
    from kb.report.text import clean  # noqa: PLC0415

    head = f"{where}: {what}" if where else what
    lines = [f"kb: {clean(head)}"]
    lines += [f"    {clean(line)}" for line in now.splitlines()]
    print("\n".join(lines), file=sys.stderr)


def _close_stdout() -> None:
    """Point stdout at nothing, so that Python's own flush at exit does not complain about the closed pipe."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    raise SystemExit(main())
