"""The quality of advice does not fall: figures against `tests/benchmarks/advice/floor.json`.

Better figures are welcome: raise the floor with
`kb eval advice --format json` (the members `figures` of its sections), never lower it without saying why.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.benchmark import advice, report
from kb.benchmark.scores import Scores, below_floor
from kb.engine.pipeline import Knowledge, open_knowledge

FOLDER = Path(__file__).parent.parent / "benchmarks" / "advice"
RAISE = "if this is a change for the better elsewhere, say so and edit tests/benchmarks/advice/floor.json"


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return open_knowledge()


@pytest.fixture(scope="module")
def scores(knowledge: Knowledge) -> Scores:
    return advice.run(knowledge)


def test_nothing_is_below_the_floor(scores: Scores) -> None:
    worse = below_floor(scores.figures(), report.read_floor(FOLDER / "floor.json"))
    assert not worse, f"{'; '.join(worse)}: {RAISE}"


def test_every_section_has_cases_and_a_floor(scores: Scores) -> None:
    floor = report.read_floor(FOLDER / "floor.json")
    assert {section.name for section in scores.sections} | {"real"} == set(floor)
    for section in scores.sections:
        assert section.cases > 0
        assert set(section.figures) == set(floor[section.name]), section.name


def test_recipes_left_out_are_counted(scores: Scores) -> None:
    (recipes,) = (section for section in scores.sections if section.name == "recipes")
    assert recipes.left_out and all("absolute time" in text for text in recipes.left_out)


def test_real_captures_are_not_below_the_floor(knowledge: Knowledge, shared_profiles: Path) -> None:
    from kb.benchmark import real

    section = advice.real_section(knowledge, real.load(FOLDER / "real.yaml", shared_profiles))
    assert section.cases and not section.left_out
    worse = below_floor({"real": section.figures}, report.read_floor(FOLDER / "floor.json"))
    assert not worse, f"{'; '.join(worse)}: {RAISE}"
