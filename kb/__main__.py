"""`python -m kb` is `kb`, and both start here.

Almost nothing is imported before Ctrl-C is answered: only what Python itself does before the first line of this file
can still show a traceback.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sys

INTERRUPTED = 130


def main() -> int:
    """Run the command line of this process and return its exit status; of an interrupted one the process ends here."""
    status = INTERRUPTED
    try:
        import gc  # noqa: PLC0415
        import signal  # noqa: PLC0415
        import sys  # noqa: PLC0415

        # A short life that makes hardly any cycles: looking for them costs a tenth. Servers take it back (`kb.loopback.lasting`).
        gc.set_threshold(100_000, 50, 50)
        sys.unraisablehook = _not_lost
        for ending in (signal.SIGTERM, getattr(signal, "SIGHUP", None)):  # Windows has no hang-up
            if (
                ending is not None and signal.getsignal(ending) is signal.SIG_DFL
            ):  # not where nohup has it ignored
                signal.signal(ending, _end)
        from kb import cli  # noqa: PLC0415

        status = cli.main()
        if status != INTERRUPTED and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing is left to put away
    except KeyboardInterrupt:  # while importing, or a second one while the first was answered
        pass
    if status == INTERRUPTED:
        _leave()
    return status


def _end(number: int, _frame: object) -> None:
    """A request to end is an exception, so that whatever is open or half done is put away."""
    raise SystemExit(128 + number)


def _not_lost(fault: sys.UnraisableHookArgs) -> None:
    """Ctrl-C that met a callback of Python's own, which can only print it, is given once more a moment later."""
    try:
        import signal  # noqa: PLC0415
        import sys  # noqa: PLC0415
    except ImportError:  # the interpreter is ending: what a library's `__del__` says of that is nobody's
        return
    if issubclass(fault.exc_type, KeyboardInterrupt) and hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.001)
    else:
        sys.__unraisablehook__(fault)


def _leave() -> None:
    """End the process at once: Python's own way out may be interrupted too, and says so at length."""
    import os  # noqa: PLC0415
    import sys  # noqa: PLC0415

    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    raise SystemExit(main())
