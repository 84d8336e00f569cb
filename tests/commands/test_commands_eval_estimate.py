"""`kb eval estimate` on a table of three timings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TABLE = "chip\top_type\tkind\tin_shapes\tin_dtypes\tin_formats\tout_shapes\tout_dtypes\tout_formats\tdur_us_med\tnote\n"
ROW = "910B2\tAdd\tkernel\t1024,1024;1024,1024\tFLOAT16;FLOAT16\tND;ND\t1024,1024\tFLOAT16\tND\t{us}\t\n"


def test_scores_of_a_small_table(kb: Any, tmp_path: Path) -> None:
    table = tmp_path / "timings.tsv"
    table.write_text(TABLE + "".join(ROW.format(us=us) for us in (8.0, 9.0, 10.0)), encoding="utf-8")
    done = kb("eval", "estimate", str(table), "--format", "json")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    chip = next(row for row in found["results"] if row["by"] == "chip")
    assert (chip["rows"], chip["estimated"], chip["share"]) == (3, 3, 1.0)
    assert chip["error"] >= 1.0


def test_a_table_that_is_none_is_3(kb: Any, tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("nothing here\n", encoding="utf-8")
    assert kb("eval", "estimate", str(tmp_path / "t.tsv")).status in (3, 5)
