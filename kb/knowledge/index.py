"""Building the search index: one SQLite file with the entries, their vectors and their terms.

Tables
    meta(key, value)             format, model name and version, fingerprint, number of entries; JSON values
    entry(n, id, kind, json)     n from 1; json as `kb.model.to_dict` gives it
    vector(n, hash, length, vec, prior)  int8 codes of the vector and their length, hash of the text that was embedded,
                                 what the entry's kind adds to the cosine
    codes(n, bits)               one row: the signs of all vectors, 32 bytes an entry, in the order of n
    fts(title, words, body)      FTS5 without content: our terms divided by spaces
    term(term, df)               every term as we split it, and in how many entries its stem occurs
    field(term)                  terms of the field: glossary, operators, metrics
    means(term, also)            Chinese and Japanese words and other names -> terms that the entries use
    tag(axis, value, n)          what filters ask for: op, chip, bottleneck, grade, lang (whole body)
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import fmean, pstdev

from kb import shipped
from kb.addition import plain_sum
from kb.knowledge import terms, words
from kb.knowledge.embed import Embedder, Encoder, code_bits, quantise, shipped_model
from kb.knowledge.freshness import FORMAT
from kb.knowledge.record import entry as record_entry
from kb.knowledge.stems import TOKENIZE
from kb.model import Entry
from kb.model.plain import members
from kb.vocabulary.entries import LANGUAGES

LARGE = 20_000  # entries from which the file is not packed
MANY = 50  # texts from which the whole table of the built-in model is read
SAMPLED = 60  # entries whose titles are asked for, to see how far apart a model puts things
BATCH = 2000  # entries held in memory at a time
LARGE_BATCH = 1000  # new texts of a batch from which numpy is worth loading
FTS_BYTES = 1 << 25  # what FTS5 holds of a batch before it writes, once there are several
PRIOR = {
    "tip": 0.1
}  # tips are written for the questions people ask; cases win on names of models and chips alone

Progress = Callable[[int], None]
_RECORD = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=members).encode

_SCHEMA = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE entry(n INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, kind TEXT NOT NULL, json TEXT NOT NULL);
CREATE TABLE vector(n INTEGER PRIMARY KEY, hash BLOB NOT NULL, length REAL NOT NULL, vec BLOB NOT NULL, prior REAL NOT NULL);
CREATE TABLE codes(n INTEGER PRIMARY KEY, bits BLOB NOT NULL);
CREATE TABLE term(term TEXT PRIMARY KEY, df INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE means(term TEXT PRIMARY KEY, also TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE field(term TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE tag(axis TEXT NOT NULL, value TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY(axis, value, n)) WITHOUT ROWID;
CREATE VIRTUAL TABLE fts USING fts5(title, words, body, content='', tokenize="{TOKENIZE}");
"""


