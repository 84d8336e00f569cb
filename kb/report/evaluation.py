"""Scores of search and of the cost model on known answers, as pages; `kb.benchmark.report` has those of advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kb.report.catalogue import say
from kb.report.page import Block, Fields, Heading, Page, Para, Table

if TYPE_CHECKING:
    from kb.knowledge.evaluate import Scores

SCHEMA = "kb.eval/1"
Row = dict[str, Any]


def search_rows(results: Mapping[str, Mapping[str, Scores]]) -> list[Row]:
    """The scores, a row each way of searching and group of questions."""
    return [
        {"way": way, "group": group, **scores._asdict()}
        for way, groups in results.items()
        for group, scores in groups.items()
    ]


def search_page(
    rows: Sequence[Row], lost: Sequence[str], first: int, worse: Mapping[str, tuple[float, float]],
    alike: Mapping[str, Any], *, size: int, lang: str,
) -> Page:  # fmt: skip
    """The scores of search, and the figures that got `worse` than their floor.

    `lost` are those of `size` entries that no question has among its `first` answers; 0: nobody asked for them. `alike`
    tells how far another index answers alike; empty: nobody asked.
    """
    cells = tuple(
        (row["way"], row["group"], str(row["questions"]), *(f"{row[key]:.3f}" for key in list(row)[3:]))
        for row in rows
    )
    heads = tuple(rows[0]) if rows else ()
    blocks: list[Block] = [Table(heads, cells, frozenset(range(2, len(heads))))] if rows else []
    if alike:
        mean, lowest = (f"{alike[name]:.3f}" for name in ("mean", "lowest"))
        blocks.append(Para(say("eval.agreement", lang, **{**alike, "mean": mean, "lowest": lowest})))
    if first:
        text = say("eval.unreached", lang, k=first, count=len(lost), all=size)
        blocks += [Heading(text), Table(("id",), tuple((name,) for name in lost))]
    blocks += [
        Para(say("eval.below", lang, name=name, found=f"{found:.3f}", least=f"{bound:.3f}"))
        for name, (found, bound) in worse.items()
    ]
    return Page(say("eval.search", lang, count=rows[0]["questions"] if rows else 0), tuple(blocks), lang=lang)


def estimate_page(rows: Sequence[Row], *, cross: bool, lang: str) -> Page:
    """The scores of the cost model on measured times; with `cross` those on the part left out of the fit too."""
    heads: tuple[str, ...] = ("kind", "by", "group", "rows", "share", "error", "covered")
    heads += ("cross_error", "cross_covered") if cross else ()
    cells = tuple(tuple(_cell(row.get(head)) for head in heads) for row in rows)
    return Page(
        say("eval.estimate", lang, count=sum(row["rows"] for row in rows if row["by"] == "chip")),
        (Table(heads, cells, frozenset(range(3, len(heads)))),) if rows else (),
        lang=lang,
    )


def networks_page(rows: Sequence[Row], summary: Mapping[str, Any], *, cross: bool, lang: str) -> Page:
    """The scores of the cost model on whole networks, summed up and one by one."""
    heads: tuple[str, ...] = ("network", "batch", "measured_us", "mid_us", "low_us", "high_us", "factor")
    heads += ("cross_factor",) if cross else ()
    cells = tuple(tuple(_short(row.get(head)) for head in heads) for row in rows)
    return Page(
        say("eval.networks", lang, count=len(rows)),
        (
            Fields(tuple((name, _cell(value)) for name, value in summary.items())),
            Table(heads, cells, frozenset(range(1, 8))),
        ),
        lang=lang,
    )


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.0f}" if value >= 100 else f"{value:.2f}"
    return _cell(value)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return "" if value is None else str(value)
