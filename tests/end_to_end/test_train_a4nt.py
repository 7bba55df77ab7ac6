"""`allonym train a4nt`: from a table to a model that rewrites, through interruptions and bad input."""

from __future__ import annotations

import csv
import json
from importlib.util import find_spec

import pytest

from allonym import models
from allonym.anonymizers.a4nt import A4NT
from allonym.randomness import insecure

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="needs the extra neural (torch)")

WHO = ("the teacher", "my neighbour", "the doctor", "her brother", "the cook", "a driver", "the farmer", "our cat")
DID = ("opened", "closed", "painted", "lost", "found", "sold", "bought", "moved", "cleaned", "watched")
WHAT = ("the door", "the window", "a letter", "the old car", "a red chair", "the garden", "a book", "the boat")
WHEN = ("in the morning", "after lunch", "before dinner", "on monday", "last week", "with care", "in heavy rain")
# How the two classes say the same.
SAID = {"young": ("omg", "totally", "lol"), "old": ("indeed", "certainly", "alas")}
QUICK = ("--size", "tiny", "--batch", "16", "--words", "200", "--steps", "6")
SECRET = "quixotically"


def rows(count=60):
    for number in range(count):
        group = "young" if number % 2 else "old"
        first, often, last = SAID[group]
        sentences = [
            f"{first}, {WHO[row % 8]} {often} {DID[row * 3 % 10]} {WHAT[row * 5 % 8]} {WHEN[row % 7]}, {last}."
            for row in range(number, number + 5)
        ]
        yield f"writer {number % 20}", group, " ".join(sentences) + (f" It was {SECRET} so." if number == 7 else "")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "mine.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["user", "group", "body"])
        writer.writerows(rows())
    return path


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """Small products only wait for each other's threads."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def arguments(table, model, *more):
    return ("train", "a4nt", table, "--text", "body", "--attribute", "group", "-o", model, *QUICK, *more)


@needs_torch
def test_a_model_of_your_own_rewrites_and_promises_nothing(command, table, tmp_path, readable):
    model = tmp_path / "model"
    result = command(*arguments(table, model, "--author", "user", "--json")).done()
    figures = result.json
    assert figures["classes"] == ["old", "young"]
    assert figures["differential_privacy"] is False
    assert "release of the text" in figures["warning"]
    assert 0 <= figures["documents_after"] <= 1
    assert "No formal privacy" in result.err
    assert "ε" not in result.out + result.err
    assert "epsilon" not in result.out + result.err
    assert command("models", "verify", model).done().out == f"{model}: ok\n"
    assert sorted(path.name for path in model.iterdir()) == sorted([*models.REQUIRED, "SHA256", "vocabulary.txt"])
    card = (model / "CARD.md").read_text("utf-8")
    assert "release of its training text" in card
    assert "no formal guarantee" in card
    assert SECRET not in readable(model)  # one writer's word
    assert "writer 7" not in readable(model)
    method = A4NT(model=str(model), target="old")
    [written] = method.release(["OMG, the cook totally lost a book with me, lol. In 1987."], rng=insecure(1)).payload
    assert "1987" in written
    guarantee = method.guarantee()
    assert guarantee.formal is False
    assert "own text" in str(guarantee)


@needs_torch
def test_an_interrupted_run_goes_on_and_ends_the_same(command, table, tmp_path, monkeypatch):
    from allonym.training.a4nt import own_text

    whole, broken = tmp_path / "whole", tmp_path / "broken"
    command(*arguments(table, whole)).done()
    run = own_text._run

    def interrupted(stage, *others):
        if stage == 2:
            raise KeyboardInterrupt
        run(stage, *others)

    monkeypatch.setattr(own_text, "_run", interrupted)
    stopped = command(*arguments(table, broken))
    assert stopped.code == 130
    assert "--resume" in stopped.err
    assert not (broken / "SHA256").exists()
    monkeypatch.setattr(own_text, "_run", run)
    command("train", "a4nt", table, "-o", broken, "--resume").done()
    assert (broken / models.WEIGHTS).read_bytes() == (whole / models.WEIGHTS).read_bytes()
    assert not (broken / "checkpoint").exists()


@needs_torch
def test_what_does_not_fit_is_not_resumed(command, table, tmp_path, monkeypatch):
    from allonym.training.a4nt import own_text

    model = tmp_path / "model"
    none = command("train", "a4nt", table, "-o", model, "--resume")
    assert (none.code, none.out) == (5, "")
    with monkeypatch.context() as patch:
        patch.setattr(own_text, "_run", _interrupt)
        assert command(*arguments(table, model)).code == 130
    again = ("train", "a4nt", table, "-o", model, "--resume")
    assert "--batch had another value" in command(*again, "--batch", 8).err
    other = table.with_name("other.csv")
    other.write_text(table.read_text("utf-8").replace("opened", "shut"), "utf-8")
    changed = command("train", "a4nt", other, "-o", model, "--resume")
    assert (changed.code, "not those" in changed.err) == (5, True)
    weights = next((model / "checkpoint").glob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:-50])
    damaged = command(*again)
    assert (damaged.code, "damaged" in damaged.err) == (5, True)
    (model / "checkpoint" / "state.json").write_text("{}")
    assert command(*again).code == 5
    assert "not empty" in command(*arguments(table, model)).refused().err
    (model / "diary.txt").write_text("mine")
    assert "no part of a model" in command(*arguments(table, model, "--force")).refused().err


def _interrupt(*_):
    raise KeyboardInterrupt


@needs_torch
def test_bad_input_is_refused_without_showing_it(command, table, tmp_path):
    model = tmp_path / "model"
    start = ("train", "a4nt", table, "--text", "body", "-o", model, "--quiet")
    assert "--attribute" in command(*start).refused().err
    assert "nothing" in command(*start, "--attribute", "nothing").refused().err
    assert "different values" in command(*start, "--attribute", "user").refused().err
    assert "shared-by" in command(*start, "--attribute", "group", "--shared-by", 1000).refused().err
    assert "--held-out" in command(*start, "--attribute", "group", "--held-out", "nan").refused().err
    near = command(*start, "--attribute", "group", "--variant", "paper", "--losses", "CycML+Lang+Near")
    assert "--variant editor" in near.refused().err
    empty = tmp_path / "empty.csv"
    empty.write_text("group,body\nyoung,Привет мир\n,Hello there\n", "utf-8")
    assert (
        "no value"
        in command("train", "a4nt", empty, "--text", "body", "--attribute", "group", "-o", model, "--quiet")
        .refused()
        .err
    )
    assert not model.exists()


@needs_torch
@pytest.mark.parametrize("variant", ["paper", "transformer"])
def test_three_classes_and_the_other_networks(command, table, tmp_path, write_table, variant):
    path = tmp_path / "three.jsonl"
    groups = ("a", "b", "c")
    write_table(path, [{"g": groups[n % 3], "t": text} for n, (_, _, text) in enumerate(rows(90))])
    model = tmp_path / "model"
    options = ("--text", "t", "--attribute", "g", "-o", model, *QUICK, "--steps", 2, "--variant", variant, "--quiet")
    result = command("train", "a4nt", path, *options).done()
    assert result.err == ""
    config = json.loads((model / models.CONFIG).read_text("utf-8"))
    assert config["classes"] == ["a", "b", "c"]
    assert config["shape"]["conditioned"] is True
    [written] = A4NT(model=str(model), target="c", source="a", prefer="privacy").transform(["The cook sold the boat."])
    assert isinstance(written, str)


@needs_torch
def test_a_neutral_model_imitates_nobody(command, table, tmp_path):
    model = tmp_path / "model"
    result = command(*arguments(table, model, "--losses", "Neutral", "--steps", 2)).done()
    assert "--target neutral" in result.err
    assert json.loads((model / models.CONFIG).read_text("utf-8"))["shape"]["neutral"] is True
    [written] = A4NT(model=str(model), target="neutral").transform(["The cook sold the boat."])
    assert isinstance(written, str)
