"""Text that is not English is told from text that is, and from what is in no language."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym.language import identification
from tools import measure_languages

LABELLED = list(measure_languages.labelled())
OTHERS = [row for row in LABELLED if row[0] not in measure_languages.NOT_ANOTHER]
GERMAN = OTHERS[0][1]


@pytest.mark.parametrize("text", [text for language, text in LABELLED if language in measure_languages.NOT_ANOTHER])
def test_english_of_all_kinds_and_what_is_no_language_are_left_in_peace(text):
    assert identification.other_language(text) is None


def test_other_languages_are_named():
    said = [(language, identification.other_language(text)) for language, text in OTHERS]
    assert len({language for language, _ in said}) >= 20
    assert sum(found is not None for _, found in said) >= 0.95 * len(said)
    assert sum(language == found for language, found in said) >= 0.9 * len(said)


@pytest.mark.parametrize("words", range(20))
def test_under_twenty_words_nothing_is_said(words):
    assert identification.other_language(" ".join(GERMAN.split()[:words])) is None


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=400))
def test_any_text_has_an_answer(text):
    assert identification.other_language(text) in {None, "another language", *identification._NAMES.values()}


def test_it_is_said_of_how_many():
    assert identification.sentence(Counter(), of=3) == ""
    assert identification.of_texts([GERMAN, "Short."]).startswith("1 of the first 2 documents seems to be German, not")
    assert identification.of_texts([GERMAN]).startswith("This text seems to be German, not English.")


def test_what_was_measured_is_what_is_measured_now():
    stored = json.loads(measure_languages.RESULT.read_text("utf-8"))
    assert stored["labelled"] == measure_languages.of_labelled()
    assert all(row["alarms"] <= 0.005 * row["texts"] for row in stored["english_pieces"])
