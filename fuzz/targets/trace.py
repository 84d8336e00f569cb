"""Files of the reader `trace`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.trace",)
_SAMPLE = Sample("trace")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
