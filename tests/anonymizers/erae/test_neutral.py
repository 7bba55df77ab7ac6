"""Neutral style: a few plain clauses, chosen and written by public tables before anything is drawn."""

from __future__ import annotations

import numpy as np
import pytest

from allonym import ERAE, models
from allonym.errors import ModelError, ParameterError
from allonym.language.sequences import SPECIAL, Vocabulary, sentences
from allonym.networks.erae.neutral import NeutralStyle
from allonym.randomness import insecure

TEXT = (
    "Honestly, I really did n't enjoy this movie (sorry!), although my brother was quite happy with it. "
    "The ship sinks in a terrible storm, and the sailors swim to an island with a volcano. It's a long way home; well."
)


@pytest.fixture(scope="module")
def neutral():
    return NeutralStyle.open()


def core(style, text, clauses=3, words=12):
    return style.core(sentences(text), clauses=clauses, words=words)


def test_marks_adverbs_contractions_and_pet_words_are_gone(neutral):
    found = [word for clause in core(neutral, TEXT, clauses=20, words=30) for word in clause]
    assert not {",", "(", "!", ";", "honestly", "really", "quite", "n't", "movie", "although", "was"} & set(found)
    assert {"not", "film", "is", "volcano", "storm"} <= set(found)


def test_how_loud_or_formal_a_text_is_makes_no_difference(neutral):
    plain = "The film does not have a good story. My friend is happy with it."
    loud = "The movie REALLY didn't have a good story!!! My friend was (quite) happy with it..."
    assert core(neutral, plain) == core(neutral, loud)


def test_plainer_verbs_agree_with_the_pronoun_before_them(neutral):
    assert core(neutral, "I was late and had no time.") == [["i", "am", "late", "and", "has", "no", "time"]]
    assert core(neutral, "They really had no time. He did it.") == [
        ["they", "have", "no", "time"],
        ["he", "does", "it"],
    ]


def test_as_many_clauses_and_words_as_asked_for_in_the_order_of_the_text(neutral):
    found = core(neutral, TEXT, clauses=2, words=6)
    assert len(found) == 2
    assert all(1 <= len(clause) <= 6 for clause in found)
    everything = core(neutral, TEXT, clauses=50, words=6)
    assert [clause for clause in everything if clause in found] == found


def test_the_clause_that_says_most_is_kept():
    vocabulary = Vocabulary((*SPECIAL, "the", "whale", "swims", "here", "and", "there", "so", "it", "goes", "on"))
    size = len(vocabulary)
    weight = np.zeros(size)
    weight[vocabulary.ids(["whale"])[0]] = 5.0
    begins = np.array([token == "and" for token in vocabulary.tokens])
    style = NeutralStyle(vocabulary, weight, np.arange(size), begins, np.ones((size, 4), np.float32))
    split = [["so", "it", "goes", "on", "there"], ["the", "whale", "swims", "here", "there"]]
    assert style.core(split, clauses=1, words=9) == [["the", "whale", "swims", "here", "there"]]


@pytest.mark.parametrize("text", ["", "?!", "Привет мир", "word " * 3000, "no"])
def test_any_text_has_a_core(neutral, text):
    assert len(core(neutral, text)) <= 3


def test_what_is_promised_is_the_number_of_words_of_the_core():
    guarantee = ERAE(mechanism="subset", style="neutral", sentences=3, words=14).guarantee()
    assert (guarantee.words, guarantee.released_as_is) == (42, ())


def test_with_a_large_loss_the_core_comes_through_and_sentences_end_in_full_stops():
    method = ERAE(mechanism="subset", style="neutral", loss_per_word=40.0, candidates=1, sentences=4, words=12)
    [text] = method.release(["The ship sinks in a storm! The sailors swim to an island..."], rng=insecure(1)).payload
    assert text == "The ship sinks in a storm. The sailors swim to an island."


@pytest.mark.parametrize("mechanism", ["two-set", "subset"])
def test_no_mark_is_written_but_full_stops_at_the_end(mechanism):
    method = ERAE(style="neutral", mechanism=mechanism, sentences=2, words=8)
    for text in method.release([TEXT] * 10, rng=insecure(2)).payload:
        assert len(text.split()) <= 16
        assert text.count(".") <= 2 + text.count("Mr.") + text.count("Dr.")
        assert not set(text) & set('!?,;:()"')


def test_public_length_is_refused_and_a_wrong_folder_too():
    with pytest.raises(ParameterError, match="private"):
        ERAE(style="neutral", length="public")
    with pytest.raises(ModelError, match="format"):
        NeutralStyle.open("erae-en")
    assert models.verify("neutral-en").ok
