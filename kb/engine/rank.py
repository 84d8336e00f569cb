"""How much each match could win, and in which order to try them.

Gain of one match = the recipe's published range, held against the bound that the profile gives for this bottleneck
(`Finding.headroom`); without a published figure the bound alone, marked modelled. Order = expected saving of the run:
share x gain counted on x fit x weight of the evidence x confidence of the finding. What is counted on (`_counted_on`)
only orders; a reader sees published figures, parts of them that the basis names, and bounds. Recommendations that repair the same
finding replace one another, so each further one counts less; one that several findings ask for counts more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from kb.engine.match import Match
from kb.engine.tried import Here, here, shifted
from kb.experience import Outcome
from kb.model import Gain, PublishedGain, Recommendation
from kb.units import percent

GRADE_WEIGHT = {"vendor": 1.0, "third-party": 0.95, "stated": 0.75, "practice": 0.65}
EFFORT_WEIGHT = {"low": 1.05, "medium": 1.0, "high": 0.95}  # quick wins first when gains tie
FIRST_PLACES = 5  # places that go by worth before every finding has had its turn
PER_FINDING = 3  # of these to one finding
SAME_FINDING = 0.55  # factor for each recommendation already chosen for the finding
FURTHER_FINDING = 0.3  # part of a further finding's saving that an entry is credited with
LIBRARY_KERNEL = 0.5  # a kernel developer's remedy for an operator out of the library: somebody else's code
# What a published figure promises at least on another kernel: a part of it that grows with the number of figures.
LOW_OF_PUBLISHED = {1: (1 / 3, "a third"), 2: (1 / 2, "half")}
LOW_OF_MANY = (2 / 3, "two thirds")
# Part of the bound counted on where no figure is published: less when nobody measured the remedy at all.
MODELLED_LIKELY = {"vendor": 1 / 2, "third-party": 1 / 2, "stated": 1 / 4, "practice": 1 / 4}
DOUBTFUL = 0.5  # a finding below this confidence promises nothing at the low end
UNKNOWN_BOUND = 0.3  # ordering only: what a finding without a computed bound is taken to be worth
GRADE_WORDS = {
    "vendor": "vendor measurement",
    "third-party": "third-party measurement",
    "stated": "stated",
    "practice": "general practice",
}


def rank(
    matches: Iterable[Match], *, run_scope: bool, limit: int = 10, outcomes: Sequence[Outcome] = ()
) -> tuple[Recommendation, ...]:
    """Recommendations in order of expected saving.

    Args:
        run_scope: the profile is a whole run, so shares of operators matter.
        limit: at most so many.
        outcomes: what remedies gave here; they shift the gain, and one that failed twice goes to the end.
    """
    pool = []
    for found in _by_entry_and_operators(matches, outcomes, run_scope=run_scope):
        found.sort(key=lambda item: (-item[0], item[1].finding.id))
        worth = found[0][0] + FURTHER_FINDING * sum(item[0] for item in found[1:])
        answers = tuple(item[1].finding.id for item in found)
        pool.append(_Candidate(worth, found[0][1], found[0][2], answers, here(found[0][1], outcomes)))
    chosen = _choose(pool, limit)
    return tuple(_recommendation(place, candidate) for place, candidate in enumerate(chosen, 1))


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An entry for one group of operators: its worth, the finding it answers best, and all it answers there."""

    worth: float
    match: Match
    gain: Gain
    answers: tuple[str, ...]
    here: Here


def _by_entry_and_operators(
    matches: Iterable[Match], outcomes: Sequence[Outcome], *, run_scope: bool
) -> Iterable[list[tuple[float, Match, Gain]]]:
    """Matches of one entry that concern the same operators belong together: applying it once answers them all."""
    groups: dict[tuple[str, str], list[tuple[float, Match, Gain]]] = {}
    for match in matches:
        gain = gain_of(match)
        if gain.high > 0:
            operator = match.finding.operators[0].type or "" if match.finding.operators else ""
            known = here(match, outcomes)
            gain = shifted(gain, known, match)
            item = (expected(match, gain, run_scope=run_scope) * known.factor, match, gain)
            groups.setdefault((match.entry.id, operator), []).append(item)
    return groups.values()


def _choose(pool: list[_Candidate], limit: int) -> list[_Candidate]:
    """Greedy: the best remaining one, each finding's further remedies discounted.

    The first places go by worth, at most a few to one finding; then every finding that has none yet gets its best
    remedy, even one already given for other operators; then the rest follows. No entry is given twice for nothing.
    """
    used: dict[str, int] = {}
    given: set[str] = set()
    out: list[_Candidate] = []
    rest = list(pool)

    def turn(item: _Candidate) -> tuple[bool, bool, bool, float, str, str]:
        taken = used.get(item.match.finding.id, 0)
        late = taken > 0 if len(out) >= FIRST_PLACES else taken >= PER_FINDING
        again = item.match.entry.id in given
        worth = item.worth * SAME_FINDING**taken
        return (
            item.here.sunk,
            late or (again and len(out) < FIRST_PLACES),
            again,
            -worth,
            item.match.entry.id,
            item.match.finding.id,
        )

    while rest and len(out) < limit:
        rest = [c for c in rest if not (c.match.entry.id in given and used.get(c.match.finding.id))]
        if not rest:
            break
        best = min(rest, key=turn)
        rest.remove(best)
        used[best.match.finding.id] = used.get(best.match.finding.id, 0) + 1
        given.add(best.match.entry.id)
        out.append(best)
    return out


