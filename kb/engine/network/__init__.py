"""A network before there is a device: from its graph or its operators to calls, times and a forecast."""

from kb.engine.network.convert import Converted, convert
from kb.engine.network.foretell import foretell, timed
from kb.engine.network.inputs import parse_shapes
from kb.engine.network.listed import read_operators, with_engines
from kb.engine.network.profile import to_profile
from kb.engine.network.types import Call, Network, Timed

__all__ = [
    "Call", "Converted", "Network", "Timed", "convert", "foretell", "parse_shapes", "read_operators", "timed", "to_profile",
    "with_engines",
]  # fmt: skip
