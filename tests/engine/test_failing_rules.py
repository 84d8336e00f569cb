"""A rule that fails costs its own verdict: the report stands, and says which rule failed, on what, and how."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from running import ROOT

from kb import cli
from kb.engine import bottlenecks
from kb.engine.bottlenecks import diagnose, judging
from kb.engine.bottlenecks.asking import RuleWarning
from kb.engine.pipeline import advise
from kb.model import Report

SAMPLE = ROOT / "data" / "samples" / "add_custom"


def fails(*_given: object) -> Any:
    raise ZeroDivisionError("a cell of\nzero")


def with_rule(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> str:
    """A rule that fails in place of one that holds on the sample; the id of it."""
    first = report().findings[0].pattern
    rules = dict(bottlenecks.registry())
    rules[first] = replace(rules[first], **changes)
    monkeypatch.setattr(diagnose, "registry", lambda: rules)
    return first


def report() -> Report:
    return advise([SAMPLE])


@pytest.fixture
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleWarning)
        yield


@pytest.mark.parametrize("part", ["judge", "applies"])
@pytest.mark.usefixtures("quiet")
def test_a_rule_that_fails_is_listed_and_the_others_are_asked(
    monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    before = report()
    id = with_rule(monkeypatch, **{part: fails})
    after = report()
    (item,) = [item for item in after.not_judged if item.id == id]
    assert "ZeroDivisionError: a cell of zero" in item.reason and "fault in kb" in item.reason
    assert item.collect == ""
    others = {finding.pattern for finding in before.findings} - {id}
    children = {name for name in others if bottlenecks.registry()[name].parent == id}
    assert others - children <= {finding.pattern for finding in after.findings}


@pytest.mark.usefixtures("quiet")
def test_a_rule_of_the_run_that_fails_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = judging.Bottleneck("host-bound", "why", judge_run=fails)
    monkeypatch.setattr(diagnose, "registry", lambda: {rule.id: rule})
    found = diagnose.diagnose(judging.Features(None, {}), [], "run")
    assert [item.id for item in found.not_judged] == ["host-bound"]
    assert found.not_judged[0].reason.startswith("its rule failed on the run: ZeroDivisionError")


def test_here_a_rule_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test of this suite passes over a rule that fails, whatever else it asks for."""
    with_rule(monkeypatch, judge=fails)
    with pytest.raises(RuleWarning, match="ZeroDivisionError"):
        report()


def test_the_command_says_so_and_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("KB_DB", str(tmp_path / "runs.db"))
    id = with_rule(monkeypatch, judge=fails)
    with warnings.catch_warnings():
        warnings.simplefilter("always", RuleWarning)
        assert cli.main(["advise", str(SAMPLE), "--lang", "en"]) == 0
    shown = capsys.readouterr()
    assert f"kb: {id} was not judged: its rule failed on " in shown.err and "Traceback" not in shown.err
    assert "ZeroDivisionError: a cell of zero" in " ".join(shown.out.split())
