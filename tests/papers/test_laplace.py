from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from allonym.anonymizers.words.exponential import WordExponential
from allonym.anonymizers.words.laplace import WordLaplace
from allonym.cli import run
from allonym.errors import InputError
from allonym.papers import Asked
from allonym.papers.laplace import example, planar, reproduce, sweep
from allonym.vectors import embeddings
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
    (tmp_path / "glove_wink").mkdir()
    table = embeddings.load(None, limit=1500)
    np.save(tmp_path / "glove_wink" / "vectors_100k_f16.npy", (3 * table.vectors).astype(np.float16))
    (tmp_path / "glove_wink" / "vocab_100k.txt").write_text("\n".join(table.words), encoding="utf-8")
    return tmp_path


@pytest.fixture(autouse=True)
def small(monkeypatch, made_up_ground):
    for name, value in (("EPSILONS", (2.0, 20.0)), ("VOCABULARY", 1500), ("TRAIN", 60), ("TEST", 30), ("MOVED", 5)):
        monkeypatch.setattr(sweep, name, value)
    monkeypatch.setattr(sweep, "COMPARED", {WordLaplace: (60.0,), WordExponential: (8.0,)})
    monkeypatch.setattr(sweep, "TOPICAL", (15,))
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


def test_other_vectors_lose_as_much_and_topical_words_are_few(data):
    rows = sweep.variants(data, lambda sentence: None)
    assert len(rows) == 2 * 3 + 3
    by_name = {(row.vectors, row.method): row for row in rows if row.topical is None}
    for method in ("laplace", "exponential"):
        given, unit = by_name["GloVe", method], by_name["GloVe, length 1", method]
        assert given.worst_loss_per_word == pytest.approx(unit.worst_loss_per_word, rel=1e-3)
        assert given.epsilon < unit.epsilon / 2  # vectors three times as long
    shipped = embeddings.load(None, limit=1500)
    worst = WordLaplace(epsilon=60.0, embeddings=shipped).guarantee().loss_per_word
    assert by_name["GloVe", "laplace"].worst_loss_per_word == pytest.approx(worst, rel=1e-6)
    original, *noisy = [row for row in rows if row.topical == 15]
    assert [row.method for row in noisy] == ["laplace", "exponential"]
    assert original.f1 == 1.0
    assert original.unchanged == 1.0


def test_what_is_topical_is_learned_from_other_messages(data):
    corpus = sweep.newsgroups20.load(data)
    order = sweep._order(corpus)
    train = [row for row in order if corpus.train[row]]
    texts, labels = sweep._others(corpus)
    assert labels == [corpus.labels[row] for row in train[sweep.TRAIN : 2 * sweep.TRAIN]]
    assert len(texts) == len(train) - sweep.TRAIN  # here fewer are left than are asked for


def test_whole_words_move_where_lengths_agree():
    same, longer = example.examples(embeddings.load(None))
    assert same.whole
    assert same.unnormalised == pytest.approx(3 * same.distance)
    assert not longer.whole
    assert longer.unnormalised is None
    for shown in (same, longer):
        flow, costs = np.array(shown.flow), np.array(shown.costs)
        assert (flow * costs).sum() == pytest.approx(shown.distance)
        np.testing.assert_allclose(flow.sum(axis=1), 1 / 3)
        np.testing.assert_allclose(flow.sum(axis=0), 1 / len(shown.others))
    assert np.isin(np.rint(np.array(same.flow) * 3), (0, 1)).all()
    assert "permutation" in example.markdown([same])
    assert "split" in example.markdown([longer])


def test_noise_in_the_plane_follows_the_planar_law():
    """100,000 draws: a ring or sector strays by five standard deviations once in 20,000 runs of another key."""
    shown = planar.bins(100_000)
    for part, width in (("radius", 0.25), ("direction", 2 / 24)):
        rows = [row for row in shown if row.part == part]
        shares = np.array([row.law for row in rows]) * width
        strays = np.abs(np.array([row.drawn for row in rows]) * width - shares)
        assert (strays < 5 * np.sqrt(shares / 100_000)).all()
        assert 0.99 < shares.sum() <= 1 + 1e-12
    assert max(row.law for row in shown if row.part == "radius") == pytest.approx(np.exp(-1), abs=0.01)


def test_an_earlier_run_of_other_texts_is_refused(data, tmp_path):
    results = reproduce.run(Asked(data, lambda sentence: None))
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps(results.to_json()), encoding="utf-8")
    told = []
    assert reproduce.run(Asked(data, told.append, earlier=earlier)) == results
    assert not any("F1" in sentence for sentence in told)  # nothing is measured again
    earlier.write_text(json.dumps(results.to_json() | {"seed": 1}), encoding="utf-8")
    with pytest.raises(InputError, match="other texts"):
        reproduce.run(Asked(data, print, earlier=earlier))


def test_results_without_the_further_parts_are_read_and_shown(data):
    results = reproduce.run(Asked(data, lambda sentence: None)).to_json()
    assert "vectors" not in results["rows"][0]  # as it was before there were others
    assert {"GloVe", None} <= {row.get("vectors") for row in results["variants"]}
    for part in ("variants", "example", "planar"):
        del results[part]
    read = reproduce.RESULTS.from_json(results)
    assert "variants" not in read.to_json()
    assert "worked example" not in reproduce.markdown(read)
    assert "planar" not in reproduce.figures(read)


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
