"""The first screen in words: total time, headline, the most telling readings, warnings."""

from __future__ import annotations

from collections.abc import Sequence

from kb.engine.bottlenecks.gate import at_launch_floor, wrong_times
from kb.engine.bottlenecks.judging import reading, value
from kb.engine.metrics import RunFeatures
from kb.engine.metrics.run import denominators
from kb.model import Diagnosis, Evidence, Finding, Measure, Profile, Recommendation
from kb.units import percent, us
from kb.vocabulary.losses import LOST, SEVERAL

# Readings by how much they tell about a kernel; the first that exist are shown.
_KERNEL_KEYS = (
    "task_duration_us", "core_count", "block_dim", "working_cores", "aic_mac_ratio", "aic_mte2_ratio", "aic_fixpipe_ratio", "aic_scalar_ratio",
    "aiv_vec_ratio", "aiv_scalar_ratio", "aiv_mte2_ratio", "aiv_mte3_ratio", "bytes_per_mte2_instruction", "bytes_per_mte3_instruction",
    "gm_bandwidth", "gm_bandwidth_utilisation", "floor_ratio", "core_time_imbalance", "head_overhead_share", "l2_hit_rate", "clock_ratio",
)  # fmt: skip
_RUN_KEYS = (
    "step_us",
    "comm_exposed_share",
    "device_idle_share",
    "aicpu_time_share",
    "format_conversion_share",
    "setup_time_share",
    "small_kernel_share",
    "stage_imbalance",
    "rank_imbalance",
)
LEAST_SHOWN = 0.0005  # a share that prints as 0 % tells nothing
_TOLD_LAST = frozenset(
    {"chip-inferred", "host-calls", "host-operators"}
)  # notices that ask for no caution beyond what is shown
MAX_KEYS = 10
MAX_NAME = 60  # characters of an operator's name within the headline
BEATEN = 1.05  # a floor is beaten from here on: times and bandwidths are not known more exactly
MAX_TOLD = 4  # remarks of the vendor tool that are repeated


def total_us(profile: Profile, features: RunFeatures) -> float | None:
    """Time of the run in microseconds: overlap removed for a model, task duration for one kernel; None when unknown."""
    if any(op.duration.unit != "us" for op in profile.operators):
        return None
    run, _ = denominators(profile)
    return None if run is None else round(run, 3)


def ranks(profile: Profile) -> int | None:
    """Number of ranks that the times of the run are sums over; None for one."""
    return profile.times.ranks if profile.ranks and profile.times.ranks > 1 else None


def elapsed_us(profile: Profile) -> float | None:
    """Microseconds from the first start to the last end, idle time included; None without start times."""
    span = profile.times.span
    return None if span is None else round(span.value, 3)


def key_data(profile: Profile, features: RunFeatures, diagnosis: Diagnosis) -> tuple[Evidence, ...]:
    """The most telling readings: of the run its shares; of a kernel its time and what the findings rest on, then the rest."""
    if profile.scope == "run":
        told = [name for name in _RUN_KEYS if features.run.get(name)]  # a share of nothing tells nothing
        readings = [reading(features.run, name) for name in told]
        top = sorted(features.operators, key=lambda f: -(f.operator.total_us if f.operator else 0.0))[:3]
        readings += [
            Evidence(
                "op_time_share",
                round(value(f, "op_time_share"), 4),
                "1",
                "",
                f"{f.labels.get('op_type')} ({f.labels.get('core')}) x {value(f, 'launch_count'):.0f}",
            )
            for f in top
            if value(f, "op_time_share") >= LEAST_SHOWN
        ]
        return tuple(readings[:MAX_KEYS])
    lead = max(features.operators, key=lambda f: f.operator.total_us if f.operator else 0.0)
    judged = [
        item.metric
        for finding in diagnosis.findings
        for item in finding.evidence[:2]
        if item.metric in _KERNEL_KEYS
    ]
    order = dict.fromkeys(["task_duration_us", *judged, *_KERNEL_KEYS])
    return tuple(reading(lead, name) for name in order if name in lead.values)[:MAX_KEYS]


def headline(
    profile: Profile, features: RunFeatures, diagnosis: Diagnosis, recommendations: Sequence[Recommendation]
) -> str:
    """One or two sentences: what bounds it, what to do first."""
    text = _verdict(profile, features, diagnosis)
    if not diagnosis.findings:
        return text
    run = total_us(profile, features)
    told = first_words(diagnosis.findings, recommendations, run, elapsed_us(profile))
    return text + (told or f" No remedy is ranked{_near_floor(features)}.")


