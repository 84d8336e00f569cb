"""Coverage of PyTorch operators (aten names, or an exported program) by torch_npu, and of their kernels on a chip."""

from __future__ import annotations

import json
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from kb import operators, targets
from kb.engine.check.remedies import remedies
from kb.engine.check.result import CheckedOperator, CheckResult, Engine
from kb.engine.zip_directory import LARGEST, measure
from kb.errors import SourceError
from kb.model import Entry
from kb.textfile import STDIN, read_text

MAX_BYTES = 64 << 20
MAX_NAMES = 100_000
NOTE = "torch_npu and op-plugin of 2026-08, PyTorch 2.7.1; kernels of CANN 8.1.RC1; other versions differ"
_NAME = re.compile(r"(?:torch\.ops\.)?(aten|npu|prims)(?:\.|::)(\w+(?:\.\w+)?)")
_OTHER = (
    re.compile(  # an operator of a library that is not PyTorch's: no table knows it, but it is not left out
        r"(?:torch\.ops\.([A-Za-z_]\w*)\.|([A-Za-z_]\w*)::)(\w+(?:\.\w+)?)"
    )
)
_PLAIN = re.compile(r"[A-Za-z_]\w*(?:\.\w+)?")
_UNKNOWN = "not in the table of PyTorch operators"
_WORST: tuple[Engine, ...] = ("host", "ai_cpu", "no_kernel", "unknown")
_STATUS: Mapping[str, tuple[Engine, str]] = {
    "composite": ("unknown", "made of other operators: it runs where those do"),
    "composite_explicit": ("unknown", "a generic kernel on other operators: it runs where those do"),
    "cpu_fallback": (
        "host",
        "no NPU registration found: torch_npu copies to the host, computes there and copies back",
    ),
}


def check_torch(
    names: Mapping[str, int], soc: str, entries: Iterable[Entry] | None = None, name: str = "operators"
) -> CheckResult:
    """Where PyTorch operators (name to number of uses) run in eager mode on a chip.

    "host" is PyTorch's own fallback to the CPU, derived from missing registrations. `importable` says whether every
    name is in the table.

    Raises:
        UsageError: unknown chip.
    """
    targets.family_of(soc)
    known = list(entries or ())
    found = [_operator(key, count, soc, known) for key, count in names.items()]
    found.sort(key=lambda op: (not op.falls_back, op.engine != "unknown", -op.count, op.type))
    missing = [op.type for op in found if not op.opsets]
    warnings = [f"not in the table, so not judged: {', '.join(missing[:10])}"] if missing else []
    summary: Counter[str] = Counter()
    for op in found:
        summary[op.engine] += op.count
    return CheckResult(
        model=name,
        soc=soc,
        opset=None,
        operators=tuple(found),
        importable=True,
        warnings=(*warnings, "a CPU fallback is derived from what is not registered: verify it on a device"),
        tables=NOTE,
        summary=dict(summary),
    )


def read_names(path: Path) -> dict[str, int]:
    """Operator names of a text file (one a line, or any text with aten names), or of a torch.export archive.

    `-` is standard input, which holds text.

    Raises:
        SourceError: unreadable, too large, or without a single name.
    """
    try:
        if path != STDIN and not path.is_file():
            what = "not a regular file" if path.exists() else "no such file"
            raise SourceError(what, where=str(path), now="give a list of aten names or a .pt2 file")
        found = Counter(_lines(path) if path == STDIN or not zipfile.is_zipfile(path) else _archive(path))
    except (
        OSError,
        UnicodeDecodeError,
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        LookupError,
        ValueError,
        RuntimeError,  # encrypted, packed in a way that is not read, or nested too deep
    ) as fault:
        raise SourceError(
            f"unreadable: {fault or 'cut off'}", where=str(path), now="give a text file or a .pt2 archive"
        ) from fault
    if not found:
        raise SourceError(
            "no operator names found", where=str(path), now="write names such as aten.add.Tensor"
        )
    return dict(found)


def _lines(path: Path) -> Iterator[str]:
    seen = 0
    for number, raw in enumerate(read_text(path, largest=MAX_BYTES).splitlines(), 1):
        line = raw.split("#", 1)[0].strip()
        names = [f"{space}.{rest}" for space, rest in _NAME.findall(line)]
        first = line.split()[0] if line else ""
        plain = first.split("\t")[0]
        if not names and _PLAIN.fullmatch(plain):  # torch.add, as code calls it, is aten.add
            names = [f"aten.{plain.removeprefix('torch.')}"]
        if not names and (other := _OTHER.fullmatch(plain)):
            names = [_foreign(other)]
        seen += len(names)
        if seen > MAX_NAMES:
            raise SourceError(
                f"more than {MAX_NAMES} names", where=f"{path}:{number}", now="give a shorter list"
            )
        yield from names


def _foreign(match: re.Match[str]) -> str:
    return f"{match[1] or match[2]}.{match[3]}"


def _archive(path: Path) -> Iterator[str]:
    """Targets of the nodes in an exported program: a zip with one JSON of the graph."""
    with path.open("rb") as file:
        if measure(file, path.stat().st_size)[1] > LARGEST:
            raise SourceError("the archive has too many members", where=str(path), now="list the names")
        yield from _programs(file, path)


