"""The knowledge in a team's database: the same answers as from a file, published whole, read by those who may."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from postgres_server import Server
from running import ROOT
from search_samples import ENTRIES
from store_rows import rows

from kb import settings
from kb.errors import KnowledgeError, SourceError
from kb.knowledge import agreement, chosen, index, publish, search, store, team
from kb.knowledge.reading import Index
from kb.knowledge.stems import Stemmer
from kb.postgres.address import address

QUESTIONS = [
    line.split("\t")[0]
    for line in (ROOT / "tests/benchmarks/queries_dev.tsv").read_text(encoding="utf-8").splitlines()[1:]
]
OTHERS = [
    "矩阵乘 切分",
    "NMS AI CPU 回退",
    "検出の後処理が遅い",
    "optimizing tilings",
    "ア・イ",
    "",
    "aic_mte2_ratio",
    "zzzqqq unheard",
]


@pytest.fixture(scope="module")
def here() -> Iterator[Index]:
    yield store.local()


@pytest.fixture(scope="module")
def db(postgres: Server, here: Index) -> str:
    place = postgres.fresh()
    publish.publish(here, address(place))
    return place


@pytest.fixture(scope="module")
def there(db: str) -> Iterator[team.TeamIndex]:
    found = _opened(db)
    yield found
    found.db.close()


def _opened(db: str) -> team.TeamIndex:
    found = team.opened(address(db), chosen.encoder(chosen.BUILTIN))
    assert found is not None
    return found


@pytest.fixture
def few(tmp_path: Path) -> Iterator[Index]:
    """A small index of made entries."""
    path = tmp_path / "index.db"
    model = chosen.encoder(chosen.BUILTIN)
    index.build(ENTRIES, path, model)
    found = store.opened(path, model)
    yield found
    found.db.close()


@pytest.mark.parametrize("text", [*QUESTIONS, *OTHERS])
def test_answers_are_the_same(text: str, here: Index, there: team.TeamIndex) -> None:
    """Entries, order, scores, words found, and whether anything fits."""
    assert search.search(text, k=30, use=there) == search.search(text, k=30, use=here)


@pytest.mark.parametrize(
    "filters",
    [
        {"kind": "case"}, {"op": "MatMul"}, {"soc": "Ascend310P3"}, {"bottleneck": "aicpu-fallback"},
        {"evidence": "vendor", "kind": "recipe", "soc": "Ascend910B2"}, {"language": "zh"},
    ],
    ids=str,
)  # fmt: skip
def test_filters_are_the_same(filters: dict[str, str], here: Index, there: team.TeamIndex) -> None:
    found = search.search("memory bound operator", k=20, use=there, **filters)  # type: ignore[arg-type]
    assert found == search.search("memory bound operator", k=20, use=here, **filters)  # type: ignore[arg-type]


def test_entries_and_their_neighbours_are_the_same(here: Index, there: team.TeamIndex) -> None:
    entries = store.load_entries(here)
    assert store.load_entries(there) == entries
    for id in list(entries)[::60]:
        assert search.similar(id, use=there) == search.similar(id, use=here)
        assert search.nearness(id, use=there) == search.nearness(id, use=here)


def test_stems_are_those_of_fts5(here: Index) -> None:
    found = Stemmer()
    assert found.stems(["tilings", "optimizing", "aic_mte2_ratio", "切分", "・・"]) == [
        "tile", "optim", "aic_mte2_ratio", "切分", "",
    ]  # fmt: skip
    assert found.stems(["tiling"]) == ["tile"]  # nothing is left of the words before


def test_a_large_index_is_searched_by_hnsw_and_ranks_alike(
    postgres: Server, here: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way of large indexes, on the shipped entries: candidates come from HNSW, and the answers stay close."""
    for module in (team, publish, search):
        monkeypatch.setattr(module, "LARGE", 100)
    db = postgres.fresh()
    publish.publish(here, address(db))
    ((made,),) = rows(
        db, "select indexdef from pg_indexes where schemaname = 'kb_knowledge' and indexdef like '%hnsw%'"
    )
    assert "m='32'" in made and "ef_construction='200'" in made
    large = _opened(db)
    correlations = []
    for text in QUESTIONS:
        one = [hit.id for hit in search.search(text, k=20, use=here).results]
        two = [hit.id for hit in search.search(text, k=20, use=large).results]
        correlations.append(agreement.rank_correlation(one, two))
    assert sum(correlations) / len(correlations) > 0.98
    cases = search.search("tiling", kind="case", use=large).results
    assert cases and {hit.kind for hit in cases} == {"case"}
    large.db.close()