def build(
    entries: Iterable[Entry],
    path: Path,
    embedder: Encoder,
    *,
    fingerprint: str = "",
    old: Path | None = None,
    known: Mapping[bytes, tuple[float, bytes]] | None = None,
    left_out: Sequence[str] = (),
    progress: Progress | None = None,
) -> int:
    """Write the index of these entries to `path`; the file appears whole or not at all.

    Vectors of unchanged texts are taken over from `old` when the same model made it, or from `known` by the hash of their
    text. `progress` is told how many entries
    are done.

    Returns:
        How many texts had to be embedded.

    Raises:
        OSError: the folder cannot be written.
        sqlite3.Error: the disk is full.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    fresh = Path(name)
    try:
        db = sqlite3.connect(fresh)
        try:
            known = known or _vectors(old, embedder)
            embedded = fill(
                db,
                entries,
                embedder,
                fingerprint=fingerprint,
                known=known,
                left_out=left_out,
                progress=progress,
            )
            if db.execute("SELECT count(*) FROM entry").fetchone()[0] < LARGE:
                db.execute("VACUUM")  # a copy of a large file costs more than the free pages are worth
        finally:
            db.close()
        fresh.chmod(0o644)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return embedded


def fill(
    db: sqlite3.Connection,
    entries: Iterable[Entry],
    embedder: Encoder,
    *,
    fingerprint: str = "",
    known: Mapping[bytes, tuple[float, bytes]] | None = None,
    left_out: Sequence[str] = (),
    progress: Progress | None = None,
) -> int:
    """Write the index into an empty database; returns how many texts had to be embedded."""
    db.executescript(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;" + _SCHEMA
    )
    known = known or {}
    written = terms.Written()
    bits = bytearray()
    count = embedded = 0
    with db, _rare_collection():
        for batch in _batches(entries, BATCH):
            if count == BATCH:
                _expect_many(db)
            embedded += _add(db, batch, count, embedder, known, written, bits, progress)
            count += len(batch)
        db.execute("INSERT INTO codes VALUES(1, ?)", (bytes(bits),))
        db.executemany("INSERT INTO means VALUES(?, ?)", sorted(_means().items()))
        db.executemany("INSERT INTO field VALUES(?)", [(term,) for term in sorted(_field())])
        db.executemany("INSERT INTO term VALUES(?, ?)", _stem_counts(db, written.seen))
        db.execute("INSERT INTO fts(fts) VALUES('optimize')")
        db.execute("DELETE FROM fts_config WHERE k <> 'version'")
        meta = {
            "format": FORMAT,
            "entries": count,
            "model": embedder.name,
            "model_version": embedder.version,
            "fingerprint": fingerprint,
            "scale": _scale(db, embedder),
            "left_out": list(left_out),
        }
        db.executemany("INSERT INTO meta VALUES(?, ?)", [(k, json.dumps(v)) for k, v in meta.items()])
    return embedded


def vector_text(entry: Entry) -> str:
    """What is embedded of an entry: its title and symptom, the title in the other languages, and users' words for it."""
    title = entry.title
    said = (alias for language in LANGUAGES for alias in entry.aliases.get(language, ()))
    return " ".join(text for text in (f"{title.en}. {entry.symptom.en}", title.zh, title.ja, *said) if text)


def vector_lines(entry: Entry) -> str:
    """The same for a model that reads one language at a time: title, symptom and users' words, a line a language."""
    lines = []
    for language, stop in (("en", ". "), ("zh", "。"), ("ja", "。")):
        told = (getattr(entry.title, language), getattr(entry.symptom, language))
        said = stop.join(text for text in (*told, ", ".join(entry.aliases.get(language, ()))) if text)
        if getattr(entry.title, language):
            lines.append(" ".join(said.split()))
    return "\n".join(lines)


def fields(entry: Entry) -> tuple[str, str, str]:
    """What is indexed word by word: titles; users' words for it; everything else that is said."""
    title, symptom, remedy = entry.title, entry.symptom, entry.remedy
    said = [alias for language in sorted(entry.aliases) for alias in entry.aliases[language]]
    return (
        "\n".join((title.en, title.zh, title.ja)),
        "\n".join((symptom.en, symptom.zh, symptom.ja, *said, *entry.operators, entry.family, entry.id)),
        "\n".join(
            (
                *(
                    remedy.en,
                    remedy.zh,
                    remedy.ja,
                    entry.cause,
                    *entry.steps,
                    entry.why,
                    entry.check,
                    entry.when_not,
                ),
                *(seen.text for seen in entry.observe),
                *(f"{gain.before} {gain.after} {gain.shapes} {gain.note}" for gain in entry.gains),
                *(condition.metric for condition in entry.when),
                *entry.bottlenecks,
                *entry.chips,
                *_strings(entry.facts),
            )
        ),
    )


