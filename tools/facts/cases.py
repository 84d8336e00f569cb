"""Case studies -> entries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kb import targets
from kb.model import Entry
from tools.facts import wording
from tools.facts.book import Book, Record, clean, operator_names, texts, upper
from tools.facts.gains import GRADES, published
from tools.facts.tables import table

SEED = (
    "The figures are stated and not confirmed by a public measurement. What public measurements say beside it: YOLOv8s "
    "reaches 443.6 fps at batch 8 on a 310P3 (`yolov8-sizes-310p3`); a blog moves decoding and NMS to the NPU and goes "
    "from 12 to 8.5 ms in total (`nms-postprocess-move-to-npu`); on 910B3 a loop of device kernels for NMS took 3 to 4 s "
    "an iteration, so that one host call is faster (`nms-avoid-python-fallback`)."
)
CHIP_WORDS = {
    "Ascend910B": "atlas-a2",
    "310": "ascend-310",
    "310P": "ascend-310p",
    "910*": "atlas-a2",
    "Ascend910*": "atlas-a2",
}


def case(book: Book, c: Record) -> Entry:
    """One case study."""
    name = c["id"]
    judged = table("cases").get(name, {})
    challenges, results = c["challenges"] or [], c["results"] or []
    grade = GRADES[c["evidence"]]
    chips = chip_names(str(c["hardware"].get("chip") or ""))
    rows = [result_row(row, i, judged) for i, row in enumerate(results)]
    gains = published([row for row in rows if row], grade, chips[0] if len(chips) == 1 else "", "run")
    gains += published(judged.get("gains", ()), grade, chips[0] if len(chips) == 1 else "", "run")
    if c.get("seed_claim"):
        gains += published(seed_gains(challenges), grade, chips[0], "run")
    against = book.against.get(name, [])
    told = (
        "; ".join(ch["symptom"] for ch in challenges)
        or "No problem described; the figures show what this model reaches."
    )
    done = (
        "; ".join(ch["solution"] for ch in challenges if ch["solution"] != "-")
        or "Use the figures as a reference."
    )
    return Entry(
        id=name,
        kind="case",
        state="draft" if name in book.judged["cases_unread"] else "reviewed",
        **texts(name, c["title"], told, done),
        family=c["model"]["family"],
        bottlenecks=tuple(judged.get("shows", ())),
        operators=operator_names(dict.fromkeys(op for ch in challenges for op in ch["op_types"])),
        chips=tuple(chips),
        gains=gains,
        grade=grade,
        links=tuple(judged.get("links", ())),
        sources=tuple(c["source"]),
        facts=clean(
            {
                **{
                    key: c[key]
                    for key in (
                        "model",
                        "task",
                        "framework",
                        "mode",
                        "input_shape",
                        "batch",
                        "precision",
                        "hardware",
                        "toolchain",
                    )
                },
                "challenges": [
                    {k: v for k, v in ch.items() if v not in ("not stated", "n/a", "-", ["-"])}
                    for ch in challenges
                ],
                "results": results,
                "op_mix": c["op_mix"],
                "fingerprint": c["fingerprint"],
                "takeaways": c["takeaways"],
                "tags": c["tags"],
                "note": c.get("evidence_note"),
                "contradicts": against,
            }
        ),
        cause=case_cause(challenges),
        steps=case_steps(challenges),
        why=case_results(results),
        check=case_check(c),
        when_not=wording.when_not(case_limits(c), [], against, book.titles),
    )


def case_cause(challenges: Sequence[Record]) -> str:
    if not challenges:
        return "The source describes no problem; its figures show what this model reaches on this chip."
    lines = []
    for ch in challenges:
        ops = ", ".join(op for op in ch["op_types"] if op != "-")
        mark = " The explanation is a reading of the figures." if "inferred" in ch["basis"] else ""
        lines.append(
            " ".join(f"- {upper(ch['issue'])}: {ch['symptom']}{f' ({ops})' if ops else ''}.{mark}".split())
        )
    return "\n".join(lines)


def case_steps(challenges: Sequence[Record]) -> tuple[str, ...]:
    found = []
    for ch in challenges:
        if ch["solution"] == "-":
            continue
        gain = "" if ch["gain"] in ("not stated", "n/a") else f" Gain: {ch['gain']}."
        found.append(" ".join(f"{upper(ch['issue'])}: {ch['solution']}.{gain}".split()))
    return tuple(found)


def case_results(results: Sequence[Record]) -> str:
    lines = []
    for row in results:
        change = f"{row['after']}" if row["before"] is None else f"{row['before']} to {row['after']}"
        extra = [row["condition"], f"reference {row['reference']}" if row["reference"] else ""]
        where = "; ".join(part for part in extra if part)
        lines.append(
            " ".join(f"- {row['metric']}: {change} {row['unit']}{f' ({where})' if where else ''}".split())
        )
    return "\n".join(lines)


def case_check(c: Record) -> str:
    said = "\n".join(f"- {line}" for line in c["takeaways"])
    return f"Compare with the figures above at the same chip, batch and input size. What the case teaches:\n{said}"


def case_limits(c: Record) -> str:
    parts = []
    if c.get("evidence_note"):
        parts.append(f"Evidence: {c['evidence_note']}.")
    if c.get("seed_claim"):
        parts.append(SEED)
    where = ", ".join(
        str(v)
        for v in (c["hardware"].get("chip"), c["hardware"].get("card"), c["framework"], c["precision"])
        if v
    )
    parts.append(f"The figures hold for {where}; another chip, batch or toolchain has to be measured.")
    return " ".join(parts)


def result_row(row: Record, index: int, judged: Mapping[str, Any]) -> Record | None:
    """A result with a before and an after as a row of the gain table."""
    before, after = row["before"], row["after"]
    if index in judged.get("no_gain", ()) or not all(isinstance(v, (int, float)) for v in (before, after)):
        return None
    of = (
        "operator"
        if index in judged.get("operator", ())
        else "part"
        if index in judged.get("part", ())
        else "run"
    )
    return {
        "before": before,
        "after": after,
        "unit": row["unit"],
        "shapes": row["condition"],
        "of": of,
        "note": row["metric"],
    }


def seed_gains(challenges: Sequence[Record]) -> list[Record]:
    """The three gains of the client's own case."""
    out: list[Record] = []
    for ch in challenges:
        if ch["gain"].startswith("latency -"):
            out.append({"saved": 0.30, "note": f"{ch['solution']}: {ch['gain']} as stated"})
        elif ch["gain"].startswith("throughput +"):
            out.append({"saved": 0.13, "note": f"{ch['solution']}: {ch['gain']} as stated"})
        else:
            out.append(
                {"of": "part", "note": f"{ch['issue']}: {ch['solution']}; runs stably on the NPU, no figure"}
            )
    return out


def chip_names(text: str) -> list[str]:
    """Family or SoC ids named in a case; what is not stated is left out."""
    found = []
    for raw in re.split(r"\s*/\s*|,\s*", re.sub(r"\([^)]*\)", "", text)):
        word = raw.strip()
        if not word or word.startswith("not stated"):
            continue
        name = CHIP_WORDS.get(word)
        if name is None:
            socs = targets.resolve(word)
            name = socs[0] if len(socs) == 1 else targets.family_of(word)
        found.append(name)
    return list(dict.fromkeys(found))
