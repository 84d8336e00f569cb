"""What the pipeline is asked, and how that is made of options as users state them: for commands, library and programs alike."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kb.engine.job.spread import Spread
from kb.errors import UsageError
from kb.experience import Outcome
from kb.vocabulary.entries import AUDIENCES

KEPT = 60  # recommendations of a run that are kept; fewer are shown


@dataclass(frozen=True, slots=True)
class Request:
    """How to advise: `shape` states the operator's tensors in words, `who` and `top` narrow the recommendations.

    `outcomes` are what remedies gave here (`kb.store.outcomes.load`): without any the answer depends on the profile
    and the knowledge base alone. `spread` says who reads the ranks of a job, which changes nothing in the answer.
    `most_sure` bounds the confidence of every finding, where times were not measured.
    """

    soc: str | None = None
    shape: str | None = None
    who: str | None = None
    top: int = 20
    outcomes: tuple[Outcome, ...] = ()
    spread: Spread = field(default_factory=Spread)
    most_sure: float = 1.0

    def in_full(self) -> Request:
        """The same request for the report that is kept: nothing narrowed."""
        return replace(self, who=None, top=KEPT)


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
