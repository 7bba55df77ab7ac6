"""Which line breaks are meant."""

from __future__ import annotations

from allonym.language.layout import lines

WRAPPED = "This paragraph was wrapped by somebody's\nprogram after some forty signs, and so\nits breaks mean nothing."


def test_wrapped_lines_are_joined():
    assert lines(WRAPPED) == [WRAPPED.replace("\n", " ")]


def test_short_lines_stay_as_they_are():
    address = "Ann Example\n7 Harbour Street\nSeatown"
    assert lines(address) == address.split("\n")
    assert lines(f"{WRAPPED}\n- a list\n- of things")[-2:] == ["- a list", "- of things"]


def test_lines_that_nobody_wraps_stay_as_they_are():
    long = "A line of more than a hundred signs, as they are made by programs that leave the wrapping to the reader. "
    assert lines(f"{long}\nAnother line.") == [long.strip(), "Another line."]


def test_paragraphs_are_parted_by_one_empty_line():
    assert lines("\n\nOne.\r\n \t\n\n\nTwo.\n\n") == ["One.", "", "Two."]
    assert lines("") == lines(" \n \n") == []
