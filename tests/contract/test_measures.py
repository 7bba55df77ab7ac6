"""What every measure must do, found by name: say what it is, be taken on any text, be shown."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from allonym import metrics
from allonym.errors import ParameterError
from allonym.metrics.base import Measure, MeasuredTexts, Released, ReleasedPart

ROOT = Path(__file__).resolve().parents[2]
BEFORE = [
    "The harbour was quiet and the boats were asleep.",
    "Bread needs flour, water and 2 hot ovens!",
    "Nobody saw poor Maria leave; nobody asked.",
    "Yeast is alive, or so the baker says.",
] * 3
AFTER = [
    "The harbour was loud.",
    "",
    "Nobody saw the anchor break; somebody asked.",
    "Yeast lives, or so people say.",
] * 3
LABELS = ["boats", "bread", "boats", "bread"] * 3
GROUND = MeasuredTexts(BEFORE, list(range(8)), list(range(8, 12)), LABELS)


@pytest.fixture(params=sorted(metrics.measures()))
def measure(request) -> Measure:
    found = metrics.measures()[request.param]
    if lack := found.lacks(GROUND):
        pytest.skip(lack)
    return found


@pytest.mark.parametrize("name", sorted(metrics.measures()))
def test_it_says_what_it_is(name):
    measure = metrics.measures()[name]
    assert measure.name == name
    assert name == name.lower()
    for words in (measure.title, measure.describes_itself_as, measure.unit, measure.head):
        assert words.strip()
    assert measure.missing() == "" or measure.missing().endswith(".")


def test_it_can_be_taken(measure):
    taking = measure.taking(measure, GROUND)
    assert math.isfinite(taking.before.value)
    if measure.untouched is not None and measure.name != "meteor-1.5":  # which is 1 for each pair, and slow to start
        same = taking.after([GROUND.untouched()])
        assert same.value == pytest.approx(taking.before.value, abs=1e-5)
    released = Released(ReleasedPart.of_texts(AFTER[:8]), ReleasedPart.of_texts(AFTER[8:]))
    changed = taking.after([released, released])
    assert changed.low <= changed.value <= changed.high
    if measure.untouched is not None:
        assert changed.value != pytest.approx(taking.before.value)


def test_it_is_shown_as_it_says(measure):
    assert measure.shown(None) == "not measured"
    shown = measure.shown({"value": 0.5, "low": 0.25, "high": 0.75})
    assert shown.startswith(f"{0.5:.{measure.digits}f} (")


def test_the_usual_ones_have_a_main_one_that_needs_nothing():
    usual = [measure for measure in metrics.measures().values() if measure.usual]
    assert usual[0].main is not None
    assert any(measure.main is not None and not measure.missing() for measure in usual)
    without_labels = replace(GROUND, labels=None)
    assert "labels" in metrics.measures()["topic"].lacks(without_labels)


def test_a_main_measure_must_be_better_the_higher_it_is():
    with pytest.raises(ParameterError, match="main measure"):
        Measure("m", "m", "m", lambda before, after: np.ones(1), main=1)


def test_the_documentation_lists_every_measure():
    page = (ROOT / "docs" / "measures.md").read_text("utf-8")
    functions = {name.replace("-", "_").replace(".", "_") for name in metrics.measures()}
    named = {"topic": "topic_scores", "meaning": "cosine", "grammar": "grammar_findings", "length": "length_change"}
    assert not [name for name in functions if f"`{named.get(name, name)}`" not in page]
