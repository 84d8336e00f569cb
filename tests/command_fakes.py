"""Stand-ins for engine and knowledge, so that a command is tested for what it does itself."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import pytest
from report_samples import EMPTY, RUN, SAMPLE

from kb.engine.job.spread import Spread
from kb.engine.request import Request
from kb.errors import KnowledgeError, NothingToJudge, SourceError
from kb.model import Entry, EntryKind, PublishedGain, Report, Text3


def put(monkeypatch: pytest.MonkeyPatch, name: str, **content: Any) -> ModuleType:
    """Let `import name` find a module with this content."""
    module = ModuleType(name)
    module.__dict__.update(content)
    package, _, own = name.rpartition(".")
    monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(importlib.import_module(package), own, module, raising=False)
    return module


def entry(id: str, kind: EntryKind = "recipe", **more: Any) -> Entry:
    titles = {
        "title": Text3(f"About {id}", f"关于 {id}", f"{id} について"),
        "symptom": Text3("slow"),
        "remedy": Text3("do this"),
    }
    return Entry(
        id=id,
        kind=kind,
        state="reviewed",
        family="vector",
        sources=("owner/repo:path@abc",),
        **(titles | more),
    )


ENTRIES = {
    found.id: found
    for found in (
        entry("scalar-bound-vector", "pattern", bottlenecks=("scalar-bound-vector",)),
        entry(
            "scalar-loop-to-vector-api",
            bottlenecks=("scalar-bound-vector",),
            operators=("Cummin",),
            chips=("Ascend910B2",),
        ),
        entry("vector-larger-copies", bottlenecks=("small-mte3-writes",), operators=("Cumsum", "MatMul*")),
        entry(
            "vector-double-buffer",
            not_for=("scalar-bound-vector",),
            gains=(PublishedGain(0.1, 0.2, "operator"),),
        ),
        entry("yolov8s-910b-seed", "case", bottlenecks=("scalar-bound-vector",), chips=("Ascend310P3",)),
        entry("aicpu-index-put-mask", "tip"),
    )
}


class Hit(NamedTuple):
    rank: int
    id: str
    kind: str
    title: str
    score: float
    why: str
    summary: str
    sources: tuple[str, ...]
    parts: dict[str, Any]


class Result(NamedTuple):
    query: str
    no_good_match: bool
    results: tuple[Hit, ...]
    near_terms: tuple[str, ...] = ()

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        rows = [{k: v for k, v in hit._asdict().items() if explain or k != "parts"} for hit in self.results]
        return {
            "schema": "kb.search/1",
            "query": self.query,
            "no_good_match": self.no_good_match,
            "results": rows,
        }


@dataclass
class Asked:
    """What the stand-ins were called with."""

    calls: list[tuple[str, Any]] = field(default_factory=list)


def hits() -> tuple[Hit, ...]:
    return tuple(
        Hit(
            rank,
            found.id,
            found.kind,
            found.title.en,
            1 / rank,
            "words: nms",
            "A summary.",
            found.sources,
            {"cosine": 0.5},
        )
        for rank, found in enumerate(list(ENTRIES.values())[:2], 1)
    )


def install(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Put all stand-ins in place."""
    asked = Asked()

    def search(text: str, **options: Any) -> Result:
        asked.calls.append(("search", (text, options)))
        return Result(text, "nothing" in text, () if "void" in text else hits()[: options["k"]])

    def search_many(path: Path, **options: Any) -> Any:
        if not path.is_file():
            raise SourceError("queries unreadable", where=str(path))
        return (search(line, **options) for line in path.read_text().splitlines())

    put(monkeypatch, "kb.knowledge.search", search=search, search_many=search_many)
    put(
        monkeypatch, "kb.knowledge.store", load_entries=lambda: ENTRIES, index=lambda model="": "index",
        MEMORY=":memory:",
        rebuilt=lambda **_: SimpleNamespace(where="/cache/index.db", size=504),
    )  # fmt: skip
    _install_engine(monkeypatch, asked)
    return asked


def _install_engine(monkeypatch: pytest.MonkeyPatch, asked: Asked) -> None:
    faults: dict[str, Callable[[], Exception]] = {
        "missing": lambda: SourceError("no such file or folder", where="missing", now="Check the path."),
        "bare": lambda: NothingToJudge(
            "no counter that a judgement needs", where="bare", now="Collect with: msopprof"
        ),
        "entry": lambda: KnowledgeError("an entry is at fault", where="data/tips/x.md:3"),
        "bug": lambda: ZeroDivisionError("division by zero"),
        "interrupt": KeyboardInterrupt,  # type: ignore[dict-item,return-value]
    }

    def advise(
        paths: list[Path], request: Request = Request(), *, progress: object = None, looking: object = None
    ) -> Report:
        asked.calls.append(("advise", (paths, replace(request, spread=Spread()))))
        name = paths[0].name
        if name in faults:
            raise faults[name]()
        made = {"empty": EMPTY, "run": RUN}.get(name, SAMPLE)
        return replace(made, recommendations=made.recommendations[: request.top])

    def advise_metrics(path: Path, request: Request = Request()) -> list[Report]:
        asked.calls.append(("advise_metrics", (path, request)))
        return [SAMPLE, RUN] if path.stem == "two" else [SAMPLE]

    def narrow(report: Report, request: Request) -> Report:
        asked.calls.append(("narrow", replace(request, spread=Spread())))
        return replace(report, recommendations=report.recommendations[: request.top])

    put(
        monkeypatch,
        "kb.engine.pipeline",
        advise=advise,
        advise_metrics=advise_metrics,
        narrow=narrow,
        Request=Request,
    )
