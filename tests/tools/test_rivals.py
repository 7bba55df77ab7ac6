"""The programs that run rivals: texts in and out, and the laws that are drawn in batches instead of word by word."""

from __future__ import annotations

import json
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
    for name in (
        "documents",
        "rank_noise",
        "word_noise",
        "paraphrase",
        "paraphrase_ahead",
        "sort_words",
        "make_environments",
    ):
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


def test_paraphrases_written_ahead_are_looked_up_by_draw(tmp_path):
    from paraphrase import rewrite

    path = tmp_path / "written.jsonl"
    answers = [(1, "one", "a"), (1, "one", "b"), (1, "two", "c"), (2, "one", "d")]
    records = [{"draw": draw, "text": text, "answer": answer, "temperature": 0.7} for draw, text, answer in answers]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), "utf-8")

    def asked(documents, seed, temperature=0.7):
        return rewrite(documents, SimpleNamespace(written=path, seed=seed, temperature=temperature, at_once=1))

    assert asked(["one", "two", "one"], 1) == ["a", "c", "b"]
    assert asked(["one"], 2) == ["d"]
    for documents, seed, temperature, said in (
        (["two"], 2, 0.7, "no answer to 1 of 1 documents for draw 2"),
        (["one", "one"], 2, 0.7, "comes more often"),
        (["one"], None, 0.7, "needs --seed"),
        (["one"], 1, 1.0, "another temperature"),
    ):
        with pytest.raises(SystemExit, match=said):
            asked(documents, seed, temperature)


def test_sentences_without_an_answer_stay():
    from paraphrase import assembled, first_line

    assert assembled([["A.", "B."], [], ["C."]], ["x", "", "y"]) == ["x B.", "", "y"]
    assert first_line('\n "So it is." \nmore') == "So it is."


def test_numbers_are_those_of_the_standard_library_of_cpp():
    """The C++ standard gives the 10,000th number of its mt19937; a double is made of two of them, the low one first."""
    pytest.importorskip("torch")
    from paraphrase_ahead import uniforms

    number = uniforms(5489, 5000)[-1]
    assert int(number * 2**32) in (4123659995, 4123659996)
    assert (uniforms(3, 1000) >= 0).all()
    assert (uniforms(3, 1000) < 1).all()


def test_tokens_are_drawn_by_the_law_of_llama_cpp():
    """Top p cuts by the untempered shares, min p drops what is far below the likeliest; 40,000 draws, five errors."""
    torch = pytest.importorskip("torch")
    from paraphrase_ahead import draw

    shares = np.array([0.5, 0.02, 0.3, 0.1, 0.06, 0.02])
    logits = torch.tensor(np.log(shares))[None].repeat(40_000, 1)
    numbers = torch.tensor(np.random.default_rng(5).random(40_000))
    drawn = np.bincount(draw(logits, numbers, 0.5).numpy(), minlength=6) / 40_000
    weights = np.where(shares > 0.05, shares, 0) ** 2  # 0.5 + 0.3 + 0.1 + 0.06 reach 0.95
    assert np.abs(drawn - weights / weights.sum()).max() < 5 * np.sqrt(0.25 / 40_000)
    assert draw(logits[:1], numbers[:1], 0).tolist() == [0]
    assert draw(logits[:2], torch.tensor([0.0, 1.0 - 2**-53]), 0.5).tolist() == [0, 4]


@pytest.mark.parametrize("words", [1, 7, 60, 300])
def test_words_are_sorted_as_the_package_sorts_them(words):
    """The package searches the table for every word; here its loop runs over distances that are at hand."""
    from sort_words import walk

    vectors = np.random.default_rng(words).normal(size=(words, 3))
    nearest = np.argsort(((vectors[:, None] - vectors[None]) ** 2).sum(2), axis=1)[:, : min(words, 50)]
    order, current, remaining = [], 0, set(range(words))
    for _ in range(words):
        order.append(current)
        remaining.remove(current)
        if not remaining:
            break
        near = [place for place in nearest[current][: min(50, len(remaining) + 1)] if place in remaining]
        current = int(near[0]) if near else next(iter(remaining))
    assert walk(nearest) == order


def test_answers_made_ahead_are_looked_up_and_the_program_itself_is_timed(tmp_path):
    from make_environments import commands

    (tmp_path / "smollm2").mkdir()
    assert commands(tmp_path, None) == []  # it is not finished
    (tmp_path / "smollm2" / ".finished").touch()
    [asked] = commands(tmp_path, None)
    [looked_up] = commands(tmp_path, tmp_path / "written.jsonl")
    assert looked_up["works"] == asked["command"]
    assert looked_up["command"].startswith(asked["command"])
    assert looked_up["command"].endswith("written.jsonl --seed {draw}")
