"""The sentence encoder: whole numbers, functions of the sentence alone."""

from __future__ import annotations

import numpy as np
import pytest

from allonym import models
from allonym.errors import ModelError
from allonym.networks.sentences.encoder import LENGTH, SentenceEncoder, in_bytes, similarities
from allonym.networks.sentences.text import SentenceFeatures, tokens

SENTENCES = [
    "The film was far too long and badly acted.",
    "",
    "I waited for hours at the hospital.",
    "…!?",
    "私は昨日、港で猫を見ました。",
    "A lone \ud800 surrogate and zqxwv.",
    "word " * 3000,
]


@pytest.fixture(scope="module")
def encoder():
    return SentenceEncoder.open()


def test_a_vector_is_a_function_of_its_sentence_alone(encoder):
    whole = encoder.encode(SENTENCES * 200)
    for place, sentence in enumerate(SENTENCES):
        np.testing.assert_array_equal(encoder.encode([sentence])[0], whole[place])
        np.testing.assert_array_equal(whole[place], whole[place + 7 * 150])


def test_sums_are_those_of_integers(encoder):
    sums = encoder._sums(SENTENCES[:1])[0]
    features = encoder.features.of(SENTENCES[0])
    exact = [sum(int(encoder._rows[f, d]) * int(encoder._weights[f]) for f in features) for d in range(5)]
    assert sums[:5].tolist() == exact


def test_vectors_have_one_length_and_nothing_is_read_of_nothing(encoder):
    vectors = encoder.encode(SENTENCES).astype(np.int64)
    lengths = np.sqrt((vectors**2).sum(axis=1))
    assert lengths[1] == 0
    assert np.allclose(lengths[[0, 2, 6]], LENGTH, rtol=0.05)
    assert not in_bytes(np.zeros((2, 3), np.int64)).any()


def test_alike_sentences_are_near(encoder):
    a, b, c = encoder.encode([SENTENCES[0], "This movie was much too long and the acting was poor.", SENTENCES[2]])
    assert similarities(a[None], b[None])[0] > 0.4 + similarities(a[None], c[None])[0]


def test_tokens_do_not_follow_case_signs_or_which_number():
    assert tokens("DON’T pay £7!") == tokens("don't pay £99!")
    assert len(tokens("a " * 10_000)) < 300


def test_unknown_words_are_read_by_their_letters():
    features = SentenceFeatures(("the", "film"), pairs=10, letters=50)
    assert features.of("the film")[:2] == [0, 1]
    numbers = features.of("filmz")
    assert numbers
    assert all(12 <= number < 62 for number in numbers)
    assert features.of("🛶 …") == features.of("私は猫を見ました") == []


def test_a_damaged_encoder_is_refused(tmp_path):
    with pytest.raises(ModelError, match="do not fit"):
        SentenceEncoder(SentenceFeatures(("the",), 1, 1), np.zeros((2, 4), np.int8), np.ones(3, np.uint8))
    with pytest.raises(ModelError, match="format"):
        SentenceEncoder.open(str(models.find("style-en")))
