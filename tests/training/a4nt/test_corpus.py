"""A user's texts as what A4NT learns from."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.errors import InputError
from allonym.language import entities
from allonym.language.entities import Entity
from allonym.language.sequences import UNKNOWN
from allonym.training.a4nt.corpus import LabelledText, prepare

WORDS = """
door window letter car chair garden book boat lamp table road bridge river cloud stone apple horse dog
open close paint lose find sell buy move clean watch bring take hold drop lift push pull turn
now today again often twice here there slowly quickly well badly together alone first last soon
"""
THINGS, VERBS, ENDS = (line.split() for line in WORDS.strip().splitlines())


def rows(count=40, authors=None):
    for number in range(count):
        said = [
            f"We {VERBS[row % 18]} the {THINGS[row * 5 % 18]} {ENDS[row % 16]}, in {1950 + row}."
            for row in range(number, number + 4)
        ]
        yield LabelledText(
            "ab"[number % 2], None if authors is None else f"u{number % authors}", " ".join(said) + f" N{number}q."
        )


def corpus(found, **options):
    return prepare(found, **{"words": 200, "shared_by": 3, "held_out": 0.2, **options})


def test_classes_sentences_and_what_is_held_out():
    found = corpus(rows())
    assert found.classes == ("a", "b")
    assert found.documents == 40
    for sample in (*found.learned, *found.watched):
        assert sample.lengths.sum() == len(sample.tokens)
        assert len(sample.documents) == len(sample.lengths)
        assert sample.lengths.min() >= 2
    assert [len(set(sample.documents)) for sample in found.watched] == [4, 4]
    learned, watched = ({n for sample in part for n in sample.documents} for part in (found.learned, found.watched))
    assert learned.isdisjoint(watched)
    assert "<year>" in found.vocabulary.tokens
    assert found.vectors.shape[0] == len(found.vocabulary)
    assert 0.9 < found.coverage <= 1


def test_an_author_is_held_out_as_a_whole_and_words_need_several_authors():
    found = corpus(rows(authors=10), shared_by=2)
    learned, watched = (
        {n // 4 for sample in part for n in sample.documents} for part in (found.learned, found.watched)
    )
    assert learned.isdisjoint(watched)  # documents are numbered author by author, four of each
    assert len(watched) == 2
    alone = [LabelledText("a", "u0", f"We open the door now, said zorblax number{n}, today.") for n in range(9)]
    words = corpus([*rows(authors=10), *alone], shared_by=2).vocabulary.tokens
    assert "zorblax" not in words
    assert "zorblax" in corpus([*rows(authors=10), *alone], shared_by=1).vocabulary.tokens


def test_doubles_count_once_and_the_fingerprint_tells_texts_and_labels():
    plain = list(rows())
    assert corpus([*plain, *plain[:5]]).documents == 40
    prints = {
        corpus(found).fingerprint
        for found in (plain, [*plain, plain[0]], [row._replace(label="ba"["ab".index(row.label)]) for row in plain])
    }
    assert len(prints) == 3
    assert corpus(plain).fingerprint == corpus(plain).fingerprint


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda row, n: row._replace(label="a"), "from 2 to 12"),
        (lambda row, n: row._replace(label=f"c{n}"), "from 2 to 12"),
        (lambda row, n: row._replace(label=""), "no value"),
        (lambda row, n: row._replace(label=row.label * 50), "names of at most"),
        (lambda row, n: row._replace(text=f"Привет мир {n}."), "too few"),
        (lambda row, n: row._replace(label="a" if n else "rare"), "'rare' only"),
    ],
)
def test_too_little_or_odd_input_is_refused_without_text(change, message):
    with pytest.raises(InputError, match=message) as caught:
        corpus([change(row, number) for number, row in enumerate(rows())])
    assert "Привет" not in str(caught.value)


def test_names_become_labels_that_the_vocabulary_knows(monkeypatch):
    def find(text):
        return [Entity(place, place + 2, "<person>") for place in range(len(text)) if text.startswith("We", place)]

    monkeypatch.setattr(entities, "find", find)
    found = corpus(rows(), names=True)
    [person] = found.vocabulary.ids(["<person>"])
    assert person != UNKNOWN
    assert (np.concatenate([sample.tokens for sample in found.learned]) == person).sum() > 50
    assert "<person>" not in corpus(rows()).vocabulary.tokens
