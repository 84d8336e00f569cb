"""Files of the reader `api_statistic`."""

from __future__ import annotations

from fuzz.sample import Sample

PARSES = ("kb.engine.readers.api_statistic",)
_SAMPLE = Sample("api_statistic")
seeds, one = _SAMPLE.seeds, _SAMPLE.one
