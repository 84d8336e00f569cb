"""The forecast of a network as blocks of a page: the total, the operators, what was checked, what was taken for granted."""

from __future__ import annotations

from collections.abc import Iterator

from kb import units
from kb.addition import plain_sum
from kb.forecast import Forecast, ForecastOperator
from kb.report.catalogue import say
from kb.report.page import Block, Fields, Heading, Items, Para, Table
from kb.report.sentences import tell, tell_all

WITH_WORK, LISTED = (
    100,
    130,
)  # columns from which operations and bytes, and single calls with their advice, are shown
NARROW = 64  # columns below which only time and share are shown
FIGURES = frozenset({"count", "time", "range", "share", "flops", "bytes"})
MOST_TYPES = 15


def blocks(forecast: Forecast, lang: str, *, most: int = 12, room: int = 200) -> tuple[Block, ...]:
    """The whole forecast for a page of `room` columns; `most` calls are listed with their shapes where there is room."""
    out: list[Block] = [
        Heading(say("forecast.head", lang), say("forecast.note", lang)),
        Fields(tuple(facts(forecast, lang))),
        *type_blocks(forecast, lang, room=room),
    ]
    if room > LISTED:
        out += [Heading(say("forecast.hot", lang)), *call_blocks(forecast, lang, most=most)]
    return (*out, *ground_blocks(forecast, lang))


def ground_blocks(forecast: Forecast, lang: str) -> Iterator[Block]:
    """What has no time, what was checked, and what was taken for granted."""
    missing = tuple(_missing(forecast, lang))
    if missing:
        yield Heading(say("forecast.missing", lang))
        yield Items(missing)
    if forecast.checks:
        yield Heading(say("forecast.checks", lang))
        yield Items(tuple(_check(check.name, check.text, check.holds, lang) for check in forecast.checks))
    yield Heading(say("forecast.assumptions", lang))
    yield Items(tell_all((*forecast.doubts, *forecast.assumptions), lang))


def type_blocks(forecast: Forecast, lang: str, *, room: int = 200) -> Iterator[Block]:
    """Operator types by falling time; further columns where there is room for them."""
    groups: dict[tuple[str, str], list[ForecastOperator]] = {}
    for row in forecast.operators:
        if row.mid_us is not None:
            groups.setdefault((row.type, row.engine), []).append(row)
    keys = (
        ["type", "count", "time", "range", "share", "bound"] if room >= NARROW else ["type", "time", "share"]
    )
    keys += ["flops", "bytes"] if room >= WITH_WORK else []
    keys += ["advice"] if room > LISTED else []
    rows = sorted(groups.values(), key=lambda members: -plain_sum(row.mid_us or 0.0 for row in members))
    cells = tuple(tuple(_summed(members, lang)[key] for key in keys) for members in rows[:MOST_TYPES])
    heads = tuple(say(f"forecast.{key}", lang) for key in keys)
    yield Table(heads, cells, numeric=frozenset(at for at, key in enumerate(keys) if key in FIGURES))
    if len(rows) > MOST_TYPES:
        yield Para(say("count.more", lang, count=len(rows) - MOST_TYPES), quiet=True)


def call_blocks(forecast: Forecast, lang: str, *, most: int = 12) -> Iterator[Block]:
    """The calls that take longest, equal ones together, with shapes."""
    known = [row for row in forecast.operators if row.mid_us is not None]
    keys = ("type", "name", "shapes", "count", "time", "range", "share", "flops", "bytes", "bound")
    cells = tuple(
        tuple({**_summed([row], lang), "name": row.name, "shapes": row.shapes}[key] for key in keys)
        for row in known[:most]
    )
    heads = tuple(say(f"forecast.{key}", lang) for key in keys)
    yield Table(heads, cells, numeric=frozenset({3, 4, 5, 6, 7, 8}))
    if len(known) > most:
        yield Para(say("count.more", lang, count=len(known) - most), quiet=True)


def total_text(forecast: Forecast) -> str:
    """The time of a batch with its range."""
    low, mid, high = (units.us(value) for value in (forecast.low_us, forecast.mid_us, forecast.high_us))
    return f"{mid} ({low} - {high})"


def facts(forecast: Forecast, lang: str) -> Iterator[tuple[str, str]]:
    """Chip, total, rate, kernels and where the time goes, as labels with values."""
    yield say("label.chip", lang), forecast.soc
    missing = sum(row.count for row in forecast.operators if row.not_estimated is not None)
    total = total_text(forecast)
    if missing:
        total = say("forecast.without", lang, total=total, missing=missing, calls=forecast.calls)
    yield say("forecast.total", lang), total
    if forecast.samples and forecast.mid_us > 0:
        per_s = forecast.samples / forecast.mid_us * 1e6
        rate = f"{per_s:.0f}" if per_s >= 100 else f"{per_s:.3g}"
        yield say("forecast.rate", lang), say("forecast.rate_text", lang, rate=rate, batch=forecast.samples)
    engines = " · ".join(
        f"{say(f'engine.{_engine(name)}', lang)} {count}" for name, count in forecast.engines.items()
    )
    yield say("forecast.kernels", lang), f"{forecast.calls}: {engines}"
    shares = [
        f"{tell(name, lang)} {units.percent(share)}"
        for name, share in forecast.bounds.items()
        if share >= 0.005
    ]
    yield say("forecast.goes", lang), ", ".join(shares)


def _engine(name: str) -> str:
    known = ("ai_core", "ai_cpu", "dsa", "dvpp", "host", "no_importer", "no_kernel")
    return name if name in known else "unknown"


def _summed(rows: list[ForecastOperator], lang: str) -> dict[str, str]:
    """The cells of one line, for rows of one type and engine."""
    low, mid, high = (
        plain_sum(getattr(row, name) or 0.0 for row in rows) for name in ("low_us", "mid_us", "high_us")
    )
    bounds: dict[str, float] = {}
    for row in rows:
        bounds[row.bound] = bounds.get(row.bound, 0.0) + (row.mid_us or 0.0)
    flops = [row.flops for row in rows if row.flops is not None]
    moved = [row.bytes for row in rows if row.bytes is not None]
    name, engine = rows[0].type, rows[0].engine
    return {
        "type": name if engine == "ai_core" else f"{name} ({say(f'engine.{_engine(engine)}', lang)})",
        "count": str(sum(row.count for row in rows)),
        "time": units.us(mid),
        "range": units.us_range(low, high),
        "share": units.percent(plain_sum(row.share or 0.0 for row in rows)),
        "bound": tell(max(bounds, key=lambda bound: bounds[bound]), lang),
        "flops": units.operations(plain_sum(flops)) if flops else "",
        "bytes": units.nbytes(plain_sum(moved)) if moved else "",
        "advice": ", ".join(list(dict.fromkeys(id for row in rows for id in row.advice))[:3]),
    }


def _missing(forecast: Forecast, lang: str) -> Iterator[str]:
    reasons: dict[str, dict[str, int]] = {}
    for row in forecast.operators:
        if row.not_estimated is not None:
            types = reasons.setdefault(row.not_estimated, {})
            types[row.type] = types.get(row.type, 0) + row.count
    for reason, types in reasons.items():
        names = ", ".join(f"{name} x{count}" for name, count in sorted(types.items()))
        yield f"{names}: {tell(reason, lang)}"


def _check(name: str, text: str, holds: bool | None, lang: str) -> str:
    verdict = say({True: "forecast.holds", False: "forecast.doubtful", None: "forecast.open"}[holds], lang)
    return f"{tell(name, lang)}: {tell(text, lang)} ({verdict})"
