"""Training the style encoder: vectors of one writer's texts are drawn together, those of others apart.

Each batch has a few crops of many writers. The loss is the supervised contrastive one (Khosla and others 2020): of all
crops in the batch, those of the same writer should have the highest cosines. Which n-grams a step may see is drawn,
too, so that no single one can carry a writer. The network that is watched and kept is a running mean of the trained
one.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from allonym.networks.style_encoder.inference import LONGEST_PIECE
from allonym.training.steps import Best, Clock, Limit, descend, set_rates
from allonym.training.style_encoder.batches import CropBatch, Crops, WriterTexts
from allonym.training.style_encoder.network import FeatureWeights

# Told at each look at the watched writers: where training stands, by name.
Progress = Callable[[dict[str, float]], None]

_WEIGHTS = ("logs", "shares", "scale")
_LONGEST_GRADIENT = 1.0
_SUSPECTS, _KNOWN, _ASKED, _DRAWS = 50, 5, 5, 8  # of the watch
_AT_ONCE = 512


@dataclass(frozen=True)
class StyleSettings:
    """How to train."""

    minutes: float = 3.0  # stop after so long
    steps: int = 10**9  # stop after so many steps, if that is sooner
    writers: int = 256  # writers of a batch
    each: int = 4  # crops of each of them
    left_out: float = 0.3  # share of the n-grams that a step does not see
    changed: float = 0.5  # how often a batch is in another form than as written
    weight_rate: float = 1e-2  # AdamW's learning rate for the weights of n-grams, at its highest
    learning_rate: float = 4e-3  # the same for everything else
    decay: float = 0.1  # weight decay of everything else
    exponent: float = 0.75  # of n-grams' spreads, for the weights to begin with
    warm_up: int = 200  # steps until the learning rate is at its highest; from there it falls as a cosine
    average: float = 0.999  # share of the running mean that stays at each step
    every: float = 20.0  # seconds between looks at the watched writers
    seed: int = 1  # fixes what is drawn


def contrastive_loss(scores: Tensor, writers: Tensor, texts: Tensor) -> Tensor:
    """Return the supervised contrastive loss of scores (B, B); two crops of one text count neither way."""
    same_text = texts[:, None] == texts[None, :]
    scores = scores.masked_fill(same_text, -torch.inf)
    same = (writers[:, None] == writers[None, :]) & ~same_text
    logs = scores - scores.logsumexp(1, keepdim=True)
    counts = same.sum(1)
    losses = -torch.where(same, logs, 0).sum(1) / counts.clamp(min=1)
    return losses[counts > 0].mean()


class StyleTraining:
    """One training run; texts of other writers, by name, are watched to choose the best moment by.

    `best` is what the look with the best figures found; empty before the first.
    """

    def __init__(
        self,
        network: FeatureWeights,
        texts: WriterTexts,
        watched: dict[str, WriterTexts],
        settings: StyleSettings,
        progress: Progress | None = None,
    ) -> None:
        self.network, self.texts, self.watched = network, texts, watched
        self.settings, self.progress = settings, progress
        self.chance = torch.Generator(texts.device).manual_seed(settings.seed)
        self.crops = Crops(texts, self.chance, changed=settings.changed)
        network.begin(self._some_counts(), settings.exponent)
        self.averaged = copy.deepcopy(network).eval()
        self._best = Best(self.averaged)
        self.best: dict[str, float] = {}
        named = list(network.named_parameters())
        groups = [
            {"params": [weight for name, weight in named if name in _WEIGHTS], "weight_decay": 0.0},
            {"params": [weight for name, weight in named if name not in _WEIGHTS], "weight_decay": settings.decay},
        ]
        self._rates = (settings.weight_rate, settings.learning_rate)
        self.optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98))

    def run(self) -> FeatureWeights:
        """Train, and return the running mean at the look that was best for the watched writers."""
        clock, looked, step = Clock(Limit(self.settings.minutes, self.settings.steps)), 0.0, 0
        while (done := clock.part(step)) < 1:
            rate = min(1, (step + 1) / self.settings.warm_up) * max(0.002, 0.5 + 0.5 * math.cos(math.pi * done))
            set_rates(self.optimizer, [highest * rate for highest in self._rates])
            loss = self.step(self.crops.draw(self.settings.writers, self.settings.each))
            step += 1
            if clock.seconds - looked > self.settings.every:
                looked = clock.seconds
                self._look(step, done, loss)
        self._look(step, 1.0, loss)
        self.averaged.load_state_dict(self._best.weights)
        return self.averaged

    def step(self, batch: CropBatch) -> float:
        """Learn from one batch and return its loss."""
        self.network.train()
        counts = self.texts.counts(batch.first, batch.stop, batch.form)
        drawn = torch.empty(counts.shape[1], device=counts.device).uniform_(generator=self.chance)
        vectors = self.network(counts, (drawn >= self.settings.left_out).float())
        scores = (vectors @ vectors.T).float() * self.network.cosine_scale()
        loss = contrastive_loss(scores, batch.writers, batch.texts)
        loss = descend(loss, self.optimizer, _LONGEST_GRADIENT)
        with torch.no_grad():
            for mean, weight in zip(self.averaged.parameters(), self.network.parameters(), strict=True):
                mean.lerp_(weight, 1 - self.settings.average)
        return loss.item()

    def _some_counts(self) -> Iterator[Tensor]:
        crops = Crops(self.texts, self.chance, changed=0.0, fewest=100)
        for _ in range(16):
            batch = crops.draw(512, 1)
            yield self.texts.counts(batch.first, batch.stop)

    def _look(self, step: int, done: float, loss: float) -> None:
        figures = {"step": float(step), "done": done, "loss": loss}
        for name, texts in self.watched.items():
            figures |= {f"{name} {key}": value for key, value in watch(self.averaged, texts).items()}
        if self.progress is not None:
            self.progress(figures)
        accuracy = sum(value for name, value in figures.items() if name.endswith("accuracy"))
        self._best.look(-accuracy, self.averaged)
        if not self._best.looks_since:
            self.best = figures


@torch.no_grad()
def watch(network: FeatureWeights, texts: WriterTexts) -> dict[str, float]:
    """Return how often the nearest centroid names the writer, and how well pairs of one writer are told from others.

    Fifty writers (or all) of whom five texts are known are asked for five more, eight times; those with too few
    texts are left out.
    """
    device = texts.device
    chance = torch.Generator(device).manual_seed(7)
    enough = (texts.texts_of[:, 1] >= _KNOWN + _ASKED).nonzero()[:, 0]
    right, order = [], []
    for _ in range(_DRAWS):
        writers = enough[torch.empty(len(enough), device=device).uniform_(generator=chance).argsort()[:_SUSPECTS]]
        rows = torch.stack([_some_texts(texts, writer, chance) for writer in writers])  # (W, 10)
        vectors = _embedded(network, texts, rows.flatten())
        cosines = (vectors @ vectors.T).float().view(len(writers), -1, len(writers), rows.shape[1])
        among = torch.einsum("wiwj->w", cosines[:, :_KNOWN, :, :_KNOWN]).sqrt()
        named = (cosines[:, _KNOWN:, :, :_KNOWN].sum(3) / among).argmax(2)
        right.append((named == torch.arange(len(writers), device=device)[:, None]).float().mean())
        pairs = cosines[:, :_KNOWN, :, _KNOWN:].transpose(1, 2)  # (W, W, 5, 5)
        same = torch.eye(len(writers), dtype=torch.bool, device=device)
        others = pairs[~same].flatten().sort().values
        order.append(torch.searchsorted(others, pairs[same].flatten()).float().mean() / max(1, len(others)))
    return {"accuracy": float(torch.stack(right).mean()), "auc": float(torch.stack(order).mean())}


def _some_texts(texts: WriterTexts, writer: Tensor, chance: torch.Generator) -> Tensor:
    first, count = texts.texts_of[writer].tolist()
    order = torch.empty(count, device=texts.device).uniform_(generator=chance).argsort()
    chosen: Tensor = first + order[: _KNOWN + _ASKED]
    return chosen


def _embedded(network: FeatureWeights, texts: WriterTexts, rows: Tensor) -> Tensor:
    first, stop = texts.tokens[rows].unbind(1)
    stop = torch.minimum(stop, first + LONGEST_PIECE)
    starts = range(0, len(rows), _AT_ONCE)
    return torch.cat([network(texts.counts(first[at : at + _AT_ONCE], stop[at : at + _AT_ONCE])) for at in starts])
