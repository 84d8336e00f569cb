"""The YAML head of an entry: a strict, bounded subset, read with the place of every value.

Refused: anchors and aliases (a few bytes can stand for gigabytes), tags, duplicate keys, deep nesting, several
documents, control characters. Plain scalars are null, true, false, whole and decimal numbers; all else is text,
so that a chip named 910_93 or an answer `no` stays what was written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

DEPTH = 8
# control characters and those that turn the direction of text: entries are printed on terminals
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_INT = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_FLOAT = re.compile(r"-?(?:\d+\.\d*|\.\d+)(?:[eE][+-]\d{1,3})?")  # what a YAML writer leaves unquoted
_WORDS: dict[str, Any] = {"": None, "null": None, "~": None, "true": True, "false": False}


@dataclass(slots=True)
class Node:
    """A value with its place; mappings also know where their keys stand, scalars how they were written."""

    value: Any  # scalar, list[Node] or dict[str, Node]
    line: int
    column: int
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)
    written: str = ""

    def plain(self) -> Any:
        """The value as ordinary lists, dicts and scalars."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value


class HeadError(Exception):
    """The head cannot be read; carries code, place and what to do."""

    def __init__(self, code: str, what: str, mend: str, line: int, column: int) -> None:
        super().__init__(what)
        self.code, self.what, self.mend, self.line, self.column = code, what, mend, line, column


def read_head(text: str, first_line: int) -> Node:
    """Parse a head; `first_line` is the line of the file on which the text starts.

    Raises:
        HeadError: not YAML, or more than the subset; the first such fault, with its place.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder(first_line)
    try:
        for event in yaml.parse(text, Loader=loader):
            builder.take(event, type(event).__name__)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark
        line, column = (mark.line, mark.column) if mark else (0, 0)
        what = f"not YAML: {fault.problem or 'cannot be read'}"
        raise HeadError("yaml", what, "mend the syntax", first_line + line, column + 1) from fault
    except yaml.YAMLError as fault:
        what = "not YAML: it holds characters that are not allowed"
        raise HeadError("yaml", what, "remove control characters", first_line, 1) from fault
    return builder.result()


class _Builder:
    """Turns parser events into nodes without recursion, so that depth is bounded before it costs anything."""

    def __init__(self, first_line: int) -> None:
        self.first_line = first_line
        self.root: Node | None = None
        self.stack: list[Node] = []
        self.pending: list[Node | None] = []  # the key that waits for its value, one a level

    def take(self, event: Any, kind: str) -> None:
        place = self.first_line + event.start_mark.line, event.start_mark.column + 1
        if kind == "AliasEvent" or getattr(event, "anchor", None):
            raise HeadError(
                "yaml-alias", "anchors and aliases are not allowed", "write the value out", *place
            )
        if kind == "ScalarEvent":
            self._scalar(event, place)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._open(Node({} if kind.startswith("M") else [], *place), event, place)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self.stack.pop()
            self.pending.pop()
        elif kind == "DocumentStartEvent" and self.root is not None:
            raise HeadError("yaml", "a second document", "one head a file", *place)

    def result(self) -> Node:
        if self.root is None or not isinstance(self.root.value, dict):
            raise HeadError("yaml", "the head is no mapping", "write `key: value` lines", self.first_line, 1)
        return self.root

    def _open(self, node: Node, event: Any, place: tuple[int, int]) -> None:
        if event.tag and not event.implicit:
            raise HeadError("yaml-tag", f"tag {event.tag} is not allowed", "remove it", *place)
        if len(self.stack) >= DEPTH:
            raise HeadError("yaml-depth", f"nested deeper than {DEPTH}", "flatten it", *place)
        self._add(node)
        self.stack.append(node)
        self.pending.append(None)

    def _scalar(self, event: Any, place: tuple[int, int]) -> None:
        if event.tag and event.tag != "!":
            raise HeadError("yaml-tag", f"tag {event.tag} is not allowed", "remove it", *place)
        if UNPRINTABLE.search(event.value):
            raise HeadError("control-character", "a control character as escape", "remove it", *place)
        value = event.value if event.style not in (None, "") else resolve(event.value)
        self._add(Node(value, *place, written=event.value))

    def _add(self, node: Node) -> None:
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        if isinstance(parent.value, list):
            parent.value.append(node)
            return
        key = self.pending[-1]
        if key is None:
            self._key(parent, node)
        else:
            parent.value[key.value] = node
            self.pending[-1] = None

    def _key(self, parent: Node, node: Node) -> None:
        place = node.line, node.column
        if isinstance(node.value, (dict, list)):
            raise HeadError("yaml", "a key must be a word", "write `word: value`", *place)
        node.value = str(node.value)
        if node.value in parent.keys:
            raise HeadError("duplicate-key", f'"{node.value}" stands twice', "keep one of them", *place)
        parent.keys[node.value] = place
        self.pending[-1] = node


def resolve(text: str) -> Any:
    """A plain scalar as null, truth value, number or text."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text
