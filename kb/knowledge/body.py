"""The Markdown body of an entry: five fixed headings, steps as a numbered list, at most one fenced block.

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
_OWN_LINE = re.compile(r"(?:[-*|>]\s|\d+[.)]\s|\|)")
_STEP = re.compile(r"(?:\d+[.)]|[-*])\s+(.*)")


@dataclass(slots=True)
class Body:
    """Sections as text, steps as a list, places of sections, and faults as (line, code, what, mend)."""

    texts: dict[str, str] = field(default_factory=dict)
    steps: tuple[str, ...] = ()
    snippet: str = ""
    lines: dict[str, int] = field(default_factory=dict)
    faults: list[tuple[int, str, str, str]] = field(default_factory=list)


def read_body(text: str, first_line: int) -> Body:
    """Split a body into its sections; `first_line` is the file's line on which the text starts."""
    body = Body()
    for line, title, content in _sections(text, first_line, body):
        name = next((key for key, heading in HEADINGS.items() if heading == title), None)
        known = ", ".join(HEADINGS.values())
        if name is None:
            body.faults.append((line, "unknown-section", f'unknown heading "{title}"', f"one of: {known}"))
        elif name in body.lines:
            body.faults.append((line, "duplicate-section", f'"{title}" stands twice', "merge the two"))
        else:
            if body.lines and list(HEADINGS).index(name) < max(list(HEADINGS).index(k) for k in body.lines):
                body.faults.append((line, "section-order", f'"{title}" stands too late', f"order: {known}"))
            body.lines[name] = line
            if name == "steps":
                _read_steps(content, line + 1, body)
            else:
                body.texts[name] = tidy("\n".join(content))
    return body


def format_body(texts: dict[str, str], steps: tuple[str, ...], snippet: str) -> str:
    """The body as Markdown; empty sections are left out."""
    parts = []
    for name, heading in HEADINGS.items():
        if name == "steps":
            content = "\n".join(f"{i}. {step}" for i, step in enumerate(steps, 1))
            content = "\n\n".join(part for part in (content, snippet) if part)
        else:
            content = texts.get(name, "")
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


def _sections(text: str, first_line: int, body: Body) -> Iterator[tuple[int, str, list[str]]]:
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


def _read_steps(content: list[str], first_line: int, body: Body) -> None:
    steps: list[str] = []
    fence: list[str] | None = None
    for number, raw in enumerate(content, first_line):
        line = raw.strip()
        if fence is not None:
            fence.append(raw.rstrip())
            if line.startswith("```"):
                if body.snippet:
                    body.faults.append((number, "extra-snippet", "a second fenced block", "keep one"))
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
    body.steps = tuple(step for step in steps if step)