def _add(
    db: sqlite3.Connection,
    batch: Sequence[Entry],
    start: int,
    embedder: Encoder,
    known: Mapping[bytes, tuple[float, bytes]],
    written: terms.Written,
    bits: bytearray,
    progress: Progress | None,
) -> int:
    """Insert one batch behind `start` entries; returns how many texts were embedded."""
    texts = [vector_lines(entry) if embedder.apart else vector_text(entry) for entry in batch]
    hashes = [hashlib.blake2b(text.encode(), digest_size=12).digest() for text in texts]
    new = [text for text, key in zip(texts, hashes, strict=True) if key not in known]
    fresh = _codes(new, embedder)
    records, vectors, words_of, tags = [], [], [], []
    for n, (entry, key) in enumerate(zip(batch, hashes, strict=True), start + 1):
        length, vec = known[key] if key in known else next(fresh)
        bits += code_bits(vec)
        records.append((n, entry.id, entry.kind, _RECORD(members(entry) | {"file": _portable(entry.file)})))
        vectors.append((n, key, length, vec, PRIOR.get(entry.kind, 0.0)))
        words_of.append((n, *map(written.text, fields(entry))))
        tags += [(axis, value, n) for axis, value in _tags(entry)]
        if progress is not None:
            progress(n)
    # table by table: FTS5 writes out what it holds whenever a statement on another table comes between
    db.executemany("INSERT INTO entry VALUES(?, ?, ?, ?)", records)
    db.executemany("INSERT INTO vector VALUES(?, ?, ?, ?, ?)", vectors)
    db.executemany("INSERT OR IGNORE INTO tag VALUES(?, ?, ?)", tags)
    db.executemany("INSERT INTO fts(rowid, title, words, body) VALUES(?, ?, ?, ?)", words_of)
    return len(new)


def _codes(texts: Sequence[str], embedder: Encoder) -> Iterator[tuple[float, bytes]]:
    """Length of the int8 codes and the codes of each text; by numpy where there are many and it is installed."""
    if len(texts) >= LARGE_BATCH and isinstance(embedder, Embedder):
        with suppress(ImportError):
            from kb.knowledge.bulk import codes

            return codes(embedder.sums(texts), embedder.dimensions)
    many = embedder.apart or len(texts) > MANY
    return map(quantise, embedder.embed_many(texts) if many else map(embedder.embed, texts))


