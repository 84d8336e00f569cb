"""Files of the reader `step_trace`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.step_trace",)
_SAMPLE = Sample("step_trace")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
