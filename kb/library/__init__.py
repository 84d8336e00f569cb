"""The functions of `import kb`: what the commands do, with typed results that know their document, tables and page.

Nothing is printed and nothing is kept; what a command would fail with is raised (`kb.KbError`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from kb.errors import UsageError, parameter
from kb.library.results import CheckResult, Comparison, Report, SearchResult

if TYPE_CHECKING:
    from kb import model
    from kb.engine.pipeline import Knowledge
    from kb.engine.request import Request

__all__ = [
    "CheckResult", "Comparison", "Report", "SearchResult", "advise", "advise_metrics", "check_model", "compare", "search",
]  # fmt: skip

AnyPath = str | PathLike[str]
P = ParamSpec("P")
R = TypeVar("R")


def _called(function: Callable[P, R]) -> Callable[P, R]:
    """The function with its faults placed at parameters (`soc`), where the engine names options (`--soc`)."""

    @wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> R:
        try:
            return function(*args, **given)
        except UsageError as fault:
            fault.where = parameter(fault.where)
            raise

    return call


@_called
def advise(
    paths: AnyPath | Sequence[AnyPath],
    request: Request | None = None,
    knowledge: Knowledge | None = None,
    progress: Callable[[int, float], None] | None = None,
    *,
    soc: str | None = None,
    shape: str | None = None,
    audience: str | None = None,
    top: int | None = None,
) -> Report:
    """What bounds a profile and what to change first, as `kb advise` says it.

    Args:
        paths: a folder, CSV, database or archive of a profiler; several are one run (ranks of a job).
        request: the options below in one object; an option given besides wins.
        knowledge: another knowledge base than the shipped one with the user's own entries.
        progress: told of rows read and the part (0 to 1) that they are.
        soc: chip it ran on, such as "Ascend910B2"; the profile's own word wins.
        shape: shape the kernel was given, such as "1024x2048".
        audience: only advice that "kernel", "model" or "deployment" people can carry out.
        top: at most so many recommendations (20 where nothing is said).

    Raises:
        SourceError: a file could not be read. UsageError: an unknown chip or audience, `top` below 1.
        NothingToJudge: readable, but without the counters that any judgement needs.
    """
    from kb.engine import pipeline
    from kb.engine.request import request as asked_for

    asked = asked_for(request, soc=soc, shape=shape, audience=audience, top=top)
    return Report.of(pipeline.advise(_paths(paths), asked, knowledge, progress))


@overload
def advise_metrics(
    source: Mapping[str, Any], request: Request | None = ..., knowledge: Knowledge | None = ..., *,
    soc: str | None = ..., shape: str | None = ..., audience: str | None = ..., top: int | None = ...,
) -> Report: ...  # fmt: skip
@overload
def advise_metrics(
    source: Sequence[Mapping[str, Any]] | AnyPath, request: Request | None = ..., knowledge: Knowledge | None = ..., *,
    soc: str | None = ..., shape: str | None = ..., audience: str | None = ..., top: int | None = ...,
) -> list[Report]: ...  # fmt: skip
@_called
def advise_metrics(
    source: Mapping[str, Any] | Sequence[Mapping[str, Any]] | AnyPath,
    request: Request | None = None,
    knowledge: Knowledge | None = None,
    *,
    soc: str | None = None,
    shape: str | None = None,
    audience: str | None = None,
    top: int | None = None,
) -> Report | list[Report]:
    """Advice on counters that a program has in its hands, in the form of `kb advise --metrics` (docs/json.md).

    Args:
        source: one kernel or model as a dict, a list of such dicts, or a JSON file that holds either.
        request, knowledge, shape, audience, top: as for `advise`.
        soc: chip of the objects that name none in `hardware`.

    Returns:
        One report for a dict; a list of reports, in order, for a list or a file.

    Raises:
        SourceError: no such data, with the place of the fault as a JSON path. UsageError, NothingToJudge: as `advise`.
    """
    from kb.engine import pipeline
    from kb.engine.request import request as asked_for

    given: Path | Mapping[str, Any] | Sequence[Any]
    given = Path(source) if isinstance(source, (str, PathLike)) else source
    found = pipeline.advise_metrics(
        given, asked_for(request, soc=soc, shape=shape, audience=audience, top=top), knowledge
    )
    reports = [Report.of(report) for report in found]
    return reports[0] if isinstance(source, Mapping) else reports


@_called
def search(
    query: str, *, k: int = 10, kind: str | None = None, op: str | None = None, soc: str | None = None,
    bottleneck: str | None = None, evidence: str | None = None, language: str | None = None, lang: str = "en",
) -> SearchResult:  # fmt: skip
    """Entries that fit a question in English, Chinese or Japanese, as `kb search` finds them.

    Args:
        query: the question.
        k: how many entries at most.
        kind: only entries of that kind: "case", "recipe", "pattern", "tip".
        op: only entries that name this operator (any spelling or framework name).
        soc: only entries for this chip, its family, or any chip.
        bottleneck: only entries about this bottleneck.
        evidence: only entries with this grade of evidence: "vendor", "third-party", "stated", "practice".
        language: only entries that are written out in this language: "en", "zh", "ja".
        lang: language of titles and summaries: "en", "zh", "ja".

    Raises:
        UsageError: an unknown kind, chip, bottleneck, grade or language, an empty query, or `k` below 1.
            KnowledgeError: the knowledge base is damaged.
    """
    from kb.knowledge import search as searching
    from kb.vocabulary.entries import LANGUAGES

    if not isinstance(query, str) or not query.strip():
        raise UsageError("the query is empty", where="query", now="Say in a sentence what is slow.")
    if lang not in LANGUAGES:
        raise UsageError(f"no language {lang!r}", where="lang", now=f"Choose one of {', '.join(LANGUAGES)}.")
    found = searching.search(
        query,
        k=k,
        kind=kind,
        op=op,
        soc=soc,
        bottleneck=bottleneck,
        evidence=evidence,
        language=language,
        lang=lang,
    )
    return SearchResult(*found)


@_called
def check_model(
    model: AnyPath | None = None, soc: str = "", *, torch: AnyPath | Sequence[str] | None = None
) -> CheckResult:
    """Which operators of a model a chip covers, as `kb check` says it.

    Args:
        model: an .onnx file, or a profile of a model (folder, CSV, database, archive): what if it moved to this chip.
        soc: the chip, such as "Ascend310P3".
        torch: instead of a model, names of PyTorch operators, or a file of them, or a torch.export program (.pt2).

    Raises:
        UsageError: neither or both of model and torch, no chip or an unknown one. SourceError: a file could not be read.
        NothingToJudge: a profile without operator types.
    """
    from kb.checking import checked

    return CheckResult.of(checked(model, soc, torch))


@_called
def compare(
    before: model.Report | AnyPath | Sequence[AnyPath],
    after: model.Report | AnyPath | Sequence[AnyPath],
    request: Request | None = None,
    *,
    noise: float | None = None,
    soc: str | None = None,
    knowledge: Knowledge | None = None,
) -> Comparison:
    """Whether a run is faster than another, slower, within noise, or not comparable, as `kb compare` says it.

    Args:
        before, after: each a report, or the path of a profile (several paths are one run).
        request: how profiles are read; reports stand as they are.
        noise: noise band as a fraction of the time before, instead of what launches and cores show.
        soc: chip of profiles that name none.
        knowledge: as for `advise`.

    Raises:
        SourceError, UsageError, NothingToJudge: as `advise`; NothingToJudge also where a run has no times.
    """
    from kb import model
    from kb.engine import pipeline
    from kb.engine.request import request as asked_for

    one, two = (side if isinstance(side, model.Report) else _paths(side) for side in (before, after))
    asked = asked_for(request, soc=soc)
    return Comparison.of(pipeline.compare(one, two, asked, noise=noise, knowledge=knowledge))


def _paths(given: AnyPath | Sequence[AnyPath]) -> list[Path]:
    items = (
        [given]
        if isinstance(given, (str, PathLike))
        else list(given)
        if isinstance(given, Iterable)
        else [given]
    )
    if not all(isinstance(item, (str, PathLike)) for item in items):
        raise UsageError(
            "this is no path", where="paths", now="Give a text or a pathlib.Path, or a list of them."
        )
    if not all(fspath(item) for item in items):  # a variable that is not set is not the folder one stands in
        raise UsageError(
            "an empty path", where="paths", now='Give a path; "." stands for the current folder.'
        )
    return [Path(item) for item in items]
