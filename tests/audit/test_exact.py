"""The exact audit against fractions written out, and against tables that break what they claim."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym.audit import metric as audit_metric
from allonym.audit.exact import exp_below, judge, log_up, loss_of_laws, loss_of_tiles, within
from allonym.audit.findings import Audit, Finding
from allonym.errors import ParameterError
from allonym.mechanisms import Exponential, MetricExponential, Subset, TwoSet
from allonym.randomness import insecure
from allonym.vectors.closeness import WordCloseness


def tiles_of(table: np.ndarray):
    def tiles(rows):
        for offset in range(0, len(rows), 3):
            yield offset, table[rows[offset : offset + 3]]

    return tiles


def by_hand(table: list[list[int]]) -> Fraction | None:
    """The largest ratio over all pairs and outputs; None if an output is possible for some inputs only."""
    laws = [[Fraction(weight, sum(row)) for weight in row] for row in table]
    worst = Fraction(1)
    for first in laws:
        for second in laws:
            for p, q in zip(first, second, strict=True):
                if q == 0 < p:
                    return None
                if q:
                    worst = max(worst, p / q)
    return worst


@given(
    st.integers(1, 5).flatmap(
        lambda outputs: st.lists(
            st.lists(st.one_of(st.integers(0, 3), st.integers(1, 2**44)), min_size=outputs, max_size=outputs).filter(
                any
            ),
            min_size=1,
            max_size=6,
        )
    )
)
@settings(max_examples=300, deadline=None)
def test_both_engines_are_right_on_any_table(rows):
    table = np.array(rows, np.int64)
    streamed, listed = loss_of_tiles(tiles_of(table), *table.shape), loss_of_laws(table)
    assert streamed.ratio == listed.ratio == by_hand(rows)
    assert (streamed.impossible, streamed.possible) == (listed.impossible, listed.possible)
    shares = [[Fraction(weight, sum(row)) for weight in row] for row in rows]
    success = sum(max(column) for column in zip(*shares, strict=True)) / len(rows)
    for low, high in (streamed.success, listed.success):
        assert Fraction(low) <= success <= Fraction(high)
        assert high - low < 1e-15


@given(st.lists(st.integers(2**43, 2**44), min_size=2, max_size=8), st.integers(1, 3))
@settings(max_examples=200, deadline=None)
def test_fractions_that_float64_cannot_tell_apart_are_still_compared(totals, weight):
    """Weights of 1 … 3 among sums of 2^44: neighbouring sums give equal floats only where the integers decide."""
    table = np.array([[weight, 2**60 + total] for total in totals], np.int64)
    assert loss_of_tiles(tiles_of(table), *table.shape).ratio == by_hand(table.tolist())


def test_the_witness_attains_the_loss():
    table = insecure(5).below(2**40, (20, 30)) + 1
    found = loss_of_tiles(tiles_of(table), 20, 30)
    most, least = (
        Fraction(int(table[row, found.output]), int(table[row].sum())) for row in (found.likely, found.unlikely)
    )
    assert most / least == found.ratio


def test_threads_and_tiles_do_not_matter(monkeypatch):
    from allonym import acceleration

    table = insecure(6).below(2**40, (40, 50)) + 1
    alone = loss_of_tiles(tiles_of(table), 40, 50)
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 1)
    assert loss_of_tiles(tiles_of(table), 40, 50) == alone


@pytest.mark.parametrize("exponent", [0.0, 1e-12, 0.1, 1.0, 22.2, 300.0])
def test_the_bound_on_e_is_just_below(exponent):
    with localcontext(prec=100):
        exact = Fraction(Decimal(exponent).exp())
    assert exp_below(exponent) < exact
    assert exact / exp_below(exponent) - 1 < Fraction(1, 10**55)
    assert exp_below(Fraction(exponent)) == exp_below(exponent)


def test_a_claim_is_right_to_the_last_digit_or_wrong():
    ratio = Fraction(3, 2)
    assert log_up(ratio) >= math.log(1.5)
    assert within(ratio, log_up(ratio))
    assert not within(ratio, math.nextafter(log_up(ratio), 0))
    assert within(Fraction(1), 0.0)
    assert not within(Fraction(10**18 + 1, 10**18), 0.0)
    assert within(Fraction(2**400), 1e9)  # without computing e to a thousand million
    with pytest.raises(ParameterError, match="at least 0"):
        within(ratio, math.nan)


@pytest.mark.parametrize("epsilon", [0.1, 3.0, 47.5, 500.0])
def test_honest_mechanisms_pass_and_a_claim_a_little_smaller_does_not(epsilon):
    mechanism = Exponential(insecure(1).below(1000, (30, 40)) / 1000, epsilon=epsilon)
    found = loss_of_tiles(mechanism._weights.tiles, 30, 40)
    assert found.loss == pytest.approx(mechanism.loss(), abs=1e-9)
    assert [one.verdict for one in judge(found, mechanism.loss(), where="all")] == ["holds", "holds"]
    assert judge(found, mechanism.loss() * (1 - 1e-9), where="all")[1].verdict == "violated"


def test_candidate_mechanisms_by_enumeration():
    two_set = TwoSet(4, epsilon=3.0, candidates=2)
    found = loss_of_laws([two_set.fractions(row) for row in np.eye(4)])
    assert found.loss == two_set.loss()
    subset = Subset(6, loss=2.0, candidates=2)
    found = loss_of_laws(subset.weights(insecure(2).below(50, (40, 6)).astype(float)))
    assert found.loss == subset.loss()
    assert judge(found, 1.9999, where="law")[1].verdict == "violated"


def test_laws_that_are_none_are_refused():
    for bad in ([], [[1, 2], [1]], [[0, 0]], [[1, -1]]):
        with pytest.raises(ParameterError, match="Laws must be rows"):
            loss_of_laws(bad)
    with pytest.raises(ParameterError, match="at least 0"):
        loss_of_tiles(tiles_of(np.array([[1, -1]])), 1, 2)
    with pytest.raises(ParameterError, match="below 2\\^63"):
        loss_of_tiles(tiles_of(np.array([[2**62, 2**62, 2**62]])), 1, 3)


def metric(words: int = 60, rate: float = 6.0) -> MetricExponential:
    points = (insecure(words).below(2001, (words, 3)) - 1000) / 1000
    points[1] = points[0]  # two words with one vector
    return MetricExponential(WordCloseness(points.astype(np.float32)), rate=rate)


def parts(mechanism: MetricExponential) -> tuple[list[np.ndarray], np.ndarray, np.ndarray, float]:
    step = mechanism.closeness.unit * 4096
    steps = np.rint(mechanism.closeness.rounded / step).astype(np.float32)
    points = steps.astype(np.float64) * step
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    return [mechanism.weights(row) for row in range(mechanism.inputs)], distances, steps, step


def test_metric_claims_by_enumeration_and_by_certificate_agree():
    mechanism = metric()
    rows, distances, steps, step = parts(mechanism)
    claimed = mechanism.loss_per_unit
    found = audit_metric.metric_loss(rows, distances, claimed)
    assert found.broken == 0
    assert found.pairs == 60 * 59
    assert claimed * 0.95 < found.per_unit <= claimed
    certified = audit_metric.metric_certificate(
        mechanism._law._weights.tiles, steps, step, rate=mechanism.rate, furthest=mechanism.furthest
    )
    assert found.per_unit <= certified.per_unit <= claimed
    assert certified.attained == pytest.approx(found.per_unit, rel=0.01)
    assert certified.deviation < 1e-4
    for one in (found, certified):
        assert audit_metric.judge_metric(one, claimed, inputs=60, where="law").verdict == "holds"


def test_metric_claims_that_are_too_small_are_caught():
    mechanism = metric()
    rows, distances, steps, step = parts(mechanism)
    found = audit_metric.metric_loss(rows, distances, mechanism.loss_per_unit)
    assert audit_metric.metric_loss(rows, distances, found.per_unit * 0.999).broken > 0
    assert audit_metric.metric_loss(rows, distances, found.per_unit * (1 + 1e-6)).broken == 0
    wrong = audit_metric.metric_certificate(  # a law of another rate is not what it is taken for
        mechanism._law._weights.tiles, steps, step, rate=mechanism.rate * 1.05, furthest=mechanism.furthest
    )
    finding = audit_metric.judge_metric(wrong, mechanism.loss_per_unit, inputs=60, where="law")
    assert finding.verdict == "violated"


def test_twins_with_different_laws_are_refused():
    mechanism = metric()
    rows, distances, steps, step = parts(mechanism)
    table = np.stack(rows)
    table[1, 5] += 1
    assert audit_metric.metric_loss(list(table), distances, 100.0).broken > 0
    with pytest.raises(ParameterError, match="distance 0"):
        audit_metric.metric_certificate(tiles_of(table), steps, step, rate=6.0, furthest=mechanism.furthest)
    with pytest.raises(ParameterError, match="whole numbers"):
        audit_metric.metric_certificate(tiles_of(table), steps + 0.5, step, rate=6.0, furthest=mechanism.furthest)
    with pytest.raises(ParameterError, match="support first"):
        audit_metric.metric_loss([np.array([0, 1]), np.array([1, 1])], np.ones((2, 2)), 1.0)
    with pytest.raises(ParameterError, match="2 to 500"):
        audit_metric.metric_loss([np.array([1])], np.ones((1, 1)), 1.0)


def test_an_audit_says_what_it_found():
    held = Finding(check="exact loss", verdict="holds", says="The loss is small.")
    broken = Finding(check="length", verdict="violated", says="The length leaks.", figures={"share": 1.0})
    passed = Audit(subject="toy", claim="1", findings=(held,))
    failed = Audit(subject="toy", claim="1", findings=(held, broken, broken), notes=("Be careful.",))
    assert passed.verdict == "toy: no check could prove the claim wrong."
    assert failed.verdict == "toy: the claim is VIOLATED (length)."
    assert failed.violations == (broken, broken)
    assert "VIOLATED  length      The length leaks." in str(failed)
    assert str(failed).endswith("Note: Be careful.")
    assert failed.to_json()["violated"]
    nothing = Audit(subject="toy", claim="nothing", findings=(Finding(check="a", verdict="measured", says="b"),))
    assert "nothing is claimed" in nothing.verdict
    with pytest.raises(ParameterError, match="verdict"):
        Finding(check="a", verdict="fine", says="b")
