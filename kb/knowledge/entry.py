"""One entry of the knowledge base as a file: YAML head between `---` lines, Markdown body.

`docs/decisions/0003-entry-format.md` describes the format. Reading is strict and bounded, and reports every
fault of a file at once. `entry_to_text` writes what `parse_entry` reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from kb import shipped
from kb.errors import KnowledgeError
from kb.knowledge import body as markdown
from kb.knowledge.faults import Fault, render_text
from kb.knowledge.head import UNPRINTABLE, HeadError, read_head
from kb.knowledge.schema import EFFORT, GRADES, KINDS, NO_GAIN, STATES, WHO, HeadReader
from kb.model import Body, Condition, Entry, EntryKind, Grade, PublishedGain, State, Text3

MAX_BYTES = 64 * 1024
FOLDERS: dict[str, str] = {"case": "cases", "recipe": "recipes", "pattern": "patterns", "tip": "tips"}


@dataclass(frozen=True, slots=True)
class Parsed:
    """An entry as far as it could be read, where its values stand, and what is wrong."""

    entry: Entry | None
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    def place(self, *keys: str) -> tuple[int, int]:
        """Line and column of the first of these values that the file has, else of its first line."""
        return next((self.places[key] for key in keys if key in self.places), (1, 1))


def parse_entry(text: str, file: str = "") -> Parsed:
    """Read an entry from text; never raises for bad input."""
    faults: list[Fault] = []
    known = re.search(r"^id: *([a-z0-9.-]+) *$", text[:4096], re.MULTILINE)
    entry_id = known[1] if known else ""

    def report(place: tuple[int, int], code: str, what: str, mend: str) -> None:
        faults.append(Fault(file, *place, entry_id, code, what, mend))

    for number, line in enumerate(text.split("\n"), 1):
        bad = UNPRINTABLE.search(line)
        if bad:
            what = f"control character U+{ord(bad[0]):04X}"
            report((number, bad.start() + 1), "control-character", what, "remove it")
    head, first_body_line, body = _split(text)
    if head is None:
        report((1, 1), "no-head", "no head between two `---` lines", "start the file with `---`")
        return Parsed(None, faults=tuple(faults))
    try:
        node = read_head(head, 2)
    except HeadError as fault:
        report((fault.line, fault.column), fault.code, fault.what, fault.mend)
        return Parsed(None, faults=tuple(faults))
    reader = HeadReader(node, report)
    entry = _entry(reader, body, first_body_line, file, report)
    return Parsed(entry, reader.places, tuple(sorted(set(faults))))


def parse_file(path: Path) -> Parsed:
    """As `parse_entry`, from a file; an unreadable or oversized file is a fault too."""
    file = str(path)
    try:
        size = path.stat().st_size
        raw = b"" if size > MAX_BYTES else path.read_bytes()
    except OSError as fault:
        what, mend = f"cannot be read: {fault.strerror}", "check that it exists and its permissions"
        return Parsed(None, faults=(Fault(file, 1, 1, path.stem, "unreadable", what, mend),))
    if size > MAX_BYTES:
        what = f"{size} bytes, more than {MAX_BYTES}"
        return Parsed(None, faults=(Fault(file, 1, 1, path.stem, "too-long", what, "split the entry"),))
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = raw[: fault.start].count(b"\n") + 1
        what, mend = f"byte {fault.start} is not UTF-8", "save the file as UTF-8"
        return Parsed(None, faults=(Fault(file, line, 1, path.stem, "encoding", what, mend),))
    return parse_entry(text.replace("\r\n", "\n"), file)


def entry_files(paths: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """(kind by folder, path) of every entry file, in a fixed order; kind is empty where no folder tells it.

    A path is a root with the folders cases, recipes, patterns and tips, one of these folders, any folder of entry
    files, or one file. Links that lead out of the given folder are left out.
    """
    for path in paths:
        if path.is_file():
            yield _kind_of(path), path
            continue
        folders = [path / name for name in FOLDERS.values() if (path / name).is_dir()] or [path]
        inside = path.resolve()
        for file in (file for folder in folders for file in sorted(folder.glob("*.md"))):
            if file.is_file() and file.resolve().is_relative_to(inside):
                yield _kind_of(file), file


def _kind_of(file: Path) -> str:
    return next((kind for kind, folder in FOLDERS.items() if folder == file.parent.name), "")


def load_entries(roots: Iterable[Path] | None = None) -> tuple[Entry, ...]:
    """All entries below the roots (the shipped data when none are given), sorted by id.

    Raises:
        KnowledgeError: faults in any file, or one id twice; all are in the message.
    """
    entries: dict[str, Entry] = {}
    faults: list[Fault] = []
    for _, path in entry_files(roots or [shipped.root()]):
        parsed = parse_file(path)
        faults += parsed.faults
        if parsed.entry is None:
            continue
        other = entries.setdefault(parsed.entry.id, parsed.entry)
        if other is not parsed.entry:
            what = f"id is taken by {other.file}"
            faults.append(Fault(str(path), 2, 1, other.id, "duplicate-id", what, "choose another id"))
    if faults:
        text = render_text(faults[:50]).replace("\n", "\n  ")
        raise KnowledgeError(f"{len(faults)} faults in the knowledge base", where=faults[0].file, now=text)
    return tuple(entries[key] for key in sorted(entries))


def entry_to_text(entry: Entry) -> str:
    """The file of an entry; reading it gives the entry back (its `file` apart)."""
    head = "".join(_head_line(key, value) for key, value in _head(entry).items())
    texts: dict[str, str] = {}
    steps: dict[str, tuple[str, ...]] = {}
    for lang in ("", *(lang for lang in markdown.TRANSLATED if lang in entry.bodies)):
        body, prefix = entry.body(lang), f"{lang}." if lang else ""
        steps[f"{prefix}steps"] = body.steps
        texts |= {f"{prefix}{name}": getattr(body, name) for name in markdown.HEADINGS if name != "steps"}
    return f"---\n{head}---\n\n{markdown.format_body(texts, steps, entry.snippet)}"


def _split(text: str) -> tuple[str | None, int, str]:
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return None, 1, ""
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        return None, 1, ""
    return "\n".join(lines[1:end]) + "\n", end + 2, "\n".join(lines[end + 1 :])


def _entry(reader: HeadReader, body: str, body_line: int, file: str, report: Any) -> Entry:
    kind = cast(EntryKind, reader.choice("kind", KINDS, "tip"))
    reader.unknown_keys(kind)
    reader.missing_keys(kind)
    sections = markdown.read_body(body, body_line)
    for line, code, what, mend in sections.faults:
        report((line, 1), code, what, mend)
    reader.places.update({f"section.{name}": (line, 1) for name, line in sections.lines.items()})
    grade = cast(Grade, reader.choice("grade", GRADES, "stated"))
    return Entry(
        id=reader.text("id", 80),
        kind=kind,
        state=cast(State, reader.choice("state", STATES, "draft")),
        title=reader.text3("title"),
        symptom=reader.text3("symptom"),
        remedy=reader.text3("remedy"),
        family=reader.text("family", 60),
        aliases=reader.aliases(),
        bottlenecks=reader.texts("bottlenecks"),
        not_for=reader.texts("not_for"),
        operators=reader.texts("operators"),
        chips=reader.texts("chips"),
        who=reader.choice("who", WHO),
        effort=reader.choice("effort", EFFORT),
        when=reader.conditions(),
        not_when=reader.conditions("not_when"),
        bounded_by=reader.text("bounded_by", 80),
        observe=reader.observations(),
        gains=reader.gains(grade),
        grade=grade,
        links=reader.texts("links"),
        sources=reader.texts("sources"),
        facts=reader.facts(),
        cause=sections.texts.get("cause", ""),
        steps=sections.steps.get("steps", ()),
        snippet=sections.snippet,
        why=sections.texts.get("why", ""),
        check=sections.texts.get("check", ""),
        when_not=sections.texts.get("when_not", ""),
        file=file,
        bodies={lang: _body(sections, lang) for lang in markdown.TRANSLATED if _has(sections, lang)},
    )


def _has(sections: markdown.Sections, lang: str) -> bool:
    return any(name.startswith(f"{lang}.") for name in sections.lines)


def _body(sections: markdown.Sections, lang: str) -> Body:
    texts = {name: sections.texts.get(f"{lang}.{name}", "") for name in markdown.HEADINGS if name != "steps"}
    return Body(steps=sections.steps.get(f"{lang}.steps", ()), **texts)


def _head(entry: Entry) -> dict[str, Any]:
    gains: Any = [_gain(gain, entry.grade) for gain in entry.gains]
    head: dict[str, Any] = {
        "id": entry.id,
        "kind": entry.kind,
        "state": entry.state,
        "family": entry.family,
        "title": _text3(entry.title),
        "symptom": _text3(entry.symptom),
        "remedy": _text3(entry.remedy),
        "aliases": {lang: list(words) for lang, words in entry.aliases.items()},
        "bottlenecks": list(entry.bottlenecks),
        "not_for": list(entry.not_for),
        "operators": list(entry.operators),
        "chips": list(entry.chips),
        "who": entry.who,
        "effort": entry.effort,
        "when": [_condition(condition) for condition in entry.when],
        "not_when": [_condition(condition) for condition in entry.not_when],
        "bounded_by": entry.bounded_by,
        "observe": [{"text": o.text, "basis": o.basis} for o in entry.observe],
        "gains": gains or (NO_GAIN if entry.kind == "recipe" else []),
        "grade": entry.grade,
        "links": list(entry.links),
        "sources": list(entry.sources),
        "facts": dict(entry.facts),
    }
    return {key: value for key, value in head.items() if value not in ("", [], {})}


def _text3(text: Text3) -> dict[str, str]:
    return {lang: value for lang, value in (("en", text.en), ("zh", text.zh), ("ja", text.ja)) if value}


def _number(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_number(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value


def _condition(condition: Condition) -> dict[str, Any]:
    value = _number(condition.value)
    return {"metric": condition.metric, "op": condition.op, "value": value, "basis": condition.basis}


def _gain(gain: PublishedGain, grade: str) -> dict[str, Any]:
    low, high = gain.saved_low, gain.saved_high
    saved: Any = low if low == high else [low, high]
    texts = {
        key: getattr(gain, key) for key in ("before", "after", "unit", "shapes", "chip", "version", "note")
    }
    own = {"grade": gain.grade} if gain.grade != grade else {}
    return {
        **({} if saved is None else {"saved": saved}),
        "of": gain.of,
        **{key: value for key, value in texts.items() if value},
        **own,
        **({"when": [_condition(condition) for condition in gain.when]} if gain.when else {}),
    }


def _head_line(key: str, value: Any) -> str:
    import yaml

    options: dict[str, Any] = {"sort_keys": False, "allow_unicode": True, "width": 106}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        lines = (f"- {yaml.safe_dump(item, default_flow_style=True, **options)}" for item in value)
        return f"{key}:\n{''.join(lines)}"
    flow = None if key in ("aliases", "facts") or (isinstance(value, list) and key != "sources") else False
    return str(yaml.safe_dump({key: value}, default_flow_style=flow, **options))
