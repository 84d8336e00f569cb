"""Which family a network belongs to, from its graph or from a profile's operator types, and which cases resemble it."""

from kb.engine.family.features import Fingerprint, fingerprint
from kb.engine.family.guess import FAMILIES, FamilyGuess
from kb.engine.family.nearest import of_fingerprint, recognise, recognise_profile, recognise_types
from kb.engine.family.similar import similar_cases

__all__ = [
    "FAMILIES",
    "FamilyGuess",
    "Fingerprint",
    "fingerprint",
    "of_fingerprint",
    "recognise",
    "recognise_profile",
    "recognise_types",
    "similar_cases",
]
