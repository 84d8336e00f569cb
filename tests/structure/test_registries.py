"""The registries equal the vocabulary, and every limit of the table is used."""

from __future__ import annotations

import ast
import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from kb import operators
from kb.engine import bottlenecks, metrics, operator_fit, tensors
from kb.engine.bottlenecks import (
    discrete_gm_access,
    epilogue_in_separate_kernel,
    pure_transport_with_vector_time,
    unfused_chain,
)
from kb.engine.bottlenecks.judging import limit, thresholds
from kb.engine.estimate import classes
from kb.engine.metrics import identity, work
from kb.model import EntryKind, Grade, Text3
from kb.vocabulary import entries, work_patterns
from kb.vocabulary.bottlenecks import ADDED, IDS, PATTERNS
from kb.vocabulary.metrics import BY_ID, METRICS

FOLDER = Path(bottlenecks.__file__).parent
MODULES = sorted(
    path
    for path in FOLDER.glob("*.py")
    if path.stem not in {"__init__", "asking", "copies", "diagnose", "gate", "judging", "trial"}
)


def test_metrics_define_the_vocabulary_once_each() -> None:
    defined = Counter(name for topic in metrics.TOPICS for name in topic.DEFINES) + Counter(metrics.LABELS)
    assert [name for name, times in defined.items() if times > 1] == []
    assert set(defined) == set(BY_ID)


def test_vocabulary_names_each_metric_once_with_unit_and_meaning() -> None:
    assert len(BY_ID) == len(METRICS)
    assert [metric.id for metric in METRICS if not metric.meaning] == []
    assert {metric.kind for metric in METRICS} <= {"number", "label"}
    labels = {metric.id for metric in METRICS if metric.kind == "label"}
    assert labels == set(metrics.LABELS)


def patterns_asked() -> Iterator[tuple[str, str]]:
    """Work patterns that the code looks for: in calls of `pattern_in` and `startswith`, and in the lists of the classes."""
    for path in sorted((FOLDER.parent).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "pattern_in":
                for word in node.args[1:]:
                    if isinstance(word, ast.Constant):
                        yield path.name, str(word.value)
    for where, words in (
        ("work_patterns.py", work_patterns.ALL_PRODUCTS), ("work.py", (*work._PARTIAL, *work._WHOLE)),
        ("operator_fit.py", itertools.chain(*operator_fit.FAMILY_KIN.values(), *operator_fit._KIN)),
        ("classes.py", classes._BY_PATTERN), ("tensors.py", tensors._SAME_SHAPE),
        ("discrete_gm_access.py", discrete_gm_access.PATTERNS), ("unfused_chain.py", unfused_chain.PATTERNS),
        ("pure_transport_with_vector_time.py", pure_transport_with_vector_time.PATTERNS),
        ("epilogue_in_separate_kernel.py", epilogue_in_separate_kernel.WORK),
    ):  # fmt: skip
        yield from ((where, word) for word in words)


def test_work_patterns_that_are_looked_for_exist() -> None:
    named = {row["pattern"] for table in ("op_types", "extra_types") for row in operators.rows(table)}
    named |= {pattern for _, pattern in identity._WORDS}
    asked = sorted(set(patterns_asked()))
    assert len(asked) > 100
    assert [item for item in asked if not any(name.startswith(item[1]) for name in named)] == []


def test_no_id_is_declared_twice() -> None:
    assert len(set(IDS)) == len(IDS) == len(PATTERNS) + len(ADDED)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_bottleneck_lies_in_the_module_of_its_name(path: Path) -> None:
    assert path.stem.replace("_", "-") in bottlenecks.registry()


@pytest.mark.parametrize("id", IDS)
def test_a_bottleneck_is_judged_one_way_and_names_only_what_exists(id: str) -> None:
    found = bottlenecks.registry()[id]
    assert (found.judge is None) != (found.judge_run is None)
    assert {*found.yields_to, *filter(None, [found.parent])} <= set(IDS) - {id}


def limits_used() -> set[tuple[str, str]]:
    """(bottleneck, name) of every `limit(...)` call; a name held in a loop variable counts for each of the loop's words."""
    used: set[tuple[str, str]] = set()
    for path in FOLDER.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        words = {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if getattr(call.func, "id", getattr(call.func, "attr", "")) != "limit":
                continue
            owner, name = call.args
            assert isinstance(owner, ast.Constant), (
                f"{path.name}:{call.lineno}: the bottleneck is not written out"
            )
            names = (
                {name.value}
                if isinstance(name, ast.Constant)
                else {n for o, n in thresholds() if o == owner.value and n in words}
            )
            used |= {(owner.value, n) for n in names}
    return used


def test_every_limit_used_is_in_the_table_and_every_row_is_used() -> None:
    assert limits_used() == set(thresholds())


def test_an_unknown_limit_is_an_error() -> None:
    with pytest.raises(KeyError):
        limit("mte3-bound-vector", "no-such-name")


def test_no_limit_is_listed_twice() -> None:
    lines = [
        line
        for line in (FOLDER / "thresholds.tsv").read_text(encoding="utf-8").splitlines()
        if line[:1] != "#"
    ]
    assert len(lines) - 1 == len(thresholds())


def test_closed_lists_of_entries_are_those_of_the_types() -> None:
    assert get_args(EntryKind) == entries.KINDS
    assert get_args(Grade) == entries.GRADES
    assert tuple(field.name for field in dataclasses.fields(Text3)) == entries.LANGUAGES
