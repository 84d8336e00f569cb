"""The answers of the commands as documents: what `--format json` prints, for programs, pages and agents.

Each function gives one document with its `schema` (docs/json.md) and raises what the command would fail with.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kb.errors import UsageError
    from kb.model import Entry

Document = dict[str, Any]


def search(
    query: str, *, k: int = 10, kind: str | None = None, op: str | None = None, soc: str | None = None, lang: str = "en",
    explain: bool = False,
) -> Document:  # fmt: skip
    """Entries that fit a question, `kb.search/1`; `explain` adds the parts of each score.

    Raises:
        UsageError: an unknown chip or kind.
    """
    from kb import library

    return library.search(query, k=k, kind=kind, op=op, soc=soc, lang=lang).to_dict(explain=explain)


def show(id: str, *, db: str | None = None) -> Document:
    """One entry with what it gave here, `kb.entry/1`.

    Raises:
        UsageError: no entry of that id. SourceError: the store cannot be read.
    """
    from kb.report.outcomes import entry_with_outcomes
    from kb.store.outcomes import load

    return entry_with_outcomes(entry(id), load(id, db=db))


def entry(id: str) -> Entry:
    """One entry as it is.

    Raises:
        UsageError: no entry of that id; the message names the near ones.
    """
    from kb.knowledge.near import no_such_id
    from kb.knowledge.store import load_entries

    entries = load_entries()
    if id not in entries:
        raise no_such_id("entry", id, entries)
    return entries[id]


def advise(
    paths: Sequence[Path], *, soc: str | None = None, shape: str | None = None, top: int = 10, db: str | None = None, keep: bool = True
) -> Document:  # fmt: skip
    """The report of a profile, `kb.report/1`; it is kept like one of the command unless `keep` is false.

    Where it takes the place of the same run judged for another chip, the last of its warnings says so.

    Raises:
        SourceError: a file could not be read, or the run not kept. UsageError: an unknown chip.
        NothingToJudge: the counters that any judgement needs are not there.
    """
    from kb import kept
    from kb.engine import pipeline
    from kb.engine.request import request
    from kb.report import json
    from kb.store.outcomes import load

    asked = request(soc=soc, shape=shape, top=top, outcomes=load(db=db))
    report = pipeline.advise(list(paths), asked.in_full())
    document = json.document(pipeline.narrow(report, asked))
    if keep and (remark := kept.keep(report, db=db)):
        document["warnings"] = [*document.get("warnings", ()), remark]
    return document


def check_model(model: Path, *, soc: str) -> Document:
    """Which operators of a model a chip covers, `kb.check/1`.

    Raises:
        UsageError: an unknown chip. SourceError: the model could not be read. NothingToJudge: no operator types in it.
    """
    from kb import library

    return library.check_model(model, soc).to_dict()


def explain(bottleneck: str, *, lang: str = "en") -> Document:
    """A bottleneck: how it is judged, what helps, what does not, the cases that show it, `kb.explain/1`.

    Raises:
        UsageError: no bottleneck of that id.
    """
    from kb.knowledge.store import load_entries
    from kb.report.explained import explained

    return explained(bottleneck, load_entries(), judged(bottleneck), lang)[1]


def _reading(name: str) -> UsageError:
    """The answer to a reading given for a bottleneck: what it means, and what is judged by it."""
    from kb.engine.bottlenecks import registry
    from kb.errors import UsageError
    from kb.vocabulary.metrics import BY_ID

    by = sorted(id for id, rule in registry().items() if any(name in need.split("|") for need in rule.needs))
    now = (
        f"Judged by it, for `kb explain`: {', '.join(by)}." if by else "No bottleneck is judged by it alone."
    )
    return UsageError(f"{name} is a reading and no bottleneck; it means {BY_ID[name].meaning}", now=now)


def judged(bottleneck: str) -> list[dict[str, str]]:
    """The inputs of a judgement with their formulas, and its limits with their sources; none where nothing judges it.

    Raises:
        UsageError: no bottleneck of that id.
    """
    from kb.engine.bottlenecks import registry
    from kb.engine.bottlenecks.judging import thresholds
    from kb.knowledge.near import known_bottlenecks, no_such_id
    from kb.knowledge.store import load_entries
    from kb.units import number
    from kb.vocabulary.metrics import BY_ID

    known = known_bottlenecks(load_entries().values())
    if bottleneck not in known and bottleneck in BY_ID:
        raise _reading(bottleneck)
    if bottleneck not in known:
        raise no_such_id("bottleneck", bottleneck, known)
    rule = registry().get(bottleneck)
    if rule is None:
        return []
    needs = [name for need in rule.needs for name in need.split("|")]
    if any(name.startswith("floor") for name in needs):
        needs += [name for name in ("floor_us", "memory_floor_us", "compute_floor_us") if name not in needs]
    inputs = [{"kind": "input", "metric": name, "meaning": BY_ID[name].meaning} for name in needs]
    limits = [
        {
            "kind": "limit",
            "name": name,
            "value": number(item.value, item.unit),
            "source": f"{item.source}; {item.grade}",
        }
        for (owner, name), item in thresholds().items()
        if owner == bottleneck
    ]
    return inputs + limits


def compare(before: Path | str, after: Path | str, *, db: str | None = None) -> Document:
    """Two runs against one another, `kb.compare/1`; a side is the path of a profile or, as text, the id of a kept run.

    Raises:
        UsageError: no such run. SourceError, NothingToJudge: a profile cannot be read or judged.
    """
    from kb import kept, library

    one, two = (side if isinstance(side, Path) else kept.load(side, db=db) for side in (before, after))
    return library.compare(one, two).to_dict()


def ask(question: str, *, run: str = "", lang: str = "en", db: str | None = None) -> Document:
    """A question in words about a kept run, `kb.ask/1`; one that is not understood names near ones.

    Raises:
        UsageError: no such run. SourceError: the store cannot be read.
    """
    from kb.ask.answer import ask as asked
    from kb.report.asked import answer_document, refusal_document
    from kb.store.runs import LAST, find_runs

    reply = asked(question, run=find_runs([run], db=db)[0] if run else LAST, db=db)
    if reply.intent is None or reply.found is None:
        return refusal_document(reply, lang)
    return answer_document(reply, reply.intent, reply.found, lang)


def runs(*, limit: int = 20, db: str | None = None) -> Document:
    """The runs that were kept, the newest first, `kb.runs/1`.

    Raises:
        SourceError: the store cannot be read.
    """
    from kb.report.runs import runs_document
    from kb.store.runs import list_runs

    return runs_document(list_runs(db=db, limit=limit))


def run(run_id: str, *, top: int, db: str | None = None) -> Document:
    """The report of a kept run, `kb.report/1`, as `advise` gives it with at most `top` recommendations.

    Raises:
        UsageError: no such run. SourceError: the store cannot be read.
    """
    from dataclasses import replace

    from kb import kept
    from kb.report import json

    report = kept.load(run_id, db=db)
    return json.document(replace(report, recommendations=report.recommendations[:top]))
