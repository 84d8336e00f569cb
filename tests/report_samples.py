"""Reports that every view is tested on: a kernel, a run, nothing found, hostile text, Chinese."""

from __future__ import annotations

from dataclasses import replace

from kb.forecast import Forecast, ForecastCheck, ForecastOperator
from kb.model import (
    Capture,
    Charts,
    Chip,
    CommonBottleneck,
    DataPath,
    Evidence,
    Finding,
    Gain,
    HeldUpRank,
    Job,
    Lane,
    LostRank,
    NotJudged,
    OperatorFloor,
    OperatorPipes,
    OperatorRef,
    Over,
    Pause,
    PipeShare,
    RankTimes,
    Recommendation,
    Report,
    Roof,
    SimilarCase,
    SlowRank,
    SlowType,
    SourceFile,
    Strip,
    WallPart,
    WorkPoint,
)

COMPUTED = frozenset({"first_three", "most_to_win"})  # members of the document that follow from the others

CUMMIN = OperatorRef("Cummin", "cummin_int32_kernel", "vector", "4,128,64 int32", 1, 692.12)

WRITES = Finding(
    id="small-mte3-writes:cummin",
    pattern="small-mte3-writes",
    scope="operator",
    operators=(CUMMIN,),
    share=1.0,
    confidence=0.86,
    evidence=(
        Evidence(
            "bytes_per_mte3_instruction",
            128.0,
            "B",
            "< 512 B",
            "Memory.csv aiv_ub_to_gm / MTE3 instructions; limit: vendor guide, GM alignment",
        ),
        Evidence(
            "aiv_mte3_ratio",
            0.352,
            "1",
            "> 0.2",
            "PipeUtilization.csv aiv_mte3_ratio, mean of 4 vector cores",
        ),
    ),
    headroom=0.5,
    summary="Results leave the core 128 B at a time, so the write pipe waits for instructions instead of moving data.",
)
SCALAR = Finding(
    id="scalar-bound-vector:cummin",
    pattern="scalar-bound-vector",
    scope="operator",
    operators=(CUMMIN,),
    share=1.0,
    confidence=0.7,
    evidence=(Evidence("aiv_scalar_ratio", 0.61, "1", "> 0.5", "PipeUtilization.csv aiv_scalar_ratio"),),
    headroom=0.5,
    summary="The scalar unit is busy 61 % of the time and the vector unit 0 %.",
)
LARGER_WRITES = Recommendation(
    rank=1,
    id="vector-larger-copies",
    kind="recipe",
    title="Copy more bytes per instruction",
    finding="small-mte3-writes:cummin",
    gain=Gain(0.2, 0.35, 0.5, "operator", "measured in 3 cases, capped by the floor of this profile"),
    who="kernel-developer",
    effort="low",
    evidence=("128 B a MTE3 instruction, 512 B are needed to fill the path",),
    steps=(
        "Collect the results of a whole tile in the unified buffer.",
        "Write the tile with one DataCopy instead of one per row; keep rows 32 B aligned.",
    ),
    snippet="// pseudo-code\nfor (uint32_t row = 0; row < rows; ++row) {\n    Compute(tile[row * width]);\n}\nDataCopy(out[offset], tile, rows * width);",
    check="Bytes per MTE3 instruction rise above 512 and aiv_mte3_ratio falls; compare task duration at the same shape.",
    when_not="The output rows are not next to one another in GM.",
    sources=(
        "Ascend/asc-devkit:docs/guide/data-copy.md@0dfcf9df",
        "Ascend/samples:operator/README.md@11eb5426",
    ),
)
VECTORISE = Recommendation(
    rank=2,
    id="scalar-loop-to-vector-api",
    kind="recipe",
    title="Replace the scalar loop by vector API calls",
    finding="scalar-bound-vector:cummin",
    gain=Gain(0.1, 0.3, 0.5, "operator", "modelled: scalar time above the vector floor"),
    who="kernel-developer",
    effort="high",
    evidence=("scalar 61 %, vector 0 %",),
    steps=("Express the running minimum as Min over shifted tiles.",),
    snippet="",
    check="aiv_vec_ratio rises above aiv_scalar_ratio.",
    when_not="The loop carries a dependency that no vector instruction has.",
    sources=("Ascend/asc-devkit:docs/guide/scalar.md@0dfcf9df",),
)

