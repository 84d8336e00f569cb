"""The page of a coverage check: the answer first, then what needs attention, then everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kb.report.catalogue import say
from kb.report.page import Block, Fields, Heading, Items, Page, Table
from kb.report.sentences import tell, tell_all
from kb.report.translated import title_of

Row = Mapping[str, Any]
ENGINES = (
    "ai_core",
    "ai_cpu",
    "no_importer",
    "no_kernel",
    "unknown",
    "dsa",
    "dvpp",
    "host",
    "needs_no_kernel",
)


def coverage_page(document: Row, lang: str) -> Page:
    """The page of a `kb.check/1` document."""
    rows: Sequence[Row] = document["operators"]
    troubled = [row for row in rows if needs_attention(row)]
    blocks: list[Block] = [Fields(tuple(_facts(document, lang)))]
    if troubled:
        blocks += [
            Heading(say("check.needs_attention", lang)),
            Items(tuple(_trouble(row, lang) for row in troubled)),
        ]
    if document["warnings"]:
        blocks += [Heading(say("head.warnings", lang)), Items(tell_all(document["warnings"], lang))]
    blocks += [Heading(say("head.operators", lang)), _table(rows, lang)]
    noted = [f"{row['type']}: {tell(_stated(row), lang)}" for row in rows if _stated(row)]
    if noted:
        blocks += [Heading(say("check.limits", lang)), Items(tuple(noted))]
    cases = document["similar_cases"]
    if cases:
        blocks += [
            Heading(say("head.cases", lang)),
            Items(
                tuple(
                    f"{title_of(c['id'], c['title'], lang)} ({c['id']}): {tell(c['why'], lang)}"
                    for c in cases
                )
            ),
        ]
    return Page(_title(document, len(troubled), lang), tuple(blocks), note=str(document["model"]), lang=lang)


def needs_attention(row: Row) -> bool:
    """Whether an operator leaves the AI Core, cannot be imported, is unknown, or breaks a stated limit."""
    idle = row["engine"] == "no_kernel" and not row["runs"]
    return bool(row.get("broken")) or (row["engine"] not in ("ai_core", "dsa", "dvpp") and not idle)


def _title(document: Row, troubled: int, lang: str) -> str:
    if not document["importable"]:
        return say("check.not_importable", lang)
    if document["falls_back"] or troubled:
        return say("check.trouble", lang, count=troubled, soc=document["soc"])
    return say("check.all_fine", lang, soc=document["soc"])


def _facts(document: Row, lang: str) -> Iterator[tuple[str, str]]:
    yield say("label.chip", lang), str(document["soc"])
    if document["opset"] is not None:
        yield say("check.opset", lang), str(document["opset"])
    parts = [f"{say(f'engine.{name}', lang)} {count}" for name, count in document["summary"].items()]
    yield say("check.nodes", lang), " · ".join(parts)
    family = document["family"]
    if family is not None:
        confidence = f"{family['confidence']:.2f}"
        yield (
            say("check.family", lang),
            say("check.family_line", lang, name=family["name"], confidence=confidence),
        )
        if family.get("why"):
            yield say("check.why", lang), tell(family["why"], lang)
    yield say("check.tables", lang), tell(str(document["tables"]), lang)


def _trouble(row: Row, lang: str) -> str:
    reasons = _reasons(row, lang) or say(f"engine.{_engine(row)}", lang)
    where = say(f"engine.{_engine(row)}", lang)
    text = f"{row['type']} x{row['count']}: {where}; {reasons}"
    if row.get("nodes"):
        text += f" [{', '.join(row['nodes'][:3])}]"
    if row["remedies"]:
        text += f" -> {', '.join(row['remedies'])}"
    return text


def _reasons(row: Row, lang: str) -> str:
    """What the model breaks, else what the tables state; empty where neither is known."""
    broken = tell_all(row.get("broken", ()), lang)
    return "; ".join(broken) or tell(row["restriction"] or "", lang)


def _table(rows: Sequence[Row], lang: str) -> Table:
    headers = (
        say("label.type", lang), say("check.nodes", lang), say("check.engine", lang), say("check.kernel", lang),
        say("check.opset", lang), say("check.remedy", lang),
    )  # fmt: skip
    cells = tuple(
        (
            f"{row['domain']}::{row['type']}" if row.get("domain") else row["type"],
            str(row["count"]),
            say(f"engine.{_engine(row)}", lang),
            ", ".join(row.get("kernels", ())[:2]),
            row.get("opsets", ""),
            ", ".join(row["remedies"][:2]),
        )
        for row in rows
    )
    return Table(headers, cells, numeric=frozenset({1}))


def _engine(row: Row) -> str:
    """Which of the engines to name; an engine of a later version is unknown here."""
    if row["engine"] == "no_kernel" and not row["runs"]:
        return "needs_no_kernel"
    return str(row["engine"]) if row["engine"] in ENGINES else "unknown"


def _stated(row: Row) -> str:
    """What the tables state as a limit of the operator, beyond what this model breaks."""
    text = row["restriction"] or ""
    return str(text).removeprefix("; ".join(row.get("broken", ()))).removeprefix("; ")
