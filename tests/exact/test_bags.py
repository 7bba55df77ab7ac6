"""Lemma 1 and theorem 4 of Fernandes, Dras and McIver: bags of words, enumerated.

Words lie on a line, where the law of Laplace noise and its nearest word can be written out. Every bag of three words
is compared with every other, over every output.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest

from allonym.distances import unnormalised_word_movers, word_movers
from allonym.mechanisms import LaplaceND
from allonym.randomness import insecure

PLACES = np.array([0.0, 1.0, 1.5, 3.0])
WORDS = 3
EPSILON = 1.3
BAGS = list(combinations_with_replacement(range(len(PLACES)), WORDS))
LAW = np.stack([LaplaceND(1, epsilon=EPSILON).law(place, PLACES) for place in PLACES])


def law_of_bag(bag) -> np.ndarray:
    """Return how likely each bag comes out: the sum over the different orders of its words (lemma 1)."""
    return np.array([sum(math.prod(LAW[bag, order]) for order in set(permutations(output))) for output in BAGS])


LAWS = {bag: law_of_bag(bag) for bag in BAGS}


def test_the_law_of_a_bag_is_one():
    for law in LAWS.values():
        assert law.sum() == pytest.approx(1)
    assert not any(np.allclose(LAWS[one], LAWS[other]) for one in BAGS for other in BAGS if one != other)


def test_the_order_of_the_words_that_go_in_does_not_matter():
    for order in permutations(BAGS[7]):
        np.testing.assert_allclose(law_of_bag(order), LAWS[BAGS[7]])


def test_the_law_of_a_bag_is_that_of_draws():
    """200,000 draws; a bag strays by five standard deviations once in 50,000 runs of another key."""
    bag, draws = BAGS[5], 200_000
    noise = LaplaceND(1, epsilon=EPSILON).draw(np.tile(PLACES[list(bag)], (draws, 1))[..., None], insecure(11))[..., 0]
    nearest = np.sort(np.abs(noise[..., None] - PLACES).argmin(axis=-1), axis=1)
    counts = np.array([(nearest == output).all(axis=1).sum() for output in BAGS])
    assert (np.abs(counts / draws - LAWS[bag]) < 5 * np.sqrt(LAWS[bag] / draws)).all()


def test_no_two_bags_are_told_apart_by_more_than_the_sum_of_their_words_distances():
    points = {bag: PLACES[list(bag), None] for bag in BAGS}
    above_the_published = 0
    for one in BAGS:
        for other in BAGS:
            lost = np.log(LAWS[one] / LAWS[other]).max()
            assert lost <= EPSILON * unnormalised_word_movers(points[one], points[other]) + 1e-9
            above_the_published += lost > EPSILON * word_movers(points[one], points[other]) + 1e-9
    assert above_the_published > len(BAGS)  # what the paper prints, with mass 1/n a word, is not true
