"""What the pipeline is asked, made from options as users state them: for the commands, the library and programs alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kb.errors import UsageError
from kb.vocabulary.entries import AUDIENCES

if TYPE_CHECKING:
    from kb.engine.pipeline import Request
    from kb.experience import Outcome


def request(
    given: Request | None = None, *, soc: str | None = None, shape: str | None = None, audience: str | None = None,
    top: int | None = None, outcomes: tuple[Outcome, ...] = (),
) -> Request:  # fmt: skip
    """`given`, or a plain request, with the options that say something in place of its own.

    Args:
        given: what was asked in one object.
        soc, shape: as in `Request`; none or empty says nothing.
        audience: only advice that "kernel", "model" or "deployment" people can carry out.
        top: at most so many recommendations.
        outcomes: what remedies gave here.

    Raises:
        UsageError: an unknown audience, or `top` below 1.
    """
    from kb.engine.pipeline import Request

    if audience is not None and audience not in AUDIENCES:
        raise UsageError(
            f"no audience {audience!r}", where="audience", now=f"Choose one of {', '.join(AUDIENCES)}."
        )
    if top is not None and (not isinstance(top, int) or top < 1):
        raise UsageError(f"{top!r} is no number above 0", where="top", now="Give a number from 1.")
    asked = given or Request()
    return replace(
        asked,
        soc=soc or asked.soc,
        shape=shape or asked.shape,
        who=AUDIENCES[audience] if audience else asked.who,
        top=asked.top if top is None else top,
        outcomes=outcomes or asked.outcomes,
    )
