"""Operator types: one name for many spellings, their category, framework names, and the engine they run on.

Tables of `data/operators`, parsed on first use, stdlib only. The key everywhere is the CANN type as profilers
print it; `canonical` takes off what profilers and versions append (AiCore, D, WithImplMode, V2, ...).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache, lru_cache

from kb import shipped, targets
from kb.errors import KnowledgeError, UsageError

FRAMEWORKS = ("onnx", "torch", "tf", "mindspore")
OWN_KERNEL = "TritonKernel"  # in an entry: any kernel that is no built-in operator, so the user's own

# endings that name the same operator; the last one only where the shorter name exists with the same pattern
_ENDINGS = re.compile(r"(?:AiCore|Aicore|AICORE|AiCpu|AICPU|WithImplMode|Common|(?<=MatMul)Nd|V\d+|D)$")
_NOT_THE_SAME = frozenset({"GatherD", "ScatterNdUpdateD"})  # GatherD gathers element by element along an axis

_ENGINE_COLUMN = {
    "ascend-310": "310",
    "ascend-310p": "310P",
    "ascend-310b": "310B",
    "ascend-610": "610",
    "ascend-910": "910",
    "atlas-a2": "910B_A2",
    "atlas-a3": "910_93_A3",
    "ascend-950": "950",
}
_LETTERS = {"C": "ai_core", "V": "ai_core", "D": "dsa", "v": "dvpp"}


def rows(table: str) -> Iterator[Mapping[str, str]]:
    """Rows of `data/operators/<table>.tsv` as mappings from column to text; comment lines are left out.

    Raises:
        KnowledgeError: the table is not there.
    """
    path = shipped.root() / "operators" / f"{table}.tsv"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as fault:
        where = str(path)
        raise KnowledgeError(
            f"table unreadable: {fault}", where=where, now="install ascend-kb again"
        ) from fault
    head: list[str] = []
    for line in lines:
        if line.startswith("#") or not line:
            continue
        cells = line.split("\t")
        if head:
            yield dict(zip(head, cells + [""] * (len(head) - len(cells)), strict=False))
        else:
            head = cells


def known_types() -> frozenset[str]:
    """Every operator type that some table lists, in the tables' spelling."""
    return frozenset(_spelling().values())


def is_known(op_type: str) -> bool:
    """Whether the type, or the operator it is a spelling of, is in a table."""
    return canonical(op_type).casefold() in _spelling()


def require(name: str, own: Iterable[str] = ()) -> None:
    """Refuse a name that is no operator's in any spelling or framework; `own` are names that count besides.

    Raises:
        UsageError: unknown; the message names near ones.
    """
    import difflib  # noqa: PLC0415 - only for a name that is wrong

    others = set(own)
    if name in (OWN_KERNEL, "*") or is_known(name) or from_alias(name):
        return
    if name.casefold() in {other.casefold() for other in others}:
        return
    known = {
        key.casefold(): key
        for key in (*_by_alias(), *known_types(), *others)
        if key.isascii() and "*" not in key
    }
    word = name.casefold()
    short = [full for full in known_types() if _initials(full) == word]  # NMS: NonMaxSuppression
    alike = [known[key] for key in difflib.get_close_matches(word, known, n=4, cutoff=0.7)]
    near = list(dict.fromkeys([*sorted(short), *alike]))[:4]
    mend = (
        f"near: {', '.join(near)}"
        if near
        else "operators are written as MatMulV2, aten.mm or NonMaxSuppression"
    )
    raise UsageError(
        f'unknown operator "{name}"',
        where="--op",
        now=f"{mend}; {OWN_KERNEL} stands for a kernel of your own",
    )


def _initials(op_type: str) -> str:
    return re.sub(r"V?\d+$|[^A-Z]", "", op_type).casefold()


@lru_cache(maxsize=4096)
def canonical(op_type: str) -> str:
    """The operator's plain name: `MatMulV2`, `MatMulCommon` and `matmulv3` are `MatMul`; unknown names stay.

    MindSpore's `FusionOp_A_B` is A with the epilogue B, hence A.
    """
    name = op_type.strip()
    if name.startswith("FusionOp_"):
        name = name.removeprefix("FusionOp_").split("_")[0]
    if name.casefold().startswith("hcom_"):  # hcom_allReduce_, hcom_allReduce__123_0: HcomAllReduce
        name = _spelling().get(re.sub(r"[_\d]", "", name).casefold(), name)
    name = _spelling().get(name.casefold(), name)
    while name not in _NOT_THE_SAME:
        shorter = _ENDINGS.sub("", name)
        shorter = _spelling().get(shorter.casefold(), "")
        if not shorter or shorter == name or not _same_work(name, shorter):
            break
        name = shorter
    return name


def category(op_type: str) -> str | None:
    """Broad class of the operator, None when unknown.

    One of cube, vector, mix, data-movement, format-conversion, communication, aicpu, control.
    """
    row = _row(op_type)
    if row:
        return row["category"]
    lowered = op_type.casefold()
    if lowered.startswith(("hcom", "hccl", "allreduce", "allgather", "reducescatter", "alltoall")):
        return "communication"
    engines = _engines().get(canonical(op_type))
    if engines and not any(engines[column] not in ("", ".") for column in _ENGINE_COLUMN.values()):
        return "aicpu" if engines["aicpu"] not in ("", ".") else None
    return None


def pattern(op_type: str) -> str | None:
    """Finer class within the category, such as `matmul`, `reduce`, `attention`; None when unknown."""
    row = _row(op_type)
    return row["pattern"] if row else None


