"""Shares of the whole run: where the time went, overlap removed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from kb.addition import plain_sum
from kb.engine.metrics import stages
from kb.engine.metrics.context import Reading
from kb.model import Features, Measure, Operator, Profile, RunTimes

DEFINES: tuple[str, ...] = (
    "op_time_share", "compute_time_share", "comm_exposed_share", "comm_share", "device_idle_share", "aicpu_time_share",
    "format_conversion_share", "small_kernel_share", "rank_imbalance", "rank_wait_share", "small_packet_ratio", "setup_time_share",
    "step_us", "small_kernel_time_share",
    "comm_wait_ratio", "comm_transit_share", "comm_overlap_share", "comm_p2p_share", "stage_imbalance", "stage_excess_share", "link_bandwidth", "host_sync_share", "host_compile_share", "collective_us", "collective_start_share",
)  # fmt: skip

# Families and operators are answered by `kb.engine.kind_of_run`, from all operators together; no single word stands for them.
LABELS: tuple[str, ...] = ("run_phase", "model_family", "runs", "pipeline_stages", "collectives_run")
SMALL_KERNEL_US = 10.0
DECODE_ROWS = (
    128  # rows of the run's products: the tokens of one step, a batch where one token is made at a time
)
# What a small message takes at most: 16 MB, from where on msprof-analyze's packet.yaml calls packets large, twice over the
# wire as an all-reduce needs, on the slowest link between servers (RoCE, 25 GB/s, of which 0.7 is used).
SMALL_MESSAGE_US = 2 * 16.0 * 1024 * 1024 / (0.7 * 25.0 * 1000)
FEWEST_TYPES = 4  # operator types from which a list of kernels is taken for a whole network
_WORK = re.compile(r"matmul|conv|attention|rnn|lstm")  # work patterns of layers with weights
_TRAINING = re.compile(
    r"Grad(V\d+)?$|Backprop|Apply(Adam|Sgd|Momentum)|Foreach(Addcdiv|Lerp)|DropOutDoMask", re.IGNORECASE
)
_ATTENTION = frozenset(
    {"attention", "attention_sparse", "attention_decode"}
)  # one a layer and micro-batch, forward
_DECODES, _SERVES = "attention_decode", "kv_cache"  # work patterns of generation alone, and of serving
_SERVING_TYPES = re.compile(
    r"FusedInferAttention|PromptFlashAttention|IncreFlashAttention|PagedAttention|KvCache|ReshapeAndCache",
    re.IGNORECASE,
)


def denominators(profile: Profile) -> tuple[float | None, float | None]:
    """(run, compute) time in microseconds that shares are taken of.

    run: union of kernel intervals where start times exist, else compute + exposed communication, else the plain sum
    of operator times. compute: the same without communication.
    """
    times = profile.times
    summed = plain_sum(op.total_us for op in profile.operators)
    compute_sum = plain_sum(op.total_us for op in profile.operators if op.core != "communication")
    compute = times.compute.value if times.compute is not None else compute_sum
    if times.exposed is not None:
        run: float | None = compute + times.exposed.value
    elif times.busy is not None:
        run = times.busy.value
    else:
        run = summed
    return (run or None), (compute or None)


def measure_run(profile: Profile, operators: Sequence[Features]) -> Iterator[Reading]:
    """Run-level metrics from the run's times and its operators."""
    run, compute = denominators(profile)
    if run:
        yield from _communication(profile, run)
        yield from _collectives(profile, run)
    times = profile.times
    if times.idle is not None and times.span is not None and times.span.value > 0:
        how = f"{times.idle.origin} / {times.span.origin}"
        yield "device_idle_share", _share(times.idle.value / times.span.value, how)
    if times.idle is not None and times.idle_gaps:
        how = f"{times.idle.origin} / {times.idle_gaps} gaps"
        yield "host_gap_us", Measure(times.idle.value / times.idle_gaps, "us", how, computed=True)
    if times.step is not None:
        yield "step_us", times.step
    if compute:
        yield from _compute_shares(compute, operators)
    setup = _time_of(operators, "setup", "yes")
    if run and setup:
        yield "setup_time_share", _share(min(1.0, setup / run), "random fills and their casts / run")
    yield from _small_kernels(profile)
    yield from _links(profile)
    yield from stages.measure(stages.stages(profile.operators, profile.ranks))


