"""A whole search in a team's store beside one in an index file: the same entries, words and vectors, the same questions."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb.knowledge.embed import Encoder
    from kb.knowledge.reading import Index

ROOT = Path(__file__).resolve().parent.parent
WARM_UP = 5  # questions that are not counted
COLD = 9  # runs of the whole command


def compare(kb: Sequence[str], count: int) -> None:
    """Print times of single searches and of whole commands, and how far the answers agree."""
    sys.path.append(str(ROOT / "tests"))
    import postgres_server

    if missing := postgres_server.missing():
        print(f"team: not measured, {missing}")
        return
    from kb import shipped
    from kb.knowledge import chosen, embed, evaluate, freshness, index, publish, search, store, team
    from kb.knowledge.agreement import agreement
    from kb.knowledge.entry import load_entries
    from kb.postgres.address import address
    from tools.samples import entries

    asked = [question.text for question in evaluate.questions(ROOT / "tests/benchmarks/queries_dev.tsv")]
    print(f"team: kb search in {count} made entries, {len(asked)} questions, seconds of the clock")
    with (
        tempfile.TemporaryDirectory() as place,
        postgres_server.running(
            "maintenance_work_mem=64MB", "shared_buffers=1GB", "max_wal_size=8GB"
        ) as server,
    ):
        path, db = Path(place) / "index.db", server.fresh()
        model = embed.Embedder(embed.shipped_model())
        made = entries.many(load_entries([shipped.root()]), count)
        index.build(made, path, model, fingerprint=freshness.mark(shipped.root()))
        file = store.opened(path, model)
        before = time.perf_counter()
        publish.publish(file, address(db))
        print(f"  published, index and comparison included: {time.perf_counter() - before:.0f} s", flush=True)
        there = team.opened(address(db), chosen.encoder(chosen.BUILTIN))
        assert there is not None
        for what, use in (("in the file", file), ("in PostgreSQL", there)):
            times = []
            for text in [*asked[:WARM_UP], *asked]:
                before = time.perf_counter()
                search.search(text, use=use)
                times.append(time.perf_counter() - before)
            _print(f"a search {what}", times[WARM_UP:])
        whole = _exact(path, model)
        for what, one, two in (("file and PostgreSQL", file, there), ("file and exact order", file, whole),
                               ("PostgreSQL and exact order", there, whole)):  # fmt: skip
            found = agreement(one, two, asked)
            print(
                f"  {what}, rank correlation of the first {found.first} answers: mean {found.mean:.3f}, "
                f"lowest {found.lowest:.3f}, the same for {found.same} of {found.questions}",
                flush=True,
            )
        whole.db.close()
        there.db.close()
        _whole_commands(kb, path, db, Path(place))


def _exact(path: Path, model: Encoder) -> Index:
    """The same file, where the nearest are found by the cosine of every vector."""
    import numpy as np

    from kb.knowledge import store

    found = store.opened(path, model)
    rows = found.db.execute("select vec, length from vector order by n").fetchall()
    vectors = np.array([np.frombuffer(vec, np.int8) for vec, _ in rows], np.float32)
    vectors /= np.array([length or 1.0 for _, length in rows], np.float32)[:, None]

    def nearest(vector: Sequence[float], count: int) -> list[int]:
        return [
            int(at) + 1 for at in np.argsort(-(vectors @ np.array(vector, np.float32)), kind="stable")[:count]
        ]

    found.nearest = nearest  # type: ignore[method-assign]
    return found


def _whole_commands(kb: Sequence[str], path: Path, db: str, place: Path) -> None:
    """`kb search` from start to end, turn by turn; KB_INDEX names the file."""
    usual = {name: value for name, value in os.environ.items() if name not in ("KB_INDEX", "KB_DB")}
    usual["PYTHONPATH"] = str(ROOT)
    ways = {
        "kb search, file": usual | {"KB_INDEX": str(path), "KB_DB": str(place / "runs.db")},
        "kb search --db postgresql://": usual | {"KB_DB": db},
    }
    times: dict[str, list[float]] = {way: [] for way in ways}
    command = (*kb, "search", "NMS CPU fallback")
    for _ in range(COLD):
        for way, environment in ways.items():
            before = time.perf_counter()
            subprocess.run(command, env=environment, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            times[way].append(time.perf_counter() - before)
    for way, found in times.items():
        _print(way, found)


def _print(what: str, seconds: Sequence[float]) -> None:
    ordered = sorted(seconds)
    high = ordered[int(0.95 * (len(ordered) - 1))]
    print(
        f"  {what}: p50 {statistics.median(ordered) * 1e3:.1f} ms, p95 {high * 1e3:.1f} ms, {len(ordered)} times",
        flush=True,
    )
