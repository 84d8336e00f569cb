"""Print how good search is: `python tools/eval_search.py`.

Two tables: the trilingual benchmark of tests/benchmarks/retrieval (its own 120 passages), and the questions of
tests/benchmarks/queries_dev.tsv on the shipped entries, with the half that nothing is tuned on apart.
Then the share of off-topic queries that are turned away, and of all these questions that wrongly are.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kb.knowledge import evaluate, search, store  # noqa: E402

BENCHMARKS = ROOT / "tests" / "benchmarks"


def main() -> int:
    folder = BENCHMARKS / "retrieval"
    print("trilingual benchmark")
    print(evaluate.table(evaluate.run(evaluate.benchmark_index(folder), evaluate.benchmark(folder))))
    asked = evaluate.questions(BENCHMARKS / "queries_dev.tsv")
    print("\nquestions people asked, on the shipped entries")
    print(evaluate.table(evaluate.run(store.index(), asked)))
    print()
    off_topic = (BENCHMARKS / "offtopic.txt").read_text(encoding="utf-8").splitlines()
    for name, texts in (
        ("off-topic queries", off_topic),
        ("questions people asked", [q.text for q in asked]),
        ("benchmark queries", [q.text for q in evaluate.benchmark(folder)]),
    ):
        refused = sum(search.search(text, k=1).no_good_match for text in texts)
        print(f"no good match: {refused} of {len(texts)} {name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
