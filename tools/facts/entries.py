"""Records of the facts -> entry files below data/cases, data/recipes, data/patterns and data/tips."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kb import operators, targets
from kb.knowledge.body import tidy
from kb.knowledge.entry import FOLDERS, entry_to_text
from kb.model import Entry, Observation, Text3

from tools.facts import wording
from tools.facts.gains import GRADES, published
from tools.facts.signature import parse_lines, signature
from tools.facts.tables import LANGS, TEXTS, facts, table, translations

Record = dict[str, Any]


class Book:
    """All records, and the relations between them that an entry of one kind takes from another."""

    def __init__(self, folder: Path) -> None:
        self.recipes = facts(folder, "operator_recipes", "recipes")
        self.patterns = facts(folder, "bottleneck_patterns", "patterns")
        self.cases = facts(folder, "model_cases", "cases")
        self.tips = facts(folder, "expert_tips", "tips")
        self.own = table("own")
        self.judged = table("judgement")
        self.repairs, self.useless = self._sides()
        self.against: dict[str, list[str]] = {}
        for one, other in self.judged["contradicts"]:
            self.against.setdefault(one, []).append(other)
            self.against.setdefault(other, []).append(one)
        self.titles = self._titles()
        self.sources = {r["id"]: r["sources"] for r in (*self.recipes, *self.patterns)}
        self.sources |= {t["id"]: split_sources(t["source"]) for t in self.tips}

    def _sides(self) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        repairs: dict[str, list[str]] = {}
        useless: dict[str, list[str]] = {}
        pairs = [(p["id"], p["recipes"], p["anti_recipes"]) for p in self.patterns]
        pairs += [(name, own["recipes"], own["anti"]) for name, own in self.own["patterns"].items()]
        for pattern, recipes, anti in pairs:
            for name in recipes:
                repairs.setdefault(name, []).append(pattern)
            for name in anti:
                useless.setdefault(name, []).append(pattern)
        return repairs, useless

    def _titles(self) -> dict[str, str]:
        titles = {r["id"]: r.get("title") or r.get("name") or r["symptom"] for r in (*self.recipes, *self.patterns, *self.cases, *self.tips)}
        titles |= {name: own["title"]["en"] for name, own in self.own["patterns"].items()}
        return titles | {name: row["title_en"] for name, row in translations().items()}


def write(folder: Path, data: Path) -> int:
    """Write every entry; returns how many."""
    book = Book(folder)
    made = [
        *(recipe(book, record) for record in book.recipes),
        *(own_recipe(book, name, own) for name, own in book.own["recipes"].items()),
        *(pattern(book, record) for record in book.patterns),
        *(own_pattern(book, name, own) for name, own in book.own["patterns"].items()),
        *(case(book, record) for record in book.cases),
        *(tip(book, record) for record in book.tips),
    ]
    for entry in linked(made):
        path = data / FOLDERS[entry.kind] / f"{entry.id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(entry_to_text(entry), encoding="utf-8")
    return len(made)


def linked(entries: Sequence[Entry]) -> list[Entry]:
    """Cases and what they used know each other; so do entries that contradict one another."""
    links: dict[str, dict[str, None]] = {e.id: dict.fromkeys(e.links) for e in entries}
    kinds = {e.id: e.kind for e in entries}
    for entry in entries:
        for other in (*entry.links, *entry.facts.get("contradicts", ())):
            if kinds.get(other) != "pattern" and entry.kind != "pattern":
                links[entry.id].setdefault(other)
                links[other].setdefault(entry.id)
    return [replace(e, links=tuple(links[e.id])) for e in entries]


# --- recipes ---


def recipe(book: Book, r: Record) -> Entry:
    """One recipe of the facts."""
    name = r["id"]
    chips = [targets.family_of(h) for h in r["hardware"] if h != "any"]
    grade = GRADES[r["evidence_grade"]]
    gains = published(table("gains").get(name, ()), grade, chips[0] if chips else "")
    when, observe = signature(name, r["profile_signature"]["metrics"])
    judged = book.judged
    role = next((role for role, names in judged["role"].items() if name in names), "remedy")
    names = [*r["operators"], *judged["more_operators"].get(name, ())]
    anti, against = book.useless.get(name, []), book.against.get(name, [])
    read = name in judged["source_read"] or any(g.saved_low is not None for g in gains)
    return Entry(
        id=name,
        kind="recipe",
        state="reviewed" if read else "draft",
        **texts(name, r["title"], r["root_cause"], r["fix"]["summary"]),
        family=r["family"],
        bottlenecks=tuple(book.repairs.get(name, ())),
        not_for=tuple(anti),
        operators=operator_names(names),
        chips=tuple(dict.fromkeys(chips)),
        who=r["applied_by"],
        effort=effort(book, name, r["applied_by"]),
        when=when,
        observe=observe,
        gains=gains,
        grade=grade,
        sources=tuple(r["sources"]),
        facts=clean({"role": role if role != "remedy" else None, "apis": r["fix"].get("apis"), "counterpart": r["nvidia_counterpart"], "contradicts": against}),
        cause=tidy(r["root_cause"]),
        steps=steps(r["fix"]["summary"], r["fix"].get("apis"), r["snippet_idea"]),
        why=wording.why(gains, role),
        check=wording.check(when, gains, tidy(r["profile_signature"].get("note") or "")),
        when_not=wording.when_not(tidy(r["tradeoffs"]), anti, against, book.titles),
    )


def own_recipe(book: Book, name: str, own: Record) -> Entry:
    """One of the client's four claims."""
    when = tuple(parse_lines(own["when"]))
    against = book.against.get(name, [])
    title = translations().get(name, {}).get("title_en", name)
    return Entry(
        id=name,
        kind="recipe",
        state="draft",
        **texts(name, title, own["cause"], own["steps"][0]),
        family=own["family"],
        bottlenecks=tuple(own["bottlenecks"]),
        operators=tuple(own["operators"]),
        chips=tuple(own["chips"]),
        who=own["who"],
        effort=own["effort"],
        when=when,
        gains=published(own["gains"], "stated", "", "operator"),
        grade="stated",
        links=tuple(own["links"]),
        sources=("claim of the original skill, not verified against a public source", *gather(book, own["sources_of"])),
        facts=clean({"contradicts": against}),
        cause=tidy(own["cause"]),
        steps=tuple(own["steps"]),
        snippet=own.get("snippet", ""),
        why=tidy(own["why"]),
        check=tidy(own["check"]),
        when_not=wording.when_not(tidy(own["when_not"]), [], against, book.titles),
    )


