"""Objects of the types as plain dicts, for documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(item.name for item in fields(kind))


def members(value: Any) -> dict[str, Any]:
    """The members of one model object that are not None, as they are; of a mapping all.

    As `default` of `json.dumps` it gives what `json.dumps(to_dict(value))` gives, in a third of the time.

    Raises:
        TypeError: it is neither.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {name: item for name in _names(type(value)) if (item := getattr(value, name)) is not None}
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no part of the model")


def to_dict(value: Any) -> Any:
    """A model object as plain dicts, lists and scalars, in declared order; None members are left out.

    The documents are described in docs/json.md; absent is absent there too.
    """
    if isinstance(value, (str, int, float)):
        return value  # most of what there is
    if is_dataclass(value) and not isinstance(value, type):
        pairs = ((name, getattr(value, name)) for name in _names(type(value)))
        return {name: to_dict(item) for name, item in pairs if item is not None}
    if isinstance(value, Mapping):
        return {key: to_dict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_dict(item) for item in value]
    return value
