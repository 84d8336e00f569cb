"""Coverage of whatever was given: a model, a profile, or PyTorch names."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from kb import targets
from kb.engine.check import check, check_torch, check_types, read_names
from kb.engine.check.result import CheckResult
from kb.errors import NothingToJudge, SourceError, UsageError

_LARGEST_LIST = 16 << 20  # bytes
_PROFILES = frozenset((".csv", ".db", ".zip", ".gz", ".tar", ".json", ".sqlite", ".bin"))


def checked(
    model: str | PathLike[str] | None, soc: str, torch: str | PathLike[str] | Sequence[str] | None
) -> CheckResult:
    """The check of a model, of a profile's operator types against another chip, or of PyTorch operators.

    Raises:
        UsageError, SourceError, NothingToJudge: see `kb.library.check_model`.
    """
    if (model is None) == (torch is None):
        raise UsageError(
            "neither a model nor PyTorch operators are given"
            if model is None
            else "a model and PyTorch operators are given",
            where="model",
            now="Give one of them: kb check MODEL.onnx --soc SOC, or kb check --torch FILE --soc SOC",
        )
    if not soc:
        raise UsageError("which chip?", where="--soc", now="Name the chip, such as Ascend310P3.")
    targets.family_of(soc)
    from kb.knowledge import store

    if isinstance(torch, (str, PathLike)):
        names, name = read_names(Path(torch)), Path(torch).name
        return check_torch(names, soc, store.load_entries().values(), name)
    if torch is not None:
        return check_torch(Counter(torch), soc, store.load_entries().values())
    path = Path(model or "")
    if _lists_operators(path):
        return _listed(path, soc)
    if _is_profile(path):
        return _profile(path, soc)
    if path.suffix.lower() in (".txt", ".tsv") and path.is_file() and path.stat().st_size:
        raise SourceError(
            "a text file is no model",
            where=str(path),
            now="Give an .onnx file; for a list of PyTorch names: kb check --torch FILE --soc SOC",
        )
    from kb.graph import read

    return check(read(path), soc, store.load_entries().values())


def _is_profile(path: Path) -> bool:
    """Whether a path is a profile rather than a model: a folder, a table, a database or an archive of these."""
    return path.is_dir() or path.suffix.lower() in _PROFILES


def _lists_operators(path: Path) -> bool:
    """Whether a JSON is a model's operators with shapes rather than a file of a profiler.

    Small ones only: a list of operators has some MB, a trace of a profiler may have GB.
    """
    if path.suffix.lower() != ".json" or not path.is_file() or path.stat().st_size > _LARGEST_LIST:
        return False
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError, OSError):
        return False  # the readers of profiles say what is wrong with it
    items = data.get("operators") if isinstance(data, dict) else data
    if not isinstance(items, list) or not items:
        return isinstance(items, list)  # an empty list is told so
    return isinstance(items[0], dict) and "type" in items[0] and not {"metrics", "ph"} & items[0].keys()


def _listed(path: Path, soc: str) -> CheckResult:
    from kb.engine.family import recognise_profile
    from kb.engine.network import read_operators, timed, to_profile, with_engines
    from kb.knowledge import store

    listed = with_engines(read_operators(path, soc)[0], soc)
    counts: Counter[str] = Counter()
    for call in listed.calls:
        counts[call.type] += call.times
    operators = to_profile(listed, timed(listed, soc), soc, path, "operators").operators
    return check_types(counts, soc, store.load_entries().values(), listed.name, recognise_profile(operators))


def _profile(path: Path, soc: str) -> CheckResult:
    from kb.engine.family import recognise_profile
    from kb.engine.readers import read
    from kb.knowledge import store

    ran = [op for op in read([path]).operators if op.core not in ("communication", "other")]
    counts: Counter[str] = Counter()
    for operator in ran:
        if operator.type:
            counts[operator.type] += operator.count
    if not counts:
        raise NothingToJudge(
            "no operator types in this profile", where=str(path), now="give an op_summary or kernel_details"
        )
    return check_types(counts, soc, store.load_entries().values(), path.name, recognise_profile(ran))
