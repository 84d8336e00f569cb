"""Files of the reader `msopprof`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.msopprof",)
_SAMPLE = Sample("msopprof")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
