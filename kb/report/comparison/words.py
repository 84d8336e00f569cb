"""A comparison in words: the sentences that every view for people shares."""

from __future__ import annotations

from kb import units
from kb.comparison import Band, Change, Check, Comparison, FindingChange, Moved, RunSide, Total
from kb.report.catalogue import say
from kb.report.named import chip_name
from kb.report.text import clean, shorten

# Known only where a run has several of them, or where somebody set it: no news when nobody knows.
SILENT = ("level", "warm-up", "cann", "ranks", "work", "operators")
NAMED = 10  # operators that a limit names
LONG = 60  # columns of a value that a condition is compared by


def signed(fraction: float) -> str:
    """A change in percent with its sign: -4.5 %, +12.0 %."""
    value, digits = fraction * 100, 1
    while value > -100.0 and round(value, digits) == -100.0 and digits < 9:
        digits += 1  # what still takes time did not fall by 100 %
    return f"{round(value, digits) or 0.0:+.{digits}f} %"


def headline(found: Comparison, lang: str) -> str:
    """The verdict in one sentence."""
    total = found.total
    if found.verdict == "not-comparable" or total is None:
        reasons = list(dict.fromkeys(dimension(check, lang) for check in found.reasons))
        if not reasons:
            return say("compare.no_time", lang)
        return say("compare.not-comparable", lang, reasons=", ".join(reasons))
    text = say(
        f"compare.{found.verdict}", lang,
        before=units.us(total.before_us), after=units.us(total.after_us), change=signed(total.change),
    )  # fmt: skip
    if by_collectives_alone(found):
        text = say("compare.headline.collectives", lang, text=text)
    return say("compare.headline.launches", lang, text=text) if total.basis == "launches" else text


def by_collectives_alone(found: Comparison) -> bool:
    """The whole changed, its kernels did not: what changed waits for other ranks."""
    if found.parts is None or found.verdict not in ("faster", "slower"):
        return False
    kernels = found.parts.compute
    return abs(kernels.change) <= kernels.band.value


def dimension(check: Check, lang: str) -> str:
    """What a condition is called."""
    return say(f"compare.dimension.{check.dimension}", lang)


def side_text(side: RunSide, lang: str) -> str:
    """One of the runs: target, run id, chip, time."""
    chip = chip_name(side.chip, lang)
    kind = say("capture.simulated", lang) if side.capture.simulated else ""
    return " · ".join(part for part in (clean(side.target), side.run, chip, kind) if part)


def total_text(total: Total, lang: str) -> str:
    """Both times, the change and what they are times of."""
    times = f"{units.us(total.before_us)} -> {units.us(total.after_us)}, {signed(total.change)}"
    return f"{times} ({say(f'compare.basis.{total.basis}', lang)})"


def part_text(part: Total, lang: str) -> str:
    """The time of a part of the run on both sides."""
    times = {"before": units.us(part.before_us), "after": units.us(part.after_us)}
    return say("compare.part.text", lang, **times, change=signed(part.change))


def whole_text(found: Comparison, lang: str) -> str:
    """The whole runs as they were measured, where the times that are compared are a part of them or are reckoned.

    Empty where they are the same to a hundredth, and for one launch or step, which nobody takes for the run.
    """
    runs, total = (found.before.total_us, found.after.total_us), found.total
    if total is None or total.basis not in ("run", "launches") or not all(runs):
        return ""
    pairs = zip((total.before_us, total.after_us), runs, strict=True)
    if all(whole is not None and abs(part - whole) <= 0.01 * whole for part, whole in pairs):
        return ""
    before, after = (units.us(whole or 0.0) for whole in runs)
    return say(f"compare.whole.{total.basis}", lang, before=before, after=after)


def band_text(band: Band, lang: str) -> str:
    """The noise band and where it comes from."""
    return say(f"compare.noise.{band.basis}", lang, band=f"{band.value * 100:.1f} %")


def check_text(check: Check, lang: str) -> str:
    """A condition that is not the same in both runs."""
    told = say(
        "compare.check", lang, what=dimension(check, lang),
        before=shorten(clean(check.before), LONG) or "-", after=shorten(clean(check.after), LONG) or "-",
    )  # fmt: skip
    return say("compare.check.blocks", lang, text=told) if check.blocks else told


