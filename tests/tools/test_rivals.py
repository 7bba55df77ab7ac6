"""The programs that run rivals: texts in and out, and the laws that are drawn in batches instead of word by word."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools" / "rivals"


@pytest.fixture(autouse=True)
def on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    yield
    for name in ("documents", "rank_noise", "word_noise", "paraphrase"):
        sys.modules.pop(name, None)


def test_texts_are_split_and_joined():
    from documents import joined, tokens

    assert tokens("I don’t: it's over!") == ["i", "do", "n't", ":", "it", "'s", "over", "!"]
    for text in ("i don't (ever) know: it's over!", "well, $20 is 5% of it."):
        assert joined(tokens(text)) == text


def test_documents_are_lines(capsys, monkeypatch):
    import argparse
    import io

    from documents import answer

    monkeypatch.setattr(sys, "argv", ["program"])
    monkeypatch.setattr(sys, "stdin", io.StringIO("one two\n\nthree\n"))
    answer(argparse.ArgumentParser(), lambda documents, _: [text.upper() + "\nmore" for text in documents])
    assert capsys.readouterr().out == "ONE TWO more\nmore\nTHREE more\n"


def test_the_geometric_law_is_that_of_the_package():
    """One word after the other, as the package does, and all at once; 20,000 draws, five standard errors."""
    from rank_noise import geometric

    config = SimpleNamespace(epsilon=0.7, sensitivity=1.0)
    share = 1 - np.exp(-0.7)
    rng, other = np.random.default_rng(1), np.random.default_rng(2)
    drawn = geometric(np.full(20_000, 2), 6, config, rng)
    single = [int(np.clip(2 + other.geometric(share) - other.geometric(share), 0, 5)) for _ in range(20_000)]
    shares = [np.bincount(numbers, minlength=6) / 20_000 for numbers in (drawn, single)]
    assert np.abs(shares[0] - shares[1]).max() < 5 * np.sqrt(2 * 0.25 / 20_000)


@pytest.mark.parametrize("rank", [0, 3, 19])
def test_the_tem_of_ranks_has_its_exponential_law(rank):
    from rank_noise import tem

    config = SimpleNamespace(epsilon=1.5, sensitivity=1.0, gamma=2)
    drawn = tem(np.full(40_000, rank), 20, config, np.random.default_rng(3))
    near = [other for other in range(20) if abs(other - rank) <= 2]
    weights = np.full(20, np.exp(-1.5 * 2 / 2))  # all others together: exp(-εγ/2) times how many they are
    weights[near] = np.exp(-1.5 / 2 * np.abs(np.array(near) - rank))
    shares = np.bincount(drawn, minlength=20) / 40_000
    assert np.abs(shares - weights / weights.sum()).max() < 5 * np.sqrt(0.25 / 40_000)


def test_the_tem_of_words_has_its_exponential_law():
    from word_noise import _tem_draws

    mechanism = SimpleNamespace(epsilon=4.0, vocab_size=30)
    distances = np.array([0.0, 0.5, 1.0, 2.0, 9.0, 9.5])
    drawn = _tem_draws(mechanism, distances, 40_000, np.random.default_rng(4))
    threshold = round(2 / 4 * np.log(0.999 * 6 / 0.001), 1)
    weights = np.exp(-2 * distances)
    weights[4:] = np.exp(-2 * threshold) * 30 / 4 / 2
    shares = np.bincount(drawn, minlength=6) / 40_000
    assert np.abs(shares - weights / weights.sum()).max() < 5 * np.sqrt(0.25 / 40_000)


def test_sentences_for_the_paraphrase():
    from paraphrase import MOST_WORDS, sentences

    assert sentences("It works. Does it? Yes") == ["It works.", "Does it?", "Yes"]
    assert [len(piece.split()) for piece in sentences("word " * 130)] == [MOST_WORDS, MOST_WORDS, 10]
