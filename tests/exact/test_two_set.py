"""The two-set mechanism: its law by enumeration, its loss by search over probabilities, its draws against its law."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from allonym import acceleration
from allonym.errors import ParameterError
from allonym.mechanisms import TwoSet
from allonym.mechanisms.two_set import _find, log_rounded_up
from allonym.randomness import insecure

FALSE_ALARM = 1e-6
SIZES = (2, 3, 4, 5, 8)
EPSILONS = (0.1, 3.0, 12.0)

numbers = st.one_of(st.floats(0, 1, width=32), st.floats(0, 1e300), st.sampled_from([0.0, 5e-324, 1e-310, 1e-30, 1.0]))


def published_law(p: list[float], epsilon: float, k: int) -> list[float]:
    """Definition 4 as it reads: every list of k draws, in floating point."""
    s, total = len(p), math.fsum(p)
    law = [0.0] * s
    for draws in product(range(s), repeat=k):
        chosen = set(draws)
        probability = math.prod(p[item] / total for item in draws)
        mass = math.fsum(p[item] for item in chosen) / total
        choose = 1 / (1 + math.exp(epsilon / 2 * (1 - 2 * mass))) if len(chosen) < s else 1.0
        for item in range(s):
            size, share = (len(chosen), choose) if item in chosen else (s - len(chosen), 1 - choose)
            law[item] += probability * share / size
    return law


def worst(laws: list[list[Fraction]]) -> float:
    """The loss between any two of the laws, rounded up as losses are."""
    return max(log_rounded_up(max(column) / min(column)) for column in zip(*laws, strict=True))


def fits(drawn: np.ndarray, law: np.ndarray) -> bool:
    counts = np.bincount(drawn, minlength=len(law))
    return stats.chisquare(counts, law * counts.sum()).pvalue > FALSE_ALARM


@pytest.mark.parametrize(("s", "k"), [(2, 5), (3, 1), (3, 5), (4, 4), (5, 3), (6, 3), (8, 3)])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_law_is_definition_4(s, k, epsilon):
    mechanism = TwoSet(s, epsilon=epsilon, candidates=k)
    for seed in range(3):
        p = (insecure(seed).below(10**6, (s,)) / 10**6) ** (1 + 3 * seed)
        np.testing.assert_allclose(mechanism.law(p), published_law(p.tolist(), epsilon, k), rtol=0, atol=1e-12)


@pytest.mark.parametrize("s", SIZES)
@pytest.mark.parametrize("k", [1, 2, 5, 9])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_loss_is_attained_exactly_whatever_the_candidates(s, k, epsilon):
    mechanism = TwoSet(s, epsilon=epsilon, candidates=k)
    assert worst([mechanism.fractions(row) for row in np.eye(s)]) == mechanism.loss()
    assert mechanism.loss() == pytest.approx(epsilon / 2 + math.log(s - 1), abs=1e-12)
    assert mechanism.loss() < mechanism.as_published == pytest.approx(epsilon + math.log(s))


@pytest.mark.parametrize("s", SIZES)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_no_probabilities_on_a_grid_lose_more(s, epsilon):
    levels = 4 if s <= 4 else 2
    mechanism = TwoSet(s, epsilon=epsilon, candidates=3)
    laws = [mechanism.fractions(np.array(p, float)) for p in product(range(levels), repeat=s)]
    assert all(sum(law) == 1 for law in laws)
    assert worst(laws) == mechanism.loss()  # the grid has the corners


@pytest.mark.parametrize(("s", "k"), [(3, 1), (3, 5), (5, 2), (8, 5)])
def test_a_search_that_knows_nothing_of_the_proof_finds_the_loss(s, k):
    mechanism = TwoSet(s, epsilon=3.0, candidates=k)

    def climb(sign: int) -> float:
        p, best = np.ones(s), -math.inf
        while True:
            steps = [p * np.where(np.arange(s) == item, factor, 1) for item in range(s) for factor in (16, 1 / 16)]
            values = [sign * math.log(mechanism.law(step)[0]) for step in steps]
            if max(values) <= best + 1e-7:
                return sign * best
            best, p = max(values), steps[int(np.argmax(values))]

    found = climb(1) - climb(-1)
    assert mechanism.loss() - 1e-3 <= found <= mechanism.loss() + 1e-12


@given(data=st.data(), s=st.integers(2, 6), k=st.integers(1, 7), epsilon=st.floats(1e-3, 300))
@settings(max_examples=150, deadline=None)
def test_no_two_rows_lose_more(data, s, k, epsilon):
    mechanism = TwoSet(s, epsilon=epsilon, candidates=k)
    rows = [data.draw(st.lists(numbers, min_size=s, max_size=s)) for _ in range(3)]
    laws = [mechanism.fractions(row) for row in rows]
    assert all(sum(law) == 1 for law in laws)
    assert worst(laws) <= mechanism.loss() <= math.nextafter(epsilon / 2 + math.log(s - 1), math.inf) + 1e-15


def test_other_precision_or_noise_in_the_model_stays_within_the_loss():
    mechanism = TwoSet(6, epsilon=3.0)
    exact = np.array([0.6, 0.2, 0.1, 0.05, 0.05, 1e-12])
    noise = 1 + (insecure(2).below(2001, (20, 6)) - 1000) * 1e-9
    laws = mechanism.law(np.concatenate([exact * noise, exact[None].astype(np.float32)]))
    assert np.abs(np.log(laws / mechanism.law(exact))).max() < 1e-6
    assert worst([mechanism.fractions(exact), mechanism.fractions(exact.astype(np.float32))]) < mechanism.loss()


def test_the_papers_setting():
    mechanism = TwoSet(20_000, epsilon=3.0, candidates=5)
    assert mechanism.loss() == pytest.approx(11.4034, abs=1e-4)
    assert mechanism.as_published == pytest.approx(12.9035, abs=1e-4)
    assert mechanism.most_for_candidates == pytest.approx(0.8176, abs=1e-4)


def test_very_large_and_very_small_epsilon_keep_every_output_possible():
    sure = TwoSet(4, epsilon=1e9)
    assert sure.loss() == pytest.approx(math.log(2**63 - 1) + math.log(3))
    assert min(sure.fractions([1, 0, 0, 0])) == Fraction(1, 3 * 2**63)
    assert TwoSet(4, epsilon=1e-300).loss() == pytest.approx(math.log(3))
    assert TwoSet(1, epsilon=3.0).loss() == 0
    assert TwoSet(5, epsilon=3.0, candidates=5).most_for_candidates == 1  # who may find every output
    assert TwoSet(1, epsilon=3.0).law([0.2]).tolist() == [1.0]


@pytest.mark.parametrize("row", [[0.0] * 5, [-0.0] * 5, [5e-324] * 5, [2.0] * 5, [1e308] * 5])
def test_rows_without_preference_are_uniform(row):
    mechanism = TwoSet(5, epsilon=3.0)
    np.testing.assert_allclose(mechanism.law(row), 0.2, rtol=1e-15)
    assert fits(mechanism.draw([row] * 50_000, insecure(4)), np.full(5, 0.2))


def test_only_proportions_count():
    mechanism = TwoSet(5, epsilon=3.0)
    p = np.array([0.5, 0.25, 0.125, 0.0625, 0.0625])
    for factor in (2.0**-900, 2.0**-40, 4096.0, 2.0**1000):
        assert mechanism.fractions(p * factor) == mechanism.fractions(p)


@pytest.mark.parametrize("s", [2, 3, 6, 8])
@pytest.mark.parametrize("k", [1, 5])
def test_draws_follow_the_law(s, k):
    mechanism = TwoSet(s, epsilon=3.0, candidates=k)
    p = (insecure(s).below(1000, (s,)) + 1.0) ** 3
    drawn = mechanism.draw(np.broadcast_to(p, (300_000, s)), insecure(11))
    assert fits(drawn, mechanism.law(p))


def test_the_test_can_fail():
    p = np.array([0.8, 0.15, 0.03, 0.02, 0.0, 0.0])
    drawn = TwoSet(6, epsilon=3.0, candidates=5).draw(np.broadcast_to(p, (300_000, 6)), insecure(11))
    assert fits(drawn, TwoSet(6, epsilon=3.0, candidates=5).law(p))
    assert not fits(drawn, TwoSet(6, epsilon=3.15, candidates=5).law(p))
    assert not fits(drawn, TwoSet(6, epsilon=3.0, candidates=4).law(p))


def test_draws_betray_as_much_as_is_claimed_and_no_more():
    """Black box, a million draws of each of two rows: Clopper and Pearson's bounds, family-wise false alarm 1e-6."""
    mechanism = TwoSet(5, epsilon=3.0)
    draws, alpha = 10**6, 1e-6 / 20
    counts = [
        np.bincount(mechanism.draw(np.broadcast_to(row, (draws, 5)), insecure(i)), minlength=5)
        for i, row in enumerate(np.eye(5)[:2])
    ]
    low = stats.beta.ppf(alpha, counts[0], draws - counts[0] + 1)
    high = stats.beta.ppf(1 - alpha, counts[1] + 1, draws - counts[1])
    assert 0.93 * mechanism.loss() <= np.log(low / high).max() <= mechanism.loss()


