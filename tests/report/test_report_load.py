from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from report_samples import ALL, SAMPLE

from kb.errors import SourceError
from kb.model import (
    Capture,
    Chip,
    Evidence,
    Finding,
    Gain,
    NotJudged,
    OperatorRef,
    Recommendation,
    Report,
    SimilarCase,
    SourceFile,
)
from kb.report import views
from kb.report.json import document
from kb.report.load import report_from_dict

NUMBER = st.floats(allow_nan=False, allow_infinity=False)
SHORT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


def several(item: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(item, max_size=2).map(tuple)


COUNT = st.integers(0, 10**12)
OPERATOR = st.builds(OperatorRef, st.none() | SHORT, SHORT, SHORT, SHORT, COUNT, NUMBER)
EVIDENCE = st.builds(Evidence, SHORT, NUMBER | SHORT, SHORT, SHORT, SHORT)
FINDING = st.builds(
    Finding, SHORT, SHORT, st.sampled_from(["run", "operator"]), several(OPERATOR), NUMBER, NUMBER, several(EVIDENCE),
    headroom=st.none() | NUMBER, parent=st.none() | SHORT, summary=SHORT,
)  # fmt: skip
GAIN = st.builds(Gain, NUMBER, NUMBER, NUMBER, st.sampled_from(["run", "operator"]), SHORT)
ADVICE = st.builds(
    Recommendation, COUNT, SHORT, SHORT, SHORT, SHORT, GAIN, SHORT, SHORT, several(SHORT), several(SHORT), SHORT, SHORT,
    SHORT, several(SHORT),
)  # fmt: skip
CAPTURE = st.builds(
    Capture,
    SHORT,
    st.none() | SHORT,
    st.none() | SHORT,
    st.booleans(),
    st.none() | SHORT,
    st.none() | COUNT,
    several(SHORT),
)
CHIP = st.builds(
    Chip, st.none() | SHORT, several(SHORT), st.sampled_from(["file", "stated", "inferred", "unknown"]), SHORT
)
REPORT = st.builds(
    Report, SHORT, SHORT, CHIP, CAPTURE, st.none() | NUMBER, SHORT, several(OPERATOR), several(FINDING),
    several(st.builds(NotJudged, SHORT, SHORT, SHORT)), several(ADVICE),
    several(st.builds(SimilarCase, SHORT, SHORT, NUMBER, SHORT)), several(SHORT), key_data=several(EVIDENCE),
    files=several(st.builds(SourceFile, SHORT, SHORT, st.none() | COUNT, COUNT)),
    versions=st.dictionaries(SHORT, SHORT, max_size=2),
)  # fmt: skip


PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # reports are large


@PATIENT
@given(REPORT)
def test_render_then_read_gives_the_same_report(report: Report) -> None:
    text = views.render("json", [report], lang="en", width=80, color=False)
    assert report_from_dict(json.loads(text)) == report


@PATIENT
@given(REPORT)
def test_every_view_shows_every_report(report: Report) -> None:
    for name in views.views():
        assert views.render(name, [report], lang="zh", width=50, color=True)


@pytest.mark.parametrize("sample", ALL)
def test_the_samples_come_back(sample: str) -> None:
    assert report_from_dict(json.loads(json.dumps(document(ALL[sample])))) == ALL[sample]


def test_keys_of_a_later_version_are_passed_over_and_older_documents_lack_some() -> None:
    found = json.loads(json.dumps(document(SAMPLE)))
    found["later"] = {"x": 1}
    found["findings"][0]["later"] = 1
    for key in ("versions", "files", "key_data", "total_us"):
        del found[key]
    report = report_from_dict(found)
    assert report.findings == SAMPLE.findings
    assert (report.total_us, report.key_data) == (None, ())


def _without(found: Any, key: str) -> Any:
    return {name: value for name, value in found.items() if name != key}


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda d: [d], "something without a schema"),
        (lambda d: d | {"schema": "kb.report/2"}, "kb.report/2"),
        (lambda d: _without(d, "findings"), "report.findings is missing"),
        (lambda d: d | {"findings": 3}, "report.findings has the wrong type"),
        (lambda d: d | {"warnings": [1]}, "report.warnings[0] has the wrong type"),
        (lambda d: d | {"total_us": "fast"}, "report.total_us has the wrong type"),
        (lambda d: d | {"total_us": True}, "report.total_us has the wrong type"),
        (lambda d: d | {"chip": d["chip"] | {"basis": "guess"}}, "report.chip.basis is not one of"),
        (lambda d: d | {"capture": None}, "report.capture has the wrong type"),
        (
            lambda d: d | {"charts": d["charts"] | {"wall": [{"name": "no part", "time_us": 1.0}]}},
            "wall[0].name is not one of",
        ),
    ],
)
def test_damage_is_named_with_its_place(change: Any, what: str) -> None:
    found = json.loads(json.dumps(document(SAMPLE)))
    with pytest.raises(SourceError) as fault:
        report_from_dict(change(found), where="run abc")
    assert what in str(fault.value)
    assert "run abc" in str(fault.value)


@pytest.mark.parametrize("odd", [float("inf"), float("nan"), 10**400], ids=["inf", "nan", "huge"])
def test_a_number_that_is_none_is_refused(odd: float) -> None:
    given = document(SAMPLE)
    given["total_us"] = odd
    with pytest.raises(SourceError, match="total_us"):
        report_from_dict(given, where="given")
