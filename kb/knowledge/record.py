"""An entry as plain JSON data and back: what the index holds, so that no YAML is read when one is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kb.model import Body, Condition, Entry, Observation, PublishedGain, Text3

_LISTS = ("bottlenecks", "not_for", "operators", "chips", "links", "sources", "steps")
_TEXTS = ("title", "symptom", "remedy")


def entry(data: Mapping[str, Any]) -> Entry:
    """The entry that `kb.model.to_dict` made this of.

    Raises:
        KeyError, TypeError: it did not.
    """
    values = dict(data)
    values.update({name: Text3(**data[name]) for name in _TEXTS})
    values.update({name: tuple(data[name]) for name in _LISTS})
    values["aliases"] = {language: tuple(said) for language, said in data["aliases"].items()}
    values["when"] = tuple(_condition(item) for item in data["when"])
    values["not_when"] = tuple(_condition(item) for item in data["not_when"])
    values["observe"] = tuple(Observation(**item) for item in data["observe"])
    values["gains"] = tuple(_gain(item) for item in data["gains"])
    values["bodies"] = {
        language: Body(**{**body, "steps": tuple(body["steps"])}) for language, body in data["bodies"].items()
    }
    return Entry(**values)


def _gain(item: Mapping[str, Any]) -> PublishedGain:
    values = {"saved_low": None, "saved_high": None} | dict(item)
    values["when"] = tuple(_condition(condition) for condition in item.get("when", ()))
    return PublishedGain(**values)


def _condition(item: Mapping[str, Any]) -> Condition:
    value = item["value"]
    return Condition(**{**item, "value": tuple(value) if isinstance(value, list) else value})