@pytest.mark.parametrize("s", [64, 150])
def test_draws_over_several_blocks_follow_the_law(s):
    """One candidate has a law in closed form, for any number of outputs; a flat row refuses many a first word."""
    mechanism = TwoSet(s, epsilon=3.0, candidates=1)
    for p in (insecure(s).below(50, (s,)) + 5.0, np.zeros(s)):
        share = p / p.sum() if p.any() else np.full(s, 1 / s)
        choose = 1 / (1 + np.exp(1.5 * (1 - 2 * share)))
        other = share * (1 - choose) / (s - 1)
        assert fits(mechanism.draw(np.tile(p, (200_000, 1)), insecure(12)), share * choose + other.sum() - other)


def test_every_target_finds_its_item():
    """Small weights, many of them 0, so that targets fall on the borders of blocks and of items."""
    rows = np.maximum(insecure(3).below(8, (5, 200)) - 4, 0).astype(float)
    rows[0, :130] = 0
    running = rows.cumsum(axis=1).astype(np.int64)
    ends = running[:, [63, 127, 191, 199]]
    for i, sums in enumerate(running):
        targets = np.arange(sums[-1])[None]
        found = _find(rows, np.array([i]), np.ones(1), np.zeros(1, bool), ends[i : i + 1], targets)
        np.testing.assert_array_equal(found[0], np.searchsorted(sums, targets[0], side="right"))


