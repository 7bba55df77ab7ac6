"""Ghostwriter with a loss, from a table to a trained network to a job: by the command, as a person would."""

from __future__ import annotations

import csv
import json
import shlex
from importlib.util import find_spec

import pytest

from allonym import models

pytestmark = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("tokenizers") is None, reason="needs the extras neural and translate"
)
QUICK = ("--start", "nothing", "--size", "tiny", "--notes", 120, "--pieces", 300, "--batch", 16)
FURTHER = ("--candidates", 2, "--slots", 8, "--loss-per-word", 8)


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """Small products only wait for each other's threads."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture
def table(plain_texts, tmp_path):
    path = tmp_path / "mine.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["user", "body"])
        writer.writerows((f"writer {number % 9}", text) for number, text in enumerate(plain_texts))
    return path


def options(model, notes=6):
    return ("--method", "ghostwriter", "--model", model, "--loss-per-word", 8, "--notes", notes)


def test_a_network_of_your_own_writes_notes_out(command, table, tmp_path):
    model = tmp_path / "my model"
    train = ("train", "ghostwriter", table, "--text", "body", "--author", "user", "-o", model, *QUICK, *FURTHER)
    result = command(*train, "--epochs", 6, "--json").done()
    figures = result.json
    assert figures["differential_privacy"] is False
    assert "release of the text" in figures["warning"]
    losses = [
        float(line.split("held-out loss ")[1].split(",")[0]) for line in result.err.splitlines() if "held-out" in line
    ]
    assert losses[-1] < losses[0]
    assert command("models", "verify", model).done().out == f"{model}: ok\n"
    tried = next(line for line in result.err.splitlines() if line.startswith("Try it: "))
    line = shlex.split(tried.removeprefix("Try it: allonym ").replace("letter.txt", "-"))
    written = command(*line, stdin=b"The zebra lost the fishing boat.").done().out
    assert "zebra" not in written
    command(*train, "--epochs", 1).refused()
    assert command(*train[:5], "-o", model, "--resume").code == 5  # it is finished: there is nothing to resume


@pytest.mark.parametrize(
    "wrong", [("--size", "tiny"), ("--loss-per-word", "nan"), ("--candidates", 0), ("--start", "something")]
)
def test_what_cannot_be_trained_is_refused(command, table, tmp_path, wrong):
    assert command("train", "ghostwriter", table, "--text", "body", "-o", tmp_path / "model", *wrong).code == 2
    assert not (tmp_path / "model" / models.WEIGHTS).exists()


def test_what_is_promised_is_said(command, small_writer):
    said = command("guarantee", *options(small_writer)).done().out
    assert "6 notes" in said
    assert "48.00" in said


def test_without_a_model_the_way_out_is_said(command):
    error = (
        command("anonymize", "-", "--method", "ghostwriter", "--loss-per-word", "11.4", stdin=b"Text.").refused().err
    )
    assert "allonym train ghostwriter" in error


def test_a_table_is_written_once_charged_and_goes_on(command, table, small_writer, tmp_path):
    ledger, out = tmp_path / "ledger", tmp_path / "out.csv"
    line = ("anonymize", table, "-o", out, "--text", "body", "--author", "user", "--budget-db", ledger)
    command(*line, *options(small_writer)).done()
    rows = list(csv.DictReader(out.read_text("utf-8").splitlines()))
    assert len(rows) == 120
    assert not any(any(sign.isdigit() for sign in row["body"]) for row in rows)
    record = json.loads((tmp_path / "out.csv.privacy.json").read_text("utf-8"))
    assert "note" in json.dumps(record)
    charged = command("budget", "show", "--budget-db", ledger, "--json").done().json
    assert charged
    two = tmp_path / "two.csv"
    line = ("anonymize", table, "-o", two, "--text", "body", "--chunk-rows", 30, "--jobs", 2)
    command(*line, *options(small_writer)).done()
    assert len(two.read_text("utf-8").splitlines()) == 121


def test_it_is_evaluated_like_any_method(command, table, small_writer, tmp_path):
    line = ("evaluate", table, "--text", "body", "--author", "user", "--report", tmp_path / "report")
    given = ("--attackers", "majority", "--draws", 1, "--json")
    found = command(*line, *options(small_writer), *given).done()
    assert "ghostwriter" in found.out
