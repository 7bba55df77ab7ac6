"""Draws follow the law: chi-square at a million draws, with fixed keys and a false-alarm rate of 1e-6 each."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse, stats

from allonym.anonymizers.syntf.counts import draw_words, synthesise
from allonym.mechanisms import Exponential
from allonym.randomness import insecure
from allonym.vectors.ratings import WordRatings

FALSE_ALARM = 1e-6
DRAWS = 1_000_000


def fits(counts: np.ndarray, law: np.ndarray) -> bool:
    """Chi-square, with outputs expected fewer than five times put into one cell."""
    expected = law * counts.sum()
    rare = expected < 5
    if rare.any():
        counts = np.append(counts[~rare], counts[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    return stats.chisquare(counts, expected).pvalue > FALSE_ALARM


@pytest.mark.parametrize("outputs", [2, 10, 1000])
@pytest.mark.parametrize("epsilon", [0.5, 8.0])
def test_dense_draws_follow_the_law(outputs, epsilon):
    scores = insecure(outputs).below(101, (3, outputs)) / 100
    mechanism = Exponential(scores, epsilon=epsilon)
    drawn = mechanism.draw(np.ones(DRAWS, int), insecure(7))
    assert fits(np.bincount(drawn, minlength=outputs), mechanism.law(1))


def test_the_test_can_fail():
    scores = insecure(1).below(101, (3, 10)) / 100
    drawn = Exponential(scores, epsilon=8.0).draw(np.ones(DRAWS, int), insecure(7))
    assert not fits(np.bincount(drawn, minlength=10), Exponential(scores, epsilon=8.0 * 1.05).law(1))


def test_word_draws_follow_the_law():
    words = [f"{a}{b}{c}" for a in "bcd" for b in "aeiou" for c in "mnrstw"]
    vectors = insecure(4).below(2001, (len(words), 20)).astype(np.float32) - 1000
    mechanism = Exponential(WordRatings(words, vectors, spelling_weight=0.3), epsilon=12.0)
    drawn = mechanism.draw(np.full(DRAWS, 17), insecure(8))
    assert fits(np.bincount(drawn, minlength=len(words)), mechanism.law(17))


def test_composition_draws_follow_the_counts():
    counts = sparse.csr_array(np.array([[5, 0, 3, 2], [0, 0, 0, 0], [0, 7, 0, 0]]))
    drawn = draw_words(counts, DRAWS, insecure(2).documents([b"a" * 32, b"b" * 32, b"c" * 32]))
    assert fits(np.bincount(drawn[0], minlength=4)[[0, 2, 3]], np.array([0.5, 0.3, 0.2]))
    assert not (drawn[0] == 1).any()
    assert fits(np.bincount(drawn[1], minlength=4), np.full(4, 0.25))
    assert (drawn[2] == 1).all()


def test_synthetic_counts_follow_the_mixture():
    mechanism = Exponential(np.eye(4), epsilon=4.0)
    counts = sparse.csr_array(np.array([[1, 1, 2, 0]]))
    vector = synthesise(counts, DRAWS, mechanism, insecure(3).documents([b"d" * 32])).toarray()[0]
    law = np.array([0.25, 0.25, 0.5, 0.0]) @ np.stack([mechanism.law(i) for i in range(4)])
    assert vector.sum() == DRAWS
    assert fits(vector, law)


def test_the_sampler_agrees_with_another_librarys_exponential_mechanism():
    """OpenDP's noisy max under zero-concentrated divergence is the exponential mechanism, by other means."""
    dp = pytest.importorskip("opendp.prelude", reason="opendp is not installed")
    dp.enable_features("contrib")
    scores = np.array([[1.0, 0.6, 0.3, 0.0]])
    mechanism = Exponential(scores, epsilon=4.0)
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
    noisy = dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale=0.5)
    theirs = np.bincount([noisy(scores[0].tolist()) for _ in range(20_000)], minlength=4)
    ours = np.bincount(mechanism.draw(np.zeros(20_000, int), insecure(5)), minlength=4)
    assert stats.chi2_contingency(np.stack([theirs, ours])).pvalue > FALSE_ALARM
