"""The Markdown body of an entry: five fixed headings, steps as a numbered list, at most one fenced block.

The same five headings may follow in Chinese and in Japanese, with the body in these languages; the fenced block stands
in the English one and goes with all.

Lines of one paragraph are joined, so that wrapping a file differently changes nothing; list and table lines
stay lines of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

HEADINGS: dict[str, str] = {
    "cause": "What slows you down",
    "steps": "What to do",
    "why": "Why it helps",
    "check": "How to check",
    "when_not": "When it does not help",
}
TRANSLATED: dict[str, dict[str, str]] = {
    "zh": {
        "cause": "慢在哪里",
        "steps": "怎么做",
        "why": "为什么有效",
        "check": "如何验证",
        "when_not": "何时无效",
    },
    "ja": {
        "cause": "遅くなる理由",
        "steps": "対処の手順",
        "why": "効く理由",
        "check": "確認のしかた",
        "when_not": "効かない場合",
    },
}
# every heading in the order of a file: name of the section, such as "cause" or "zh.cause", to heading
ALL_HEADINGS: dict[str, str] = HEADINGS | {
    f"{lang}.{name}": heading for lang, names in TRANSLATED.items() for name, heading in names.items()
}
_OWN_LINE = re.compile(r"(?:[-*|>]\s|\d+[.)]\s|\|)")
_STEP = re.compile(r"(?:\d+[.)]|[-*])\s+(.*)")


@dataclass(slots=True)
class Sections:
    """Sections as text, steps as lists, places of sections, and faults as (line, code, what, mend).

    Sections go by name, those of another language as "zh.cause".
    """

    texts: dict[str, str] = field(default_factory=dict)
    steps: dict[str, tuple[str, ...]] = field(default_factory=dict)
    snippet: str = ""
    lines: dict[str, int] = field(default_factory=dict)
    faults: list[tuple[int, str, str, str]] = field(default_factory=list)


def read_body(text: str, first_line: int) -> Sections:
    """Split a body into its sections; `first_line` is the file's line on which the text starts."""
    body = Sections()
    for line, title, content in _sections(text, first_line, body):
        name = next((key for key, heading in ALL_HEADINGS.items() if heading == title), None)
        known = ", ".join(HEADINGS.values())
        if name is None:
            body.faults.append((line, "unknown-section", f'unknown heading "{title}"', f"one of: {known}"))
        elif name in body.lines:
            body.faults.append((line, "duplicate-section", f'"{title}" stands twice', "merge the two"))
        else:
            order = list(ALL_HEADINGS)
            if body.lines and order.index(name) < max(map(order.index, body.lines)):
                body.faults.append((line, "section-order", f'"{title}" stands too late', f"order: {known}"))
            body.lines[name] = line
            if name.endswith("steps"):
                _read_steps(name, content, line + 1, body)
            else:
                body.texts[name] = tidy("\n".join(content))
    return body


def format_body(texts: dict[str, str], steps: dict[str, tuple[str, ...]], snippet: str) -> str:
    """The body as Markdown, sections by name; empty sections are left out."""
    parts = []
    for name, heading in ALL_HEADINGS.items():
        content = texts.get(name, "")
        if name.endswith("steps"):
            content = "\n".join(f"{i}. {step}" for i, step in enumerate(steps.get(name, ()), 1))
        if name == "steps":
            content = "\n\n".join(part for part in (content, snippet) if part)
        if content:
            parts.append(f"## {heading}\n\n{content}\n")
    return "\n".join(parts)


def tidy(text: str) -> str:
    """Join the lines of each paragraph; list and table lines stay apart, one blank line between paragraphs."""
    paragraphs = []
    for block in re.split(r"\n[ \t]*\n", text):
        lines: list[str] = []
        for raw in block.splitlines():
            line = " ".join(raw.split())
            if not line:
                continue
            if lines and not _OWN_LINE.match(line):
                lines[-1] += f" {line}"
            else:
                lines.append(line)
        if lines:
            paragraphs.append("\n".join(lines))
    return "\n\n".join(paragraphs)


def _sections(text: str, first_line: int, body: Sections) -> Iterator[tuple[int, str, list[str]]]:
    title, start, content, fenced = "", first_line, list[str](), False
    for number, line in enumerate(text.split("\n"), first_line):
        fenced ^= line.lstrip().startswith("```")
        if line.startswith("#") and not fenced:
            if title:
                yield start, title, content
            title, start, content = line.lstrip("#").strip(), number, []
            if not line.startswith("## "):
                body.faults.append(
                    (number, "section-level", f"heading level of {line.strip()!r}", "write `## `")
                )
        elif title:
            content.append(line)
        elif line.strip():
            body.faults.append(
                (number, "loose-text", "text before the first heading", "move it into a section")
            )
    if title:
        yield start, title, content


def _read_steps(name: str, content: list[str], first_line: int, body: Sections) -> None:
    steps: list[str] = []
    fence: list[str] | None = None
    for number, raw in enumerate(content, first_line):
        line = raw.strip()
        if fence is not None:
            fence.append(raw.rstrip())
            if line.startswith("```"):
                if body.snippet or name != "steps":
                    mend = "keep one, in the English steps"
                    body.faults.append((number, "extra-snippet", "a second fenced block", mend))
                body.snippet, fence = body.snippet or "\n".join(fence), None
        elif line.startswith("```"):
            fence = [line]
        elif found := _STEP.match(line):
            steps.append(" ".join(found[1].split()))
        elif line and steps:
            steps[-1] += f" {' '.join(line.split())}"
        elif line:
            body.faults.append((number, "loose-text", "text before the first step", "make it a list item"))
    if fence is not None:
        body.faults.append((first_line, "open-snippet", "a fenced block is not closed", "close it with ```"))
    body.steps[name] = tuple(step for step in steps if step)
