"""Which family a network belongs to: the nearest reference networks by weighted distance of fingerprints.

Reference networks and weights are tables of `data/families`, one network a line; a new family or variant is a new
line. The same input gives the same answer, and the answer names the networks it rests on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from kb import shipped
from kb.addition import plain_sum
from kb.engine.family.device import WINDOWS, groups, is_merged, profile_counts
from kb.engine.family.features import Fingerprint, fingerprint
from kb.engine.family.guess import NONE, OTHER, FamilyGuess
from kb.engine.family.sizes import PREFIX, of_profile, readings
from kb.errors import KnowledgeError
from kb.graph.types import Model
from kb.model import Operator

FEWEST_LAYERS = 3  # with fewer, a graph is an operator test or a piece of pre-processing
SOFTNESS = 0.4  # distance at which likeness has fallen to 1/e
FAR = {"graph": 3.6, "device": 3.6}  # nearest reference further away than this: "other"
LOW = 0.28  # confidence below this says "other"


_LAYERS = ("conv", "matmul", "bmm", "rnn", "dw", "conv3d", "tconv", "attention")


@dataclass(frozen=True, slots=True)
class Reference:
    """A network of the shipped table."""

    name: str
    family: str
    graph: Mapping[str, float]
    device: Mapping[str, float]
    merged: Mapping[str, float]  # the same without what some chips merge into convolutions


@dataclass(frozen=True, slots=True)
class Sign:
    """What speaks for a family when all its bounds hold: that family comes nearer by `points`."""

    family: str
    when: tuple[tuple[str, float, float], ...]
    points: float
    why: str


def recognise(model: Model) -> FamilyGuess:
    """Family of a graph."""
    return of_fingerprint(fingerprint(model))


def of_fingerprint(found: Fingerprint) -> FamilyGuess:
    """Family of a graph whose fingerprint is known."""
    if found.layers < FEWEST_LAYERS:
        return FamilyGuess(NONE, 1.0, f"{found.layers} layers with weights: no network")
    return _nearest(found.features, "graph")


def recognise_types(counts: Mapping[str, float], read: Mapping[str, float] | None = None) -> FamilyGuess:
    """Family from operator types and how often each ran; less certain than from the graph.

    `read` are the readings of `sizes` where shapes are known; without them only the types are compared.
    """
    merged = is_merged(counts)
    features = groups(counts, read, merged=merged)
    layers = plain_sum(features.get(f"device:{name}", 0.0) for name in _LAYERS)
    if not layers:
        return FamilyGuess(NONE, 1.0, "no operator with weights: no network")
    unseen = (
        {f"device:{window}" for window in WINDOWS}
        if not any(f"device:{w}" in features for w in WINDOWS)
        else set()
    )
    if not read:
        unseen |= {name for reference in references() for name in reference.device if name.startswith(PREFIX)}
    return _nearest(features, "device", frozenset(unseen), merged=merged)


def recognise_profile(found: Iterable[Operator]) -> FamilyGuess:
    """Family of the network in a profile, from operator types and, where the profile has them, shapes."""
    ran = list(found)
    return recognise_types(profile_counts(ran), readings(of_profile(ran)))


def _nearest(
    features: Mapping[str, float], view: str, unseen: frozenset[str] = frozenset(), *, merged: bool = False
) -> FamilyGuess:
    weights = _weights()

    def of(reference: Reference) -> Mapping[str, float]:
        device = reference.merged if merged else reference.device
        return reference.graph if view == "graph" else device

    ranked = sorted(
        (
            _distance(features, of(reference), weights, unseen),
            reference.name,
            reference.family,
        )
        for reference in references()
    )
    best: dict[str, float] = {}
    for distance, _, family in ranked:
        best.setdefault(family, distance)
    seen = [
        sign
        for sign in _signs(view)
        if all(low <= features.get(name, 0.0) <= high for name, low, high in sign.when)
    ]
    for sign in seen:
        if sign.family in best:
            best[sign.family] -= sign.points
    order = sorted(best, key=lambda family: (best[family], family))
    first = best[order[0]]
    likeness = [math.exp(-(best[family] - first) / SOFTNESS) for family in order[:6]]
    confidence = round(
        likeness[0] / plain_sum(likeness) * min(1.0, math.exp(-(first - FAR[view] / 2) / FAR[view])), 2
    )
    nearest = tuple(name for _, name, family in ranked if family == order[0])[:3]
    signs = [sign.why for sign in seen if sign.family == order[0]]
    why = "; ".join([*signs, f"like {', '.join(nearest)} (next family {order[1]})"])
    if first > FAR[view] or confidence < LOW:
        return FamilyGuess(OTHER, round(1 - confidence, 2), why, nearest, tuple(order[:4]))
    return FamilyGuess(order[0], confidence, why, nearest, tuple(order[1:4]))


def _distance(
    one: Mapping[str, float], other: Mapping[str, float], weights: Mapping[str, float], unseen: frozenset[str]
) -> float:
    names = sorted((one.keys() | other.keys()) - unseen)  # sorted: sums of floats depend on the order
    return plain_sum(
        weights.get(name, 1.0) * abs(one.get(name, 0.0) - other.get(name, 0.0)) for name in names
    )


@cache
def references() -> tuple[Reference, ...]:
    """The reference networks of the shipped table.

    Raises:
        KnowledgeError: the table is missing or a line is malformed.
    """
    found = []
    for line in _lines("networks.tsv"):
        cells = line.split("\t")
        if len(cells) != 5:
            raise KnowledgeError(
                f"{len(cells)} cells, 5 are needed: {line[:60]}",
                where="data/families/networks.tsv",
                now="mend the line",
            )
        found.append(
            Reference(
                cells[0],
                cells[1],
                _pairs(cells[2]),
                groups(_pairs(cells[3]), _pairs(cells[4])),
                groups(_pairs(cells[3]), _pairs(cells[4]), merged=True),
            )
        )
    return tuple(found)


@cache
def _weights() -> dict[str, float]:
    return {cells[0]: float(cells[1]) for cells in (line.split("\t") for line in _lines("weights.tsv"))}


@cache
def _signs(view: str) -> tuple[Sign, ...]:
    """The signs of the shipped table that can be seen in a graph, or in a profile ("device")."""
    found = []
    for line in _lines("signs.tsv"):
        family, when, points, why = line.split("\t")
        bounds = tuple(_bound(part) for part in when.split())
        if all(name.startswith(("device:", PREFIX)) == (view == "device") for name, _, _ in bounds):
            found.append(Sign(family, bounds, float(points), why))
    return tuple(found)


def _bound(text: str) -> tuple[str, float, float]:
    """`feature>=low`, `feature<=high`, or `feature` alone for "present"."""
    if ">=" in text:
        name, _, value = text.partition(">=")
        return name, float(value), math.inf
    if "<=" in text:
        name, _, value = text.partition("<=")
        return name, 0.0, float(value)
    return text, 1e-6, math.inf


def _lines(name: str) -> list[str]:
    """Lines of a table without comments and without its header."""
    path = shipped.root() / "families" / name
    try:
        lines = [
            line
            for line in path.read_text(encoding="utf-8").splitlines()
            if line and not line.startswith("#")
        ]
    except OSError as fault:
        raise KnowledgeError(
            f"table unreadable: {fault}", where=str(path), now="install ascend-kb again"
        ) from fault
    return lines[1:]


def _pairs(cell: str) -> dict[str, float]:
    return {name: float(value) for name, _, value in (part.rpartition("=") for part in cell.split())}
