"""How much each match could win, and in which order to try them.

Gain of one match = the recipe's published range, held against the bound that the profile gives for this bottleneck
(`Finding.headroom`); without a published figure the bound alone, marked modelled. Order = expected saving of the run:
share x gain counted on x the match's signs x weight of the evidence x confidence of the finding (`weights.tsv`). What is counted on (`_counted_on`)
only orders; a reader sees published figures, parts of them that the basis names, and bounds. Recommendations that repair the same
finding replace one another, so each further one counts less; one that several findings ask for counts more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kb.addition import plain_sum
from kb.engine import weights
from kb.engine.match import AROUND_THE_KERNEL, Match
from kb.engine.operator_fit import figures_carry
from kb.engine.published import of_others, of_pipe, published
from kb.engine.tried import Here, here, shifted
from kb.experience import Outcome
from kb.model import Gain, Recommendation
from kb.units import percent

NO_REMEDY = frozenset({"warning", "reference", "check"})  # roles of recipes that change nothing by themselves
GRADE_WEIGHT = {"vendor": 1.0, "third-party": 0.95, "stated": 0.75, "practice": 0.65}
OF_A_PART = 0.9  # evidence that speaks of one pipe's time only: what the operator wins by it nobody measured
EFFORT_WEIGHT = {"low": 1.05, "medium": 1.0, "high": 0.95}  # quick wins first when gains tie
FIRST_PLACES = 5  # places that go by worth before every finding has had its turn
PER_FINDING = {"operator": 3, "run": 2}  # of these to one finding; settings for a whole run are much alike
SAME_FINDING = 0.55  # factor for each recommendation already chosen for the finding
FURTHER_FINDING = 0.3  # part of a further finding's saving that an entry is credited with
LIBRARY_KERNEL = 0.5  # a kernel developer's remedy for an operator out of the library: somebody else's code
# Part of the bound counted on where no figure is published: less when nobody measured the remedy at all.
MODELLED_LIKELY = {"vendor": 1 / 2, "third-party": 1 / 2, "stated": 1 / 4, "practice": 1 / 4}
BLIND_LIKELY = MODELLED_LIKELY["stated"]  # part of the bound counted on where an entry's own sign is not seen
SAME_KIND = 0.7  # fit from which an entry is of operators of this kind, and not of a related one
DOUBTFUL = 0.5  # a finding below this confidence promises nothing at the low end
UNKNOWN_BOUND = 0.3  # ordering only: what a finding without a computed bound is taken to be worth


def rank(
    matches: Iterable[Match],
    *,
    run_scope: bool,
    limit: int = 10,
    weighed: Mapping[str, float] | None = None,
    outcomes: Sequence[Outcome] = (),
) -> tuple[Recommendation, ...]:
    """Recommendations in order of expected saving.

    Args:
        run_scope: the profile is a whole run, so shares of operators matter.
        limit: at most so many.
        weighed: other weights than those in use (the fit compares).
        outcomes: what remedies gave here; they shift the gain, and one that failed twice goes to the end.
    """
    pool = []
    for found in _by_entry_and_operators(matches, outcomes, run_scope, weighed):
        found.sort(key=lambda item: (-item[0], item[1].finding.id))
        worth = found[0][0] + FURTHER_FINDING * plain_sum(item[0] for item in found[1:])
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
    matches: Iterable[Match],
    outcomes: Sequence[Outcome],
    run_scope: bool,
    weighed: Mapping[str, float] | None,
) -> Iterable[list[tuple[float, Match, Gain]]]:
    """Matches of one entry that concern the same operators belong together: applying it once answers them all."""
    groups: dict[tuple[str, str], list[tuple[float, Match, Gain]]] = {}
    for match in matches:
        gain = gain_of(match)
        if gain.high > 0:
            operator = match.finding.operators[0].type or "" if match.finding.operators else ""
            known = here(match, outcomes)
            gain = shifted(gain, known, match)
            worth = weights.worth(signs(match, gain, run_scope=run_scope), weighed) * known.factor
            item = (worth, match, gain)
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

    def turn(item: _Candidate) -> tuple[bool, bool, bool, bool, float, str, str]:
        taken = used.get(_topic(item.match), 0)
        late = taken > 0 if len(out) >= FIRST_PLACES else taken >= PER_FINDING[item.match.finding.scope]
        again = item.match.entry.id in given
        worth = item.worth * SAME_FINDING**taken
        return (
            item.here.sunk,
            item.match.only_if is not None,
            late or (again and len(out) < FIRST_PLACES),
            again,
            -worth,
            item.match.entry.id,
            item.match.finding.id,
        )

    while rest and len(out) < limit:
        rest = [c for c in rest if not (c.match.entry.id in given and used.get(_topic(c.match)))]
        if not rest:
            break
        best = min(rest, key=turn)
        rest.remove(best)
        used[_topic(best.match)] = used.get(_topic(best.match), 0) + 1
        given.add(best.match.entry.id)
        out.append(best)
    return out


def _topic(match: Match) -> str:
    """What a remedy has its turn for: the finding, or of a run's finding about several operator types the one it is for."""
    kind = match.features.labels.get("op_type", "") if match.features is not None and match.part < 1 else ""
    return f"{match.finding.id}|{kind}"


def signs(match: Match, gain: Gain, *, run_scope: bool) -> dict[str, float]:
    """The match's signs with those of its gain, finding and evidence: everything that `weights.tsv` weighs."""
    entry, finding = match.entry, match.finding
    counted = _counted_on(gain, bounded=finding.headroom is not None)
    return {
        **match.signs,
        "share": weights.log(1.0 if gain.of == "run" else finding.share),
        "gain": weights.log(counted),
        "confidence": weights.log(finding.confidence),
        "grade": weights.log(GRADE_WEIGHT[entry.grade] * (OF_A_PART if _of_a_part(match, gain) else 1.0)),
        "effort": weights.log(EFFORT_WEIGHT.get(entry.effort, 1.0)),
        "outsider": match.signs.get("outsider", 0.0) + weights.log(_outsider(match, run_scope=run_scope)),
        "no_remedy": float(entry.facts.get("role") in NO_REMEDY),
    }