def first_words(
    findings: Sequence[Finding],
    recommendations: Sequence[Recommendation],
    total: float | None,
    elapsed: float | None,
) -> str:
    """The first advice as the end of a headline, and its finding where that is not the verdict's; empty without advice.

    What it saves is told of the whole, as on the first screen: of the elapsed time where a finding is about idle time,
    else of the run. Both times in microseconds.
    """
    found = {item.id: (number, item) for number, item in enumerate(findings, 1)}
    if not recommendations or recommendations[0].finding not in found:
        return ""
    best = recommendations[0]
    number, finding = found[best.finding]
    other = f", against finding {number} ({_against(finding, findings[0])})" if number > 1 else ""
    return f" First{other}: {best.title} ({_gain(best, finding, findings, total, elapsed)})."


def _against(finding: Finding, verdict: Finding) -> str:
    """A finding by its pattern, and by its operator where that is not the verdict's."""
    name = _subject(finding) if finding.operators else ""
    return f"{finding.pattern}, {name}" if name and name != _subject(verdict) else finding.pattern


def _gain(
    best: Recommendation,
    finding: Finding,
    findings: Sequence[Finding],
    total: float | None,
    elapsed: float | None,
) -> str:
    idle = bool(total and elapsed) and any(item.base == "elapsed" for item in findings)
    part = finding.share if best.gain.of == "operator" else 1.0
    if idle and total and elapsed and finding.base != "elapsed":
        part *= min(1.0, total / elapsed)
    whole = "elapsed time" if idle or finding.base == "elapsed" else "run"
    if best.gain.modelled:
        return f"saves up to {percent(best.gain.high * part)} of the {whole}, an upper bound"
    saved = f"saves about {percent(best.gain.likely * part)} of the {whole}"
    if best.gain.ground == "stated":
        return f"{saved}, stated elsewhere, not measured"
    return f"{saved}, measured here" if best.gain.ground == "here" else f"{saved}, measured elsewhere"


def _verdict(profile: Profile, features: RunFeatures, diagnosis: Diagnosis) -> str:
    if not diagnosis.findings:
        small = next((item for item in diagnosis.not_judged if item.id == "operator"), None)
        if small is not None:
            wrong = any(wrong_times(f, profile.scope) for f in features.operators)
            return f"Not judged: {small.reason}." if wrong else f"Too small to judge: {small.reason}."
        if profile.capture.simulated and not any("max_pipe_ratio" in f.values for f in features.operators):
            return _simulated_without_times(profile)
        if diagnosis.notices:
            return f"Nothing found to change: {diagnosis.notices[0].text}{_near_floor(features)}."
        if short := _at_launch_floor(features):
            return f"Nothing found to change: {short}."
        near = _near_floor(features)
        return (
            f"Nothing found to change{near}."
            if near
            else "Nothing found to change: no bottleneck of the knowledge base holds."
        )
    first = diagnosis.findings[0]
    name = _subject(first)
    named = first.scope == "operator" and not first.summary.startswith(name)
    return f"{name}: {first.summary}." if named else f"{_capital(first.summary)}."


def _simulated_without_times(profile: Profile) -> str:
    """Tables of the simulator without its trace: what they tell, and what is missing for a judgement."""
    pipes = [
        (spent, name.removesuffix("_time_us").partition("_")[2], core)
        for op in profile.operators
        for core in op.cores
        for name, spent in core.values.items()
        if name.endswith("_time_us") and name.count("_") > 2
    ]
    text = "Not judged: without trace.json the time of a core is not known"
    if not pipes:
        return f"{text}; the lines with the most cycles are below."
    spent, pipe, core = max(pipes, key=lambda item: (item[0], item[1]))
    place = f"core {core.block}" + (f" {core.sub_block}" if core.sub_block != "core" else "")
    return f"{text}; the longest pipe is {pipe} with {us(spent)} on {place}."


def _subject(finding: Finding) -> str:
    """The operators that a finding is about; its pattern where they have no name."""
    names = list(dict.fromkeys(op.type or op.name for op in finding.operators if op.type or op.name))
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0][:MAX_NAME]}{more}" if names else finding.pattern


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _at_launch_floor(features: RunFeatures) -> str:
    """That the kernel with most of the time is over as soon as it is launched; empty where it is not."""
    kernels = [f for f in features.operators if f.labels.get("setup") != "yes" and f.operator is not None]
    lead = max(kernels, key=lambda f: f.operator.total_us if f.operator else 0.0, default=None)
    if lead is None or not at_launch_floor(lead):
        return ""
    took = us(value(lead, "task_duration_us"))
    return f"a launch of {lead.labels.get('op_type')} is over in {took}, which is what launching takes"


