"""The second model: a small multilingual transformer as int8 ONNX (extra `semantic`: onnxruntime, tokenizers; no torch).

Its folder (`model.onnx`, `tokenizer.json`, `kb-model.json`) is made by `make semantic`, which also packs it as the small
distribution `ascend-kb-semantic`; installed, that is found by itself. `KB_SEMANTIC` names a folder.
"""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kb.errors import KnowledgeError
from kb.models.lines import Lines

FORMAT = 1
ABOUT = "kb-model.json"
PACKAGE = "ascend_kb_semantic"
_HOW = "make it with `make semantic` in a checkout, then `pip install dist/ascend_kb_semantic-*.whl`, or let KB_SEMANTIC name its folder"


def folder() -> Path:
    """Where the model lies.

    Raises:
        KnowledgeError: it is not installed.
    """
    named = os.environ.get("KB_SEMANTIC", "")
    if named:
        return Path(named)
    spec = importlib.util.find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        return Path(place)
    raise KnowledgeError("the semantic search model is not installed", where="--model semantic", now=_HOW)


class Semantic(Lines):
    """The model of one folder; the network is loaded when the first text comes."""

    def __init__(self, place: Path) -> None:
        """Read what the folder says of itself.

        Raises:
            KnowledgeError: it is no such folder, or one of another format.
        """
        try:
            about = json.loads((place / ABOUT).read_text(encoding="utf-8"))
            if about["format"] != FORMAT:
                raise ValueError(f"format {about['format']}, expected {FORMAT}")
            super().__init__(about["name"], about["version"], about["dimensions"], about["means"])
            self._prefixes: dict[str, str] = about["prefixes"]
        except (OSError, ValueError, KeyError, TypeError) as fault:
            raise KnowledgeError(
                f"no semantic search model: {fault}", where=str(place / ABOUT), now=_HOW
            ) from fault
        self._place = place
        self._loaded: tuple[Any, Any] | None = None

    def encode(self, texts: Sequence[str], role: str) -> Any:
        """Raw unit vectors, a numpy row a text."""
        import numpy as np

        tokenizer, session = self._load()
        out = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):  # one by one: the answer must not hang on what stands beside it
            ids = np.array([tokenizer.encode(self._prefixes[role] + text).ids], np.int64)
            out[row] = session.run(None, {"ids": ids, "mask": np.ones_like(ids)})[0][0]
        return out

    def _load(self) -> tuple[Any, Any]:
        if self._loaded is None:
            try:
                import onnxruntime
                from tokenizers import Tokenizer
            except ImportError as fault:
                raise KnowledgeError(
                    f"the semantic search model needs the package {fault.name}",
                    where="--model semantic",
                    now="pip install 'ascend-kb[semantic]'",
                ) from fault
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1  # of a query's few words, more threads only wait for each other
            try:
                tokenizer = Tokenizer.from_file(str(self._place / "tokenizer.json"))
                session = onnxruntime.InferenceSession(
                    str(self._place / "model.onnx"), options, providers=["CPUExecutionProvider"]
                )
            except Exception as fault:  # both libraries raise bare exceptions of their own
                raise KnowledgeError(
                    f"the semantic search model is damaged: {fault}", where=str(self._place), now=_HOW
                ) from fault
            self._loaded = (tokenizer, session)
        return self._loaded
