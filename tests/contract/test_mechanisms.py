"""What every mechanism must do, found by name: a law that is one, a price that holds, draws that follow the law.

Draws are compared under a fixed key. A false alarm under another key would have a probability of 1e-6 for each test.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

from allonym import mechanisms
from allonym.audit.exact import loss_of_laws, within
from allonym.audit.law import follows
from allonym.audit.mechanisms import of_mechanism
from allonym.errors import AllonymError
from allonym.mechanisms.base import Mechanism, Points, Ratings, Table
from allonym.randomness import insecure

FALSE_ALARM = 1e-6
DRAWS = 20_000
LEVELS = (0.0, 1.0, 4.0)
CELLS = 205 * 2.0**-10  # between places on a line: odd, so that no middle lies inside a cell of the grid of ε = 1


@dataclass
class Small:
    """All inputs of a small mechanism, the exact law of each, and what may be lost between two."""

    mechanism: Mechanism
    inputs: list[Any]
    laws: list[Any]
    claims: dict[tuple[int, int], float]
    counted: Any = np.asarray


def everywhere(inputs: list[Any], loss: float) -> dict[tuple[int, int], float]:
    return dict.fromkeys(itertools.permutations(range(len(inputs)), 2), loss)


def of_table(audited: Table) -> Small:
    mechanism, inputs = audited.mechanism, list(range(audited.inputs))
    laws = [row for _, tile in audited.tiles(np.arange(audited.inputs)) for row in tile]
    claims = everywhere(inputs, mechanism.loss())
    if audited.metric is not None:
        places = audited.metric.steps.astype(np.float64) * audited.metric.step
        apart = {pair: float(np.linalg.norm(places[pair[0]] - places[pair[1]])) for pair in claims}
        claims = {pair: mechanism.metric_loss * distance for pair, distance in apart.items()}
    return Small(mechanism, [audited.given(row) for row in inputs], laws, claims)


def of_ratings(audited: Ratings) -> Small:
    mechanism = audited.mechanism if audited.exact else audited.small()
    inputs = [np.array(row) for row in itertools.product(LEVELS, repeat=mechanism.outputs) if any(row)]
    laws = [mechanism.audited().exact(row) for row in inputs]
    return Small(mechanism, inputs, laws, everywhere(inputs, mechanism.loss()))


def of_points(audited: Points) -> Small:
    line = audited.line
    places = np.arange(4) * CELLS / line.metric_loss
    inputs = [np.array([place]) for place in places]
    claims = {pair: line.loss(abs(places[pair[0]] - places[pair[1]])) for pair in everywhere(inputs, 0.0)}
    laws = [line.law(place, places) for place in places]
    return Small(line, inputs, laws, claims, lambda moved: np.abs(moved - places).argmin(axis=-1))


WAYS = {Table: of_table, Ratings: of_ratings, Points: of_points}


@pytest.fixture(params=sorted(mechanisms.examples()))
def example(request) -> partial[Mechanism]:
    return mechanisms.examples()[request.param]


@pytest.fixture
def small(example) -> Small:
    audited = example().audited()
    assert audited is not None, "say in `audited` how the law is checked"
    return WAYS[type(audited)](audited)


def test_every_mechanism_is_there():
    assert set(mechanisms.examples()) >= {"exponential", "laplace", "metric-exponential", "subset", "two-set"}
    assert all(issubclass(kind, Mechanism) for kind in mechanisms.kinds())


def law_of(small: Small, number: int) -> np.ndarray:
    exact = [float(share) for share in small.laws[number]]
    return np.array(exact) / math.fsum(exact)


def test_the_law_sums_to_one_and_is_the_exact_one(small):
    for number in range(0, len(small.inputs), max(1, len(small.inputs) // 20)):
        law = law_of(small, number)
        assert (law > 0).all()
        if small.mechanism.metric_loss is None or not small.mechanism.input_axes:
            said = small.mechanism.law(small.inputs[number])
            assert math.isclose(math.fsum(said), 1.0, rel_tol=1e-12)
            np.testing.assert_allclose(said, law, rtol=1e-9)


def test_no_pair_of_inputs_loses_more_than_the_price_and_one_loses_nearly_that(small):
    if len(set(small.claims.values())) == 1:  # one price for all pairs: the worst of all at once
        found, claimed = loss_of_laws(small.laws), next(iter(small.claims.values()))
        assert within(found.ratio, claimed)
        assert found.loss >= 0.99 * claimed
        return
    spent = {pair: loss_of_laws([small.laws[number] for number in pair]) for pair in small.claims}
    assert all(within(found.ratio, small.claims[pair] * (1 + 1e-12)) for pair, found in spent.items())
    assert max(found.loss / small.claims[pair] for pair, found in spent.items()) > 0.6


def batch(small: Small, number: int, draws: int) -> np.ndarray:
    given = np.asarray(small.inputs[number])
    return np.broadcast_to(given, (draws, *given.shape))


def test_draws_follow_the_law(small):
    numbers = range(0, len(small.inputs), max(1, len(small.inputs) // 4))
    for number in numbers:
        drawn = small.mechanism.draw(batch(small, number, DRAWS), insecure(number))
        law = law_of(small, number)
        counts = np.bincount(small.counted(drawn), minlength=len(law))
        assert follows(counts, law) > FALSE_ALARM / len(numbers)


def test_the_same_words_give_the_same_draws_whatever_the_batch(small):
    inputs = np.stack([np.asarray(small.inputs[number % len(small.inputs)]) for number in range(40)])
    rng = insecure(5)
    texts = [bytes([number]) * 32 for number in range(40)]
    together = small.mechanism.draw(inputs, rng.documents(texts, 0, bytes(32)))
    for start, stop in ((0, 1), (3, 17), (39, 40)):
        alone = small.mechanism.draw(inputs[start:stop], insecure(5).documents(texts[start:stop], start, bytes(32)))
        assert (alone == together[start:stop]).all()


def test_draws_do_not_change_what_is_drawn_from(small):
    given = np.stack([np.asarray(one) for one in small.inputs[:4]])
    before = given.copy()
    small.mechanism.draw(given, insecure(1))
    assert (given == before).all()


def test_nan_fails_in_the_constructor(example):
    numbers = [name for name, value in example.keywords.items() if isinstance(value, float)]
    assert numbers, "name the mechanism's numbers in EXAMPLE"
    for name in numbers:
        for bad in (math.nan, math.inf, -1.0):
            with pytest.raises(AllonymError):
                example(**{name: bad})
    for place, value in enumerate(example.args):
        if isinstance(value, list):
            holed = np.array(value, np.float64)
            holed.flat[0] = math.nan
            with pytest.raises(AllonymError):
                example.func(*example.args[:place], holed, *example.args[place + 1 :], **example.keywords)


def claimed_of(mechanism: Mechanism) -> float:
    return mechanism.loss() if mechanism.input_axes == 0 or mechanism.metric_loss is None else math.inf


def test_the_audit_knows_it_and_finds_nothing_but_what_is_so(example):
    mechanism = example()
    findings = of_mechanism(mechanism.audited(), claimed_of(mechanism), mechanism.metric_loss or 0.0, 1000, insecure(2))
    assert {finding.verdict for finding in findings} == {"holds"}
    assert any(finding.check == "sampled loss" for finding in findings)


class Unknown(mechanisms.TwoSet):
    """A mechanism that nobody has said how to check."""

    def audited(self):
        return None


def test_a_mechanism_that_the_audit_does_not_know_is_not_audited():
    mechanism = Unknown(4, epsilon=1.0)
    [finding] = of_mechanism(mechanism.audited(), 1.0, 0.0, 10, insecure(1))
    assert finding.verdict == "not audited"
