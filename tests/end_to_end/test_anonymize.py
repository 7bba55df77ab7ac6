"""`allonym anonymize` from the command line to the files: every input, every output, every refusal."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import load_npz

import allonym
from tests.end_to_end.conftest import ROWS

REQUIRED = {
    "definition",
    "loss_per_word",
    "words",
    "epsilon",
    "delta",
    "unit",
    "adjacency",
    "metric",
    "evidence",
    "assumptions",
    "released_as_is",
}
ORDER = "the number and order of the documents"


@pytest.fixture(params=["txt", "folder", "csv", "jsonl", "parquet"])
def source(request, tmp_path, write_table) -> tuple[Path, list[str], int]:
    """An input of each kind: its path, the options it needs, and its documents."""
    if request.param == "txt":
        (tmp_path / "in.txt").write_text(ROWS[0]["text"], encoding="utf-8")
        return tmp_path / "in.txt", [], 1
    if request.param == "folder":
        (tmp_path / "in" / "sub").mkdir(parents=True)
        for name, row in zip(("a.txt", "sub/b.txt", "c.txt", "d.txt"), ROWS, strict=True):
            (tmp_path / "in" / name).write_text(row["text"], encoding="utf-8")
        return tmp_path / "in", [], len(ROWS)
    return write_table(tmp_path / f"in.{request.param}", ROWS), ["--text", "text"], len(ROWS)


def privacy_of(out: Path) -> dict:
    return json.loads(Path(f"{out}.privacy.json").read_text(encoding="utf-8"))


# Inputs and outputs


def test_every_input_gives_vectors_and_their_guarantee_and_stays_as_it_was(
    source, command, syntf, everything, read_counts, public_words, words, tmp_path
):
    path, columns, documents = source
    before = everything(tmp_path)
    result = command("anonymize", path, *columns, *syntf).done()
    out = tmp_path / f"in.anon{'.parquet' if path.suffix == '.parquet' else '.npz'}"
    counts = read_counts(out)
    assert [sum(row.values()) for row in counts] == [words] * documents
    assert set().union(*counts) <= set(public_words)
    record = privacy_of(out)
    assert record["guarantee"].keys() >= REQUIRED
    assert (record["method"], record["documents"]) == ("syntf", documents)
    expected = {"in.anon.parquet", "in.anon.parquet.privacy.json"}
    if path.suffix != ".parquet":
        expected = {"in.anon.npz", "in.anon.npz.privacy.json", "in.anon.vocabulary.txt"}
        expected |= {"in.anon.ids.txt"} if path.is_dir() else set()
    after = everything(tmp_path)
    assert after.keys() - before.keys() == expected
    assert {name: after[name] for name in before} == before
    assert result.out == ""
    assert out.name in result.err


@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".svm", ".svmlight", ".libsvm"])
def test_every_output_format_holds_the_same_counts(suffix, table, command, syntf, read_counts, words, tmp_path):
    seeded = ["anonymize", table, "--text", "text", "--id", "key", *syntf, "--insecure-seed", "3", "-o"]
    command(*seeded, tmp_path / f"out{suffix}").done()
    command(*seeded, tmp_path / "reference.npz").done()
    counts = read_counts(tmp_path / f"out{suffix}")
    assert counts == read_counts(tmp_path / "reference.npz")
    assert [sum(row.values()) for row in counts] == [words] * len(ROWS)
    ids = [row["key"] for row in ROWS]
    if suffix == ".parquet":
        written = pq.read_table(tmp_path / "out.parquet")
        assert written.column_names == ["id", "terms", "counts"]
        assert written["id"].to_pylist() == ids
    else:
        assert (tmp_path / "out.ids.txt").read_text(encoding="utf-8").splitlines() == ids
    assert privacy_of(tmp_path / f"out{suffix}") == privacy_of(tmp_path / "reference.npz")


def test_vocabulary_beside_the_matrix_is_the_public_one(table, command, syntf, public_words, tmp_path):
    command("anonymize", table, "--text", "text", *syntf, "-o", tmp_path / "out.npz").done()
    assert (tmp_path / "out.vocabulary.txt").read_text(encoding="utf-8").splitlines() == public_words
    assert load_npz(tmp_path / "out.npz").shape == (len(ROWS), len(public_words))


def test_standard_input_goes_to_standard_output(command, syntf, everything, tmp_path, monkeypatch, public_words, words):
    monkeypatch.chdir(tmp_path)
    result = command("anonymize", "-", *syntf, stdin=b"People write first").done()
    pairs = [line.split("\t") for line in result.out.splitlines()]
    assert sum(int(count) for count, _ in pairs) == words
    assert {word for _, word in pairs} <= set(public_words)
    assert "ε" in result.err
    counted = command("anonymize", "-", *syntf, "--json", stdin=b"People").json
    assert sum(counted["terms"].values()) == words
    assert everything(tmp_path) == {}


def test_standard_input_can_go_to_a_file(command, syntf, everything, read_counts, words, tmp_path):
    command("anonymize", "-", *syntf, "-o", tmp_path / "out.parquet", stdin=b"People").done()
    assert [sum(row.values()) for row in read_counts(tmp_path / "out.parquet")] == [words]
    assert everything(tmp_path).keys() == {"out.parquet", "out.parquet.privacy.json"}


@pytest.mark.parametrize("method", ["identity", "random-replacement"])
def test_text_methods_write_the_format_they_read(method, source, command, vocabulary, tmp_path, everything):
    path, columns, documents = source
    options = [] if method == "identity" else ["--words", "5", "--vocabulary", vocabulary]
    if columns:
        columns = [*columns, "--id", "key", "--keep", "grade"]
    command("anonymize", path, *columns, "--method", method, *options).done()
    out = tmp_path / f"in.anon{path.suffix}"
    if method == "identity" and path.is_dir():
        assert everything(out) == everything(path)
    elif method == "identity" and path.suffix == ".txt":
        assert out.read_bytes() == path.read_bytes()
    elif columns:
        again = command("anonymize", out, *columns, "--method", "identity", "-o", tmp_path / f"again{path.suffix}")
        assert again.done()
        assert (tmp_path / f"again{path.suffix}").read_bytes() == out.read_bytes()
    assert privacy_of(out)["documents"] == documents
    assert privacy_of(out)["guarantee"]["epsilon"] == (None if method == "identity" else 0.0)


def test_text_output_keeps_ids_and_kept_columns_only(table, command, tmp_path):
    command("anonymize", table, "--text", "text", "--id", "key", "--keep", "grade", "--method", "identity").done()
    lines = (tmp_path / "in.anon.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "key,grade,text"
    assert lines[3] == "k3,9,"


# What is promised


def test_guarantee_in_the_file_is_the_one_the_api_gives(table, command, syntf, vocabulary, words, tmp_path):
    command("anonymize", table, "--text", "text", *syntf, "--loss-per-word", "2.5", "-o", tmp_path / "o.npz").done()
    promised = allonym.SynTF(vocabulary=vocabulary, words=words, loss_per_word=2.5).guarantee()
    record = privacy_of(tmp_path / "o.npz")
    assert record["guarantee"] == json.loads(promised.releasing(ORDER).to_json())
    assert record["guarantee"]["epsilon"] >= record["guarantee"]["loss_per_word"] * words
    assert record["guarantee"]["loss_per_word"] <= 2.5
    assert (record["tool"], record["version"]) == ("allonym", allonym.__version__)
    assert record["parameters"]["loss_per_word"] == 2.5


def test_no_file_tells_where_things_lay(table, command, syntf, vocabulary, tmp_path, readable):
    command("anonymize", table, "--text", "text", *syntf, "-o", tmp_path / "o.parquet").done()
    table.unlink()
    assert str(tmp_path) not in readable(tmp_path)
    assert str(vocabulary.parent) not in readable(tmp_path)
    assert privacy_of(tmp_path / "o.parquet")["parameters"]["vocabulary"] == vocabulary.name


def test_author_total_is_most_documents_times_the_total_of_one(table, command, syntf, tmp_path):
    out = tmp_path / "o.parquet"
    line = ["anonymize", table, "--text", "text", "--author", "who", *syntf, "-o", out]
    result = command(*line, "--dry-run").done()
    record = command(*line, "--dry-run", "--json").json
    one, all_of_ann = record["guarantee"], record["guarantee_per_author"]
    assert (one["unit"], all_of_ann["unit"], all_of_ann["documents"]) == ("document", "author", 3)
    assert all_of_ann["epsilon"] == pytest.approx(3 * one["epsilon"], rel=1e-12)
    assert all_of_ann["epsilon"] >= 3 * one["words"] * one["loss_per_word"]
    assert "3 documents of one author" in result.out
    assert "n times" in command(*line).done().err
    beside = ("dry_run", "forecast", "guarantee_per_author")
    assert privacy_of(out) == {name: record[name] for name in record if name not in beside}
    assert pq.read_table(out).column_names == ["id", "terms", "counts"]


@pytest.mark.parametrize(
    ("options", "copied"),
    [
        ([], []),
        (["--id", "key"], ["the ids"]),
        (["--keep", "grade"], ["the column 'grade'"]),
        (["--author", "who"], []),
        (
            ["--id", "key", "--keep", "who", "--keep", "grade", "--keep", "who"],
            ["the ids", "the column 'who'", "the column 'grade'"],
        ),
    ],
)
def test_what_is_copied_is_named(options, copied, table, command, syntf, tmp_path):
    out = tmp_path / "o.parquet"
    result = command("anonymize", table, "--text", "text", *options, *syntf, "-o", out).done()
    assert privacy_of(out)["guarantee"]["released_as_is"] == [*copied, ORDER]
    for thing in [*copied, ORDER]:
        assert thing in result.err
        assert thing in privacy_of(out)["guarantee"]["statement"]
    written = pq.read_table(out).to_pylist()
    assert [row["id"] for row in written] == [row["key"] if "--id" in options else str(i) for i, row in enumerate(ROWS)]
    for column in ("who", "grade"):
        if f"the column '{column}'" in copied:
            assert [row[column] for row in written] == [row[column] for row in ROWS]
        else:
            assert column not in written[0]


def test_folder_names_its_file_names_as_released_and_one_text_releases_nothing(command, syntf, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("people")
    command("anonymize", tmp_path / "in", *syntf).done()
    assert privacy_of(tmp_path / "in.anon.npz")["guarantee"]["released_as_is"] == ["the file names", ORDER]
    command("anonymize", tmp_path / "in" / "a.txt", *syntf).done()
    assert privacy_of(tmp_path / "in" / "a.anon.npz")["guarantee"]["released_as_is"] == []


def test_kept_parquet_columns_keep_their_type(command, syntf, tmp_path):
    rows = pa.table({"text": ["people", "world"], "n": pa.array([1, None], pa.int16()), "t": pa.array([[1.5], []])})
    pq.write_table(rows, tmp_path / "in.parquet")
    command("anonymize", tmp_path / "in.parquet", "--text", "text", "--keep", "n", "--keep", "t", *syntf).done()
    assert pq.read_table(tmp_path / "in.anon.parquet").select(["n", "t"]).equals(rows.select(["n", "t"]))


# Randomness


def test_a_seed_repeats_the_bytes_and_ends_the_guarantee(table, command, syntf, everything, tmp_path):
    folders = [tmp_path / "one", tmp_path / "two", tmp_path / "other"]
    for folder, seed in zip(folders, (1, 1, 2), strict=True):
        folder.mkdir()
        options = ["--text", "text", "--author", "who", *syntf, "--insecure-seed", seed, "-o", folder / "o.npz"]
        result = command("anonymize", table, *options).done()
        assert "No formal privacy" in result.err
    assert everything(folders[0]) == everything(folders[1])
    assert everything(folders[0])["o.npz"] != everything(folders[2])["o.npz"]
    stated = privacy_of(folders[0] / "o.npz")["guarantee"]
    assert (stated["definition"], stated["evidence"], stated["formal"]) == ("none", "none", False)
    assert stated["epsilon"] is stated["loss_per_word"] is None
    assert "seed" in stated["statement"]
    assert "per_author" not in privacy_of(folders[0] / "o.npz")


def test_two_secure_runs_differ(table, command, syntf, read_counts, tmp_path):
    for name in ("a.npz", "b.npz"):
        command("anonymize", table, "--text", "text", *syntf, "--epsilon", "1", "-o", tmp_path / name).done()
    assert read_counts(tmp_path / "a.npz") != read_counts(tmp_path / "b.npz")
    assert privacy_of(tmp_path / "a.npz") == privacy_of(tmp_path / "b.npz")


# Touching nothing, and never the wrong thing


def test_existing_output_is_refused_untouched_and_force_replaces_it(table, command, syntf, everything, tmp_path):
    for name in ("o.npz", "o.npz.privacy.json", "o.vocabulary.txt"):
        (tmp_path / name).write_bytes(b"precious")
        before = everything(tmp_path)
        result = command("anonymize", table, "--text", "text", *syntf, "-o", tmp_path / "o.npz").refused()
        assert "--force" in result.err
        assert everything(tmp_path) == before
        command("anonymize", table, "--text", "text", *syntf, "-o", tmp_path / "o.npz", "--force").done()
        after = everything(tmp_path)
        assert b"precious" not in after.values()
        assert after.keys() == {"in.csv", "o.npz", "o.npz.privacy.json", "o.vocabulary.txt"}
        for old in after.keys() - {"in.csv"}:
            (tmp_path / old).unlink()


def test_existing_default_output_is_refused(source, command, syntf, everything, tmp_path):
    path, columns, _ = source
    command("anonymize", path, *columns, *syntf).done()
    before = everything(tmp_path)
    command("anonymize", path, *columns, *syntf).refused()
    assert everything(tmp_path) == before
    command("anonymize", path, *columns, *syntf, "--force").done()
    assert everything(tmp_path).keys() == before.keys()
    assert everything(tmp_path) != before


def test_input_is_never_replaced_even_by_force(command, everything, write_table, tmp_path):
    path = write_table(tmp_path / "in.csv", ROWS)
    before = everything(tmp_path)
    command("anonymize", path, "--text", "text", "--method", "identity", "-o", path, "--force").refused()
    assert everything(tmp_path) == before


def test_dry_run_leaves_the_folder_byte_identical(source, command, syntf, everything, tmp_path, monkeypatch):
    path, columns, documents = source
    monkeypatch.chdir(tmp_path)
    before, times = everything(tmp_path), os.stat(tmp_path).st_mtime_ns
    result = command("anonymize", path, *columns, *syntf, "--dry-run").done()
    record = command("anonymize", path, *columns, *syntf, "--dry-run", "--json").json
    assert everything(tmp_path) == before
    assert os.stat(tmp_path).st_mtime_ns == times
    assert ("1 document " if documents == 1 else f"{documents} documents ") in result.out
    assert "ε =" in result.out
    assert record["dry_run"] is True
    assert record["guarantee"]["epsilon"] > 0


def test_dry_run_states_what_the_run_then_records(table, command, syntf, tmp_path):
    line = ["anonymize", table, "--text", "text", "--author", "who", *syntf, "-o", tmp_path / "o.npz"]
    foretold = command(*line, "--dry-run", "--json").json
    command(*line).done()
    author = foretold.pop("guarantee_per_author")
    foretold.pop("forecast")
    assert (author["unit"], author["documents"]) == ("author", 3)
    assert foretold == {**privacy_of(tmp_path / "o.npz"), "dry_run": True}


# Talk


def test_json_is_the_only_thing_on_stdout(table, command, syntf, tmp_path):
    result = command("anonymize", table, "--text", "text", *syntf, "-o", tmp_path / "o.npz", "--json").done()
    record = result.json
    assert record["output"] == str(tmp_path / "o.npz")
    assert record["privacy"] == str(tmp_path / "o.npz.privacy.json")
    assert {key: record[key] for key in privacy_of(tmp_path / "o.npz")} == privacy_of(tmp_path / "o.npz")
    assert "Wrote" in result.err


def test_quiet_says_nothing_but_errors(table, command, syntf, tmp_path):
    line = ["anonymize", table, "--text", "text", *syntf, "-o", tmp_path / "o.npz", "--quiet"]
    result = command(*line).done()
    assert (result.out, result.err) == ("", "")
    command(*line).refused()
    result = command("--quiet", "--json", *line, "--force").done()
    assert result.json["documents"] == len(ROWS)
    assert result.err == ""
    result = command("--quiet", "anonymize", "-", *syntf, stdin=b"people").done()
    assert result.out
    assert result.err == ""


def test_links_that_are_not_followed_are_mentioned(command, syntf, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("people")
    (tmp_path / "outside.txt").write_text("world")
    assert "links that" not in command("anonymize", tmp_path / "in", *syntf).done().err
    (tmp_path / "in" / "b.txt").symlink_to(tmp_path / "outside.txt")
    result = command("anonymize", tmp_path / "in", *syntf, "--force").done()
    assert "links that lead elsewhere: 1" in result.err
    assert privacy_of(tmp_path / "in.anon.npz")["documents"] == 1


def test_a_single_text_may_go_to_standard_output(command, tmp_path):
    (tmp_path / "in.txt").write_text("coffee", encoding="utf-8")
    result = command("anonymize", tmp_path / "in.txt", "--method", "identity", "-o", "-")
    assert result.out == "coffee\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt"]
    (tmp_path / "in.csv").write_text("text\na\nb\n", encoding="utf-8")
    command("anonymize", tmp_path / "in.csv", "--method", "identity", "-o", "-").refused()


def test_a_reference_gives_the_vocabulary(command, tmp_path):
    (tmp_path / "reference.csv").write_text("text\ncoffee and tea\ntrains and buses\n", encoding="utf-8")
    (tmp_path / "in.csv").write_text("text\ncoffee on the train\n", encoding="utf-8")
    reference = ("--method", "syntf", "--words", "9", "--reference", tmp_path / "reference.csv")
    result = command("anonymize", tmp_path / "in.csv", *reference, "--composition", "tf-idf")
    assert result.code == 0
    assert (tmp_path / "in.anon.vocabulary.txt").read_text("utf-8").split() == ["bus", "coffee", "tea", "train"]
    assert command("guarantee", *reference).code == 0