def labels(profile: Profile, operators: Sequence[Features]) -> Iterator[tuple[str, str]]:
    """What kind of run it is, in words."""
    yield "run_phase", phase(operators)
    if profile.scope != "run":
        return
    yield "pipeline_stages", stages.stages(profile.operators, profile.ranks).how
    collectives = [op for op in profile.operators if _is_collective(op)]
    calls = sum(op.count for op in collectives if not stages.POINT_TO_POINT.search(op.type or op.name))
    layers = plain_sum(
        f.operator.count for f in operators if f.operator and f.labels.get("op_pattern") in _ATTENTION
    )
    if calls and layers:
        yield "collectives_run", "layer" if calls >= layers else "step"


def phase(operators: Sequence[Features]) -> str:
    """What the run does: training, prefill or decode of a language model, inference; unknown where no operator tells.

    Gradients and optimisers are training. Attention over a cache is serving: decode where the products have the rows
    of a batch (`DECODE_ROWS`), prefill where they have those of whole prompts. A network's layers without one gradient
    are inference.
    """
    types = [f.labels.get("op_type", "") for f in operators]
    if any(_TRAINING.search(kind) for kind in types):
        return "training"
    patterns = {f.labels.get("op_pattern", "") for f in operators}
    if not patterns & {_DECODES, _SERVES} and not any(_SERVING_TYPES.search(kind) for kind in types):
        network = len(set(types)) >= FEWEST_TYPES and any(_WORK.search(name) for name in patterns)
        return "inference" if network else "unknown"
    rows = [
        (f.get("matmul_m"), f.operator.total_us)
        for f in operators
        if f.operator is not None and f.get("matmul_m") is not None
    ]
    if not rows:
        return "decode" if _DECODES in patterns else "inference"
    few = plain_sum(time for m, time in rows if m is not None and m <= DECODE_ROWS)
    return "decode" if few * 2 > plain_sum(time for _, time in rows) else "prefill"


def _communication(profile: Profile, run: float) -> Iterator[Reading]:
    times = profile.times
    if times.exposed is not None:
        how = f"{times.exposed.origin} / (compute + exposed communication)"
        yield "comm_exposed_share", _share(times.exposed.value / run, how)
    elif times.communication is not None:
        how = f"{times.communication.origin} / run; overlap unknown"
        yield "comm_exposed_share", _share(times.communication.value / run, how)
    if times.communication is not None:
        spent = times.communication.value
    else:
        spent = plain_sum(op.total_us for op in profile.operators if op.core == "communication")
    if not spent:
        return
    yield "comm_share", _share(spent / run, "communication / (compute + exposed communication)")
    exposed = min(spent, run) if times.exposed is None else times.exposed.value
    how = "min(exposed communication, run - exposed communication) / run"
    yield "comm_overlap_share", _share(max(0.0, min(exposed, run - exposed)) / run, how)
    moving = _moving(times)
    if moving is not None:
        how = "communication / run x transit / (waiting + transit) of the collectives"
        yield "comm_transit_share", _share(min(1.0, spent / run * moving), how)


def _moving(times: RunTimes) -> float | None:
    """The part of the collectives' own time in which data moves; a part, for their files may be those of fewer ranks."""
    if times.waiting is None or times.transit is None:
        return None
    talked = times.waiting.value + times.transit.value
    return times.transit.value / talked if talked > 0 else None


