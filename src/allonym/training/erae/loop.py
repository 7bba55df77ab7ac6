"""Training ER-AE: reconstruction first, then reconstruction and embedding reward; the processor or a graphics card.

What makes good candidates. An auto-encoder that sees a word clearly learns to copy it, and what it rates second to
fifth is an accident. So the ``attention`` variant reads *noisy* sentences: a word may be hidden, or replaced by a near
word (by word vectors, later also by what the network itself has learned). It must tell the original from the noisy word
and the context, and so learns Pr[y | word seen, context] ∝ Pr[y | context] · Pr[word seen | y]: words that are
close to the seen one *and* fit the sentence. With no noise, when it is used, these are its candidates.
The ``paper`` variant reads clear sentences; its generator forgets half of the previous words, as in the released code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from allonym.training.erae.batches import EraeBatch, EraeSentences
from allonym.training.erae.network import END, START, UNKNOWN, Erae, Variant, embedding_reward_loss
from allonym.training.steps import Best, Clock, Limit, cross_entropy, descend, set_rates

# Told at each look at the held-out sentences: where training stands, by name.
Progress = Callable[[dict[str, float]], None]

_BATCHES_SORTED_TOGETHER = 50
_NEIGHBOURS = 16
_SHARPNESS = 10.0  # a neighbour's chance of replacing a word grows as e^(10 · cosine)
_LONGEST_GRADIENT = 1.0
_EXPLORED = 5  # random candidates of the reward, as many as the most likely ones

# How a variant differs from the settings' defaults. The paper's network reads clear sentences; its released code hides
# half of the generator's words.
USUAL: dict[Variant, dict[str, Any]] = {"paper": {"masked": 0.0, "replaced": 0.0, "forgotten": 0.5}, "attention": {}}


@dataclass(frozen=True)
class EraeSettings:
    """How to train."""

    minutes: float = math.inf  # stop after so long
    steps: int = 10**9  # stop after so many steps, if that is sooner
    # Of AdamW, at its highest. With batches of 512, 1e-3 never leaves the plateau of word frequencies.
    learning_rate: float = 3e-4
    warm_up: int = 300  # steps until the learning rate is at its highest
    batch_size: int = 512  # sentences of a step
    masked: float = 0.15  # share of the words the encoder does not see
    replaced: float = 0.4  # share of the words it sees as a near one
    forgotten: float = 0.1  # share of the previous words the generator does not see
    reward_from: float = 0.65  # share of the training after which the embedding reward joins in; more than 1 for never
    reward_weight: float = 0.5  # λ of the embedding reward; the paper's 0.5
    begin: float = 0.0  # share of the training that is done already, by a run that is resumed
    end: float = 1.0  # share of the training at which this run ends
    look_every: int = 500  # steps between two looks at the held-out sentences
    patience: int = 8  # looks without a lower loss, after which a stage ends
    seed: int = 1  # fixes order and noise, on one kind of machine


class EraeNoise:
    """Hides words, or replaces them by near ones."""

    def __init__(self, vectors: Tensor, settings: EraeSettings) -> None:
        self.settings = settings
        self.vectors = vectors  # (V, D), unit or zero
        self.neighbours, self.chances = self._near(None)

    def learn(self, embedding: Tensor) -> None:
        """Let nearness depend on the network's own embedding too; it knows words that have no vector."""
        centred = embedding.float() - embedding.float().mean(0)
        self.neighbours, self.chances = self._near(nn.functional.normalize(centred, dim=-1))

    def _near(self, learned: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return each word's neighbours and the sums of their chances, V × 16 both."""
        known = self.vectors.abs().sum(-1) > 0
        neighbours, chances = [], []
        for rows in torch.split(torch.arange(len(self.vectors), device=self.vectors.device), 2048):
            cosines = self.vectors[rows].float() @ self.vectors.float().T  # (rows, V)
            if learned is not None:
                learned_cosines = learned[rows] @ learned.T
                cosines = torch.where(
                    known[rows][:, None] & known[None, :], (cosines + learned_cosines) / 2, learned_cosines
                )
            cosines[torch.arange(len(rows), device=rows.device), rows] = -1.0
            cosines[:, : UNKNOWN + 1] = -1.0
            nearest = cosines.topk(min(_NEIGHBOURS, cosines.shape[1]), dim=-1)
            neighbours.append(nearest.indices)
            chances.append((nearest.values * _SHARPNESS).softmax(-1).cumsum(-1))
        near = torch.cat(neighbours)
        if learned is None:
            near[~known] = UNKNOWN  # nothing is near a word without a vector: it is hidden instead
        return near, torch.cat(chances)

    def __call__(self, read: Tensor, chance: torch.Generator) -> Tensor:
        """Return what the encoder sees instead."""
        fate = torch.empty(read.shape, device=read.device).uniform_(generator=chance)
        pick = torch.empty(read.shape, device=read.device).uniform_(generator=chance)
        chosen = (self.chances[read] < pick[..., None]).sum(-1).clamp(max=self.chances.shape[1] - 1)
        near = self.neighbours[read, chosen]
        masked, replaced = self.settings.masked, self.settings.replaced
        noisy = torch.where(fate < masked, UNKNOWN, torch.where(fate < masked + replaced, near, read))
        return torch.where(read == END, END, noisy)


class EraeTraining:
    """A training run, on the device of the sentences; `training.checkpoints` can write it down between two steps.

    Unit word vectors, V × D, serve the reward and the noise; they are zeros where a word has none. `progress` is told
    at each look at the held-out sentences, `after_step` after each step: it may raise to end the run, which
    `checkpoints` can then keep.
    """

    counters = ("done", "step", "tokens", "place", "noise_learned")

    def __init__(
        self,
        network: Erae,
        learned: EraeSentences,
        held_out: EraeSentences,
        vectors: Tensor,
        settings: EraeSettings,
        progress: Progress | None = None,
    ) -> None:
        self.network, self.learned, self.held_out = network, learned, held_out
        self.vectors, self.settings, self.progress = vectors, settings, progress
        self.device = vectors.device
        self.noise = EraeNoise(vectors, settings)
        self.noise_learned = False
        self.optimizer = torch.optim.AdamW(
            network.parameters(), lr=settings.learning_rate, betas=(0.9, 0.98), weight_decay=0.01,
            fused=self.device.type == "cuda",
        )  # fmt: skip
        self.chance = torch.Generator(self.device).manual_seed(settings.seed)
        self.order = torch.Generator().manual_seed(settings.seed)
        self.order_of_epoch = self.order.get_state()  # before the present epoch's order was drawn
        self.place = 0  # batches of the present epoch that are done
        self.after_step: Callable[[EraeTraining], None] | None = None
        self.done, self.step, self.tokens = settings.begin, 0, 0
        self.seconds_before = 0.0  # of the run that this one resumes
        self.clock, self.best = Clock(Limit(settings.minutes, settings.steps)), Best(network)

    def further(self) -> dict[str, Tensor]:
        """Return what the noise has learned."""
        return {"neighbours": self.noise.neighbours, "chances": self.noise.chances}

    def take_further(self, tensors: Mapping[str, Tensor]) -> None:
        """Go on with what `further` returned."""
        self.noise.neighbours, self.noise.chances = tensors["neighbours"], tensors["chances"]

    @property
    def rewarded(self) -> bool:
        """Whether the second stage has begun."""
        return self.done >= self.settings.reward_from

    def run(self) -> Erae:
        """Train until the time, the steps or the patience is spent; return the best network of the last stage."""
        self.clock.start(self.seconds_before)
        while self.done < self.settings.end:
            self._epoch()
        self.network.load_state_dict(self.best.weights, strict=False)
        return self.network.eval()

    def _epoch(self) -> None:
        """Go over the sentences, from where an interrupted run stopped, until all are seen or training ends."""
        self.order_of_epoch = self.order.get_state()
        batches = self.learned.shuffled(
            self.settings.batch_size, self.order, skipped=self.place, sorted_together=_BATCHES_SORTED_TOGETHER
        )
        for batch in batches:
            loss = self._learn(batch)
            self._advance(batch)
            self.place += 1
            if self.step % self.settings.look_every == 0 or self.done >= self.settings.end:
                self._look(loss)
            if self.after_step is not None:
                self.after_step(self)
            if self.done >= self.settings.end:
                return
        self.place = 0

    def loss(self, batch: EraeBatch, chance: torch.Generator) -> Tensor:
        """Return the loss of the present stage (equation 8) on noisy sentences."""
        read, previous = self.noise(batch.read, chance), batch.previous
        lost = torch.empty(previous.shape, device=self.device).uniform_(generator=chance) < self.settings.forgotten
        previous = torch.where(lost & (previous != START) & (previous != END), UNKNOWN, previous)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            logits = self.network(read, batch.lengths, previous)  # (B, T, V)
        loss = cross_entropy(logits, batch.targets, batch.weights)  # equation 6
        if self.rewarded:
            shape = (*batch.targets.shape, _EXPLORED)
            explored = torch.empty(shape, dtype=torch.long, device=self.device)
            explored.random_(UNKNOWN + 1, logits.shape[-1], generator=chance)
            rewards = embedding_reward_loss(logits, batch.targets, batch.weights, self.vectors, explored)
            loss = loss + self.settings.reward_weight * rewards
        return loss

    def _learn(self, batch: EraeBatch) -> Tensor:
        self.network.train()
        warm = min(1.0, (self.step + 1) / self.settings.warm_up)
        rate = self.settings.learning_rate * warm * max(0.02, (1 + math.cos(math.pi * self.done)) / 2)
        set_rates(self.optimizer, [rate])
        return descend(self.loss(batch, self.chance), self.optimizer, _LONGEST_GRADIENT)

    def _advance(self, batch: EraeBatch) -> None:
        """Note how far the training is, and begin what is due."""
        settings = self.settings
        self.step += 1
        self.tokens += int(batch.lengths.sum())
        self._move_to(settings.begin + (settings.end - settings.begin) * min(1.0, self.clock.part(self.step)))

    def _move_to(self, done: float) -> None:
        rewarded = self.rewarded
        self.done = max(self.done, done)
        if not self.noise_learned and self.done >= self.settings.reward_from / 2:
            self.noise.learn(self.network.embedding.weight.detach())
            self.noise_learned = True
            self.best.start_over()  # the noise is another, and so is the loss
        if self.rewarded != rewarded:
            self.best.start_over()  # another loss begins

    def _look(self, loss: Tensor) -> None:
        """Measure on the held-out sentences, and end a stage that no longer helps."""
        figures = measure(self.network, self.held_out, self.vectors, self.settings.batch_size).to_json()
        figures["held_out_loss"] = self._held_out_loss()
        self.best.look(figures["held_out_loss"], self.network)
        figures |= {"loss": float(loss), "done": self.done, "step": self.step, "lowest": self.best.lowest}
        figures["tokens_per_second"] = self.tokens / max(1e-9, self.clock.seconds)
        if self.progress is not None:
            self.progress(figures)
        if self.best.looks_since >= self.settings.patience:
            self._move_to(self.settings.end if self.rewarded else self.settings.reward_from)

    @torch.no_grad()
    def _held_out_loss(self) -> float:
        self.network.eval()
        same_noise = torch.Generator(self.device).manual_seed(self.settings.seed)
        batches = list(self.held_out.in_order(self.settings.batch_size))
        return sum(float(self.loss(batch, same_noise)) for batch in batches) / len(batches)


@dataclass(frozen=True)
class WordFigures:
    """What a network makes of clear sentences, per word.

    Attributes:
        clear_loss: Mean negative log-likelihood of the original word.
        accuracy: How often that is the most likely one.
        among_five: How often it is among the five most likely.
        closeness: Mean cosine of the other four to five with it, where there is a vector.
    """

    clear_loss: float
    accuracy: float
    among_five: float
    closeness: float

    def to_json(self) -> dict[str, float]:
        """Return the figures by name."""
        return dict(vars(self))


@torch.no_grad()
def measure(network: Erae, sentences: EraeSentences, vectors: Tensor, batch_size: int) -> WordFigures:
    """Measure a network as it will be used, without noise."""
    network.eval()
    sums = torch.zeros(6, dtype=torch.float64, device=vectors.device)
    for batch in sentences.in_order(batch_size):
        with torch.autocast(vectors.device.type, torch.bfloat16, enabled=vectors.device.type == "cuda"):
            logits = network(batch.read, batch.lengths, batch.previous).float()  # (B, T, V)
        five = logits.topk(5, dim=-1).indices  # (B, T, 5)
        same = five == batch.targets[..., None]
        cosines = (vectors[batch.targets][..., None, :].float() * vectors[five].float()).sum(-1)
        others = batch.inside[..., None] & ~same & (vectors[batch.targets].abs().sum(-1, keepdim=True) > 0)
        inside = batch.inside.float()
        parts = [
            cross_entropy(logits, batch.targets, inside) * inside.sum(),
            (same[..., 0] & batch.inside).sum(),
            (same.any(-1) & batch.inside).sum(),
            inside.sum(),
            (cosines * others).sum(),
            others.sum(),
        ]
        sums += torch.stack([part.double() for part in parts])
    loss, first, among, count, closeness, others_count = sums.tolist()
    return WordFigures(
        clear_loss=loss / count,
        accuracy=first / count,
        among_five=among / count,
        closeness=closeness / max(1.0, others_count),
    )
