"""The ranks of a job as blocks of a page: how many were read, which are slow, how they differ, what they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kb import units
from kb.model import Job, Over
from kb.report.catalogue import say
from kb.report.page import Block, Fields, Heading, Items, Para, Table
from kb.report.sentences import tell, tell_all

LISTED = 10  # slow, held up and lost ranks and bottlenecks in a view; the JSON document has all
NARROW = 64  # columns below which the ranks with the extremes are not named
FIGURES = {
    "compute_us": "job.figure.compute_us",
    "communication_share": "job.figure.communication_share",
    "exposed_share": "job.figure.exposed_share",
    "hidden_share": "job.figure.hidden_share",
    "idle_share": "job.figure.idle_share",
    "wait_ratio": "job.figure.wait_ratio",
}
ROOM_FOR_TYPES = 110  # columns from which the operators that take a slow rank longer stand beside it


def blocks(job: Job, lang: str, *, room: int = 200) -> Iterator[Block]:
    """The whole section for a page of `room` columns."""
    yield Fields(tuple(_facts(job, lang)))
    yield from _lost(job, lang)
    yield from _slow(job, lang, room)
    yield from _held_up(job, lang)
    yield from _differ(job, lang, room)
    yield from _common(job, lang, room)
    if job.not_judged:
        yield Heading(say("job.unjudged", lang))
        yield Items(tell_all(job.not_judged, lang))


def _facts(job: Job, lang: str) -> Iterator[tuple[str, str]]:
    read = job.found - len(job.lost)
    text = say("job.ranks.lost", lang, read=read, found=job.found) if job.lost else str(job.found)
    yield say("job.ranks", lang), text
    if job.stages:
        named = " | ".join(_named(stage, lang) for stage in job.stages)
        text = say("job.stages.text", lang, count=len(job.stages), ranks=named)
        yield say("job.stages", lang), text
    if job.imbalance is not None:
        key = "job.imbalance.stages" if job.stages else "job.imbalance.text"
        yield say("job.imbalance", lang), say(key, lang, value=units.percent(job.imbalance))
        if not job.slow and job.limit is not None:
            text = say("job.slow.none", lang, limit=units.percent(job.limit))
            yield say("job.slow", lang), text


def _named(stage: Sequence[str], lang: str) -> str:
    more = f" {say('count.more', lang, count=len(stage) - LISTED)}" if len(stage) > LISTED else ""
    return ", ".join(stage[:LISTED]) + more


def _lost(job: Job, lang: str) -> Iterator[Block]:
    if not job.lost:
        return
    yield Heading(say("job.lost", lang))
    yield Items(tuple(f"{rank.name} ({rank.where}): {tell(rank.reason, lang)}" for rank in job.lost[:LISTED]))
    yield from _more(len(job.lost), lang)


def _slow(job: Job, lang: str, room: int) -> Iterator[Block]:
    if not job.slow or job.limit is None:
        return
    yield Heading(say("job.slow", lang), say("job.slow.note", lang, limit=units.percent(job.limit)))
    wide = room >= ROOM_FOR_TYPES
    keys = ["job.rank", "job.figure.compute_us", "job.median", "job.over", *(["job.longer"] if wide else [])]
    rows = []
    for rank in job.slow[:LISTED]:
        cells = [rank.name, units.us(rank.compute_us), units.us(rank.median_us), units.percent(rank.over)]
        types = (
            say(
                "job.longer.type", lang,
                type=item.type, time=units.us(item.time_us), median=units.us(item.median_us),
            )
            for item in rank.types
        )  # fmt: skip
        rows.append((*cells, ", ".join(types)) if wide else tuple(cells))
    yield Table(tuple(say(key, lang) for key in keys), tuple(rows), frozenset({1, 2, 3}))
    yield from _more(len(job.slow), lang)


def _held_up(job: Job, lang: str) -> Iterator[Block]:
    if not job.held_up or job.limit is None:
        return
    yield Heading(say("job.held_up", lang), say("job.held_up.note", lang, limit=units.percent(job.limit)))
    rows = tuple(
        (rank.name, units.percent(rank.idle_share), units.percent(rank.median_share))
        for rank in job.held_up[:LISTED]
    )
    heads = (say(key, lang) for key in ("job.rank", "job.figure.idle_share", "job.median"))
    yield Table(tuple(heads), rows, frozenset({1, 2}))
    yield from _more(len(job.held_up), lang)


def _differ(job: Job, lang: str, room: int) -> Iterator[Block]:
    if not job.figures:
        return
    yield Heading(say("job.differ", lang))
    rows = []
    for name, text in FIGURES.items():
        if (over := job.figures.get(name)) is not None:
            low, high = (_extreme(over, end, room) for end in ("low", "high"))
            rows.append((say(text, lang), _figure(over.median, over), low, high))
    heads = ("", *(say(key, lang) for key in ("job.median", "job.low", "job.high")))
    yield Table(heads, tuple(rows), frozenset({1, 2, 3}))


def _extreme(over: Over, end: str, room: int) -> str:
    value, rank = (over.low, over.lowest) if end == "low" else (over.high, over.highest)
    text = _figure(value, over)
    return f"{text} ({rank})" if room >= NARROW and over.ranks > 1 else text


def _figure(value: float, over: Over) -> str:
    return units.us(value) if over.unit == "us" else units.percent(value)


def _common(job: Job, lang: str, room: int) -> Iterator[Block]:
    if not job.common:
        return
    read = job.found - len(job.lost)
    yield Heading(say("job.common", lang), say("job.common.note", lang))
    rows = tuple(
        (
            item.pattern,
            say("job.whereof", lang, count=item.ranks, all=read),
            units.percent(item.share.median),
            _extreme(item.share, "high", room),
        )
        for item in job.common[:LISTED]
    )
    heads = ("", *(say(key, lang) for key in ("job.where", "job.median", "job.high")))
    yield Table(heads, rows, frozenset({1, 2, 3}))
    yield from _more(len(job.common), lang)


def _more(count: int, lang: str) -> Iterator[Block]:
    if count > LISTED:
        yield Para(say("count.more", lang, count=count - LISTED), quiet=True)
