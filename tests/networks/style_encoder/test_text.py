"""What the style encoder reads: tokens, skeletons and hashes, the same by NumPy and by torch."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from allonym.networks.style_encoder import text as style_text
from allonym.networks.style_encoder.text import COARSE, FINE, KINDS, NUMPY, Kind, numbered, read

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="needs the extra neural (torch)")

TEXTS = [
    "Don't you see? I've 1,234 “things”, rock ’n’ roll.",
    "",
    "  x ",
    "日本語 ok 🎉",
    "A",
    "\0\ud800 one\ttwo\n\nTHREE",
]


def row_of(*texts):
    characters, _ = numbered(texts)
    return read(characters.astype(np.int64), NUMPY)


def tokens(text):
    row = row_of(text)
    return [
        text[start - style_text.GAP : end - style_text.GAP] for start, end in zip(row.starts, row.ends, strict=True)
    ]


def test_tokens():
    assert tokens("Don't you see? I've 1,234 “things”.") == [
        "Don't", "you", "see", "?", "I've", "1", ",", "234", "“", "things", "”", ".",
    ]  # fmt: skip
    assert tokens("rock ’n’ roll, 3rd") == ["rock", "’", "n", "’", "roll", ",", "3", "rd"]
    assert tokens(" \n\t ") == tokens("") == []
    assert tokens("日本語 ok 🎉") == ["日本語", "ok", "🎉"]


def test_a_word_is_read_alike_in_any_case_and_a_number_by_its_length():
    row = row_of("Tea tea TEA 12 34 567 eat")
    assert len(set(row.words[:3])) == 1
    assert row.words[3] == row.words[4]
    assert len(set(row.words)) == 4


def test_a_skeleton_keeps_function_words_and_forgets_the_others():
    first, second, other = (row_of(text).skeleton.tolist() for text in ("the barked", "the worked", "a barked"))
    assert first == second
    assert first[0] != other[0]
    assert row_of("Barked").skeleton.tolist() != row_of("barked").skeleton.tolist()


def test_a_text_is_read_the_same_among_others():
    together, ranges = numbered(TEXTS)
    row = read(together.astype(np.int64), NUMPY)
    for text, (begin, end) in zip(TEXTS, ranges, strict=True):
        own = row_of(text)
        inside = (row.starts >= begin) & (row.starts < end)
        np.testing.assert_array_equal(row.words[inside], own.words)
        np.testing.assert_array_equal(row.skeleton[inside], own.skeleton)


def test_numbers_are_in_range_and_coarse_ones_are_the_first_bits_of_fine_ones():
    row = row_of(*TEXTS)
    for kind, fine, coarse in zip(KINDS, FINE, COARSE, strict=True):
        numbers = row.hashed(kind)
        assert numbers.min() >= 0
        assert numbers.max() < fine
        if kind.bits > kind.coarse_bits:
            few = row.hashed(Kind(kind.of, kind.length, kind.coarse_bits, kind.coarse_bits))
            np.testing.assert_array_equal(numbers >> (kind.bits - kind.coarse_bits), few)
            assert few.max() < coarse


def test_hashes_spread():
    words = [f"w{chr(97 + a)}{chr(97 + b)}{chr(97 + c)}" for a in range(20) for b in range(20) for c in range(10)]
    numbers = row_of(" ".join(words)).hashed(Kind("words", 1, 13, 13))
    occupied = len(np.unique(numbers)) / 2**13
    assert abs(occupied - (1 - np.exp(-len(words) / 2**13))) < 0.03  # as many as if drawn at random


@needs_torch
def test_torch_reads_the_same():
    import torch

    from allonym.training.style_encoder.batches import torch_arithmetic

    characters, _ = numbered(TEXTS * 3)
    by_numpy = read(characters.astype(np.int64), NUMPY)
    by_torch = read(torch.from_numpy(characters).long(), torch_arithmetic(torch.device("cpu")))
    for kind in KINDS:
        np.testing.assert_array_equal(by_torch.hashed(kind).numpy(), by_numpy.hashed(kind))


@needs_torch
def test_other_forms_keep_their_tokens():
    import torch

    from allonym.training.style_encoder.batches import FORMS, in_form, torch_arithmetic

    arithmetic = torch_arithmetic(torch.device("cpu"))
    characters, _ = numbered(TEXTS)
    written = read(torch.from_numpy(characters).long(), arithmetic)
    for form in range(1, FORMS):
        assert len(read(in_form(written, form), arithmetic).starts) == len(written.starts)
    spaced = in_form(read(torch.from_numpy(numbered(["So, 12 Teas!"])[0]).long(), arithmetic), 3)
    assert "".join(style_text.KNOWN[number - style_text.FIRST_KNOWN] for number in spaced) == "so , 12 teas ! "
