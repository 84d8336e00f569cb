"""Print the catalogue of the knowledge base, `docs/catalogue/*.md`, and `docs/knowledge-status.md` from the data.

    python -m tools.make_catalogue

A test compares the pages with what this prints: after a change of entries run it again (`make docs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from kb import operators, targets
from kb.knowledge.entry import FOLDERS, load_entries
from kb.knowledge.status import status
from kb.model import Entry
from kb.report.entries import kind_of
from kb.report.page import markdown
from kb.report.status import status_page
from kb.vocabulary import bottlenecks

ROOT = Path(__file__).resolve().parent.parent
Groups = Mapping[str, list[Entry]]


def pages() -> dict[str, str]:
    """Path below the root -> text of every printed page."""
    entries = load_entries()
    ways: dict[str, tuple[str, Groups]] = {
        "kind": ("Entries by kind", _by_kind(entries)),
        "operator": ("Entries by operator", _by(entries, lambda entry: map(_operator, entry.operators))),
        "chip": ("Entries by chip", _by(entries, lambda entry: entry.chips or ("any chip",))),
        "bottleneck": ("Entries by bottleneck", _by(entries, lambda entry: entry.bottlenecks)),
    }
    found = {f"docs/catalogue/{way}.md": _page(way, *told, ways) for way, told in ways.items()}
    found["docs/knowledge-status.md"] = (
        markdown.render(status_page(status(entries), "en")).rstrip("\n") + "\n"
    )
    return found


def _by_kind(entries: Iterable[Entry]) -> Groups:
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(f"{entry.kind} · {entry.family}", []).append(entry)
    order = list(FOLDERS)
    return {
        key: groups[key]
        for key in sorted(groups, key=lambda key: (order.index(key.split(" ·")[0]), key.casefold()))
    }


def _by(entries: Iterable[Entry], keys: Callable[[Entry], Iterable[str]]) -> Groups:
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        for key in dict.fromkeys(keys(entry)):
            groups.setdefault(key, []).append(entry)
    return {key: groups[key] for key in sorted(groups, key=str.casefold)}


def _operator(name: str) -> str:
    return "any operator" if name == "*" else operators.canonical(name) if "*" not in name else name


def _page(way: str, title: str, groups: Groups, ways: Iterable[str]) -> str:
    others = " · ".join(f"by [{other}]({other}.md)" for other in ways if other != way)
    lines = [f"# {title}", "", "Printed from `data/` by `make docs`; do not edit.", "", f"Also {others}.", ""]
    for key, entries in groups.items():
        lines += [f"## {key}", "", *_about(way, key), *_lines(way, entries), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _about(way: str, key: str) -> Iterator[str]:
    if way == "chip" and key in targets.families():
        yield f"A family: {', '.join(targets.resolve(key))}."
        yield ""
    if way == "bottleneck" and key in bottlenecks.IDS:
        yield f"`kb explain {key}` says what helps and what does not."
        yield ""


def _lines(way: str, entries: Iterable[Entry]) -> Iterator[str]:
    """By kind one line an entry with its title; elsewhere one line a kind."""
    if way == "kind":
        for entry in entries:
            kind = kind_of(entry, "en").split(":")[0]
            yield f"- {_link(entry)}: {entry.title.en} ({kind}, {entry.grade}, {entry.state})"
        return
    for kind, folder in FOLDERS.items():
        links = ", ".join(_link(entry) for entry in entries if entry.kind == kind)
        if links:
            yield f"- {folder}: {links}"


def _link(entry: Entry) -> str:
    return f"[{entry.id}](../../data/{FOLDERS[entry.kind]}/{entry.id}.md)"


def main() -> None:
    for name, text in pages().items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"{name}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main()
