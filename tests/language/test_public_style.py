"""The public style: every choice that means nothing has one answer, and what means something stays."""

from __future__ import annotations

import time

import pytest

from allonym.guard import compare
from allonym.language.public_style import lengths, letters, marks, money, phrases, spelling, words


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("I waited... and waited \u2014 for nothing!!!", "I waited, and waited, for nothing."),
        ("Why?!?! I do NOT know.", "Why? I do not know."),
        ("He left; I stayed.", "He left. I stayed."),
        ("well-known, 3\u20134 p.m. \U0001f600 :-)", "well-known, 3-4 p.m."),
        ("It was goooood, yesss", "It was good, yes"),
        ("The BBC and the NHS", "The BBC and the NHS"),
        ("> quoted --- and *starred*", "quoted, and starred"),
        ("Bread & butter w/ tea/coffee", "Bread and butter with tea or coffee"),
        (
            "The bill (page 12) was wrong (I have checked it twice).",
            "The bill (page 12) was wrong, I have checked it twice.",
        ),
    ],
)
def test_marks_have_one_form(written, plain):
    assert marks.plain(written) == plain


@pytest.mark.parametrize(
    ("written", "public"),
    [
        ("I can't, won't and shan't.", "I cannot, will not and shall not."),
        ("He'd paid, but he'd rather not say.", "He had paid, but he would rather not say."),
        ("It's late, and it's been raining.", "It is late, and it has been raining."),
        ("He must, however, pay.", "But he must pay."),
        ("It was, to be honest, really awful.", "It was, awful."),
        ("I am not really sure.", "I am not really sure."),
        (
            "It was simply not true, due to the fact that nobody looked.",
            "It was simply not true, because no one looked.",
        ),
        ("It is due to arrive on Monday.", "It is due to arrive on Monday."),
        ("She would rather go.", "She would rather go."),
        ("He told me that he'd told you that you know him.", "He told me that he had told you that you know him."),
    ],
)
def test_small_words_have_one_form(written, public):
    assert phrases.public(written) == public


def test_words_keep_their_form_and_their_article():
    assert words.common("She purchased an enormous parcel and replied.") == "She bought a big parcel and replied."
    assert words.common("A purchase, an orange and a nice man") == "A purchase, an orange and a nice man"


def test_spelling_is_british():
    assert (
        spelling.british("The color of the center was gray, he realized.")
        == "The colour of the centre was grey, he realised."
    )
    assert spelling.british("See color.example.org and COLOR") == "See color.example.org and COLOR"
    for unlike in ("The meter was read.", "It weighs a ton.", "We tire of the program.", "I have power of attorney."):
        assert spelling.british(unlike) == unlike


def test_amounts_and_dates_have_one_form_and_one_value():
    for text in (
        "I paid 1,200 pounds on May 3rd, 2024.",
        "We owe 30 euros since the 4th of Sept.",
        "It cost 3.5 million dollars.",
    ):
        assert compare(text, money.plain(text)).figures.numbers.value == 1.0
    assert money.plain("On May 3, 2024 I paid 5 dollars.") == "On 3 May 2024 I paid $5."
    assert money.plain("In May 2024 we met") == "In May 2024 we met"


@pytest.mark.parametrize(
    ("line", "public"),
    [
        ("Hello there!", "Dear Sir or Madam,"),
        ("hi Tom and Jo", "Dear Tom and Jo,"),
        ("Dear Dr Hu:", "Dear Dr Hu,"),
        ("To the station we went.", None),
        ("Dear me, what a long and winding and weary road it is", None),
    ],
)
def test_greetings(line, public):
    assert letters.greeting(line) == public


def test_goodbyes_formulas_and_deadlines():
    assert {letters.goodbye(line) for line in ("Cheers!", "Kind regards", "Yours faithfully,")} == {"Yours sincerely,"}
    assert letters.goodbye("Best of all, it works.") is None
    assert (
        letters.formula("We are looking forward to your reply within 7 days.")
        == "I look forward to your reply within 7 days."
    )
    assert letters.formula("I hope it ends.") is None
    assert letters.mended("Pay by 3 May, by the river.") == "Pay no later than 3 May, by the river."
    assert phrases.public("Pay no later than 3 May.") == "Pay by 3 May."


def test_short_statements_are_joined_and_nothing_else():
    assert lengths.joined(["I rang.", "He came at once."]) == [
        "I rang.",
        "He came at once.",
    ]  # "rang" is no verb we know
    assert lengths.joined(["I was ill.", "He paid."]) == ["I was ill, and he paid."]
    assert lengths.joined(["I was ill.", "But he paid."]) == ["I was ill.", "But he paid."]
    assert lengths.joined(["I was ill.", "Did he pay?"]) == ["I was ill.", "Did he pay?"]
    assert lengths.joined([]) == []


@pytest.mark.parametrize("sign", ["a ", "(", "-", "!?", ", and I was ", "x" * 40 + " ", "\n", "' \" "])
def test_time_is_linear(sign):
    text = sign * 20_000
    began = time.process_time()
    for change in (marks.plain, phrases.public, words.common, spelling.british, money.plain, letters.mended):
        change(text)
    letters.greeting(text), letters.goodbye(text), letters.formula(text), letters.list_mark(text)
    assert time.process_time() - began < 20
