"""Files of the reader `database`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.database",)
_SAMPLE = Sample("database")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
