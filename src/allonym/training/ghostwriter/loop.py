"""Training a writer: it reads drawn notes and learns to write the passage that they were taken from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from allonym.training.ghostwriter.batches import DrawnPassages, WriterBatch
from allonym.training.ghostwriter.network import WriterNetwork
from allonym.training.steps import Best, Clock, Limit, cross_entropy, descend, set_rates

_BATCHES_SORTED_TOGETHER = 50
_LONGEST_GRADIENT = 1.0
_LEAST_RATE = 0.02
_WARM_UP_SHARE = 0.05  # of the training, at most: a slow machine makes few steps in its minutes


@dataclass(frozen=True)
class WriterSchedule:
    """How to train."""

    minutes: float = math.inf  # stop after so long
    steps: int = 10**9  # stop after so many steps, if that is sooner
    learning_rate: float = 1e-3  # of AdamW, at its highest; from there it falls as a cosine
    warm_up: int = 300  # steps until the learning rate is at its highest
    batch_size: int = 64  # passages of a step
    look_every: int = 500  # steps between two looks at the held-out passages
    patience: int = 8  # looks without a lower loss, after which training ends
    seed: int = 1  # fixes order and noise, on one kind of machine


class WriterTraining:
    """A training run, on the device of the passages; `training.checkpoints` can write it down between two steps.

    `progress` is told at each look at the held-out passages, `after_step` after each step: it may raise to end the run.
    """

    counters = ("done", "step", "tokens", "place")

    def __init__(
        self,
        network: WriterNetwork,
        learned: DrawnPassages,
        held_out: DrawnPassages,
        schedule: WriterSchedule,
        progress: Callable[[dict[str, float]], None] | None = None,
    ) -> None:
        self.network, self.learned, self.held_out = network, learned, held_out
        self.schedule, self.progress = schedule, progress
        self.device, self.chance = learned.chance.device, learned.chance
        self.optimizer = torch.optim.AdamW(
            network.parameters(), lr=schedule.learning_rate, betas=(0.9, 0.98), weight_decay=0.01,
            fused=self.device.type == "cuda",
        )  # fmt: skip
        self.order = torch.Generator().manual_seed(schedule.seed)
        self.order_of_epoch = self.order.get_state()  # before the present epoch's order was drawn
        self.place = 0  # batches of the present epoch that are done
        self.after_step: Callable[[WriterTraining], None] | None = None
        self.done, self.step, self.tokens = 0.0, 0, 0
        self.seconds_before = 0.0  # of the run that this one resumes
        self.clock, self.best = Clock(Limit(schedule.minutes, schedule.steps)), Best(network)

    def further(self) -> dict[str, Tensor]:
        """Return what else it has learned: nothing."""
        return {}

    def take_further(self, tensors: Mapping[str, Tensor]) -> None:
        """Go on with what `further` returned."""

    def run(self) -> WriterNetwork:
        """Train until the time, the steps or the patience is spent; return the best network."""
        self.clock.start(self.seconds_before)
        while self.done < 1:
            self._epoch()
        self.network.load_state_dict(self.best.weights)
        return self.network.eval()

    def _epoch(self) -> None:
        """Go over the passages, from where an interrupted run stopped, until all are seen or training ends."""
        self.order_of_epoch = self.order.get_state()
        batches = self.learned.shuffled(
            self.schedule.batch_size, self.order, skipped=self.place, sorted_together=_BATCHES_SORTED_TOGETHER
        )
        for batch in batches:
            loss = self._learn(batch)
            self.step += 1
            self.tokens += batch.tokens
            self.place += 1
            self.done = max(self.done, min(1.0, self.clock.part(self.step)))
            if self.step % self.schedule.look_every == 0 or self.done >= 1:
                self._look(loss)
            if self.after_step is not None:
                self.after_step(self)
            if self.done >= 1:
                return
        self.place = 0

    def loss(self, batch: WriterBatch) -> Tensor:
        """Return the mean −ln P of a piece."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            ratings = self.network(batch.notes, batch.absent, batch.pieces)
        return cross_entropy(ratings, batch.pieces, batch.weights)

    def _learn(self, batch: WriterBatch) -> Tensor:
        self.network.train()
        warm = min(1.0, max((self.step + 1) / self.schedule.warm_up, self.done / _WARM_UP_SHARE))
        falling = max(_LEAST_RATE, (1 + math.cos(math.pi * self.done)) / 2)
        set_rates(self.optimizer, [self.schedule.learning_rate * warm * falling])
        return descend(self.loss(batch), self.optimizer, _LONGEST_GRADIENT)

    def _look(self, loss: Tensor) -> None:
        """Measure on the held-out passages, and end when it no longer helps."""
        held_out_loss = self.held_out_loss()
        self.best.look(held_out_loss, self.network)
        figures = {"held_out_loss": held_out_loss, "loss": float(loss), "done": self.done, "step": float(self.step)}
        figures |= {"lowest": self.best.lowest, "tokens_per_second": self.tokens / max(1e-9, self.clock.seconds)}
        if self.progress is not None:
            self.progress(figures)
        if self.best.looks_since >= self.schedule.patience:
            self.done = 1.0

    @torch.no_grad()
    def held_out_loss(self) -> float:
        """Return the mean −ln P of a piece of the held-out passages, with the same noise at every look."""
        self.network.eval()
        self.held_out.chance.manual_seed(self.schedule.seed)
        sums = counts = 0.0
        for batch in self.held_out.in_order(self.schedule.batch_size):
            pieces = float(batch.weights.sum())
            sums += float(self.loss(batch)) * pieces
            counts += pieces
        return sums / counts
