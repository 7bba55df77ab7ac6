"""The ruler, small enough for a test: made-up texts, two attackers, two measures."""

from __future__ import annotations

import pytest

from allonym.attackers.floors import Majority
from allonym.attackers.linear import WordNGramSVM
from allonym.papers.ruler import measure
from allonym.papers.ruler.grounds import Ground
from allonym.papers.ruler.settings import Setting
from tests.evaluation.habits import WORDS, read, rows


@pytest.fixture
def made_up_ground(monkeypatch, tmp_path):
    """Return what makes texts of three authors who have habits, by the texts' name."""
    made = rows({"ada": 12, "ben": 12, "cleo": 12})
    monkeypatch.setattr(measure, "default_panel", lambda: [WordNGramSVM(), Majority()])
    monkeypatch.setattr(measure, "_MEASURED", {"topic": None, "unchanged": None})
    return lambda name: Ground(name, "Made-up texts", "topic", lambda data: read(tmp_path, made, label="topic"))


def syntf(epsilon: float, **parameters: object) -> Setting:
    """Return a setting that takes no time on these texts."""
    given = {"epsilon": epsilon, "words": 12, "vocabulary": WORDS} | parameters
    return Setting("syntf", "SynTF", f"ε = {epsilon:g}", given)
