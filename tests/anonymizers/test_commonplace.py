"""Commonplace: which sentences are said, in which order, and what comes of texts that are no prose."""

from __future__ import annotations

import numpy as np
import pytest

from allonym import Commonplace
from allonym.errors import ModelError, ParameterError
from allonym.networks.sentences.centre import central
from allonym.randomness import insecure

CERTAIN = 40.0  # a loss at which a candidate is as good as certain


def certain(**settings) -> Commonplace:
    return Commonplace(**{"book": "book-example", "loss_per_sentence": CERTAIN, "candidates": 1, **settings})


def test_sentences_of_the_book_are_said_as_they_stand_and_in_the_order_of_the_text():
    text = "The soup tasted wonderful and the bread was fresh. It rained all night and the roof leaked again."
    assert certain().transform([text]) == [text]
    first, second = text.split(". ")
    assert certain().transform([f"{second} {first}."]) == [f"{second} {first}."]


def test_a_shorter_text_is_filled_with_silence_and_a_longer_one_is_cut():
    assert certain().transform(["", "?!", "私は昨日、港で猫を見ました。"]) == ["", "", ""]
    book = certain().book_
    said = certain(sentences=4).transform([" ".join(book.sentences[:20])])[0]
    kept = [sentence for sentence in book.sentences[:20] if sentence in said]
    assert len(kept) == 4
    assert said == " ".join(kept)


def test_central_sentences_are_those_that_the_rest_is_about():
    film, rain = [100, 10, 0], [0, 0, 100]
    vectors = np.array([rain, film, [90, 20, 5], [95, 0, 10]], np.int8)
    assert central(vectors, np.full(4, 10), 1).tolist() == [3]
    assert central(vectors, np.array([50, 1, 1, 1]), 1).tolist() == [0]  # long sentences count for more
    assert central(vectors, np.full(4, 10), 9).tolist() == [0, 1, 2, 3]
    assert central(np.zeros((3, 3), np.int8), np.full(3, 5), 2).tolist() == []


def test_which_sentence_of_equal_ones_is_said_is_settled():
    vectors = np.tile(np.array([[3, 4]], np.int8), (5000, 1))
    assert central(vectors, np.full(5000, 7), 3).tolist() == [0, 2, 5]  # of 2,000 that are looked at


def test_what_is_computed_before_the_draw_is_what_is_most_likely_drawn():
    texts = ["The meal was not warm. The doctor had time for me.", ""]
    method = Commonplace(book="book-example", sentences=2)
    assert method.before_drawing(texts) == certain(sentences=2).transform(texts)


def test_batches_threads_and_neighbours_do_not_matter():
    texts = [f"It rained on day {number}. We liked the {word}." for number in range(40) for word in ("film", "soup")]
    method = Commonplace(book="book-example", loss_per_sentence=3.0)
    whole = method.release(texts, rng=insecure(1)).payload
    one = insecure(1).one_release()
    assert [method.release([text], rng=one, start=place).payload[0] for place, text in enumerate(texts)] == whole


def test_bad_settings_are_refused_at_once():
    for bad in ({"sentences": 0}, {"candidates": 0}, {"loss_per_sentence": float("nan")}, {"loss_per_sentence": -1.0}):
        with pytest.raises(ParameterError):
            Commonplace(**bad)
    with pytest.raises(ModelError, match="allonym book build"):
        Commonplace().guarantee()
    with pytest.raises(ModelError):
        Commonplace(book="style-en").transform(["Rain."])


def test_the_loss_is_never_more_than_asked_for():
    method = Commonplace(book="book-example", loss_per_sentence=7.7, sentences=5)
    assert 7.69 < method.guarantee().loss_per_word <= 7.7
    assert method.guarantee(3).epsilon == pytest.approx(15 * method.guarantee().loss_per_word)
