"""What a new entry starts from: every key it needs, with `TODO` where something is to be written.

`kb validate` reports each that is left, so that an unfilled template is no entry.
"""

from __future__ import annotations

TODO = "TODO"

_TEXTS = """\
title:
  en: TODO what is done or seen, in at most ten words
  zh: TODO
  ja: TODO
symptom:
  en: TODO what a user sees in the profile, with operator names and counters
  zh: TODO
  ja: TODO
remedy:
  en: TODO the change in one sentence, with its API or option
  zh: TODO
  ja: TODO
aliases:                          # words that users search with
  en: [TODO]
  zh: [TODO]
  ja: [TODO]
"""

_WHERE = """\
operators: []                     # CANN types or globs such as MatMul*; none means any
chips: []                         # SoC or family such as atlas-a2; none means any
"""

_SIGNATURE = """\
when:                             # metrics to compare; basis: threshold (published), observed or inferred
- {metric: op_time_share, op: '>', value: 0.1, basis: inferred}
observe:                          # what a person sees and no metric shows
- {text: TODO or remove, basis: observed}
"""

_CLAIM = """\
links: []                         # ids of related entries
sources:
- TODO repository, path and commit, or the page; for your own measurement say when and where it was made
"""

_STEPS = """\
## What slows you down

TODO the mechanism, in two or three sentences.

## What to do

1. TODO the first step, with the API or option to use.

"""

_CHECK = """\
## How to check

TODO which counter moves by how much, and how to compare before and after.

## When it does not help

TODO shapes, chips and conditions where it gains nothing or costs.
"""

_HEADS = {
    "recipe": f"""\
{_TEXTS}bottlenecks: []                   # what it repairs; `kb list --kind pattern` names them
{_WHERE}who: kernel-developer             # kernel-developer, model-developer or deployment
effort: medium                    # low, medium or high
{_SIGNATURE}gains: no public measurement      # or a list: saved (fraction of time), of, before, after, unit, shapes, chip
grade: practice                   # vendor, third-party, stated or practice
{_CLAIM}""",
    "pattern": f"""\
{_TEXTS}bottlenecks: [ID]
{_WHERE}{_SIGNATURE}grade: practice                   # vendor, third-party, stated or practice
links: [TODO]                     # recipes and tips that help, in the order of trial; each names this in bottlenecks
sources:
- TODO repository, path and commit, or the page
""",
    "case": f"""\
{_TEXTS}bottlenecks: []                   # what it shows; `kb list --kind pattern` names them
{_WHERE}gains: []                         # saved (fraction of time), of, before, after, unit, shapes, chip
grade: practice                   # vendor, third-party, stated or practice
{_CLAIM}facts:
  model: {{family: TODO, variant: TODO}}
  task: TODO
  framework: TODO
  hardware: {{chip: TODO, count: 1}}
  results:
  - {{metric: TODO, unit: TODO, before: 0, after: 0, condition: TODO}}
""",
    "tip": f"""\
{_TEXTS}bottlenecks: []                   # may stay empty; `kb list --kind pattern` names them
{_WHERE}grade: practice                   # vendor, third-party, stated or practice
{_CLAIM}""",
}


def template(kind: str, entry_id: str) -> str:
    """The file of a new entry of this kind."""
    family = {"pattern": "bottleneck"}.get(kind, TODO)
    head = f"id: {entry_id}\nkind: {kind}\nstate: draft\nfamily: {family}\n{_HEADS[kind]}".replace(
        "[ID]", f"[{entry_id}]"
    )
    why = "## Why it helps\n\nTODO what is saved, and the figures with shape, chip and version.\n\n"
    return f"---\n{head}---\n\n{_STEPS}{'' if kind == 'pattern' else why}{_CHECK}"
