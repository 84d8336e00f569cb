"""Training of the static table: it learns to place texts as the two teachers do, and translations side by side."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from corpus import LANGUAGES, language
from pairs import Sampler
from teachers import unit
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from vocabulary import Piece

DIMENSIONS = 256
RARE = 1e-4  # smooth inverse frequency: weight = RARE / (RARE + probability)


@dataclass(frozen=True)
class Settings:
    """How long and how hard to train; the defaults made the shipped model."""

    steps: int = 800
    texts: int = 640  # a step copies the teachers on this many texts
    pairs: int = 160
    rate: float = 4e-3
    copy: float = 3.0  # weights of the losses
    relations: float = 20.0
    neighbours: float = 0.5
    contrast: float = 0.4
    temperature: float = 0.07


@dataclass(frozen=True)
class Targets:
    """What the teachers say: unit rows for texts, and a start vector for each piece."""

    texts: np.ndarray
    pieces: np.ndarray


def tokenizer_of(pieces: Sequence[Piece]) -> Tokenizer:
    """The reference tokenizer of the static model (NFKC, lower case, unigram); `kb.knowledge.tokenizer` equals it."""
    tokenizer = Tokenizer(models.Unigram([(p.text, p.score) for p in pieces], unk_id=0, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    return tokenizer


def combine(
    e5: np.ndarray,
    use: np.ndarray,
    e5_pieces: np.ndarray,
    use_pieces: np.ndarray,
    languages: np.ndarray,
    piece_languages: np.ndarray,
    pieces: Sequence[Piece],
    seed: int,
) -> Targets:
    """Both teachers in one space of `DIMENSIONS`.

    The first teacher puts texts of one language together whatever they say, so the mean of each language is taken
    off. The teachers are weighted so that their similarities spread alike, joined, and turned to the main axes.
    """
    e5 = unit(_centred(e5, languages))
    e5_pieces = unit(_centred(e5_pieces, piece_languages))
    sample = np.random.RandomState(seed).permutation(len(e5))[:2000]
    spread = [_spread(use[sample]), _spread(e5[sample])]
    weights = unit(np.sqrt(1 / np.array([spread]))).ravel()
    joined = np.concatenate([weights[0] * use, weights[1] * e5], 1)
    joined_pieces = np.concatenate([weights[0] * use_pieces, weights[1] * e5_pieces], 1)
    centred = joined - joined.mean(0)
    values, vectors = np.linalg.eigh(centred.T @ centred / len(centred))
    axes = vectors[:, ::-1][:, :DIMENSIONS]
    kept = values[::-1][:DIMENSIONS].sum() / values.sum()
    print(f"teachers joined, weights {weights.round(2)}, variance kept {kept:.2f}", file=sys.stderr)
    start = unit((joined_pieces - joined_pieces.mean(0)) @ axes) * _rarity(pieces)[:, None]
    start[0] = 0
    return Targets(unit(centred @ axes).astype(np.float32), start.astype(np.float32))


def _centred(rows: np.ndarray, languages: np.ndarray) -> np.ndarray:
    out = rows.copy()
    for name in LANGUAGES:
        if (languages == name).any():
            out[languages == name] -= rows[languages == name].mean(0)
    return out


def _spread(rows: np.ndarray) -> float:
    return float((rows @ rows.T)[~np.eye(len(rows), dtype=bool)].std())


def _rarity(pieces: Sequence[Piece]) -> np.ndarray:
    counts = np.maximum(np.array([p.count for p in pieces], float), 1)
    weights = RARE / (RARE + counts / counts.sum())
    wordless = np.array([not any(c.isalnum() for c in p.text) for p in pieces])
    return np.where(wordless, weights * 0.1, weights)


class Table(torch.nn.Module):
    """Mean of the vectors of a text's pieces, scaled to length one."""

    def __init__(self, start: np.ndarray, tokenizer: Tokenizer) -> None:
        super().__init__()
        self.bag = torch.nn.EmbeddingBag.from_pretrained(torch.tensor(start), freeze=False, mode="mean")
        self._tokenizer = tokenizer
        self._ids: dict[str, list[int]] = {}

    def forward(self, texts: Sequence[str]) -> torch.Tensor:
        rows = [self._pieces(text) for text in texts]
        offsets = torch.tensor(np.cumsum([0] + [len(row) for row in rows[:-1]]))
        return F.normalize(self.bag(torch.tensor([i for row in rows for i in row]), offsets), dim=1)

    def _pieces(self, text: str) -> list[int]:
        if text not in self._ids:
            self._ids[text] = self._tokenizer.encode(text).ids or [0]
        return self._ids[text]


def train(
    targets: Targets,
    texts: Sequence[str],
    sampler: Sampler,
    tokenizer: Tokenizer,
    settings: Settings,
    seed: int,
) -> np.ndarray:
    """One run; returns the table, a row per piece."""
    torch.manual_seed(seed)
    rng = np.random.RandomState(seed)
    table = Table(targets.pieces, tokenizer)
    goal = torch.tensor(targets.texts)
    optimizer = torch.optim.Adam(table.parameters(), lr=settings.rate)
    # Japanese texts are few: drawn more often, so that the languages weigh alike
    share = np.array([4.0 if language(text) == "ja" else 1.0 for text in texts])
    share /= share.sum()
    for step in range(settings.steps):
        for group in optimizer.param_groups:
            group["lr"] = settings.rate * max(0.05, 1 - step / settings.steps)
        rows = rng.choice(len(texts), min(settings.texts, len(texts)), replace=False, p=share)
        losses = _copying(table([texts[i] for i in rows]), goal[rows])
        contrast = _contrast(table, sampler, settings)
        loss = (
            settings.copy * losses[0]
            + settings.relations * losses[1]
            + settings.neighbours * losses[2]
            + settings.contrast * contrast
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            shown = " ".join(f"{float(v):.3f}" for v in (*losses, contrast))
            print(
                f"seed {seed} step {step}: copy, relations, neighbours, contrast {shown}",
                file=sys.stderr,
                flush=True,
            )
    return table.bag.weight.detach().numpy().copy()


def _copying(own: torch.Tensor, goal: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    copy = (1 - (own * goal).sum(1)).mean()
    between = goal @ goal.T
    relations = ((own @ own.T - between) ** 2).mean()
    neighbours = F.kl_div(
        F.log_softmax(own @ goal.T / 0.05, 1), F.softmax(between / 0.05, 1), reduction="batchmean"
    )
    return copy, relations, neighbours


def _contrast(table: Table, sampler: Sampler, settings: Settings) -> torch.Tensor:
    batch = sampler.batch(settings.pairs)
    left, right = table([p.left for p in batch]), table([p.right for p in batch])
    same = torch.arange(len(batch))
    across = left @ right.T / settings.temperature
    within = (left @ left.T / settings.temperature).masked_fill(torch.eye(len(batch), dtype=torch.bool), -1e4)
    return F.cross_entropy(torch.cat([across, within], 1), same) + F.cross_entropy(across.T, same)
