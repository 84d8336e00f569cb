"""docs/bottlenecks/*.md: a page for each bottleneck, from its judgement, its limits and the entries about it."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from kb.engine.bottlenecks import own
from kb.engine.bottlenecks.gate import ALWAYS, INFORMATIVE
from kb.engine.bottlenecks.judging import Bottleneck, thresholds
from kb.engine.recollect import commands
from kb.knowledge.entry import FOLDERS, load_entries
from kb.model import Entry
from kb.report.escape import md
from kb.units import number
from kb.vocabulary.bottlenecks import IDS
from kb.vocabulary.metrics import BY_ID

FOLDER = "bottlenecks"
GRADES = {
    "tool": "printed by the profiler or the vendor's advisor",
    "doc": "vendor documentation",
    "third-party": "a published skill or guide",
    "own": "this project's reading of the symptom, nothing published",
}
TOOLS = (
    ("msopprof", "msopprof", "one kernel on a device"),
    ("msprof", "msprof", "a whole run"),
    ("pytorch", "Ascend PyTorch Profiler", "PyTorch"),
    ("simulator", "msopprof simulator", "no device"),
)
BASES = {
    "operators": "the time of the operators concerned",
    "run": "the run (compute and exposed communication)",
    "elapsed": "the elapsed time, idle time included",
}

HEAD = """\
# Bottlenecks

Printed from the judgements (`kb/engine/bottlenecks`) and `data/patterns` by `make docs`. `kb explain ID` prints the same for
one of them.

A bottleneck is judged in three steps. Does the question make sense for this operator? If not, nothing is said. Are the
readings there that the judgement needs? If not, the report says *not judged*, and which command collects them. Is a limit
passed, with certainty over all chips that the profile may come from? Then it is a finding, else silence: healthy in this
respect. A finding is dropped where another one explains the same symptom better.

An operator below 1 % of a run's compute time is not judged, nor a kernel that is [too small](#too-small-to-judge), nor
one that reaches its roofline floor.

Limits carry a grade:

| grade | means |
|---|---|
"""

SMALL = """\
## Too small to judge

A capture that moves less than one recommended transfer a core in a short time shows launch cost and cold caches, not the
kernel. The limits:

