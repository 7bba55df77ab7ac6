"""Counts that are kept weigh n-grams as scikit-learn does, whatever was read before; a text is read once."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from allonym.attackers import features
from allonym.attackers.features import NGrams, without_words
from allonym.attackers.remembered import Rows

TEXTS = [
    "Well, I don't know; do you?\n\nWell   then.",
    "Well, you know. I don't!",
    "Do I know you, well?",
    "Größe 漢字 ☕️ İ, well \ud800?",
    "",
    "a",
]
KINDS = [
    {"of": "characters", "shortest": 2, "longest": 5, "across_words": True},
    {"of": "characters", "shortest": 3, "longest": 4, "across_words": True, "most": 20},
    {"of": "words", "shortest": 1, "longest": 2},
    {"of": "words", "shortest": 1, "longest": 3, "reading": without_words},
    {"of": "words", "shortest": 1, "longest": 2, "presence": True},
    {"of": "words", "shortest": 2, "longest": 3, "most": 4},
]


@pytest.fixture
def counting(monkeypatch):
    """Return what says whether texts are counted here, or left to scikit-learn."""
    features._counts.cache_clear()

    def choose(counted: bool) -> None:
        monkeypatch.setattr(features, "worth_compiling", lambda entries: counted)

    yield choose
    features._counts.cache_clear()


def by_name(grams: NGrams, values: sparse.csr_array) -> dict[str, list[float]]:
    return dict(zip(grams.names(), values.toarray().T.tolist(), strict=True))


def both(counting, settings, texts, asked):
    found = []
    for counted in (True, False):
        counting(counted)
        grams = NGrams(**settings)
        learned = by_name(grams, grams.fit_transform(texts))
        found.append((learned, by_name(grams, grams.transform(asked))))
    return found


@pytest.mark.parametrize("kind", KINDS, ids=[str(number) for number in range(len(KINDS))])
def test_counts_weigh_as_scikit_learn_does(counting, kind):
    for ours, theirs in zip(*both(counting, kind, TEXTS, TEXTS[::-1]), strict=True):
        # Of n-grams that are equally frequent at the limit, either may be taken.
        assert "most" in kind or set(ours) == set(theirs)
        assert len(ours) == len(theirs)
        if "most" not in kind:
            np.testing.assert_allclose([ours[name] for name in theirs], list(theirs.values()), rtol=1e-12)


@given(texts=st.lists(st.text(alphabet="ab, B.\n'é", max_size=12), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_any_texts_are_counted_as_scikit_learn_does(texts):
    for kind in (KINDS[0], KINDS[2], KINDS[4]):
        counted, plain = NGrams(**kind), NGrams(**kind)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(features, "worth_compiling", lambda entries: True)
            ours = by_name(counted, counted.fit_transform(texts))
            patch.setattr(features, "worth_compiling", lambda entries: False)
            theirs = by_name(plain, plain.fit_transform(texts))
        assert set(ours) == set(theirs)
        np.testing.assert_allclose([ours[name] for name in theirs], list(theirs.values()), rtol=1e-12)


def test_the_most_frequent_are_chosen(counting):
    counting(True)
    grams = NGrams("words", 1, 1, most=2).fit(["b b b c d", "b c a a", "a c d"])
    assert set(grams.names()) == {"words “b”", "words “a”"} or set(grams.names()) == {"words “b”", "words “c”"}


def test_what_was_read_before_does_not_matter(counting):
    counting(True)
    texts = TEXTS * 3
    first = NGrams("characters", 2, 5, across_words=True, most=30).fit(texts)
    NGrams("characters", 2, 5, across_words=True).fit(["wholly other texts", "that come in between"])
    features._counts.cache_clear()
    NGrams("characters", 2, 5, across_words=True).fit(["zebras before all", "zebras again"])
    again = NGrams("characters", 2, 5, across_words=True, most=30).fit(texts)
    assert again.names() == first.names()
    np.testing.assert_array_equal(again.transform(TEXTS).toarray(), first.transform(TEXTS).toarray())


def test_counted_grams_can_be_saved_and_sent(counting):
    counting(True)
    grams = NGrams("words", 1, 2).fit(TEXTS)
    expected = grams.transform(TEXTS).toarray()
    for again in (pickle.loads(pickle.dumps(grams)), NGrams("words", 1, 2).restore(grams.state())):
        assert again.names() == grams.names()
        np.testing.assert_allclose(again.transform(TEXTS).toarray(), expected, rtol=1e-12)
    assert len(pickle.dumps(NGrams("words", 1, 1, most=1).fit(TEXTS))) < 4000  # without the counts of all


def test_a_text_is_read_once_until_too_much_is_kept():
    asked: list[list[str]] = []

    def read(texts):
        asked.append(list(texts))
        return sparse.csr_array([[len(text), 1.0] for text in texts])

    rows = Rows(read, most=5)
    assert rows.of(["a", "bb", "a"]).toarray().tolist() == [[1, 1], [2, 1], [1, 1]]
    assert rows.of(["bb", "ccc"]).toarray().tolist() == [[2, 1], [3, 1]]
    assert asked == [["a", "bb"], ["ccc"]]
    rows.of(["dddd"])  # six entries are kept by now, which is more than five
    assert asked[-1] == ["dddd"]
    assert rows.of(["a"]).toarray().tolist() == [[1, 1]]
    assert asked[-1] == ["a"]
    assert rows.of([]).shape[0] == 0
    assert rows.of(["a"]).indices.dtype == np.int32  # scikit-learn's linear models take no wider ones
