"""The panel: three settings, the strongest, and nothing trained twice."""

from __future__ import annotations

import pytest

from allonym.attackers.floors import Majority
from allonym.attackers.linear import WordNGramSVM
from allonym.attackers.meaning import Meaning
from allonym.attackers.panel import (
    PanelResult,
    Texts,
    attack,
    default_panel,
    missing_from_panel,
    quick_panel,
    train,
)
from allonym.errors import InputError

ORIGINAL = Texts(["tea, please"] * 4 + ["no coffee!"] * 3, ["tea, please", "no coffee!"])
SWAPPED = Texts(["no coffee!"] * 4 + ["tea, please"] * 3, ["no coffee!", "tea, please"])
TRAIN, TEST = ["anna"] * 4 + ["boris"] * 3, ["anna", "boris"]


@pytest.fixture(scope="module")
def found():
    return attack([Majority(), WordNGramSVM()], TRAIN, TEST, original=ORIGINAL, released=SWAPPED)


def accuracy(result: PanelResult, attacker: str, setting: str) -> float:
    [one] = [each for each in result.attacks if (each.attacker, each.setting) == (attacker, setting)]
    return one.figures["accuracy"].value


def test_a_static_attacker_is_fooled_where_an_adaptive_one_is_not(found):
    assert accuracy(found, "words-svm", "original") == 1.0
    assert accuracy(found, "words-svm", "static") == 0.0
    assert accuracy(found, "words-svm", "adaptive") == 1.0


def test_the_headline_is_the_strongest_against_the_floor(found):
    assert found.strongest("adaptive").attacker == "words-svm"
    assert found.strongest("static").attacker == "majority"
    assert (found.chance, found.authors, found.documents) == (0.5, 2, 2)


def test_attackers_trained_before_give_the_same(found):
    panel = [Majority(), WordNGramSVM()]
    trained = train(panel, ORIGINAL.train, TRAIN)
    assert attack(panel, TRAIN, TEST, original=ORIGINAL, released=SWAPPED, trained=trained) == found
    assert not any(hasattr(attacker, "classes_") for attacker in panel)


def test_without_a_release_only_originals_are_attacked():
    steps: list[tuple[int, int]] = []
    result = attack([Majority()], TRAIN, TEST, original=ORIGINAL, progress=lambda *step: steps.append(step))
    assert steps == [(1, 1)]
    with pytest.raises(InputError, match="not run in the setting"):
        result.strongest("adaptive")


def test_what_does_not_fit_together_is_refused():
    with pytest.raises(InputError, match="differ in number"):
        attack([Majority()], TRAIN[:-1], TEST, original=ORIGINAL)
    with pytest.raises(InputError, match="no test text"):
        attack([Majority()], TRAIN, [], original=Texts(ORIGINAL.train, []))


def test_the_default_panel_leaves_out_what_needs_an_extra_and_says_so(monkeypatch):
    strong = {each.name for each in default_panel()} | set(missing_from_panel())
    assert strong >= {"ngrams", "binary-bayes", "style-encoder", "meaning", "structure", "majority"}
    monkeypatch.setattr(Meaning, "missing", lambda self: "onnxruntime is not installed: run `pip install …`.")
    assert "meaning" not in {each.name for each in default_panel()}
    assert "pip install" in missing_from_panel()["meaning"]
    monkeypatch.setattr(Meaning, "missing", lambda self: "")
    assert "meaning" in {each.name for each in default_panel()}
    assert not missing_from_panel()


def test_the_quick_panel_is_a_part_of_the_strong_one():
    assert {each.name for each in quick_panel()} < {each.name for each in default_panel()}