def work_formula(op_type: str) -> str:
    """Operations of a call in the words of the operator table, such as `2*M*N*K` or `4..30*N`; empty when unknown."""
    row = _row(op_type)
    return row["flops"] if row else ""


def aliases(op_type: str) -> tuple[str, ...]:
    """Names of the same operator in ONNX, PyTorch (`aten.mm`), TensorFlow and MindSpore."""
    row = _row(op_type)
    found = [name for key in FRAMEWORKS for name in _names(row[key])] if row else []
    return tuple(dict.fromkeys(found))


def from_alias(name: str) -> tuple[str, ...]:
    """CANN types that a framework's name may become, plain names first; empty when no table knows it."""
    return tuple(_by_alias().get(_alias_key(name), ()))


def spellings(op_type: str) -> tuple[str, ...]:
    """All types of the tables that are the same operator, such as MatMul, MatMulV2, MatMulV3."""
    plain = canonical(op_type)
    return tuple(_by_canonical().get(plain, (plain,)))


@lru_cache(maxsize=65536)
def matches(wanted: str, op_type: str) -> bool:
    """Whether an entry's operator (a CANN type, a glob such as `MatMul*`, a framework name) means `op_type`.

    A glob is compared with the CANN type only, so `MatMul*` does not mean BatchMatMul. `op_type` may be a
    framework name too (typed by hand, or from a model file): then every CANN type it may become is tried.
    """
    if wanted == "*":
        return True
    if wanted == OWN_KERNEL:
        return op_type == OWN_KERNEL or not (is_known(op_type) or from_alias(op_type))
    names = {op_type, canonical(op_type)}
    if _row(op_type) is None:
        names.update(from_alias(op_type))
    if any(char in wanted for char in "*?["):
        return any(fnmatchcase(name.casefold(), wanted.casefold()) for name in names)
    meant = {canonical(wanted).casefold()}
    if _row(wanted) is None:
        meant.update(canonical(name).casefold() for name in from_alias(wanted))
    return any(canonical(name).casefold() in meant for name in names)


def engine(op_type: str, soc: str) -> str:
    """Where the operator runs on that chip or family, by the kernel lists of CANN 8.1.RC1.

    Returns "ai_core", "ai_cpu", "dsa", "dvpp", "host", "no_kernel" or "unknown" (no table knows type or chip;
    for the 950 a missing kernel is unknown, because only open kernels are listed). Dtypes can still send a
    listed operator to AI CPU. A type's D variant is its AI Core kernel for constant attributes.

    Raises:
        UsageError: unknown chip.
    """
    column = _ENGINE_COLUMN.get(targets.family_of(soc))
    table = _engines()
    row = next(
        (table[name] for name in (op_type, canonical(op_type), *spellings(op_type)) if name in table), None
    )
    if column is None or row is None:
        return "unknown"
    constant_form = table.get(f"{row['op_type']}D", row)
    for letter in row[column].strip(".") or constant_form[column]:
        if letter in _LETTERS:
            return _LETTERS[letter]
    if column == "950":
        return "unknown"
    letters = row["aicpu"]
    if "P" in letters or "T" in letters:
        return "ai_cpu"
    return "host" if "H" in letters else "no_kernel"


def engine_columns() -> Mapping[str, str]:
    """Family id to the column that stands for it in the engine and coverage tables."""
    return dict(_ENGINE_COLUMN)


@cache
def _types() -> dict[str, Mapping[str, str]]:
    return {row["op_type"]: row for table in ("op_types", "extra_types") for row in rows(table)}


@cache
def _engines() -> dict[str, Mapping[str, str]]:
    return {row["op_type"]: row for row in rows("op_engines")}


@cache
def _spelling() -> dict[str, str]:
    """Case-folded name to the tables' spelling; the first table wins."""
    found: dict[str, str] = {}
    for name in (*_types(), *_engines(), *(row["op_type"] for row in rows("aicpu_ops"))):
        found.setdefault(name.casefold(), name)
    return found


def _same_work(name: str, shorter: str) -> bool:
    one, other = _types().get(name), _types().get(shorter)
    return one is None or other is None or one["pattern"] == other["pattern"]


def _row(op_type: str) -> Mapping[str, str] | None:
    types = _types()
    exact = _spelling().get(op_type.casefold(), op_type)
    plain = canonical(op_type)
    siblings = (
        types.get(name) for name in _by_canonical().get(plain, ())
    )  # other versions of the same operator
    return types.get(exact) or types.get(plain) or next(filter(None, siblings), None)


def _names(cell: str) -> Iterator[str]:
    for raw in cell.split(","):
        name = re.sub(r"\(.*", "", raw).strip()
        if name and not name.endswith(")"):
            yield name


def _alias_key(name: str) -> str:
    return name.replace("::", ".").removeprefix("torch.").removeprefix("ops.").casefold()


@cache
def _by_alias() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    pairs = [(name, op) for op, row in _types().items() for key in FRAMEWORKS for name in _names(row[key])]
    pairs += [(row["onnx_op"], row["main_kernel"]) for row in rows("coverage_onnx")]
    pairs += [(row["caffe_layer"], row["cann_op"]) for row in rows("coverage_caffe")]
    for name, op in pairs:
        for key in {_alias_key(name), _alias_key(name).removeprefix("aten.").removeprefix("npu.")}:
            if op and op not in found.setdefault(key, []):
                found[key].append(op)
    return found


@cache
def _by_canonical() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in known_types():
        found.setdefault(canonical(name), []).append(name)
    return {plain: sorted(names, key=lambda n: (len(n), n)) for plain, names in found.items()}