SAMPLE = Report(
    target="cummin/round_001",
    run="4be1c0ffee12",
    content="4be1c0ffee12" + "0" * 52,
    chip=Chip("Ascend910B2", ("Ascend910B2",), "stated", "given with --soc"),
    capture=Capture(
        "msopprof", cann_version="8.5.0", replay_mode="kernel", warm_up=5, metric_groups=("Default",)
    ),
    total_us=692.12,
    elapsed_us=740.5,
    ranks=2,
    steps=4,
    headline="Bound by small writes: 128 B leave the core per MTE3 instruction.",
    operators=(CUMMIN,),
    findings=(WRITES, SCALAR),
    not_judged=(
        NotJudged(
            "frequency-drop", "the current clock is N/A in OpBasicInfo.csv", "msopprof --warm-up=30 ./app"
        ),
        NotJudged("tail-wave", "only 4 blocks were launched"),
    ),
    recommendations=(LARGER_WRITES, VECTORISE),
    similar_cases=(
        SimilarCase(
            "cumsum-bev-pool", "Prefix sums in a BEV pooling layer", 0.71, "same bottleneck, vector kernel"
        ),
    ),
    warnings=("4 of 48 vector cores were used: the shape has 4 independent rows",),
    key_data=(
        Evidence("task_duration_us", 692.12, "us", "", "OpBasicInfo.csv Task Duration(us)"),
        Evidence("aiv_scalar_ratio", 0.61, "1", "> 0.5", "PipeUtilization.csv"),
        Evidence("aiv_mte3_ratio", 0.352, "1", "> 0.2", "PipeUtilization.csv"),
        Evidence("bytes_per_mte3_instruction", 128.0, "B", "< 512 B", "Memory.csv"),
        Evidence("block_dim", 4.0, "", "expected 48", "OpBasicInfo.csv Block Dim"),
        Evidence("core", "vector", "", "", "OpBasicInfo.csv Op Type"),
    ),
    files=(
        SourceFile("round_001/OpBasicInfo.csv", "OpBasicInfo", 1),
        SourceFile("round_001/Memory.csv", "Memory", 4, 1),
    ),
    versions={"kb": "0.1.0", "knowledge": "2026.1"},
    charts=Charts(
        chips=("Ascend910B2",),
        roofs=(
            Roof("memory", "bandwidth", 1600.0),
            Roof("L2", "bandwidth", 5400.0),
            Roof("vector fp32", "compute", 11000.0),
        ),
        points=(
            WorkPoint(
                CUMMIN, 0.06, 0.4, "operations by counters; bytes by counters", roof="memory", reached=0.0042
            ),
        ),
        pipes=(
            OperatorPipes(
                CUMMIN,
                (
                    PipeShare("aiv_vec", 0.0, (0.0, 0.0)),
                    PipeShare("aiv_scalar", 0.61, (0.59, 0.63)),
                    PipeShare("aiv_mte3", 0.352),
                ),
            ),
        ),
        paths=(
            DataPath("GM", "UB", 0.095, "kernel", 65536.0),
            DataPath("UB", "GM", 1.61, "kernel", 1114112.0),
            DataPath("UB", "vector", 4.4, "core"),
        ),
        floors=(OperatorFloor(CUMMIN, 20.0),),
    ),
)

TRANSDATA = OperatorRef("TransData", "trans_TransData_11", "vector", "64,3,224,224 float16", 140, 5210.0)
ALLREDUCE = OperatorRef("hcom_allReduce_", "hcom_allReduce__0", "communication", "", 62, 289000.0)

