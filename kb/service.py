"""The answers of the commands as documents: what `--format json` prints, for programs, pages and agents.

Each function gives one document with its `schema` (docs/json.md) and raises what the command would fail with.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

Document = dict[str, Any]


def search(
    query: str, *, k: int = 10, kind: str | None = None, op: str | None = None, soc: str | None = None, lang: str = "en"
) -> Document:  # fmt: skip
    """Entries that fit a question, `kb.search/1`.

    Raises:
        UsageError: an unknown chip or kind.
    """
    from kb import library

    return library.search(query, k=k, kind=kind, op=op, soc=soc, lang=lang).to_dict()


def show(id: str, *, db: str | None = None) -> Document:
    """One entry with what it gave here, `kb.entry/1`.

    Raises:
        UsageError: no entry of that id. SourceError: the store cannot be read.
    """
    from kb.knowledge.near import no_such_id
    from kb.knowledge.store import load_entries
    from kb.report.outcomes import entry_with_outcomes
    from kb.store.outcomes import load

    entries = load_entries()
    if id not in entries:
        raise no_such_id("entry", id, entries)
    return entry_with_outcomes(entries[id], load(id, db=db))


def advise(
    paths: Sequence[Path], *, soc: str | None = None, shape: str | None = None, top: int = 10, db: str | None = None, keep: bool = True
) -> Document:  # fmt: skip
    """The report of a profile, `kb.report/1`; it is kept like one of the command unless `keep` is false.

    Raises:
        SourceError: a file could not be read, or the run not kept. UsageError: an unknown chip.
        NothingToJudge: the counters that any judgement needs are not there.
    """
    from dataclasses import replace

    from kb.engine import pipeline
    from kb.report import json
    from kb.store.outcomes import load
    from kb.store.runs import save

    request = pipeline.Request(soc, shape, None, top, load(db=db))
    report = pipeline.advise(list(paths), replace(request, top=pipeline.KEPT))
    if keep:
        save(json.kept(report), db=db)
    return json.document(pipeline.narrow(report, request))


def check_model(model: Path, *, soc: str) -> Document:
    """Which operators of a model a chip covers, `kb.check/1`.

    Raises:
        UsageError: an unknown chip. SourceError: the model could not be read. NothingToJudge: no operator types in it.
    """
    from kb import library

    return library.check_model(model, soc).to_dict()


def runs(*, limit: int = 20, db: str | None = None) -> Document:
    """The runs that were kept, the newest first, `kb.runs/1`.

    Raises:
        SourceError: the store cannot be read.
    """
    from kb.report.runs import runs_document
    from kb.store.runs import list_runs

    return runs_document(list_runs(db=db, limit=limit))


def run(run_id: str, *, top: int | None = None, db: str | None = None) -> Document:
    """The report of a kept run, `kb.report/1`; with `top` as `advise` would give it with at most so many recommendations.

    Raises:
        UsageError: no such run. SourceError: the store cannot be read.
    """
    from dataclasses import replace

    from kb.report import json
    from kb.report.load import report_from_dict
    from kb.store.runs import load_run

    kept = load_run(run_id, db=db)
    if top is None:
        return {key: value for key, value in kept.items() if key != "measured"}
    report = report_from_dict(kept, where=f"run {run_id}")
    return json.document(replace(report, recommendations=report.recommendations[:top]))
