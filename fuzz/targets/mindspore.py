"""Files of the reader `mindspore`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.mindspore",)
_SAMPLE = Sample("mindspore")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
