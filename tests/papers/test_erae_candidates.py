"""The chances of a good candidate against the mechanisms' own laws and draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from allonym.errors import ParameterError
from allonym.mechanisms.two_set import TwoSet
from allonym.papers.erae.candidates import PlainExponential, shares, two_set_share
from allonym.randomness import insecure


def _row(outputs, *first):
    row = np.full(outputs, (1 - sum(first)) / (outputs - len(first)))
    row[: len(first)] = first
    return row


@pytest.mark.parametrize("outputs", [3, 6, 9])
@pytest.mark.parametrize("candidates", [1, 2, 5])
def test_the_share_is_that_of_the_enumerated_law(outputs, candidates):
    p = _row(outputs, 0.5, 0.2)
    law = TwoSet(outputs, epsilon=3.0, candidates=candidates).law(p)
    for good in ([0], [0, 1]):
        found = two_set_share(p, good, epsilon=3.0, candidates=candidates)
        assert found == pytest.approx(law[good].sum(), abs=1e-9)


def test_the_share_among_many_words_is_that_of_draws():
    p, draws = _row(2000, 0.37, 0.21, 0.15, 0.1, 0.05), 20_000
    drawn = TwoSet(2000, epsilon=3.0).draw(np.broadcast_to(p, (draws, 2000)), insecure(1))
    expected = two_set_share(p, range(5), epsilon=3.0, candidates=5)
    # Five standard deviations: a false alarm of 6e-7, and the key is fixed.
    assert (drawn < 5).mean() == pytest.approx(expected, abs=5 * math.sqrt(0.25 / draws))


def test_the_plain_mechanism_loses_what_it_says_and_no_more():
    mechanism = PlainExponential(50, loss=4.0)
    rows = [_row(50, 1.0), _row(50, 0.0, 1.0), _row(50, 0.5, 0.5), np.full(50, 0.02), _row(50, 0.9, 0.1)]
    laws = np.array([mechanism.law(row) for row in rows])
    worst = np.log(laws.max(axis=0) / laws.min(axis=0)).max()
    assert 4.0 - 1e-5 < worst <= mechanism.loss() == 4.0
    assert laws[0][0] == pytest.approx(math.exp(4) / (math.exp(4) + 49), rel=1e-5)


def test_the_plain_mechanism_draws_by_its_law():
    mechanism, p, draws = PlainExponential(20, loss=3.0), _row(20, 0.7, 0.2), 20_000
    drawn = mechanism.draw(np.broadcast_to(p, (100, draws // 100, 20)), insecure(1))
    assert drawn.shape == (100, 200)
    shares_drawn = np.bincount(drawn.ravel(), minlength=20) / draws
    assert np.abs(shares_drawn - mechanism.law(p)).max() < 5.5 * math.sqrt(0.25 / draws)


def test_a_loss_beyond_what_was_proved_is_refused():
    with pytest.raises(ParameterError, match="at most 15"):
        PlainExponential(20, loss=16.0)


def test_subset_gives_good_words_most_and_the_published_comparison_is_unfair():
    found = shares(_row(20_000, 0.98, 0.007, 0.003, 0.002, 0.001), range(5), epsilon=3.0, candidates=5)
    assert found["subset"] == pytest.approx(0.957, abs=1e-3)
    assert found["subset"] > found["two_set"] > found["exponential"] > 0.75 > 0.03 > found["exponential_as_published"]
