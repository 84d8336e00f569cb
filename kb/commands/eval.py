"""Score kb on questions with known answers, and say how far its knowledge reaches.

Examples:
  kb eval search tests/benchmarks/queries_dev.tsv
  kb eval knowledge
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kb.commands._console import Common, show
from kb.commands._progress import working

PANEL, ORDER = "Upkeep", 4


def _search(
    common: Common,
    questions: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.tsv", help="Questions: columns query, lang and expected (ids divided by ;)."
        ),
    ],
) -> int:
    """Score search: nDCG@10, success at 1, 5 and 10, and MRR, whole and in its parts.

    Examples:
      kb eval search tests/benchmarks/queries_dev.tsv
      kb eval search my_questions.tsv --format json
    """
    from kb.knowledge import evaluate, store
    from kb.report.catalogue import say
    from kb.report.page import Page, Table

    with working(common, f"asking {questions}"):
        results = evaluate.run(store.index(), evaluate.questions(questions))
    rows = [
        {"way": way, "group": group, **scores._asdict()}
        for way, groups in results.items()
        for group, scores in groups.items()
    ]
    cells = tuple(
        (row["way"], row["group"], str(row["questions"]), *(f"{row[key]:.3f}" for key in list(row)[3:]))
        for row in rows
    )
    heads = tuple(rows[0]) if rows else ()
    table = Table(heads, cells, frozenset(range(2, len(heads))))
    page = Page(
        say("eval.search", common.lang, count=rows[0]["questions"] if rows else 0),
        (table,) if rows else (),
        lang=common.lang,
    )
    show(common, page, {"schema": "kb.eval/1", "results": rows}, rows)
    return 0


def _knowledge(common: Common) -> int:
    """Counts of the knowledge base, coverage by family, chip, language and grade, and its weak entries.

    Weak is an entry with three reasons or more: a draft, no figure, no condition on a metric, a low grade of
    evidence, one step, a short cause, no links.

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


COMMANDS = {"search": _search, "knowledge": _knowledge}
