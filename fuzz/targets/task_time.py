"""Files of the reader `task_time`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.task_time",)
_SAMPLE = Sample("task_time")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
