"""kernel_details.csv of the Ascend PyTorch profiler: one row a launch of a training or inference run."""

from __future__ import annotations

from kb.engine.readers.columns import is_table_of_launches
from kb.engine.readers.job import read_job
from kb.engine.readers.source import Bundle, Source
from kb.model import Profile

NAME = "kernel_details"
TITLE = "PyTorch profiler kernel table (kernel_details.csv)"
FAMILY = "job"
RANK = 40


def recognise(source: Source) -> int:
    """By the words this table has for the core and the duration, whatever else is in the header."""
    return 90 if is_table_of_launches(source.header, NAME, core="accelerator core") else 0


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """See `read_job`."""
    return read_job(bundle, bundle.of(NAME), NAME, "Ascend PyTorch Profiler", soc)
