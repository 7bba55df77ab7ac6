"""The sample an evaluation takes of a table."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from allonym.anonymizers.identity import Identity
from allonym.attackers.floors import Majority
from allonym.errors import InputError
from allonym.evaluation.candidates import Method
from allonym.evaluation.evaluate import evaluate
from allonym.evaluation.sample import Sample, read_sample
from tests.evaluation.habits import rows, write


@pytest.fixture
def table(tmp_path):
    return lambda made: write(tmp_path / "table.csv", made)


@pytest.fixture
def sample(table) -> Sample:
    return read_sample(table(rows({"ada": 20, "ben": 20, "cleo": 20})), text="text", author="author", label="topic")


def test_seven_in_ten_of_each_author_are_learned_from(sample):
    learned = Counter(author for author, train in zip(sample.authors, sample.train, strict=True) if train)
    assert learned == {"ada": 14, "ben": 14, "cleo": 14}
    assert len(sample.texts) == len(sample.labels) == 60
    assert sorted(sample.places("train") + sample.places("test")) == list(range(60))


def test_the_same_table_gives_the_same_sample(table):
    path = table(rows({"ada": 9, "ben": 5}))
    one, other = (read_sample(path, text="text", author="author") for _ in range(2))
    assert one == other
    assert one.labels is None
    trained = [row for row, train in zip(one.rows, one.train, strict=True) if train]
    assert trained != sorted(one.rows)[: len(trained)]  # not simply the first ones


def test_authors_with_few_documents_are_left_out_and_counted(table):
    sample = read_sample(table(rows({"ada": 5, "ben": 4, "x": 3, "y": 1})), text="text", author="author")
    assert set(sample.authors) == {"ada", "ben"}
    assert sample.notes == ("Authors left out, because they have fewer than 4 documents: 2.",)
    assert [sample.train[place] for place in range(5, 9)].count(False) == 1  # of four, one to test on


def test_a_column_can_decide(table):
    made = [row | {"part": "test" if number % 3 == 0 else "train"} for number, row in enumerate(rows({"a": 6, "b": 6}))]
    sample = read_sample(table(made), text="text", author="author", split="part")
    assert sample.train == [row["part"] == "train" for row in made]


def test_authors_without_training_documents_are_left_out(table):
    made = [row | {"part": "test" if row["author"] == "c" else "train"} for row in rows({"a": 4, "b": 4, "c": 4})]
    made[0]["part"] = "test"
    sample = read_sample(table(made), text="text", author="author", split="part")
    assert set(sample.authors) == {"a", "b"}
    assert "none of their documents is for training: 1." in sample.notes[0]


def test_a_sample_of_authors_is_the_largest_and_said_to_be_one(table):
    made = rows({"a": 4, "b": 9, "c": 6, "d": 8})
    sample = read_sample(table(made), text="text", author="author", max_authors=2)
    assert Counter(sample.authors) == {"b": 9, "d": 8}
    assert sample.by_size() == ["b", "d"]
    assert sample.largest_author == 9
    assert sample.notes[0].startswith("A sample: of 4 authors, only the 2 with most documents")


def test_a_sample_of_documents_keeps_the_proportions(table):
    sample = read_sample(table(rows({"a": 40, "b": 20, "c": 4})), text="text", author="author", max_documents=34)
    assert Counter(sample.authors) == {"a": 20, "b": 10, "c": 4}
    assert sample.largest_author == 40  # what a release would hold
    assert sample.notes == (
        "A sample: of 64 documents, 34 are looked at, of each author in proportion (--max-documents).",
    )
    for author in "abc":
        trained = [train for name, train in zip(sample.authors, sample.train, strict=True) if name == author]
        assert 0 < sum(trained) < len(trained)


def test_a_sample_of_split_documents_keeps_both_parts(table):
    made = rows({"a": 40, "b": 40})
    made = [row | {"part": "test" if number % 40 >= 30 else "train"} for number, row in enumerate(made)]
    sample = read_sample(table(made), text="text", author="author", split="part", max_documents=16)
    assert Counter(zip(sample.authors, sample.train, strict=True)) == {
        ("a", True): 6,
        ("a", False): 2,
        ("b", True): 6,
        ("b", False): 2,
    }


def test_rows_tell_where_the_texts_came_from(table):
    made = rows({"a": 12, "b": 12})
    sample = read_sample(table(made), text="text", author="author", max_documents=10)
    assert sample.texts == [made[row - 1]["text"] for row in sample.rows]
    assert sample.authors == [made[row - 1]["author"] for row in sample.rows]


def test_names_that_differ_by_a_zero_byte_are_two_authors(tmp_path):
    made = [{"text": f"word {n}", "author": "a" if n % 2 else "a\0"} for n in range(8)]
    path = tmp_path / "table.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in made), encoding="utf-8")
    sample = read_sample(path, text="text", author="author")
    assert set(sample.authors) == {"a", "a\\x00"}
    assert evaluate(sample, [Method(Identity())], [Majority()]).authors == 2


@pytest.mark.parametrize(
    ("made", "options", "words"),
    [
        (rows({"a": 9}), {}, "two authors"),
        (rows({"a": 9, "b": 3}), {}, "this table has 1"),
        ([*rows({"a": 9, "b": 9}), {"text": "t", "author": "", "topic": "t"}], {}, "1 row has no author"),
        ([*rows({"a": 9, "b": 9}), {"text": "t", "author": "a", "topic": ""}], {"label": "topic"}, "no label"),
        (rows({"a": 9, "b": 9}), {"split": "topic"}, "18 rows say neither train nor test"),
        (rows({"a": 9, "b": 9}), {"max_documents": 7}, "give at least 8"),
        (rows({"a": 9, "b": 9}), {"label": "nothing"}, "has no column 'nothing'"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(table, made, options, words):
    with pytest.raises(InputError, match=words):
        read_sample(table(made), text="text", author="author", **options)


def test_only_training_documents_are_no_evaluation(table):
    made = [row | {"part": "train"} for row in rows({"a": 4, "b": 4})]
    with pytest.raises(InputError, match="no document to test on"):
        read_sample(table(made), text="text", author="author", split="part")


def test_a_text_is_no_table(tmp_path):
    with pytest.raises(InputError, match="is not a table"):
        read_sample(tmp_path / "a.txt", text=None, author="author")


def test_of_many_documents_few_are_tested_and_all_others_known(table):
    sample = read_sample(table(rows({"a": 200, "b": 10})), text="text", author="author")
    tested = Counter(author for author, train in zip(sample.authors, sample.train, strict=True) if not train)
    assert tested == {"a": 50, "b": 3}


def test_texts_rewritten_elsewhere_stand_beside_the_originals(table):
    made = [row | {"new": f"new {number}"} for number, row in enumerate(rows({"a": 12, "b": 12}))]
    sample = read_sample(table(made), text="text", author="author", released=["new"], max_documents=10)
    assert sample.released == {"new": [made[row - 1]["new"] for row in sample.rows]}
