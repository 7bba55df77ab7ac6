"""The guard: what it finds, what it lets pass, and what it never does."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym.errors import InputError
from allonym.guard import compare
from allonym.guard.report import KINDS

FAULTS = [  # before, after, kind, the words of both sides that the finding must name
    ("We paid £60 for it.", "We paid £16 for it.", "amount", "£60", "£16"),
    ("We paid £60 for it.", "We paid €60 for it.", "amount", "£60", "€60"),
    ("The hall seats 300 people.", "The hall seats 30 people.", "number", "300", "30"),
    ("I give it 10 of 10.", "I give it 9 of 10.", "number", "10", "9"),
    ("It weighs 3 kg.", "It weighs 3 g.", "number", "3 kg", "3 g"),
    ("I met Mr Dube.", "I met Mr Duke.", "name", "Mr Dube", "Mr Duke"),
    ("I met Dora Dube.", "I met Dora.", "name", "Dora Dube", "Dora"),
    ("She came on 4 May.", "She came.", "date", "4 May", None),
    ("She came.", "She came on Monday.", "date", None, "Monday"),
    ("We open at 9 am.", "We open at 9 pm.", "time", "9 am", "9 pm"),
    ('He said, "Never again."', 'He said, "Never mind."', "quotation", '"Never again."', '"Never mind."'),
    ("Write to a@b.org.", "Write to a@c.org.", "e-mail", "a@b.org", "a@c.org"),
    ("See example.org/a today.", "See example.org/b today.", "link", "example.org/a", "example.org/b"),
    ("Ring 020 7946 0123.", "Ring 020 7946 0132.", "phone", "020 7946 0123", "020 7946 0132"),
    ("The tap does not drip.", "The tap drips.", "negation", "not", None),
    ("The tap drips.", "The tap doesn't drip.", "negation", None, "doesn't"),
    ("It was sold, not lent.", "It was lent, not sold.", "negation", "not", "not"),
    ("The tea was hot.", "The tea was cold.", "opposite", "hot", "cold"),
    ("They voted for the tax.", "They voted against the tax.", "opposite", "for", "against"),
    ("The red kite flew off.", "The kite flew off.", "note", "red", None),
    ("The kite flew off.", "The broken kite flew off.", "note", None, "broken"),
    ("The goat ate my hat.", "The goat ate my scarf.", "note", "hat", None),
    ("My aunt sued the bank.", "The bank sued my aunt.", "roles", "My aunt sued the bank", "The bank sued my aunt"),
    ("I bit the dog.", "The dog bit me.", "roles", "I bit the dog", "The dog bit me"),
    ("Ann drove and Omar slept.", "Omar drove and Ann slept.", "roles", "Ann drove", "Omar drove"),
]  # fmt: skip

HARMLESS = [
    ("I can't pay the twenty-five pounds by 3 May.", "By May 3rd I cannot pay the £25."),
    ("The dog bit the postman.", "The postman was bitten by the dog."),
    ("Nobody told us.", "No one told us."),
    ("The chair was not cheap.", "The chair was expensive."),
    ("I bought a kettle. It broke.", "I purchased a kettle, and it broke."),
    ("He rang and she left.", "He rang. She left."),
    ("The lesson was dull.", "The lesson was boring."),
    ("The colour is odd.", "The color is strange."),
    ("Ann paid. Ann left.", "Ann paid and left."),
    ("First we ate. Then we swam in the sea near Cromer.", "Then we swam in the sea near Cromer. First we ate."),
    ("", ""),
    ("!!!", "..."),
]


@pytest.mark.parametrize(("before", "after", "kind", "old", "new"), FAULTS, ids=lambda value: str(value)[:30])
def test_a_fault_is_found_where_it_is(before, after, kind, old, new):
    found = [finding for finding in compare(before, after).findings if finding.kind == kind]
    shown = [
        (finding.before and finding.before.of(before), finding.after and finding.after.of(after)) for finding in found
    ]
    assert (old, new) in shown


@pytest.mark.parametrize(("before", "after", "kind", "old", "new"), FAULTS, ids=lambda value: str(value)[:30])
def test_a_finding_says_what_it_is_in_a_sentence(before, after, kind, old, new):
    for finding in compare(before, after).findings:
        assert finding.said.endswith(".")
        for span, text in ((finding.before, before), (finding.after, after)):
            assert (span is None) or span.of(text) in finding.said
        assert finding.change == ("invented" if not finding.before else "changed" if finding.after else "lost")
        assert before not in repr(finding)


@pytest.mark.parametrize(("before", "after"), HARMLESS)
def test_a_harmless_rewrite_passes(before, after):
    assert [finding.said for finding in compare(before, after).findings] == []


def test_sentences_stand_side_by_side():
    before = "The roof leaks. The cellar is damp. My son has a cough. We pay £900."
    after = "The roof leaks and the cellar is damp. A heron came. We pay £900."
    pairs = [
        ([span.of(before) for span in aligned.before], [span.of(after) for span in aligned.after])
        for aligned in compare(before, after).sentences
    ]
    assert (["The roof leaks.", "The cellar is damp."], ["The roof leaks and the cellar is damp."]) in pairs
    assert pairs[-1] == (["We pay £900."], ["We pay £900."])
    assert [text for olds, _ in pairs for text in olds] == [
        "The roof leaks.", "The cellar is damp.", "My son has a cough.", "We pay £900.",
    ]  # fmt: skip


def test_a_finding_leads_to_its_sentences():
    before, after = "It rained. We paid £60.", "It rained. We paid £16."
    report = compare(before, after)
    [finding] = report.findings
    aligned = report.sentences_of(finding)
    assert [span.of(after) for span in aligned.after] == ["We paid £16."]


def test_figures_are_shares_of_what_there_was():
    figures = compare(
        "Ann Lee never paid the £60 for the red kite.", "Ann Lee paid the £16 for the kite of wood."
    ).figures
    assert (figures.numbers.count, figures.numbers.of) == (0, 1)
    assert (figures.names.count, figures.names.of) == (1, 1)
    assert (figures.negations.count, figures.negations.of) == (0, 1)
    assert figures.notes.of - figures.notes.count == 1
    assert figures.invented.count == 1
    assert figures.quotations.of == 0
    assert figures.quotations.value != figures.quotations.value  # NaN


def test_a_report_is_json():
    report = compare('Ann said, "No." I paid £3.', "Ann said yes. I paid £4.")
    stored = json.loads(json.dumps(report.to_json()))
    assert stored["counts"] == report.counts
    assert {finding["kind"] for finding in stored["findings"]} <= set(KINDS)
    assert stored["figures"]["numbers"] == {"count": 0, "of": 1, "share": 0.0}
    assert stored["figures"]["addresses"]["share"] is None


def test_what_is_no_text_is_refused():
    with pytest.raises(InputError, match="two texts"):
        compare("a", None)


SENTENCE = 'I Ann Mr Lee never no one paid £40 half a hundred and "Go" “go ’ 29/02/2020 the red kite bit by me . ! \n\n'
WORDS = SENTENCE.split(" ")
TEXTS = st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=6)), max_size=30).map(" ".join)


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_a_text_that_was_left_alone_has_no_findings(text):
    assert [finding.said for finding in compare(text, text).findings] == []


@given(TEXTS, TEXTS)
@settings(max_examples=200, deadline=None)
def test_any_two_texts_can_be_compared(before, after):
    report = compare(before, after)
    for finding in report.findings:
        for span, text in ((finding.before, before), (finding.after, after)):
            assert span is None or 0 <= span.start < span.end <= len(text)
    for share in report.figures.to_json().values():
        assert 0 <= share["count"] <= share["of"]
    json.dumps(report.to_json())
