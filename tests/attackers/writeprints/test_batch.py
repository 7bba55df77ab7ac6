"""What WritePrints counts with, the compiled passes over a batch of texts: against slow Python."""

from __future__ import annotations

import re
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym.attackers.writeprints._batch import Batch, bin_table
from allonym.attackers.writeprints._columns import LetterGrams, frequent_letter_grams


def words_of(text):
    """Find words as documented, without the compiled passes, in texts without marks and Chinese."""
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("No end", 1),
        ("One. two. Three", 3),
        ("“Really?” she asked.", 1),
        ("“Really?” She left.", 2),
        ("It costs 3.50 at example.org now", 1),
        ("So do I. Next!", 2),
        ("Wait... what?!", 2),
        ("... !", 0),
        ("a title\n\na text", 2),
        ("two\nlines", 1),
        ("很好。是！！", 2),
    ],
)
def test_sentences(text, sentences):
    assert len(Batch([text]).sentences) == sentences


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(st.one_of(st.sampled_from("abcABC zZ[@`{é'"), st.characters())), max_size=6))
def test_letter_grams_equal_a_slow_count(texts):
    reference = {2: Counter(), 3: Counter()}
    for text in texts:
        for run in re.findall("[a-z]+", re.sub("[A-Z]", lambda m: m[0].lower(), text)):
            for size, counter in reference.items():
                counter.update(run[i : i + size] for i in range(len(run) - size + 1))
    found = frequent_letter_grams(Batch(texts), 10_000)
    for size, grams in zip((2, 3), found, strict=True):
        assert grams == sorted(reference[size], key=lambda gram: (-reference[size][gram], gram))
    shares = LetterGrams(*found).values(Batch(["-".join(texts)]))[0]
    totals = [reference[2].total()] * len(found[0]) + [reference[3].total()] * len(found[1])
    counts = [*(reference[2][gram] for gram in found[0]), *(reference[3][gram] for gram in found[1])]
    assert shares.tolist() == [count / total for count, total in zip(counts, totals, strict=True)]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(st.one_of(st.sampled_from("ab' ’.é_1"), st.characters(max_codepoint=0x2FF))), max_size=5))
def test_words_equal_a_slow_search(texts):
    batch = Batch(texts)
    found = [[] for _ in texts]
    for document, begin, end in zip(batch.words.documents, batch.words.begins, batch.words.ends, strict=True):
        found[document].append(texts[document][begin - batch.starts[document] : end - batch.starts[document]])
    assert found == [words_of(text) for text in texts]
    known = {}
    for word, number in zip((w for ws in found for w in ws), batch.distinct.numbers, strict=True):
        lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in word.replace("’", "'"))
        assert known.setdefault(lowered, number) == number
    assert len(set(known.values())) == len(known)


def test_the_tables_know_every_character():
    table = bin_table()
    for code in (*range(0x300), 0x4E2D, 0x3042, 0x20001, 0x1F600, 0x10FFFF):
        assert (table[code] < 128) == (code < 128)
    assert len(table) == sys.maxunicode + 1