RUN = Report(
    target="ASCEND_PROFILER_OUTPUT",
    run="77aa01bc9d3e",
    chip=Chip(None, ("Ascend910B1", "Ascend910B3"), "inferred", "24 cube cores, 1800 MHz"),
    capture=Capture("Ascend PyTorch Profiler", cann_version="8.0.RC3"),
    total_us=314000.0,
    headline="Communication takes 92 % of the run and is not hidden behind compute.",
    operators=(ALLREDUCE, TRANSDATA, OperatorRef(None, "unnamed_task", "unknown", "", 9, 410.0)),
    findings=(
        Finding(
            id="comm-exposed",
            pattern="comm-exposed",
            scope="run",
            operators=(ALLREDUCE,),
            share=0.92,
            confidence=0.95,
            evidence=(Evidence("comm_exposed_share", 0.92, "1", "> 0.1", "step_trace_time.csv"),),
            headroom=None,
            summary="Communication not hidden behind compute takes 92 % of the run.",
        ),
        Finding(
            id="format-conversion-share",
            pattern="format-conversion-share",
            scope="run",
            operators=(TRANSDATA,),
            share=0.0166,
            confidence=0.55,
            evidence=(
                Evidence(
                    "format_conversion_share", 0.17, "1", "> 0.1", "kernel_details.csv, of compute time"
                ),
            ),
            headroom=0.9,
            parent=None,
            summary="TransData takes 17 % of the compute time.",
        ),
    ),
    not_judged=(),
    recommendations=(
        replace(
            LARGER_WRITES,
            id="comm-overlap-buckets",
            title="Overlap gradient communication with the backward pass",
            finding="comm-exposed",
            gain=Gain(-0.02, 0.2, 0.4, "run", "stated, not confirmed by a public measurement"),
            who="model-developer",
            effort="medium",
            snippet="",
        ),
    ),
    similar_cases=(),
    warnings=(),
    key_data=(Evidence("comm_share", 0.92, "1", "", "step_trace_time.csv"),),
    charts=Charts(
        wall=(
            WallPart("compute", 25000.0),
            WallPart("communication", 289000.0),
            WallPart("idle", 40000.0),
        ),
        strips=(
            Strip(
                "rank 0",
                "0",
                354000.0,
                88500.0,
                (Lane("2", (20, 0, 0, 8)), Lane("N/A", (), (70, 100, 100, 56))),
                (
                    Pause(80000.0, 25000.0, "MatMulV3", "hcom_allReduce_"),
                    Pause(340000.0, 9000.0, "hcom_allReduce_", "Add"),
                ),
                12,
                40000.0,
            ),
            Strip("rank 1", "0", 354000.0, 88500.0, (Lane("2", (20, 0, 0, 8)),), more_lanes=3),
        ),
    ),
)

EMPTY = Report(
    target="healthy",
    run="e0a1b2c3d4f5",
    chip=Chip(),
    capture=Capture("typed in"),
    total_us=None,
    headline="",
    operators=(),
    findings=(),
    not_judged=(),
    recommendations=(),
    similar_cases=(),
    warnings=(),
)

NASTY = "evil\x1b[31m\x1b]0;owned\x07|[red]x[/red] <script>alert('1')</script> `rm -rf` **bold** \u202etxt\n## 9 Injected\n| a | b |"
_BAD = replace(CUMMIN, type=NASTY, name=NASTY, shapes=NASTY)
_BAD_EVIDENCE = Evidence(NASTY, NASTY, "", NASTY, NASTY)

HOSTILE = replace(
    SAMPLE,
    target=NASTY,
    headline=NASTY,
    chip=Chip(NASTY, (NASTY,), "file", NASTY),
    capture=Capture(NASTY, NASTY, NASTY, True, NASTY, 1, (NASTY,)),
    operators=(_BAD,),
    findings=(
        replace(WRITES, id=NASTY, pattern=NASTY, operators=(_BAD,), evidence=(_BAD_EVIDENCE,), summary=NASTY),
    ),
    not_judged=(NotJudged(NASTY, NASTY, NASTY),),
    recommendations=(
        replace(
            LARGER_WRITES,
            id=NASTY,
            title=NASTY,
            finding=NASTY,
            gain=Gain(0.1, 0.2, 0.3, "operator", NASTY),
            who=NASTY,
            effort=NASTY,
            evidence=(NASTY,),
            steps=(NASTY,),
            snippet=NASTY + "\n```\n",
            check=NASTY,
            when_not=NASTY,
            sources=(NASTY,),
        ),
    ),
    similar_cases=(SimilarCase(NASTY, NASTY, 0.5, NASTY),),
    warnings=(NASTY,),
    key_data=(_BAD_EVIDENCE,),
    files=(SourceFile(NASTY, NASTY, 1),),
    versions={"kb": NASTY},
    charts=Charts(
        chips=(NASTY,),
        roofs=(Roof(NASTY, "bandwidth", 1600.0), Roof(NASTY, "compute", 11000.0)),
        points=(WorkPoint(_BAD, 0.06, 0.4, NASTY, roof=NASTY, reached=0.1),),
        pipes=(OperatorPipes(_BAD, (PipeShare(NASTY, 0.5, (0.4, 0.6)),)),),
        paths=(DataPath("GM", "UB", 0.1, "kernel"), DataPath(NASTY, NASTY, 0.1, "core")),
        floors=(OperatorFloor(_BAD, 20.0),),
        wall=(WallPart("idle", 1.0),),
        strips=(
            Strip(
                NASTY, NASTY, 10.0, 5.0, (Lane(NASTY, (50, 100)),), (Pause(1.0, 5.0, NASTY, NASTY),), 1, 5.0
            ),
        ),
    ),
)