def steps(summary: str, apis: Sequence[str] | None, idea: str) -> tuple[str, ...]:
    """What to do, the names to look for, and how to start."""
    names = ", ".join(f"`{api}`" for api in apis or ())
    found = [summary, f"Names to look for: {names}." if names else "", idea]
    return tuple(" ".join(step.split()) for step in found if step)


def effort(book: Book, name: str, who: str) -> str:
    """Low for a switch or one argument, high for a restructured kernel or model."""
    found = next((level for level, names in book.judged["effort"].items() if name in names), None)
    return found or ("low" if who == "deployment" else "medium")


# --- patterns ---


def pattern(book: Book, p: Record) -> Entry:
    """One bottleneck pattern of the facts."""
    name = p["id"]
    when, observe = signature(name, p["symptom"]["metrics"])
    if p["symptom"].get("note"):
        observe = (*observe, Observation(p["symptom"]["note"], "inferred"))
    measured = any(m["basis"] == "threshold" and isinstance(m["value"], (int, float)) for m in p["symptom"]["metrics"])
    first = "; ".join(p["confirm_by"])
    helps = [f"`{r}`: {book.titles[r]}" for r in p["recipes"]]
    anti = [f"{book.titles[r]} (`{r}`)" for r in p["anti_recipes"]]
    return Entry(
        id=name,
        kind="pattern",
        state="reviewed" if measured else "draft",
        **texts(name, p["name"], p["diagnosis"], p["confirm_by"][0]),
        family="bottleneck",
        bottlenecks=(name,),
        operators=operator_names(p["scope"]),
        when=when,
        observe=observe,
        grade="vendor" if any("msprof-analyze" in s for s in p["sources"]) else "third-party",
        links=tuple(p["recipes"]),
        sources=tuple(p["sources"]),
        facts=clean({"severity": p["severity_bands"], "disputed": p["contradictions"], "contradicts": book.against.get(name)}),
        cause=tidy(p["diagnosis"]),
        steps=(f"Confirm first: {first}.", *(f"Try {line}." for line in helps)),
        why=tidy(p["contradictions"]),
        check=wording.check(when, (), f"Bands: {p['severity_bands']}."),
        when_not="Known not to help here: " + "; ".join(anti) + "." if anti else "No remedy is known to be useless here; the order above is the order of trial.",
    )


