"""Files of the reader `op_summary`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.op_summary",)
_SAMPLE = Sample("op_summary")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
