"""Architecture fingerprints: which operators a network consists of, from `data/fingerprints.tsv`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from kb import shipped
from kb.errors import KnowledgeError

MEASURES = ("count", "time_percent", "time_us")
COLUMNS = ("id", "space", "measure", "operators", "basis", "how")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The operator mix of one architecture; `operators` maps a type to a number of the `measure`."""

    id: str
    space: str  # whose names the types are: onnx or cann
    measure: str  # count, time_percent (of the time of kernels) or time_us (a step)
    operators: Mapping[str, float]
    basis: str
    how: str


@cache
def fingerprints() -> Mapping[str, Fingerprint]:
    """All fingerprints by id.

    Raises:
        KnowledgeError: the table is not there, or a row of it is no fingerprint.
    """
    path = shipped.root() / "fingerprints.tsv"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as fault:
        raise KnowledgeError(
            "the table of fingerprints cannot be read", where=str(path), now="install ascend-kb again"
        ) from fault
    found: dict[str, Fingerprint] = {}
    for number, line in enumerate(text.splitlines(), 1):
        cells = tuple(line.split("\t"))
        if line.startswith("#") or cells == COLUMNS:
            continue
        try:
            name, space, measure, mix, basis, how = cells
            operators = {kind: float(n) for kind, n in (item.rsplit(" ", 1) for item in mix.split(";"))}
        except ValueError as fault:
            raise KnowledgeError(
                "no fingerprint", where=f"{path}:{number}", now=f"columns: {', '.join(COLUMNS)}"
            ) from fault
        if measure not in MEASURES or name in found:
            raise KnowledgeError(
                f"measure {measure!r} or id {name!r} is at fault",
                where=f"{path}:{number}",
                now="see its head",
            )
        found[name] = Fingerprint(name, space, measure, operators, basis, how)
    return found
