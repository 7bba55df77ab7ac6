"""Other people's classifiers as attackers: a plain Pipeline, a class by its name, and what cannot be one."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from allonym import attackers
from allonym.attackers import store
from allonym.errors import InputError, ParameterError
from allonym.evaluation.attack import Attackers
from allonym.evaluation.knowledge import Knowledge

TEXTS = ["tea, please", "some tea", "no coffee!", "coffee now", "water is fine", "just water"]
AUTHORS = ["anna", "anna", "boris", "boris", "clara", "clara"]
ASKED = ["tea tea", "coffee coffee", "water"]
RIGHT = ["anna", "boris", "clara"]


class Reverser:
    """Keeps its authors in another order, as no scikit-learn classifier would, and has no get_params."""

    def __init__(self, answer=None):
        self.answer = answer

    def fit(self, texts, authors):
        self.classes_ = sorted(set(authors), reverse=True)
        self.last = dict(zip((text.split()[-1].strip("!") for text in texts), authors, strict=True))

    def decision_function(self, texts):
        if self.answer is not None:
            return self.answer
        return [[float(f"{author}" == self.named(text)) for author in self.classes_] for text in texts]

    def named(self, text):
        return {"tea": "anna", "coffee": "boris", "water": "clara"}[next(w for w in text.split() if w in self.keys)]

    keys = ("tea", "coffee", "water")

    def predict(self, texts):
        return [self.named(text) for text in texts]


@pytest.mark.parametrize(
    "classifier",
    [
        make_pipeline(CountVectorizer(), LinearSVC()),
        make_pipeline(CountVectorizer(), MultinomialNB()),
        make_pipeline(CountVectorizer(), KNeighborsClassifier(1)),
        Reverser(),
    ],
    ids=["decision_function", "predict_log_proba", "predict_proba", "another order"],
)
def test_a_classifier_is_an_attacker(classifier):
    attacker = attackers.foreign(classifier).fit(TEXTS, AUTHORS)
    assert attacker.predict(ASKED).tolist() == RIGHT
    scores = attacker.decision_function(ASKED)
    assert scores.shape == (3, 3)
    assert np.isfinite(scores).all()
    assert not hasattr(classifier, "classes_")  # it was copied before it learned
    assert clone(attacker).fit(TEXTS[:4], AUTHORS[:4]).decision_function(ASKED).shape == (3, 2)


def test_it_runs_in_the_panel():
    pipeline = attackers.foreign(make_pipeline(CountVectorizer(), MultinomialNB()))
    everything = range(len(TEXTS))
    panel = Attackers([pipeline], Knowledge(TEXTS, AUTHORS, everything), ASKED, RIGHT)
    attacked = panel.on_releases(Knowledge(TEXTS, AUTHORS, everything, [TEXTS]), [ASKED])
    assert attacked.strongest("adaptive").attacker == "Pipeline"
    assert attacked.strongest("adaptive").headline.value == 1.0


MODULE = """
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import Pipeline

class Mine(Pipeline):
    def __init__(self):
        super().__init__([("read", TfidfVectorizer()), ("decide", RidgeClassifier())])

class Voter:
    def fit(self, texts, authors):
        self.known = dict(zip(texts, authors))
    def predict(self, texts):
        return [self.known.get(text, "anna") for text in texts]

class Stranger(Voter):
    def predict(self, texts):
        return ["nobody" for text in texts]

class Probable(Voter):
    def predict_proba(self, texts):
        return [[float(self.known[text] == name) for name in sorted(set(self.known.values()))] for text in texts]

class Demanding(Voter):
    def __init__(self, size):
        pass

class Failing(Voter):
    def fit(self, texts, authors):
        raise RuntimeError("I quote " + texts[0])

class Empty:
    pass

mine = Mine()

def made():
    return Mine()
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "attacker_of_mine.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "broken_attacker.py").write_text("1 / 0", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield "attacker_of_mine"
    sys.modules.pop("attacker_of_mine", None)


@pytest.mark.parametrize("name", ["Mine", "mine", "made", "Voter", "Probable"])
def test_a_class_of_the_current_folder_is_found(module, name):
    attacker = attackers.foreign(f"{module}:{name}").fit(TEXTS, AUTHORS)
    assert attacker.name == f"{module}:{name}"
    assert attacker.predict(TEXTS).tolist() == AUTHORS
    assert np.isfinite(attacker.decision_function(TEXTS)).all()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("attacker_of_mine", "module:Class"),
        ("no_such_module_here:Thing", "cannot be imported"),
        ("broken_attacker:Thing", "ZeroDivisionError"),
        ("attacker_of_mine:Nothing", "has no Nothing"),
        ("attacker_of_mine:Demanding", "without arguments"),
        ("attacker_of_mine:Empty", "no classifier over texts"),
    ],
)
def test_what_is_no_classifier_is_refused_at_once(module, path, message):
    with pytest.raises(ParameterError, match=message):
        attackers.foreign(path)


def test_a_class_in_the_place_of_an_instance_is_refused():
    with pytest.raises(ParameterError, match="must be an instance"):
        attackers.foreign(MultinomialNB)


def test_a_failure_is_told_without_a_text(module):
    with pytest.raises(InputError, match="stopped with RuntimeError") as failure:
        attackers.foreign(f"{module}:Failing").fit(TEXTS, AUTHORS)
    assert "tea" not in str(failure.value)
    with pytest.raises(InputError, match="known authors"):
        attackers.foreign(f"{module}:Stranger").fit(TEXTS, AUTHORS).predict(ASKED)


@pytest.mark.parametrize(
    ("answer", "message"),
    [([[1.0, 2.0]], "shape"), ([[np.nan] * 3] * 3, "not finite"), (["a", "b", "c"], "did not return numbers")],
)
def test_nonsense_is_refused(answer, message):
    attacker = attackers.foreign(Reverser(answer)).fit(TEXTS, AUTHORS)
    with pytest.raises(InputError, match=message):
        attacker.predict(ASKED)


def test_it_cannot_be_saved(tmp_path):
    attacker = attackers.foreign(make_pipeline(CountVectorizer(), MultinomialNB())).fit(TEXTS, AUTHORS)
    with pytest.raises(InputError, match="cannot be saved"):
        store.save(attacker, tmp_path)
