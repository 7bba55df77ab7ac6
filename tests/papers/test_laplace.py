from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from allonym.cli import run
from allonym.papers import ten_reviewers
from allonym.papers.corpora import newsgroups20
from allonym.papers.corpora.newsgroups20 import Scenario
from allonym.papers.laplace import reproduce, reviews

TOPICS = {
    "drinks": "coffee tea water milk cup",
    "travel": "train bus ship road ticket",
    "weather": "rain snow sun wind cloud",
}
HABITS = {"11": "money", "7": "music", "5": "family"}


pytest.importorskip("onnxruntime", reason="similarity needs the extra semantics")


@pytest.fixture
def data(tmp_path):
    """Two made-up corpora in the layout of the real ones."""
    authors = [author for author in HABITS for _ in range(40)]
    texts = [" ".join(words.split() * 3) for words in TOPICS.values()] * 40
    texts = [
        f"{text} {HABITS[author]} {HABITS[author]} . and more" for text, author in zip(texts, authors, strict=True)
    ]
    split = ["train" if i % 4 else "test" for i in range(len(texts))]
    topics = list(TOPICS) * 40
    for name in ("newsgroups20", "imdb62"):
        (tmp_path / name).mkdir()
    news = {"body_noquote": [*texts[:-1], None], "topic": topics, "split": split, "author": authors}
    ratings = [{"drinks": 10, "travel": 6, "weather": 2}[topic] for topic in topics]
    films = {"text": texts, "rating": ratings, "split": split, "author": authors}
    pq.write_table(pa.table(news), tmp_path / "newsgroups20" / "newsgroups20.parquet")
    pq.write_table(pa.table(films), tmp_path / "imdb62" / "imdb62.parquet")
    return tmp_path


@pytest.fixture(autouse=True)
def small(monkeypatch):
    for name, value in (("EPSILONS", (2.0, 20.0)), ("VOCABULARY", 1500), ("TRAIN", 60), ("TEST", 30), ("MOVED", 5)):
        monkeypatch.setattr(reproduce, name, value)
    monkeypatch.setattr(reviews, "LAPLACE", (60.0,))
    monkeypatch.setattr(reviews, "EXPONENTIAL", ())
    monkeypatch.setattr(newsgroups20, "SCENARIOS", (None, Scenario("all", suspects=3, groups=1, train=5, test=2)))


def test_rows_are_complete(data):
    results = reproduce.run(data, lambda sentence: None)
    assert {row["method"] for row in results["rows"]} == {"original", "laplace", "exponential", "syntf"}
    assert {row["corpus"] for row in results["rows"]} == {"20 newsgroups", "IMDb62"}
    for row in results["rows"]:
        assert 0 <= row["f1_low"] <= row["f1"] <= row["f1_high"] <= 1
        assert 0 <= row["unchanged"] <= 1
    original = results["rows"][0]
    assert (original["f1"], original["unchanged"], original["moved"]) == (1.0, 1.0, 0.0)
    by_loss = {(row["method"], row["epsilon"]): row for row in results["rows"] if row["corpus"] == "IMDb62"}
    for method in ("laplace", "exponential"):
        assert by_loss[method, 2.0]["unchanged"] < by_loss[method, 20.0]["unchanged"]
        assert by_loss[method, 2.0]["moved"] > by_loss[method, 20.0]["moved"]
    assert by_loss["exponential", 2.0]["attack"] < by_loss["exponential", 20.0]["attack"]
    assert by_loss["original", None]["attack"] == 1.0
    original, moved = results["reviews"]["rows"]
    assert original["cosine"] == pytest.approx(1.0, abs=1e-3)
    assert original["adaptive"]["value"] == 1.0
    assert original["static"] is None
    assert moved["cosine"] < original["cosine"]
    assert moved["worst_loss_per_word"] > moved["neighbour_loss"] > 0
    assert len(moved["attacks"]) == 12


def test_the_command_writes_both_files(data, tmp_path, capsys):
    out = tmp_path / "new" / "results"
    line = ["reproduce", "laplace", "--data", str(data), "--out", str(out), "--json"]
    assert run(line) == 0
    printed = json.loads(capsys.readouterr().out)
    assert json.loads((out / "laplace.json").read_text("utf-8")) == printed
    assert printed == json.loads(json.dumps(reproduce.run(data, lambda sentence: None)))  # the same again
    assert (out / "laplace.md").read_text("utf-8") == reproduce.markdown(printed)
    assert "coffee" not in (out / "laplace.json").read_text("utf-8")
    assert run(line) == 2  # nothing is replaced, and nothing is computed in vain
    assert "exists" in capsys.readouterr().err


def test_a_folder_without_the_corpora_is_refused(tmp_path, capsys):
    assert run(["reproduce", "laplace", "--data", str(tmp_path), "--out", str(tmp_path)]) == 2
    assert "is not in the data folder" in capsys.readouterr().err


def test_reviews_are_cut_before_their_last_sentence():
    assert ten_reviewers._cut("One . Two ! Three three") == "one . two !"
    assert ten_reviewers._cut("Only one sentence .") == "only one sentence ."
    assert len(ten_reviewers._cut("word " * 400).split()) == ten_reviewers.TOKENS


def test_another_table_in_the_place_of_a_corpus_is_refused(tmp_path, capsys):
    (tmp_path / "newsgroups20").mkdir()
    pq.write_table(pa.table({"body": ["a"]}), tmp_path / "newsgroups20" / "newsgroups20.parquet")
    assert run(["reproduce", "laplace", "--data", str(tmp_path), "--out", str(tmp_path)]) == 2
    assert "has no column" in capsys.readouterr().err
