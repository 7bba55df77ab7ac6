"""Pairs of words: the law by hand on a toy, and what the shipped table knows."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from allonym import models
from allonym.errors import ModelError
from allonym.language.pairs import PRIOR, WordPairs
from allonym.language.sequences import END, SPECIAL, START, UNKNOWN, Vocabulary

WORDS = (*SPECIAL, "a", "b", "c")
A, B, C = 4, 5, 6
COUNTS = np.array([1, 10, 10, 9, 40, 20, 10], np.float32)


def pairs(levels: dict[tuple[int, int], float]) -> WordPairs:
    follows = np.bincount([first for first, _ in levels], minlength=len(WORDS)).astype(np.int64)
    ordered = sorted(levels)
    seconds = np.array([second for _, second in ordered], np.int64)
    return WordPairs(
        Vocabulary(WORDS), COUNTS, follows, seconds, np.array([levels[pair] for pair in ordered], np.float32)
    )


def test_the_likelihood_is_the_law_computed_by_hand() -> None:
    seen = {(START, A): 6, (A, B): 15, (B, END): 3}
    shares = COUNTS / COUNTS.sum()
    levels = {pair: float(np.log1p(times / (PRIOR * shares[pair[1]]))) for pair, times in seen.items()}
    table = pairs(levels).of(WORDS)

    def law(left: int, word: int) -> float:
        return float((seen.get((left, word), 0) + PRIOR * shares[word]) / (COUNTS[left] + PRIOR))

    for sentence in ([A, B], [A], [C, B, A]):
        expected = np.mean([np.log(law(*pair)) for pair in zip([START, *sentence], [*sentence, END], strict=True)])
        assert table.log_likelihoods([[B], sentence])[1] == pytest.approx(expected, rel=1e-5)


def test_words_fit_between_neighbours_both_ways() -> None:
    table = pairs({(A, B): 2.0, (A, C): 1.0, (B, END): 3.0}).of(WORDS)
    fits = np.zeros((3, len(WORDS)), np.float32)
    table.add_fits(fits, np.array([A, A, C]), np.array([END, C, C]))
    shares = COUNTS / COUNTS.sum()
    backwards = np.log1p(np.expm1(3.0) * shares[END] / shares[B])  # the same count, seen from the second word
    assert fits[0].tolist() == pytest.approx([0, 0, 0, 0, 0, 2.0 + backwards, 1.0])
    assert fits[1, A] == pytest.approx(np.log1p(np.expm1(1.0) * shares[C] / shares[A]))
    assert fits[2, [B, C]].tolist() == [0, 0]


def test_a_model_numbers_words_in_its_own_way_and_may_know_others() -> None:
    levels = {(A, B): 2.0}
    own = (*SPECIAL, "b", "strange", "a")
    table = pairs(levels).of(own)
    assert table.after[[6]].toarray()[0, 4] == 2.0
    assert table.after.nnz == 1
    rare, common = table.log_likelihoods([[5], [6]])
    assert np.isfinite(rare)
    assert rare < common
    assert pairs({}).of(own).log_likelihoods([[4, 5]]).shape == (1,)
    assert table.log_likelihoods([]).shape == (0,)


def test_the_shipped_table_tells_what_fits() -> None:
    tokens = (*SPECIAL, "about", "the", "then", "water", "it", "is", "really", "late", ".", "zzyzx")
    table = WordPairs.open().of(tokens)
    number = {token: place for place, token in enumerate(tokens)}

    def numbers(text: str) -> list[int]:
        return [number.get(token, UNKNOWN) for token in text.split()]

    good, bad, odd = table.log_likelihoods(
        [numbers(text) for text in ("about the water .", "about then water .", "zzyzx unheard of")]
    )
    assert good > bad > odd
    fits = np.zeros((1, len(tokens)), np.float32)
    table.add_fits(fits, np.array([number["about"]]), np.array([number["water"]]))
    assert fits[0, number["the"]] > fits[0, number["then"]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"counts": COUNTS[:-1]},
        {"counts": np.zeros_like(COUNTS)},
        {"follows": np.full(len(WORDS), 1, np.int64)},
        {"seconds": np.array([len(WORDS)])},
        {"levels": np.array([np.nan], np.float32)},
        {"levels": np.array([-1], np.float32)},
    ],
    ids=["short", "zero", "too many", "no such word", "not a number", "negative"],
)
def test_arrays_that_do_not_fit_are_refused(wrong: dict[str, np.ndarray]) -> None:
    follows = np.zeros(len(WORDS), np.int64)
    follows[A] = 1
    right = {"counts": COUNTS, "follows": follows, "seconds": np.array([B]), "levels": np.ones(1, np.float32)}
    WordPairs(Vocabulary(WORDS), **right)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="do not fit"):
        WordPairs(Vocabulary(WORDS), **(right | wrong))  # type: ignore[arg-type]


def test_another_model_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="format"):
        WordPairs.open("neutral-en")
    copy = tmp_path / "pairs"
    shutil.copytree(models.find("pairs-en"), copy)
    (copy / models.WEIGHTS).write_bytes((copy / models.WEIGHTS).read_bytes()[:-1] + b"\x01")
    with pytest.raises(ModelError, match="checksum"):
        WordPairs.open(copy)
