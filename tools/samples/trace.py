"""A kernel_details.csv of any size: steps of a transformer in training, as the PyTorch profiler writes them at level 1.

Deterministic: the same arguments give the same bytes. About 310 bytes a row, 47 columns. Every operator runs with
many different times and counters, sequence lengths change from step to step, a collective runs on a second
stream beside the kernels, and the first step is slow, as the one that compiles is.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tools.samples import headers
from tools.samples.jobs import START, Op, pmu_cells, tensor_cells

VARIANTS = 768  # rows made ahead for each operator, over all sequence lengths
CHUNK = 20_000  # rows written at a time
WARM_UP = 8  # how many times longer the pauses of the first step are

_CUBE = {"mac": 0.66, "scalar": 0.31, "mte1": 0.47, "mte2": 0.74, "fixpipe": 0.19}
_VECTOR = {"vec": 0.41, "scalar": 0.08, "mte2": 0.62, "mte3": 0.37}
_COPY = {"vec": 0.02, "scalar": 0.07, "mte2": 0.71, "mte3": 0.69}


def layer(length: int) -> list[Op]:
    """The operators of one transformer layer for a sequence of `length` tokens."""

    def matmul(k: int, n: int, us: float) -> Op:
        shapes = (f"{length},{k};{n},{k}", f"{length},{n}")
        name = "aclnnMatmul_MatMulV3Common_MatMulV3"
        return Op(name, "MatMulV3", "AI_CORE", us * length / 4096, 20, shapes, shares=_CUBE)

    def vector(
        name: str, kind: str, us: float, into: str, out: str, shares: dict[str, float] = _VECTOR
    ) -> Op:
        return Op(name, kind, "AI_VECTOR_CORE", max(us * length / 4096, 1.5), 40, (into, out), shares=shares)

    hidden, heads = f"{length},1,3072", f"{length},1,24,128"
    flash = Op(
        "aclnnFlashAttentionScore_FlashAttentionScore_FlashAttentionScore",
        "FlashAttentionScore",
        "MIX_AIC",
        310.0 * length / 4096,
        20,
        (f"{heads};{heads};{heads};;;;2048,2048", f"1,24,{length},8;1,24,{length},8;0;{heads}"),
        shares=_CUBE | _VECTOR,
    )
    reduce = Op("hcom_allReduce__868_0_1", "hcom_allReduce_", "COMMUNICATION", 140.0, stream="31")
    ops = [
        vector("RmsNorm", "RmsNorm", 25.4, f"{hidden};3072", f"{hidden};{length},1,1"),
        matmul(3072, 9216, 391.0),
        vector("aclnnInplaceCopy_SliceAiCore_Slice", "Slice", 29.1, f"{heads};3;3", heads, _COPY),
        vector("aclnnMul_MulAiCore_Mul", "Mul", 21.7, f"{heads};{length},1,1,128", heads),
        vector("aclnnNeg_NegAiCore_Neg", "Neg", 12.2, heads, heads),
        vector("aclnnCat_ConcatD_ConcatD", "ConcatD", 22.9, f"{heads};{heads}", heads, _COPY),
        vector("aclnnCos_CosAiCore_Cos", "Cos", 9.5, f"{length},1,1,128", f"{length},1,1,128"),
        flash,
        matmul(3072, 3072, 130.8),
        vector("aclnnAdd_AddAiCore_Add", "Add", 33.4, f"{hidden};{hidden}", hidden),
        vector("RmsNorm", "RmsNorm", 25.4, f"{hidden};3072", f"{hidden};{length},1,1"),
        matmul(3072, 16384, 702.0),
        vector("aclnnSwiGlu_SwiGlu_SwiGlu", "SwiGlu", 58.0, f"{length},1,16384", f"{length},1,8192"),
        matmul(8192, 3072, 348.0),
        vector("aclnnCast_CastAiCore_Cast", "Cast", 15.8, hidden, hidden, _COPY),
        reduce,
        vector("aclnnAdd_AddAiCore_Add", "Add", 33.4, f"{hidden};{hidden}", hidden),
    ]
    return [replace(op, dtype="DT_BF16", format="ND", gap=0.6) for op in ops]


def write(path: Path, rows: int, lengths: int = 8, layers: int = 32) -> None:
    """A file of `rows` rows; `lengths` sequence lengths give 14 operator groups each."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(headers.KERNEL_DETAILS + "\n")
        part: list[str] = []
        for line in _lines(rows, lengths, layers):
            part.append(line)
            if len(part) == CHUNK:
                file.writelines(part)
                part.clear()
        file.writelines(part)


def _lines(rows: int, lengths: int, layers: int) -> Iterator[str]:
    chance = random.Random(20260101)
    now, step = START, 0
    variants = max(VARIANTS // lengths, 2)
    steps: dict[int, list[list[tuple[str, str, int, int]]]] = {}
    task = 0
    while True:
        length = 4096 // lengths * (1 + step * 7 % lengths)
        ops = steps.get(length)
        if ops is None:
            ops = steps[length] = [_variants(op, variants, chance) for op in layer(length)]
        slow = WARM_UP if step == 0 else 1
        for _ in range(layers):
            pick = chance.randrange(variants)
            for place, op in enumerate(ops):
                front, rest, gap, busy = op[(pick + 31 * place) % variants]
                now += gap * slow
                yield f"{step},0,4294967295,{task % 65536},{front}{now // 1000}.{now % 1000:03d}\t,{rest}"
                now += busy
                task += 1
                if task == rows:
                    return
        step += 1


def _variants(op: Op, count: int, chance: random.Random) -> list[tuple[str, str, int, int]]:
    """What stands before and behind the start time, the pause before, and how long the stream is busy, in ns."""
    front = f"{op.stream},{op.name},{op.type},dynamic,{op.core},"
    blocks = f"{op.blocks},{2 * op.blocks if op.core == 'MIX_AIC' else 0},{'NO' if op.shares else 'N/A'}"
    middle = ",".join((blocks, *tensor_cells(op), "N/A"))
    out = []
    for _ in range(count):
        duration = round(op.duration * chance.uniform(0.94, 1.09), 2)
        gap = round(op.gap * 1000 * chance.uniform(0.5, 1.5))
        pmu = pmu_cells(replace(op, duration=duration), chance.uniform(0.9, 1.1))
        busy = (
            0 if op.stream == "31" else round(duration * 1000)
        )  # the next kernel starts beside a collective
        out.append((front, f"{duration:.3f},{gap / 1000:.6f},{middle},{','.join(pmu)}\n", gap, busy))
    return out
