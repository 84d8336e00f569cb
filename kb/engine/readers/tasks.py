"""What kind of core a task of a job export ran on, and which rows show one collective a second time."""

from __future__ import annotations

import re
from collections.abc import Collection

from kb.engine.readers.columns import missing
from kb.model import CoreKind

# Task Type of msprof, Accelerator Core of the PyTorch profiler; HCCL became COMMUNICATION
_CORES: dict[str, CoreKind] = {
    "AI_VECTOR_CORE": "vector",
    "AIV": "vector",
    "AIV_SQE": "vector",
    "KERNEL_AIVEC": "vector",
    "AIC": "cube",
    "MIX_AIC": "mix",
    "MIX_AIV": "mix",
    "KERNEL_MIX_AIC": "mix",
    "KERNEL_MIX_AIV": "mix",
    "AI_CPU": "ai_cpu",
    "AICPU": "ai_cpu",
    "KERNEL_AICPU": "ai_cpu",
    "HCCL": "communication",
    "COMMUNICATION": "communication",
    "DSA_SQE": "dsa",
    "DSA": "dsa",
    "DVPP": "dvpp",
    "JPEGD_SQE": "dvpp",
    "JPEGE_SQE": "dvpp",
    "VPC_SQE": "dvpp",
}
_AI_CORE = frozenset(("AI_CORE", "AICORE", "KERNEL_AICORE"))
_SPLIT = frozenset(
    ("AI_VECTOR_CORE", "MIX_AIC", "MIX_AIV", "AIV", "AIC", "KERNEL_AIVEC", "KERNEL_MIX_AIC", "KERNEL_MIX_AIV")
)

_ACLNN = re.compile(r"aclnn[A-Za-z0-9]+_[A-Za-z0-9]+_([A-Za-z][A-Za-z0-9]*)$")
_TRANS = re.compile(r"trans_([A-Za-z][A-Za-z0-9]*)_\d+$")
_HCOM = re.compile(r"hcom_([A-Za-z]+)_")
_GRAPH = re.compile(r"(?:.*/)?([A-Za-z]\w*)-op\d+(?:_\d+)?$", re.DOTALL)
_COLLECTIVE = re.compile(
    r"(?:hcom_)?"
    r"(allreduce|allgatherv?|reducescatterv?|alltoallvc?|alltoallv|alltoall|broadcast|batchsendrecv|send|receive|recv|"
    r"reduce|scatter|gather|barrier)"
    r"_?(?:aicpukernel)?_?$"
)


def core_of(task_type: str, name: str, sides: Collection[str], prefixed: bool, split_chip: bool) -> CoreKind:
    """Core kind of a task.

    Args:
        task_type: the export's word; N/A at task-time level 0.
        name: kernel name; `_mix_aic` and `hcom_` say more than a missing word.
        sides: which of "aic", "aiv" counted cycles.
        prefixed: whether the header tells cube from vector (aic_/aiv_), as on chips with split cores.
        split_chip: whether other rows name vector or mix cores, so that AI_CORE can only mean the cube core.
    """
    word = task_type.strip().upper()
    if word in _CORES:
        return _CORES[word]
    if word not in _AI_CORE and not missing(task_type):
        return "other"
    if missing(task_type) and name.startswith("hcom_"):
        return "communication"
    if sides:
        return _from_sides(sides) if prefixed else "fused"
    if name.endswith(("_mix_aic", "_mix_aiv")):
        return "mix"
    return "cube" if word in _AI_CORE and split_chip else "unknown"


def _from_sides(sides: Collection[str]) -> CoreKind:
    if len(sides) > 1:
        return "mix"
    return "cube" if "aic" in sides else "vector"


def names_split_cores(task_type: str) -> bool:
    """Whether this word exists only on chips with separate cube and vector cores."""
    return task_type.strip().upper() in _SPLIT


def type_from_name(name: str) -> str | None:
    """Operator type that a kernel name spells out, None otherwise.

    aclnnAdd_AddAiCore_Add is an Add, trans_TransData_3 a TransData, Default/network/Conv2D-op12 of MindSpore a
    Conv2D, hcom_allReduce__868_0_1 an hcom_allReduce_.
    """
    found = _ACLNN.search(name) or _TRANS.fullmatch(name) or _GRAPH.fullmatch(name)
    if found:
        return found[1]
    found = _HCOM.match(name)
    return f"hcom_{found[1]}_" if found else None


def collective(op_type: str) -> str | None:
    """The collective a type stands for (hcom_allReduce_, allreduceAicpuKernel -> allreduce), None when
    none.
    """
    found = _COLLECTIVE.match(op_type.strip().casefold())
    return found[1] if found else None


def is_twin(task_type: str, name: str, op_type: str) -> bool:
    """Whether a row may show a collective a second time: its helper kernel on AI CPU or on vector cores.

    The collective itself is the row named hcom_...; whether there is one is known only at the end of the
    file.
    """
    core = _CORES.get(task_type.strip().upper())
    if core == "ai_cpu":
        return op_type.casefold().endswith("aicpukernel") and collective(op_type) is not None
    return core == "communication" and not name.startswith("hcom_") and collective(op_type) is not None
