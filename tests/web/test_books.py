"""A page that was started with a book offers its sentences, and says no folder of this machine."""

from __future__ import annotations

import shutil

import pytest

from allonym import cli, models
from allonym.web import downloads, methods, reporting
from allonym.web.desk import Desk
from tests.web.conftest import LETTER


@pytest.fixture
def book(tmp_path):
    """A book of a user's own, offered until the test ends."""
    folder = shutil.copytree(models.find("book-example"), tmp_path / "harbour")
    methods.take_books([str(folder)])
    yield folder
    methods.take_books([])


def test_without_a_book_its_method_is_not_offered():
    assert "commonplace" not in [card.name for card in methods.cards()]


def test_a_book_is_offered_and_used(book):
    [card] = [card for card in methods.cards() if card.name == "commonplace"]
    assert card.proved
    assert methods.TABLE in card.suits
    assert methods.default(methods.TABLE) == "counts"
    desk = Desk()
    desk.read(LETTER)
    draft = desk.rewrite("commonplace", 1)
    assert draft.draw.guarantee.drawn == "sentence"
    assert "for each of 2 sentences" in desk.badge.detail
    assert desk.badge.level.name == "weak"  # nobody measured this book
    assert "for each sentence × 2 sentences" in methods.cost(draft.draw.guarantee, 2)
    assert methods.command("commonplace", 1).endswith("--book harbour --sentences 2")
    sent = [make(desk)[2].decode() for make in (downloads.public_report, downloads.privacy, downloads.command)]
    for content in (*sent, reporting.build(desk).paragraph, str(methods.offered())):
        assert str(book.parent) not in content
    assert "book harbour" in reporting.build(desk).paragraph


def test_what_is_no_book_is_refused_before_anything_is_served(tmp_path, capsys):
    assert cli.run(["serve", "--no-browser", "--book", str(tmp_path)]) != 0
    assert capsys.readouterr().err
    assert cli.run(["serve", "--no-browser", "--book", str(tmp_path / "none")]) == cli.BAD_USE
