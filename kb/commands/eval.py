"""Score kb on questions and profiles with known answers.

Examples:
  kb eval search tests/benchmarks/queries_dev.tsv
  kb eval estimate timings.tsv
  kb eval advice
  kb eval knowledge
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kb.commands._console import Common, show
from kb.commands._progress import working
from kb.errors import UsageError
from kb.model import to_dict

if TYPE_CHECKING:
    from kb.knowledge.evaluate import Question
    from kb.knowledge.reading import Index

PANEL, ORDER = "Upkeep", 4


def _search(
    common: Common,
    questions: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.tsv|FOLDER",
            help="Questions: columns query, lang, expected (ids divided by ;), and type if you like; or a benchmark "
            "with passages of its own (passages.tsv, titles_i18n.tsv, queries.tsv, qrels.tsv).",
        ),
    ],
    *,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="builtin, semantic or own instead of the one in use.")
    ] = "",
    floor: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json", help="Figures that must not get worse; exit status 1 where one did."
        ),
    ] = None,
    unreached: Annotated[
        int,
        typer.Option(
            metavar="K", min=0, help="Also list the entries that no question has among its first K answers."
        ),
    ] = 0,
    against: Annotated[
        str,
        typer.Option(
            metavar="installed|FILE",
            help="Also the rank correlation of the first 20 answers with those of the knowledge installed here, or of "
            "an index file: how far a team's database (--db) answers as a file does.",
        ),
    ] = "",
) -> int:
    """Score search: nDCG@10, success at 1, 5 and 10, and MRR, by language and type of question.

    Each by words alone, by meaning alone and fused, as `kb search` ranks.

    Exit status: 0 scored, 1 a figure is below its floor, 3 the questions cannot be read.

    Examples:
      kb eval search tests/benchmarks/queries_dev.tsv
      kb eval search tests/benchmarks/retrieval --floor tests/benchmarks/retrieval/floor.json
      kb eval search my_questions.tsv --unreached 10 --format json
      kb eval search my_questions.tsv --against installed --db postgresql://kb@db.example/kb
    """
    from kb.knowledge import chosen, evaluate, store
    from kb.report import evaluation

    if against and questions.is_dir():
        raise UsageError(
            "a benchmark brings its own passages", where="--against", now="Give a table of questions."
        )
    least = evaluate.read_floor(floor) if floor else {}
    with working(common, f"asking {questions}"):
        if questions.is_dir():
            asked = evaluate.benchmark(questions)
            index = evaluate.benchmark_index(questions, chosen.encoder(chosen.name(model)))
        else:
            asked, index = evaluate.questions(questions), store.index(model)
        results = evaluate.run(index, asked)
        lost = evaluate.unreached(index, asked, unreached) if unreached else []
        alike = _alike(against, index, model, asked) if against else {}
    worse = evaluate.below(results, least) if least else {}
    rows = evaluation.search_rows(results)
    page = evaluation.search_page(
        rows, lost, unreached, worse, alike, size=index.size if unreached else 0, lang=common.lang
    )
    document: dict[str, Any] = {"schema": evaluation.SCHEMA, "results": rows}
    document |= {"unreached": lost} if unreached else {}
    document |= {"below_floor": sorted(worse)} if floor else {}
    document |= {"agreement": alike} if alike else {}
    show(common, page, document, rows)
    return 1 if worse else 0


def _alike(against: str, index: Index, model: str, asked: Sequence[Question]) -> dict[str, Any]:
    """How far the index in use answers as another one does."""
    from kb.knowledge.agreement import agreement, other_index

    other = other_index(against, index, model)
    return agreement(index, other, [question.text for question in asked], against=against)._asdict()


def _estimate(
    common: Common,
    timings: Annotated[
        Path | None,
        typer.Argument(
            metavar="TIMINGS.tsv",
            show_default=False,
            help="Measured times: columns as `kb estimate` reads them, and dur_us_med.",
        ),
    ] = None,
    *,
    networks: Annotated[
        Path | None,
        typer.Option(
            "--networks",
            metavar="FILE.tsv",
            show_default=False,
            help="Instead: whole networks, an operator call a line, with network, batch, per_s and count.",
        ),
    ] = None,
    cross: Annotated[
        bool,
        typer.Option(
            "--cross", help="Also fit anew on four fifths and score the fifth left out, five times."
        ),
    ] = False,
) -> int:
    """Score the cost model on measured times: factor error, and how often the printed range holds.

    With --networks, on the measured throughput of whole networks: the part within a factor of 2, and with --cross with
    each network left out of the scales once.

    Exit status: 0 scored, 3 the table cannot be read.

    Examples:
      kb eval estimate timings.tsv
      kb eval estimate timings.tsv --cross --format json
      kb eval estimate --networks tests/benchmarks/networks_310p.tsv --cross
    """
    if (timings is None) == (networks is None):
        raise UsageError("give a table of timings, or --networks FILE.tsv", now="see kb eval estimate --help")
    if networks is not None:
        return _networks(common, networks, cross=cross)
    assert timings is not None  # noqa: S101 - one of the two was given
    from kb.engine.estimate.evaluate import evaluate
    from kb.report import evaluation

    with working(common, f"estimating {timings}"):
        scores = evaluate(timings, cross=cross)
    rows = [to_dict(score) | {"share": score.share} for score in scores]
    document = {"schema": evaluation.SCHEMA, "results": rows}
    show(common, evaluation.estimate_page(rows, cross=cross, lang=common.lang), document, rows)
    return 0


def _networks(common: Common, table: Path, *, cross: bool) -> int:
    """Scores of whole networks, and their summary."""
    from kb.engine.estimate.networks import read_networks, score, summary
    from kb.report import evaluation

    with working(common, f"estimating {table}"):
        scores = score(read_networks(table), cross=cross)
    rows = [to_dict(one) | {"factor": one.factor, "covered": one.covered} for one in scores]
    for row, one in zip(rows, scores, strict=True):
        if one.cross_us is not None:
            row["cross_factor"] = one.cross_us / one.measured_us
    sums = summary(scores)
    document = {"schema": evaluation.SCHEMA, "summary": sums, "results": rows}
    show(common, evaluation.networks_page(rows, sums, cross=cross, lang=common.lang), document, rows)
    return 0


def _advice(
    common: Common,
    cases: Annotated[
        Path | None,
        typer.Option(metavar="FILE.yaml", help="Real captures with a known remedy; needs --profiles."),
    ] = None,
    profiles: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder that the paths of --cases are below.")
    ] = None,
    floor: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json", help="Figures that must not get worse; exit status 1 where one did."
        ),
    ] = None,
) -> int:
    """Score advice: recipes' own profiles, planted problems and their clean twins, healthy kernels, real captures.

    Exit status: 0 scored, 1 a figure is below its floor, 3 the cases cannot be read.

    Examples:
      kb eval advice
      kb eval advice --format json
      kb eval advice --cases tests/benchmarks/advice/real.yaml --profiles DIR
    """
    if (cases is None) != (profiles is None):
        raise UsageError("--cases and --profiles belong together", now="give both, or neither")
    from kb.benchmark import advice, report
    from kb.benchmark.scores import below_floor

    least = report.read_floor(floor) if floor else {}
    with working(common, "asking for advice on cases with known answers"):
        scores = advice.run(table=cases, profiles=profiles)
    worse = below_floor(scores.figures(), least)
    document = report.document(scores, worse)
    show(common, report.page(scores, worse, least, common.lang), document, document["sections"])
    return 1 if worse else 0


def _knowledge(common: Common) -> int:
    """Counts of the knowledge base, coverage by family, chip, language and grade, and its weak entries.

    Weak is an entry with three reasons or more: a draft, no figure, no condition on a metric, a low grade of
    evidence, one step, a short cause, no links.

    Exit status: 0 counted.

    Examples:
      kb eval knowledge
      kb eval knowledge --format markdown
    """
    from kb.knowledge.status import status
    from kb.knowledge.store import load_entries
    from kb.report.status import status_document, status_page

    found = status(load_entries().values())
    show(common, status_page(found, common.lang), status_document(found))
    return 0


COMMANDS = {"search": _search, "advice": _advice, "estimate": _estimate, "knowledge": _knowledge}
