"""`allonym guarantee`: what each method promises, before any text is seen."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

from allonym import anonymizers

METHODS = sorted(anonymizers.examples())
CHOICES = {  # of methods that cannot do without
    "a4nt": {"model": "age", "target": "adult"},
    "commonplace": {"book": "book-example"},
}


def options_of(method: str, vocabulary: Path) -> list[str]:
    accepted = inspect.signature(anonymizers.find(method)).parameters
    given = {"vocabulary": str(vocabulary), "words": "20", "epsilon": "5.0", **CHOICES.get(method, {})}
    named = [(f"--{name}", value) for name, value in given.items() if name in accepted]
    return ["--method", method, *(part for pair in named for part in pair)]


@pytest.mark.parametrize("method", METHODS)
def test_guarantee_of_each_method_is_that_of_the_api(method, command, vocabulary):
    line = ["guarantee", *options_of(method, vocabulary)]
    spoken = command(*line).done()
    answer = command(*line, "--json").done()
    kind = anonymizers.find(method)
    accepted = inspect.signature(kind).parameters
    given = {"vocabulary": vocabulary, "words": 20, "epsilon": 5.0, **CHOICES.get(method, {})}
    promised = kind(**{name: value for name, value in given.items() if name in accepted}).guarantee()
    assert answer.json["guarantee"] == json.loads(promised.to_json())
    assert answer.json["method"] == method
    assert str(promised) in spoken.out
    assert spoken.out.startswith(f"{method}: {promised.definition}\n")
    assert spoken.err == answer.err == ""


def test_guarantee_of_the_shipped_vocabulary_by_default(command):
    result = command("guarantee", "--method", "random-replacement", "--json").done().json
    assert (result["guarantee"]["epsilon"], result["guarantee"]["words"]) == (0.0, 150)


def test_guarantee_adds_documents_up(command, syntf):
    one, seven = (
        command("guarantee", *syntf, "--documents", count, "--json").json["guarantee"] for count in ("1", "7")
    )
    assert (one["unit"], seven["unit"], seven["documents"]) == ("document", "author", 7)
    assert seven["epsilon"] == pytest.approx(7 * one["epsilon"], rel=1e-12)
    assert seven["epsilon"] >= 7 * one["words"] * one["loss_per_word"]
    assert "7 documents of one author" in command("guarantee", *syntf, "--documents", "7").out


def test_guarantee_bounds_are_ordered_and_the_tight_one_is_promised(command, syntf):
    answer = command("guarantee", *syntf, "--json").json
    standard, alternative, tight = answer["bounds_per_word"].values()
    assert tight == answer["guarantee"]["loss_per_word"]
    assert tight < min(standard, alternative)
    assert standard == 47.5
    assert "tight loss" in command("guarantee", *syntf).out


def test_delta_gives_a_second_bound_and_keeps_the_first(command, syntf):
    line = ["guarantee", *syntf, "--epsilon", "2", "--words", "200"]
    plain = command(*line, "--json").json["guarantee"]
    both = command(*line, "--delta", "1e-6", "--json").json["guarantee"]
    assert plain["also_holds"] == []
    [other] = both["also_holds"]
    assert other["delta"] == 1e-6
    assert 0 < other["epsilon"] < both["epsilon"] == plain["epsilon"]
    assert both["delta"] == 0.0
    assert "Also true: ε = " in command(*line, "--delta", "1e-6").out


@pytest.mark.parametrize("asked", [0.05, 0.5, 3.0, 12.0])
def test_asked_loss_is_respected_and_used(asked, command, syntf):
    promised = command("guarantee", *syntf, "--loss-per-word", asked, "--json").json["guarantee"]
    assert 0.99 * asked < promised["loss_per_word"] <= asked


@pytest.mark.parametrize(
    "line",
    [
        ["--documents", "0"],
        ["--documents", "x"],
        ["--documents", "1" + "0" * 400],
        ["--delta", "0"],
        ["--delta", "1"],
        ["--delta", "nan"],
        ["--epsilon", "nan"],
        ["--words", "-1"],
        ["--loss-per-word", "1e9"],
        ["INPUT.csv"],
        ["--magic"],
    ],
)
def test_bad_guarantees_are_refused(line, command, syntf, recwarn):
    result = command("guarantee", *syntf, *line).refused()
    assert "bug" not in result.err


def test_delta_needs_a_method_that_can_use_it(command):
    assert "--delta" in command("guarantee", "--method", "identity", "--delta", "1e-6").refused().err
    command("guarantee", "--method", "identity", "--words", "3").refused()
    command("guarantee").refused()


def test_only_two_texts_are_compared(command, tmp_path):
    (tmp_path / "one.txt").write_text("house", encoding="utf-8")
    (tmp_path / "table.csv").write_text("text,note\nhouse,water\n", encoding="utf-8")
    line = ("guarantee", "--method", "exponential", "--epsilon", "5", "--between", tmp_path / "one.txt")
    assert "--between compares two" in command(*line, tmp_path / "table.csv").refused().err
    assert "does not exist" in command(*line, tmp_path / "absent.txt").refused().err


def test_weights_that_were_not_learned_promise_nothing(command):
    assert "or give --reference" in command("guarantee", "--method", "syntf", "--composition", "tf-idf").refused().err


def test_a_rating_learned_from_labels(command, labelled, vocabulary, tmp_path):
    reference = labelled()
    line = ["guarantee", "--method", "syntf", "--vocabulary", vocabulary, "--loss-per-word", "4", "--json"]
    learned = [*line, "--rating", "utility", "--reference", reference, "--reference-text", "body"]
    promised = command(*learned, "--reference-label", "topic").done().json["guarantee"]
    assert promised["loss_per_word"] <= 4
    assert any("learned from public labelled texts" in line for line in promised["assumptions"])
    assert "--rating utility needs labelled texts" in command(*learned).refused().err
    with_label = [*line, "--reference", reference, "--reference-text", "body", "--reference-label", "topic"]
    assert "give --rating utility too" in command(*with_label).refused().err
