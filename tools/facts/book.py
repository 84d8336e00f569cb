"""All records of the facts, what one kind of entry takes from another, and what all entries share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kb import operators
from kb.model import Text3
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
        for record in self.patterns:
            record["recipes"] = [*record["recipes"], *self.judged["more_recipes"].get(record["id"], ())]
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
        titles = {
            r["id"]: r.get("title") or r.get("name") or r["symptom"]
            for r in (*self.recipes, *self.patterns, *self.cases, *self.tips)
        }
        titles |= {name: own["title"]["en"] for name, own in self.own["patterns"].items()}
        return titles | {name: row["title_en"] for name, row in translations().items()}


def texts(name: str, title: str, symptom: str, remedy: str) -> dict[str, Any]:
    """Title, symptom, remedy and aliases, translated where a translation exists."""
    row = translations().get(name, {})
    plain = {"title": title, "symptom": symptom, "remedy": remedy}
    found: dict[str, Any] = {}
    for key in TEXTS:
        said = {lang: row.get(f"{key}_{lang}", "").strip() for lang in LANGS}
        found[key] = Text3(said["en"] or " ".join(plain[key].split()), said["zh"], said["ja"])
    aliases = {lang: row.get(f"aliases_{lang}", "") for lang in LANGS}
    split = {
        lang: dict.fromkeys(word.strip() for word in words.split("|")) for lang, words in aliases.items()
    }
    found["aliases"] = {
        lang: tuple(word for word in words if word) for lang, words in split.items() if any(words)
    }
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


def upper(text: str) -> str:
    """With a capital first letter."""
    return text[:1].upper() + text[1:]
