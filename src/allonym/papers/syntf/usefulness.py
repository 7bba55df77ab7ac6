"""Theorem 3.6 and corollary 3.7 of the SynTF paper on its real vocabulary: bounds beside what they bound.

The paper leaves open which outputs are good. Here they are the best rated ones of a word, a fixed number of them: then,
as the paper argues, the ε that is needed grows with the logarithm of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym.drawing.figure_data import Figure, Lines, Panel, Point, Series
from allonym.mechanisms.bounds import necessary_epsilon, sufficient_epsilon, utility_bounds
from allonym.papers.stored import Result
from allonym.vectors.embeddings import WordTable
from allonym.vectors.ratings import WordRatings

GOOD = (1, 5, 20)  # how many outputs count as good
EPSILONS = tuple(range(5, 101, 5))
OUTPUTS = (100, 300, 1000, 3000, 10_000)  # and all there are
PROBABILITY = 0.5  # of a good output, in the corollary
_WORDS = 200  # that are looked at, spread evenly
_LARGEST = 1e6
_HALVINGS = 40

Float64 = NDArray[np.float64]


@dataclass(frozen=True)
class Usefulness(Result):
    """How likely an output is good, at one ε: the mean over words, with the means of both bounds of theorem 3.6."""

    good: int
    epsilon: int
    probability: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Needed(Result):
    """Which ε makes good outputs as likely as not, with so many outputs: medians over words.

    Attributes:
        good: How many outputs are good.
        outputs: How many there are.
        necessary: Corollary 3.7: no smaller ε can do it.
        epsilon: What does it.
        sufficient: Corollary 3.7: this surely does it.
    """

    good: int
    outputs: int
    necessary: float
    epsilon: float
    sufficient: float


@dataclass(frozen=True)
class GoodOutputs(
    Result, stored_as={"useful": "theorem_3_6", "needed": "corollary_3_7"}, left_out=("useful", "needed")
):
    """Both on a vocabulary; empty if they were not measured.

    Attributes:
        useful: Theorem 3.6.
        needed: Corollary 3.7.
    """

    useful: tuple[Usefulness, ...] = ()
    needed: tuple[Needed, ...] = ()


@dataclass(frozen=True)
class _RatedWord:
    """A word's ratings, best first, and where the good ones end (among equals none is left out)."""

    ratings: Float64
    good: int

    @property
    def bad(self) -> int:
        return len(self.ratings) - self.good

    @property
    def gap(self) -> float:
        """c: the least good rating less the best of the others."""
        return float(self.ratings[self.good - 1] - self.ratings[self.good])

    @property
    def spread(self) -> float:
        return float(self.ratings[0] - self.ratings[-1])

    def probability(self, epsilon: float) -> float:
        """Return how likely the mechanism gives a good output."""
        weights = np.exp(epsilon / 2 * (self.ratings - self.ratings[0]))
        return float(weights[: self.good].sum() / weights.sum())

    def epsilon(self) -> float:
        """Return the ε at which it is as likely as not: the good ones are the best, so more ε is always better."""
        low, high = 0.0, 1.0
        while self.probability(high) < PROBABILITY and high < _LARGEST:
            low, high = high, 2 * high
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.probability(middle) < PROBABILITY else (low, middle)
        return high


def of_vocabulary(terms: Sequence[str], table: WordTable, *, spelling_weight: float) -> GoodOutputs:
    """Return both, for the paper's rating of terms, which the table must have, by their vectors."""
    vectors = table.vectors[table.rows(terms)]
    useful: list[Usefulness] = []
    needed: list[Needed] = []
    for outputs in [*(size for size in OUTPUTS if size < len(terms)), len(terms)]:
        chosen = np.unique(np.linspace(0, len(terms) - 1, outputs).astype(np.int64))
        words = [terms[term] for term in chosen.tolist()]
        ratings = WordRatings(words, vectors[chosen], spelling_weight=spelling_weight)
        rows = list(_sorted_rows(ratings))
        needed += [_needed(good, rows) for good in GOOD if good < len(words)]
        if outputs == len(terms):
            useful = [_useful(good, epsilon, rows) for good in GOOD if good < len(words) for epsilon in EPSILONS]
    return GoodOutputs(tuple(useful), tuple(needed))


def figures(shown: GoodOutputs) -> dict[str, Figure]:
    """Return a figure of the theorem and one of the corollary, if they were measured."""
    if shown == GoodOutputs():
        return {}
    return {"theorem-3-6": _theorem(shown.useful), "corollary-3-7": _corollary(shown.needed)}


def _sorted_rows(ratings: WordRatings) -> Iterator[Float64]:
    rows = np.unique(np.linspace(0, ratings.shape[0] - 1, _WORDS).astype(np.int64))
    for _, tile in ratings.tiles(rows):
        yield from -np.sort(-tile.astype(np.float64) * ratings.unit, axis=1)


def _words(good: int, rows: Sequence[Float64]) -> list[_RatedWord]:
    counts = [int((row >= row[good - 1]).sum()) for row in rows]
    return [_RatedWord(row, count) for row, count in zip(rows, counts, strict=True) if count < len(row)]


def _useful(good: int, epsilon: int, rows: Sequence[Float64]) -> Usefulness:
    words = _words(good, rows)
    bounds = [utility_bounds(epsilon, good=word.good, bad=word.bad, gap=word.gap, spread=word.spread) for word in words]
    lower, upper = np.mean(bounds, axis=0).tolist()
    return Usefulness(good, epsilon, float(np.mean([word.probability(epsilon) for word in words])), lower, upper)


def _needed(good: int, rows: Sequence[Float64]) -> Needed:
    words = _words(good, rows)
    necessary = [necessary_epsilon(PROBABILITY, good=w.good, bad=w.bad, spread=w.spread) for w in words]
    sufficient = [sufficient_epsilon(PROBABILITY, good=w.good, bad=w.bad, gap=w.gap) for w in words]
    medians = [float(np.median(values)) for values in (necessary, [word.epsilon() for word in words], sufficient)]
    return Needed(good, len(rows[0]), *medians)


def _best(good: int) -> str:
    return "the best output" if good == 1 else f"one of the best {good}"


def _theorem(useful: Sequence[Usefulness]) -> Figure:
    panels = []
    for good in dict.fromkeys(row.good for row in useful):
        rows = [row for row in useful if row.good == good]
        series = [
            Series(name, tuple(Point(row.epsilon, getattr(row, part)) for row in rows))
            for name, part in (("upper bound", "upper"), ("probability", "probability"), ("lower bound", "lower"))
        ]
        panels.append(Panel(_best(good), tuple(series)))
    what = "How likely a good substitute is drawn, over ε, between both bounds: means over words of the vocabulary."
    return Lines("Bounds on usefulness (theorem 3.6)", what, "ε", "probability", tuple(panels), y_range=(0.0, 1.0))


def _corollary(needed: Sequence[Needed]) -> Figure:
    def series(good: int, part: str, name: str) -> Series:
        rows = [row for row in needed if row.good == good]
        return Series(f"{_best(good)}: {name}", tuple(Point(row.outputs, getattr(row, part)) for row in rows))

    sizes = list(dict.fromkeys(row.good for row in needed))
    parts = (("necessary", "necessary"), ("epsilon", "what it takes"))
    panel = Panel("as likely as not", tuple(series(good, part, name) for good in sizes for part, name in parts))
    what = "Which ε makes a good substitute as likely as not, over the size of the vocabulary: medians over words."
    return Lines("Which ε it takes (corollary 3.7)", what, "number of outputs", "ε", (panel,), log_x=True)
