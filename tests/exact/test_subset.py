"""The subset mechanism: its law and loss in integers, its candidates, its draws against its law."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from allonym import acceleration
from allonym.errors import ParameterError
from allonym.mechanisms import Subset, TwoSet
from allonym.mechanisms.two_set import log_rounded_up
from allonym.randomness import insecure

FALSE_ALARM = 1e-6


def worst(mechanism: Subset, rows: np.ndarray) -> float:
    """The loss between any two of the rows, from the integers."""
    laws = [[Fraction(weight, sum(law)) for weight in law] for law in mechanism.weights(rows).tolist()]
    return max(log_rounded_up(max(column) / min(column)) for column in zip(*laws, strict=True))


def fits(drawn: np.ndarray, law: np.ndarray) -> bool:
    counts = np.bincount(drawn, minlength=len(law))
    return stats.chisquare(counts, law * counts.sum()).pvalue > FALSE_ALARM


@pytest.mark.parametrize("s", range(3, 9))
@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("loss", [1e-6, 0.1, 2.0, 9.34, 30.0])
def test_law_and_loss_over_every_set_of_candidates(s, k, loss):
    mechanism = Subset(s, loss=loss, candidates=k)
    few = min(k, s)
    rows = np.zeros((math.comb(s, few), s))
    for row, chosen in zip(rows, combinations(range(s), few), strict=True):
        row[list(chosen)] = 1
    ideal = np.where(rows == 1, math.exp(loss), 1.0) / (few * math.exp(loss) + s - few)
    np.testing.assert_allclose(mechanism.law(rows), ideal, rtol=1e-13)
    assert worst(mechanism, rows) == mechanism.loss()
    assert mechanism.loss() <= loss
    assert mechanism.loss() == (pytest.approx(loss, abs=1e-13) if k < s else 0)
    assert mechanism.probability_of_candidates == pytest.approx(mechanism.law(rows)[0][rows[0] == 1].sum())


@given(data=st.data(), s=st.integers(2, 8), k=st.integers(1, 9), loss=st.floats(1e-9, 1e4))
@settings(max_examples=150, deadline=None)
def test_no_two_rows_lose_more_than_was_asked_for(data, s, k, loss):
    mechanism = Subset(s, loss=loss, candidates=k)
    numbers = st.one_of(st.floats(0, 1), st.sampled_from([0.0, -0.0, 0.5, 5e-324]))
    rows = np.array([data.draw(st.lists(numbers, min_size=s, max_size=s)) for _ in range(3)])
    assert worst(mechanism, rows) <= mechanism.loss() <= loss
    np.testing.assert_allclose(mechanism.law(rows).sum(axis=1), 1, rtol=1e-12)
    assert mechanism.weights(rows).min() >= 1


def test_a_loss_beyond_62_bits_makes_the_candidates_certain_and_the_loss_smaller():
    mechanism = Subset(20_000, loss=1000.0, candidates=5)
    assert 40 < mechanism.loss() < 43
    assert mechanism.probability_of_candidates > 1 - 1e-13
    assert mechanism.weights(np.arange(20_000.0)).sum() <= 2**62


def test_the_figures_of_the_documentation():
    two_set = TwoSet(20_000, epsilon=3.0)
    at = {loss: Subset(20_000, loss=loss, candidates=5).probability_of_candidates for loss in (9.34, two_set.loss())}
    assert at[9.34] == pytest.approx(0.7400, abs=1e-4)
    assert at[two_set.loss()] == pytest.approx(0.9573, abs=1e-4)
    # The two-set mechanism costs as much as a single candidate that gets what its candidates get at most.
    single = Subset(20_000, loss=two_set.loss(), candidates=1).probability_of_candidates
    assert two_set.most_for_candidates == pytest.approx(single, abs=1e-12)
    assert two_set.most_for_candidates == pytest.approx(0.8176, abs=1e-4)
    assert Subset(20_000, loss=9.8, candidates=5).probability_of_candidates > two_set.most_for_candidates


@pytest.mark.parametrize("s", [1, 5, 63, 64, 65, 1000])
@pytest.mark.parametrize("k", [1, 5, 40])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("levels", [2, 30, 10**6])
def test_candidates_are_the_best_and_of_equals_the_first(s, k, dtype, levels, monkeypatch):
    rows = insecure(s).below(levels, (60, s)).astype(dtype) / levels
    rows[0], rows[1], rows[2, ::2] = 0, -0.0, -0.0
    expected = np.zeros(rows.shape, bool)
    np.put_along_axis(expected, np.argsort(-rows, axis=1, kind="stable")[:, :k], True, axis=1)
    mechanism = Subset(s, loss=2.0, candidates=k)
    weights, drawn = mechanism.weights(rows), mechanism.draw(rows, insecure(1))
    np.testing.assert_array_equal(weights == weights.max(), expected)
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 0)
    fast = Subset(s, loss=2.0, candidates=k)
    np.testing.assert_array_equal(fast.weights(rows), weights)
    np.testing.assert_array_equal(fast.draw(rows, insecure(1)), drawn)


@pytest.mark.parametrize(("s", "k"), [(2, 1), (6, 2), (150, 5), (4, 9)])
def test_draws_follow_the_law(s, k):
    mechanism = Subset(s, loss=2.0, candidates=k)
    p = insecure(s).below(1000, (s,)) / 1000
    drawn = mechanism.draw(np.broadcast_to(p, (200_000, s)), insecure(11))
    assert fits(drawn, mechanism.law(p))
    if k < s:
        assert not fits(drawn, Subset(s, loss=2.1, candidates=k).law(p))


def test_totals_that_refuse_many_words_are_drawn_exactly():
    mechanism = Subset(3, loss=41.5, candidates=2)
    assert int(mechanism.weights(np.ones(3)).sum()) > 2**60
    drawn = mechanism.draw(np.ones((100_000, 3)), insecure(3))
    assert fits(drawn[drawn < 2], np.array([0.5, 0.5]))


def test_a_rows_outcome_depends_on_its_own_words_alone():
    mechanism = Subset(200, loss=4.0, candidates=5)
    digests = [bytes([i]) * 32 for i in range(30)]
    p = insecure(1).below(1000, (30, 4, 200)) / 1000
    whole = mechanism.draw(p, insecure(5).documents(digests))
    assert whole.shape == (30, 4)
    assert whole.dtype == np.int64
    for start, stop in ((0, 1), (7, 20), (29, 30)):
        part = mechanism.draw(p[start:stop], insecure(5).documents(digests[start:stop], start=start))
        np.testing.assert_array_equal(part, whole[start:stop])
    np.testing.assert_array_equal(mechanism.draw(p[:, :2], insecure(5).documents(digests)), whole[:, :2])
    assert mechanism.draw(np.empty((0, 200)), insecure(2)).shape == (0,)


@pytest.mark.parametrize("bad", [np.nan, -np.nan, np.inf, -np.inf, -1e-9])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_impossible_probabilities_are_refused(bad, dtype, monkeypatch):
    p = np.array([[0.5, 0.5, 0.0, 0.0], [0.1, 0.2, bad, 0.3]], dtype)
    with pytest.raises(ParameterError, match="Check the model"):
        Subset(4, loss=1.0, candidates=2).law(p)
    for entries in (10**9, 0):
        monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", entries)
        with pytest.raises(ParameterError, match="Check the model"):
            Subset(4, loss=1.0, candidates=2).draw(p, insecure(1))


def test_bad_arguments_fail_at_once():
    for loss in (0, -1, math.nan, math.inf):
        with pytest.raises(ParameterError, match="loss must be a positive number"):
            Subset(5, loss=loss, candidates=2)
    for count in (0, 1.5, True):
        with pytest.raises(ParameterError, match="candidates must be a whole number"):
            Subset(5, loss=1.0, candidates=count)
        with pytest.raises(ParameterError, match="outputs must be a whole number"):
            Subset(count, loss=1.0, candidates=1)
    with pytest.raises(ParameterError, match="rows of 5"):
        Subset(5, loss=1.0, candidates=2).draw(np.ones((2, 4)), insecure(1))


def test_draws_may_share_rows_or_be_given_their_candidates():
    rows = np.asarray(insecure(3).below(8, (3, 200)), float)
    where = np.array([[2, 0, 2, 2], [1, 1, 0, 2]])
    mechanism = Subset(200, loss=4.0, candidates=5)
    streams = insecure(1).documents([b"a", b"b"])
    shared = mechanism.draw(rows, streams.part(0, 2), rows=where)
    assert (shared == mechanism.draw(rows[where], streams.part(0, 2))).all()
    best = mechanism.weights(rows[where]).argsort(axis=-1)[..., :-6:-1]
    assert (shared == mechanism.draw_among(best, streams.part(0, 2))).all()


@pytest.mark.parametrize("wrong", [[[0, 1]], [[0, 1, 1]], [[0, 1, 9]], [[-1, 1, 2]], [[0.0, 1.0, 2.0]], []])
def test_candidates_must_be_different_outputs(wrong):
    with pytest.raises(ParameterError, match="Candidates must"):
        Subset(9, loss=1.0, candidates=3).draw_among(wrong, insecure(1))
