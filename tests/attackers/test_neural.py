"""The neural attackers: they learn, repeat themselves, survive saving, and read every text by itself."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.base import clone

from allonym import attackers
from allonym.attackers import store
from allonym.attackers.neural import CharacterAverages, TextLSTM, TextLSTMConvolution, _sentences
from allonym.errors import AllonymError, InputError, ParameterError
from allonym.randomness import insecure

needs_torch = pytest.mark.skipif(
    find_spec("torch") is None,
    reason="torch is not installed (pip install 'allonym[neural]')",
)

NOUNS = ("train", "letter", "garden", "kettle", "window", "market", "river", "ladder")
STYLES = {
    "brisk": ("Got the {}!", "No {} today, sorry!", "Quick: {} first, talk later!"),
    "formal": (
        "One would hardly call that {} satisfactory.",
        "The {}, it must be said, was adequate.",
        "I remain, as ever, fond of the {}.",
    ),
    "doubtful": ("hmm maybe a {} ...", "so the {} i guess ...", "dunno, 12 times the {} ..."),
}


def written(documents: int, seed: int) -> tuple[list[str], list[str]]:
    """Make texts of three authors who share their nouns and nothing else."""
    rng = insecure(seed)
    texts, authors = [], []
    for number in range(documents):
        author = list(STYLES)[number % len(STYLES)]
        picks = zip(rng.below(len(STYLES[author]), (4,)), rng.below(len(NOUNS), (4,)), strict=True)
        texts.append(" ".join(STYLES[author][template].format(NOUNS[noun]) for template, noun in picks))
        authors.append(author)
    return texts, authors


SMALL = {
    "character-network": CharacterAverages(epochs=25, embedding_size=8, batch_size=8, learning_rate=0.05),
    "lstm": TextLSTM(epochs=8, embedding_size=12, hidden_size=12, batch_size=16, learning_rate=0.01),
    "lstm-cnn": TextLSTMConvolution(epochs=6, embedding_size=12, hidden_size=12, batch_size=16, learning_rate=0.01),
}
ODD = ["", " \n\t ", "\u202eשלום עולם", "🙂🙃", "zzz qqq xxx", "word " * 5000, "a" * 3000, "\0", "3.14 1,000 १२"]
every_attacker = pytest.mark.parametrize("name", list(SMALL))
pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def fitted():
    return {name: clone(attacker).fit(*written(90, seed=1)) for name, attacker in SMALL.items()}


def test_they_are_found_by_name():
    assert set(SMALL) <= set(attackers.classes())
    assert all(type(attacker) is attackers.classes()[name] for name, attacker in SMALL.items())


def test_finding_them_does_not_load_torch():
    script = "import sys, allonym.attackers as a; a.make('lstm'); print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


@every_attacker
def test_without_torch_the_way_out_is_named(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(AllonymError, match=r"pip install 'allonym\[neural\]'"):
        clone(SMALL[name]).fit(*written(6, seed=1))


@needs_torch
@every_attacker
def test_it_learns_to_tell_styles_apart(fitted, name):
    texts, authors = written(60, seed=2)
    assert fitted[name].score(texts, authors) > 0.9


@needs_torch
@every_attacker
def test_a_text_scores_the_same_in_any_company(fitted, name):
    texts = written(12, seed=3)[0] + ODD
    together = fitted[name].decision_function(texts)
    alone = np.concatenate([fitted[name].decision_function([text]) for text in texts])
    # Sums over the sentences of a long text are large; their rounding is relative.
    np.testing.assert_allclose(together, alone, rtol=1e-5, atol=1e-4)


@needs_torch
@every_attacker
def test_every_text_gets_finite_log_probabilities(fitted, name):
    scores = fitted[name].decision_function(ODD)
    assert scores.shape == (len(ODD), len(STYLES))
    assert np.isfinite(scores).all()
    assert (scores <= 0).all()
    assert fitted[name].decision_function([]).shape == (0, len(STYLES))


@needs_torch
@every_attacker
def test_a_seed_fixes_the_result_and_another_changes_it(name):
    training, (texts, _) = written(30, seed=4), written(6, seed=5)
    quick = clone(SMALL[name]).set_params(epochs=2)
    scores = [clone(quick).set_params(seed=seed).fit(*training).decision_function(texts) for seed in (7, 7, 8)]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert not np.allclose(scores[0], scores[2])


@needs_torch
@every_attacker
def test_saved_and_loaded_it_scores_the_same(fitted, name, tmp_path):
    texts = written(9, seed=6)[0] + ODD
    store.save(fitted[name], tmp_path)
    loaded = store.load(tmp_path)
    assert loaded.get_params() == fitted[name].get_params()
    np.testing.assert_array_equal(loaded.decision_function(texts), fitted[name].decision_function(texts))


@needs_torch
@every_attacker
def test_loading_without_torch_names_the_way_out(fitted, name, tmp_path, monkeypatch):
    store.save(fitted[name], tmp_path)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(AllonymError, match=r"pip install 'allonym\[neural\]'"):
        store.load(tmp_path)


@needs_torch
@every_attacker
@pytest.mark.parametrize("texts", [["", ""], ["a", "b"], ["!", "?"], ["one", "two"], ["7", "7"]])
def test_it_learns_from_next_to_nothing(name, texts):
    attacker = clone(SMALL[name]).set_params(epochs=1).fit(texts, ["x", "y"])
    assert np.isfinite(attacker.decision_function([*texts, "something else"])).all()


@needs_torch
@every_attacker
def test_progress_is_told_after_each_epoch(name):
    told = []
    attacker = clone(SMALL[name]).set_params(epochs=2)
    attacker.progress = lambda done, most, loss: told.append((done, most, loss > 0))
    attacker.fit(*written(30, seed=1))
    assert told == [(1, 2, True), (2, 2, True)]


@every_attacker
@pytest.mark.parametrize(
    "wrong",
    [{"epochs": 0}, {"embedding_size": 0}, {"batch_size": -1}, {"learning_rate": 0.0}, {"learning_rate": float("nan")}],
)
def test_impossible_parameters_are_refused(name, wrong):
    with pytest.raises(ParameterError, match="must be"):
        attackers.make(name, **wrong)


def test_impossible_parameters_of_one_are_refused():
    for wrong in ({"dropout": 1.0}, {"dropout": -0.1}, {"most_grams": 0}):
        with pytest.raises(ParameterError, match="must be"):
            CharacterAverages(**wrong)
    with pytest.raises(ParameterError, match="hidden_size must be"):
        TextLSTM(hidden_size=0)


@every_attacker
def test_one_author_is_refused(name):
    with pytest.raises(InputError, match="two authors"):
        clone(SMALL[name]).fit(["a", "b"], ["x", "x"])


def test_sentences_end_where_they_end():
    assert _sentences('He left (at last.) "Why?" I asked\nher.\n\nNo idea') == [
        ["he", "left", "(", "at", "last", "."],
        ['"', "why", "?"],
        ["i", "asked", "her", "."],
        ["no", "idea"],
    ]


def test_no_word_of_a_long_sentence_is_lost():
    split = _sentences("tick tock " * 60)
    assert [len(sentence) for sentence in split] == [50, 50, 20]
    assert _sentences(" \n\n ") == []


def test_numbers_are_one_word():
    assert _sentences("In 1984, the 3rd of 12") == [["in", "NUM", ",", "the", "NUM", "of", "NUM"]]