def own_pattern(book: Book, name: str, own: Record) -> Entry:
    """A bottleneck added to the vocabulary."""
    helps = [f"`{r}`: {book.titles[r]}" for r in own["recipes"]]
    return Entry(
        id=name,
        kind="pattern",
        state="draft",
        title=Text3(**own["title"]),
        symptom=Text3(**own["symptom"]),
        remedy=Text3(**own["remedy"]),
        family="bottleneck",
        aliases={lang: tuple(words) for lang, words in own["aliases"].items()},
        bottlenecks=(name,),
        when=tuple(parse_lines(own["when"])),
        grade="stated",
        links=tuple(own["recipes"]),
        sources=gather(book, own["sources_of"]),
        facts={"severity": own["severity"]},
        cause=tidy(own["cause"]),
        steps=(*own["steps"], *(f"Try {line}." for line in helps)),
        check=tidy(own["check"]),
        when_not=wording.when_not(tidy(own["when_not"]), [], [], book.titles),
    )


# --- cases ---

CHIP_WORDS = {"Ascend910B": "atlas-a2", "310": "ascend-310", "310P": "ascend-310p", "910*": "atlas-a2", "Ascend910*": "atlas-a2"}


def case(book: Book, c: Record) -> Entry:
    """One case study."""
    name = c["id"]
    judged = table("cases").get(name, {})
    challenges, results = c["challenges"] or [], c["results"] or []
    grade = GRADES[c["evidence"]]
    chips = chip_names(str(c["hardware"].get("chip") or ""))
    rows = [result_row(row, i, judged) for i, row in enumerate(results)]
    gains = published([row for row in rows if row], grade, chips[0] if len(chips) == 1 else "", "run")
    gains += published(judged.get("gains", ()), grade, chips[0] if len(chips) == 1 else "", "run")
    if c.get("seed_claim"):
        gains += published(seed_gains(challenges), grade, chips[0], "run")
    against = book.against.get(name, [])
    told = "; ".join(ch["symptom"] for ch in challenges) or "No problem described; the figures show what this model reaches."
    done = "; ".join(ch["solution"] for ch in challenges if ch["solution"] != "-") or "Use the figures as a reference."
    return Entry(
        id=name,
        kind="case",
        state="draft" if name in book.judged["cases_unread"] else "reviewed",
        **texts(name, c["title"], told, done),
        family=c["model"]["family"],
        bottlenecks=tuple(judged.get("shows", ())),
        operators=operator_names(dict.fromkeys(op for ch in challenges for op in ch["op_types"])),
        chips=tuple(chips),
        gains=gains,
        grade=grade,
        links=tuple(judged.get("links", ())),
        sources=tuple(c["source"]),
        facts=clean({
            **{key: c[key] for key in ("model", "task", "framework", "mode", "input_shape", "batch", "precision", "hardware", "toolchain")},
            "challenges": [{k: v for k, v in ch.items() if v not in ("not stated", "n/a", "-", ["-"])} for ch in challenges],
            "results": results,
            "op_mix": c["op_mix"],
            "fingerprint": c["fingerprint"],
            "takeaways": c["takeaways"],
            "tags": c["tags"],
            "note": c.get("evidence_note"),
            "contradicts": against,
        }),
        cause=case_cause(challenges),
        steps=case_steps(challenges),
        why=case_results(results),
        check=case_check(c),
        when_not=wording.when_not(case_limits(c), [], against, book.titles),
    )


def case_cause(challenges: Sequence[Record]) -> str:
    if not challenges:
        return "The source describes no problem; its figures show what this model reaches on this chip."
    lines = []
    for ch in challenges:
        ops = ", ".join(op for op in ch["op_types"] if op != "-")
        mark = " The explanation is a reading of the figures." if "inferred" in ch["basis"] else ""
        lines.append(" ".join(f"- {ch['issue']}: {ch['symptom']}{f' ({ops})' if ops else ''}.{mark}".split()))
    return "\n".join(lines)


