"""Pasted mail: what is not its writer's is counted and left out; what only looks like mail stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allonym.formats import mail

BODY = "Dear Ben,\n\nIt rained all day.\n\nAnn"


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (f"From: Ann\nTo: Ben\nSubject: a\n and more\n\n{BODY}", (4, 0, 0)),
        (f"{BODY}\n\nOn 3 May 2021, Ben Okafor wrote:\n> Did it rain?\n> I wonder.", (0, 3, 0)),
        (f"{BODY}\n\n-----Original Message-----\nFrom: Ben\nSent: Monday\nSubject: Rain\n\nDid it rain?\n", (0, 5, 0)),
        (f"{BODY}\n-- \nAnn Okafor\n+44 20 7946 0000", (0, 0, 3)),
        (BODY, (0, 0, 0)),
    ],
)
def test_what_is_not_the_writers_is_counted_and_left_out(text, counts):
    parts = mail.parted(text)
    assert (parts.headers, parts.quoted, parts.signature) == counts
    assert parts.body == BODY
    assert parts.is_mail == any(counts)


@pytest.mark.parametrize(
    "text",
    [
        "Subject: to change, as everything is.\n\nIt rained.",
        "On Monday he wrote:\nnothing at all.",
        "What I think: it rained.\nWhat you think: it did not.",
        "a > b",
        "a -- b --",
    ],
)
def test_what_only_looks_like_mail_stays(text):
    assert mail.parted(text) == mail.Mail(0, 0, 0, text)


@given(st.text(st.sampled_from("a:> -\n\rFromSubject\t"), max_size=80))
def test_nothing_breaks_it(text):
    parts = mail.parted(text)
    assert len(parts.body) <= len(text)


def test_a_saved_mail_is_decoded():
    html = b"Subject: a\r\nContent-Type: text/html\r\n\r\n<p>It rained.</p>"
    assert mail.text_of(html) == "Subject: a\n\n"
    assert mail.text_of(b"") == ""
