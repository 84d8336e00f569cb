"""The shipped entries and a team's own, read together."""

from __future__ import annotations

from pathlib import Path

from kb.knowledge import own
from kb.knowledge.entry import entry_files, load_entries, parse_file
from kb.knowledge.faults import errors
from kb.knowledge.head import UNPRINTABLE
from kb.knowledge.validate import validate
from kb.model import Entry


def merged(root: Path) -> tuple[list[Entry], list[str]]:
    """The shipped entries of `root` with those of the team, and a line for each fault that left one of these out.

    Raises:
        KnowledgeError: faults in the shipped entries, or see `own.folders`.
    """
    entries = list(load_entries([root]))
    given = own.folders()
    if not given:
        return entries, []
    faults = [fault for fault in errors(validate(given, beside=[root])) if fault.code != "no-entries"]
    faulty = {fault.file for fault in faults}
    for _, path in entry_files(given):
        entry = None if str(path) in faulty else parse_file(path).entry
        if entry is not None:
            entries.append(entry)
    return entries, [UNPRINTABLE.sub("?", f"{fault.file}:{fault.line}: {fault.what}") for fault in faults]
