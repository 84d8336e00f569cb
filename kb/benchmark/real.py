"""Real captures whose remedy is known: a table of cases beside a folder of profiles.

The profiles are other people's and do not ship; a case whose files are not there is skipped and counted as such.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from kb.errors import SourceError
from kb.textfile import read_text

LARGEST = 1 << 20  # bytes of the table
_KEYS = {"id", "paths", "soc", "shape", "findings", "remedies", "not_first", "quiet_on", "gain", "note"}


@dataclass(frozen=True, slots=True)
class Case:
    """One capture (or the ranks of one job) and what an expert says of it.

    Any of `findings` should be there, any of `remedies` should be advised; those in `not_first` must not lead; nothing
    is advised for operators whose name contains a word of `quiet_on`. `gain` is the measured part of the operator's
    time (or the run's) that the first remedy saved.
    """

    id: str
    paths: tuple[Path, ...]
    findings: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()
    not_first: tuple[str, ...] = ()
    quiet_on: tuple[str, ...] = ()
    gain: float | None = None
    gain_of: str = "operator"
    soc: str | None = None
    shape: str | None = None

    @property
    def missing(self) -> str:
        """Why the case cannot be run, empty when it can."""
        absent = next((path for path in self.paths if not path.exists()), None)
        return f"{absent} is not here" if absent else ""


def load(table: Path, profiles: Path) -> list[Case]:
    """The cases of a YAML table, paths below `profiles`.

    Raises:
        SourceError: the table is unreadable, or a case has keys nobody knows.
    """
    try:
        data = yaml.safe_load(read_text(table, largest=LARGEST))
    except (yaml.YAMLError, ValueError, RecursionError) as fault:
        raise SourceError(
            f"table unreadable: {fault}", where=str(table), now="give a YAML list of cases"
        ) from fault
    if not isinstance(data, list):
        raise SourceError("no list of cases", where=str(table), now="give a YAML list of cases")
    return [_case(item, table, profiles) for item in data]


def _told(item: Any) -> str:
    """Keys or type alone: what stands below may be an alias bomb, endless once it is written out."""
    return f"keys {', '.join(map(str, item))}"[:120] if isinstance(item, dict) else type(item).__name__


def _case(item: Any, table: Path, profiles: Path) -> Case:
    if not isinstance(item, dict) or not {"id", "paths"} <= set(item) or set(item) - _KEYS:
        known = ", ".join(sorted(_KEYS))
        raise SourceError(
            f"not a case: {_told(item)}", where=str(table), now=f"keys: {known}; id and paths are needed"
        )
    gain = item.get("gain") or {}
    return Case(
        id=str(item["id"]),
        paths=tuple(profiles / path for path in item["paths"]),
        gain=gain.get("saved"),
        gain_of=gain.get("of", "operator"),
        soc=item.get("soc"),
        shape=item.get("shape"),
        **{key: tuple(item.get(key, ())) for key in ("findings", "remedies", "not_first", "quiet_on")},
    )
