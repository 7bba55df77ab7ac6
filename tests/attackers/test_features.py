"""N-grams say where they stand, masks keep their places, and nothing but white space is no reason to stop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allonym.anonymizers.release import texts_of_counts
from allonym.attackers.features import Lengths, NGrams, lowered, without_words
from allonym.attackers.linear import WordNGramSVM
from allonym.errors import InputError

TEXTS = ["Well, I don't know; do you?", "Well, you know. I don't!", "Do I know you, well?"]


def column(features, name):
    return features.names().index(name)


def test_word_n_grams_hold_punctuation_and_stand_where_they_say():
    features = NGrams("words", 1, 3).fit(TEXTS)
    place = column(features, "words “well ,”")
    assert features.occurrences(place, "Oh WELL, well,") == [(3, 8), (9, 14)]
    assert features.transform(["nothing of it", "Well, yes"])[[1], [place]] > 0


def test_character_n_grams_keep_case_and_borders():
    features = NGrams("characters", 2, 4).fit(TEXTS)
    start = column(features, "characters “ kn”")
    assert features.occurrences(start, "unknown  know") == [(9, 11)]
    assert "characters “Wel”" in features.names()
    assert "characters “wEL”" not in features.names()


def test_masked_n_grams_say_what_the_masks_stand_for():
    features = NGrams("words", 1, 3, reading=without_words).fit(TEXTS)
    names = features.names()
    assert "pattern “Word ,”" in names
    assert not any("know" in name for name in names)
    place = column(features, "pattern “, word”")
    text = "Fine, really and so"
    assert [text[a:b] for a, b in features.occurrences(place, text)] == [", really"]


@given(st.text(max_size=60))
def test_what_is_read_keeps_every_place(text):
    assert len(lowered(text)) == len(text)
    assert len(without_words(text)) == len(text)


def test_restoring_changes_nothing():
    features = NGrams("words", 1, 2).fit(TEXTS)
    again = NGrams("words", 1, 2).restore(features.state())
    np.testing.assert_array_equal(features.transform(TEXTS).toarray(), again.transform(TEXTS).toarray())
    assert features.names() == again.names()


@pytest.mark.parametrize("texts", [["", " "], ["one", "two"]])
def test_texts_with_nothing_in_common(texts):
    for of in ("words", "characters"):
        assert NGrams(of, 1, 2).fit_transform(texts).shape[0] == 2


def test_lengths():
    [row] = Lengths().transform(["one two\nthree"]).toarray()
    np.testing.assert_allclose(row, np.log1p([13, 3, 2]))
    assert Lengths().transform([]).shape == (0, 3)


def test_clues_name_the_author_s_habits():
    texts = ["Well, quite so.", "Well, quite right.", "no. no way. no.", "no. not now."]
    attacker = WordNGramSVM().fit(texts, ["anna", "anna", "boris", "boris"])
    clues = attacker.clues("Well, no.", "anna")
    assert any("well" in clue.feature for clue in clues[:3])
    assert [clue.weight for clue in clues] == sorted((clue.weight for clue in clues), reverse=True)
    with pytest.raises(InputError, match="not among those"):
        attacker.clues("Well, no.", "clara")


def test_counts_written_out_again():
    from scipy import sparse

    counts = sparse.csr_array([[0, 2, 1], [0, 0, 0]])
    assert texts_of_counts(counts, ["a", "b", "c"]) == ["b b c", ""]
