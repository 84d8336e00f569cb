"""Files of the reader `kernel_details`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.kernel_details",)
_SAMPLE = Sample("kernel_details")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
