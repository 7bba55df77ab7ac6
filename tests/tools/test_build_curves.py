"""The page's curves: every position is a setting of the ruler, and what is not measured is said not to be."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

import pytest

from allonym.errors import MissingDependencyError
from allonym.papers.ruler.settings import plain_clauses

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import build_curves  # noqa: E402

RESULTS = ROOT / "results"
CURVES = {curve.offer: curve for curve in build_curves.CURVES}


def settings_of(curve):
    """Return the settings of a curve; what a method needs that is not installed skips the test."""
    try:
        return curve.settings()
    except MissingDependencyError as lack:
        pytest.skip(str(lack))


@pytest.fixture(scope="module")
def results():
    return {name: json.loads((RESULTS / f"{name}.json").read_text("utf-8")) for name in build_curves.SOURCES}


@pytest.mark.parametrize("offer", CURVES)
def test_every_position_is_a_setting_of_the_ruler(offer):
    settings = settings_of(CURVES[offer])
    assert len({setting.name for setting in settings}) == len(settings)
    assert len(settings) in (1, len(build_curves.WORDS))


def test_a_slider_that_goes_through_something_else_is_refused():
    changed = dataclasses.replace(CURVES["core"], setting=lambda given: plain_clauses(given["sentences"] + 1))
    with pytest.raises(SystemExit, match="not what the page offers"):
        changed.settings()


@pytest.mark.parametrize("offer", CURVES)
def test_committed_curves_are_those_of_the_results(offer, results):
    curve = CURVES[offer]
    settings_of(curve)
    done = build_curves.known(results, curve.ground, None)
    made = build_curves.built(curve, done, results["erae"]["model"] if curve.method == "erae" else None)
    committed = json.loads(build_curves.OUT.read_text("utf-8"))["curves"][offer]
    assert len(committed["points"]) == len(made["points"])
    for name in ("bench", "by", "names", "chance", "attack_before", "kept_means", "kept_of", "kept_floor"):
        assert committed[name] == made[name]
    for stored, point in zip(committed["points"], made["points"], strict=True):
        assert stored["parameters"] == point["parameters"]
        assert (stored["attack"] is None) == (stored["kept"] is None)
        if point["attack"] is not None:  # rows of a work folder are in the curves alone
            assert (stored["attack"], stored["kept"]) == (point["attack"], point["kept"])


def test_it_names_what_is_missing_and_takes_what_a_work_folder_has(results, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(build_curves, "OUT", tmp_path / "curves.json")
    monkeypatch.setattr(build_curves, "CURVES", (CURVES["core"],))
    monkeypatch.setattr(build_curves, "SOURCES", ())
    monkeypatch.setattr("sys.argv", ["build_curves.py", "--work", str(tmp_path / "work")])
    rows = {row["name"]: row for row in results["frontier"]["grounds"]["newsgroups20-10"]["rows"]}
    folder = tmp_path / "work" / "newsgroups20-10" / "5 draws"
    folder.mkdir(parents=True)
    for number, name in enumerate(("original", plain_clauses(3).name)):
        build_curves.main()
        assert "5 positions are not measured" in capsys.readouterr().out
        (folder / f"{number}.json").write_text(json.dumps(rows[name]), encoding="utf-8")
    build_curves.main()
    said = capsys.readouterr().out
    assert f"not measured on newsgroups20-10: {plain_clauses(1).name}" in said
    assert plain_clauses(3).name not in said
    points = json.loads(build_curves.OUT.read_text("utf-8"))["curves"]["core"]["points"]
    assert [point["attack"] is None for point in points] == [True, True, False, True, True]