def _of_a_part(match: Match, gain: Gain) -> bool:
    """The figures that the gain rests on are for the time of one pipe."""
    gains = match.entry.gains
    return gain.modelled and bool(gains) and all(item.of == "part" for item in gains)


def _outsider(match: Match, *, run_scope: bool) -> float:
    """Less for what the one who looks can hardly do: change a library's kernel, or a model that he does not have."""
    own = match.features.labels.get("hand_written") if match.features is not None else None
    kernel = match.entry.who == "kernel-developer"
    if run_scope:
        return LIBRARY_KERNEL if own == "no" and kernel else 1.0
    return AROUND_THE_KERNEL if own == "yes" and not kernel else 1.0


def gain_of(match: Match) -> Gain:
    """The gain range of an entry applied to a finding, as a fraction of the operator's (or the run's) time."""
    gain = _uncapped(match)
    most = match.at_most
    if most is None or gain.of != "run" or gain.high <= most:
        return gain
    part = most / gain.high
    words = f"{gain.basis}; at most {percent(most)} of the run is of the kind that this can win ({match.entry.bounded_by})"
    return Gain(_r(gain.low * part), _r(gain.likely * part), _r(most), gain.of, words)


def _uncapped(match: Match) -> Gain:
    """The gain range by the finding's bound and what was published."""
    finding, entry = match.finding, match.entry
    of = finding.scope if finding.scope == "run" else "operator"
    bound = finding.headroom
    scale = finding.share * match.part if of == "run" else 1.0
    carries = figures_carry(entry, match.features)
    found = (
        published(entry.gains, of, match.features) or of_pipe(entry.gains, match.features)
        if carries
        else None
    )
    if bound is None:
        if found is None:
            words = "modelled: no bound could be computed and no public measurement exists"
            return Gain(0.0, _r(UNKNOWN_BOUND / 2 * scale), _r(scale), of, words)
        low = max(0.0, found.low)
        words = f"{found.words}; how much is open in this profile is not known"
        return Gain(_r(low * scale), _r(found.middle * scale), _r(found.most * scale), of, words)
    if found is None:
        left = f"{finding.pattern} leaves at most {percent(bound)} open of the time it concerns"
        words = f"modelled: nobody published a figure for it, so only the ceiling: {left}"
        if not carries and entry.gains:
            words = f"modelled: its published figures are of another kind of operator, so only the ceiling: {left}"
        elif _of_others(match):
            words = f"modelled: its published figures are of other sizes, so only the ceiling: {left}"
        likely = bound * MODELLED_LIKELY[entry.grade]
        return Gain(0.0, _r(likely * scale), _r(bound * scale), of, words)
    if found.middle <= 0:  # measured and found not to help
        return Gain(_r(found.least * scale), _r(found.middle * scale), 0.0, of, found.words)
    not_shown = match.only_if is not None or _elsewhere(match)
    if not_shown:  # the figure is of runs that showed the entry's sign
        words = f"{found.words}, where its own sign was seen; here it is not: at most the {percent(bound)} that is open"
        likely = min(found.middle, BLIND_LIKELY * bound)
        return Gain(0.0, _r(likely * scale), _r(bound * scale), of, words)
    unsure = finding.confidence < DOUBTFUL or match.by_text or "countered" in match.signs
    low = 0.0 if unsure else _open_part(found.least, bound) * found.kept
    likely = _open_part(found.middle, bound)
    whole = "operator's time" if of == "operator" else "time concerned"
    words = f"{found.words}; at most {percent(bound)} of the {whole} is open in this profile"
    if low > 0:
        words += f"; {found.part}"
    return Gain(_r(min(low, likely) * scale), _r(likely * scale), _r(bound * scale), of, words)


def _elsewhere(match: Match) -> bool:
    """Its figures are of another bottleneck, another kind of operator, or cases with a sign that is not seen here."""
    named = any(match.signs.get(name) for name in ("blind", "threshold_fails", "elsewhere"))
    return named or match.signs.get("operator", 0.0) < weights.log(SAME_KIND)


def _of_others(match: Match) -> bool:
    """Figures were published, and every one says that it is of operators unlike this one."""
    f, gains = match.features, match.entry.gains
    return f is not None and bool(gains) and all(of_others(gain, f) for gain in gains)


def _open_part(figure: float, bound: float) -> float:
    """What a published figure means where `bound` is open: the figure, and no more than its likely part of the bound."""
    return min(figure, realised(figure) * bound)


def realised(figure: float) -> float:
    """The part of what was open that a remedy won where it saved `figure` of the time.

    Nobody publishes what was open there; it lay between the figure and all of the time, so this is the mean of
    figure / open over that range: figure x ln(1 / figure) / (1 - figure). Larger figures give larger parts.
    """
    if not 0 < figure < 1:
        return min(1.0, max(0.0, figure))
    return figure * math.log(1 / figure) / (1 - figure)


def _counted_on(gain: Gain, *, bounded: bool) -> float:
    """The gain as the order counts it: published figures far below the bound come from kernels where less was open.

    Of a whole run a published part is taken as it is: what is open there is shared by many remedies.
    """
    if not bounded:
        return min(gain.likely, UNKNOWN_BOUND)
    if gain.of == "operator" and not gain.modelled:
        return max(gain.likely, realised(gain.likely) * gain.high)
    return gain.likely


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
        only_if=match.only_if,
    )