CHINESE = replace(
    SAMPLE,
    headline="写出粒度过小：每条 MTE3 指令只写 128 B，写通路在等待指令而不是搬运数据，因此整个算子受限于写出。",
    findings=(
        replace(WRITES, summary="结果每次只写出 128 B，写通路等待指令而不是搬运数据，应当合并为一次写出。"),
    ),
    recommendations=(replace(LARGER_WRITES, title="每条指令搬运更多字节，把整个分块一次写出"),),
)

FORECAST = Forecast(
    "Ascend310P3", 80.0, 100.0, 250.0,
    (
        ForecastOperator(
            "Conv2D", "stem", "ai_core", 4, "1x1x32x32x16; 9x1x16x16", ("Conv", "Relu"), 60.0, 80.0, 200.0, 0.8, 3e9, 4e6, "cube",
            "class convolution", advice=("vector-larger-copies",),
        ),
        ForecastOperator("Unique", "u", "ai_cpu", 1, "8", (), 10.0, 20.0, 60.0, 0.2, None, 64.0, "ai_cpu", "assumed"),
        ForecastOperator("MyOwn", "m", "unknown", 2, "8", not_estimated="unknown operator type MyOwn"),
    ),
    7, 2, 1, {"ai_core": 4, "ai_cpu": 1, "unknown": 2}, {"cube": 0.8, "ai_cpu": 0.2},
    (
        ForecastCheck("cube utilisation", "43 % of the peak", True), ForecastCheck("roofline bound", "9 times", False),
        ForecastCheck("another", "nothing known"),
    ),
    ("float16 on the device",), ("softmax is weak here",),
)  # fmt: skip
FORETOLD = replace(RUN, headline="Estimate, nothing measured: about 100 us", forecast=FORECAST)
_BAD_ROW = ForecastOperator(
    NASTY, NASTY, NASTY, 1, NASTY, (NASTY,), 1.0, 2.0, 3.0, 0.5, 1.0, 1.0, NASTY, NASTY, None, (NASTY,)
)
HOSTILE = replace(
    HOSTILE,
    forecast=Forecast(
        NASTY, 1.0, 2.0, 3.0, (_BAD_ROW, replace(_BAD_ROW, mid_us=None, not_estimated=NASTY)), 2, 1, 1, {NASTY: 2},
        {NASTY: 1.0}, (ForecastCheck(NASTY, NASTY, True),), (NASTY,), (NASTY,),
    ),
)  # fmt: skip

ALL = {
    "sample": SAMPLE, "run": RUN, "empty": EMPTY, "hostile": HOSTILE, "chinese": CHINESE, "foretold": FORETOLD,
}  # fmt: skip

JOB = Job(
    found=4,
    ranks=tuple(RankTimes(f"rank {n}", 1000.0, 800.0 + 50 * n, 150.0, 90.0, 20.0) for n in (0, 1, 3)),
    lost=(LostRank("rank 2", "rank_2_ascend_pt", "the table is empty <b>"),),
    imbalance=0.16,
    limit=0.1,
    held_up=(HeldUpRank("rank 2", 0.31, 0.05),),
    slow=(SlowRank("rank 3", 950.0, 850.0, 0.105, (SlowType("MatMulV3", 500.0, 400.0),)),),
    figures={
        "compute_us": Over("us", 850.0, 800.0, 950.0, "rank 0", "rank 3", 3),
        "exposed_share": Over("1", 0.09, 0.09, 0.09, "rank 0", "rank 0", 3),
    },
    common=(CommonBottleneck("comm-exposed", 3, Over("1", 0.09, 0.09, 0.09, "rank 0", "rank 0", 3)),),
    not_judged=("waiting within collectives: no rank has communication.json",),
)
