"""`allonym evaluate`: the report it writes, its exit codes, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from allonym import metrics
from allonym.randomness import insecure

TOPICS = {"boats": ["harbour", "anchor", "river"], "bread": ["kitchen", "bakery", "breakfast"]}
HABITS = {
    "ada": "Well, {} and, frankly, {}; indeed.",
    "ben": "omg {} is so good, {} too!!",
    "cleo": "There is {} - {}.",
}
QUICK = ("--attackers", "words-svm,majority")
COLUMNS = ("--text", "body", "--author", "who")
CANARY = "zyxqcanaryqvo"


@pytest.fixture(autouse=True)
def _no_encoder(monkeypatch):
    known = metrics.measures()
    without = known | {"meaning": replace(known["meaning"], missing=lambda: "It is not here.")}
    monkeypatch.setattr(metrics, "measures", lambda: without)


@pytest.fixture(params=[".csv", ".jsonl", ".parquet"])
def any_table(request, tmp_path, write_table):
    return write_table(tmp_path / f"table{request.param}", rows())


@pytest.fixture
def table(tmp_path, write_table):
    return write_table(tmp_path / "table.csv", rows())


def rows(documents: int = 10) -> list[dict[str, object]]:
    rng, made = insecure(4), []
    for author in HABITS:
        for number in range(documents):
            topic = list(TOPICS)[number % 2]
            one, other = (TOPICS[topic][place] for place in rng.below(3, (2,)))
            made.append({"body": f"{CANARY} {HABITS[author].format(one, other)}", "who": author, "about": topic})
    return made


def test_every_table_gives_a_report(command, any_table, tmp_path):
    out = tmp_path / "report"
    arguments = (any_table, *COLUMNS, "--label", "about", "--method", "identity", *QUICK, "--report", out)
    result = command("evaluate", *arguments).done()
    assert result.out.startswith("With identity, the strongest attacker (ensemble, informed) names the right one of 3 ")
    assert result.out.count("\n") == 1
    cost, wrote = result.err.splitlines()
    assert cost.startswith("Processor time of the attackers: ")
    assert wrote == f"Wrote {out / 'report.html'} (public), report.json and figures; nothing anonymized is kept."
    assert CANARY not in (out / "report.html").read_text("utf-8") + (out / "report.json").read_text("utf-8")


def test_several_methods_and_a_sweep(command, table, tmp_path, syntf):
    out = tmp_path / "report"
    result = command(
        "evaluate", table, *COLUMNS, "--label", "about", *syntf, "--method", "random-replacement",
        "--method", "identity", "--sweep", "epsilon=10,40", *QUICK, "--report", out, "--json",
    ).done()  # fmt: skip
    names = [one["name"] for one in result.json["configurations"]]
    assert names == ["syntf, ε 10", "syntf, ε 40", "random-replacement", "identity"]
    assert [one["parameters"].get("epsilon") for one in result.json["configurations"]] == [10, 40, None, None]
    assert [one["parameters"].get("words") for one in result.json["configurations"]] == [20, 20, 20, None]
    assert result.json == json.loads((out / "report.json").read_text("utf-8"))
    losses = [one["guarantee"]["loss_per_word"] for one in result.json["configurations"][:2]]
    assert 0 < losses[0] < losses[1]


def test_sweeps_combine(command, table, tmp_path, syntf):
    arguments = (
        "--sweep",
        "loss_per_word=1,5",
        "--sweep",
        "spelling-weight=0,0.3",
        "--report",
        tmp_path / "r",
        "--json",
    )
    result = command("evaluate", table, *COLUMNS, *syntf, *arguments, "--attackers", "majority").done()
    assert [one["name"] for one in result.json["configurations"]] == [
        "syntf, loss per word 1, spelling weight 0",
        "syntf, loss per word 1, spelling weight 0.3",
        "syntf, loss per word 5, spelling weight 0",
        "syntf, loss per word 5, spelling weight 0.3",
    ]
    assert result.json["utility_measure"]["name"] == "unchanged"


def test_the_chosen_configuration_can_be_named(command, table, tmp_path, syntf):
    arguments = ("--sweep", "epsilon=1,2,3", "--choose", 2, "--report", tmp_path / "r", "--json", *QUICK)
    result = command("evaluate", table, *COLUMNS, *syntf, *arguments).done()
    assert result.json["chosen"] == 2
    assert result.json["verdict"].startswith("With syntf, ε 2, ")


def test_a_risk_above_the_limit_ends_with_1_and_a_report(command, table, tmp_path):
    arguments = (table, *COLUMNS, "--method", "identity", *QUICK)
    above = command("evaluate", *arguments, "--report", tmp_path / "a", "--fail-above", 0.5)
    assert above.code == 1
    assert above.err.splitlines()[-1] == "The strongest attack may have an accuracy of 1.000, above 0.5."
    assert (tmp_path / "a" / "report.html").exists()
    assert command("evaluate", *arguments, "--report", tmp_path / "b", "--fail-above", 1).code == 0


def test_a_seed_repeats_every_byte(command, table, tmp_path, syntf, everything):
    arguments = (table, *COLUMNS, "--label", "about", *syntf, *QUICK, "--insecure-seed", 7)
    for name in "ab":
        command("evaluate", *arguments, "--report", tmp_path / name).done()
    assert everything(tmp_path / "a") == everything(tmp_path / "b")


def test_notes_say_what_was_left_out(command, tmp_path, write_table):
    made = [*rows(), {"body": "one", "who": "rare", "about": "bread"}]
    table = write_table(tmp_path / "t.csv", made)
    arguments = ("--method", "identity", *QUICK, "--report", tmp_path / "r", "--max-authors", 2, "--max-documents", 12)
    said = command("evaluate", table, *COLUMNS, *arguments).done().err.splitlines()
    assert "fewer than 4 documents: 1." in said[0]
    assert "of 3 authors, only the 2" in said[1]
    assert "of 20 documents, 12 are looked at" in said[2]
    quiet = command("evaluate", table, *COLUMNS, *arguments, "--force", "--quiet").done()
    assert quiet.err == ""


def test_an_internal_report_must_be_asked_for(command, table, tmp_path):
    arguments = (table, *COLUMNS, "--method", "identity", *QUICK)
    command("evaluate", *arguments, "--report", tmp_path / "p").done()
    command("evaluate", *arguments, "--report", tmp_path / "i", "--internal").done()
    assert not (tmp_path / "p" / "predictions.csv").exists()
    assert "cleo" in (tmp_path / "i" / "predictions.csv").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--method", "identity", "--epsilon", "3"), "--epsilon is not an option of identity"),
        (("--method", "identity", "--sweep", "epsilon=3"), "--epsilon is not an option of identity"),
        (("--method", "syntf", "--sweep", "epsilon"), "--sweep takes a parameter"),
        (("--method", "syntf", "--sweep", "choose=1"), "--sweep takes a parameter"),
        (("--method", "syntf", "--sweep", "epsilon=1,x"), "not a valid float"),
        (("--method", "syntf", "--sweep", f"epsilon={','.join(map(str, range(1, 103)))}"), "102 configurations"),
        (("--method", "exponential"), "needs --epsilon"),
        (("--method", "identity", "--choose", "2"), "--choose must be from 1 to 1"),
        (("--method", "identity", "--attackers", "nobody"), "no attacker 'nobody'"),
        (("--method", "identity", "--target-unchanged", "0.5"), "--target-unchanged is for word substitution"),
        (("--method", "identity", "--reference", "x.txt"), "--reference is not an option"),
        (("--method", "syntf", "--reference-label", "x"), "give --reference too"),
        (("--method", "identity", "--label", "nothing"), "no column 'nothing'"),
        (("--method", "identity", "--max-documents", "9"), "--max-documents must leave 4"),
        ((), "Name what to measure: --method or --command"),
        (("--method", "identity", "--fail-above", "nan"), "it is not a number"),
        (("--method", "syntf", "--sweep", "laplace.epsilon=3"), "--epsilon is not an option of laplace"),
        (("--method", "syntf", "--sweep", "nobody.epsilon=3"), "--sweep takes a parameter"),
        (("--command", "cat | tr a b"), "needs a shell"),
        (("--released", "nothing"), "no column 'nothing'"),
        (("--method", "identity", "--attacker", "nowhere.at.all:Nobody"), "nowhere.at.all"),
    ],
)
def test_what_makes_no_sense_is_refused(command, table, tmp_path, arguments, words):
    result = command("evaluate", table, *COLUMNS, "--report", tmp_path / "r", *arguments).refused()
    assert words in result.err
    assert not (tmp_path / "r").exists()


def test_an_existing_folder_is_refused_before_anything_is_measured(command, table, tmp_path):
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "mine.txt").touch()
    arguments = (table, *COLUMNS, "--method", "identity", "--report", tmp_path / "r")
    assert "is not empty" in command("evaluate", *arguments).refused().err
    assert "more than a report" in command("evaluate", *arguments, "--force").refused().err
    assert (tmp_path / "r" / "mine.txt").exists()


def test_a_table_of_one_author_is_refused(command, tmp_path, write_table):
    table = write_table(tmp_path / "t.csv", [row | {"who": "one"} for row in rows()])
    result = command("evaluate", table, *COLUMNS, "--method", "identity", "--report", tmp_path / "r").refused()
    assert "two authors" in result.err


def test_a_reference_goes_to_the_methods_that_learn(command, table, tmp_path, write_table):
    reference = write_table(tmp_path / "public.csv", [{"words": "a river and a bakery by the harbour"}] * 2)
    result = command(
        "evaluate", table, *COLUMNS, "--method", "syntf", "--method", "identity", "--words", 5, *QUICK,
        "--reference", reference, "--reference-text", "words", "--report", tmp_path / "r", "--json",
    ).done()  # fmt: skip
    assert [one["method"] for one in result.json["configurations"]] == ["syntf", "identity"]


def test_further_measures_are_asked_for_by_name(command, table, tmp_path):
    line = ("evaluate", table, *COLUMNS, "--method", "identity", "--report", tmp_path / "r", "--attackers", "majority")
    result = command(*line, "--measures", "unchanged-in-place", "--json").done()
    assert result.json["configurations"][0]["use"]["unchanged-in-place"]["value"] == 1.0
    assert "words unchanged in place" in (tmp_path / "r" / "report.html").read_text("utf-8")
    refused = command(*line, "--force", "--measures", "beauty").refused()
    assert "perplexity" in refused.err


def test_a_sweep_can_be_of_one_method_alone(command, table, tmp_path, syntf):
    arguments = ("--method", "exponential", "--epsilon", 9, "--sweep", "syntf.epsilon=10,40", "--draws", 1)
    result = command("evaluate", table, *COLUMNS, *syntf, *arguments, *QUICK, "--report", tmp_path / "r", "--json")
    assert [one["name"] for one in result.done().json["configurations"]] == [
        "syntf, ε 10",
        "syntf, ε 40",
        "exponential",
    ]


def test_programs_and_columns_are_measured_beside_methods(command, tmp_path, write_table):
    made = [row | {"new": "the same"} for row in rows()]
    table = write_table(tmp_path / "t.csv", made)
    arguments = ("--method", "identity", "--command", "tr a-z A-Z", "--released", "new", "--draws", 2, *QUICK)
    result = command("evaluate", table, *COLUMNS, *arguments, "--report", tmp_path / "r", "--json").done()
    by_name = {one["name"]: one for one in result.json["configurations"]}
    assert list(by_name) == ["identity", "tr a-z A-Z", "column new"]
    assert by_name["column new"]["strongest"]["value"] == pytest.approx(1 / 3)
    assert by_name["tr a-z A-Z"]["strongest"]["value"] == 1.0
    assert result.json["chosen"] != 1  # a baseline is never advised
    assert CANARY not in (tmp_path / "r" / "report.html").read_text("utf-8").lower()


PIPELINE = """
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline


def Words():
    return Pipeline([("words", CountVectorizer()), ("bayes", MultinomialNB())])
"""


def test_any_classifier_can_attack(command, table, tmp_path, monkeypatch):
    (tmp_path / "mine_and_mine.py").write_text(PIPELINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    arguments = ("--method", "identity", "--attackers", "majority", "--attacker", "mine_and_mine:Words", "--draws", 1)
    result = command("evaluate", table, *COLUMNS, *arguments, "--report", tmp_path / "r", "--json").done()
    strongest = result.json["configurations"][0]["strongest"]
    assert strongest["value"] == 1.0
    assert any("Words" in name for name in result.json["how"]["attackers"])


def test_the_quick_panel_says_that_it_is_quick(command, table, tmp_path):
    arguments = ("--method", "identity", "--panel", "quick", "--draws", 1, "--report", tmp_path / "r")
    assert "This was the quick panel" in command("evaluate", table, *COLUMNS, *arguments).done().err