def _near_floor(features: RunFeatures) -> str:
    kernels = [f for f in features.operators if f.labels.get("setup") != "yes"]
    if not kernels:
        return ""
    lead = max(kernels, key=lambda f: f.operator.total_us if f.operator else 0.0)
    floor, took = lead.values.get("floor_us"), lead.get("task_duration_us")
    if floor is None or not took or _beats(floor, took):  # what beats its floor is told as a warning
        return ""
    return f"; {lead.labels.get('op_type')} takes {us(took)}, and its roofline floor is {_floor(floor)}"


def _floor(floor: Measure) -> str:
    """A floor in microseconds; a range where the candidate chips differ."""
    if floor.low is None or floor.high is None or us(floor.low) == us(floor.high):
        return us(floor.value)
    return f"{us(floor.low)} to {us(floor.high)}, depending on the chip"


def _beats(floor: Measure, took: float) -> bool:
    """Whether a kernel was clearly faster than its floor on one of the candidate chips."""
    return (floor.high if floor.high is not None else floor.value) > took * BEATEN


def warnings(
    profile: Profile, features: RunFeatures, diagnosis: Diagnosis, remarks: Sequence[str] = ()
) -> tuple[str, ...]:
    """What to keep in mind when reading the numbers, from the input and from the chip's certainty.

    The first stands on the first screen. What was lost of the input comes first, then that it is of several runs, then what
    says that the capture is not of what one wants to know (`remarks` of a job, `diagnosis.remarks`); what every view says at
    the top anyway (how the chip is known) and what is for comparison only come last.
    """
    lost: list[str] = []
    several: list[str] = []
    known: list[str] = []
    other: list[str] = []
    for notice in profile.notices:
        text = f"{notice.file + ': ' if notice.file else ''}{notice.text}"
        if notice.code in LOST:
            lost.append(text)
        elif notice.code in SEVERAL:
            several.append(text)
        else:
            (known if notice.code in _TOLD_LAST else other).append(text)
    out = [*lost, *several, *remarks, *diagnosis.remarks, *other]
    chip = profile.chip
    if chip.basis == "unknown":
        out.append("chip unknown: nothing that needs its peaks is claimed; name it with --soc")
    if profile.source != "network":  # an estimate that takes data out of L2 is no sign of it
        out += _below_floor(features)
    if (
        profile.capture.replay_mode in (None, "kernel", "range")
        and profile.capture.tool.startswith("msopprof")
        and not profile.capture.simulated
    ):
        out.append(
            "msopprof flushes L2 before every pass: these are cold-cache times, back-to-back launches can be faster"
        )
    if profile.capture.simulated:
        out.append("simulated: good for order and attribution, not for comparison with times on a device")
    out += known
    if profile.tool_advice:
        told = "; ".join(line.rstrip(".") for line in profile.tool_advice[:MAX_TOLD])
        more = "; ..." if len(profile.tool_advice) > MAX_TOLD else ""
        out.append(f"the profiler's own remarks, for comparison: {told}{more}")
    return tuple(dict.fromkeys(out))


def sunk(recommendations: Sequence[Recommendation]) -> tuple[str, ...]:
    """Which remedies stand last because they failed here."""
    ids = dict.fromkeys(item.id for item in recommendations if item.tried is not None and item.tried.sunk)
    tried = {item.id: item.tried for item in recommendations if item.tried is not None}
    return tuple(
        f"{name} stands last: of {tried[name].count} tries here {tried[name].failed} gave nothing beyond noise"
        for name in ids
    )


def _below_floor(features: RunFeatures) -> list[str]:
    """Kernels faster than the memory could deliver: part of the data came from L2, nothing to win there."""
    out = []
    for f in features.operators:
        floor, op = f.values.get("floor_us"), f.operator
        if floor is None or op is None or f.labels.get("setup") == "yes" or op.duration.n < 1:
            continue
        if op.duration.value <= 0:
            continue
        if _beats(floor, op.duration.value) and value(f, "op_time_share") >= 0.005:
            out.append(
                f"{op.name} takes {us(op.duration.value)}, and its roofline floor is {_floor(floor)}: "
                "a time below it means that L2 served part of the data or that the chip is another one; gain near zero"
            )
    return out[:5]