@contextmanager
def _rare_collection() -> Iterator[None]:
    """A batch is many objects without cycles: looking through them for garbage costs a tenth of a build."""
    usual = gc.get_threshold()
    gc.set_threshold(1_000_000, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _expect_many(db: sqlite3.Connection) -> None:
    """Have FTS5 hold a whole batch in memory and merge once, at the end."""
    for what, value in (("hashsize", FTS_BYTES), ("automerge", 0), ("crisismerge", 200)):
        db.execute("INSERT INTO fts(fts, rank) VALUES(?, ?)", (what, value))


def _portable(file: str) -> str:
    """The path of a shipped entry file as seen from the data folder, so that an index can be carried elsewhere."""
    root = shipped.root()
    if not file.startswith(str(root)):
        return file  # most of many entries
    try:
        return Path(file).relative_to(root).as_posix()
    except ValueError:
        return file  # of a folder whose name starts alike


def _tags(entry: Entry) -> Iterator[tuple[str, str]]:
    yield from (("op", op) for op in entry.operators)
    yield from (("chip", chip) for chip in entry.chips)
    yield from (("bottleneck", name) for name in entry.bottlenecks)
    yield "grade", entry.grade
    yield from (("lang", language) for language in ("en", *sorted(entry.bodies)))


def _means() -> dict[str, str]:
    """Words of a query that stand for terms of the entries; terms in their order, without repeats.

    Keys: Chinese and Japanese words as written, other names without spaces and underscores.
    """
    meant: dict[str, dict[str, None]] = {}
    for english, *others in words.glossary():
        means = [term for text in english for term in terms.terms(text)]
        for name in (name for alternatives in others for name in alternatives):
            if terms.is_cjk(name):
                meant.setdefault(name.casefold(), {}).update(dict.fromkeys(means))
    for name, text in words.aliases():
        own = terms.terms(name)
        whole = (found[0] for token in terms.tokens(text) if (found := terms.of_token(token)))
        also = [term for term in whole if term not in own]
        meant.setdefault(terms.squeeze(terms.tokens(name)), {}).update(dict.fromkeys(also))
    return {name: " ".join(means) for name, means in meant.items() if name and means}


def _field() -> set[str]:
    """Terms that only somebody who asks about this field is likely to write."""
    english = (text for row in words.glossary() for text in row[0])
    return {
        term
        for text in (*english, *words.operator_names(), *words.metric_names())
        for term in terms.terms(text)
    }


def _scale(db: sqlite3.Connection, embedder: Encoder) -> tuple[float, float]:
    """What brings the model's cosines to where the built-in one's lie: cosine * factor + offset.

    The weight of words beside the meaning and the limit below which nothing fits were chosen for the built-in model. So the mean and the
    spread of the cosines between titles and entries are made those that the built-in model gives for the same texts.
    """
    if not embedder.apart:
        return 1.0, 0.0
    records = [json.loads(text) for (text,) in db.execute("SELECT json FROM entry ORDER BY n")]
    step = max(1, len(records) // SAMPLED)
    chosen = [record_entry(told) for told in records[::step]]
    own = _cosines_between(embedder, chosen)
    usual = _cosines_between(Embedder(shipped_model()), chosen)
    if len(own) < 2 or not pstdev(own):
        return 1.0, 0.0
    factor = pstdev(usual) / pstdev(own)
    return factor, fmean(usual) - factor * fmean(own)


def _cosines_between(embedder: Encoder, entries: Sequence[Entry]) -> list[float]:
    """Cosines of the titles of these entries, in their three languages by turns, with the other entries."""
    texts = [vector_lines(entry) if embedder.apart else vector_text(entry) for entry in entries]
    vectors = list(embedder.embed_many(texts))
    titles = [
        (entry.title.en, entry.title.zh, entry.title.ja)[n % 3] or entry.title.en
        for n, entry in enumerate(entries)
    ]
    asked = [embedder.embed(title) for title in titles]
    return [
        plain_sum(x * y for x, y in zip(a, b, strict=True))
        for n, a in enumerate(asked)
        for m, b in enumerate(vectors)
        if n != m
    ]


def _stem_counts(db: sqlite3.Connection, seen: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Every term with the number of entries that hold its stem; FTS5 itself is asked for the stems."""
    db.execute("CREATE VIRTUAL TABLE temp.stems USING fts5vocab('main', 'fts', 'row')")
    counts = dict(db.execute("SELECT term, doc FROM temp.stems"))
    db.execute("DROP TABLE temp.stems")
    db.execute(f'CREATE VIRTUAL TABLE temp.raw USING fts5(term, tokenize="{TOKENIZE}")')
    ordered = sorted(seen)
    db.executemany("INSERT INTO temp.raw(rowid, term) VALUES(?, ?)", enumerate(ordered))
    db.execute("CREATE VIRTUAL TABLE temp.one USING fts5vocab('temp', 'raw', 'instance')")
    found = [(ordered[n], counts[stem]) for stem, n in db.execute("SELECT term, doc FROM temp.one")]
    db.execute("DROP TABLE temp.one")
    db.execute("DROP TABLE temp.raw")
    yield from dict(found).items()


def _vectors(old: Path | None, embedder: Encoder) -> dict[bytes, tuple[float, bytes]]:
    """Vectors of an earlier index by the hash of their text; none when another model or format made it."""
    if old is None or not old.is_file():
        return {}
    try:
        db = sqlite3.connect(f"{old.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            meta = {k: json.loads(v) for k, v in db.execute("SELECT key, value FROM meta")}
            if (meta["format"], meta["model_version"]) != (FORMAT, embedder.version):
                return {}
            return {
                key: (length, vec) for key, length, vec in db.execute("SELECT hash, length, vec FROM vector")
            }
        finally:
            db.close()
    except (sqlite3.Error, ValueError, KeyError):
        return {}  # damaged: everything is embedded anew


def _batches(entries: Iterable[Entry], size: int) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _strings(item)
