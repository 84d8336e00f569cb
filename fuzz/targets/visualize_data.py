"""Files of the reader `visualize_data`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.visualize",)
_SAMPLE = Sample("visualize_data")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
