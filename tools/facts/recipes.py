"""Recipes and bottleneck patterns -> entries."""

from __future__ import annotations

from collections.abc import Sequence

from kb import targets
from kb.knowledge.body import tidy
from kb.model import Entry, Observation, Text3
from tools.facts import wording
from tools.facts.book import Book, Record, clean, gather, operator_names, texts
from tools.facts.gains import GRADES, published
from tools.facts.signature import parse_lines, signature
from tools.facts.tables import table, translations


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
        facts=clean(
            {
                "role": role if role != "remedy" else None,
                "apis": r["fix"].get("apis"),
                "counterpart": r["nvidia_counterpart"],
                "contradicts": against,
            }
        ),
        cause=tidy(r["root_cause"]),
        steps=steps(r["fix"]["summary"], r["fix"].get("apis"), r["snippet_idea"]),
        why=wording.why(gains, role),
        check="\n\n".join(
            filter(None, (table("check")[name], tidy(r["profile_signature"].get("note") or "")))
        ),
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
        sources=(
            "claim of the original skill, not verified against a public source",
            *gather(book, own["sources_of"]),
        ),
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


def pattern(book: Book, p: Record) -> Entry:
    """One bottleneck pattern of the facts."""
    name = p["id"]
    when, observe = signature(name, p["symptom"]["metrics"])
    if p["symptom"].get("note"):
        observe = (*observe, Observation(p["symptom"]["note"], "inferred"))
    measured = any(
        m["basis"] == "threshold" and isinstance(m["value"], (int, float)) for m in p["symptom"]["metrics"]
    )
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
        facts=clean(
            {
                "severity": p["severity_bands"],
                "disputed": p["contradictions"],
                "contradicts": book.against.get(name),
            }
        ),
        cause=tidy(p["diagnosis"]),
        steps=(f"Confirm first: {first}.", *(f"Try {line}." for line in helps)),
        why=tidy(p["contradictions"]),
        check=wording.holds(when, p["severity_bands"]),
        when_not="Known not to help here: " + "; ".join(anti) + "."
        if anti
        else "No remedy is known to be useless here; the order above is the order of trial.",
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
