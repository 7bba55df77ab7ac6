"""ER-AE end to end with the shipped model: what is promised, what comes out, and what never does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from allonym import ERAE
from allonym.errors import ModelError, ParameterError
from allonym.language.sequences import END, SPECIAL
from allonym.mechanisms import Subset, TwoSet
from allonym.randomness import insecure

TEXT = "I thought the film was funny. Anna did not like the ending, though!"


@pytest.fixture(scope="module")
def words():
    return len(ERAE().network_.vocabulary)


def released(text=TEXT, seed=1, **parameters):
    [found] = ERAE(**parameters).release([text], rng=insecure(seed)).payload
    return found


def test_the_promise_is_the_mechanism_s_loss_times_the_steps(words):
    guarantee = ERAE(sentences=3, words=20).guarantee()
    assert guarantee.loss_per_word == TwoSet(words, epsilon=3.0).loss()
    assert guarantee.loss_per_word == pytest.approx(1.5 + math.log(words - 1), abs=1e-9)
    assert (guarantee.words, guarantee.released_as_is) == (60, ())
    assert guarantee.epsilon == pytest.approx(60 * guarantee.loss_per_word)
    assert ERAE(sentences=3, words=20).guarantee(documents=2).epsilon == pytest.approx(2 * guarantee.epsilon)


def test_subset_pays_the_same_and_keeps_candidates_likelier(words):
    faithful, ours = ERAE(), ERAE(mechanism="subset")
    assert isinstance(ours.mechanism_, Subset)
    assert ours.guarantee().loss_per_word <= faithful.guarantee().loss_per_word + 1e-9
    assert ours.mechanism_.probability_of_candidates > faithful.mechanism_.most_for_candidates + 0.1


def test_public_length_is_said_to_be_public():
    guarantee = ERAE(length="public").guarantee()
    assert guarantee.unit == "word"
    assert guarantee.words is None
    assert guarantee.released_as_is == ("the number of sentences", "the length of each")
    assert "as many sentences of the same lengths" in str(guarantee)


@pytest.mark.parametrize("mechanism", ["two-set", "subset"])
def test_a_wanted_loss_is_never_exceeded(mechanism, words):
    for loss in (10.0, 11.4, 14.0):
        assert loss - 1e-6 < ERAE(mechanism=mechanism, loss_per_word=loss).guarantee().loss_per_word <= loss
    if mechanism == "two-set":
        with pytest.raises(ParameterError, match="subset"):
            ERAE(loss_per_word=9.0).guarantee()
    else:
        assert ERAE(mechanism="subset", loss_per_word=1.0).guarantee().loss_per_word <= 1.0


def test_a_large_loss_gives_the_text_back_in_its_own_spelling():
    text = released("The weather was nice, and we did not stay at home.", mechanism="subset", candidates=1,
                    loss_per_word=40.0)  # fmt: skip
    assert text == "The weather was nice, and we did not stay at home."


def test_private_length_hides_how_long_a_text_is():
    short, long = released("No.", sentences=3, words=5), released("word " * 5000, sentences=3, words=5)
    for text in (short, long, released("", sentences=3, words=5)):
        assert len(text.split()) <= 15


def test_an_empty_sentence_mostly_ends_at_once():
    ends = [released("", seed=seed, mechanism="subset", sentences=1, words=10) == "" for seed in range(60)]
    assert np.mean(ends) > 0.85  # candidates get 0.957, all of them ends


def test_with_public_length_no_step_is_lost_but_those_that_are_no_words():
    texts = [released("We like the sea.", seed=seed, length="public", mechanism="subset") for seed in range(20)]
    assert len(set(texts)) > 1
    assert all(1 <= len(text.split()) <= 6 for text in texts)


def test_unknown_words_and_capitals_are_not_written():
    secret = "Zyxqqwort PLUGHXYZZY visited qqfoobarqq."
    nearly_sure = {"mechanism": "subset", "loss_per_word": 30.0, "candidates": 1}
    for seed in range(5):
        text = released(secret, seed=seed, **nearly_sure)
        assert not any(word in text.lower() for word in ("zyxqqwort", "plughxyzzy", "qqfoobarqq"))
        assert "VISITED" not in released(secret.upper(), seed=seed, **nearly_sure)


def test_ends_that_stand_for_the_end_are_never_written(words):
    model = ERAE(mechanism="subset", candidates=7)
    assert model._ends == [*range(len(SPECIAL)), words - 3, words - 2, words - 1]
    assert END in model._ends
    assert model._written(np.array([50, words - 1, 60])) == [50]


def test_a_sentence_is_drawn_the_same_in_any_company():
    together = ERAE().release([TEXT, "Another text. And more of it."], rng=insecure(4)).payload
    alone = ERAE().release([TEXT], rng=insecure(4)).payload
    assert together[0] == alone[0]


def test_parameters_are_checked_and_forgotten_caches_do_not_linger():
    for bad in (
        {"epsilon": 0}, {"epsilon": float("nan")}, {"candidates": 0}, {"words": 51}, {"sentences": 0},
        {"length": "secret"}, {"mechanism": "laplace"}, {"loss_per_word": -1},
    ):  # fmt: skip
        with pytest.raises(ParameterError):
            ERAE(**bad)
    model = ERAE(mechanism="subset", candidates=5)
    before = model._ends
    assert model.set_params(candidates=8)._ends != before
    with pytest.raises(ModelError):
        ERAE(model="no-such-model").guarantee()
