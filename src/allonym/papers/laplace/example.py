"""The paper's worked example (its figures 1 to 3): words that move whole, and a flow that becomes doubly stochastic.

Two documents of three words each, in the place of the paper's sentences; and a longer one, for which words must be
split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym import distances
from allonym.drawing.tables import markdown_table
from allonym.papers.stored import Result
from allonym.vectors.embeddings import WordTable

FROM = ("captain", "greets", "sailors")
TO = ("officer", "welcomes", "crew")
LONGER = (*TO, "warmly")


@dataclass(frozen=True)
class Example(Result):
    """A document moved to another.

    Attributes:
        words: Of the one.
        others: Of the other.
        costs: The Euclidean distance of each word of the one (a row) to each of the other.
        flow: T: how much of each word moves where; every row adds up to 1/a, every column to 1/b.
        distance: Word Mover's Distance.
        whole: Whether n·T is doubly stochastic and holds nothing but 0 and 1; only if both have n words.
        unnormalised: n times the distance: the sum over whole words.
    """

    words: Sequence[str]
    others: Sequence[str]
    costs: Sequence[Sequence[float]]
    flow: Sequence[Sequence[float]]
    distance: float
    whole: bool
    unnormalised: float | None

    @classmethod
    def of(cls, words: Sequence[str], others: Sequence[str], table: WordTable) -> Example:
        """Return how the words move, by the vectors of the table, which must have them."""
        first, second = (table.vectors[table.rows(each)].astype(np.float64) for each in (words, others))
        costs = np.linalg.norm(first[:, None] - second[None], axis=-1)
        flow = best_flow(costs)
        multiplied = flow * len(words)
        same = len(words) == len(others)
        return cls(
            list(words),
            list(others),
            costs.tolist(),
            flow.tolist(),
            distances.word_movers(first, second),
            same and is_permutation(multiplied),
            distances.unnormalised_word_movers(first, second) if same else None,
        )


def best_flow(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the flow of least cost, by the linear programme of definition 2, at a corner of what is allowed."""
    from scipy.optimize import linprog

    rows, columns = costs.shape
    sums = np.zeros((rows + columns, rows * columns))
    for row in range(rows):
        sums[row, row * columns : (row + 1) * columns] = 1
    for column in range(columns):
        sums[rows + column, column::columns] = 1
    totals = np.concatenate([np.full(rows, 1 / rows), np.full(columns, 1 / columns)])
    solved = linprog(costs.ravel(), A_eq=sums, b_eq=totals, method="highs-ds")
    flow: NDArray[np.float64] = np.maximum(np.asarray(solved.x), 0).reshape(rows, columns) + 0.0  # no −0
    return flow


def is_permutation(matrix: NDArray[np.float64]) -> bool:
    """Tell whether a matrix holds a single 1 in each row and column, and else 0."""
    rounded = np.rint(matrix)
    ones = (rounded.sum(axis=0) == 1).all() and (rounded.sum(axis=1) == 1).all()
    return bool(ones and np.isin(rounded, (0, 1)).all() and np.allclose(matrix, rounded, atol=1e-9))


def examples(table: WordTable) -> list[Example]:
    """Return both examples."""
    return [Example.of(FROM, TO, table), Example.of(FROM, LONGER, table)]


def markdown(shown: Sequence[Example]) -> str:
    """Return the flows as tables: each number the share that moves, in brackets the distance."""
    parts = []
    for example in shown:
        rows = [
            [word, *(f"{share:.3f} ({cost:.2f})" for share, cost in zip(shares, costs, strict=True))]
            for word, shares, costs in zip(example.words, example.flow, example.costs, strict=True)
        ]
        words = len(example.words)
        whole = (
            f"{words}·T is a permutation: whole words move, and the sum of their distances is "
            f"{example.unnormalised:.3f}, {words} times as much."
            if example.whole
            else "The documents differ in length, so words are split."
        )
        head = ["T (distance)", *example.others]
        parts += [markdown_table(head, rows, wide=False), f"Word Mover's Distance {example.distance:.3f}. {whole}"]
    return "\n\n".join(parts)