def odd_rows(s: int, dtype: type) -> np.ndarray:
    rows = (insecure(s).below(10**6, (400, s)) / 10**6).astype(dtype) ** 9
    rows[0], rows[1], rows[2, ::2], rows[3] = 0, -0.0, -0.0, np.finfo(dtype).smallest_subnormal
    rows[4], rows[5] = np.eye(s, dtype=dtype)[-1], np.finfo(dtype).max
    rows[6], rows[7, 0] = np.ldexp(dtype(0.75), -np.arange(s) // 2), 2.0**-90  # all magnitudes; a scale beyond float32
    rows[7, 1:] = 0
    return rows


@pytest.mark.parametrize("s", [1, 63, 64, 65, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_compiled_loops_give_the_same(s, dtype, monkeypatch):
    rows = odd_rows(s, dtype)
    plain = TwoSet(s, epsilon=3.0)
    expected = plain.weights(rows).tolist(), plain.draw(rows, insecure(1)).tolist()
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 0)
    fast = TwoSet(s, epsilon=3.0)
    assert (fast.weights(rows).tolist(), fast.draw(rows, insecure(1)).tolist()) == expected
    with pytest.raises(ParameterError, match="NaN"):
        fast.draw(np.full((3, s), np.nan, dtype), insecure(1))


def test_a_rows_outcome_depends_on_its_own_words_alone():
    mechanism = TwoSet(200, epsilon=3.0)
    digests = [bytes([i]) * 32 for i in range(30)]
    p = insecure(1).below(1000, (30, 4, 200)) / 1000
    whole = mechanism.draw(p, insecure(5).documents(digests))
    assert whole.shape == (30, 4)
    for start, stop in ((0, 1), (7, 20), (29, 30)):
        part = mechanism.draw(p[start:stop], insecure(5).documents(digests[start:stop], start=start))
        np.testing.assert_array_equal(part, whole[start:stop])
    np.testing.assert_array_equal(mechanism.draw(p[:, :2], insecure(5).documents(digests)), whole[:, :2])
    other = np.array(p)
    other[3] = 1
    changed = (mechanism.draw(other, insecure(5).documents(digests)) != whole).any(axis=1)
    assert np.flatnonzero(changed).tolist() in ([], [3])


def test_words_refused_are_replaced_by_a_rows_own():
    """Flat rows refuse a word in a hundred; there are more rows than are held at a time."""
    mechanism = TwoSet(150, epsilon=3.0)
    digests = [i.to_bytes(32) for i in range(5000)]
    whole = mechanism.draw(np.ones((5000, 150)), insecure(5).documents(digests))
    part = mechanism.draw(np.ones((1500, 150)), insecure(5).documents(digests[3500:], start=3500))
    np.testing.assert_array_equal(part, whole[3500:])


def test_layout_empty_batches_and_pickling():
    mechanism = TwoSet(70, epsilon=3.0)
    p = insecure(1).below(1000, (70, 20)).astype(np.float32)
    drawn = mechanism.draw(np.ascontiguousarray(p.T), insecure(2))
    np.testing.assert_array_equal(mechanism.draw(p.T, insecure(2)), drawn)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(mechanism)).draw(p.T, insecure(2)), drawn)
    assert drawn.dtype == np.int64
    assert mechanism.draw(np.empty((0, 70)), insecure(2)).shape == (0,)


