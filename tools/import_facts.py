"""Turn the facts folder into files below data/: `python tools/import_facts.py FACTS [part ...]`.

Parts: targets, operators, entries (all when none is named). The same facts give the same bytes.
It ran once to found the knowledge base; what was improved by hand afterwards lives in data/.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.facts import entries, operators, targets  # noqa: E402

PARTS = {"targets": targets.write, "operators": operators.write, "entries": entries.write}


def main(argv: list[str]) -> int:
    if not argv or not Path(argv[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    facts = Path(argv[0])
    for part in argv[1:] or PARTS:
        print(f"{part}: {PARTS[part](facts, ROOT / 'data')} files")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
