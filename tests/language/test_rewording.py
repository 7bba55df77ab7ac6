"""Rewording: each rule leaves a sentence whole, and keeps away where it would not."""

from __future__ import annotations

import time

import pytest

from allonym.language.function_words import AMERICAN_SPELLINGS, BRITISH_SPELLINGS, MISSPELLINGS
from allonym.language.rewording import SentenceReader, possible
from allonym.language.rewording.clauses import is_clause
from allonym.language.rewording.misspellings import meant


def rewordings(text: str) -> set[str]:
    return {edit.apply(text) for edit in possible(SentenceReader(text))}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The neighbour came.", "The neighbor came."),
        ("The neighbor came.", "The neighbour came."),
        ("I definately saw it.", "I definitely saw it."),
        ("She sent alot of them.", "She sent a lot of them."),
        ("He said im late.", "He said I'm late."),
        ("Yes, i saw it.", "Yes, I saw it."),
        ("It was sooo late.", "It was so late."),
        ("They REFUSED to pay.", "They refused to pay."),
        ("its not my fault, you see.", "it's not my fault, you see."),
        ("I don't know.", "I do not know."),
        ("I do not know.", "I don't know."),
        ("She'd seen it.", "She had seen it."),
        ("She'd see it.", "She would see it."),
        ("He's been ill.", "He has been ill."),
        ("It's late.", "It is late."),
        ("It is late now.", "It's late now."),
        ("We're gonna leave.", "We're going to leave."),
        ("I asked twice; he refused both times.", "I asked twice. He refused both times."),
        ("I asked; however, he was late.", "I asked, but he was late."),
        ("The gate - an old one - fell.", "The gate, an old one, fell."),
        ("He left — he was late.", "He left. He was late."),
        ("Nobody came!!", "Nobody came."),
        ("Why??", "Why?"),
        ("I waited...then I left.", "I waited. Then I left."),
        ("I waited.  Then I left.", "I waited. Then I left."),
        ("Thanks for coming :)", "Thanks for coming."),
        ("bread & butter", "bread and butter"),
        ("The lamp (which was new) fell.", "The lamp, which was new, fell."),
        ("The lamp (which was new) fell.", "The lamp fell."),
        ("However, we left.", "But we left."),
        ("I therefore ask for help.", "So I ask for help."),
        ("He was, however, late.", "But he was late."),
        ("She was, of course, late.", "She was late."),
        ("I came in order to help.", "I came to help."),
        ("Everybody knew.", "Everyone knew."),
        ("I shall wait here.", "I will wait here."),
        ("I'm going to write.", "I will write."),
        ("I think that he left.", "I think he left."),
        ("It was a very old house.", "It was an old house."),
        ("I really want it.", "I want it."),
        ("She purchased a lamp.", "She bought a lamp."),
        ("He has chosen a lamp.", "He has chosen a lamp."),
        ("An automobile of ours broke.", "A car of ours broke."),
        ("We went back to work.", "We returned to work."),
        ("It was my own house.", "It was my house."),
        ("I waited for 3 weeks.", "I waited for three weeks."),
        ("Actually, I left.", "I left."),
    ],
)
def test_what_is_offered(text, wanted):
    assert wanted in rewordings(text) | {text}
    if wanted != text:
        assert wanted in rewordings(text)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Don't you see?", "Do not you see?"),
        ("It's not worth your while.", "It's not worth your whilst."),
        ("Harbor Street is near.", "Harbour Street is near."),
        ("We met in Harbor Street.", "We met in Harbour Street."),
        ("My new job starts today.", "My new job beginnings today."),
        ("The NHS and the BBC wrote.", "The nhs and the BBC wrote."),
        ("Once upon a time.", "Once on a time."),
        ("It was so late that we left.", "It was late that we left."),
        ("He is not very kind.", "He is not kind."),
        ("Not only was it late, but it was dark.", "Not only was it late, yet it was dark."),
        ("I want bread; butter; jam.", "I want bread. Butter; jam."),
        ("That is what it is.", "That is what it's."),
        ("I see that he has.", "I see that he's."),
        ("It was quite enough.", "It was enough."),
        ("I bought 2.5 litres.", "I bought two.5 litres."),
        ("Chapter 3 pages were gone.", "Chapter three pages were gone."),
    ],
)
def test_what_is_not_offered(text, wrong):
    assert wrong not in rewordings(text)


def test_every_misspelling_has_what_was_meant():
    unknown = set(MISSPELLINGS) - set(meant())
    assert unknown <= {"throught"}  # through, or thought
    assert not any(word in meant().values() for word in MISSPELLINGS)


def test_spellings_go_both_ways():
    for american, british in zip(AMERICAN_SPELLINGS, BRITISH_SPELLINGS, strict=True):
        if american in ("mom", "math", "catalog"):
            continue
        assert f"the {british} here" in rewordings(f"the {american} here")


def test_an_edit_changes_something_and_stays_in_its_text():
    text = "I really, really don't know; perhaps (in fact) he's late... :) And so - well - I SHALL wait!!"
    for edit in possible(SentenceReader(text)):
        assert 0 <= edit.start < edit.stop <= len(text)
        assert text[edit.start : edit.stop] != edit.new
        assert "  " not in edit.apply(text)


def test_clauses_are_told_from_parts():
    assert is_clause("the taps were locked on Sunday")
    assert is_clause("we left")
    assert not is_clause("two cans and a rain barrel")
    assert not is_clause("because it was late")
    assert not is_clause("the man who left")


@pytest.mark.parametrize("odd", ["", " ", "\n", "\x00", "\ud800", "...", "((((", "'s", "i", "😀", "-- ", "; ", '"'])
def test_odd_texts(odd):
    for times in (1, 3, 400):
        text = odd * times
        for edit in possible(SentenceReader(text)):
            assert 0 <= edit.start <= edit.stop <= len(text)


@pytest.mark.parametrize("odd", ["a ", "(", ". ", "!", "- ", ", and ", "I am ", "; he is ", "…", "&", "very "])
def test_time_grows_with_the_text_alone(odd):
    started = time.process_time()
    possible(SentenceReader((odd * 60_000)[:60_000]))
    assert time.process_time() - started < 20
