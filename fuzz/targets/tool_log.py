"""What the profiler prints, line by line."""

from __future__ import annotations

import unicodedata

from kb.engine.collect.log import LogReader, parse_line

PARSES = ("kb.engine.collect.log", "kb.engine.collect.log_texts")


def seeds() -> list[bytes]:
    """Lines of all forms, as the versions of the tool write them."""
    return [
        b"[INFO]  Start profiling on kernel: add_custom\n2026-01-02 03:04:05 [WARN]  Profiling data is lost\n",
        b"2026-01-02 03:04:05 [INFO]  Profiling results saved in /tmp/OPPROF_20260102/\n\t1. Use more cores\nplain words\n",
        b"[ERROR] \x1b[31mred\x1b[0m\rover\n[DEBUG] [a.cpp:12] text\n",
    ]


def one(data: bytes) -> None:
    """Take every line as the collector does."""
    reader = LogReader()
    for line in data.decode("utf-8", "surrogateescape").splitlines():
        found = parse_line(line)
        if found is not None:
            reader.add(found[1])
        elif not reader.continues(line):
            reader.trouble(line)
    summary = reader.summary()
    kinds = {unicodedata.category(mark) for item in summary.lines for mark in item.text.replace("\t", " ")}
    assert not kinds & {"Cc", "Cf", "Zl", "Zp"}, (
        summary
    )  # what steers a terminal; unassigned characters do not