def _collectives(profile: Profile, run: float) -> Iterator[Reading]:
    """How long a collective takes, and how much of the run their starts can be: none takes longer than the shortest."""
    found = [op for op in profile.operators if _is_collective(op)]
    calls = sum(op.count for op in found)
    if not calls:
        return
    sent = [op.total_us for op in found if stages.POINT_TO_POINT.search(op.type or op.name)]
    if sent:
        whole = plain_sum(op.total_us for op in found)
        yield "comm_p2p_share", _share(plain_sum(sent) / whole, "send and receive / communication operators")
    mean = plain_sum(op.total_us for op in found) / calls
    yield "collective_us", Measure(mean, "us", f"time of collectives / {calls}", n=calls, computed=True)
    shortest = min(_shortest(op) for op in found)
    how = f"{calls} collectives x min(shortest {shortest:.4g} us, {SMALL_MESSAGE_US:.0f} us) / run"
    yield "collective_start_share", _share(min(1.0, calls * min(shortest, SMALL_MESSAGE_US) / run), how)


def _is_collective(op: Operator) -> bool:
    return op.core == "communication" and op.count > 0 and op.duration.unit == "us" and op.total_us > 0


def _shortest(op: Operator) -> float:
    return op.duration.value if op.duration.low is None else op.duration.low


def _links(profile: Profile) -> Iterator[Reading]:
    """What the communication files say: waiting against moving, and counters of the links and the host."""
    times = profile.times
    moving = _moving(times)
    if moving is not None and times.waiting is not None:
        yield "comm_wait_ratio", _share(1 - moving, f"{times.waiting.origin} / (waiting + transit)")
    yield from ((name, profile.counters[name]) for name in DEFINES if name in profile.counters)


def _small_kernels(profile: Profile) -> Iterator[Reading]:
    kernels = [op for op in profile.operators if op.core != "communication"]
    launches = sum(op.count for op in kernels)
    if launches:
        small = sum(op.count for op in kernels if op.duration.value < SMALL_KERNEL_US)
        how = f"launches below {SMALL_KERNEL_US:.0f} us / all {launches}"
        yield "small_kernel_share", _share(small / launches, how)


def _compute_shares(compute: float, operators: Sequence[Features]) -> Iterator[Reading]:
    aicpu = _time_of(operators, "core", "ai_cpu")
    if aicpu:
        yield "aicpu_time_share", _share(min(1.0, aicpu / compute), "AI CPU time / compute time")
    small = plain_sum(f.operator.total_us for f in operators if f.operator and is_small(f))
    how = f"AI Core launches below {SMALL_KERNEL_US:.0f} us / compute time"
    yield "small_kernel_time_share", _share(min(1.0, small / compute), how)
    conversions = _time_of(operators, "conversion", "yes")
    how = "TransData, Transpose, Cast, TensorMove / compute time"
    yield "format_conversion_share", _share(min(1.0, conversions / compute), how)


def is_small(f: Features) -> bool:
    """An AI Core kernel shorter than `SMALL_KERNEL_US`, no random fill of a test."""
    core, op = f.labels.get("core"), f.operator
    on_core = core in ("cube", "vector", "mix", "fused") and f.labels.get("setup") != "yes"
    return on_core and op is not None and op.duration.unit == "us" and 0 < op.duration.value < SMALL_KERNEL_US


def _time_of(operators: Sequence[Features], label: str, word: str) -> float:
    """Microseconds of the operators that carry a label."""
    return plain_sum(f.operator.total_us for f in operators if f.operator and f.labels.get(label) == word)


def _share(value: float, how: str) -> Measure:
    return Measure(value, "1", how, computed=True)


def shares(total_us: float, core: str, run: float | None, compute: float | None) -> Mapping[str, Measure]:
    """The shares of one operator group."""
    out: dict[str, Measure] = {}
    if run:
        out["op_time_share"] = Measure(min(1.0, total_us / run), "1", "operator's time / run", computed=True)
    if compute and core != "communication":
        out["compute_time_share"] = Measure(
            min(1.0, total_us / compute), "1", "operator's time / compute time", computed=True
        )
    return out
