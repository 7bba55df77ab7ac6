"""The panels: who is in them, and that training leaves them as they are."""

from __future__ import annotations

from allonym.attackers.floors import Majority
from allonym.attackers.linear import WordNGramSVM
from allonym.attackers.meaning import Meaning
from allonym.attackers.panel import default_panel, missing_from_panel, quick_panel, train


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


def test_training_leaves_a_panel_untrained():
    panel = [Majority(), WordNGramSVM()]
    trained = train(panel, ["some tea", "no coffee"], ["anna", "boris"])
    assert trained[1].predict(["tea"])[0] == "anna"
    assert not any(hasattr(attacker, "classes_") for attacker in panel)
