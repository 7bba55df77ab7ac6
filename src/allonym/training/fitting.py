"""Training a text classifier: batches, early stopping on texts held out, the processor or a graphics card."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from allonym.errors import ParameterError
from allonym.randomness import Rng, insecure
from allonym.training.steps import Best, Rows, batches_of_like_length, descend

# Told after each epoch: epochs done, epochs at most, loss on what is held out (on what is learned if nothing is).
Progress = Callable[[int, int, float], None]

_LONGEST_GRADIENT = 5.0  # as A4NT's released code; only recurrent networks ever come near it
_BATCHES_SORTED_TOGETHER = 50
_SCORED_AT_ONCE = 256


class Examples(Protocol):
    """What a network reads, ready for batches of about one length, to spare padding."""

    lengths: Rows

    def batch(self, rows: Rows) -> tuple[Tensor, ...]:
        """Return the network's inputs for some examples."""


class Classifier(nn.Module):
    """A network that maps a batch of examples to log-probabilities, examples × classes."""

    def optimizer(self, learning_rate: float) -> torch.optim.Optimizer:
        """Return the optimizer its paper used."""
        raise NotImplementedError


@dataclass(frozen=True)
class Schedule:
    """How to train."""

    epochs: int  # passes over the examples, at most
    patience: int  # stop after so many passes that did not lower the loss on the examples held out
    batch_size: int  # examples of one step
    learning_rate: float  # size of a step
    seed: int  # fixes initial weights, order, dropout and who is held out
    progress: Progress | None = None  # told after each epoch


@contextmanager
def seeded(seed: int) -> Iterator[Rng]:
    """Seed torch from a repeatable stream, which is handed out too, and leave torch's own generators as they were.

    Repeatable on one machine's processor; some sums of a graphics card come in no fixed order.
    """
    stream = insecure(seed)
    word = int(stream.words(1)[0])
    before = torch.get_rng_state()
    cards_before = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    torch.default_generator.manual_seed(word)
    if cards_before:
        torch.cuda.manual_seed_all(word)
    try:
        yield stream
    finally:
        torch.set_rng_state(before)
        if cards_before:
            torch.cuda.set_rng_state_all(cards_before)


def device() -> torch.device:
    """Return the graphics card if there is one that torch can use, else the processor."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def chosen_device(name: Literal["auto", "cpu", "cuda"]) -> torch.device:
    """Return the device that a user asks for.

    Raises:
        ParameterError: A graphics card is asked for, and torch has none.
    """
    if name == "cuda" and not torch.cuda.is_available():
        raise ParameterError("torch finds no graphics card here; choose --device cpu or auto.")
    return device() if name == "auto" else torch.device(name)


def fit(
    make: Callable[[], Classifier], examples: Examples, classes: Rows, documents: Rows, schedule: Schedule
) -> Classifier:
    """Make and train a network, torch seeded; of all epochs, return the one with the lowest loss on a tenth held out.

    Whole documents are held out, because a document's sentences are too much alike to test one by another. Of fewer
    than ten documents none is held out, and every epoch is run.
    """
    with seeded(schedule.seed) as stream:
        network = make().to(device())
        learning, held_out = _split(documents, stream)
        targets = torch.from_numpy(classes).to(device())
        optimizer = network.optimizer(schedule.learning_rate)
        best = Best(network)
        for epoch in range(1, schedule.epochs + 1):
            order = learning[np.argsort(stream.words(len(learning)), kind="stable")]
            learned = _epoch(
                network, examples, targets, _batches(order, examples, schedule.batch_size, stream), optimizer
            )
            loss = _loss(network, examples, classes, held_out) if len(held_out) else learned
            if schedule.progress is not None:
                schedule.progress(epoch, schedule.epochs, loss)
            best.look(loss if len(held_out) else -epoch, network)  # with nothing held out the last is the best
            if best.looks_since >= schedule.patience:
                break
        network.load_state_dict(best.weights)
    return network.eval()


def log_probabilities(network: Classifier, examples: Examples, rows: Rows | None = None) -> NDArray[np.float64]:
    """Return examples × classes, for some rows or all."""
    rows = np.arange(len(examples.lengths)) if rows is None else rows
    order = np.argsort(examples.lengths[rows], kind="stable")
    parts = []
    network.eval()
    with torch.no_grad():
        for chosen in batches_of_like_length(rows, examples.lengths, _SCORED_AT_ONCE):
            parts.append(network(*_moved(examples.batch(chosen))).double().cpu().numpy())
    together: NDArray[np.float64] = np.concatenate(parts)
    return together[np.argsort(order)]


def arrays_of(network: nn.Module) -> dict[str, NDArray[Any]]:
    """Return a network's weights, by name."""
    return {name: weight.cpu().numpy() for name, weight in network.state_dict().items()}


def fill(network: nn.Module, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Give a network the weights that `arrays_of` returned."""
    network.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in arrays.items()})


def with_arrays(network: Classifier, arrays: dict[str, NDArray[Any]]) -> Classifier:
    """Return a network with the weights that `arrays_of` returned, ready to be used."""
    fill(network, arrays)
    return network.to(device()).eval()


def _split(documents: Rows, stream: Rng) -> tuple[Rows, Rows]:
    distinct = np.unique(documents)
    chosen = distinct[np.argsort(stream.words(len(distinct)), kind="stable")[: len(distinct) // 10]]
    held_out = np.isin(documents, chosen)
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)


def _batches(rows: Rows, examples: Examples, size: int, stream: Rng) -> list[Rows]:
    """Shuffle rows, cut them into batches of like length, and shuffle these."""
    order = rows[np.argsort(stream.words(len(rows)), kind="stable")]
    batches = batches_of_like_length(order, examples.lengths, size, sorted_together=_BATCHES_SORTED_TOGETHER)
    return [batches[number] for number in np.argsort(stream.words(len(batches)), kind="stable")]


def _epoch(
    network: Classifier, examples: Examples, targets: Tensor, batches: list[Rows], optimizer: torch.optim.Optimizer
) -> float:
    """Go over all batches once and return the mean loss met on the way."""
    network.train()
    total = 0.0
    for rows in batches:
        predicted = network(*_moved(examples.batch(rows)))
        loss = nn.functional.nll_loss(predicted, targets[torch.from_numpy(rows).to(targets.device)])
        total += descend(loss, optimizer, _LONGEST_GRADIENT).item() * len(rows)
    return total / sum(len(rows) for rows in batches)


def _loss(network: Classifier, examples: Examples, classes: Rows, rows: Rows) -> float:
    return float(-log_probabilities(network, examples, rows)[np.arange(len(rows)), classes[rows]].mean())


def _moved(inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(tensor.to(device()) for tensor in inputs)
