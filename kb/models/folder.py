"""Any sentence-transformers folder of the user's as the search model (extra `models`).

`register` looks at the folder once and says what `kb` needs to know of it later: which files it consists of, the length of its
vectors, and the mean vector of each language. Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kb.errors import KnowledgeError, UsageError
from kb.models.lines import QUERY, Lines

_MARK = "modules.json"  # every sentence-transformers folder has it
_CHUNK = 1 << 20


class Folder(Lines):
    """The model of one folder; the network is loaded when the first text comes."""

    def __init__(self, about: Mapping[str, Any]) -> None:
        """`about`: what `register` gave.

        Raises:
            KnowledgeError: the folder is gone, or its files are other ones by now.
        """
        super().__init__(about["name"], about["version"], about["dimensions"], about["means"])
        self._place = Path(about["path"])
        if not (self._place / _MARK).is_file():
            raise KnowledgeError(
                "the search model that was chosen is gone",
                where=str(self._place),
                now="go back with `kb model use builtin`, or choose it again where it is now",
            )
        if _stats(self._place) != [tuple(item) for item in about["files"]]:
            raise KnowledgeError(
                "the search model was changed since it was chosen, so its vectors no longer fit those of the index",
                where=str(self._place),
                now=f"choose it again: kb model use {self._place}",
            )
        self._model: Any = None

    def encode(self, texts: Sequence[str], role: str) -> Any:
        """Raw unit vectors, a numpy row a text."""
        if self._model is None:
            self._model = _load(self._place)
        return _encode(self._model, texts, role)


def register(place: Path, texts: Iterable[str]) -> dict[str, Any]:
    """What to remember of a folder; JSON values.

    Args:
        place: a folder that `SentenceTransformer(place)` loads.
        texts: sentences that say much the same in English, Chinese and Japanese, for the means.

    Raises:
        UsageError: no such folder.
        KnowledgeError: it cannot be loaded, or sentence-transformers is not installed.
    """
    place = place.resolve()
    if not (place / _MARK).is_file():
        raise UsageError(
            f"no sentence-transformers model: it holds no {_MARK}",
            where=str(place),
            now="name the folder that SentenceTransformer(...).save(...) wrote, `builtin` or `semantic`",
        )
    model = _load(place)
    try:
        dimensions = int(_encode(model, ["x"], QUERY).shape[1])
    except Exception as fault:
        raise KnowledgeError(
            f"the model gives no vector: {fault}",
            where=str(place),
            now='Check it with SentenceTransformer(PATH).encode(["x"]) in Python.',
        ) from fault
    about = {
        "name": place.name,
        "version": _digest(place),
        "path": str(place),
        "dimensions": dimensions,
        "files": _stats(place),
        "means": {},
    }
    known = Folder(about)
    known._model = model
    about["means"] = known.language_means(texts)
    return about


def _load(place: Path) -> Any:
    os.environ.update(
        HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1"
    )  # never a download, whatever the folder asks for
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as fault:
        raise KnowledgeError(
            "a model of your own needs the package sentence-transformers",
            where=str(place),
            now="pip install 'ascend-kb[models]', or go back with `kb model use builtin`",
        ) from fault
    try:
        return SentenceTransformer(str(place), device="cpu", local_files_only=True)
    except Exception as fault:  # the library raises whatever went wrong below it
        raise KnowledgeError(
            f"sentence-transformers cannot load it: {str(fault).splitlines()[0] if str(fault) else fault!r}",
            where=str(place),
            now="check it with SentenceTransformer(PATH) in Python",
        ) from fault


def _encode(model: Any, texts: Sequence[str], role: str) -> Any:
    import numpy as np

    encode = getattr(model, "encode_query" if role == QUERY else "encode_document", model.encode)
    rows = encode(list(texts), batch_size=32, show_progress_bar=False, convert_to_numpy=True)
    rows = np.asarray(rows, np.float32)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def _files(place: Path) -> list[Path]:
    return sorted(path for path in place.rglob("*") if path.is_file() and path.suffix != ".md")


def _stats(place: Path) -> list[tuple[str, int, int]]:
    return [
        (str(path.relative_to(place)), path.stat().st_size, path.stat().st_mtime_ns) for path in _files(place)
    ]


def _digest(place: Path) -> str:
    found = hashlib.sha256()
    for path in _files(place):
        found.update(str(path.relative_to(place)).encode())
        with path.open("rb") as handle:
            while chunk := handle.read(_CHUNK):
                found.update(chunk)
    return found.hexdigest()[:12]