def case_steps(challenges: Sequence[Record]) -> tuple[str, ...]:
    found = []
    for ch in challenges:
        if ch["solution"] == "-":
            continue
        gain = "" if ch["gain"] in ("not stated", "n/a") else f" Gain: {ch['gain']}."
        found.append(" ".join(f"{ch['issue']}: {ch['solution']}.{gain}".split()))
    return tuple(found)


def case_results(results: Sequence[Record]) -> str:
    lines = []
    for row in results:
        change = f"{row['after']}" if row["before"] is None else f"{row['before']} to {row['after']}"
        extra = [row["condition"], f"reference {row['reference']}" if row["reference"] else ""]
        where = "; ".join(part for part in extra if part)
        lines.append(" ".join(f"- {row['metric']}: {change} {row['unit']}{f' ({where})' if where else ''}".split()))
    return "\n".join(lines)


def case_check(c: Record) -> str:
    said = "\n".join(f"- {line}" for line in c["takeaways"])
    return f"Compare with the figures above at the same chip, batch and input size. What the case teaches:\n{said}"


def case_limits(c: Record) -> str:
    parts = []
    if c.get("evidence_note"):
        parts.append(f"Evidence: {c['evidence_note']}.")
    if c.get("seed_claim"):
        parts.append("The figures are stated and not confirmed by a public measurement.")
    where = ", ".join(str(v) for v in (c["hardware"].get("chip"), c["hardware"].get("card"), c["framework"], c["precision"]) if v)
    parts.append(f"The figures hold for {where}; another chip, batch or toolchain has to be measured.")
    return " ".join(parts)


def result_row(row: Record, index: int, judged: Mapping[str, Any]) -> Record | None:
    """A result with a before and an after as a row of the gain table."""
    before, after = row["before"], row["after"]
    if index in judged.get("no_gain", ()) or not all(isinstance(v, (int, float)) for v in (before, after)):
        return None
    of = "operator" if index in judged.get("operator", ()) else "part" if index in judged.get("part", ()) else "run"
    return {"before": before, "after": after, "unit": row["unit"], "shapes": row["condition"], "of": of, "note": row["metric"]}


def seed_gains(challenges: Sequence[Record]) -> list[Record]:
    """The three gains of the client's own case."""
    out: list[Record] = []
    for ch in challenges:
        if ch["gain"].startswith("latency -"):
            out.append({"saved": 0.30, "note": f"{ch['solution']}: {ch['gain']} as stated"})
        elif ch["gain"].startswith("throughput +"):
            out.append({"saved": 0.13, "note": f"{ch['solution']}: {ch['gain']} as stated"})
        else:
            out.append({"of": "part", "note": f"{ch['issue']}: {ch['solution']}; runs stably on the NPU, no figure"})
    return out


def chip_names(text: str) -> list[str]:
    """Family or SoC ids named in a case; what is not stated is left out."""
    found = []
    for raw in re.split(r"\s*/\s*|,\s*", re.sub(r"\([^)]*\)", "", text)):
        word = raw.strip()
        if not word or word.startswith("not stated"):
            continue
        name = CHIP_WORDS.get(word)
        if name is None:
            socs = targets.resolve(word)
            name = socs[0] if len(socs) == 1 else targets.family_of(word)
        found.append(name)
    return list(dict.fromkeys(found))


# --- tips ---

TIP_WHO = {
    "aicpu": "model-developer", "layout": "model-developer", "fusion": "model-developer", "graph": "model-developer",
    "kernel": "kernel-developer", "accuracy": "model-developer",
}  # fmt: skip
TIP_CHECK = {
    "aicpu": "The operator's Task Type is no longer AI_CPU (or the fall-back warning is gone), and its time falls.",
    "layout": "TransData, Transpose, Cast or Gather time in the operator list falls, and so does the sum of all kernels.",
    "graph": "The conversion finishes, and the dumped graph no longer holds the node or chain.",
    "host": "Idle time of the device between kernels (Free in the step trace) falls, and so does the step time.",
    "fusion": "The chain of small kernels is replaced by one in the operator list; compare the summed time.",
    "memory": "The allocation succeeds at the same sizes; watch the reserved and allocated memory.",
    "compile": "The second and later steps take the same time; no compile messages and no growing kernel_meta folder.",
    "kernel": "The kernel's duration falls at the same shape, and the counter named in the symptom moves.",
    "distributed": "Communication and wait time per step fall on all ranks.",
    "data": "The time between steps falls while the kernels stay the same.",
    "accuracy": "Loss or output agrees with the reference run over the same steps.",
    "environment": "The command that failed runs; the message is gone from the log.",
    "profiling": "The new capture holds the kernels and columns that were missing.",
}


