"""Placeholders: the same for the same name, nothing else changed, and no second time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym import names
from allonym.anonymizers import examples
from allonym.anonymizers.identity import Identity
from allonym.anonymizers.with_names import NOT_FOUND, WithNames, carries_names
from allonym.errors import ParameterError

WRITTEN = [
    ("Anna Hu saw Ben. Ms Hu waved at Anna.", "[NAME 1] saw [NAME 2]. [NAME 1] waved at [NAME 1]."),
    ("Ann Hu, Ben Hu: Mr Hu was late.", "[NAME 1], [NAME 2]: [NAME 3] was late."),  # whose name it is, nobody can tell
    ("Pay £5 or five pounds, not £6.", "Pay [AMOUNT 1] or [AMOUNT 1], not [AMOUNT 2]."),
    ("As [NAME 4] said to Anna's aunt", "As [NAME 4] said to [NAME 5]'s aunt"),
]


@pytest.mark.parametrize(("text", "expected"), WRITTEN)
def test_one_thing_has_one_placeholder(text, expected):
    assert names.replaced(text, model=False) == expected


def test_what_the_original_told_is_found_again_where_nothing_else_tells_it():
    before, after = "We asked Priya Rao about it.", "about it, asked we priya; Priya Rao"
    assert "Priya Rao" not in names.replaced(after, before, model=False)
    kept = "Rose wilted. Al went."
    assert names.replaced(kept, "Anna left.", model=False) == names.replaced(kept, model=False)


def test_marks_keep_the_words():
    text = "Anna left Leeds."
    assert names.marked(text, model=False) == "[NAME 1: Anna] left [PLACE 1: Leeds]."


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from("AnBe .,'1£[]N:\n"), max_size=120))
def test_replacing_twice_is_replacing_once(text):
    once = names.replaced(text, model=False)
    for placeholder in names.finding.PLACEHOLDER.finditer(once):
        span = range(placeholder.start(), placeholder.end())
        assert not [one for one in names.find(once, model=False) if one.start in span or one.end - 1 in span]


def test_only_methods_that_hand_on_names_take_them():
    ready = examples()
    assert {name for name, example in ready.items() if carries_names(example)} >= {"a4nt", "identity", "round-trip"}
    for example in ready.values():
        if example.guarantee().formal:
            assert not carries_names(example)
            with pytest.raises(ParameterError, match="public list"):
                WithNames(inner=example)


def test_a_method_with_names_is_the_method_with_another_output():
    method = WithNames(inner=Identity(), model=False)
    done = method.release(["Anna left.", ""])
    assert done.texts() == ["[NAME 1] left.", ""]
    assert NOT_FOUND in done.guarantee.released_as_is
    assert not done.guarantee.formal
    assert method.get_params()["names"] == "replace"
    assert (method.method, method.draws) == ("identity", False)
    with pytest.raises(ParameterError, match="handling must be"):
        WithNames(inner=Identity(), handling="hide")
