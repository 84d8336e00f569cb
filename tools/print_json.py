"""The column `type` in the tables of docs/json.md, from the schemas; what members mean is written there by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kb.schema import DOCUMENTS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "json.md"
_SECTION = re.compile(r"^## (kb\.\S+/\d+)$")
_ROW = re.compile(r"^\| (`[^|]+?) \| (?:([^|]*?) \| )?((?:[^|]|\\\|)+) \|$")
_WORDS = {
    "string": "text",
    "boolean": "yes or no",
    "integer": "integer",
    "number": "number",
    "object": "object",
}


def json_page() -> str:
    """docs/json.md with its types up to date.

    Raises:
        KeyError: a member that the document does not have.
    """
    return "\n".join(_lines(PAGE.read_text(encoding="utf-8").split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    schema: Mapping[str, Any] | None = None
    for line in lines:
        if line.startswith("## "):
            found = _SECTION.match(line)
            name = found[1] if found else ""
            schema = DOCUMENTS[name].schema(name) if name in DOCUMENTS else None
        row = _ROW.match(line) if schema else None
        if schema and line.startswith("| member |"):
            yield "| member | type | holds |"
        elif schema and re.fullmatch(r"(?:\|-+)+\|", line):
            yield "|---|---|---|"
        elif schema and row:
            yield f"| {row[1]} | {_types(row[1], schema)} | {row[3]} |"
        else:
            yield line


def _types(cell: str, schema: Mapping[str, Any]) -> str:
    """Types of the members that a cell names; those behind the first lie beside it."""
    names = re.findall(r"`([^`]+)`", cell)
    beside = names[0].rpartition(".")[0]
    paths = [name if "." in name or not beside else f"{beside}.{name}" for name in names]
    return "; ".join(dict.fromkeys(_type(path, schema) for path in paths))


def _type(path: str, schema: Mapping[str, Any]) -> str:
    node: Mapping[str, Any] = schema
    needed = True
    for part in path.replace("[]", "").split("."):
        node = _open(node, schema)
        if part not in node.get("properties", {}):
            raise KeyError(f"{schema['title']} has no member {path!r}")
        needed = part in node.get("required", ())
        node = node["properties"][part]
    return _word(node, schema) + ("" if needed else ", may be absent")


def _open(node: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The object behind a reference, a list, or the one alternative that is not null."""
    while "properties" not in node:
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rpartition("/")[2]]
        elif "anyOf" in node:
            node = next(one for one in node["anyOf"] if one.get("type") != "null")
        elif "items" in node:
            node = node["items"]
        else:
            return node
    return node


def _word(node: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    if "$ref" in node:
        return "object"
    if "anyOf" in node:
        return " or ".join(dict.fromkeys(_word(one, schema) for one in node["anyOf"]))
    if "enum" in node or "const" in node:
        return "word"
    kind = node.get("type", "any")
    if kind == "array":
        inner = _word(node["items"], schema)
        return f"list of {inner}s" if inner in ("object", "number", "integer", "word", "text") else "list"
    if (
        kind == "object"
        and "additionalProperties" in node
        and isinstance(node["additionalProperties"], Mapping)
    ):
        return f"map to {_word(node['additionalProperties'], schema)}"
    return _WORDS.get(kind, str(kind))


def missing() -> list[str]:
    """Members of the top level that a section with a table does not tell of."""
    text = PAGE.read_text(encoding="utf-8")
    out = []
    for name, printed in DOCUMENTS.items():
        section = text.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        told = set(re.findall(r"`([a-z_]+)", section))
        if section.count("\n| ") and not told >= set(printed.schema(name)["properties"]) - {"schema"}:
            lacks = sorted(set(printed.schema(name)["properties"]) - {"schema"} - told)
            out.append(f"{name}: {', '.join(lacks)}")
    return out
