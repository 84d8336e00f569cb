"""Write `data/families/networks.tsv` from the fingerprints marked "build" in `tests/samples/networks`.

python -m tools.make_families
"""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = """\
# Reference networks of the family recogniser, one a line; made by tools/make_families.py, do not edit by hand.
# graph: features of kb/engine/family (op: square root of the share of operations of a kind; patterns; sizes).
# device: operator types of CANN that a converted graph of it runs, as far as its layers say, with their counts.
# sizes: what shapes of its operators tell.
name\tfamily\tgraph\tdevice\tsizes
"""


def main() -> int:
    """Write the table; the same samples give the same bytes."""
    lines = []
    for path in sorted((ROOT / "tests" / "samples" / "networks").glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["split"] != "build":
            continue
        cells = (
            " ".join(f"{k}={v:g}" for k, v in record[key].items()) for key in ("features", "device", "sizes")
        )
        lines.append("\t".join((record["name"], record["family"], *cells)) + "\n")
    (ROOT / "data" / "families" / "networks.tsv").write_text(HEAD + "".join(lines), encoding="utf-8")
    print(f"{len(lines)} reference networks")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
