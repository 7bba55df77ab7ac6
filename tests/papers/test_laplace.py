from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from allonym.cli import run
from allonym.errors import InputError
from allonym.papers import Asked
from allonym.papers.laplace import reproduce, sweep
from tests.papers.conftest import syntf

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
def small(monkeypatch, made_up_ground):
    for name, value in (("EPSILONS", (2.0, 20.0)), ("VOCABULARY", 1500), ("TRAIN", 60), ("TEST", 30), ("MOVED", 5)):
        monkeypatch.setattr(sweep, name, value)
    monkeypatch.setattr(reproduce, "LAPLACE", (60.0,))
    monkeypatch.setattr(reproduce, "EXPONENTIAL", ())
    monkeypatch.setattr(reproduce, "RULED", {made_up_ground("made"): (syntf(40.0), syntf(4.0))})


def test_rows_are_complete(data):
    results = reproduce.run(Asked(data, lambda sentence: None)).to_json()
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
    assert not any(name.startswith("attack") for row in results["rows"] for name in row)
    [loss] = results["losses"]
    assert loss["worst_loss_per_word"] > loss["neighbour_loss"] > 0
    original, little, much = results["grounds"]["made"]["rows"]
    assert original["strongest"]["value"] == 1.0 > much["strongest"]["value"]
    assert little["loss_per_document"] > much["loss_per_document"]


def test_the_rulers_rows_are_measured_alone_if_they_are_asked_for(data, tmp_path):
    with pytest.raises(InputError, match="--earlier"):
        reproduce.run(Asked(data, print, only="made"))
    given = {"work": tmp_path / "work", "earlier": tmp_path / "laplace.json"}
    whole = json.dumps(reproduce.run(Asked(data, lambda sentence: None, work=given["work"])).to_json())
    given["earlier"].write_text(whole, encoding="utf-8")
    assert reproduce.run(Asked(data, print, only="", **given)).to_json() == json.loads(whole)
    given["earlier"].write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="no results"):
        reproduce.run(Asked(data, print, only="", **given))


def test_the_command_writes_both_files(data, tmp_path, capsys):
    out = tmp_path / "new" / "results"
    line = ["reproduce", "laplace", "--data", str(data), "--out", str(out), "--json"]
    assert run(line) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (out / "laplace.md").read_text("utf-8") == reproduce.markdown(reproduce.RESULTS.from_json(printed))
    assert json.loads((out / "laplace.json").read_text("utf-8")) == printed
    again = json.loads(json.dumps(reproduce.run(Asked(data, lambda sentence: None)).to_json()))
    for row in (*printed["grounds"]["made"]["rows"], *again["grounds"]["made"]["rows"]):
        row.pop("words_per_second", None)  # all but the speed is the same again
    assert printed == again
    assert "coffee" not in (out / "laplace.json").read_text("utf-8")
    assert run(line) == 2  # nothing is replaced, and nothing is computed in vain
    assert "exists" in capsys.readouterr().err


def test_a_folder_without_the_corpora_is_refused(tmp_path, capsys):
    assert run(["reproduce", "laplace", "--data", str(tmp_path), "--out", str(tmp_path)]) == 2
    assert "is not in the data folder" in capsys.readouterr().err


def test_another_table_in_the_place_of_a_corpus_is_refused(tmp_path, capsys):
    (tmp_path / "newsgroups20").mkdir()
    pq.write_table(pa.table({"body": ["a"]}), tmp_path / "newsgroups20" / "newsgroups20.parquet")
    assert run(["reproduce", "laplace", "--data", str(tmp_path), "--out", str(tmp_path)]) == 2
    assert "has no column" in capsys.readouterr().err