@pytest.mark.parametrize("bad", [np.nan, -np.nan, np.inf, -np.inf, -1e-9])
def test_impossible_probabilities_are_refused(bad):
    mechanism = TwoSet(4, epsilon=3.0)
    for dtype in (np.float32, np.float64):
        p = np.array([[0.5, 0.5, 0.0, 0.0], [0.1, 0.2, bad, 0.3]], dtype)
        with pytest.raises(ParameterError, match="Check the model"):
            mechanism.draw(p, insecure(1))
        with pytest.raises(ParameterError, match="Check the model"):
            mechanism.law(p)


def test_bad_arguments_fail_at_once():
    for epsilon in (0, -1, math.nan, math.inf):
        with pytest.raises(ParameterError, match="epsilon must be a positive number"):
            TwoSet(5, epsilon=epsilon)
    for outputs in (0, 2.5, True, 2**25):
        with pytest.raises(ParameterError, match="outputs must be a whole number"):
            TwoSet(outputs, epsilon=1.0)
    with pytest.raises(ParameterError, match="candidates must be a whole number"):
        TwoSet(5, epsilon=1.0, candidates=0)
    with pytest.raises(ParameterError, match="rows of 5"):
        TwoSet(5, epsilon=1.0).draw(np.ones((2, 4)), insecure(1))
    with pytest.raises(ParameterError, match="real numbers"):
        TwoSet(5, epsilon=1.0).draw(np.ones((2, 5), complex), insecure(1))
    with pytest.raises(ParameterError, match="at most 12 outputs"):
        TwoSet(13, epsilon=1.0).law(np.ones(13))
    with pytest.raises(ParameterError, match="one row"):
        TwoSet(5, epsilon=1.0).fractions(np.ones((2, 5)))


def test_draws_may_share_rows():
    rows = np.asarray(insecure(3).below(8, (3, 200)), float)
    where = np.array([[2, 0, 2, 2], [1, 1, 0, 2]])
    mechanism = TwoSet(200, epsilon=2.0, candidates=5)
    streams = insecure(1).documents([b"a", b"b"])
    shared = mechanism.draw(rows, streams.part(0, 2), rows=where)
    assert (shared == mechanism.draw(rows[where], streams.part(0, 2))).all()
    for wrong in (np.array([3]), np.array([-1]), np.array([0.0])):
        with pytest.raises(ParameterError, match="rows must be"):
            mechanism.draw(rows, insecure(1), rows=wrong)
