"""Files of the reader `analysis_db`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.analysis_db",)
_SAMPLE = Sample("analysis_db")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