def expected(match: Match, gain: Gain, *, run_scope: bool) -> float:
    """Expected saving as a fraction of the run; the key of the order."""
    entry, finding = match.entry, match.finding
    share = 1.0 if gain.of == "run" else finding.share
    worth = (
        share
        * _counted_on(gain, bounded=finding.headroom is not None)
        * match.fit
        * GRADE_WEIGHT[entry.grade]
        * EFFORT_WEIGHT.get(entry.effort, 1.0)
        * finding.confidence
    )
    library = match.features is not None and match.features.labels.get("hand_written") == "no"
    return worth * LIBRARY_KERNEL if run_scope and library and entry.who == "kernel-developer" else worth


def gain_of(match: Match) -> Gain:
    """The gain range of an entry applied to a finding, as a fraction of the operator's (or the run's) time."""
    finding = match.finding
    of = finding.scope if finding.scope == "run" else "operator"
    bound = finding.headroom
    scale = finding.share * match.part if of == "run" else 1.0
    published = _published(match.entry.gains, of)
    if bound is None:
        if published is None:
            words = "modelled: no bound could be computed and no public measurement exists"
            return Gain(0.0, _r(UNKNOWN_BOUND / 2 * scale), _r(scale), of, words)
        low = max(0.0, published.low)
        words = f"{published.words}; not bounded by this profile"
        return Gain(_r(low * scale), _r(published.middle * scale), _r(published.most * scale), of, words)
    if published is None:
        words = f"modelled: at most the {percent(bound)} that {finding.pattern} leaves open here; this recipe has no public measurement"
        likely = bound * MODELLED_LIKELY[match.entry.grade]
        return Gain(0.0, _r(likely * scale), _r(bound * scale), of, words)
    if published.middle <= 0:  # measured and found not to help
        return Gain(_r(published.least * scale), _r(published.middle * scale), 0.0, of, published.words)
    # A published figure is a part of the time it was measured on; where it exceeds what is open here, that part of it.
    least, likely = (part * bound if part > bound else part for part in (published.least, published.middle))
    low = 0.0 if finding.confidence < DOUBTFUL else least * published.kept
    words = f"{published.words}; bounded by this profile at {percent(bound)}"
    if low > 0:
        words += f"; low end: {published.part} of the least figure"
    return Gain(
        _r(min(low, likely, bound) * scale), _r(min(likely, bound) * scale), _r(bound * scale), of, words
    )


def _counted_on(gain: Gain, *, bounded: bool) -> float:
    """The gain as the order counts it: published figures far below the bound come from kernels where less was open."""
    if not bounded:
        return min(gain.likely, UNKNOWN_BOUND)
    half = gain.high / 2
    if not gain.modelled and 0 < gain.likely < half:
        return (gain.likely + half) / 2
    return gain.likely


@dataclass(frozen=True, slots=True)
class _Published:
    """Published figures of an entry, as fractions of time saved, and the part of the least one to promise."""

    least: float
    middle: float
    most: float
    kept: float
    part: str  # `kept` in words
    words: str

    @property
    def low(self) -> float:
        return self.least * self.kept


def _published(gains: Sequence[PublishedGain], of: str) -> _Published | None:
    """The published figures together; None without any.

    A figure for a whole run says nothing about one operator; one for an operator does for the operators of a run.
    """
    usable = [
        gain
        for gain in gains
        if gain.of in ("operator", of) and gain.saved_low is not None and gain.saved_high is not None
    ]
    if not usable:
        return None
    lows = [gain.saved_low for gain in usable if gain.saved_low is not None]
    highs = [gain.saved_high for gain in usable if gain.saved_high is not None]
    middle = median((low + high) / 2 for low, high in zip(lows, highs, strict=True))
    measured = [gain for gain in usable if gain.grade in ("vendor", "third-party")]
    kind = "measured" if measured else "stated"
    ranges = ", ".join(_one(gain) for gain in (measured or usable)[:2])
    more = f" and {len(usable) - 2} more" if len(usable) > 2 else ""
    kept, part = LOW_OF_PUBLISHED.get(len(usable), LOW_OF_MANY) if measured else (0.0, "nothing")
    return _Published(min(lows), middle, max(highs), kept, part, f"{kind}: {ranges}{more}")


def _one(gain: PublishedGain) -> str:
    low, high = gain.saved_low or 0.0, gain.saved_high or 0.0
    figure = percent(high) if abs(high - low) < 0.005 else f"{percent(low)} to {percent(high)}"
    where = " on ".join(part for part in (gain.shapes, gain.chip) if part)
    return f"{figure} ({GRADE_WORDS[gain.grade]}{', ' + where if where else ''})"


def _r(value: float) -> float:
    return round(value, 4)


def _recommendation(place: int, candidate: _Candidate) -> Recommendation:
    match, gain = candidate.match, candidate.gain
    entry, finding = match.entry, match.finding
    others = tuple(f"also answers {name}" for name in candidate.answers[1:4])
    return Recommendation(
        rank=place,
        id=entry.id,
        kind=entry.kind,
        title=entry.title.en,
        finding=finding.id,
        gain=gain,
        who=entry.who,
        effort=entry.effort,
        evidence=(finding.summary, *candidate.here.words, *match.reasons[1:], *others),
        steps=entry.steps or (entry.remedy.en,),
        snippet=entry.snippet,
        check=entry.check,
        when_not=entry.when_not,
        sources=entry.sources,
        tried=candidate.here.tried,
    )
