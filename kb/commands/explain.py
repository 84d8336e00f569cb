"""`kb explain`: a bottleneck, what helps against it and what does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from kb.commands._console import Common, show

if TYPE_CHECKING:
    from kb.model import Entry

PANEL, ORDER = "Knowledge base", 4


def run(
    common: Common,
    bottleneck: Annotated[
        str,
        typer.Argument(
            metavar="BOTTLENECK", help="Id of a bottleneck, as reports print it beside a finding."
        ),
    ],
) -> int:
    """Explain a bottleneck: its signs, what helps, what does not.

    Also lists the case studies that show it. Bottleneck ids stand beside the findings of every report.

    Examples:
      kb explain scalar-bound-vector
      kb list --kind pattern            all bottlenecks
    """
    from kb.knowledge.near import known_bottlenecks, no_such_id
    from kb.knowledge.store import load_entries

    entries = load_entries()
    known = known_bottlenecks(entries.values())
    if bottleneck not in known:
        raise no_such_id("bottleneck", bottleneck, known)
    _print(common, bottleneck, entries)
    return 0


def _print(common: Common, bottleneck: str, entries: Mapping[str, Entry]) -> None:
    from kb.report.explained import explained

    page, document = explained(bottleneck, entries, _judged(bottleneck), common.lang)
    show(common, page, document)


def _judged(bottleneck: str) -> list[dict[str, str]]:
    """The inputs of the judgement with their formulas, and its limits with their sources."""
    from kb.engine.bottlenecks import registry
    from kb.engine.bottlenecks.judging import thresholds
    from kb.units import number
    from kb.vocabulary.metrics import BY_ID

    rule = registry().get(bottleneck)
    if rule is None:
        return []
    needs = [name for need in rule.needs for name in need.split("|")]
    if any(name.startswith("floor") for name in needs):
        needs += [name for name in ("floor_us", "memory_floor_us", "compute_floor_us") if name not in needs]
    inputs = [{"kind": "input", "metric": name, "meaning": BY_ID[name].meaning} for name in needs]
    limits = [
        {
            "kind": "limit",
            "name": name,
            "value": number(item.value, item.unit),
            "source": f"{item.source}; {item.grade}",
        }
        for (owner, name), item in thresholds().items()
        if owner == bottleneck
    ]
    return inputs + limits