def _programs(file: BinaryIO, path: Path) -> Iterator[str]:
    with zipfile.ZipFile(file) as archive:
        wanted = [
            info
            for info in archive.infolist()
            if info.filename.endswith((".json",)) and "constants" not in info.filename
        ]
        for info in wanted[:16]:
            if info.file_size > MAX_BYTES:
                raise SourceError(
                    f"{info.filename[:80]} is larger than {MAX_BYTES >> 20} MiB",
                    where=str(path),
                    now="list the names",
                )
            with archive.open(info) as stream:
                text = stream.read(MAX_BYTES + 1)
            if len(text) > MAX_BYTES:
                raise SourceError(
                    f"{info.filename[:80]} unpacks too large", where=str(path), now="list the names"
                )
            yield from _targets(json.loads(text))


def _targets(program: Any) -> Iterator[str]:
    stack, steps = [program], 0
    while stack and steps < 5_000_000:
        item = stack.pop()
        steps += 1
        if isinstance(item, dict):
            target = item.get("target")
            match = _NAME.search(target) if isinstance(target, str) else None
            other = _OTHER.fullmatch(target) if isinstance(target, str) and not match else None
            if match:
                yield f"{match[1]}.{match[2]}"
            elif other:
                yield _foreign(other)
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


def _operator(name: str, count: int, soc: str, entries: list[Entry]) -> CheckedOperator:
    row = _row(name)
    if row is None:
        return CheckedOperator(name, count, "unknown", _UNKNOWN, broken=(_UNKNOWN,))
    status = row["eager_status"]
    kernels = _kernels(row)
    engine, why = _engine(row, kernels, soc)
    parts = _composites().get(row["op"], ()) if status == "composite" else ()
    if parts:
        engine, why, kernels = _of_parts(parts, soc)
    notes = [why] if why else []
    if row["torchair"] in ("none", "no", "partial"):
        notes.append(
            {"partial": "graph mode converts some inputs only"}.get(
                row["torchair"], "no graph-mode converter"
            )
        )
    if "data_dependent" in row["tags"] or "dynamic_output" in row["tags"]:
        notes.append("output size depends on the data")
    troubled = engine in ("host", "ai_cpu", "no_kernel")
    return CheckedOperator(
        name,
        count,
        engine,
        "; ".join(notes) or None,
        remedies(entries, (f"aten.{row['op'].split('.')[0]}", *kernels[:1])) if troubled else (),
        kernels=kernels,
        opsets=f"torch: {status}",
        broken=(why,) if why else (),
    )


def _kernels(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"[;,\s]+", row["ge_ops"]) if part)


def _engine(row: Mapping[str, str], kernels: tuple[str, ...], soc: str) -> tuple[Engine, str]:
    status = row["eager_status"]
    return _STATUS[status] if status in _STATUS else _kernel_engine(row["op"], kernels, soc)


def _of_parts(parts: tuple[str, ...], soc: str) -> tuple[Engine, str, tuple[str, ...]]:
    """Engine of an operator made of others: the worst of those that are known; AI Core needs no words."""
    found: dict[str, tuple[Engine, str]] = {}
    kernels: dict[str, None] = {}
    for part in parts:
        row = _row(f"aten.{part}")
        if row is None:
            found[part] = "unknown", "not in the table"
            continue
        found[part] = _engine(row, _kernels(row), soc)
        kernels.update(dict.fromkeys(_kernels(row)))
    if any(
        where != "unknown" for where, _ in found.values()
    ):  # views and generic kernels run where the rest does
        found = {part: one for part, one in found.items() if one[0] != "unknown"}
    for engine in _WORST:
        bad = [part for part, (where, _) in found.items() if where == engine]
        if bad:
            return engine, f"made of {', '.join(bad[:4])}: {found[bad[0]][1]}", tuple(kernels)
    return "ai_core", "", tuple(kernels)


def _kernel_engine(op: str, kernels: tuple[str, ...], soc: str) -> tuple[Engine, str]:
    """Engine of a registered operator: AI Core unless its own kernel has none on this chip."""
    base = op.split(".", maxsplit=1)[0].strip("_").replace("_", "").casefold()
    own = next((name for name in kernels if operators.canonical(name).casefold().startswith(base[:6])), None)
    if own is not None and operators.engine(own, soc) == "ai_cpu":
        return "ai_cpu", f"its kernel {own} runs on AI CPU on this chip in graph mode"
    return "ai_core", ""


def _row(name: str) -> Mapping[str, str] | None:
    space, _, rest = name.partition(".")
    if space not in ("aten", "npu", "prims"):
        space, rest = "aten", name
    table = _table()
    base = rest.split(".")[0]
    for key in (rest, rest.removesuffix(".default"), base, f"{rest}.Tensor"):
        if (space, key) in table:
            return table[space, key]
    named = _overloads().get((space, base)) or _overloads().get((space, f"_{base}"))
    return named[0] if named and "." not in rest else None


@cache
def _overloads() -> dict[tuple[str, str], list[Mapping[str, str]]]:
    """Overloads of a name, those with an NPU registration first; `.out` variants and backward operators are left out."""
    found: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for (space, op), row in _table().items():
        base, _, overload = op.partition(".")
        if "out" not in overload:
            found.setdefault((space, base), []).append(row)
    for rows in found.values():
        rows.sort(key=lambda row: not row["eager_status"].startswith("npu"))
    return found


@cache
def _composites() -> dict[str, tuple[str, ...]]:
    """What composite operators were seen to call, from `data/operators/torch_composites.tsv`."""
    return {row["op"]: tuple(row["calls"].split(",")) for row in operators.rows("torch_composites")}


@cache
def _table() -> dict[tuple[str, str], Mapping[str, str]]:
    return {(row["namespace"], row["op"]): row for row in operators.rows("coverage_torch")}
