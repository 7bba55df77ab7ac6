"""`allonym tune`: what it prints, its exit codes, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from allonym import metrics
from tests.evaluation.habits import rows

COLUMNS = ("--text", "text", "--author", "author", "--label", "topic")
QUICK = ("--attackers", "words-svm,majority", "--draws", 1, "--insecure-seed", 3)
COUNTS = {"ada": 12, "ben": 12, "cleo": 12, "dora": 12}


@pytest.fixture(autouse=True)
def _no_encoder(monkeypatch):
    known = metrics.measures()
    without = known | {"meaning": replace(known["meaning"], missing=lambda: "It is not here.")}
    monkeypatch.setattr(metrics, "measures", lambda: without)


@pytest.fixture
def table(tmp_path, write_table):
    return write_table(tmp_path / "table.csv", rows(COUNTS))


def test_a_setting_is_chosen_and_verified(command, table, tmp_path, syntf):
    arguments = (*syntf, "--sweep", "epsilon=5,40", "--target-attack", 1, "--report", tmp_path / "r")
    result = command("tune", table, *COLUMNS, *arguments, *QUICK).done()
    first, second, _ = result.out.splitlines()
    assert first.startswith("Chosen: syntf, ε ")
    assert "It meets the target: attack " in first
    assert second.startswith("Verified once on 2 other authors: the target is met there, too: attack ")
    record = json.loads((tmp_path / "r" / "report.json").read_text("utf-8"))
    assert [one["name"] for one in record["configurations"]] == ["syntf, ε 5", "syntf, ε 40"]


def test_a_target_that_is_missed_ends_with_1(command, table, syntf):
    result = command(
        "tune", table, *COLUMNS, *syntf, "--sweep", "epsilon=40", "--target-attack", 0.01, *QUICK, "--json"
    )
    assert result.code == 1
    assert result.json["targets_met"] == {"where_it_was_chosen": False, "where_it_was_verified": False}


def test_without_a_sweep_the_settings_people_are_offered_are_tried(command, table, syntf):
    result = command("tune", table, *COLUMNS, *syntf, "--target-attack", 1, *QUICK, "--json").done()
    names = [each["name"] for each in result.json["tried"]]
    assert len(names) == len(set(names)) > 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--method", "identity"), "Name a target"),
        (("--method", "identity", "--target-loss", "nan"), "it is not a number"),
        (("--method", "identity", "--target-attack", "0.5"), "No setting"),
        (("--target-attack", "0.5"), "Name what to measure"),
        (("--method", "syntf", "--target-attack", "2"), "--target-attack"),
        (("--method", "syntf", "--target-loss", "0.001"), "No setting has a proved loss"),
    ],
)
def test_what_makes_no_sense_is_refused(command, table, arguments, words):
    assert words in command("tune", table, *COLUMNS, *arguments, *QUICK).refused().err


def test_two_authors_are_too_few(command, tmp_path, write_table):
    table = write_table(tmp_path / "t.csv", rows({"ada": 8, "ben": 8}))
    refused = command("tune", table, *COLUMNS, "--method", "syntf", "--target-attack", "0.5", *QUICK).refused()
    assert "4 authors at least" in refused.err
