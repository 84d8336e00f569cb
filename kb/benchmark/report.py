"""The scores as a page for people and as a document."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kb.benchmark.scores import LOWER_IS_BETTER, Scores
from kb.errors import SourceError
from kb.model import to_dict
from kb.report.catalogue import say
from kb.report.page import Block, Heading, Items, Page, Table
from kb.textfile import read_text

Floor = Mapping[str, Mapping[str, float]]


def read_floor(path: Path) -> Floor:
    """Figures by section and name, as a floor file holds them.

    Raises:
        SourceError: unreadable, or no such figures.
    """
    try:
        data = json.loads(read_text(path))
        return {str(a): {str(b): float(value) for b, value in figures.items()} for a, figures in data.items()}
    except (ValueError, AttributeError, TypeError) as fault:
        raise SourceError(
            f"floor unreadable: {fault}", where=str(path), now='give {"section": {"figure": number}} in JSON'
        ) from fault


def document(scores: Scores, worse: Sequence[str]) -> dict[str, Any]:
    """The scores as `kb.eval-advice/1`."""
    return {"schema": "kb.eval-advice/1", "worse": list(worse), "sections": to_dict(scores.sections)}


def page(scores: Scores, worse: Sequence[str], floor: Floor, lang: str) -> Page:
    """The figures as a table, then what missed."""
    rows = [
        (section.name, str(section.cases), name, _shown(name, value), _least(floor, section.name, name))
        for section in scores.sections
        for name, value in section.figures.items()
    ]
    blocks: list[Block] = [
        Table(("section", "cases", "figure", "value", "floor"), tuple(rows), frozenset({1, 3, 4}))
    ]
    if worse:
        blocks += [Heading(say("eval.worse", lang)), Items(tuple(worse))]
    misses = [
        f"{failure.section}, {failure.case}: wanted {failure.wanted}; got {failure.got}"
        for section in scores.sections
        for failure in section.failures
    ]
    left_out = [text for section in scores.sections for text in section.left_out]
    for key, items in (("eval.misses", misses), ("eval.left_out", left_out)):
        if items:
            blocks += [Heading(say(key, lang), str(len(items))), Items(tuple(items))]
    return Page(say("eval.advice", lang), tuple(blocks), lang=lang)


def _shown(name: str, value: float) -> str:
    return f"{value:.0f}" if name in LOWER_IS_BETTER else f"{value:.3f}"


def _least(floor: Floor, section: str, name: str) -> str:
    value = floor.get(section, {}).get(name)
    return "" if value is None else _shown(name, value)
