"""The page of a comparison: verdict first, then what differs, operators, what moved inside, findings, waterfall."""

from __future__ import annotations

from collections.abc import Iterator

from kb import units
from kb.comparison import Change, Comparison, Total
from kb.report.catalogue import say
from kb.report.comparison import words
from kb.report.page import Bar, Bars, Block, Code, Fields, Heading, Items, Page, Para, Table

ROWS = 20  # operators in the table
MOVED = 3  # operators whose readings are listed, those that changed most
TROUBLES = 12
VISIBLE = 0.25  # of the largest level, that the steps should span


def comparison_page(found: Comparison, lang: str) -> Page:
    """Everything a comparison says, in one language."""
    steps = _steps(found, lang)
    blocks = (*first(found, lang), *details(found, lang), *steps, *last(found, lang))
    return Page(words.headline(found, lang), blocks, lang=lang)


def first(found: Comparison, lang: str) -> Iterator[Block]:
    """What was compared, the difference, and whether it may be believed."""
    yield Fields(tuple(_facts(found, lang)))
    other = [words.check_text(check, lang) for check in found.checks if check.state == "differs"]
    if other:
        yield Heading(say("compare.head.checks", lang))
        yield Items(tuple(other))
        if found.verdict == "not-comparable":
            yield Para(say("compare.numbers", lang))


def details(found: Comparison, lang: str) -> Iterator[Block]:
    """Operators, what moved inside them, findings."""
    yield from _operators(found, lang)
    moved = [
        words.moved_text(item, reading, lang) for item in by_weight(found) for reading in item.moved
    ]  # fmt: skip
    if moved:
        yield Heading(say("compare.head.moved", lang))
        yield Items(tuple(moved))
    if found.findings:
        yield Heading(say("compare.head.findings", lang))
        yield Items(tuple(words.trouble_text(item, lang) for item in found.findings[:TROUBLES]))


def last(found: Comparison, lang: str) -> Iterator[Block]:
    """What to do next."""
    runs = (found.before.run, found.after.run)
    if all(runs) and runs[0] != runs[1] and found.verdict != "not-comparable":
        yield Heading(say("head.next", lang))
        yield Para(say("compare.applied", lang))
        yield Code(f"kb outcome {found.before.run} {found.after.run} --applied ID", "sh")


def _steps(found: Comparison, lang: str) -> Iterator[Block]:
    if len(found.waterfall) > 1 and found.total is not None:
        yield Heading(say("compare.head.waterfall", lang))
        bars = waterfall(found, found.total, lang)
        yield bars
        if bars.origin:
            yield Para(say("compare.scale", lang, time=units.us(bars.origin)), quiet=True)


def _facts(found: Comparison, lang: str) -> Iterator[tuple[str, str]]:
    yield say("compare.before", lang), words.side_text(found.before, lang)
    yield say("compare.after", lang), words.side_text(found.after, lang)
    if found.total is not None:
        yield say("label.time", lang), words.total_text(found.total, lang)
        yield say("compare.whole", lang), words.whole_text(found, lang)
        yield say("compare.band", lang), words.band_text(found.total.band, lang)
    if found.parts is not None:
        yield say("compare.part.compute", lang), words.part_text(found.parts.compute, lang)
        text = words.part_text(found.parts.collectives, lang)
        yield say("compare.part.collectives", lang), say("compare.part.collectives.text", lang, text=text)
    if found.elapsed is not None:
        yield say("compare.elapsed", lang), words.total_text(found.elapsed, lang)
    yield say("compare.comparable", lang), words.alike_text(found, lang)
    yield say("compare.limit", lang), words.gate_text(found, lang)


def _operators(found: Comparison, lang: str) -> Iterator[Block]:
    quiet = [item for item in found.changes if item.verdict == "within-noise"]
    told = [item for item in found.changes if item.verdict != "within-noise"] or quiet[:ROWS]
    yield Heading(say("compare.head.operators", lang))
    if len(told) == len(quiet) > 1:
        yield Para(say("compare.same", lang))
    heads = (
        "label.operator",
        "compare.before",
        "compare.after",
        "compare.change",
        "compare.band",
        "compare.verdict",
    )
    rows = tuple(_cells(item, found, lang) for item in told[:ROWS])
    yield Table(tuple(say(head, lang) for head in heads), rows, frozenset({1, 2, 3, 4}))
    if len(told) > ROWS:
        yield Para(say("count.more", lang, count=len(told) - ROWS), quiet=True)
    if quiet and told[0].verdict != "within-noise":
        yield Para(say("compare.more", lang, count=len(quiet)), quiet=True)


def _cells(item: Change, found: Comparison, lang: str) -> tuple[str, ...]:
    return (
        words.operator_text(item, found),
        units.us(item.before.time_us) if item.before else "",
        units.us(item.after.time_us) if item.after else "",
        words.signed(item.change) if item.change is not None else "",
        f"±{item.band.value * 100:.1f} %" if item.band else "",
        words.verdict_text(item, found, lang),
    )


def by_weight(found: Comparison) -> list[Change]:
    """The operators whose readings are told: those that changed the total most."""
    moved = [item for item in found.changes if item.moved]
    return sorted(moved, key=lambda item: (-abs(item.delta_us), item.name))[:MOVED]


def waterfall(found: Comparison, total: Total, lang: str) -> Bars:
    """The steps from the total before to the total after."""
    rows = [Bar(say("compare.before", lang), units.us(total.before_us), 0.0, total.before_us, "whole")]
    for step in found.waterfall:
        sign = "+" if step.delta_us > 0 else "-"
        tone = "worse" if step.delta_us > 0 else "better"
        value = f"{sign}{units.us(abs(step.delta_us))}"
        rows.append(Bar(step.label or say("compare.rest", lang), value, step.from_us, step.to_us, tone))
    rows.append(Bar(say("compare.after", lang), units.us(total.after_us), 0.0, total.after_us, "whole"))
    return Bars(
        tuple(rows), _origin([total.before_us, total.after_us, *(step.to_us for step in found.waterfall)])
    )


def _origin(levels: list[float]) -> float:
    """Where the scale begins: at nothing, unless all steps would be too small to see."""
    low, high = min(levels), max(levels)
    return low - (high - low) / 2 if high - low < VISIBLE * high else 0.0
