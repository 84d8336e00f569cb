"""A stored JSON report back to the `Report` it was made from."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from kb.errors import SourceError
from kb.model import Report
from kb.report.json import SCHEMA


def report_from_dict(document: Any, *, where: str = "") -> Report:
    """The report in `document`, the inverse of `kb.report.json.document`; unknown keys are passed over.

    Raises:
        SourceError: another schema, a promised key missing, or a value of the wrong type.
    """
    found = document.get("schema") if isinstance(document, dict) else None
    if found != SCHEMA:
        raise SourceError(
            f"this is no report of the kind {SCHEMA} but {found or 'something without a schema'}",
            where=where,
            now="give a file that `kb advise --format json` wrote",
        )
    try:
        return cast(Report, _build(Report, document, "report"))
    except _Mismatch as fault:
        raise SourceError(f"damaged report: {fault}", where=where, now="analyse the profile again") from None


class _Mismatch(Exception):
    """A value that does not fit the declared type; the message names the path to it."""


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def _build(kind: Any, value: Any, path: str) -> Any:
    """`value` as an object of the declared type `kind`."""
    origin, args = get_origin(kind), get_args(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return _object(kind, value, path)
    if origin in (Union, types.UnionType):
        return _any_of(args, value, path)
    if origin is Literal:
        if value in args:
            return value
        raise _Mismatch(f"{path} is not one of {', '.join(map(str, args))}")
    if origin is tuple and isinstance(value, list):
        return tuple(_build(args[0], item, f"{path}[{at}]") for at, item in enumerate(value))
    if origin is not None and isinstance(value, dict) and issubclass(origin, Mapping):
        return {str(key): _build(args[1], item, f"{path}.{key}") for key, item in value.items()}
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        return _finite(value, path)
    if isinstance(kind, type) and type(value) is kind:
        return value
    raise _Mismatch(f"{path} has the wrong type")


def _finite(value: float, path: str) -> float:
    """A number that a view can draw: JSON as Python reads it also knows NaN, Infinity and integers of any size."""
    try:
        if math.isfinite(value):
            return float(value)
    except OverflowError:
        pass
    raise _Mismatch(f"{path} is no finite number")


def _object(kind: type, value: Any, path: str) -> Any:
    if not isinstance(value, dict):
        raise _Mismatch(f"{path} has the wrong type")
    given: dict[str, Any] = {}
    for item in fields(kind):
        hint = _hints(kind)[item.name]
        if item.name in value:
            given[item.name] = _build(hint, value[item.name], f"{path}.{item.name}")
        elif item.default is MISSING and item.default_factory is MISSING:
            if type(None) not in get_args(hint):
                raise _Mismatch(f"{path}.{item.name} is missing")
            given[item.name] = None
    return kind(**given)


def _any_of(kinds: tuple[Any, ...], value: Any, path: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    for kind in kinds:
        try:
            return _build(kind, value, path)
        except _Mismatch:
            continue
    raise _Mismatch(f"{path} has the wrong type")
