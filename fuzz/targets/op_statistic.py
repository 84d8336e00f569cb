"""Files of the reader `op_statistic`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.op_statistic",)
_SAMPLE = Sample("op_statistic")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
