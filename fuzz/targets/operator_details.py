"""Files of the reader `operator_details`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.operator_details",)
_SAMPLE = Sample("operator_details")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
