"""What every attacker must do, found by name: learn, name writers, take any text, survive saving."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import clone

from allonym import attackers
from allonym.attackers import store
from allonym.errors import InputError, ModelError, ParameterError

FLOORS = {"majority", "length"}

SMALL = {
    "character-network": {"epochs": 15},
    "lstm": {"epochs": 10, "embedding_size": 24, "hidden_size": 24, "learning_rate": 0.01},
    "lstm-cnn": {"epochs": 6, "embedding_size": 16, "hidden_size": 16, "learning_rate": 0.01},
}

# Three invented writers with habits of their own.
HABITS = {
    "anna": "Well, I suppose the {0} was fine; however, the {1} -- as ever -- was late! Really, quite late...",
    "boris": "the {0} is good. the {1} is bad. i go home. i eat. i sleep.",
    "clara": "WHAT a {0}?! Nobody told me about the {1}, did they? And now this:\n- one {0}\n- two {1}s",
}
THINGS = ["train", "dinner", "letter", "garden", "meeting", "concert", "journey", "lesson", "market", "picture"]


def texts_of(things):
    found = [(habit.format(*pair), name) for name, habit in HABITS.items() for pair in things]
    return [text for text, _ in found], [name for _, name in found]


TRAIN = texts_of([(a, b) for a in THINGS[:5] for b in THINGS[5:]])
TEST = texts_of([(b, a) for a in THINGS[:3] for b in THINGS[7:]])
ODD = ["", " \n\t ", "🎉🎉🎉", "שלום עולם", "漢字かな交じり文", "\0\ud800", "12,345.67 !!!"]
ODD += ["word " * 30_000, "x" * 20_000]


def made(name):
    attacker = attackers.make(name, **SMALL.get(name, {}))
    if lack := attacker.missing():
        pytest.skip(lack)
    return attacker


@pytest.fixture(scope="module", params=sorted(attackers.classes()))
def fitted(request):
    return made(request.param).fit(*TRAIN)


def test_every_attacker_of_the_panel_is_there():
    assert set(attackers.classes()) >= {
        "characters-svm", "words-svm", "words-bayes", "writeprints-svm", "writeprints-bayes", "delta", "clear-channel",
        "length", "majority", "character-network", "lstm", "lstm-cnn", "style-encoder",
        "ngrams", "binary-bayes", "meaning", "structure", "guess-original",
    }  # fmt: skip


def test_it_says_what_it_is(fitted):
    assert fitted.name
    assert fitted.describes_itself_as
    assert type(fitted).__doc__


def test_it_tells_writers_apart(fitted):
    texts, authors = TEST
    accuracy = np.mean(fitted.predict(texts) == np.array(authors))
    assert accuracy >= (0.3 if fitted.name in FLOORS else 0.9)


def test_scores_and_predictions_agree(fitted):
    scores = fitted.decision_function(TEST[0])
    assert scores.shape == (len(TEST[0]), 3)
    assert np.isfinite(scores).all()
    assert fitted.classes_[scores.argmax(1)].tolist() == fitted.predict(TEST[0]).tolist()


def test_any_text_can_be_scored(fitted):
    scores = fitted.decision_function(ODD)
    assert scores.shape == (len(ODD), 3)
    assert np.isfinite(scores).all()
    assert fitted.decision_function([]).shape == (0, 3)


def test_a_text_is_scored_the_same_alone(fitted):
    together = fitted.decision_function(TEST[0])
    alone = np.vstack([fitted.decision_function([text]) for text in TEST[0]])
    np.testing.assert_allclose(together, alone, rtol=1e-3, atol=1e-4)


def test_training_twice_gives_the_same(fitted):
    again = clone(fitted).fit(*TRAIN)
    np.testing.assert_allclose(
        again.decision_function(TEST[0]), fitted.decision_function(TEST[0]), rtol=1e-5, atol=1e-6
    )


def test_two_writers_are_enough(fitted):
    texts, authors = TRAIN
    two = [number for number, author in enumerate(authors) if author != "clara"]
    pair = clone(fitted).fit([texts[i] for i in two], [authors[i] for i in two])
    assert pair.decision_function(TEST[0][:4]).shape == (4, 2)


def test_saving_and_loading_changes_nothing(fitted, tmp_path):
    store.save(fitted, tmp_path / "attacker")
    loaded = store.load(tmp_path / "attacker")
    assert type(loaded) is type(fitted)
    np.testing.assert_array_equal(loaded.decision_function(TEST[0]), fitted.decision_function(TEST[0]))
    assert sorted(path.name for path in (tmp_path / "attacker").iterdir()) == [
        "SHA256", "attacker.json", "weights.safetensors",
    ]  # fmt: skip


def test_what_cannot_be_learned_from_is_refused(fitted):
    fresh = clone(fitted)
    with pytest.raises(InputError, match="two authors at least"):
        fresh.fit(["one text", "another"], ["anna", "anna"])
    with pytest.raises(InputError, match="2 texts but 1 authors"):
        fresh.fit(["one text", "another"], ["anna"])
    with pytest.raises(InputError, match="list of texts"):
        fresh.fit("one text", ["anna"])
    with pytest.raises(InputError, match="has learned nothing yet"):
        fresh.predict(["a text"])


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(ParameterError, match="words-svm"):
        attackers.make("psychic")


def test_a_damaged_attacker_is_refused(tmp_path):
    store.save(made("words-svm").fit(*TRAIN), tmp_path)
    content = json.loads((tmp_path / "attacker.json").read_text("utf-8"))
    (tmp_path / "attacker.json").write_text(json.dumps(content | {"name": "majority"}), encoding="utf-8")
    with pytest.raises(ModelError, match="not as it was written"):
        store.load(tmp_path)
    (tmp_path / "weights.safetensors").unlink()
    with pytest.raises(ModelError):
        store.load(tmp_path)
    with pytest.raises(ModelError, match="no complete saved attacker"):
        store.load(tmp_path / "nowhere")
