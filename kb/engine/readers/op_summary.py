"""op_summary_*.csv of msprof: one row a launch of a whole run."""

from __future__ import annotations

from kb.engine.readers.columns import is_table_of_launches
from kb.engine.readers.job import read_job
from kb.engine.readers.source import Bundle, Source
from kb.model import Profile

NAME = "op_summary"
TITLE = "msprof operator summary (op_summary_*.csv)"
FAMILY = "job"
RANK = 30


def recognise(source: Source) -> int:
    """By the words this table has for the core and the duration, whatever else is in the header."""
    return 90 if is_table_of_launches(source.header, NAME, core="task type") else 0


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """See `read_job`."""
    return read_job(bundle, bundle.of(NAME), NAME, "msprof", soc)