def tip(book: Book, t: Record) -> Entry:
    """One expert tip."""
    name = t["id"]
    judged = table("tips").get(name, {})
    who = judged.get("who") or TIP_WHO.get(t["category"], "deployment")
    grade = GRADES[t["evidence"]]
    chips = judged.get("chips", [])
    repairs = list(dict.fromkeys([*judged.get("repairs", ()), *book.repairs.get(name, ())]))
    title = t["symptom"][0].upper() + t["symptom"][1:]
    return Entry(
        id=name,
        kind="tip",
        state="reviewed" if name in book.judged["tips_read"] else "draft",
        **texts(name, title, t["symptom"], t["remedy"]),
        family=t["category"],
        bottlenecks=tuple(repairs),
        operators=tuple(judged.get("operators", ())),
        chips=tuple(chips),
        who=who,
        effort=judged.get("effort") or ("low" if who == "deployment" else "medium"),
        gains=published(judged.get("gains", ()), grade, chips[0] if len(chips) == 1 else "", "run"),
        grade=grade,
        links=tuple(judged.get("links", ())),
        sources=tuple(split_sources(t["source"])),
        facts=clean({"category": t["category"], "applies_to": t["applies_to"], "tags": t["tags"], "contradicts": book.against.get(name)}),
        cause=tidy(f"{t['symptom'][0].upper()}{t['symptom'][1:]}. Cause: {t['cause']}."),
        steps=(f"{t['remedy'][0].upper()}{t['remedy'][1:]}.",),
        why=f"Published: {t['gain']} ({wording.GRADE_WORDS[grade]})." if t["gain"] else "",
        check=TIP_CHECK[t["category"]],
        when_not=wording.when_not("", [], book.against.get(name, []), book.titles),
    )


# --- shared ---


def texts(name: str, title: str, symptom: str, remedy: str) -> dict[str, Any]:
    """Title, symptom, remedy and aliases, translated where a translation exists."""
    row = translations().get(name, {})
    plain = {"title": title, "symptom": symptom, "remedy": remedy}
    found: dict[str, Any] = {}
    for key in TEXTS:
        said = {lang: row.get(f"{key}_{lang}", "").strip() for lang in LANGS}
        found[key] = Text3(said["en"] or " ".join(plain[key].split()), said["zh"], said["ja"])
    aliases = {lang: row.get(f"aliases_{lang}", "") for lang in LANGS}
    split = {lang: dict.fromkeys(word.strip() for word in words.split("|")) for lang, words in aliases.items()}
    found["aliases"] = {lang: tuple(word for word in words if word) for lang, words in split.items() if any(words)}
    return found


def operator_names(names: Iterable[str]) -> tuple[str, ...]:
    """CANN types or globs; names without one are dropped. Only "*" means any, which an empty list says."""
    spelled = table("judgement")["operators"]
    found: list[str] = []
    for name in names:
        if name in spelled:
            found += spelled[name] or ()
        elif "*" in name or operators.is_known(name):
            found.append(name)
        else:
            raise ValueError(f"operator {name} is in no table: add it to judgement.yaml")
    unique = tuple(dict.fromkeys(found))
    return () if unique == ("*",) else unique


def gather(book: Book, names: Iterable[str]) -> tuple[str, ...]:
    """Sources of other entries."""
    return tuple(dict.fromkeys(source for name in names for source in book.sources[name]))


def split_sources(text: str) -> list[str]:
    """A tip names several sources in one line."""
    return [part.strip() for part in re.split(r"\s*;\s+", text) if part.strip()]


def clean(value: Any) -> Any:
    """Without what is not stated."""
    if isinstance(value, dict):
        kept = {key: clean(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in (None, "", [], {})}
    if isinstance(value, list):
        return [clean(item) for item in value]
    return value
