"""Files of the reader `shape_statistic`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.shape_statistic",)
_SAMPLE = Sample("shape_statistic")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
