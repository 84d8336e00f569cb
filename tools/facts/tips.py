"""Expert tips -> entries."""

from __future__ import annotations

from kb.knowledge.body import tidy
from kb.model import Entry
from tools.facts import wording
from tools.facts.book import Book, Record, clean, split_sources, texts, upper
from tools.facts.gains import GRADES, published
from tools.facts.tables import table

TIP_WHO = {
    "aicpu": "model-developer", "layout": "model-developer", "fusion": "model-developer", "graph": "model-developer",
    "kernel": "kernel-developer", "accuracy": "model-developer",
}  # fmt: skip
TIP_CHECK = {
    "aicpu": "The operator's Task Type is no longer AI_CPU (or the fall-back warning is gone), and its time falls.",
    "layout": "TransData, Transpose, Cast or Gather time in the operator list falls, and so does the sum of all kernels.",
    "graph": "The conversion finishes, and the dumped graph no longer holds the node or chain.",
    "host": "Idle time of the device between kernels (Free in the step trace) falls, and so does the step time.",
    "fusion": "The chain of small kernels is replaced by one in the operator list; compare the summed time.",
    "memory": "The allocation succeeds at the same sizes; watch the reserved and allocated memory.",
    "compile": "The second and later steps take the same time; no compile messages and no growing kernel_meta folder.",
    "kernel": "The kernel's duration falls at the same shape, and the counter named in the symptom moves.",
    "distributed": "Communication and wait time per step fall on all ranks.",
    "data": "The time between steps falls while the kernels stay the same.",
    "accuracy": "Loss or output agrees with the reference run over the same steps.",
    "environment": "The command that failed runs; the message is gone from the log.",
    "profiling": "The new capture holds the kernels and columns that were missing.",
}


def tip(book: Book, t: Record) -> Entry:
    """One expert tip."""
    name = t["id"]
    judged = table("tips").get(name, {})
    who = judged.get("who") or TIP_WHO.get(t["category"], "deployment")
    grade = GRADES[t["evidence"]]
    chips = judged.get("chips", [])
    repairs = list(dict.fromkeys([*judged.get("repairs", ()), *book.repairs.get(name, ())]))
    title = upper(t["symptom"])
    return Entry(
        id=name,
        kind="tip",
        state="reviewed" if name in book.judged["tips_read"] else "draft",
        **texts(name, title, t["symptom"], t["remedy"]),
        family=t["category"],
        bottlenecks=tuple(repairs),
        operators=tuple(judged.get("operators", ())),
        chips=tuple(chips),
        who=who,
        effort=judged.get("effort") or ("low" if who == "deployment" else "medium"),
        gains=published(judged.get("gains", ()), grade, chips[0] if len(chips) == 1 else "", "run"),
        grade=grade,
        links=tuple(judged.get("links", ())),
        sources=tuple(split_sources(t["source"])),
        facts=clean(
            {
                "category": t["category"],
                "applies_to": t["applies_to"],
                "tags": t["tags"],
                "contradicts": book.against.get(name),
            }
        ),
        cause=tidy(f"{upper(t['symptom'])}. Cause: {t['cause']}."),
        steps=(f"{upper(t['remedy'])}.",),
        why=f"Published: {t['gain']} ({wording.GRADE_WORDS[grade]})." if t["gain"] else "",
        check=TIP_CHECK[t["category"]],
        when_not=wording.when_not("", [], book.against.get(name, []), book.titles),
    )
