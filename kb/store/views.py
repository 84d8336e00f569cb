"""Views for SQL by hand, `kb ask` and any tool that opens SQLite files: their names and columns are kept stable.

Where a share is made here it is the part of the time of all operators of the run, added up; of the time of the run where
that is more, because only the longest operators are kept (estimates, runs of old stores). The share of a finding is the
report's own, with overlap removed.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class View:
    """A view: what a row is, its columns with their meaning, and the select that makes it."""

    what: str
    columns: dict[str, str]
    sql: str


_RUN = {"run": "id of the run"}
_OPERATOR = {
    "position": "place of the operator in the run, by falling time",
    "type": "operator type; empty where the profile does not say",
    "name": "name of the kernel",
    "core": "kind of core it ran on",
    "shapes": "shapes of the inputs",
}
_SHARE = "part of the time of all operators, of the run where not all of them are kept"
# Where the run's document has no measured operators (mean_us is null), only the longest are kept: then the run's own time.
_WHOLE = """max(sum(time_us) over (partition by run),
                   case when max(mean_us) over (partition by run) is null
                     then coalesce((select total_us from runs where id = run), 0) else 0 end)"""
_WHOLE_OF_GROUPS = """max(sum(sum(time_us)) over (partition by run),
                   case when max(max(mean_us)) over (partition by run) is null
                     then coalesce((select total_us from runs where id = run), 0) else 0 end)"""

VIEWS: dict[str, View] = {
    "run_overview": View(
        "a kept run",
        {
            **_RUN, "created": "when it was kept, UTC", "target": "what was judged", "chip": "the chip, where one is known",
            "candidates": "the chips it may come from, where it is not known", "chip_basis": "how sure the chip is",
            "mode": "device, simulator or typed", "tool": "what measured it", "tool_version": "its version",
            "cann_version": "version of CANN", "replay_mode": "kernel, application or range",
            "warm_up": "launches before measuring", "metrics": "metric groups collected", "clock_mhz": "mean clock",
            "command": "the command that collected it", "total_us": "time of the run: kernels, overlap removed",
            "elapsed_us": "first start to last end, idle time included", "ranks": "ranks that times are sums over",
            "operators": "operator groups", "launches": "launches of all operators",
            "bottleneck": "the bottleneck with the largest share", "share": "its share of the run's time",
            "first_advice": "id of the best entry", "headline": "the answer in one sentence",
            "content": "SHA-256 of what was measured",
        },
        """
        select id as run, created, target, soc as chip, candidates, chip_basis, mode, tool, tool_version, cann_version, replay_mode, warm_up,
               metrics, clock_mhz, command, total_us, elapsed_us, ranks,
               (select count(*) from operators where run = runs.id) as operators,
               (select sum(count) from operators where run = runs.id) as launches,
               (select pattern from findings where run = runs.id order by position limit 1) as bottleneck,
               (select share from findings where run = runs.id order by position limit 1) as share,
               (select entry from recommendations where run = runs.id order by position limit 1) as first_advice,
               headline, content
        from runs""",
    ),
    "operator_times": View(
        "an operator with its time, by falling time",
        {
            **_RUN, **_OPERATOR, "dtypes": "dtypes of the inputs", "formats": "formats of the inputs",
            "count": "launches", "time_us": "microseconds of all its launches", "share": _SHARE,
            "running_share": "share of this and all longer operators", "mean_us": "microseconds a launch, mean",
            "low_us": "the shortest launch", "high_us": "the longest launch", "block_dim": "blocks launched",
            "clock_mhz": "clock while it ran",
        },
        f"""
        select run, position, type, name, core, shapes, dtypes, formats, count, time_us,
               time_us / nullif({_WHOLE}, 0) as share,
               sum(time_us) over (partition by run order by time_us desc, position)
                 / nullif({_WHOLE}, 0) as running_share,
               coalesce(mean_us, time_us / nullif(count, 0)) as mean_us, low_us, high_us, block_dim, clock_mhz
        from operators""",  # noqa: S608 - a text of this file
    ),
    "type_times": View(
        "an operator type on one kind of core",
        {
            **_RUN, "type": "operator type, else the name of the kernel", "core": "kind of core it ran on",
            "groups": "operators of this type that differ in shape or dtype", "count": "launches",
            "time_us": "microseconds of all launches", "share": _SHARE,
        },
        f"""
        select run, coalesce(type, name) as type, core, count(*) as groups, sum(count) as count, sum(time_us) as time_us,
               sum(time_us) / nullif({_WHOLE_OF_GROUPS}, 0) as share
        from operators group by run, coalesce(type, name), core""",  # noqa: S608 - a text of this file
    ),
    "core_times": View(
        "a kind of core",
        {
            **_RUN, "core": "kind of core", "operators": "operator groups", "count": "launches",
            "time_us": "microseconds of all launches", "share": _SHARE,
        },
        f"""
        select run, core, count(*) as operators, sum(count) as count, sum(time_us) as time_us,
               sum(time_us) / nullif({_WHOLE_OF_GROUPS}, 0) as share
        from operators group by run, core""",  # noqa: S608 - a text of this file
    ),
    "operator_readings": View(
        "a reading of an operator",
        {**_RUN, **_OPERATOR, "time_us": "microseconds of all its launches", "metric": "id of the metric",
         "value": "the reading", "unit": "its unit; 1 is a fraction of one"},
        """
        select o.run, o.position, o.type, o.name, o.core, o.shapes, o.time_us, c.metric, c.value, c.unit
        from counters c join operators o on o.run = c.run and o.position = c.operator""",
    ),
    "bottlenecks": View(
        "a bottleneck that holds, by falling share",
        {
            **_RUN, "position": "place in the report", "finding": "id of the finding", "pattern": "id of the bottleneck",
            "scope": "run or operator", "base": "what the shares are parts of: run or elapsed",
            "share": "part of the run's time spent there", "headroom": "part of that which could at most be won",
            "stake": "share x headroom: part of the run that could at most be won; empty where no floor is known",
            "confidence": "a rule's confidence", "operators": "operators concerned", "summary": "one sentence",
        },
        """
        select run, position, finding, pattern, scope, base, share, headroom, share * headroom as stake, confidence,
               (select count(*) from finding_operators o where o.run = f.run and o.finding = f.finding) as operators,
               summary
        from findings f""",
    ),
    "bottleneck_operators": View(
        "an operator that a bottleneck names",
        {
            **_RUN, "finding": "id of the finding", "pattern": "id of the bottleneck", "type": "operator type",
            "name": "name of the kernel", "core": "kind of core", "shapes": "shapes of the inputs",
            "count": "launches", "time_us": "microseconds of all its launches",
        },
        """
        select o.run, o.finding, f.pattern, o.type, o.name, o.core, o.shapes, o.count, o.time_us
        from finding_operators o join findings f on f.run = o.run and f.finding = o.finding""",
    ),
    "bottleneck_evidence": View(
        "a reading that a bottleneck rests on",
        {
            **_RUN, "finding": "id of the finding", "pattern": "id of the bottleneck", "metric": "id of the metric",
            "value": "the reading", "unit": "its unit", "threshold": "what it was held against",
            "source": "where reading and limit come from",
        },
        """
        select e.run, e.finding, f.pattern, e.metric, coalesce(e.value, e.word) as value, e.unit, e.threshold, e.source
        from evidence e join findings f on f.run = e.run and f.finding = e.finding""",
    ),
    "advice": View(
        "a piece of advice, best first",
        {
            **_RUN, "rank": "from 1", "entry": "id of the entry", "title": "title of the entry",
            "pattern": "bottleneck that it answers", "gain_low": "fraction of time saved, low end",
            "gain_likely": "likely", "gain_high": "high end", "gain_of": "what the gain is a part of: run or operator",
            "basis": "measured, modelled or stated, and by what", "who": "who can do it",
            "effort": "low, medium or high", "verify": "how to see that it helped", "when_not": "when not to do it",
            "finding": "id of the finding",
        },
        """
        select r.run, r.position as rank, r.entry, r.title, f.pattern, r.gain_low, r.gain_likely, r.gain_high, r.gain_of,
               r.basis, r.who, r.effort, r.verify, r.when_not, r.finding
        from recommendations r left join findings f on f.run = r.run and f.finding = r.finding""",
    ),
    "rank_times": View(
        "a rank of a job of several",
        {
            **_RUN, "rank_name": "the rank, as its files name it", "elapsed_us": "first start to last end",
            "compute_us": "computing", "communication_us": "in collectives",
            "exposed_us": "in collectives that no computing hides", "idle_us": "neither",
            "slower": "part of its computing by which it is slower than the median rank, where that is told of it",
            "held_up": "part of its time that its device idles, where its host holds it up",
        },
        """
        select run, name as rank_name, span_us as elapsed_us, compute_us, communication_us, exposed_us, idle_us, slower,
               held_up
        from ranks""",
    ),
    "bottleneck_history": View(
        "a bottleneck over all kept runs",
        {
            "pattern": "id of the bottleneck", "runs": "runs that show it", "mean_share": "mean of its largest share in each",
            "largest_share": "the largest", "last_seen": "when the newest of these runs was kept",
        },
        """
        select pattern, count(*) as runs, avg(share) as mean_share, max(share) as largest_share, max(created) as last_seen
        from (select f.run, f.pattern, max(f.share) as share, r.created
              from findings f join runs r on r.id = f.run group by f.run, f.pattern, r.created) as one
        group by pattern""",
    ),
    "type_history": View(
        "an operator type over all kept runs",
        {
            "type": "operator type", "runs": "runs that have it", "count": "launches in all of them",
            "time_us": "microseconds in all of them", "last_seen": "when the newest of these runs was kept",
        },
        """
        select coalesce(o.type, o.name) as type, count(distinct o.run) as runs, sum(o.count) as count,
               sum(o.time_us) as time_us, max(r.created) as last_seen
        from operators o join runs r on r.id = o.run group by coalesce(o.type, o.name)""",
    ),
}  # fmt: skip


def statement(name: str) -> str:
    """The statement that makes a view."""
    lines = [line.strip() for line in VIEWS[name].sql.strip().splitlines()]
    return f"create view {name} as\n" + "\n".join(lines)
