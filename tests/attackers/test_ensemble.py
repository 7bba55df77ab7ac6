"""The ensemble: better than its parts where these know different things, the plain sum where nothing else is known."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.attackers.ensemble import combine, stack, standardised
from allonym.errors import InputError, ParameterError

AUTHORS, DOCUMENTS = 8, 300


def attacker(truth, knowledge, seed):
    """Scores that are noise, with so much knowledge of the truth in them."""
    scores = np.random.default_rng(seed).normal(size=(len(truth), AUTHORS))
    scores[np.arange(len(truth)), truth] += knowledge
    return scores


def case(seed, knowledge):
    truth = np.random.default_rng(seed).integers(0, AUTHORS, DOCUMENTS)
    return truth, [attacker(truth, each, seed + 1 + place) for place, each in enumerate(knowledge)]


def accuracy(scores, truth):
    return float(np.mean(scores.argmax(1) == truth))


KNOWLEDGE = (1.5, 1.5, 0.2, 0.0, 0.0, 0.0)
LARGEST_SCORES = (1.0, 1000.0, 1.0, 1.0, 50.0, 1.0)  # an attacker's units must not matter


@pytest.fixture(scope="module")
def learned():
    truth, scores = case(1, KNOWLEDGE)
    return stack([unit * each for unit, each in zip(LARGEST_SCORES, scores, strict=True)], truth)


def test_it_beats_its_parts_and_the_plain_sum_on_other_documents(learned):
    truth, scores = case(100, KNOWLEDGE)
    together = accuracy(combine(scores, learned), truth)
    assert together > max(accuracy(each, truth) for each in scores) + 0.05
    assert together > accuracy(combine(scores), truth) + 0.05


def test_those_who_know_weigh_and_nobody_weighs_less_than_nothing(learned):
    assert learned.shape == (6,)
    assert learned.min() >= 0
    assert learned[:2].min() > 4 * learned[2:].max()


def test_an_attacker_that_is_always_wrong_is_left_out_not_turned_round():
    truth, scores = case(7, (1.5, -3.0))
    good, bad = stack(scores, truth)
    assert good > 0.5
    assert bad == pytest.approx(0, abs=1e-6)


def test_a_strong_penalty_makes_it_the_plain_sum():
    truth, scores = case(3, (2.0, 0.0))
    weights = stack(scores, truth, penalty=1e6)
    assert weights[0] == pytest.approx(weights[1], rel=1e-3)
    np.testing.assert_array_equal(combine(scores, weights).argmax(1), combine(scores).argmax(1))


def test_few_documents_make_it_hardly_worse_than_the_plain_sum():
    lost = []
    for seed in range(20):
        truth, scores = case(1000 + 50 * seed, (1.0,) * 6)
        weights = stack([each[:10] for each in scores], truth[:10])
        rest = [each[10:] for each in scores]
        lost.append(accuracy(combine(rest), truth[10:]) - accuracy(combine(rest, weights), truth[10:]))
    assert np.mean(lost) < 0.05
    # Without the penalty, ten documents send the weights anywhere.
    truth, scores = case(1000, (1.0,) * 6)
    free = stack([each[:10] for each in scores], truth[:10], penalty=0.0)
    assert free.std() > stack([each[:10] for each in scores], truth[:10]).std()


def test_attackers_that_are_always_right_get_finite_weights():
    truth, scores = case(5, (50.0, 50.0))
    weights = stack(scores, truth)
    assert np.isfinite(weights).all()
    assert weights.min() > 0


def test_scores_are_compared_within_a_document():
    np.testing.assert_allclose(standardised([[1, 2, 3], [10, 20, 30], [5, 5, 5]])[:2].std(1), 1)
    assert standardised([[5, 5, 5]]).tolist() == [[0, 0, 0]]
    assert standardised([[0.1 + 0.2, 0.3, 0.3]]).tolist() == [[0, 0, 0]]  # rounding errors say nothing
    assert combine([np.zeros((0, 3))]).shape == (0, 3)


def test_what_does_not_fit_is_refused():
    truth, scores = case(9, (1.0, 1.0))
    for wrong, message in (
        (lambda: stack([], truth), "one attacker at least"),
        (lambda: stack([scores[0], scores[1][:5]], truth), "same documents"),
        (lambda: stack([scores[0] * np.nan], truth), "finite"),
        (lambda: stack(scores, truth[:5]), "truth must hold"),
        (lambda: stack(scores, truth + AUTHORS), "truth must hold"),
        (lambda: stack(scores, truth.astype(float)), "truth must hold"),
        (lambda: combine(scores, [1.0]), "one weight"),
        (lambda: combine(scores, [1.0, -1.0]), "one weight"),
        (lambda: combine([[1.0, 2.0]]), "documents × authors"),
    ):
        with pytest.raises(InputError, match=message):
            wrong()
    with pytest.raises(ParameterError, match="penalty"):
        stack(scores, truth, penalty=float("nan"))
