"""Commonplace's promise, by enumerating small books: every text, every output, exactly."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest

from allonym.anonymizers.commonplace import Commonplace
from allonym.books.book import Book
from allonym.networks.sentences.encoder import SentenceEncoder

SENTENCES = ["The house is old.", "It rained all night.", "We liked the music."]
TEXTS = [
    "",
    "Our house was built long ago.",
    "It rained. The old house leaked.",
    "What a concert! I loved the music. The house was full and it rained all the way home.",
    "私は昨日、港で猫を見ました。",
    "| a | b |\n|---|---|\n| 1 | 2 |",
]


def small(sentences: int = 2, candidates: int = 1, loss: float = 1.5, book: list[str] = SENTENCES) -> Commonplace:
    method = Commonplace(book="book-example", sentences=sentences, candidates=candidates, loss_per_sentence=loss)
    method.__dict__["book_"] = Book.of(book, SentenceEncoder.open())
    return method


def law(method: Commonplace, text: str) -> dict[str, Fraction]:
    """Return the probability of every output text, from the exact weights of every slot."""
    mechanism = method.mechanism_
    slots = mechanism.weights(mechanism.ratings(method._candidates([text])[0]))
    chances: dict[str, Fraction] = {}
    for entries in product(range(mechanism.outputs), repeat=len(slots)):
        chance = Fraction(1)
        for weights, entry in zip(slots, entries, strict=True):
            chance *= Fraction(int(weights[entry]), int(weights.sum()))
        said = method._text(np.array(entries))
        chances[said] = chances.get(said, Fraction(0)) + chance
    return chances


@pytest.mark.parametrize("candidates", [1, 2])
def test_no_two_texts_are_told_apart_by_more_than_is_stated(candidates):
    method = small(candidates=candidates)
    laws = [law(method, text) for text in TEXTS]
    assert all(sum(one.values()) == 1 for one in laws)
    assert len({frozenset(one) for one in laws}) == 1  # what can come out is the same for all
    worst = max(log(one[said] / other[said]) for one in laws for other in laws for said in one)
    assert worst <= method.guarantee().epsilon + 1e-9
    assert worst > 0.5 * method.guarantee().epsilon


def test_the_stated_loss_is_attained_by_texts_without_a_candidate_in_common():
    """Both documents of all slots apart: the first says the first sentence twice, the second is silent."""
    method = small()
    first, silent = law(method, "The house is old. The house is old."), law(method, "")
    said = "The house is old. The house is old."
    assert log(first[said] / silent[said]) == pytest.approx(method.guarantee().epsilon, abs=1e-9)


def test_what_is_released_follows_the_law():
    method, text = small(), TEXTS[2]
    expected, draws = law(method, text), 20_000
    drawn = method.transform([text] * draws)
    for said, chance in expected.items():
        share, deviation = drawn.count(said) / draws, (float(chance) * (1 - float(chance)) / draws) ** 0.5
        assert abs(share - float(chance)) < 6 * deviation  # a false alarm once in 10^7 runs


def test_silence_is_an_entry_like_any_other():
    method = small(candidates=2)
    mechanism = method.mechanism_
    assert mechanism.outputs == len(SENTENCES) + 2
    sets = method._candidates(["", TEXTS[3]])
    assert sets.shape == (2, 2, 2)
    assert (sets[0] >= len(SENTENCES)).all()
    assert (sets[1] < len(SENTENCES)).all()


def test_a_book_of_one_sentence_works():
    method = small(candidates=5, book=SENTENCES[:1])
    assert method.mechanism_.outputs == 2
    assert set(method.transform(TEXTS * 20)) <= {"", *(" ".join(SENTENCES[:1] * count) for count in (1, 2))}
    laws = [law(method, text) for text in TEXTS]
    worst = max(log(one[said] / other[said]) for one in laws for other in laws for said in one)
    assert worst <= method.guarantee().epsilon + 1e-9
