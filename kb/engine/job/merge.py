"""The ranks of a job put together, one after the other in the order of their numbers: one profile, and the job beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kb.engine.job import compared
from kb.engine.job.operators import Operators, Sum
from kb.engine.job.rank import Lost, Summary
from kb.engine.readers.run_times import total
from kb.engine.readers.strip import most_paused
from kb.errors import SourceError
from kb.model import Chip, Follow, Job, LostRank, Measure, Notice, Profile, Rank, RunTimes, SourceFile, Strip

MOST_TOLD = 3  # notices of one kind; how many more ranks have it is counted
MOST_LOST = 5  # lost ranks in the warning; the job lists all
MOST_ADVICE = 20


@dataclass
class Merged:
    """What is kept while ranks come in: sums, and of each rank its times and bottlenecks alone."""

    first: Profile | None = None
    operators: Operators = field(default_factory=Operators)
    follows: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    counters: dict[str, Sum] = field(default_factory=dict)
    files: dict[str, list[SourceFile]] = field(default_factory=dict)
    counts: dict[str, list[int]] = field(
        default_factory=dict
    )  # by kind: files, rows, rows lost, files without rows
    notices: dict[str, list[Notice]] = field(default_factory=dict)
    noticed: dict[str, int] = field(default_factory=dict)  # ranks by code
    chips: list[Chip] = field(default_factory=list)
    groups: dict[str, None] = field(default_factory=dict)
    advice: dict[str, None] = field(default_factory=dict)
    strips: tuple[Strip, ...] = ()
    ranks: list[compared.One] = field(default_factory=list)
    lost: list[LostRank] = field(default_factory=list)
    kernels: bool = False  # a rank is a kernel capture, no export of a run


def merge(found: Iterable[Summary | Lost]) -> Merged:
    """Add up what the ranks say; at any moment one summary is held besides the sums."""
    out = Merged()
    for item in found:
        if isinstance(item, Lost):
            out.lost.append(LostRank(item.folder.name, item.folder.label, item.reason))
        else:
            _add(out, item)
    return out


def _add(out: Merged, item: Summary) -> None:
    profile = item.profile
    out.first = out.first or profile
    out.kernels |= profile.scope != "run"
    out.ranks.append(compared.one(item))
    out.operators.add(profile.operators)
    for pair in profile.follows:
        sums = out.follows.setdefault((pair.before, pair.after), [0, 0.0])
        sums[0] += pair.count
        sums[1] += pair.after_us
    out.strips = most_paused([*out.strips, *(replace(one, rank=item.folder.name) for one in profile.strips)])
    for name, measure in profile.counters.items():
        out.counters.setdefault(name, Sum(measure)).add(replace(measure, n=1))
    for file in profile.files:
        out.files.setdefault(file.kind, [file])
        counts = out.counts.setdefault(file.kind, [0, 0, 0, 0])
        for at, value in enumerate((1, file.rows or 0, file.rows_lost, file.rows is None)):
            counts[at] += value
    for code in dict.fromkeys(notice.code for notice in profile.notices):
        out.noticed[code] = out.noticed.get(code, 0) + 1
    for notice in profile.notices:
        told = out.notices.setdefault(notice.code, [])
        if len(told) < MOST_TOLD and notice.text not in (known.text for known in told):
            told.append(notice)
    if profile.chip not in out.chips:
        out.chips.append(profile.chip)
    out.groups.update(dict.fromkeys(profile.capture.metric_groups))
    if len(out.advice) < MOST_ADVICE:
        out.advice.update(dict.fromkeys(profile.tool_advice))


def profile_of(out: Merged, target: str, traced: Mapping[str, RunTimes]) -> Profile:
    """The profile of all ranks that were read; `traced` are times of ranks from a table of the whole job.

    Raises:
        SourceError: no rank could be read.
    """
    if out.first is None:
        reason = f": {out.lost[0].where}: {out.lost[0].reason}" if out.lost else ""
        raise SourceError(
            f"none of {len(out.lost)} ranks could be read{reason}",
            where=target,
            now="export the profile again, or give one rank's folder",
        )
    ranks = [Rank(one.name, _times(one.times, traced.get(one.name))) for one in out.ranks]
    operators = out.operators.result()
    # Operators are parts of the time of those ranks that list any; the others are compared, and count in no share.
    counted = [rank.times for rank, one in zip(ranks, out.ranks, strict=True) if one.kernels or not operators]
    return replace(
        out.first,
        target=target,
        capture=replace(out.first.capture, metric_groups=tuple(out.groups)),
        chip=_chip(out.chips),
        operators=operators,
        times=total(counted),
        follows=_follows(out.follows),
        strips=out.strips,
        ranks=tuple(ranks) if len(ranks) > 1 else (),
        tool_advice=tuple(out.advice),
        files=tuple(_file(kind, files[0], out.counts[kind]) for kind, files in out.files.items()),
        notices=(*_lost(out), *_told(out), *_folded(out), *_summed(out)),
        counters={name: _mean(item) for name, item in sorted(out.counters.items())},
    )


def job_of(out: Merged, profile: Profile) -> Job:
    """The ranks beside one another."""
    times = {rank.name: rank.times for rank in profile.ranks}
    ranks = [replace(one, times=times.get(one.name, one.times)) for one in out.ranks]
    return compared.job(ranks, out.lost, profile.operators)


def _times(own: RunTimes, traced: RunTimes | None) -> RunTimes:
    """The table of the whole job holds the profiler's own union of intervals, which a rank may lack."""
    if traced is None or (own.compute is not None and own.exposed is not None):
        return own
    return replace(traced, idle_gaps=own.idle_gaps, step=own.step, waiting=own.waiting, transit=own.transit)


