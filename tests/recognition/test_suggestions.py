"""Suggestions: each lowers the figure it is measured by, fits its sentence, and the best comes first."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from allonym.language.rewording import Edit, SentenceReader
from allonym.recognition import reading, suggestions
from allonym.recognition.recogniser import Recogniser
from allonym.recognition.suggestions import Risk, fitting

LETTERS = sorted((Path(__file__).parents[2] / "examples" / "letters").glob("*.txt"))
LETTER = LETTERS[0].read_text("utf-8")


@pytest.fixture(autouse=True)
def _forgotten():
    suggestions.forget()


def by_length(text: str) -> Risk:
    return Risk(len(text) / 10_000, 0.0)


def test_only_what_lowers_the_figure_is_offered_the_lowest_first():
    found = suggestions.suggest(LETTER, by_length)
    assert found.suggestions
    assert found.risk == len(LETTER) / 10_000
    lengths = [len(LETTER) - (one.stop - one.start) + len(one.new) for one in found.suggestions]
    assert [one.after for one in found.suggestions] == [length / 10_000 for length in lengths]
    assert lengths == sorted(lengths)
    assert lengths[-1] < len(LETTER)


def test_where_the_share_stands_still_the_distance_decides():
    assert Risk(0.5, 1.0).less_than(Risk(0.5, 2.0))
    assert Risk(0.4, 2.0).less_than(Risk(0.5, 1.0))
    assert not Risk(0.5, 1.0).less_than(Risk(0.5, 1.0))
    assert not Risk(0.6, 0.0).less_than(Risk(0.5, 1.0))
    assert Risk(None, 1.0).less_than(Risk(None, 2.0))


def test_the_figure_is_that_of_the_reading():
    assert suggestions.risk_of(LETTER).share == reading.read(LETTER, None).risk
    assert suggestions.risk_of("Too short a text.").share is None


@pytest.mark.parametrize("path", LETTERS, ids=lambda path: path.stem)
def test_letters_have_suggestions_that_lower_their_risk(path):
    text = path.read_text("utf-8")
    found = suggestions.suggest(text)
    assert found.suggestions
    for one in found.suggestions[:3]:
        changed = text[: one.start] + one.new + text[one.stop :]
        assert suggestions.risk_of(changed).less_than(suggestions.risk_of(text))


def test_attackers_who_know_the_writer_measure_them_too():
    mine = "Whilst the harbour slept; the gulls, upon the wall, were quarrelling; and so was I. It was not late. "
    other = "Gonna grab a coffee!! Then the gym... cant wait, its gonna be sooo good, you know? "
    texts = [mine * 30, mine * 24, other * 30, other * 24]
    recogniser = Recogniser().fit(texts, ["you", "you", "other", "other"], words=150)
    measure = partial(suggestions.risk_of, recogniser=recogniser)
    text = mine * 8
    assert measure(text).share == recogniser.check(text, "you").risk
    found = suggestions.suggest(text, measure, place=(0, 100))
    assert all(one.start < 100 for one in found.suggestions)
    assert all(one.after <= one.before for one in found.suggestions)


def test_one_place_of_a_long_text_is_searched_and_measured_by_its_surroundings():
    text = LETTER * 120
    place = text.index("approximately", 60_000) if "approximately" in LETTER else len(text) // 2
    found = suggestions.suggest(text, by_length, place=(place, place + 400))
    assert found.measured <= found.candidates
    assert all(place - 400 < one.start < place + 400 for one in found.suggestions)


def test_another_language_gets_no_suggestions():
    german = "Ich habe den Brief gestern erhalten und werde ihn heute Abend in Ruhe lesen, denn er ist sehr lang. " * 4
    assert suggestions.suggest(german).candidates == 0


def test_what_avoids_its_neighbours_is_refused():
    reader = SentenceReader("I am here with a good book.")
    assert not fitting.fits(Edit(17, 21, "enough", "wording", ""), reader)
    assert fitting.fits(Edit(17, 21, "great", "wording", ""), reader)


def test_the_checker_refuses_what_it_had_not_found_before():
    pytest.importorskip("harper", reason="the extra `grammar` is not installed")
    reader = SentenceReader("I bought an apple at the shop.")
    assert not fitting.fits(Edit(9, 11, "a", "small word", ""), reader)
    assert fitting.has_grammar()


def test_without_a_checker_suggestions_are_made_all_the_same(monkeypatch):
    monkeypatch.setattr(fitting, "_linter", lambda: None)
    found = suggestions.suggest(LETTER)
    assert found.suggestions
    assert not found.grammar


def test_versions_of_a_sentence_are_measured():
    start, stop = suggestions.sentence_at(LETTER, LETTER.index(".") - 3)
    sentence = LETTER[start:stop]
    offered = suggestions.versions(LETTER, (start, stop), ["Short.", sentence, sentence + " " + sentence], by_length)
    assert [one.new for one in offered] == ["Short."]
