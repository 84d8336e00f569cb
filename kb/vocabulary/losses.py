"""Codes of notices that something of the input is missing from all that is said: they come before every other remark."""

from __future__ import annotations

# What was read is not all of what ran, or some of its cells say nothing.
LOST = frozenset(
    {
        "block-skipped", "blocks-missing", "cells-damaged", "file-cut-off", "file-skipped", "launch-count-capped", "member-skipped",
        "partial-interrupted", "partial-timeout", "partial-tool-killed", "ragged-rows", "ranks-lost", "row-cut-off",
        "rows-lost", "shares-damaged", "unreadable",
    }
)  # fmt: skip
# Those after which nothing may be left: the file itself is at fault.
DAMAGE = frozenset({"file-cut-off", "row-cut-off", "rows-lost"})
# What was added up belongs to several runs: no figure of the whole is one of a run.
SEVERAL = frozenset({"captures-apart", "tables-apart"})