def _follows(sums: Mapping[tuple[str, str], Sequence[float]]) -> tuple[Follow, ...]:
    pairs = (Follow(*pair, int(count), round(spent, 3)) for pair, (count, spent) in sums.items())
    return tuple(sorted(pairs, key=lambda pair: (-pair.after_us, pair.before, pair.after)))


def _mean(item: Sum) -> Measure:
    """A reading of the run over its ranks: their mean, each counting once."""
    if item.parts == 1:
        return item.first
    origin = f"mean of {item.parts} ranks ({item.low:.4g} to {item.high:.4g}); {item.first.origin}"
    return Measure(item.total / item.n, item.first.unit, origin, computed=True)


def _file(kind: str, first: SourceFile, counts: Sequence[int]) -> SourceFile:
    files, rows, lost, silent = counts
    path = first.path if files == 1 else f"{first.path} (and {files - 1} more)"
    return SourceFile(path, kind, None if silent == files else rows, lost)


def _chip(chips: Sequence[Chip]) -> Chip:
    """One chip for the job: what all ranks allow where they were inferred, all of them where they differ."""
    known = [chip for chip in chips if chip.basis != "unknown"]
    sets = [{chip.soc} if chip.soc else set(chip.candidates) for chip in known]
    if all(one == sets[0] for one in sets):
        return (known or chips)[0]
    common = set.intersection(*sets) or set.union(*sets)
    names = tuple(sorted(name for name in common if name))
    first = known[0]
    if len(names) == 1:
        return replace(first, soc=names[0], candidates=())
    return Chip(None, names, "inferred", f"{first.how}; ranks differ")


def _lost(out: Merged) -> list[Notice]:
    if not out.lost:
        return []
    told = "; ".join(f"{rank.name} ({rank.reason})" for rank in out.lost[:MOST_LOST])
    more = f"; and {len(out.lost) - MOST_LOST} more" if len(out.lost) > MOST_LOST else ""
    of = len(out.lost) + len(out.ranks)
    return [Notice("ranks-lost", f"{len(out.lost)} of {of} ranks are in no figure: {told}{more}")]


def _told(out: Merged) -> list[Notice]:
    """Notices of the ranks; where more ranks have one than are told, how many."""
    told = []
    for code, notices in out.notices.items():
        count = out.noticed[code]
        for at, notice in enumerate(notices):
            last = at == len(notices) - 1 and count > len(notices)
            told.append(replace(notice, text=f"{notice.text} ({count} ranks)") if last else notice)
    return told


def _folded(out: Merged) -> list[Notice]:
    if not out.operators.folded or "shapes-folded" in out.notices:
        return []
    text = (
        f"too many operators with different shapes: {out.operators.folded} launches of the rarest ones "
        f"({out.operators.folded_us:.0f} us) are counted by type, without their shapes"
    )
    return [Notice("shapes-folded", text)]


def _summed(out: Merged) -> list[Notice]:
    found, listed = len(out.ranks), sum(one.kernels for one in out.ranks)
    if 0 < listed < found:
        text = f"operators and times are those of {listed} of {found} ranks: the others hold times of steps alone"
        return [Notice("ranks-summed", text)]
    return [Notice("ranks-summed", f"operators and times are sums over {found} ranks")] if found > 1 else []
