"""Rows of an earlier run: what is taken over, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from allonym.errors import InputError
from allonym.papers.a4nt.earlier import Earlier

ATTACKER = {"setting": "speech", "attacker": "lstm", "test": {"document": {"f1": {"value": 0.5}}}}
ROWS = [{"weights": "one", "setting": "speech"}, {"weights": "two", "setting": "blog-six"}]
RESULTS: dict[str, Any] = {
    "sizes": {"operating": [80, 6]},
    "meteor": "meteor_1_5",
    "attackers": [ATTACKER],
    "measured": ROWS,
    "operating_points": [],
    "models": ROWS,
}


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    path = tmp_path / "earlier.json"
    path.write_text(json.dumps(RESULTS))
    return path


def test_only_rows_of_absent_models_are_taken_over(earlier: Path) -> None:
    found = Earlier(earlier, ["one"])
    assert found.rows("measured") == found.rows("models") == [{**ROWS[1], "earlier": True}]
    assert found.rows("operating_points") == []
    assert found.settings == ["blog-six"]


def test_without_a_file_nothing_is_taken_over_and_nothing_refused() -> None:
    found = Earlier(None, [])
    assert found.rows("measured") == found.settings == []
    found.check({}, "none", [ATTACKER])


def test_results_of_the_same_attackers_sizes_and_measures_are_accepted(earlier: Path) -> None:
    Earlier(earlier, []).check({"operating": (80, 6)}, "meteor_1_5", [ATTACKER])


@pytest.mark.parametrize(
    ("sizes", "meteor", "value"),
    [((80, 7), "meteor_1_5", 0.5), ((80, 6), "meteor_nltk", 0.5), ((80, 6), "meteor_1_5", 0.51)],
    ids=["sizes", "meteor", "attacker"],
)
def test_others_are_refused(earlier: Path, sizes: tuple[int, int], meteor: str, value: float) -> None:
    attacker = {**ATTACKER, "test": {"document": {"f1": {"value": value}}}}
    with pytest.raises(InputError, match="earlier results"):
        Earlier(earlier, []).check({"operating": sizes}, meteor, [attacker])


def test_an_attacker_that_is_not_in_the_earlier_results_is_refused(earlier: Path) -> None:
    with pytest.raises(InputError, match="blog-age"):
        Earlier(earlier, []).check({"operating": (80, 6)}, "meteor_1_5", [{**ATTACKER, "setting": "blog-age"}])


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", json.dumps({**RESULTS, "measured": 3}), json.dumps({**RESULTS, "models": [7]}), "[" * 100_000],
)
def test_what_is_no_results_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "earlier.json"
    path.write_text(content)
    for wrong in (path, tmp_path / "absent.json"):
        with pytest.raises(InputError, match="holds no results"):
            Earlier(wrong, [])
