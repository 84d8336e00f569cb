"""Files of the reader `simulator`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.simulator",)
_SAMPLE = Sample("simulator")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
