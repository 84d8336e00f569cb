"""The tools: each gives the document of the command it is named after, cut to what fits an agent's context."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from kb import service
from kb.errors import UsageError
from kb.mcp.roots import Roots

MOST = 20  # answers, pieces of advice or runs of one call
LONGEST_QUERY = 2_000  # characters; a page is no question
_RUN = re.compile(r"[0-9a-f]{4,64}|last")
LONGEST = 60_000  # characters of one answer
Document = dict[str, Any]
Tool = Callable[..., Document]
# What a report holds for pages and not for reading.
_BULKY = ("charts", "files", "not_judged")


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools for one server: which files may be read, where runs are kept."""

    roots: Roots
    db: str | None = None

    def all(self) -> tuple[Tool, ...]:
        """Every tool, in the order in which an agent needs them."""
        return (
            self.advise, self.search, self.show, self.explain, self.check_model, self.compare, self.runs, self.ask,
        )  # fmt: skip

    def advise(
        self, path: str = "", run: str = "", soc: str = "", top: int = 5, details: bool = False
    ) -> Document:
        """What bounds a profile and what to change first, with gain ranges, evidence and sources.

        Give `path` (a folder, CSV, database or archive that msopprof, msprof or a framework profiler wrote; relative
        to the server's root) or `run`, the id of a kept run. `soc` states the chip; a warning says so where that takes the place of an earlier judgement. `details` adds the chart series,
        the files read and what could not be judged.
        """
        if bool(path) == bool(run):
            raise UsageError(
                "give either path or run", now="The argument `path` names a profile, `run` a kept report."
            )
        if run:
            found = service.run(run, top=_most(top, "top"), db=self.db)
        else:
            found = service.advise(
                [self.roots.path(path)], soc=soc or None, top=_most(top, "top"), db=self.db
            )
        return found if details else {key: value for key, value in found.items() if key not in _BULKY}

    def search(
        self,
        query: str,
        k: int = 5,
        kind: Literal["", "case", "recipe", "pattern", "tip"] = "",
        op: str = "",
        soc: str = "",
        lang: Literal["en", "zh", "ja"] = "en",
    ) -> Document:
        """Search the knowledge base of Ascend NPU performance in English, Chinese or Japanese.

        Entries are case studies, recipes (what to do), patterns (bottlenecks) and tips; `op` and `soc` keep those
        about an operator type or valid on a chip. `no_good_match` true means that nothing fits.
        """
        if not query.strip() or len(query) > LONGEST_QUERY:
            raise UsageError(
                "the query is empty"
                if not query.strip()
                else f"the query is longer than {LONGEST_QUERY} characters",
                where="query",
                now="Say in a sentence what is slow, or what you look for.",
            )
        return service.search(
            query, k=_most(k, "k"), kind=kind or None, op=op or None, soc=soc or None, lang=lang
        )

    def show(self, id: str) -> Document:
        """One entry of the knowledge base in full: symptom, cause, steps, code, how to check, published gains, sources."""
        return service.show(id, db=self.db)

    def explain(self, bottleneck: str) -> Document:
        """A bottleneck by the id that findings carry: inputs and limits of its judgement, what helps, what does not, cases."""
        return service.explain(bottleneck)

    def check_model(self, path: str, soc: str) -> Document:
        """Which operators of an ONNX model (or of a profile) a chip covers: AI Core, AI CPU, not importable, with the way out.

        `path` lies below the server's root; `soc` is the chip, such as Ascend310P3.
        """
        return service.check_model(self.roots.path(path), soc=soc)

    def compare(self, before: str, after: str) -> Document:
        """Whether a run is faster than another, slower, within noise, or not comparable and why, operator by operator.

        Each side is the id of a kept run, or the path of a profile below the server's root.
        """
        return service.compare(self._side(before), self._side(after), db=self.db)

    def ask(self, question: str, run: str = "", lang: Literal["en", "zh", "ja"] = "en") -> Document:
        """A question in words about a kept run (the latest unless `run` names one), answered by a named query that is shown.

        For example: which operators take longest, how much is communication. `answered` false names near questions.
        """
        return service.ask(question, run=run, lang=lang, db=self.db)

    def _side(self, given: str) -> Path | str:
        """A run by its id, anything else as a path."""
        return given if _RUN.fullmatch(given) else self.roots.path(given)

    def runs(self, limit: int = 10) -> Document:
        """The reports that were kept, newest first: id, time, target, headline. `advise` with `run` shows one."""
        return service.runs(limit=_most(limit, "limit"), db=self.db)


def _most(wanted: int, name: str) -> int:
    if wanted < 1:
        raise UsageError(f"{wanted} is no number above 0", where=name, now=f"Ask for 1 to {MOST}.")
    return min(wanted, MOST)