"""


def bottleneck_pages() -> dict[str, str]:
    """Path below docs -> text: an index and a page for each bottleneck."""
    entries = {entry.id: entry for entry in load_entries()}
    rules = own()
    pages = {f"{FOLDER}/{name}.md": "\n".join(_page(rules[name], rules, entries)) + "\n" for name in IDS}
    return {f"{FOLDER}/index.md": "\n".join(_index(rules, entries)) + "\n"} | pages


def _index(rules: Mapping[str, Bottleneck], entries: Mapping[str, Entry]) -> Iterator[str]:
    yield HEAD + "\n".join(f"| {grade} | {meaning} |" for grade, meaning in GRADES.items())
    for scope, title in (("operator", "Of an operator"), ("run", "Of the whole run")):
        yield from ("", f"## {title}", "", "| bottleneck | what it is |", "|---|---|")
        for name in IDS:
            if rules[name].scope == scope:
                yield f"| [`{name}`]({name}.md) | {md(entries[name].title.en)} |"
    yield "\n" + SMALL + "\n".join(_limits("too-small-to-judge"))


def _page(rule: Bottleneck, rules: Mapping[str, Bottleneck], entries: Mapping[str, Entry]) -> Iterator[str]:
    entry = entries[rule.id]
    yield f"# {md(entry.title.en)}"
    yield from ("", f"`{rule.id}` · {entry.title.zh} · {entry.title.ja}")
    yield from ("", md(entry.symptom.en), "", md(rule.why))
    if not _same(entry.cause, rule.why):
        yield from ("", md(entry.cause))
    yield from ("", "## How it is judged", "", *_judgement(rule), "")
    yield from _related(rule, rules, entries)
    yield from ("## What it needs", "", *_needs(rule), "", *_collect(rule))
    yield from (
        "",
        "## When it is not judged",
        "",
        *_silent(rule),
        "",
        "## What to do",
        "",
        md(entry.remedy.en),
        "",
    )
    yield from _helps(rule.id, entries)
    if entry.check:
        yield from ("", "## How to see that it is gone", "", md(entry.check))
    yield from (
        "",
        "## Sources",
        "",
        *(f"- {md(source)}" for source in dict.fromkeys((*rule.sources, *entry.sources))),
    )


def _same(text: str, other: str) -> bool:
    """Whether a text adds next to nothing to another: most of its words are there already."""
    words = set(re.findall(r"\w{4,}", text.lower()))
    return len(words & set(re.findall(r"\w{4,}", other.lower()))) >= 0.6 * len(words)


def _judgement(rule: Bottleneck) -> Iterator[str]:
    said = inspect.getdoc(rule.judge or rule.judge_run) or ""
    yield md(said.split("\n\n", maxsplit=1)[0].replace("\n", " "))
    limits = list(_limits(rule.id))
    if len(limits) > 2:
        yield from ("", *limits)
    else:
        yield from ("", "It has no limit of its own: it holds or it does not.")
    what = BASES[rule.headroom_of] if rule.scope == "run" else "the operator's own time"
    if rule.id in INFORMATIVE:
        yield from (
            "",
            "It is said for information: the kernel is good in this respect, and nothing is to be won.",
        )
    else:
        yield from ("", f"What could at most be won is given as a part of {what}.")


def _limits(name: str) -> Iterator[str]:
    yield "| limit | value | grade | source |"
    yield "|---|---:|---|---|"
    for (owner, limit), item in thresholds().items():
        if owner == name:
            yield f"| {limit} | {number(item.value, item.unit)} | {item.grade} | {md(item.source)} |"


def _related(
    rule: Bottleneck, rules: Mapping[str, Bottleneck], entries: Mapping[str, Entry]
) -> Iterator[str]:
    children = [name for name in IDS if rules[name].parent == rule.id]
    before = [name for name in IDS if rule.id in rules[name].yields_to]
    rows = [
        ("Counts only where this holds too", [rule.parent] if rule.parent else []),
        ("Narrower ones that count only where this holds", children),
        ("Dropped where one of these holds, which explains it better", list(rule.yields_to)),
        ("Where this holds, these are dropped", before),
    ]
    told = [
        f"- {text}: {', '.join(_other(name, entries) for name in names)}" for text, names in rows if names
    ]
    if told:
        yield from ("## Related", "", *told, "")


def _other(name: str, entries: Mapping[str, Entry]) -> str:
    return f"[{md(entries[name].title.en)}]({name}.md)"


def _needs(rule: Bottleneck) -> Iterator[str]:
    if not rule.needs:
        yield "No reading in particular; it looks at the operators of the run, their types and their order."
        return
    yield "| reading | unit | is |"
    yield "|---|---|---|"
    for need in rule.needs:
        for name in need.split("|"):
            metric = BY_ID[name]
            unit = {"1": "fraction", "": metric.kind}.get(metric.unit, metric.unit)
            yield f"| `{name}` | {unit} | {md(metric.meaning)} |"
    if any("|" in need for need in rule.needs):
        yield ""
        yield (
            "; ".join(f"{need.replace('|', ' or ')}: either will do" for need in rule.needs if "|" in need)
            + "."
        )


def _collect(rule: Bottleneck) -> Iterator[str]:
    """How to collect what it needs, for each tool."""
    if not rule.needs:
        return
    yield from ("How to collect it:", "", "| where | command or setting |", "|---|---|")
    firsts = [need.partition("|")[0] for need in rule.needs]
    for _, tool, where in TOOLS:
        found = commands(tool, firsts)
        yield f"| {where} | {'; '.join(f'`{part}`' for part in found.split('; ')) if found else md(rule.collect)} |"


def _silent(rule: Bottleneck) -> Iterator[str]:
    asked = _asked(rule)
    if rule.scope == "run":
        always = rule.id in ALWAYS
        yield (
            "- It is asked of every input."
            if always
            else "- It is asked of a run, not of a capture of one kernel."
        )
    elif asked == "`False`":
        yield "- It is never asked of one profile: `kb compare` answers it."
    else:
        yield (
            f"- It is asked only of an operator that fits: {asked}."
            if asked
            else "- It is asked of every operator."
        )
    if rule.needs:
        yield (
            "- Where a reading above is missing the report lists it under *not judged*, with the command for the tool "
            "that took the profile."
        )


def _asked(rule: Bottleneck) -> str:
    """For which operators the question makes sense: what the condition says of itself, or the condition."""
    said = inspect.getdoc(rule.applies)
    if said:
        first = said.split("\n", maxsplit=1)[0].rstrip(".")
        return first[0].lower() + first[1:]
    module = inspect.getmodule(rule.judge or rule.judge_run)
    assert module is not None
    for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg == "applies" and isinstance(node.value, ast.Lambda):
            return f"`{_plain(ast.unparse(node.value.body), vars(module))}`"
    return ""


def _plain(code: str, names: Mapping[str, object]) -> str:
    """A condition as one reads it: the names of readings instead of look-ups, lists written out."""
    for name in set(re.findall(r"\b[A-Z_]{3,}\b", code)) & set(names):
        code = re.sub(rf"\*?\b{name}\b", repr(names[name]).strip("()"), code)
    code = re.sub(r"pattern_in\(f, ", "op_pattern in (", code)
    code = re.sub(r"f\.labels\.get\('(\w+)'(?:, '[^']*')?\)", r"\1", code)
    code = re.sub(r"(?:value\(f, |f\.get\()'(\w+)'(?:, [\d.]+)?\)", r"\1", code)
    code = re.sub(r"'(\w+)' in f\.(?:values|labels)", r"\1 is known", code)
    return code.replace("(f)", "").replace("(f, ", "(")


def _helps(name: str, entries: Mapping[str, Entry]) -> Iterator[str]:
    others = sorted((e for e in entries.values() if e.id != name), key=lambda e: e.id)
    groups: Sequence[tuple[str, list[Entry]]] = (
        ("Helps", [e for e in others if name in e.bottlenecks and e.kind in ("recipe", "tip")]),
        ("Known not to help", [e for e in others if name in e.not_for]),
        ("Cases that show it", [e for e in others if name in e.bottlenecks and e.kind == "case"]),
    )
    for title, found in groups:
        if found:
            yield from (f"### {title}", "", *_rows(found), "")
    if not any(found for _, found in groups):
        yield "No entry is tied to it yet."


def _rows(found: Iterable[Entry]) -> Iterator[str]:
    for entry in found:
        yield f"- [{md(entry.title.en)}](../../data/{FOLDERS[entry.kind]}/{entry.id}.md) ({entry.grade}, {entry.state})"
