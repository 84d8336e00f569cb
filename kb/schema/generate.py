"""From a type to its JSON Schema (draft 2020-12).

Dataclasses and named tuples become objects. A member whose type allows None is left out of a document when it is absent,
so it is not required; `Shape` says where a document differs from its type.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_SCALARS: Mapping[Any, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}
Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """How an object in a document differs from its type: members never printed, not always printed, printed as null."""

    hidden: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    nullable: frozenset[str] = frozenset()


def schema_of(name: str, kind: type, shapes: Mapping[type, Shape], *, closed: bool = False) -> Schema:
    """The schema of the document `name` (such as "kb.report/1") that holds the members of `kind`.

    Within a version members are only added, so objects are open; `closed` refuses members that are not described.
    """
    maker = _Maker(shapes, closed)
    body = maker.members(kind)
    properties = {"schema": {"const": name}} | body["properties"]
    out: Schema = {"$schema": DRAFT, "$id": f"urn:{name.replace('/', ':')}", "title": name} | body
    out |= {"properties": properties, "required": ["schema", *body["required"]]}
    return out | ({"$defs": dict(sorted(maker.defs.items()))} if maker.defs else {})


class _Maker:
    """One pass over a type; every object below it is described once, in `defs`."""

    def __init__(self, shapes: Mapping[type, Shape], closed: bool) -> None:
        self.shapes = shapes
        self.closed = closed
        self.defs: dict[str, Schema] = {}
        self.kinds: dict[str, type] = {}

    def members(self, kind: type) -> Schema:
        """An object with the members of a dataclass or named tuple."""
        shape = self.shapes.get(kind, Shape())
        names = [item.name for item in fields(kind)] if is_dataclass(kind) else list(kind._fields)  # type: ignore[attr-defined]
        hints = get_type_hints(kind)
        out: Schema = {"type": "object"}
        summary = (kind.__doc__ or "").strip().split("\n")[0]
        if summary and not summary.startswith(f"{kind.__name__}("):
            out["description"] = summary
        properties: dict[str, Schema] = {}
        required = []
        for name in names:
            if name in shape.hidden:
                continue
            hint = hints[name]
            absent = type(None) in get_args(hint) and get_origin(hint) in (Union, types.UnionType)
            properties[name] = self.of(_without_none(hint) if absent else hint)
            if name in shape.nullable:
                properties[name] = {"anyOf": [properties[name], {"type": "null"}]}
            if name not in shape.optional and (not absent or name in shape.nullable):
                required.append(name)
        out |= {"properties": properties, "required": required}
        return out | ({"additionalProperties": False} if self.closed else {})

    def of(self, hint: Any) -> Schema:
        """The schema of one declared type."""
        origin, args = get_origin(hint), get_args(hint)
        if hint is Any:
            return {}
        if hint in _SCALARS:
            return {"type": _SCALARS[hint]}
        if origin is Literal:
            return {"enum": list(args)}
        if origin in (Union, types.UnionType):
            return {"anyOf": [self.of(arg) for arg in args]}
        if hint is type(None):
            return {"type": "null"}
        if origin in (tuple, list):
            return {"type": "array", "items": self.of(args[0])}
        if origin is not None and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of(args[1])}
        if isinstance(hint, type) and (is_dataclass(hint) or hasattr(hint, "_fields")):
            return self._reference(hint)
        raise TypeError(f"no JSON Schema for {hint!r}")

    def _reference(self, kind: type) -> Schema:
        name = kind.__name__
        if self.kinds.setdefault(name, kind) is not kind:
            raise TypeError(f"two types called {name} in one document")
        if name not in self.defs:
            self.defs[name] = {}  # a type that holds itself refers to it
            self.defs[name] = self.members(kind)
        return {"$ref": f"#/$defs/{name}"}


def _without_none(hint: Any) -> Any:
    kept = tuple(arg for arg in get_args(hint) if arg is not type(None))
    return kept[0] if len(kept) == 1 else Union[kept]  # noqa: UP007 - made from a tuple
