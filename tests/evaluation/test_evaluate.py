"""The sample an evaluation takes of a table, and what it measures of configurations whose outcome is known."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from allonym import metrics
from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.identity import Identity
from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.anonymizers.syntf import SynTF
from allonym.attackers.floors import Majority
from allonym.attackers.linear import WordNGramSVM
from allonym.errors import InputError, ParameterError
from allonym.evaluation.evaluate import Candidate, evaluate
from allonym.evaluation.sample import Sample, read_sample
from allonym.randomness import insecure

TOPICS = {"boats": ["harbour", "sail", "mast", "anchor"], "bread": ["flour", "oven", "crust", "yeast"]}
HABITS = {"ada": "Well, one sees {} and {}; indeed.", "ben": "so {} is great, {} too!!", "cleo": "There is {} - or {}."}
WORDS = [word for words in TOPICS.values() for word in words]


@pytest.fixture(autouse=True)
def _no_encoder(monkeypatch):
    """Sentence embeddings take seconds; one test brings its own."""
    known = metrics.measures()
    without = known | {"meaning": replace(known["meaning"], missing=lambda: "It is not here.")}
    monkeypatch.setattr(metrics, "measures", lambda: without)


def rows(counts: dict[str, int], seed: int = 1) -> list[dict[str, str]]:
    rng, made = insecure(seed), []
    for author, count in counts.items():
        for number in range(count):
            topic = list(TOPICS)[number % 2]
            one, other = rng.below(4, (2,))
            text = HABITS.get(author, "{} {}").format(TOPICS[topic][one], TOPICS[topic][other])
            made.append({"text": f"{text} {text}", "author": author, "topic": topic})
    return made


@pytest.fixture
def table(tmp_path):
    def write(made):
        path = tmp_path / "table.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(made[0]))
            writer.writeheader()
            writer.writerows(made)
        return path

    return write


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
    assert evaluate(sample, [Candidate(Identity())], [Majority()]).outcomes[0].panel.authors == 2


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


QUICK = [WordNGramSVM(), Majority()]


def test_known_outcomes_are_measured(sample):
    candidates = [Candidate(Identity()), Candidate(RandomReplacement(words=8, vocabulary=WORDS), "words 8")]
    found = evaluate(sample, candidates, QUICK)
    same, noise = found.outcomes
    assert found.measure.name == "topic"
    assert found.floor == pytest.approx(1 / 3)
    assert same.strongest.figures == same.panel.strongest("original").figures == same.panel.strongest("static").figures
    assert same.relative_utility == same.relative_attack == 1.0
    assert same.advantage == 0.0
    assert (same.use["unchanged"].value, same.use["length"].value) == (1.0, 1.0)
    assert not same.promised.formal
    assert noise.promised.epsilon == 0.0
    assert noise.strongest.figures["accuracy"].value < found.original.figures["accuracy"].value
    assert noise.use["topic"].value < found.before.value
    assert str(noise.candidate) == "random-replacement, words 8"


def test_a_useless_method_is_not_the_best_one(sample):
    candidates = [Candidate(RandomReplacement(words=8, vocabulary=WORDS)), Candidate(Identity())]
    found = evaluate(sample, candidates, QUICK, seed=1)
    noise, same = found.outcomes
    assert not found.useful(noise)
    assert found.useful(same)
    assert noise.advantage > same.advantage  # so that the choice is not by the advantage alone
    assert found.best() == 1


def test_attackers_read_vectors_as_words(sample):
    found = evaluate(sample, [Candidate(SynTF(vocabulary=WORDS, words=12, epsilon=60))], QUICK, seed=1)
    [outcome] = found.outcomes
    assert outcome.use["topic"].value > found.label_floor
    assert outcome.use["unchanged"].value > 0  # of written-out counts
    assert outcome.use["length"].value > 0


def test_a_seed_repeats_the_run_and_withdraws_the_promise(sample):
    candidates = [Candidate(RandomReplacement(words=8, vocabulary=WORDS))]
    one, other = (evaluate(sample, candidates, QUICK, seed=5).outcomes[0] for _ in range(2))
    assert one.panel == other.panel
    assert not one.promised.formal
    assert "reproducible run" in one.promised.assumptions[0]
    assert evaluate(sample, candidates, QUICK).outcomes[0].promised.formal


def test_promises_are_for_a_document_and_for_the_largest_author(table):
    made = rows({"a": 12, "b": 8})
    sample = read_sample(table(made), text="text", author="author", max_documents=8)
    model = SynTF(vocabulary=WORDS, words=10)
    [outcome] = evaluate(sample, [Candidate(model)], [Majority()]).outcomes
    assert outcome.promised.epsilon == model.guarantee().epsilon
    assert outcome.promised_to_author.epsilon == model.guarantee(12).epsilon
    assert outcome.promised.released_as_is == ("the number and order of the documents",)


def test_without_labels_use_is_what_stays_of_the_words(table):
    sample = read_sample(table(rows({"ada": 8, "ben": 8})), text="text", author="author")
    found = evaluate(sample, [Candidate(Identity())], QUICK)
    assert (found.measure.name, found.before.value, found.label_floor) == ("unchanged", 1.0, None)
    assert found.outcomes[0].use["topic"] is None
    assert found.outcomes[0].relative_utility == 1.0


def test_with_the_encoder_use_is_what_stays_of_the_meaning(table, monkeypatch):
    asked = []

    def embed(texts):
        asked.append(len(texts))
        return np.array([[len(text) % 2, 1 - len(text) % 2] for text in texts], np.float32)

    monkeypatch.setattr(metrics.semantics, "embed", embed)
    meaning = replace(metrics.semantics.MEANING, prepare=embed, missing=str)
    monkeypatch.setattr(metrics, "measures", lambda: {"meaning": meaning})
    sample = read_sample(table(rows({"ada": 8, "ben": 8})), text="text", author="author")
    found = evaluate(sample, [Candidate(Identity())] * 2, QUICK)
    assert found.measure.name == "meaning"
    assert found.outcomes[0].use["meaning"].value == 1.0
    assert asked == [len(sample.places("test"))] * 3  # the originals once


class Eraser(Anonymizer):
    """Leaves nothing."""

    method, kind = "eraser", "texts"

    def _check(self):
        pass

    def guarantee(self, documents=1):
        return Identity().guarantee(documents)

    def _anonymize(self, texts, streams):
        return ["" for _ in texts]


def test_progress_ends_where_it_said_it_would(sample):
    told = []
    evaluate(sample, [Candidate(Identity())] * 2, QUICK, progress=lambda *step: told.append(step))
    assert told == sorted(told)
    assert told[-1] == (14, 14)


def test_nothing_to_evaluate_is_refused(sample):
    with pytest.raises(ParameterError, match="one method"):
        evaluate(sample, [], QUICK)


def test_a_method_that_leaves_nothing_can_be_measured():
    made = rows({"ada": 8, "ben": 8})  # labels alternate
    texts, authors, labels = ([row[name] for row in made] for name in ("text", "author", "topic"))
    halves = Sample(texts, authors, labels, [n % 8 < 4 for n in range(16)], list(range(1, 17)), 8)
    found = evaluate(halves, [Candidate(Eraser())], QUICK)
    [outcome] = found.outcomes
    assert outcome.strongest.figures["accuracy"].value == pytest.approx(1 / 2)
    assert outcome.use["unchanged"].value == 0.0
    assert outcome.use["topic"].value == pytest.approx(1 / 3)  # weighted F1 of one of two labels, always
    assert found.label_floor == pytest.approx(1 / 2)  # of both at random
    assert not found.useful(outcome)
