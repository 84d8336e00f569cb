"""`kb explain`: a bottleneck, what helps against it and what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kb.commands._console import Common, show

if TYPE_CHECKING:
    pass

PANEL, ORDER = "Knowledge base", 4


def run(
    common: Common,
    bottleneck: Annotated[
        str,
        typer.Argument(
            metavar="BOTTLENECK", help="Id of a bottleneck, as reports print it beside a finding."
        ),
    ],
) -> int:
    """Explain a bottleneck: its signs, what helps, what does not.

    Also lists the case studies that show it. Bottleneck ids stand beside the findings of every report.

    Exit status: 0 explained, 2 no bottleneck of that id.

    Examples:
      kb explain scalar-bound-vector
      kb list --kind pattern            all bottlenecks
    """
    from kb.knowledge.store import load_entries
    from kb.report.explained import explained
    from kb.service import judged

    page, document = explained(bottleneck, load_entries(), judged(bottleneck), common.lang)
    show(common, page, document)
    return 0
