"""What every training loop does: cut sentences into batches, step down a loss, know how far it is, keep the best."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from allonym.errors import ParameterError

Rows = NDArray[np.int64]
_Batch = TypeVar("_Batch")


@dataclass(frozen=True)
class Limit:
    """When training ends: after so many minutes or steps, whatever comes first."""

    minutes: float = math.inf
    steps: int = 10**9

    def __post_init__(self) -> None:
        if not self.minutes > 0 or self.steps < 1:
            raise ParameterError(f"Training needs some minutes and a step, got {self.minutes} and {self.steps}.")


class Clock:
    """How far a run is within its limit."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self.start()

    def start(self, seconds_before: float = 0.0) -> None:
        """Begin to count, after so many seconds of a run that is resumed."""
        self._began = time.monotonic() - seconds_before

    @property
    def seconds(self) -> float:
        """How long this run, and the one it resumes, have trained."""
        return time.monotonic() - self._began

    def part(self, steps: int) -> float:
        """Return the share of the minutes or of the steps that is spent, whichever is more."""
        return max(steps / self.limit.steps, self.seconds / (60 * self.limit.minutes))


class Best:
    """The lowest loss of all looks, the weights that had it, and how many looks were in vain since."""

    def __init__(self, network: nn.Module) -> None:
        self.weights: dict[str, Any] = copy.deepcopy(network.state_dict())
        self.start_over()

    def start_over(self) -> None:
        """Forget the loss: from here on it is another one, and the first look is the best."""
        self.lowest, self.looks_since = math.inf, 0

    def look(self, loss: float, network: nn.Module) -> None:
        """Compare the present network."""
        self.looks_since += 1
        if loss < self.lowest:
            self.lowest, self.looks_since = loss, 0
            self.weights = copy.deepcopy(network.state_dict())


def batches_of_like_length(order: Rows, lengths: Rows, size: int, *, sorted_together: int | None = None) -> list[Rows]:
    """Cut rows into batches of a size that need little padding.

    Of so many batches at a time the rows are `sorted_together` by length; all of them if it is None.
    """
    pool_size = len(order) if sorted_together is None else size * sorted_together
    batches: list[Rows] = []
    for start in range(0, len(order), max(1, pool_size)):
        pool = order[start : start + pool_size]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches += [pool[first : first + size] for first in range(0, len(pool), size)]
    return batches


class TokenRows(Generic[_Batch]):
    """Sentences as one row of tokens, on the device that trains; a subclass says what a batch of some of them is."""

    def __init__(self, tokens: NDArray[Any], lengths: NDArray[Any], device: torch.device) -> None:
        self.lengths: Rows = lengths.astype(np.int64)
        narrow = np.int16 if tokens.max(initial=0) < 2**15 else np.int32  # as billions of them may lie on the device
        self.tokens = torch.from_numpy(tokens.astype(narrow)).to(device)
        self._starts = torch.from_numpy(np.cumsum(self.lengths) - self.lengths).to(device)

    def __len__(self) -> int:
        return len(self.lengths)

    def batch(self, rows: Rows) -> _Batch:
        """Return some sentences."""
        raise NotImplementedError

    def first(self, rows: Rows, places: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return what is at so many places of some sentences and beyond, the places' numbers, and lengths as a column.

        Lengths are moved without waiting for the device.
        """
        device = self.tokens.device
        at = torch.arange(places, device=device)[None, :]
        where = self._starts[torch.from_numpy(rows).to(device)][:, None] + at
        words = self.tokens[where.clamp(max=len(self.tokens) - 1)].long()
        return words, at, torch.from_numpy(self.lengths[rows]).to(device, non_blocking=True)[:, None]

    def in_order(self, size: int) -> Iterator[_Batch]:
        """Yield all sentences once, in batches of like length."""
        yield from map(self.batch, batches_of_like_length(np.arange(len(self)), self.lengths, size))

    def shuffled(
        self, size: int, chance: torch.Generator, *, skipped: int = 0, sorted_together: int | None = None
    ) -> Iterator[_Batch]:
        """Yield all sentences once: shuffled, sorted by length, cut into batches, these shuffled.

        The first batches are skipped if an interrupted run has seen them; see `batches_of_like_length` for the rest.
        """
        order = torch.empty(len(self)).uniform_(generator=chance).argsort().numpy()
        batches = batches_of_like_length(order, self.lengths, size, sorted_together=sorted_together)
        for number in torch.empty(len(batches)).uniform_(generator=chance).argsort().tolist()[skipped:]:
            yield self.batch(batches[number])


def cross_entropy(ratings: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Return the mean −log-likelihood of targets (…) by ratings of all words (…, V), each counted by its weight."""
    losses = nn.functional.cross_entropy(ratings.flatten(0, -2).float(), targets.flatten(), reduction="none")
    return (losses * weights.flatten()).sum() / weights.sum()


def set_rates(optimizer: torch.optim.Optimizer, rates: Sequence[float]) -> None:
    """Set the learning rate of each group of weights."""
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate


def descend(loss: Tensor, optimizer: torch.optim.Optimizer, longest: float, *, may_overflow: bool = False) -> Tensor:
    """Make one step down a loss, the gradient cut to the `longest`; return the loss without its history.

    Parts of a gradient that may overflow count as zero where they are no numbers.
    """
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    optimizer.zero_grad(set_to_none=True)
    torch.autograd.backward(loss)
    for weight in weights if may_overflow else ():
        if weight.grad is not None:
            torch.nan_to_num_(weight.grad, 0.0, 0.0, 0.0)
    nn.utils.clip_grad_norm_(weights, longest)
    optimizer.step()
    return loss.detach()
