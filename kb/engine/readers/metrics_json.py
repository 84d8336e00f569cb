"""`--metrics FILE.json`: counters typed by hand or written by a tool; one object or a list of them.

Two forms: a kernel (`operator`, `metrics`) and a whole model (`operators` with type, count, share or
time_us). Names of metrics are the CSVs' column names in any spelling, or metric ids.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kb import operators
from kb.engine.readers.columns import LONGEST_US, MOST_RATIO, all_columns, lookup, missing, number
from kb.engine.readers.tasks import core_of
from kb.engine.readers.words import clean
from kb.errors import SourceError
from kb.model import Capture, Chip, CoreKind, Measure, Notice, Operator, Profile, RunTimes, SourceFile, Tensor
from kb.textfile import read_text
from kb.vocabulary.metrics import BY_ID

MOST_OBJECTS = 100_000
GIVEN = Path("metrics")  # stands for the file where a program gives the counters
_SIDES = ("aic_", "aiv_")
NOT_GIVEN = "not given"  # unit of a duration that nobody stated; its value means nothing
SHARE = "share"  # unit of times that are shares of the run

_STATED = ("hardware", "shape", "task", "dtype", "format", "name", "note", "framework", "model", "batch")
_KERNEL_KEYS = frozenset(("operator", "metrics", "core", *_STATED))
_MODEL_KEYS = frozenset(("operators", *_STATED))
_ITEM_KEYS = frozenset(("type", "name", "count", "share", "time_us", "core", "metrics", "shape", "dtype"))
_CORES: tuple[CoreKind, ...] = (
    "vector", "cube", "mix", "fused", "ai_cpu", "communication", "dsa", "dvpp", "other", "unknown",
)  # fmt: skip


def read_metrics(source: Path | Mapping[str, Any] | Sequence[Any]) -> list[Profile]:
    """The profiles of a metrics file, or of what such a file holds, in order; `stated` keeps what was typed.

    Raises:
        SourceError: for what is no JSON, or has a value of the wrong type, with the place.
    """
    path, data = (source, load(source)) if isinstance(source, Path) else (GIVEN, _plain_json(source))
    items = data if isinstance(data, list) else [data]
    if not items or len(items) > MOST_OBJECTS:
        raise SourceError(
            "an empty list" if not items else f"more than {MOST_OBJECTS} objects",
            where=str(path),
            now='give {"operator": ..., "metrics": {...}} or a list of such objects',
        )
    listed = isinstance(data, list)
    return [_Document(path, f"$[{i}]" if listed else "$").profile(item) for i, item in enumerate(items)]


def _plain_json(data: object) -> Any:
    """Objects of a program as JSON would hold them: mappings and sequences of any kind, numbers of any library."""
    try:
        return json.loads(json.dumps(data, default=_as_json))
    except (TypeError, ValueError, RecursionError) as fault:
        raise SourceError(
            f"no data that JSON could hold: {fault}", where=str(GIVEN), now="give a dict of texts and numbers"
        ) from fault


def _as_json(item: Any) -> Any:
    if isinstance(item, Mapping):
        return dict(item)
    if isinstance(item, Sequence):
        return list(item)
    if hasattr(item, "item"):  # a scalar of numpy or pandas
        return item.item()
    raise TypeError(f"{type(item).__name__} {str(item)[:80]!r}")


def load(path: Path) -> Any:
    """The JSON of a metrics file, unchecked.

    Raises:
        SourceError: it cannot be read, or is no JSON.
    """
    text = read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as fault:
        what = f"not valid JSON: {fault.msg}" if text.strip() else "the file is empty"
        place = f"{path}:{fault.lineno}:{fault.colno}"
        raise SourceError(what, where=place, now="mend the JSON at this place") from fault
    except (ValueError, RecursionError) as fault:
        raise SourceError(
            "JSON nested too deeply, or a number of too many digits", where=str(path), now="mend it"
        ) from fault


class _Document:
    """One object of the file; every complaint names its place as a JSON path."""

    def __init__(self, path: Path, place: str) -> None:
        self.path = path
        self.place = place
        self.notices: list[Notice] = []

    def profile(self, item: object) -> Profile:
        data = self._object(item, self.place)
        whole_model = "operators" in data
        if not whole_model and "metrics" not in data:
            raise self._wrong(self.place, 'an object with "metrics" (a kernel) or "operators" (a model)')
        self._unknown_keys(data, _MODEL_KEYS if whole_model else _KERNEL_KEYS, self.place)
        stated = {
            key: self._text(data[key], f"{self.place}.{key}") for key in _STATED if data.get(key) is not None
        }
        times = RunTimes()
        if whole_model:
            operators, times = self._model(data["operators"])
            self._note_times(operators, stated)
        else:
            operators = (self._kernel(data, stated),)
        return Profile(
            target=stated.get("name")
            or (operators[0].name if len(operators) == 1 else stated.get("task", str(self.path))),
            source="metrics_json",
            scope="run" if whole_model else "operator",
            capture=Capture("typed in"),
            chip=Chip(),
            operators=operators,
            times=times,
            files=(SourceFile(str(self.path), "metrics_json", len(operators)),),
            notices=tuple(self.notices),
            stated=stated,
        )

    def _kernel(self, data: dict[str, Any], stated: dict[str, str]) -> Operator:
        name = data.get("operator")
        if name is not None and not isinstance(name, str):
            raise self._wrong(f"{self.place}.operator", "the operator's type as text")
        name = clean(name or "")
        found = self._metrics(data["metrics"], f"{self.place}.metrics")
        duration = self._duration(found, f"{self.place}.metrics")
        return Operator(
            name=name or stated.get("name", "operator"),
            type=name or None,
            core=self._core(data, found),
            count=1,
            duration=duration,
            total_us=duration.value,
            block_dim=_whole(found.pop("block_dim", None)),
            mix_block_dim=_whole(found.pop("mix_block_dim", None)),
            inputs=_shapes(stated.get("shape", ""), stated.get("dtype", "")),
            clock_mhz=_plain(found.pop("current_freq", None)),
            rated_clock_mhz=_plain(found.pop("rated_freq", None)),
            counters=found,
        )

    def _model(self, items: object) -> tuple[tuple[Operator, ...], RunTimes]:
        place = f"{self.place}.operators"
        if not isinstance(items, list) or not items:
            raise self._wrong(place, "a list of operators")
        rows = [self._object(item, f"{place}[{i}]") for i, item in enumerate(items)]
        by_share = any("share" in row for row in rows) and not all("time_us" in row for row in rows)
        operators = tuple(self._item(row, f"{place}[{i}]", by_share) for i, row in enumerate(rows))
        if by_share:
            busy = Measure(1.0, SHARE, f"{self.path}:{place}: shares of the whole", computed=True)
            return operators, RunTimes(busy=busy)
        return operators, RunTimes()

    def _item(self, row: dict[str, Any], place: str, by_share: bool) -> Operator:
        self._unknown_keys(row, _ITEM_KEYS, place)
        kind = row.get("type")
        if not isinstance(kind, str) or not clean(kind):
            raise self._wrong(f"{place}.type", "the operator's type as text")
        kind = clean(kind)
        count = row.get("count", 1)
        if isinstance(count, bool) or not isinstance(count, int) or not 0 < count < 10**12:
            raise self._wrong(f"{place}.count", "a whole number above 0")
        key, unit = ("share", SHARE) if by_share else ("time_us", "us")
        total = self._number(row.get(key), f"{place}.{key}")
        if total is not None and not 0 <= total <= (1 if by_share else LONGEST_US):
            raise self._wrong(f"{place}.{key}", "a fraction of 1" if by_share else "a time of at least 0")
        found = self._metrics(row.get("metrics", {}), f"{place}.metrics")
        measure = Measure(
            (total or 0.0) / count,
            unit if total is not None else NOT_GIVEN,
            f"{self.path}:{place}.{key}",
            n=count,
        )
        text = self._text(row["shape"], f"{place}.shape") if row.get("shape") is not None else ""
        dtype = self._text(row["dtype"], f"{place}.dtype") if row.get("dtype") is not None else ""
        return Operator(
            name=self._text(row["name"], f"{place}.name") if row.get("name") is not None else kind,
            type=kind,
            core=self._core(row, found),
            count=count,
            duration=measure,
            total_us=total or 0.0,
            block_dim=_whole(found.pop("block_dim", None)),
            mix_block_dim=_whole(found.pop("mix_block_dim", None)),
            inputs=_shapes(text, dtype),
            counters=found,
        )

    def _metrics(self, data: object, place: str) -> dict[str, Measure]:
        out: dict[str, Measure] = {}
        for name, cell in self._object(data, place).items():
            here = f'{place}["{clean(name, 80)}"]'
            found = lookup(name)
            metric = BY_ID.get(name.strip())
            if metric is None and (found is None or all_columns()[found].unit == "text"):
                self.notices.append(
                    Notice(
                        "unknown-key", f"{here} is no metric or column known and was left out", str(self.path)
                    )
                )
                continue
            value = self._number(cell, here)
            if value is not None:
                key = found or name.strip()
                unit = all_columns()[found].unit if found else metric.unit if metric else ""
                if key.startswith(_SIDES) and key.endswith("_ratio") and not 0 <= value <= MOST_RATIO:
                    raise self._wrong(here, "a fraction of 1, such as 0.658 for 65.8 %")
                out[key] = Measure(value, unit, f"{self.path}:{here}")
        return out

    def _duration(self, found: dict[str, Measure], place: str) -> Measure:
        stated = found.pop("task_duration_us", None)
        if stated is not None:
            if not 0 <= stated.value < LONGEST_US:
                raise self._wrong(place, "a Task Duration of at least 0")
            return stated
        times = [found[name].value for name in ("aic_time_us", "aiv_time_us") if name in found]
        if times:
            self.notices.append(
                Notice("duration-computed", "no Task Duration: the core time stands for it", str(self.path))
            )
            return Measure(max(times), "us", f"{self.path}:{place}: core time", computed=True)
        pipes = [
            item.value
            for name, item in found.items()
            if name.startswith(_SIDES) and name.endswith("_time_us")
        ]
        if pipes:
            text = "no Task Duration: the longest pipe time stands for it, the kernel takes at least this"
            self.notices.append(Notice("duration-computed", text, str(self.path)))
            return Measure(max(pipes), "us", f"{self.path}:{place}: longest pipe time", computed=True)
        self.notices.append(
            Notice("times-unknown", "no Task Duration: nothing is sized in time", str(self.path))
        )
        return Measure(0.0, NOT_GIVEN, f"{self.path}:{place}")

    def _note_times(self, operators: tuple[Operator, ...], stated: dict[str, str]) -> None:
        units = {op.duration.unit for op in operators}
        if SHARE in units:
            stated["times"] = "shares of the run, not microseconds"
            self.notices.append(
                Notice("times-are-shares", "operators carry shares of the run, not times", str(self.path))
            )
        if NOT_GIVEN in units:
            self.notices.append(
                Notice("times-unknown", "some operators have neither share nor time_us", str(self.path))
            )

    def _core(self, data: dict[str, Any], found: dict[str, Measure]) -> CoreKind:
        stated = data.get("core")
        if stated is not None:
            for core in _CORES:
                if stated == core:
                    return core
            if isinstance(stated, str):
                kind = core_of(stated, "", (), False, True)
                if kind not in ("other", "unknown"):
                    return kind
            raise self._wrong(f"{self.place}.core", f"one of {', '.join(_CORES)}")
        sides = {
            name[:3] for name, item in found.items() if name.startswith(("aic_", "aiv_")) and item.value > 0
        }
        if len(sides) > 1 or (sides and operators.category(clean(str(data.get("operator", "")))) == "mix"):
            return "mix"  # a type that uses both sides, of which one was measured
        return "cube" if "aic" in sides else "vector" if "aiv" in sides else "unknown"

    def _number(self, cell: object, place: str) -> float | None:
        if cell is None or (isinstance(cell, str) and missing(cell)):
            return None
        found = (
            None if isinstance(cell, (bool, str)) or not isinstance(cell, (int, float)) else number(str(cell))
        )
        if found is None:
            raise self._wrong(place, "a number")
        return found

    def _text(self, cell: object, place: str) -> str:
        """Text as typed; a list (a shape) or number as JSON writes it."""
        if isinstance(cell, str):
            return clean(cell, 1000)
        if isinstance(cell, (int, float, list)) and not isinstance(cell, bool):
            return json.dumps(cell)[:1000]
        raise self._wrong(place, "text")

    def _object(self, item: object, place: str) -> dict[str, Any]:
        if not isinstance(item, dict):
            raise self._wrong(place, "an object")
        return item

    def _unknown_keys(self, data: dict[str, Any], known: frozenset[str], place: str) -> None:
        extra = sorted(key for key in data if key not in known)
        if extra:
            names = clean(", ".join(extra[:8]), 200)
            self.notices.append(
                Notice("unknown-key", f"{place}: keys not known and not used: {names}", str(self.path))
            )

    def _wrong(self, place: str, wanted: str) -> SourceError:
        return SourceError(
            f"{place} should be {wanted}", where=str(self.path), now="mend the value at this place"
        )


def _whole(item: Measure | None) -> int | None:
    return (
        int(item.value)
        if item is not None and item.value == int(item.value) and 0 < item.value < 2**53
        else None
    )


def _plain(item: Measure | None) -> float | None:
    return item.value if item is not None and item.value > 0 else None


def _shapes(text: str, dtype: str) -> tuple[Tensor, ...]:
    """Input tensors of a typed shape: "1024,2048", "1024x2048", "[1024, 2048]", several parted by ";"."""
    out = []
    for part in text.split(";")[:64]:
        if part.count("[") + part.count("(") > 1:
            return ()  # several tensors in one part: words, not a shape
        axes = [axis for axis in re.split(r"[\s,x×*\[\]()]+", part.strip()) if axis]
        if not axes or not all(axis.isdecimal() and len(axis) < 16 for axis in axes):
            return ()
        out.append(Tensor(tuple(int(axis) for axis in axes), dtype))
    return tuple(out)
