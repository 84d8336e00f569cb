"""Files of the reader `communication`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.communication",)
_SAMPLE = Sample("communication")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
