"""The measurement behind `results/check.json`: who is drawn, and how what was said is compared with what was right."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from allonym.recognition import certainty

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_trials  # noqa: E402
import measure_check  # noqa: E402
from check_trials import Setting, Trial  # noqa: E402

SETTING = Setting(authors=3, known_words=40, words=10, tests=2, reported=1)


def writers(number: int = 6) -> dict[str, list[str]]:
    """Make up writers none of whose words is another's or stands in two of their texts."""
    letters = "abcdefghijklmno"
    return {one: [" ".join(f"{one}{two}{three}" for three in letters) for two in letters] for one in letters[:number]}


def test_known_texts_asked_ones_and_strangers_never_overlap():
    drawn = check_trials.draw(Trial("blogs", "fit", SETTING, 0), writers())
    assert len(set(drawn.authors)) == 3
    assert len(drawn.asked) == len(drawn.strangers) == 6
    known, asked, others = (set(" ".join(texts).split()) for texts in (drawn.known, drawn.asked, drawn.strangers))
    assert not known & asked
    assert not (known | asked) & others
    assert len(known) == 3 * 40


def test_draws_differ_and_are_repeatable():
    trials = [Trial("blogs", "fit", SETTING, number) for number in (0, 0, 1, 2)]
    first, again, *others = [check_trials.draw(trial, writers(12)).authors for trial in trials]
    assert first == again
    assert any(first != other for other in others)


def test_no_author_is_fitted_on_and_reported(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    (tmp_path / "imdb62").mkdir()
    names = [str(number) for number in range(100, 162)]
    table = pa.table({"author": names, "text": ["some words"] * 62})
    pq.write_table(table, tmp_path / "imdb62" / "imdb62.parquet")
    fitted, reported = (set(check_trials.read("imdb62", part, tmp_path)) for part in check_trials.PARTS)
    assert not fitted & reported
    assert fitted | reported == set(names)
    assert set(names[:10]) <= reported


def test_the_calibration_error_is_counted_by_hand():
    said, right = np.array([0.9, 0.9, 0.2, 0.2]), np.array([1.0, 0.0, 0.0, 0.0])
    points = measure_check.curve(said, right)
    assert [(one["texts"], one["right"]) for one in points] == [(2, 0.0), (2, 0.5)]
    assert measure_check.calibration_error(points) == pytest.approx((0.4 + 0.2) / 2)


def test_means_are_over_texts_and_intervals_over_trials():
    found = measure_check.over_trials([np.ones(30), np.zeros(10)])
    assert found.value == 0.75
    assert (found.low, found.high) == (0.0, 1.0)


def test_on_authors_not_used_what_is_said_is_right_within_three_points():
    found = json.loads((ROOT / "results" / "check.json").read_text("utf-8"))["certainty"]["overall"]
    assert abs(found["after"]["difference"]["value"]) <= 0.03
    assert found["after"]["calibration_error"] < found["before"]["calibration_error"]
    assert found["trials"] == len(list(check_trials.trials("test")))


def test_what_ships_was_fitted_on_all_trials():
    shipped = json.loads(measure_check.SHIPPED.read_text("utf-8"))
    assert shipped["trials"] == len(list(check_trials.trials("fit")))
    assert len(certainty.shipped().outsiders.errors) == len(check_trials.SETTINGS)
