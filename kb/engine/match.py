"""Findings meet entries: which remedies fit this bottleneck, on this operator, on this chip.

Facts decide first (bottleneck, operator, chip, language, known non-remedies), then the signature, then nearness of
text. A match carries its signs, which `weights.tsv` weighs and the ranking adds to the time at stake; every sign leaves
a reason in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kb import operators
from kb.engine import signature, weights
from kb.engine.alike import ALIKE, apart
from kb.engine.family import FamilyGuess
from kb.engine.kind_of_run import KindOfRun, is_collective
from kb.engine.metrics import RunFeatures
from kb.engine.operator_fit import FAMILY_KIN, LAST_NAMED, another_operator, operator_fit, part_of
from kb.model import Entry, Features, Finding
from kb.targets import Target, resolve
from kb.vocabulary.metrics import OF_THE_RUN

# The lists of a pattern are in rough order of trial; each place further down counts a little less.
PLACE = 0.96
LAST_PLACE = 6  # from here on, and for an entry that the list does not hold, the order says no more
TEXT_NEAR = 0.5  # nearness (cosine and words, 0 to 1) from which words say anything; that of unrelated entries stays below 0.4
TEXT_MOST = 3  # such entries a finding
# Fit of a remedy for a kernel in another language: its idea may carry over, its means do not.
IN_ANOTHER_LANGUAGE = {("triton", "ascend-c"): 0.0, ("triton", "library"): 0.0, ("ascend-c", "triton"): 0.5}
_SIZES = frozenset(
    {"matmul_m", "matmul_n", "matmul_k", "elements", "elements_per_core", "head_dim", "input_channels"}
)
LANGUAGE_UNKNOWN = 0.8  # a remedy for Triton kernels, for an own kernel that may be one
ELSEWHERE = 0.5  # measured on other chips only
MEASURED = frozenset({"vendor", "third-party"})  # grades of evidence
AROUND_THE_KERNEL = 0.5  # a remedy around the operator, where only own kernels run
_KERNEL_FAMILIES = frozenset(
    {
        "matmul",
        "grouped_matmul",
        "conv",
        "attention",
        "norm_softmax",
        "reduce",
        "gather_scatter",
        "elementwise",
        "activation",
        "memory",
        "pipeline",
        "scalar",
        "transpose",
        "pooling_resize",
        "quant",
    }
)


@dataclass(frozen=True, slots=True)
class Match:
    """An entry that may repair a finding, with how well it fits and why."""

    entry: Entry
    finding: Finding
    features: Features | None  # the operator it was judged on; None for the run
    signs: Mapping[str, float]  # of `weights.tsv`
    reasons: tuple[str, ...]
    by_text: bool = False  # nothing but nearness of words ties the entry to the finding
    part: float = 1.0  # share of the finding's time that the entry speaks of (one of several operator types)
    at_most: float | None = (
        None  # part of the run that the entry can win at most (its `bounded_by`), where that is known
    )
    only_if: str | None = (
        None  # what it depends on and nothing tells: the kind of run, or how much it can win
    )


def match(
    findings: Sequence[Finding],
    features: Mapping[str, tuple[Features, ...]],
    entries: Iterable[Entry],
    targets: Sequence[Target],
    order: Mapping[str, Sequence[str]],
    nearness: Mapping[str, Mapping[str, float]],
    run: RunFeatures | None = None,
    family: FamilyGuess | None = None,
) -> list[Match]:
    """All matches, unordered.

    Args:
        features: by finding id, its operators, the one with the most time first (absent: the run's finding).
        order: pattern id to the recipe ids of its entry, in order of trial.
        nearness: finding id to entry id to cosine of their texts, where a search index exists.
        run: what was measured of the run and all its operators, where there is one.
        family: of the network, where more than the operators told it (a graph).
    """
    usable = [entry for entry in entries if entry.kind in ("recipe", "tip") and entry.state != "retired"]
    seen = _Seen(targets, order, nearness, run, _against(usable), KindOfRun(run, family))
    out = []
    for finding in findings:
        leads = features.get(finding.id, ()) or (None,)
        for entry in usable:
            if finding.pattern not in entry.bottlenecks or _known_not_to_help(entry, finding, findings):
                continue
            fits = [_fit(entry, finding, lead, seen) for lead in leads]
            found = [item for item in fits if item is not None]
            if found:
                out.append(max(found, key=lambda item: weights.worth(item.signs) * item.part))
    out += _by_operator_alone(findings, features, usable, seen, {item.entry.id for item in out})
    return out + _by_text_alone(findings, features, usable, seen, out)


def _by_text_alone(
    findings: Sequence[Finding],
    features: Mapping[str, tuple[Features, ...]],
    usable: Sequence[Entry],
    seen: _Seen,
    found: Sequence[Match],
) -> list[Match]:
    """For a finding that no entry is tied to, the entries that speak of it in words, where time is known to be open."""
    answered = {item.finding.id for item in found}
    out = []
    for finding in findings:
        near = seen.nearness.get(finding.id, {})
        if finding.id in answered or not (finding.headroom or 0.0) > 0:
            continue
        lead = next(iter(features.get(finding.id, ())), None)
        likely = [entry for entry in usable if near.get(entry.id, 0.0) >= TEXT_NEAR]
        for entry in sorted(likely, key=lambda item: (-near[item.id], item.id))[:TEXT_MOST]:
            of_operator = operator_fit(entry, finding, lead, seen.kind)[0]
            of_chip = _chip(entry, seen.targets)[0]
            if (
                not of_operator
                or not of_chip
                or not seen.kind.fits(entry)[0]
                or another_operator(entry.when, lead)
                or _ruled_out(entry, finding, lead, seen.run)
                or _known_not_to_help(entry, finding, findings)
            ):
                continue
            why = f"by text only: nothing measured ties it to this finding (nearness {near[entry.id]:.2f})"
            signs = {"operator": weights.log(of_operator), "chip": weights.log(of_chip), "text_only": 1.0}
            out.append(Match(entry, finding, lead, signs, ("", why), by_text=True))
    return out


@dataclass(frozen=True, slots=True)
class _Seen:
    """What all matches of a profile are made against."""

    targets: Sequence[Target]
    order: Mapping[str, Sequence[str]]
    nearness: Mapping[str, Mapping[str, float]]
    run: RunFeatures | None
    against: Mapping[str, Sequence[Entry]]  # entry id to its measured counter-cases
    kind: KindOfRun

    @property
    def whole(self) -> Features | None:
        return self.run.run if self.run is not None else None

    @property
    def own_kernels(self) -> bool:
        """Nothing but kernels that somebody wrote himself: a program that tries them, not a model."""
        work = [f for f in self.run.operators if "setup" not in f.labels] if self.run is not None else []
        return bool(work) and all(f.labels.get("hand_written") == "yes" for f in work)


def _by_operator_alone(
    findings: Sequence[Finding],
    features: Mapping[str, tuple[Features, ...]],
    usable: Sequence[Entry],
    seen: _Seen,
    taken: set[str],
) -> list[Match]:
    """Recipes written for an operator in trouble that no finding leads to and that nothing measured speaks against."""
    out = []
    troubled: dict[str, Finding] = {}
    for finding in findings:
        lead = next(iter(features.get(finding.id, ())), None)
        on_core = lead is not None and lead.labels.get("core") != "ai_cpu"  # no kernel there to write better
        if lead is not None and on_core and finding.scope == "operator" and (finding.headroom or 0.0) > 0:
            troubled.setdefault(lead.labels.get("op_type", ""), finding)
    for kind, finding in troubled.items():
        for entry in usable:
            if entry.id in taken or entry.kind != "recipe" or _known_not_to_help(entry, finding, findings):
                continue
            if entry.family not in _KERNEL_FAMILIES and not _for_its_kernel(entry, kind):
                continue  # fusions, communication, host: what surrounds the operator is another finding's matter
            if not any(
                operators.matches(name, kind)
                for name in entry.operators
                if name not in ("*", operators.OWN_KERNEL)
            ):
                continue
            lead = features[finding.id][0]
            if lead.labels.get("op_pattern", "") not in FAMILY_KIN.get(
                entry.family, (lead.labels.get("op_pattern", ""),)
            ):
                continue  # named for what stands beside it: a sum behind a product is no product
            found = _fit(entry, finding, lead, seen)
            own = signature.read(entry.when, finding, lead, seen.whole)
            if found is not None and not own.contradicted:
                how = "elsewhere_shown" if own.shown else "elsewhere"
                reasons = ("", f"written for {kind}; tied to another bottleneck", *found.reasons[2:])
                out.append(Match(entry, finding, lead, {**found.signs, how: 1.0}, reasons))
    return out


def _for_its_kernel(entry: Entry, kind: str) -> bool:
    """The entry is about the kernel of this operator before all others."""
    return entry.who == "kernel-developer" and operators.matches(next(iter(entry.operators), ""), kind)


def _known_not_to_help(entry: Entry, finding: Finding, findings: Sequence[Finding]) -> bool:
    """A counter-case holds on the same operators."""
    names = {operator.name for operator in finding.operators}
    return any(
        other.pattern in entry.not_for
        and (not names or not other.operators or names & {operator.name for operator in other.operators})
        for other in findings
    )


def _of_a_size(entry: Entry, lead: Features | None, run: Features | None) -> str:
    """For which size the entry is, where its source states one and nothing tells the operator's; empty otherwise."""
    for condition in entry.when if lead is not None else ():
        if condition.basis != "threshold" or condition.metric not in _SIZES:
            continue
        if signature.answered(condition, lead, run) is None:
            return f"only where {condition.metric} {condition.op} {condition.value}: no shapes are told here"
    return ""


def _ruled_out(entry: Entry, finding: Finding, lead: Features | None, run: RunFeatures | None) -> bool:
    """Something measured says that the entry cannot be followed here, or does not help (its `not_when`).

    Of a run as a whole all operators must say so that can: where some have few rows the others still may be helped.
    """
    of_run = finding.scope == "run" and run is not None
    asked = run.operators if of_run and run is not None else [lead] if lead is not None else []
    for condition in entry.not_when:
        answers = {signature.surely_holds(condition, f) for f in asked} - {None}
        if answers == {True}:
            return True
    return False


def _fit(entry: Entry, finding: Finding, lead: Features | None, seen: _Seen) -> Match | None:
    reasons = [f"repairs {finding.pattern}"]
    of_operator, why = operator_fit(entry, finding, lead, seen.kind)
    chip_fit, chip_why = _chip(entry, seen.targets)
    language_fit, language_why = _language(entry, lead)
    kind_fit, kind_why = seen.kind.fits(entry)
    if not (of_operator and chip_fit and language_fit and kind_fit) or another_operator(entry.when, lead):
        return None
    if _ruled_out(entry, finding, lead, seen.run):
        return None
    unseen = sum(item.basis == "threshold" for item in entry.observe)
    own = signature.read(entry.when, finding, lead, seen.whole, unseen)
    size, size_why = _size(entry, lead)
    blind, blind_why = _blind(entry, finding, lead, seen)
    at_most, open_why = _at_most(entry, seen.whole)
    countered = _countered(entry, finding, lead, seen)
    around = finding.scope == "run" and entry.who != "kernel-developer" and seen.own_kernels
    reasons += [
        text
        for text in (
            why,
            chip_why,
            language_why,
            kind_why,
            size_why,
            blind_why,
            open_why,
            countered,
            *own.held,
        )
        if text
    ]
    order = seen.order.get(finding.pattern, ())
    place = min(LAST_PLACE, order.index(entry.id) if entry.id in order else LAST_PLACE)
    text = seen.nearness.get(finding.id, {}).get(entry.id)
    signs = {
        "operator": weights.log(of_operator),
        "chip": weights.log(chip_fit),
        "language": weights.log(language_fit),
        "phase": weights.log(kind_fit),
        "size": weights.log(size),
        "place": place * weights.log(PLACE),
        "near": 0.0 if text is None else weights.log(0.9 + 0.2 * max(0.0, min(1.0, text))),
        **own.signs,
        **({"blind": 1.0} if blind else {}),
        **({"countered": 1.0} if countered else {}),
        **({"outsider": weights.log(AROUND_THE_KERNEL)} if around else {}),
    }
    only_if = kind_why or open_why or _of_a_size(entry, lead, seen.whole) or None
    part = part_of(entry, finding)
    return Match(entry, finding, lead, signs, tuple(reasons), part=part, at_most=at_most, only_if=only_if)


def _at_most(entry: Entry, run: Features | None) -> tuple[float | None, str]:
    """What the entry can win of the run at most, by the reading that it names; why not, where that was not measured."""
    if not entry.bounded_by or run is None:
        return None, ""
    share = run.get(entry.bounded_by)
    why = f"how much of it this can win is not judged: {entry.bounded_by} is not known here"
    return share, why if share is None else ""


def _against(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """By id of an entry that nobody measured, those that were measured and say the contrary.

    Of two measured entries each holds where it was measured: their conditions decide.
    """
    by_id = {entry.id: entry for entry in entries}
    out: dict[str, list[Entry]] = {}
    for other in sorted(entries, key=lambda item: item.id):
        for name in other.facts.get("contradicts") or ():
            entry = by_id.get(name)
            if entry is not None and other.grade in MEASURED and entry.grade not in MEASURED:
                out.setdefault(name, []).append(other)
    return out


def _countered(entry: Entry, finding: Finding, lead: Features | None, seen: _Seen) -> str:
    """Which counter-case speaks of this operator on this chip, in words; empty where none does."""
    for other in seen.against.get(entry.id, ()):
        if (
            operator_fit(other, finding, lead, seen.kind)[0] >= LAST_NAMED
            and _chip(other, seen.targets)[0] > ELSEWHERE
        ):
            return f"against it: {other.id} found the contrary"
    return ""


def _blind(entry: Entry, finding: Finding, lead: Features | None, seen: _Seen) -> tuple[bool, str]:
    """The finding is of the whole run, the entry names no operator that tells it, and none of its own signs is seen.

    A run is host-bound for many reasons; an entry for one of them (compiling, changing shapes) is no better an answer
    than those for all of them where nothing tells that it is this one.
    """
    if finding.scope != "run" or any(name != "*" and not is_collective(name) for name in entry.operators):
        return (
            False,
            "",
        )  # collectives are what a finding about communication is made of: naming them tells nothing
    asked = [item for item in entry.when if item.basis == "threshold" and item.metric not in OF_THE_RUN]
    told = {_plain(finding.pattern)}
    texts = [item.text for item in entry.observe if item.basis == "threshold"]
    texts = [text for text in texts if _plain(text.removesuffix(": yes")) not in told]
    told_by = {item.metric for item in finding.evidence}
    inferred = [item for item in entry.when if item.basis == "inferred" and item.metric not in told_by]
    if any(signature.answered(condition, lead, seen.whole) for condition in (*asked, *inferred)):
        return False, ""
    of_the_run = [item for item in entry.when if item.metric in OF_THE_RUN]
    if of_the_run and all(seen.kind.answer(item) for item in of_the_run):
        return False, ""  # it is for this kind of run
    missing = [*(condition.metric for condition in asked), *texts]
    return bool(missing), f"if {missing[0]}: not seen here" if missing else ""


def _plain(text: str) -> str:
    return text.replace("-", " ").strip().lower()


def _language(entry: Entry, f: Features | None) -> tuple[float, str]:
    """Whether the remedy's means exist in the language of the kernel, as far as its name tells it."""
    if f is None or entry.who != "kernel-developer":
        return 1.0, ""
    written = "triton" if operators.OWN_KERNEL in entry.operators else "ascend-c"
    have = f.labels.get("kernel_language", "")
    fit = IN_ANOTHER_LANGUAGE.get((written, have), 1.0)
    if fit < 1.0:
        return fit, f"written for {'Triton' if written == 'triton' else 'Ascend C'}: its idea, not its means"
    if written == "triton" and not have and f.labels.get("hand_written") == "yes":
        return LANGUAGE_UNKNOWN, "if it is a Triton kernel"
    return 1.0, ""


def _chip(entry: Entry, targets: Sequence[Target]) -> tuple[float, str]:
    """1 for the entry's own chip family, less for a near one, 0 where its means do not exist."""
    if not entry.chips:
        return 1.0, ""
    if not targets:
        return 0.9, ""
    wanted = {soc for name in entry.chips for soc in resolve(name)}
    families = {target.family for target in targets}
    # Its vector functions and copies exist on no other architecture.
    only_950 = entry.who == "kernel-developer" and set(entry.chips) == {"ascend-950"}
    if any(target.id in wanted for target in targets):
        unsure = only_950 and families != {"ascend-950"}
        return (ELSEWHERE, "if the chip is an ascend-950") if unsure else (1.0, "")
    kin = {"atlas-a2", "atlas-a3"}
    if families & kin and any(soc_family in kin for soc_family in entry.chips):
        return 0.95, f"measured on {'/'.join(entry.chips)}, the same core architecture"
    if entry.who == "kernel-developer" and only_950 != (families == {"ascend-950"}):
        return 0.0, ""
    return ELSEWHERE, f"measured on {'/'.join(entry.chips)} only"


# How alike the sizes have to be (mean difference of their logarithms to base 2) to say something, and what it says.
_ALIKE = ((ALIKE, 1.25, "measured at a size like this one"), (2.0, 1.1, ""), (4.0, 1.0, ""))
_UNLIKE = 0.85


def _size(entry: Entry, f: Features | None) -> tuple[float, str]:
    """Factor from the sizes at which the entry's figures were measured, where both sides name them."""
    if f is None:
        return 1.0, ""
    found = [gap for gain in entry.gains if (gap := apart(gain, f)) is not None]
    if not found:
        return 1.0, ""
    for limit, factor, why in _ALIKE:
        if min(found) <= limit:
            return factor, why
    return _UNLIKE, ""
