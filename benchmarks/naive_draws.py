"""Claim: all draws cost a thousandth of drawing word by word from a float softmax row with `np.random.choice`.

The rival computes the same law, in float, with plain NumPy and SciPy; unit vectors and the sparse table of letter pairs
are made beforehand and not timed. Beside it stand two others without a target: the same tuned, touching only the words
that share a letter pair, and the formula as the paper prints it, counting letter pairs with Python sets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from _common import DRAWS, EPSILON, SPELLING_WEIGHT, WORDS, Job, Row, interleaved, run_benchmark
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from allonym.language.words import letter_bigrams
from allonym.randomness import insecure
from allonym.vectors.embeddings import WordTable
from allonym.vectors.ratings import gram_incidence

TARGET = 1_000
SAMPLE = 500
LITERAL_SAMPLE = 5

Floats = NDArray[np.float64]
Spelling = Callable[[int], tuple[NDArray[np.integer] | slice, Floats]]  # word -> (other words, likeness in letters)


def plain_spelling(table: WordTable) -> Spelling:
    """Return the share of letter pairs in common with word i, for every word, by a sparse matrix product."""
    pairs = gram_incidence(table.words)
    sizes = np.diff(pairs.indptr)

    def shared_with(i: int) -> tuple[slice, Floats]:
        return slice(None), 2 * (pairs @ pairs[[i]].toarray()[0]) / (sizes + sizes[i])

    return shared_with


def tuned_spelling(table: WordTable) -> Spelling:
    """Return the same, only where there are any: a product with the transposed table, made beforehand."""
    pairs = gram_incidence(table.words)
    words_with = pairs.T.tocsr()
    sizes = np.diff(pairs.indptr)

    def shared_with(i: int) -> tuple[NDArray[np.integer], Floats]:
        shared = (pairs[[i]] @ words_with).tocoo()
        return shared.col, 2 * shared.data / (sizes[i] + sizes[shared.col])

    return shared_with


def literal_spelling(table: WordTable) -> Spelling:
    """Return the same, as the formula reads: two sets and their intersection, for each word."""
    pairs = [set(letter_bigrams(word)) for word in table.words]

    def shared_with(i: int) -> tuple[slice, Floats]:
        mine = pairs[i]
        return slice(None), np.array([2 * len(mine & other) / max(len(mine) + len(other), 1) for other in pairs])

    return shared_with


def softmax_row(i: int, units: NDArray[np.float32], spelling: Spelling) -> Floats:
    """Return the law of word i in float."""
    ratings = units @ units[i]
    others, likeness = spelling(i)
    ratings[others] -= SPELLING_WEIGHT * likeness
    weights = np.exp(EPSILON / 2 * np.clip(ratings, 0, 1).astype(np.float64))
    return weights / weights.sum()


def draw_naively(words: Sequence[int], units: NDArray[np.float32], spelling: Spelling) -> None:
    """Draw a substitute for each word, one after the other."""
    with threadpool_limits(1):
        for i in words:
            np.random.choice(len(units), p=softmax_row(i, units, spelling))


def measure(job: Job) -> list[Row]:
    """Time samples of the naive ways and all of our draws, in turns."""
    sample = np.random.default_rng(1).choice(job.inputs.ravel(), SAMPLE)
    units = job.table.unit()
    plain, tuned, literal = plain_spelling(job.table), tuned_spelling(job.table), literal_spelling(job.table)
    seconds = interleaved(
        {
            "naive": lambda: draw_naively(sample, units, plain),
            "tuned": lambda: draw_naively(sample, units, tuned),
            "literal": lambda: draw_naively(sample[:LITERAL_SAMPLE], units, literal),
            "ours": lambda: job.mechanism().draw(job.inputs, insecure(1)),
        }
    )
    naive = seconds["naive"] / SAMPLE * DRAWS
    literal_way = seconds["literal"] / LITERAL_SAMPLE * DRAWS
    tuned_way = seconds["tuned"] / SAMPLE * DRAWS
    ratio, literal_ratio = naive / seconds["ours"], literal_way / seconds["ours"]
    tuned_ratio = tuned_way / seconds["ours"]
    return [
        Row(
            f"{DRAWS:,} draws over {WORDS:,} words, against a float softmax row and np.random.choice for each word",
            f"≥ {TARGET:,}×",
            f"{ratio:,.0f}× ({seconds['ours']:.1f} s; {naive:,.0f} s, scaled from {SAMPLE} words)",
            ratio >= TARGET,
            {"ratio": ratio, "naive_s": naive, "ours_s": seconds["ours"]},
        ),
        Row(
            "the same, the rival tuned to touch only words that share a letter pair",
            "",
            f"{tuned_ratio:,.0f}× ({tuned_way:,.0f} s, scaled from {SAMPLE} words)",
            None,
            {"ratio": tuned_ratio, "tuned_s": tuned_way},
        ),
        Row(
            "the same, the rival's shared letter pairs counted with Python sets, as the formula reads",
            "",
            f"{literal_ratio:,.0f}× ({literal_way:,.0f} s, scaled from {LITERAL_SAMPLE} words)",
            None,
            {"ratio": literal_ratio, "literal_s": literal_way},
        ),
    ]


if __name__ == "__main__":
    run_benchmark(measure)
