"""What the command line does for those who do not know it by heart."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from allonym.cli import told
from allonym.cli.methods import MEASURED
from allonym.papers.frontier import measured

ROOT = Path(__file__).resolve().parents[2]
SMALL = ("--method", "random-replacement", "--words", "5")


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        (["anonymise", "x.txt"], "Did you mean 'anonymize'?"),
        (["anonymize", "x.txt", "--method", "erea"], "Did you mean 'erae'?"),
        (["anonymize", "x.txt", "--preset", "letters"], "Did you mean 'letter'?"),
        (["anonymize", "x.txt", "--metod", "erae"], "--method"),
    ],
)
def test_what_was_meant_is_asked(line, meant, command):
    assert meant in command(*line).refused().err


def test_columns_are_asked_for_only_where_the_first_row_holds_names(command, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("id,answer\n1,yes\n", "utf-8")
    assert "did you mean 'answer'?" in command("anonymize", table, *SMALL, "--text", "anwser").refused().err
    table.write_text("1,I was there and nobody answered\n2,no\n", "utf-8")
    assert "did you mean" not in command("anonymize", table, *SMALL, "--text", "answered").refused().err


@pytest.mark.parametrize("method", told.kept()["methods"])
def test_help_of_one_method_shows_its_options_alone(method, command):
    helped = command("anonymize", "--method", method, "--help").done().out
    parameters = told.kept()["parameters"]
    for name, about in parameters.items():
        flag = f"--{name.replace('_', '-')}"
        shown = re.search(rf"^ +{flag}(?=[ ,/\n])", helped, re.MULTILINE) is not None
        assert shown == (method in about["methods"]), name
    assert len(helped.splitlines()) < len(command("anonymize", "--help").out.splitlines())
    assert "--output" in helped


def test_what_is_given_goes_before_a_preset(command, tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Trains are late.", "utf-8")
    answer = command("anonymize", path, "--epsilon", "30", "--preset", "classifier", "--dry-run", "--json").done().json
    assert answer["parameters"]["epsilon"] == 30


def test_methods_are_compared_by_measured_figures(command):
    sources = [ROOT / "results" / f"{name}.json" for name in ("frontier", "syntf")]
    assert MEASURED.read_text("utf-8") == measured.stored(*sources)
    shown = command("methods").done()
    rows = {line.split()[0] for line in shown.out.splitlines() if line}
    assert set(told.kept()["methods"]) <= rows
    answer = command("methods", "--json").done().json
    assert all(0 <= row["named"] <= 1 and 0 <= row["meaning"] <= 1 for row in answer["rows"])
    about = answer["methods"]
    assert about["erae"]["proved"]
    assert not about["identity"]["proved"]
    assert about["syntf"]["gives"] == "word counts"


def test_a_dry_run_says_how_long_it_would_take_and_draws_nothing_to_keep(command, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("id,answer\n" + "1,yes I do\n" * 1 + "2,no\n", "utf-8")
    told_ = command("anonymize", table, *SMALL, "--text", "answer", "--dry-run").done().out
    assert "It would take about 1 second" in told_
    answer = command("anonymize", table, *SMALL, "--text", "answer", "--dry-run", "--json").done().json
    assert answer["forecast"]["seconds"] >= 0
    assert os.listdir(tmp_path) == ["t.csv"]


def test_a_shell_may_ask_about_an_unknown_command(command, monkeypatch):
    monkeypatch.setenv("COMP_WORDS", "allonym anonymise --")
    monkeypatch.setenv("COMP_CWORD", "2")
    command("completion", "bash", "--answer").done()
