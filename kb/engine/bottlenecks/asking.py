"""Asking rules for their verdicts: one that fails costs its own verdict, and the answer says so."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TypeVar

from kb.engine.bottlenecks.judging import Bottleneck
from kb.model import NotJudged
from kb.plugins import told

_Answer = TypeVar("_Answer")


class RuleWarning(UserWarning):
    """A rule of `kb` itself failed; the test suite turns it into an error, so that no rule fails unseen."""


class Asked:
    """The rules that failed in one diagnosis, each with its first fault."""

    def __init__(self) -> None:
        self._faults: dict[str, str] = {}

    def ask(
        self, bottleneck: Bottleneck, subject: str, question: Callable[[], _Answer], otherwise: _Answer
    ) -> _Answer:
        """The answer to the question; `otherwise` where the rule raises, which is then kept with the subject's name.

        Raises:
            Warning: the caller has turned warnings into errors, ours or that of a plugin at fault.
        """
        try:
            return question()
        except Warning:
            raise
        except Exception as fault:  # whatever a rule may raise: the other rules have verdicts to give
            if bottleneck.id not in self._faults:
                reason = (
                    f"its rule failed on {subject}: {told(fault)}; this is a fault in kb, please report it"
                )
                self._faults[bottleneck.id] = reason
                warnings.warn(f"{bottleneck.id} was not judged: {reason}", RuleWarning, stacklevel=2)
            return otherwise

    def failed(self) -> tuple[NotJudged, ...]:
        """One item for each rule that failed, by id; nothing need be collected for them."""
        return tuple(NotJudged(name, reason) for name, reason in sorted(self._faults.items()))
