"""Stored reports and those that somebody saved as JSON, back to a `Report` and into every view."""

from __future__ import annotations

import json

import report_samples

from fuzz.sample import refused
from kb.errors import KbError
from kb.report import views
from kb.report.json import document
from kb.report.load import report_from_dict

PARSES = ("kb.report.load",)


def seeds() -> list[bytes]:
    """Reports of a kernel, of a run, and one full of hostile text."""
    return [json.dumps(document(report_samples.ALL[name])).encode() for name in ("sample", "run", "hostile")]


def one(data: bytes) -> None:
    """Load it and show it; what is no JSON is the business of whoever reads the file."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return
    try:
        report = report_from_dict(found, where="given")
    except KbError as fault:
        refused(fault)
        return
    for name in views.views():
        views.render(name, [report], lang="en", width=100, color=False)
