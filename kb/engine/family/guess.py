"""The answer of the recogniser."""

from __future__ import annotations

from dataclasses import dataclass

from kb.vocabulary.families import FAMILIES, OTHER

NONE = "none"

__all__ = ["FAMILIES", "NONE", "OTHER", "FamilyGuess"]


@dataclass(frozen=True, slots=True)
class FamilyGuess:
    """A family of the closed list, or "none" for a graph that is no network.

    `confidence` is between 0 and 1; `why` names what spoke for it, `nearest` the reference networks it resembles, and
    `also` further families by falling likeness (for the nearest cases when the family itself has none).
    """

    name: str
    confidence: float
    why: str = ""
    nearest: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
