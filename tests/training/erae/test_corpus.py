"""From a user's texts to what ER-AE learns from: who enters the vocabulary, what is held out, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.errors import InputError
from allonym.language.sequences import SPECIAL, UNKNOWN
from allonym.training.erae.corpus import is_prose, prepare

WORDS = (  # noqa: SIM905 - readable
    "river stone window garden letter morning kitchen bridge winter summer table paper silver yellow basket candle "
    "forest market teacher driver farmer sailor doctor writer singer hunter planted carried painted followed answered "
    "visited crossed measured borrowed repaired quietly slowly gladly twice near under behind before after during"
).split()


def sentence(number: int) -> str:
    chosen = [WORDS[(number * 7 + place * (3 + number % 5)) % len(WORDS)] for place in range(6)]
    return f"The {' '.join(chosen)}."


def documents(count: int = 40, each: int = 4) -> list[tuple[str | None, str]]:
    return [
        (None, " ".join(sentence(number * each + place) for place in range(each)) + f" Seen on day {number + 13}.")
        for number in range(count)
    ]


def prepared(rows, **settings):
    return prepare(rows, **{"words": 500, "shared_by": 3, "held_out": 0.1, "seed": 1, **settings})


def test_sentences_are_numbered_by_a_vocabulary_of_shared_words():
    corpus = prepared(documents())
    assert set(WORDS) <= set(corpus.vocabulary.tokens)
    assert corpus.tokens.max() < len(corpus.vocabulary)
    assert corpus.lengths.sum() == len(corpus.tokens)
    assert corpus.held_out_lengths.sum() == len(corpus.held_out)
    assert corpus.documents == 40
    assert corpus.coverage == 1.0
    assert corpus.vectors.shape[0] == len(corpus.vocabulary)
    assert not corpus.vectors[: len(SPECIAL)].any()
    assert corpus.vectors[corpus.vocabulary.ids(["river"])[0]].any()


def test_a_word_of_few_documents_stays_out():
    rows = documents()
    for place, name in ((0, "Zebedee"), (1, "Zebedee"), (0, "Quimby"), (1, "Quimby"), (2, "Quimby")):
        rows[place] = (None, rows[place][1] + f" Then {name} left the garden.")
    tokens = prepared(rows).vocabulary.tokens
    assert "zebedee" not in tokens
    assert "quimby" in tokens
    assert "zebedee" in prepared(rows, shared_by=2).vocabulary.tokens


def test_with_authors_a_word_must_have_several_of_them():
    rows = [(f"writer {number % 8}", text + (" Ask Ottoline." if number % 8 == 3 else ""))
            for number, (_, text) in enumerate(documents())]  # fmt: skip
    assert "ottoline" not in prepared(rows).vocabulary.tokens  # five documents, one author
    assert "ottoline" in prepared([(None, text) for _, text in rows]).vocabulary.tokens


def test_copies_of_a_document_count_once():
    rows = documents()
    rows += [(None, rows[0][1] + " Ask Ottoline.")] * 5
    corpus = prepared(rows)
    assert (corpus.documents, corpus.doubles) == (41, 4)
    assert "ottoline" not in corpus.vocabulary.tokens


def test_whole_documents_are_held_out_and_the_seed_says_which():
    corpus = prepared(documents(), held_out=0.25)
    assert len(corpus.held_out_lengths) == 10 * 5
    assert len(corpus.lengths) == 30 * 5
    same, other = prepared(documents(), held_out=0.25), prepared(documents(), held_out=0.25, seed=2)
    assert np.array_equal(corpus.held_out, same.held_out)
    assert not np.array_equal(corpus.held_out, other.held_out)


def test_the_fingerprint_notices_every_change():
    rows = documents()
    found = prepared(rows).fingerprint
    assert prepared(documents()).fingerprint == found
    assert prepared(rows[::-1]).fingerprint != found
    assert prepared([*rows[:-1], (None, rows[-1][1] + " ")]).fingerprint != found
    assert prepared([("one author", text) for _, text in rows], shared_by=1).fingerprint != found


def test_unknown_words_are_learned_from_as_unknown():
    rows = documents()
    rows[0] = (None, "The river window garden letter morning kitchen brigantine.")
    rows[1] = (None, "Zorp blarg river.")  # mostly unknown: no sentence of this kind of text
    corpus = prepared(rows, held_out=0.02)
    assert (corpus.tokens == UNKNOWN).sum() + (corpus.held_out == UNKNOWN).sum() == 1


def test_watched_sentences_are_spread_evenly():
    corpus = prepared(documents(), held_out=0.5)
    few = corpus.watched(10)
    assert len(few) == 10
    assert len(corpus.watched()) == len(corpus.held_out_lengths)
    assert all(isinstance(number, int) for number in few[0])


@pytest.mark.parametrize(
    ("rows", "hint"),
    [
        ([(None, "")] * 5, "no English sentence"),
        ([(None, "12 34 56 78")] * 3, "shared"),
        ([(None, text) for _, text in documents(2)], "--shared-by"),
        ([(None, "Это просто другое письмо.")] * 9, "shared"),
    ],
)
def test_too_little_text_is_refused_in_a_sentence(rows, hint):
    with pytest.raises(InputError, match=hint) as refused:
        prepared(rows)
    assert str(refused.value).endswith(".")


def test_prose_is_told_from_tables():
    assert is_prose(["I", "saw", "a", "river", "."])
    assert not is_prose(["x", "q", "z", "="])
    assert not is_prose(["no", "no", "no", "no"])
