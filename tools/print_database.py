"""docs/database.md: the run store, printed from its schema, and the questions of `kb ask`."""

from __future__ import annotations

import re

from kb.ask.tables import intents
from kb.store.details import DETAILS
from kb.store.provenance import PROVENANCE
from kb.store.views import VIEWS

HEAD = """\
# The run store

Printed from the schema by `make docs`. Every report that `kb` makes is kept in one SQLite file of your own: `kb.db` in the
folder kb of your data folder, or where `KB_DB` or `--db` says. The same profile imported twice is one run: a run is named by a hash of
what was measured, wherever its files lie, and the newer judgement replaces the older. A process that is killed leaves the
file whole, with every run that was finished; several processes may write at once.

```sh
kb advise data/samples/add_custom
kb runs list
kb runs show last
kb runs sql "select type, time_us, share from type_times where run like '0%' order by time_us desc"
kb runs export last -o operators.csv
kb runs export --table run_overview --format json
kb ask last "which operators take longest"
```

`kb runs export` writes CSV, JSON, JSON Lines or, where pyarrow is installed, Parquet; without ids it takes all runs. `kb runs
delete RUN` deletes what was kept; profiles are left alone. `kb runs sql` opens the file read-only: one select, at most 1000
rows (`--limit`) and 10 seconds (`--seconds`); it can neither write nor attach another file. Any tool that opens SQLite
files can be pointed at it too, for instance `datasette kb.db`; the views below are made for that. Names and columns of
views are kept; tables may change with a release. An absent value is null. Times are microseconds in columns that end in
`_us`, shares, gains and confidences are fractions of one.

## Views
"""

TABLES = """\
## Tables

`runs` holds the whole report as JSON in `document` (kb.report/1, see [JSON](json.md), with the measured operators beside it
in `measured`); the other tables are derived from it.
"""

ASK = """\
## Questions

What `kb ask` answers. Each is one query of `kb/ask/sql`, shown with every answer; `kb ask --list --format json` prints
them. Questions are understood in English, Chinese and Japanese; what is not understood is refused, with near questions.

| query | English | Chinese | Japanese |
|---|---|---|---|
"""

RUNS = (
    ("id", "id of the run: the first 12 digits of `content`"),
    ("created", "when it was first kept, UTC"),
    ("target", "what was judged"),
    ("soc", "the chip, where one is known"),
    ("total_us", "time of the run: kernels, overlap removed"),
    ("headline", "the answer in one sentence"),
    ("document", "the report as JSON"),
)


def _table(name: str, what: str, rows: list[tuple[str, str]]) -> list[str]:
    lines = [f"### {name}", "", f"A row: {what}.", "", "| column | holds |", "|---|---|"]
    return [*lines, *(f"| `{column}` | {meaning} |" for column, meaning in rows), ""]


def database_page() -> str:
    """docs/database.md."""
    lines = [HEAD]
    for name, view in VIEWS.items():
        lines += _table(name, view.what, list(view.columns.items()))
    lines.append(TABLES)
    lines += _table("runs", "a kept run", [*RUNS, *((column.name, column.what) for column in PROVENANCE)])
    place = [("run", "id of the run"), ("position", "from 1, in the order of the report")]
    for name, detail in DETAILS.items():
        lines += _table(
            name, detail.what, [*place, *((column.name, column.what) for column in detail.columns)]
        )
    slot = re.compile(r"\{(\w+)\}")
    rows = [
        f"| `{intent.id}` | " + " | ".join(slot.sub(r"*\1*", text) for text in intent.title.values()) + " |"
        for intent in intents().values()
    ]
    return "\n".join(lines) + "\n" + ASK + "\n".join(rows) + "\n"