def test_building_hnsw_takes_the_memory_it_needs_and_no_more_than_its_bound(
    postgres: Server, here: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a build may take is set for the one transaction, and only where the server allows less."""
    assert 170e6 < publish.build_bytes(100_000, 256) < 190e6
    monkeypatch.setattr(publish, "LARGE", 100)
    asked: list[int] = []
    now = "select pg_size_bytes(current_setting('maintenance_work_mem'))"
    plain = publish.Session.execute

    def seen(session: publish.Session, sql: str, *given: object) -> object:
        if "create index" in sql:
            asked.append(plain(session, now).fetchone()[0])
        return plain(session, sql, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(publish.Session, "execute", seen)
    for each, most in ((300_000, 2 << 30), (300_000, 1 << 26), (10, 2 << 30)):
        monkeypatch.setattr(publish, "build_bytes", lambda size, dimensions, each=each: size * each)
        monkeypatch.setattr(publish, "MOST_MEMORY", most)
        publish.publish(here, address(postgres.fresh()))
    assert asked == [here.size * 300_000 >> 10 << 10, 64 << 20, 64 << 20]


def test_a_search_looks_at_more_the_more_there_are(
    postgres: Server, here: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the bounds of pgvector: 1 to 1000."""
    sizes = (5_000, 100_000, 360_000, 500_000, 1_000_000, 10_000_000)
    assert [team.looked_at(360, size) for size in sizes] == [360, 360, 360, 500, 1000, 1000]
    assert team.looked_at(5, 5_000) == 40 and team.looked_at(2_000, 5_000) == 1000
    monkeypatch.setattr(publish, "LARGE", 100)
    monkeypatch.setattr(team, "LARGE", 100)
    monkeypatch.setattr(team, "LOOKED_AT_OF", 1)
    db = postgres.fresh()
    publish.publish(here, address(db))
    large = _opened(db)
    assert len(large.nearest([1.0] * 256, 50)) == 50
    asked = large.session.execute("show hnsw.ef_search").fetchone()[0]
    assert int(asked) == here.size
    large.db.close()


@pytest.mark.parametrize(
    ("said", "again"),
    [
        (
            'could not resize shared memory segment "/PostgreSQL.18" to 185634272 bytes: No space left on device',
            True,
        ),
        ('could not extend file "base/1/2": No space left on device', False),
    ],
    ids=["shared memory", "disk"],
)
def test_a_server_short_of_shared_memory_builds_hnsw_with_one_process(
    postgres: Server, here: Index, monkeypatch: pytest.MonkeyPatch, said: str, again: bool
) -> None:
    """The first is what PostgreSQL 16 says in a container with 64 MB of it; a disk that is full stays so."""
    monkeypatch.setattr(publish, "LARGE", 100)
    workers: list[int] = []
    plain = publish.Session.execute

    def short(session: publish.Session, sql: str, *given: object) -> object:
        if "create index" in sql:
            workers.append(int(plain(session, "show max_parallel_maintenance_workers").fetchone()[0]))
            if workers == [2]:
                sql = f"do $$ begin raise exception '{said}' using errcode = '53100'; end $$"
        return plain(session, sql, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(publish.Session, "execute", short)
    db = postgres.fresh()
    if again:
        assert publish.publish(here, address(db)).entries == here.size
        large = _opened(db)
        assert large.size == here.size and search.search("tiling", use=large).results
        large.db.close()
    else:
        with pytest.raises(SourceError, match="disk is full"):
            publish.publish(here, address(db))
    assert workers == ([2, 0] if again else [2])


# --- publishing -------------------------------------------------------------------------------------------------


def test_what_is_published_takes_the_place_of_what_was_there(
    postgres: Server, few: Index, tmp_path: Path
) -> None:
    db = postgres.fresh()
    assert publish.publish(few, address(db)).entries == len(ENTRIES)
    first = _opened(db)
    assert first.size == len(ENTRIES) and first.current()
    other = tmp_path / "other.db"
    model = chosen.encoder(chosen.BUILTIN)
    index.build([replace(ENTRIES[0], file="/home/somebody/entry.md")], other, model)
    less = store.opened(other, model)
    publish.publish(less, address(db))
    less.db.close()
    assert not first.current()
    second = _opened(db)
    assert second.size == 1
    (told,) = store.load_entries(second).values()
    assert told.file == "" or "somebody" not in told.file  # where it lay is nobody else's business
    for found in (first, second):
        found.db.close()


def test_what_arrives_otherwise_changes_nothing(
    postgres: Server, few: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = postgres.fresh()
    publish.publish(few, address(db))
    sums = iter([(1, 5), (1, 6)])
    monkeypatch.setattr(publish, "summed", lambda _: next(sums))
    with pytest.raises(SourceError, match="nothing was changed"):
        publish.publish(few, address(db))
    found = _opened(db)
    assert found.size == len(ENTRIES)
    found.db.close()
    assert rows(db, "select nspname from pg_namespace where nspname like 'kb%'") == [("kb_knowledge",)]


def test_a_reader_searches_before_and_after_but_does_not_publish(postgres: Server, few: Index) -> None:
    owner = postgres.fresh()
    name = owner.split("@/")[1].split("?")[0]
    publish.publish(few, address(owner))
    postgres.execute(f"create role searcher_{name} login")
    publish.grant_knowledge(address(owner), f"searcher_{name}")
    reader = postgres.address(name, f"searcher_{name}")
    for _ in range(2):
        found = _opened(reader)
        assert search.search("NMS", use=found).results[0].id == "nms-off-the-host"
        found.db.close()
        publish.publish(few, address(owner))  # the right to read outlasts it
    with pytest.raises(SourceError, match="this role may not do that"):
        publish.publish(few, address(reader))


def test_without_pgvector_the_answer_says_who_can_help(postgres: Server, few: Index) -> None:
    owner = postgres.fresh(vector=False)
    name = owner.split("@/")[1].split("?")[0]
    postgres.execute(f"create role plain_{name} login")
    postgres.execute(f"grant create on database {name} to plain_{name}")
    with pytest.raises(SourceError, match="no pgvector") as caught:
        publish.publish(few, address(postgres.address(name, f"plain_{name}")))
    assert "create extension vector" in caught.value.now


def test_vectors_of_another_model_are_not_mixed(postgres: Server, few: Index) -> None:
    db = postgres.fresh()
    publish.publish(few, address(db))
    rows(db, "update kb_knowledge.meta set value = '\"other\"' where key = 'model_version'")
    with pytest.raises(KnowledgeError, match="must not be mixed"):
        team.opened(address(db), chosen.encoder(chosen.BUILTIN))


def test_it_comes_back_as_a_file(db: str, tmp_path: Path, here: Index) -> None:
    path = tmp_path / "team.db"
    model = chosen.encoder(chosen.BUILTIN)
    assert publish.fetch(address(db), path, model) == here.size
    found = store.opened(path, model)
    for text in QUESTIONS[:10]:
        assert search.search(text, use=found) == search.search(text, use=here)
    found.db.close()


# --- the store in use -------------------------------------------------------------------------------------------


@pytest.fixture
def in_use(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    monkeypatch.delenv("KB_INDEX", raising=False)
    monkeypatch.delenv("KB_DATA", raising=False)
    yield monkeypatch
    settings.prefer("db", "")
    store.close()


def test_the_database_in_use_is_searched(postgres: Server, few: Index, in_use: pytest.MonkeyPatch) -> None:
    db = postgres.fresh()
    publish.publish(few, address(db))
    settings.prefer("db", db)
    assert search.search("NMS falls back").results[0].id == "nms-off-the-host"
    opened = store.index()
    assert isinstance(opened, team.TeamIndex)
    assert store.index() is opened
    (pid,) = opened.session.execute("select pg_backend_pid()").fetchone()
    postgres.execute(f"select pg_terminate_backend({pid})")  # as when the server was started anew
    assert search.search("NMS falls back").results[0].id == "nms-off-the-host"
    assert store.index() is not opened
    settings.prefer("db", "")
    assert isinstance(store.index().db, sqlite3.Connection)


def test_a_database_without_knowledge_leaves_the_installed_one(
    postgres: Server, in_use: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.prefer("db", postgres.fresh())
    assert search.search("NMS CPU fallback").results
    assert "holds no knowledge (`kb db publish` puts it there)" in capsys.readouterr().err


def test_an_index_that_is_named_wins_over_the_database(
    postgres: Server, in_use: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    in_use.setenv("KB_INDEX", str(tmp_path / "named.db"))
    settings.prefer("db", "postgresql://nowhere.invalid/x")
    assert isinstance(store.index().db, sqlite3.Connection)
