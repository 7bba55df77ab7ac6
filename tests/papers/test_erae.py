"""The ER-AE experiment on a made-up corpus, its goals on made-up results, and its committed tables."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from allonym import metrics
from allonym.cli import run
from allonym.errors import InputError
from allonym.evaluation.attack import AttackFigure
from allonym.metrics.figures import Figure
from allonym.papers import Asked
from allonym.papers.erae import goals as erae_goals
from allonym.papers.erae import methods, reproduce, runs, tables
from allonym.papers.erae.results import EraeResults, TrainedNetwork
from allonym.papers.erae.rows import NamedAttack, TableRow
from allonym.papers.ruler.rows import About, Measured, MethodRow, OriginalRow
from tests.papers.conftest import syntf

RESULTS = Path(__file__).resolve().parents[2] / "results"
HABITS = {"11": "money", "7": "music", "5": "family"}
WORDS = ["film", "movie", "story", "actor", "scene", "good", "bad", "long", "money", "music", "family", "the", "was"]

pytest.importorskip("onnxruntime", reason="similarity needs the extra semantics")
pytest.importorskip("torch", reason="the paper's attacker needs the extra neural")
pytest.importorskip("harper", reason="grammar needs the extra grammar")


@pytest.fixture
def data(tmp_path):
    """Three reviewers who each have a favourite subject, and peer reviews, in the layout of the real corpora."""
    texts, authors, split, ratings = [], [], [], []
    for author, habit in HABITS.items():
        for number in range(12):
            ending = "good" if number % 2 else "bad"
            texts.append(f"The film was about {habit} , and {habit} alone . I thought it {ending} . Thank you all .")
            authors.append(author)
            ratings.append(9 if number % 2 else 2)
            split.append("train" if number < 8 else "test")
    peer = {
        "doc_id": [f"r{number}" for number in range(60)],
        "kind": ["review", "meta"] * 30,
        "text": [f"The idea of paper {number} is clear, but the proof is short." for number in range(60)],
    }
    for name, columns in (
        ("imdb62", {"text": texts, "author": authors, "rating": ratings, "split": split}),
        ("peerread", peer),
    ):
        (tmp_path / name).mkdir()
        pq.write_table(pa.table(columns), tmp_path / name / f"{name}.parquet")
    return tmp_path


@pytest.fixture
def small(monkeypatch, made_up_ground):
    for name, value in (("KNOWN", 8), ("TRAIN", 6), ("TEST", 4), ("SWEPT", 1), ("READ_FOR_FLUENCY", 2)):
        monkeypatch.setattr(runs, name, value)
    monkeypatch.setattr(reproduce, "EPSILONS", (3.0,))
    monkeypatch.setattr(reproduce, "OURS", {"ours": {"mechanism": "subset", "sentences": 2, "words": 15}})
    monkeypatch.setattr(reproduce, "RULED", {made_up_ground("made"): (syntf(40.0), syntf(4.0))})
    monkeypatch.setattr(methods.Methods, "_vocabulary", WORDS)
    # A language model of 135 million weights takes seconds to load; what it says is tested elsewhere.
    monkeypatch.setattr(metrics, "perplexity", lambda texts: np.array([10.0 + len(text) for text in texts]))


def test_the_command_writes_complete_results(data, small, tmp_path, capsys):
    out = tmp_path / "results"
    assert run(["reproduce", "erae", "--data", str(data), "--out", str(out), "--runs", "1", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert json.loads((out / "erae.json").read_text("utf-8")) == printed
    assert (out / "erae.md").read_text("utf-8") == reproduce.markdown(reproduce.RESULTS.from_json(printed))
    assert {path.name for path in out.iterdir()} == {
        "erae.json", "erae.md",
        *(f"erae-figure-2.{kind}" for kind in ("svg", "csv")),
    }  # fmt: skip
    rows = {row["method"]: row for row in printed["table_1"]}
    original, random = rows["Original"], rows["Random-R"]
    assert original["imdb62"]["similarity"]["value"] == pytest.approx(1.0, abs=1e-3)
    assert original["imdb62"]["stylometric"]["value"] == original["imdb62"]["perplexity"]["value"] * 0
    assert original["adaptive"]["value"] == 1.0
    assert random["loss_per_word"] == 0
    assert random["imdb62"]["similarity"]["value"] < rows["ER-AE, two-set"]["imdb62"]["similarity"]["value"]
    assert rows["ER-AE, two-set"]["as_published"] > rows["ER-AE, two-set"]["loss_per_word"] > 11.4
    assert rows["Plain exponential"]["loss_per_word"] == rows["ER-AE, two-set"]["loss_per_word"]
    assert rows["SynTF as text"]["loss_per_word"] <= rows["ER-AE, two-set"]["loss_per_word"]
    assert all(row["adaptive"] for row in rows.values())  # no method is spared the attackers that know it
    assert rows["ours"]["in_clear"] == []
    assert [row["name"] for row in printed["grounds"]["made"]["rows"]] == ["original", "SynTF, ε = 40", "SynTF, ε = 4"]
    assert "### Made-up texts" in (out / "erae.md").read_text("utf-8")
    assert len(printed["goals"]) == 15


def test_the_rulers_rows_are_measured_alone_if_they_are_asked_for(small, tmp_path):
    with pytest.raises(InputError, match="--earlier"):
        reproduce.run(Asked(tmp_path, print, only="made"))
    committed = json.loads((RESULTS / "erae.json").read_text("utf-8"))
    given = {"work": tmp_path / "work", "earlier": RESULTS / "erae.json"}
    nothing = reproduce.run(Asked(tmp_path, print, only="", **given))
    assert nothing.grounds == {}
    assert nothing.to_json()["table_1"] == committed["table_1"]
    said: list[str] = []
    results = reproduce.run(Asked(tmp_path, said.append, only="made", **given))
    assert len(said) == 2
    assert len(results.goals) == len(nothing.goals) + 1
    again = reproduce.run(Asked(tmp_path, print, only="", **given))
    assert json.dumps(again.to_json()) == json.dumps(results.to_json())


def test_originals_are_cut_and_spaced_as_people_write():
    cut = runs.first_sentences
    assert cut('A film ( " Old " ) , and good . Is it ? Thank you .') == 'A film ("Old"), and good. Is it?'
    assert cut("only one sentence in 1984 .") == "Only one sentence in 1984."
    assert cut("") == ""
    assert len(cut("word " * 400).split()) == runs.TOKENS


def _row(name, similarity, *, network=0.05, paper=None, **more):
    spread = Figure(similarity, similarity - 0.01, similarity + 0.01)
    films = {"similarity": spread, **{name: Figure(value, value, value) for name, value in more.items()}}
    attack = NamedAttack("character-network", "static", Figure(network, network, network))
    return TableRow(name, paper, 11.4, None, (), films, {"similarity": spread}, (attack,))


@pytest.fixture
def made_up():
    rows = [
        _row("Original", 1.0, grammar=2.0, perplexity=50.0),
        _row("Random-R", 0.14, paper="Random-R"),
        _row("SynTF as text", 0.2, paper="SynTF (2018)"),
        _row("Plain exponential", 0.595),
        _row("AE-DP, the paper's network", 0.48, paper="AE-DP"),
        _row("A network certain of its words", 0.58),
        _row("ER-AE, the paper's network and reward", 0.55, paper="ER-AE (ours)"),
        _row("ER-AE, two-set", 0.61, network=0.09, paper="ER-AE (ours)", grammar=3.9, perplexity=99.0),
        _row("ER-AE, subset of groups", 0.68, grammar=4.1, perplexity=60.0),
        _row("ER-AE, subset of groups, loss 9.3", 0.62),
    ]
    return rows, Measured(_original(), tuple(_points()))


def _attack(accuracy):
    return AttackFigure("ensemble", "informed", accuracy, Figure(accuracy, accuracy - 0.05, accuracy + 0.05))


def _original():
    about = About("Ten people", "rating", authors=10, known=800, tested=300, chance=0.1, floors={})
    use = {"meaning": Figure(1.0, 1.0, 1.0)}
    return OriginalRow("original", "original", "", _attack(0.1), (_attack(0.1),), use, about)


def _points():
    for name, meaning, accuracy, loss in (("a", 0.61, 0.44, 9.0), ("b", 0.59, 0.3, 9.0), ("c", 0.9, 0.2, None)):
        yield MethodRow(
            name, name, "", _attack(accuracy), (_attack(accuracy),), {"meaning": Figure(meaning, meaning, meaning)},
            rival=False, parameters={}, definition="pure", loss_per_document=loss, copies=(), draws=5,
            strongest_static=_attack(0.1), words_per_second=1.0,
        )  # fmt: skip


def _missed(goals):
    return [number for number, goal in enumerate(goals) if not goal.reached]


def test_goals_are_judged_by_the_results(made_up):
    rows, ground = made_up
    judged = erae_goals.goals(rows, [ground])
    assert _missed(judged) == [2, 8, 12]
    assert judged[0].measured == "+0.470, +0.470 (paper +0.637, +0.607)"
    assert judged[10].measured == "0.440 (0.39–0.49) at 0.610 (a)"  # c keeps more, but proves nothing
    first, *others = ground.methods
    ground = Measured(ground.original, (replace(first, strongest=_attack(0.45)), *others))
    rows[7] = _row("ER-AE, two-set", 0.61, network=0.11, paper="ER-AE (ours)", grammar=3.9, perplexity=99.0)
    assert _missed(erae_goals.goals(rows, [ground])) == [2, 7, 8, 10, 12]
    assert "no setting" in erae_goals.goals(rows, [Measured(ground.original, tuple(others))])[10].measured


@pytest.mark.skipif(not (RESULTS / "erae.json").exists(), reason="no results are committed")
def test_committed_tables_and_figures_are_made_from_the_committed_results():
    committed = json.loads((RESULTS / "erae.json").read_text("utf-8"))
    read = EraeResults.from_json(committed)
    assert json.dumps(read.to_json()) == json.dumps(committed)
    assert read.goals == erae_goals.goals(read.table_1, read.grounds.values())
    assert (RESULTS / "erae.md").read_text("utf-8") == tables.markdown(read)


def test_runs_are_refused_where_there_is_one(data, capsys):
    assert run(["reproduce", "laplace", "--data", str(data), "--runs", "3"]) == 2
    assert "Remove --runs" in capsys.readouterr().err


def test_rows_of_absent_networks_are_kept_in_their_places_and_marked(tmp_path):
    committed = EraeResults.from_json(json.loads((RESULTS / "erae.json").read_text("utf-8")))
    model = TrainedNetwork(methods.AE_DP, "ae-dp", "0")
    rows = tuple(_row(name, 0.5) for name in ("Original", methods.AE_DP, "last"))
    before = replace(committed, table_1=rows, models=(model,))
    now = replace(committed, table_1=(rows[0], rows[2]), models=())
    both = reproduce._with_earlier(now, before)
    assert both.table_1 == (rows[0], replace(rows[1], earlier=True), rows[2])
    assert both.models == (replace(model, earlier=True),)
    assert ["earlier" in row.to_json() for row in both.table_1] == [False, True, False]
    with pytest.raises(InputError, match="other texts"):
        reproduce._with_earlier(replace(now, documents=replace(now.documents, test=4)), before)
    (tmp_path / "erae.json").write_text("[]", "utf-8")
    with pytest.raises(InputError, match="no results"):
        reproduce.run(Asked(tmp_path, print, earlier=tmp_path / "erae.json"))
