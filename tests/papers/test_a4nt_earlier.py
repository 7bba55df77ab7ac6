"""Rows of an earlier run: what is taken over, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from allonym.errors import InputError
from allonym.metrics.figures import Figure
from allonym.papers.a4nt.earlier import Earlier
from allonym.papers.a4nt.sizes import Sizes
from allonym.papers.a4nt.stored import (
    A4ntResults,
    LearnedRow,
    Levels,
    ListedModel,
    MeasuredModel,
    MeasuredRow,
    Quality,
    Scored,
)


def attacker(f1: float = 0.5, setting: str = "speech") -> LearnedRow:
    levels = Levels(Scored(Figure(f1, f1, f1), {}, {}, 1))
    return LearnedRow(setting, "lstm", levels, levels, levels, levels)


def model(weights: str) -> ListedModel:
    return ListedModel(weights, "speech", "paper", "FB", False, 1.0, weights, 9, folder=weights)


ROWS = [
    MeasuredRow(setting, model(weights).names, MeasuredModel("likeliest", [], Quality(*[None] * 6)))
    for weights, setting in (("one", "speech"), ("two", "blog-six"))
]
RESULTS = A4ntResults(
    paper="A paper", version="1", command="allonym", sizes=Sizes(), interval="95 %", meteor="meteor_1_5",
    models=[model("one"), model("two")], not_evaluated=[], not_reproduced=[], originals=[], attackers=[attacker()],
    measured=ROWS, operating_points=[], examples=[],
)  # fmt: skip
STORED: dict[str, Any] = RESULTS.to_json()


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    path = tmp_path / "earlier.json"
    path.write_text(json.dumps(STORED))
    return path


def test_only_rows_of_absent_models_are_taken_over(earlier: Path) -> None:
    before = Earlier(earlier, ["one"])
    assert before.models == (replace(model("two"), earlier=True),)
    assert before.measured == (replace(ROWS[1], model=replace(model("two").names, earlier=True)),)
    assert before.operating_points == ()
    assert before.settings == ["blog-six"]


def test_without_a_file_nothing_is_taken_over_and_nothing_refused() -> None:
    before = Earlier(None, [])
    assert before.models == before.measured == ()
    assert before.settings == []
    before.check(Sizes(), "none", [attacker()])


def test_results_of_the_same_attackers_sizes_and_measures_are_accepted(earlier: Path) -> None:
    Earlier(earlier, []).check(Sizes(operating=(80, 6)), "meteor_1_5", [attacker()])


@pytest.mark.parametrize(
    ("sizes", "meteor", "value"),
    [((80, 7), "meteor_1_5", 0.5), ((80, 6), "meteor_nltk", 0.5), ((80, 6), "meteor_1_5", 0.51)],
    ids=["sizes", "meteor", "attacker"],
)
def test_others_are_refused(earlier: Path, sizes: tuple[int, int], meteor: str, value: float) -> None:
    with pytest.raises(InputError, match="earlier results"):
        Earlier(earlier, []).check(Sizes(operating=sizes), meteor, [attacker(value)])


def test_an_attacker_that_is_not_in_the_earlier_results_is_refused(earlier: Path) -> None:
    with pytest.raises(InputError, match="blog-age"):
        Earlier(earlier, []).check(Sizes(), "meteor_1_5", [attacker(setting="blog-age")])


@pytest.mark.parametrize(
    "content",
    [
        *("", "[]", "{}", "[" * 100_000),
        *(json.dumps({**STORED, part: wrong}) for part, wrong in (("measured", 3), ("models", [7]), ("sizes", "x"))),
    ],
)
def test_what_is_no_results_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "earlier.json"
    path.write_text(content)
    for wrong in (path, tmp_path / "absent.json"):
        with pytest.raises(InputError, match="holds no results"):
            Earlier(wrong, [])
