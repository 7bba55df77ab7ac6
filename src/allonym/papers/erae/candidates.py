"""How likely a good word is under three mechanisms of equal loss: the plain exponential one, two-set and subset.

All by their laws, nothing is sampled. "Good" are the model's first five words, as in table 3 of the ER-AE paper.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.errors import ParameterError
from allonym.mechanisms import Exponential, Subset, TwoSet
from allonym.randomness import Stream

_ROUNDING = 1e-6
_LARGEST_LOSS = 15.0
_TOLD_APART = 10  # words whose sets are enumerated; all others are taken as equally likely, and never drawn twice

Float64 = NDArray[np.float64]


class PlainExponential:
    """The exponential mechanism with the model's probabilities as its rating, and no candidate sets.

    Law: Pr[w | p] ∝ e^(a·p_w), by the exact integer law of `Exponential` with ε = 2a and Δ = 1.

    Price: a, over all probability vectors p of s outputs. Pr[w | p] is largest, e^a/(e^a + s − 1), with all of p on w,
    and smallest, 1/(e^a + s − 1), with all of p on another output: the sum of e^(a·p_v) is convex in p, so that it is
    largest at a corner. Steps of the integer law are 2^-25 of an octave, and weights, at least 2^44·e^-a, lose less
    than one unit: together below 1e-6 for a ≤ 15, and by so much a stays below the loss asked for.

    Privacy: `loss()` for each output drawn.

    Args:
        outputs: s, how many words there are.
        loss: The most that one draw may lose; at most 15.
    """

    def __init__(self, outputs: int, *, loss: float) -> None:
        if not 0 < loss <= _LARGEST_LOSS:
            raise ParameterError(f"loss must be above 0 and at most {_LARGEST_LOSS:g}, got {loss}.")
        self.outputs = outputs
        self._loss = loss

    def loss(self) -> float:
        """Return the loss of one draw."""
        return self._loss

    def law(self, p: ArrayLike) -> Float64:
        """Return the probability of each output for one row of probabilities."""
        return self._of(np.asarray(p)[None]).law(0)

    def draw(self, p: ArrayLike, rng: Stream, *, rows: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Draw one output for each row, as the other mechanisms do."""
        numbers = np.asarray(p)
        places = np.arange(math.prod(numbers.shape[:-1])).reshape(numbers.shape[:-1]) if rows is None else rows
        return self._of(numbers.reshape(-1, self.outputs)).draw(places, rng)

    def _of(self, rows: NDArray[np.floating]) -> Exponential:
        probabilities = np.clip(rows.astype(np.float64), 0, None)
        probabilities /= probabilities.sum(axis=1, keepdims=True)  # the price counts on a sum of 1
        return Exponential(probabilities, epsilon=2 * (self._loss - _ROUNDING))


def shares(p: ArrayLike, good: Sequence[int], *, epsilon: float, candidates: int) -> dict[str, float]:
    """Return how likely one of the good words is drawn, by mechanism.

    The plain exponential mechanism stands there twice: at the ε at which the paper compares (its own ε + ln s, taken
    for an ε of the exponential mechanism), and at the loss that two-set really has.

    Args:
        p: The model's probabilities.
        good: Which words are good.
        epsilon: ε of the two-set mechanism.
        candidates: Its k, and that of the subset mechanism.
    """
    row = np.asarray(p, np.float64)
    two_set = TwoSet(len(row), epsilon=epsilon, candidates=candidates)
    loss, chosen = two_set.loss(), list(good)
    published = Exponential(row[None], epsilon=two_set.as_published).law(0)
    return {
        "exponential_as_published": float(published[chosen].sum()),
        "exponential": float(PlainExponential(len(row), loss=loss).law(row)[chosen].sum()),
        "two_set": two_set_share(row, chosen, epsilon=epsilon, candidates=candidates),
        "subset": float(Subset(len(row), loss=loss, candidates=candidates).law(row)[chosen].sum()),
    }


def two_set_share(p: ArrayLike, good: Sequence[int], *, epsilon: float, candidates: int) -> float:
    """Return how likely the two-set mechanism draws one of the good words.

    The mechanism's own `law` enumerates all sets, which 20,000 words have too many of. Here the sets of the ten most
    likely words are, and the draws that fall on the others are counted: exact where there are no others.

    Args:
        p: The model's probabilities.
        good: Which words are good; they must be among the ten most likely.
        epsilon: ε of the mechanism.
        candidates: How many candidates it draws.
    """
    row = np.asarray(p, np.float64) / np.sum(p)
    top = np.argsort(-row, kind="stable")[:_TOLD_APART].tolist()
    others = len(row) - len(top)
    tail = max(0.0, 1 - float(row[top].sum()))
    share = 0.0
    for members, elsewhere, probability in _sets(row[top].tolist(), tail, candidates):
        size = len(members) + elsewhere
        inside = sum(top[member] in good for member in members)
        mass = sum(row[top[member]] for member in members) + elsewhere * (tail / others if others else 0.0)
        coin = 1.0 if size == len(row) else 1 / (1 + math.exp(-epsilon / 2 * (2 * mass - 1)))
        outside = (len(good) - inside) / (len(row) - size) if size < len(row) else 0.0
        share += probability * (coin * inside / size + (1 - coin) * outside)
    return share


def _sets(known: Sequence[float], tail: float, draws: int) -> Iterator[tuple[tuple[int, ...], int, float]]:
    """Yield each set of known words with a number of draws that fall elsewhere, and how likely both are."""
    for elsewhere in range(draws + 1):
        falls = math.comb(draws, elsewhere) * tail**elsewhere
        left = draws - elsewhere
        for size in range(min(1, left), min(left, len(known)) + 1):
            for members in combinations(range(len(known)), size):
                probability = falls * _exactly([known[member] for member in members], left)
                if probability > 0:
                    yield members, elsewhere, probability


def _exactly(masses: Sequence[float], draws: int) -> float:
    """Return how likely so many draws find each of these words, and no other (inclusion and exclusion)."""
    terms = (
        (-1) ** (len(masses) - size) * math.fsum(chosen) ** draws
        for size in range(len(masses) + 1)
        for chosen in combinations(masses, size)
    )
    return math.fsum(terms)
