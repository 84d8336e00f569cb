"""What the head of an entry may hold: keys, types and limits, turned into the fields of `Entry`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, get_args

from kb.knowledge.head import Node
from kb.model import Basis, Condition, EntryKind, Grade, Observation, PublishedGain, State, Text3
from kb.vocabulary.entries import LANGUAGES

OPS = ("<", "<=", ">", ">=", "==", "!=", "in", "~")
WHO = ("kernel-developer", "model-developer", "deployment")
EFFORT = ("low", "medium", "high")
GAIN_OF = ("operator", "run", "part")
NO_GAIN = "no public measurement"

REQUIRED = ("id", "kind", "state", "family", "title", "symptom", "remedy", "grade", "sources")
REQUIRED_OF_KIND: dict[str, tuple[str, ...]] = {
    "recipe": ("who", "effort", "gains"),
    "pattern": ("bottlenecks",),
    "case": ("facts",),
    "tip": (),
}
OPTIONAL = (
    *("aliases", "bottlenecks", "not_for", "operators", "chips", "who", "effort"),
    *("when", "not_when", "bounded_by", "observe", "gains", "links", "facts"),
)
FACTS: dict[str, tuple[str, ...]] = {
    "recipe": ("role", "apis", "counterpart", "contradicts"),
    "pattern": ("severity", "disputed", "contradicts", "without_remedy"),
    "case": (
        *("model", "task", "framework", "mode", "input_shape", "batch", "precision", "hardware", "toolchain"),
        *("challenges", "results", "op_mix", "fingerprint", "takeaways", "tags", "note", "contradicts"),
    ),
    "tip": ("category", "applies_to", "tags", "contradicts"),
}
ROLES = ("remedy", "warning", "reference", "check")
LIMITS = {"title": 160, "symptom": 800, "remedy": 800, "source": 400, "text": 1200}

Place = tuple[int, int]
Report = Callable[[Place, str, str, str], None]  # place, code, what, mend


@dataclass(slots=True)
class HeadReader:
    """Takes typed values out of a head, reports what does not fit, and remembers where each value stood."""

    node: Node
    report: Report
    places: dict[str, Place] = field(default_factory=dict)

    def place(self, key: str) -> Place:
        """Where a key's value stands, else the top of the head."""
        found = self.node.value.get(key)
        return (found.line, found.column) if found else (self.node.line, self.node.column)

    def unknown_keys(self, kind: str) -> None:
        """Report every key that no entry of this kind has."""
        allowed = {*REQUIRED, *OPTIONAL}
        for key, place in self.node.keys.items():
            if key not in allowed:
                self.report(
                    place, "unknown-key", f'unknown key "{key}"', f"one of: {', '.join(sorted(allowed))}"
                )
        facts = self.node.value.get("facts")
        if facts and isinstance(facts.value, dict):
            names = FACTS.get(kind, ())
            for key, place in facts.keys.items():
                if key not in names:
                    self.report(place, "unknown-key", f'unknown fact "{key}"', f"one of: {', '.join(names)}")

    def missing_keys(self, kind: str) -> None:
        """Report every key that this kind must have and does not."""
        for key in (*REQUIRED, *REQUIRED_OF_KIND.get(kind, ())):
            if key not in self.node.value:
                self.report((self.node.line, 1), "missing-key", f'"{key}" is missing', f"add `{key}:`")

    def text(self, key: str, limit: int = LIMITS["text"]) -> str:
        """A text, empty when the key is absent."""
        node = self.node.value.get(key)
        return "" if node is None else self._text(node, key, limit)

    def choice(self, key: str, options: Iterable[str], default: str = "") -> str:
        """One word of a closed list."""
        value = self.text(key)
        if value and value not in options:
            known = ", ".join(options)
            self.report(self.place(key), "bad-choice", f'{key} "{value}" does not exist', f"one of: {known}")
            return default
        return value or default

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts without repetition, empty when the key is absent."""
        node = self.node.value.get(key)
        return () if node is None else self._texts(node, key)

    def text3(self, key: str) -> Text3:
        """A text in three languages; a bare text is English."""
        node = self.node.value.get(key)
        limit = LIMITS[key]
        if node is None:
            return Text3("")
        if not isinstance(node.value, dict):
            return Text3(self._text(node, key, limit))
        self._only(node, LANGUAGES, key)
        found = {k: self._text(n, f"{key}.{k}", limit) for k, n in node.value.items() if k in LANGUAGES}
        if not found.get("en"):
            self.report((node.line, node.column), "missing-key", f"{key} has no English text", "add `en:`")
        return Text3(found.get("en", ""), found.get("zh", ""), found.get("ja", ""))

    def aliases(self) -> dict[str, tuple[str, ...]]:
        """Users' words by language."""
        node = self.node.value.get("aliases")
        if node is None or not self._is(node, dict, "aliases", "a mapping from language to a list"):
            return {}
        self._only(node, LANGUAGES, "aliases")
        return {k: self._texts(n, f"aliases.{k}") for k, n in node.value.items() if k in LANGUAGES}

    def conditions(self, key: str = "when") -> tuple[Condition, ...]:
        """The `when` list, or another of its form."""
        return tuple(self._conditions_in(self.node.value.get(key), key))

    def observations(self) -> tuple[Observation, ...]:
        """The `observe` list."""
        out = []
        for node, at in self._maps("observe"):
            self._only(node, ("text", "basis"), at)
            text = self._text(node.value.get("text"), f"{at}.text", LIMITS["text"], node)
            basis = self._word(node, "basis", get_args(Basis), at)
            if text and basis:
                out.append(Observation(text, basis))  # type: ignore[arg-type]  # checked against the Literal
        return tuple(out)

    def gains(self, grade: str) -> tuple[PublishedGain, ...]:
        """The `gains` list; the words "no public measurement" stand for an empty one."""
        node = self.node.value.get("gains")
        if node is not None and node.value == NO_GAIN:
            return ()
        return tuple(found for item, at in self._maps("gains") if (found := self._gain(item, at, grade)))

    def facts(self) -> dict[str, Any]:
        """Kind-specific facts as plain data."""
        node = self.node.value.get("facts")
        if node is None or not self._is(node, dict, "facts", "a mapping"):
            return {}
        return dict(node.plain())

    # --- helpers ---

    def _condition(self, node: Node, at: str) -> Condition | None:
        self._only(node, ("metric", "op", "value", "basis"), at)
        metric = self._text(node.value.get("metric"), f"{at}.metric", 80, node)
        op = self._word(node, "op", OPS, at)
        basis = self._word(node, "basis", get_args(Basis), at)
        value = node.value.get("value")
        if value is None:
            self.report((node.line, node.column), "missing-key", f"{at} has no value", "add `value:`")
            return None
        plain = value.plain()
        listed = isinstance(plain, list)
        scalars = plain if listed else [plain]
        if (
            listed != (op == "in")
            or not all(isinstance(v, (int, float, str)) for v in scalars)
            or not scalars
        ):
            place = (value.line, value.column)
            self.report(
                place, "bad-value", f"{at}: value does not fit {op}", "a list for `in`, else one value"
            )
            return None
        typed = tuple(v if isinstance(v, str) else float(v) for v in scalars)
        if not (metric and op and basis):
            return None
        return Condition(metric, op, typed if listed else typed[0], basis)  # type: ignore[arg-type]

    def _gain(self, node: Node, at: str, grade: str) -> PublishedGain | None:
        texts = ("before", "after", "unit", "shapes", "chip", "version", "note")
        self._only(node, ("saved", "of", "grade", "when", *texts), at)
        of = self._word(node, "of", GAIN_OF, at)
        saved = node.value.get("saved")
        low, high = self._range(saved, f"{at}.saved") if saved else (None, None)
        own = self._word(node, "grade", get_args(Grade), at) if "grade" in node.value else grade
        kept = {k: self._text(node.value[k], f"{at}.{k}", LIMITS["text"]) for k in texts if k in node.value}
        if not of or not own:
            return None
        when = tuple(self._conditions_in(node.value.get("when"), f"{at}.when"))
        return PublishedGain(low, high, of, grade=own, when=when, **kept)  # type: ignore[arg-type]

    def _range(self, node: Node, at: str) -> tuple[float | None, float | None]:
        plain = node.plain()
        pair = plain if isinstance(plain, list) else [plain, plain]
        if len(pair) != 2 or not all(
            v is None or (isinstance(v, (int, float)) and v is not True) for v in pair
        ):
            place = (node.line, node.column)
            self.report(
                place, "bad-value", f"{at} is no fraction", "a number or [low, high]; 0.2 is 20 % of the time"
            )
            return None, None
        low, high = (None if v is None else float(v) for v in pair)
        return low, high

    def _conditions_in(self, node: Node | None, key: str) -> Iterable[Condition]:
        return (found for item, at in self._maps_in(node, key) if (found := self._condition(item, at)))

    def _maps(self, key: str) -> Iterable[tuple[Node, str]]:
        return self._maps_in(self.node.value.get(key), key)

    def _maps_in(self, node: Node | None, key: str) -> Iterable[tuple[Node, str]]:
        if node is None or not self._is(node, list, key, "a list"):
            return
        for i, item in enumerate(node.value):
            at = f"{key}.{i}"
            self.places[at] = (item.line, item.column)
            if self._is(item, dict, at, "a mapping"):
                yield item, at

    def _word(self, node: Node, key: str, options: Iterable[str], at: str) -> str:
        value = self._text(node.value.get(key), f"{at}.{key}", 80, node)
        if value and value not in options:
            place = self.places[f"{at}.{key}"]
            known = ", ".join(options)
            self.report(place, "bad-choice", f'{at}.{key} "{value}" does not exist', f"one of: {known}")
            return ""
        return value

    def _text(self, node: Node | None, at: str, limit: int, parent: Node | None = None) -> str:
        if node is None:
            place = (parent.line, parent.column) if parent else (1, 1)
            self.report(place, "missing-key", f"{at} is missing", f"add `{at.rsplit('.', 1)[-1]}:`")
            return ""
        place = self.places[at] = (node.line, node.column)
        if isinstance(node.value, (dict, list)) or node.value is None:
            self.report(place, "wrong-type", f"{at} must be a text", "write one text")
            return ""
        value = " ".join(node.written.split())
        if len(value) > limit:
            self.report(place, "too-long", f"{at} has {len(value)} characters", f"at most {limit}")
        return value

    def _texts(self, node: Node, at: str) -> tuple[str, ...]:
        if not self._is(node, list, at, "a list of texts"):
            return ()
        found = [self._text(item, f"{at}.{i}", LIMITS["source"]) for i, item in enumerate(node.value)]
        for i, value in enumerate(found):
            if value in found[:i]:
                self.report(
                    self.places[f"{at}.{i}"], "repeated", f'"{value}" stands twice in {at}', "keep one"
                )
        return tuple(found)

    def _only(self, node: Node, allowed: Iterable[str], at: str) -> None:
        for key, place in node.keys.items():
            if key not in allowed:
                known = ", ".join(allowed)
                self.report(place, "unknown-key", f'unknown key "{key}" in {at}', f"one of: {known}")

    def _is(self, node: Node, kind: type, at: str, wanted: str) -> bool:
        if isinstance(node.value, kind):
            return True
        self.report((node.line, node.column), "wrong-type", f"{at} must be {wanted}", f"write {wanted}")
        return False


KINDS: tuple[str, ...] = get_args(EntryKind)
STATES: tuple[str, ...] = get_args(State)
GRADES: tuple[str, ...] = get_args(Grade)
