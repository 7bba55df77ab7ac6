"""The law, by exact enumeration in rational arithmetic: nothing here trusts a float."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from allonym import acceleration
from allonym.mechanisms import Exponential
from allonym.mechanisms.weights import MOST_OUTPUTS
from allonym.randomness import insecure
from allonym.vectors.ratings import WordRatings

EPSILONS = (0.01, 1.0, 10.0, 47.5, 200.0, 5000.0)


def exact_law(mechanism: Exponential) -> list[list[Fraction]]:
    rows = [mechanism.weights(i) for i in range(mechanism.inputs)]
    totals = [sum(int(weight) for weight in row) for row in rows]
    return [[Fraction(int(w), total) for w in row] for row, total in zip(rows, totals, strict=True)]


def exact_loss(law: list[list[Fraction]]) -> float:
    """ln of the largest ratio between two inputs for one output; infinite where one of them is impossible."""
    worst = Fraction(1)
    for column in zip(*law, strict=True):
        if min(column) == 0:
            return math.inf if max(column) > 0 else 0.0
        worst = max(worst, max(column) / min(column))
    with localcontext(prec=50):
        return float((Decimal(worst.numerator) / Decimal(worst.denominator)).ln())


def dense(seed: int, inputs: int = 7, outputs: int = 9) -> np.ndarray:
    return insecure(seed).below(1001, (inputs, outputs)) / 1000


def streamed(words: int = 12, spelling_weight: float = 0.3) -> WordRatings:
    vectors = insecure(5).below(201, (words, 6)).astype(np.float32) - 100
    names = ["ant", "bee", "cat", "cart", "dog", "eel", "fox", "goat", "goats", "hen", "ibis", "jay"][:words]
    return WordRatings(names, vectors, spelling_weight=spelling_weight)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(
    "scores", [dense(1), dense(2, 3, 2), streamed(), np.eye(4)], ids=["dense", "3x2", "words", "eye"]
)
def test_loss_is_the_exact_one(scores, epsilon):
    mechanism = Exponential(scores, epsilon=epsilon)
    law = exact_law(mechanism)
    assert all(sum(row) == 1 for row in law)
    assert all(probability > 0 for row in law for probability in row)
    exact = exact_loss(law)
    assert exact <= mechanism.loss() <= exact + 1e-9


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 10.0, 40.0])
def test_dense_law_is_the_softmax_and_within_epsilon(epsilon):
    scores = dense(3)
    mechanism = Exponential(scores, epsilon=epsilon)
    for i, row in enumerate(scores):
        ideal = np.exp(epsilon / 2 * (row - row.max()))
        np.testing.assert_allclose(mechanism.law(i), ideal / ideal.sum(), rtol=1e-6 * max(1, epsilon))
    assert mechanism.loss() <= epsilon


@pytest.mark.parametrize("epsilon", [1.0, 10.0, 47.5])
def test_streamed_law_is_the_softmax_within_a_step(epsilon):
    ratings = streamed()
    mechanism = Exponential(ratings, epsilon=epsilon)
    [(_, scores)] = ratings.tiles(np.arange(12))
    scores = scores.astype(float) * ratings.unit
    for i, row in enumerate(scores):
        ideal = np.exp(epsilon / 2 * (row - row.max()))
        np.testing.assert_allclose(mechanism.law(i), ideal / ideal.sum(), rtol=2.5e-4)


def test_sensitivity_rescales_epsilon():
    scores = dense(4)
    narrow, wide = Exponential(scores, epsilon=3.0), Exponential(scores * 4, epsilon=3.0, sensitivity=4.0)
    assert [w.tolist() for w in map(narrow.weights, range(7))] == [w.tolist() for w in map(wide.weights, range(7))]


def test_scores_may_be_shifted_by_row_and_negative():
    scores = dense(6)
    shifted = scores - insecure(1).below(100, (7, 1))
    np.testing.assert_allclose(
        Exponential(scores, epsilon=2.0).law(3), Exponential(shifted, epsilon=2.0).law(3), rtol=1e-6
    )


def test_at_two_hundred_every_output_is_possible_and_the_best_nearly_certain():
    mechanism = Exponential(np.eye(50), epsilon=200.0)
    law = mechanism.law(0)
    assert law.min() > 0
    assert law[0] > 1 - 1e-10
    assert math.isfinite(mechanism.loss())
    # Weights are 2^44 and 1 there, so the loss is exactly ln 2^44.
    assert mechanism.loss() == pytest.approx(44 * math.log(2), abs=1e-9)


def test_an_impossible_output_would_be_an_infinite_loss():
    """The oracle of this file must be able to fail: a float softmax at ε = 4000 loses an output."""
    scores = np.array([[1.0, 0.0], [0.0, 1.0]])
    floats = np.exp(4000 / 2 * (scores - scores.max(axis=1, keepdims=True)))
    law = [[Fraction(float(p)) for p in row] for row in floats / floats.sum(axis=1, keepdims=True)]
    assert exact_loss(law) == math.inf
    assert exact_loss(exact_law(Exponential(scores, epsilon=4000))) < 31


@pytest.mark.parametrize("epsilon", [0.01, 47.5, 200.0, 1e6])
def test_compiled_loops_give_the_same_integers(monkeypatch, epsilon):
    ratings = streamed()
    inputs = insecure(9).below(12, (3000,))

    def everything() -> tuple[list[int], list[float], list[float], list[int]]:
        mechanism = Exponential(ratings, epsilon=epsilon)
        highest, lowest = mechanism.extremes
        law = [int(w) for i in range(12) for w in mechanism.weights(i)]
        return mechanism.draw(inputs, insecure(2)).tolist(), highest.tolist(), lowest.tolist(), law

    by_numpy = everything()
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 0)
    assert everything() == by_numpy


def test_compiled_mantissas_match_the_table_at_every_step():
    from allonym.mechanisms._loops.exponential import split_row, weight_at
    from allonym.mechanisms.weights import _MANTISSAS, LARGEST_STEP, QUINTIC, STEP_BITS, STEPS_PER_OCTAVE

    steps = np.arange(0, 2**18, dtype=np.int64)
    row = (2**18 - steps).astype(np.float32)
    split = np.empty((2, len(row)), np.int32)
    split_row(row, np.float32(1.0), QUINTIC, split)
    weights = np.array([weight_at(split, j) for j in range(len(row))])
    clipped = np.minimum(steps, LARGEST_STEP)
    expected = np.maximum(_MANTISSAS[clipped & (STEPS_PER_OCTAVE - 1)] >> (clipped >> STEP_BITS), 1)
    assert (weights == expected).all()
    assert (np.diff(weights) <= 0).all()


def test_sums_stay_in_sixty_three_bits():
    assert MOST_OUTPUTS * 2**44 < 2**63


class Flat:
    """All scores alike: the rows with the largest sums, and so the most refused words."""

    unit = 1.0

    def __init__(self, outputs: int) -> None:
        self.shape = (2, outputs)

    def tiles(self, rows):
        yield 0, np.zeros((len(rows), self.shape[1]), np.float32)


def test_refused_words_are_drawn_again():
    outputs = MOST_OUTPUTS
    mechanism = Exponential(Flat(outputs), epsilon=1.0)
    drawn = mechanism.draw(np.zeros(400, int), insecure(3))
    assert drawn.min() >= 0
    assert drawn.max() < outputs
    assert mechanism.loss() < 1e-9
    # About half of all words are refused at this size, so a first attempt alone would leave gaps.
    assert len(np.unique(drawn)) > 390
    with pytest.raises(ValueError, match="outputs"):
        Exponential(Flat(outputs + 1), epsilon=1.0)
