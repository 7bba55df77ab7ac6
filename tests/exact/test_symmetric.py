"""The short way to the tight loss of symmetric scores: in fractions, over all pairs of inputs and every output."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from allonym import acceleration
from allonym.mechanisms import Exponential
from allonym.mechanisms.two_set import log_rounded_up
from allonym.randomness import insecure
from allonym.vectors.ratings import IdentityRatings, WordRatings


def ratings(words: int, dimensions: int, spelling_weight: float = 0.3) -> WordRatings:
    """Words in a few letters, so that many share some, with vectors all around the origin; two of them alike."""
    vectors = insecure(words).centred((words, dimensions)).astype(np.float32)
    vectors[1] = vectors[0]
    names = ["".join("abcd"[n // 4**k % 4] for k in range(3 + n % 3)) + str(n) for n in range(words)]
    return WordRatings(names, vectors, spelling_weight=spelling_weight)


def by_enumeration(mechanism: Exponential) -> Fraction:
    laws = [
        [Fraction(w, sum(row)) for w in row] for row in (mechanism.weights(i).tolist() for i in range(mechanism.inputs))
    ]
    return max(max(column) / min(column) for column in zip(*laws, strict=True))


@pytest.mark.parametrize("words", [2, 5, 16, 17, 60])
@pytest.mark.parametrize("dimensions", [2, 40])
@pytest.mark.parametrize("spelling_weight", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("epsilon", [0.01, 3.0, 47.5, 3000.0])
def test_the_short_way_ends_at_the_exact_loss_or_nowhere(words, dimensions, spelling_weight, epsilon):
    mechanism = Exponential(ratings(words, dimensions, spelling_weight), epsilon=epsilon)
    exact = by_enumeration(mechanism)
    assert mechanism._worst_ratio in (None, exact)
    assert log_rounded_up(exact) <= mechanism.loss() <= log_rounded_up(exact) + 2.0**-39


def test_both_ways_are_taken():
    """Where all words are alike to some degree no score is 0, and the bound on the lowest probability is never met."""
    assert Exponential(ratings(60, 40), epsilon=10.0)._worst_ratio is not None
    alike = WordRatings(
        list(map(str, range(60))), 1 + insecure(1).centred((60, 5)).astype(np.float32), spelling_weight=0
    )
    mechanism = Exponential(alike, epsilon=10.0)
    assert mechanism._worst_ratio is None
    assert mechanism.loss() == pytest.approx(log_rounded_up(by_enumeration(mechanism)), abs=1e-11)


def test_terms_alike_only_to_themselves():
    mechanism = Exponential(IdentityRatings(30), epsilon=2.0)
    assert mechanism._worst_ratio == by_enumeration(mechanism)
    assert mechanism.loss() == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_loss_is_the_same_compiled(threads, monkeypatch):
    plain = [Exponential(ratings(300, n), epsilon=20.0).loss() for n in (2, 40)]
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 1)
    monkeypatch.setattr(acceleration, "_cores", lambda: threads)
    assert [Exponential(ratings(300, n), epsilon=20.0).loss() for n in (2, 40)] == plain
    assert all(map(math.isfinite, plain))
