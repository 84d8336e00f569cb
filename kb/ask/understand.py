"""From a question taken apart to the one query that answers it, or to a refusal that names near questions."""

from __future__ import annotations

from dataclasses import dataclass

from kb.ask.tables import Intent, intents
from kb.ask.words import Heard

NEAR = 5
_NEED, _LIKE, _STRANGE = 2.0, 1.0, 1.5  # what a concept counts that is needed, that fits, that fits not
_FORBIDDEN = "write"


@dataclass(frozen=True, slots=True)
class Understood:
    """The question that is meant, None where there is none or it is not clear; `near` are those that come close."""

    intent: Intent | None
    near: tuple[Intent, ...] = ()


def understand(heard: Heard) -> Understood:
    """Choose the question. It must have all it needs and nothing it shuns, and more of what was said must be
    understood than not; of two that fit equally well neither is taken.
    """
    ranked = sorted(
        ((_score(intent, heard), -at, intent) for at, intent in enumerate(intents().values())),
        key=lambda item: item[:2],
        reverse=True,
    )
    fitting = [(score, intent) for score, _, intent in ranked if _fits(intent, heard)]
    near = _near(heard)
    if not fitting or _FORBIDDEN in heard.concepts:
        return Understood(None, near)
    best, chosen = fitting[0]
    if best <= 0 or (len(fitting) > 1 and fitting[1][0] == best):
        return Understood(None, near)
    understood = len(heard.present & _known(chosen))
    if 2 * sum(map(_weight, heard.unknown)) >= understood + 1:
        return Understood(None, near)
    return Understood(chosen, tuple(intent for intent in near if intent is not chosen))


def _near(heard: Heard) -> tuple[Intent, ...]:
    """Questions that share something with what was said, those that share most first."""
    shared = {id: len(heard.present & _known(intent)) for id, intent in intents().items()}
    ranked = sorted(intents().values(), key=lambda intent: (-shared[intent.id], -_score(intent, heard)))
    return tuple(intent for intent in ranked[:NEAR] if shared[intent.id])


def _weight(word: str) -> float:
    """A word that was not understood; Chinese and Japanese count two characters as one."""
    return 1.0 if word.isascii() else len(word) / 2


def _fits(intent: Intent, heard: Heard) -> bool:
    return all(group & heard.present for group in intent.needs) and not intent.shuns & heard.present


def _score(intent: Intent, heard: Heard) -> float:
    """How well a question fits; a missing need costs and does not exclude, so that near ones can be found."""
    met = sum(1 for group in intent.needs if group & heard.present)
    needed = heard.present & frozenset().union(*intent.needs)
    liked = (heard.present & intent.likes) - needed
    strange = heard.present - _known(intent)
    shunned = heard.present & intent.shuns
    missing = len(intent.needs) - met
    return _NEED * met + _LIKE * len(liked) - _STRANGE * (len(strange) + len(shunned)) - _NEED * missing


def _known(intent: Intent) -> frozenset[str]:
    return frozenset().union(*intent.needs) | intent.likes