def alike_text(found: Comparison, lang: str) -> str:
    """Whether the runs were measured alike, and what nobody knows."""
    other = [dimension(check, lang) for check in found.checks if check.state == "differs"]
    unknown = [
        _unknown(check, found, lang)
        for check in found.checks
        if check.state == "unknown" and check.dimension not in SILENT
    ]
    if other:
        first = say("compare.differs", lang, what=", ".join(other))
    elif unknown:
        same = (
            dimension(check, lang)
            for check in found.checks
            if check.state == "same" and check.dimension not in SILENT
        )
        first = say("compare.alike.partly", lang, what=", ".join(same))
    else:
        first = say("compare.alike", lang)
    return " · ".join([first, say("compare.unknown", lang, what=", ".join(unknown))] if unknown else [first])


def _unknown(check: Check, found: Comparison, lang: str) -> str:
    """A condition that is not known of both runs; which of them says something, and what, where one does."""
    what, told = dimension(check, lang), (check.before, check.after)
    if check.dimension == "chip":
        told = (found.before.chip.soc or "", found.after.chip.soc or "")
    for side, value, missing in (("before", *told), ("after", *reversed(told))):
        if value and not missing:
            return say(f"compare.only.{side}", lang, what=what, value=shorten(clean(value), LONG))
    return what


def verdict_text(item: Change, found: Comparison, lang: str) -> str:
    """The verdict on one operator; none is given where the runs cannot be compared."""
    if found.verdict == "not-comparable" and item.verdict not in ("gone", "new"):
        return say("change.shown", lang)
    return say(f"change.{item.verdict}", lang)


def operator_text(item: Change, found: Comparison) -> str:
    """The kernel by its name, an operator of a run by its type; and shapes."""
    kernel = found.total is not None and found.total.basis == "launch"
    name = item.name if kernel and item.type in item.name else item.type or item.name
    return f"{name} {item.shapes}".strip()


def moved_text(item: Change, moved: Moved, lang: str) -> str:
    """A reading before and after."""
    before, after = units.number(moved.before, moved.unit), units.number(moved.after, moved.unit)
    pipe = moved.metric.startswith(("aic_", "aiv_"))
    key = "moved.pipe" if pipe else "moved.reading"
    text = say(key, lang, name=item.type or item.name, metric=moved.metric, before=before, after=after)
    if moved.before_us is None or moved.after_us is None:
        return text
    return f"{text} ({units.us(moved.before_us)} -> {units.us(moved.after_us)})"


def trouble_text(item: FindingChange, lang: str) -> str:
    """A finding that is gone, new or still there."""
    told = [units.percent(share) for share in (item.before, item.after) if share is not None]
    shares = " -> ".join(dict.fromkeys(told))
    what = " ".join(part for part in (item.pattern, f"({item.operator})" if item.operator else "") if part)
    if shares:
        what = say(f"trouble.share.{item.base}", lang, what=what, shares=shares)
    return say(f"trouble.{item.state}", lang, what=what)


def gate_text(found: Comparison, lang: str) -> str:
    """What the limit on regressions says; empty without one."""
    gate = found.gate
    if gate is None:
        return ""
    limit = units.percent(gate.limit)
    if not gate.judged:
        text = say("gate.unjudged", lang, limit=limit)
        check = next((item for item in found.checks if item.dimension == gate.why), None)
        if check is None:
            return text
        told = {"what": dimension(check, lang), "before": clean(check.before), "after": clean(check.after)}
        return say("gate.unjudged.why", lang, text=text, **told)
    whole = say("gate.whole" if found.parts is None else "gate.kernels", lang)
    names = ", ".join(clean(name) or whole for name in gate.failed[:NAMED])
    text = (
        say("gate.failed", lang, limit=limit, names=names) if names else say("gate.passed", lang, limit=limit)
    )
    if not gate.apart:
        return text
    return say("gate.apart", lang, text=text, names=", ".join(clean(name) for name in gate.apart[:NAMED]))
