"""Books: which sentences go in, what a folder must be like to be opened, how well a book covers a text."""

from __future__ import annotations

import numpy as np
import pytest

from allonym import models
from allonym.books import book as books
from allonym.books.book import Book
from allonym.books.building import Gathering, PrivateTexts, spread
from allonym.books.covering import coverage
from allonym.errors import InputError, ModelError
from allonym.networks.sentences.encoder import DEFAULT, SentenceEncoder

PRIVATE = "My sister says that the new doctor never listens to what she has to say about it. She cried."


@pytest.fixture(scope="module")
def encoder():
    return SentenceEncoder.open()


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("The room was clean and quiet.", ""),
        ("Very nice.", "short"),
        ("And so on, " * 12 + "and so on.", "long"),
        ("We paid 40 pounds for it.", "numbers"),
        ("Look at <b>this</b> old house.", "signs"),
        ("and then we went home again.", "unfinished"),
        ('He said "never again to us.', "unfinished"),
        ("Das Zimmer war leider sehr schmutzig gewesen.", "unknown"),
        ("The man was a total wanker to us.", "blocked"),
        ("We met Susan Miller in the park.", "names"),
        ("She has to say about it what the new doctor never listens to.", ""),
        ("I know that the new doctor never listens to what she has to say.", "protected"),
        ("She cried.", "short"),
    ],
)
def test_what_goes_into_a_book(encoder, sentence, reason):
    assert Gathering(encoder.features, PrivateTexts([PRIVATE])).reason(sentence) == reason


def test_a_sentence_stands_in_a_book_once_whatever_its_case_and_marks(encoder):
    gathering = Gathering(encoder.features)
    gathering.add("We came home late at night. We came home,  late at night!")
    assert gathering.gathered.sentences == ["We came home late at night."]
    assert gathering.gathered.left_out == {"double": 1}


def test_a_text_that_is_to_be_protected_is_refused_without_showing_it(encoder):
    gathering = Gathering(encoder.features, PrivateTexts([PRIVATE]))
    with pytest.raises(InputError, match="word for word") as caught:
        gathering.add(PRIVATE.upper())
    assert "sister" not in str(caught.value).lower()


def test_a_choice_prefers_no_part_of_the_source():
    sentences = [f"Sentence {number} of them." for number in range(1000)]
    chosen = spread(sentences, 100)
    assert chosen == sorted(chosen, key=sentences.index)
    assert 20 < sum(sentence in sentences[:500] for sentence in chosen) < 80
    assert spread(sentences, 5000) == sentences


def written(encoder, folder, sentences=("It rained all night.", "The soup was cold.")) -> Book:
    book = Book.of(sentences, encoder)
    books.write(folder, book, {"name": "small", "encoder": DEFAULT}, "A card.\n")
    return book


def test_a_book_comes_back_as_it_was_written(encoder, tmp_path):
    book = written(encoder, tmp_path / "book")
    again = Book.open(tmp_path / "book")
    assert again.sentences == book.sentences
    np.testing.assert_array_equal(again.vectors, book.vectors)
    assert again.nearest(encoder.encode(["My soup was not warm."]), 2).tolist() == [[1, 0]]


def test_a_damaged_book_and_one_of_another_encoder_are_refused(encoder, tmp_path, monkeypatch):
    written(encoder, tmp_path / "book")
    monkeypatch.setattr(encoder, "digest", "another")
    with pytest.raises(ModelError, match="another version"):
        Book.open(tmp_path / "book")
    monkeypatch.undo()
    (tmp_path / "book" / books.SENTENCES).write_text("It rained all night.\n", "utf-8")
    with pytest.raises(ModelError, match="does not match its checksum"):
        Book.open(tmp_path / "book")
    models.seal(tmp_path / "book")
    with pytest.raises(ModelError, match="build it again"):
        Book.open(tmp_path / "book")


def test_a_book_is_not_written_over_anything(encoder, tmp_path):
    written(encoder, tmp_path / "book")
    with pytest.raises(ModelError, match="holds a book already"):
        written(encoder, tmp_path / "book")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("Dear Ann", "utf-8")
    with pytest.raises(ModelError, match="in use"):
        written(encoder, tmp_path / "mine")


def test_without_the_shipped_book_the_way_out_is_said(monkeypatch):
    monkeypatch.setattr(models, "shipped", list)
    with pytest.raises(ModelError, match="allonym book build"):
        Book.open("default")


def test_coverage_tells_a_book_of_the_right_kind_from_another():
    book = Book.open("book-example")
    near = coverage(book, ["The food was cold. I waited for hours."])
    far = coverage(book, ["Photons interfere coherently in superconducting resonators. Quarks are confined."])
    assert near.close == 1.0
    assert not near.warnings
    assert far.close < 0.5
    assert "public text of the same kind" in far.warnings[0]
    assert coverage(book, ["私は昨日、港で猫を見ました。"]).warnings == [
        "Nothing of the sample could be read; give one in English."
    ]
    assert "word for word" in coverage(book, [" ".join(book.sentences[:2])]).warnings[0]
