"""Turn the facts folder into files below data/: `python tools/import_facts.py FACTS [--anew] [part ...]`.

Parts: targets, operators, entries (all when none is named). The same facts give the same bytes. It ran once to found
the knowledge base; what was improved by hand afterwards lives in data/ and is kept, unless --anew is given.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.facts import entries, operators, targets  # noqa: E402
from tools.facts.output import Output  # noqa: E402

PARTS = {"targets": targets.write, "operators": operators.write, "entries": entries.write}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("facts", type=Path, help="folder of the facts tables")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"any of: {', '.join(PARTS)}")
    parser.add_argument("--anew", action="store_true", help="overwrite files that were edited by hand")
    parser.add_argument("--data", type=Path, default=ROOT / "data", help="where to write")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if not options.facts.is_dir() or unknown:
        parser.error(f"no folder {options.facts}" if not unknown else f"no part {', '.join(sorted(unknown))}")
    for part in options.parts or PARTS:
        out = Output(options.data, options.anew)
        PARTS[part](options.facts, out)
        print(f"{part}: {out.written} written, {out.same} unchanged, {len(out.kept)} edited by hand and kept")
        for path in out.kept:
            print(f"  kept {path.relative_to(options.data)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
