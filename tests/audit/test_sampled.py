"""Audits by sampling: as strong as M3 asks, never above a true loss, and blind to nothing they should see."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from allonym.audit.generator import BITS, audit_generator, linear_complexity
from allonym.audit.sampled import (
    Pair,
    audit_pairs,
    highest_share,
    judge_reconstruction,
    least_loss,
    loss_bound,
    lowest_share,
    most_success,
    reach,
    reconstruct,
)
from allonym.errors import ParameterError
from allonym.mechanisms import Exponential
from allonym.randomness import insecure


def coin(loss: float, seed: int) -> Pair:
    """Two inputs and two outputs: the pair that has this loss exactly."""
    mechanism = Exponential(np.eye(2), epsilon=2 * loss)
    samplers = [lambda n, row=row: mechanism.draw(np.full(n, row), insecure(seed + row)) for row in (0, 1)]
    return Pair(("first", "second"), loss, *samplers)


def two_limits(loss: float, draws: int, alpha: float) -> float:
    """The bound by two limits at α/2 each if draws came out as often as they should: the figures of M3."""
    often = draws / (1 + math.exp(-loss))
    low = stats.beta.ppf(alpha / 2, often, draws - often + 1)
    return math.log(low / stats.beta.ppf(1 - alpha / 2, draws - often + 1, often))


@pytest.mark.parametrize(("loss", "figure"), [(0.1, 0.0934), (1.0, 0.9926), (3.0, 2.985), (8.0, 7.825)])
def test_a_million_draws_reach_what_m3_asks(loss, figure):
    assert two_limits(loss, 10**6, 1e-3) == pytest.approx(figure, abs=2e-3)
    often = round(10**6 / (1 + math.exp(-loss)))
    assert least_loss(often, 10**6 - often, 10**6, 1e-3) >= figure - 0.003 * loss
    finding = audit_pairs([coin(loss, seed=20)], 10**6)
    [pair] = finding.figures["pairs"]
    assert finding.verdict == "holds"
    assert 0.93 * loss <= pair["lower_bound"] <= loss
    assert pair["draws"] == 10**6


def test_the_smallest_loss_of_the_region_is_found():
    """By a search over p and q that knows the two tails and their product alone."""
    draws, likely, unlikely, alpha = 60, 50, 11, 0.05
    bound = least_loss(likely, unlikely, draws, alpha)
    p, q = np.meshgrid(np.linspace(0.5, 0.95, 901), np.linspace(0.1, 0.5, 801))
    tails = stats.binom.sf(likely - 1, draws, p) * stats.binom.cdf(unlikely, draws, q)
    allowed = tails * (1 - np.log(tails)) > alpha
    found = np.log(p / q)[allowed].min()
    assert bound <= found <= bound + 0.02
    assert least_loss(0, 0, draws, alpha) == 0


def test_bounds_are_above_the_truth_no_more_often_than_stated():
    """1,500 bounds that may fail one time in ten; more than 190 have a probability below 1e-4."""
    mechanism = Exponential(np.eye(3), epsilon=2.0)
    rng = insecure(8)
    drawn = mechanism.draw(np.repeat([0, 1], 1500 * 400).reshape(2, 1500, 400), rng)
    above = sum(loss_bound(drawn[0, i], drawn[1, i], 0.1).loss > 1.0 for i in range(1500))
    assert above < 190


def test_limits_are_clopper_and_pearsons():
    for hits in (0, 1, 7, 100):
        limits = stats.binomtest(hits, 100).proportion_ci(0.99, method="exact")
        assert lowest_share(hits, 100, 0.005) == pytest.approx(limits.low)
        assert highest_share(hits, 100, 0.005) == pytest.approx(limits.high)


def test_many_rare_outputs_do_not_mislead_the_choice():
    """One telling output among thousands that come once: the event must be the telling one."""
    scores = np.zeros((2, 5000))
    scores[0, 0] = scores[1, 1] = 1.0
    mechanism = Exponential(scores, epsilon=2 * 9.0)
    samplers = [lambda n, row=row: mechanism.draw(np.full(n, row), insecure(row)) for row in (0, 1)]
    finding = audit_pairs([Pair(("a", "b"), 9.0, *samplers)], 20_000)
    [pair] = finding.figures["pairs"]
    assert finding.verdict == "holds"
    assert pair["event"]["outputs"] < 5
    assert pair["lower_bound"] > 0.85 * finding.figures["reach"]


def test_an_audit_says_what_it_could_not_have_seen():
    finding = audit_pairs([coin(30.0, seed=1)], 1000)
    assert finding.verdict == "holds"
    assert f"more than {reach(1000, 1e-3):.2f} could not be shown" in finding.says
    unclaimed = Pair(("a", "b"), None, coin(1.0, 3).first, coin(1.0, 3).second)
    assert audit_pairs([unclaimed], 1000).verdict == "measured"


def test_the_worst_of_several_pairs_decides_and_shares_the_confidence():
    finding = audit_pairs([coin(1.0, 5), Pair(("x", "y"), 0.5, coin(1.0, 9).first, coin(1.0, 9).second)], 50_000)
    assert finding.verdict == "violated"
    assert "x and y" in finding.says
    assert finding.figures["reach"] == reach(50_000, 5e-4)


def test_bad_numbers_are_refused():
    with pytest.raises(ParameterError, match="needs pairs"):
        audit_pairs([], 1000)
    with pytest.raises(ParameterError, match="same number"):
        loss_bound(np.zeros(4, int), np.zeros(5, int), 0.1)
    with pytest.raises(ParameterError, match="bits"):
        audit_generator([0, 1], where="nowhere")


def test_the_best_guess_from_draws_is_near_the_exact_one():
    mechanism = Exponential(insecure(4).below(100, (6, 10)) / 100, epsilon=8.0)
    exact = np.stack([mechanism.law(row) for row in range(6)]).max(axis=0).sum() / 6
    found = reconstruct([mechanism.draw(np.full(40_000, row), insecure(row)) for row in range(6)], 1e-3)
    assert found.low <= exact <= found.high
    assert judge_reconstruction(found, exact=False, claimed=mechanism.loss()).verdict == "holds"
    assert judge_reconstruction(found, exact=False).verdict == "measured"
    assert judge_reconstruction(found, exact=False, claimed=0.1).verdict == "violated"


def test_what_a_claim_allows_the_best_guess_is_attained_by_randomized_response():
    for inputs in (2, 6):
        mechanism = Exponential(np.eye(inputs), epsilon=4.0)
        exact = np.stack([mechanism.law(row) for row in range(inputs)]).max(axis=0).sum() / inputs
        assert most_success(mechanism.loss(), inputs) == pytest.approx(exact)


def test_linear_generators_are_unmasked_and_good_ones_are_not():
    state, bits = 0xACE1, []
    for _ in range(300):  # a shift register of 16 bits
        bits.append(state & 1)
        state = (state >> 1) | (((state ^ (state >> 2) ^ (state >> 3) ^ (state >> 5)) & 1) << 15)
    assert linear_complexity(bits) == 16
    assert audit_generator(bits, where="a shift register").verdict == "violated"
    assert audit_generator([0] * 300, where="nothing").verdict == "violated"
    fair = (insecure(1).words(BITS) >> np.uint64(63)).tolist()
    assert audit_generator(fair, where="AES").verdict == "holds"
    assert "too few to unmask MT19937" in audit_generator(fair[:1000], where="AES").says
