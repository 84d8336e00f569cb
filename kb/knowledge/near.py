"""The answer to an id that does not exist: those that come near."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from kb.errors import UsageError
from kb.model import Entry


def no_such_id(what: str, wanted: str, known: Iterable[str]) -> UsageError:
    """The error for an unknown id, naming those that come near."""
    near = near_ids(wanted, sorted(known))
    look = "Names: `kb schema`." if what == "document" else "Look for it with `kb search` or `kb list`."
    now = f"Did you mean {', '.join(near)}?" if near else look
    return UsageError(f"no {what} {wanted!r}", now=now)


def known_bottlenecks(entries: Iterable[Entry]) -> frozenset[str]:
    """Bottlenecks that `kb` judges, and those that only entries of a team describe."""
    from kb.vocabulary import bottlenecks

    return frozenset([*bottlenecks.IDS, *(entry.id for entry in entries if entry.kind == "pattern")])


def near_ids(wanted: str, known: Sequence[str], most: int = 5) -> list[str]:
    """Ids that contain the wanted one or share its words, else those spelled like it."""
    low = wanted.lower()
    holding = [id for id in known if low and low in id]
    alike = difflib.get_close_matches(low, known, n=most, cutoff=0.6)
    words = set(low.split("-")) - {""}
    shared = sorted(
        (id for id in known if words & set(id.split("-"))), key=lambda id: -len(words & set(id.split("-")))
    )
    return list(dict.fromkeys([*alike, *holding, *(shared if not alike and not holding else [])]))[:most]
