"""The word-by-word methods on the command line: topical words, two documents compared, deniability."""

from __future__ import annotations

import pytest

from allonym.privacy.statement import number


def test_laplace_from_the_command_line(command, tmp_path):
    (tmp_path / "in.csv").write_text('text\ncoffee in the rain\n""\nqzxjvk\n', encoding="utf-8")
    options = ("--method", "laplace", "--epsilon", "20", "--order", "text", "--words", "5")
    command("anonymize", tmp_path / "in.csv", *options).done()
    rows = (tmp_path / "in.anon.csv").read_text("utf-8").splitlines()
    assert [len(row.split()) for row in rows[1:]] == [5, 5, 5]
    assert "qzxjvk" not in " ".join(rows)


def test_a_bag_of_words_goes_to_standard_output_as_it_would_to_a_file(command, tmp_path):
    (tmp_path / "in.txt").write_text("rain and snow over the harbour")
    line = ("anonymize", tmp_path / "in.txt", "--method", "laplace", "--epsilon", 20, "--insecure-seed", 1)
    command(*line).done()
    shown = command(*line, "-o", "-").done()
    assert shown.out == (tmp_path / "in.anon.txt").read_text() + "\n"
    assert shown.err  # the guarantee, which has no file to lie in
    assert not (tmp_path / "-.privacy.json").exists()
    told = command(*line, "-o", "-", "--json").done().json
    assert told["text"] == shown.out[:-1]
    assert told["guarantee"]["evidence"] == "none"


@pytest.mark.parametrize("method", ["laplace", "exponential"])
def test_guarantee_tells_what_usual_neighbours_lose(method, command, vocabulary):
    line = ["guarantee", "--method", method, "--epsilon", "5", "--vocabulary", vocabulary]
    answer = command(*line, "--json").done().json
    near = answer["nearest_neighbours"]
    assert 0 < near["distance"] * answer["guarantee"]["loss_per_unit"] < near["loss"]
    assert near["loss"] < answer["guarantee"]["loss_per_word"]
    spoken = command(*line).done().out
    assert f"at most e^{number(near['loss'])}; that is about usual neighbours, not all pairs" in spoken
    assert "nearest_neighbours" not in command("guarantee", "--method", "identity", "--json").json


@pytest.mark.parametrize("method", ["laplace", "exponential"])
def test_between_two_documents(command, tmp_path, method):
    (tmp_path / "a.txt").write_text("coffee rain", encoding="utf-8")
    (tmp_path / "b.txt").write_text("tea snow", encoding="utf-8")
    (tmp_path / "words.txt").write_text("coffee\ntea\nrain\nsnow\nharbour\n", encoding="utf-8")
    options = ("--method", method, "--epsilon", "5", "--vocabulary", tmp_path / "words.txt")
    files = (tmp_path / "a.txt", tmp_path / "b.txt")
    compared = command("guarantee", *options, "--between", *files, "--json").json["between"]
    assert compared["words"] == 2
    assert len(compared["distances"]) == len(compared["losses"]) == 2
    assert "what holds" in command("guarantee", *options, "--between", *files).done().out
    drawn = command("guarantee", *options, "--words", "9", "--between", *files, "--json").json["between"]
    assert drawn["words"] == 9
    command("guarantee", "--method", method).refused()  # without --epsilon
    command("guarantee", "--method", "random-replacement", "--between", *files).refused()


def test_target_unchanged_finds_the_epsilon(command, vocabulary, tmp_path):
    options = ("--method", "exponential", "--order", "text", "--vocabulary", vocabulary)
    result = command("guarantee", *options, "--target-unchanged", "0.4", "--json").done().json
    assert result["deniability"]["unchanged"] == pytest.approx(0.4, abs=0.02)
    (tmp_path / "in.txt").write_text("people think about the world", encoding="utf-8")
    command("anonymize", tmp_path / "in.txt", *options, "--target-unchanged", "0.4").done()
    for wrong in ((*options, "--epsilon", "3"), ("--method", "random-replacement")):
        command("guarantee", *wrong, "--target-unchanged", "0.4").refused()


TOPICAL = ["--epsilon", "900", "--topical-words", "10", "--reference-text", "body", "--reference-label", "topic"]


@pytest.mark.parametrize("name", ["reference.csv", "reference.jsonl", "reference.parquet"])
@pytest.mark.parametrize("method", ["laplace", "exponential"])
def test_only_topical_words_are_kept(method, name, command, labelled, vocabulary, public_words, tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text(" ".join(public_words[3:12] + public_words[30:40]), encoding="utf-8")
    options = ["--method", method, "--vocabulary", vocabulary, *TOPICAL, "--reference", labelled(name)]
    command("anonymize", letter, *options, "--insecure-seed", 1, "-o", tmp_path / "out.txt").done()
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").split() == sorted(public_words[3:10])
    secret = command("anonymize", letter, *options, "--json", "-o", tmp_path / "secret.txt").done()
    assert "labelled reference texts" in secret.out
    assert "labelled reference texts" in command("guarantee", *options).done().out


def test_topical_words_need_labelled_texts_that_are_not_the_input(command, labelled, vocabulary, tmp_path):
    reference = labelled()
    plain = tmp_path / "plain.txt"
    plain.write_text("words", encoding="utf-8")
    entries = tmp_path / "entries.csv"
    entries.write_text("entry,topic\nwords about a thing,one\nwords about another,two\n", encoding="utf-8")
    method = ["--method", "laplace", "--vocabulary", vocabulary, "--epsilon", "5"]
    ready = [*method, "--topical-words", "10", "--reference", reference, "--reference-text", "body"]
    for line, said in {
        (*method, "--topical-words", "10"): "needs labelled texts",
        (*ready,): "needs labelled texts",
        (*method, "--reference", reference): "has no use for --reference with",
        (*method, "--reference", reference, "--reference-label", "topic"): "give --topical-words too",
        (*ready, "--reference-label", "theme"): "has no column 'theme'",
        (*ready, "--reference-label", "body"): "different columns",
        (*method, "--topical-words", "10", "--reference", entries, "--reference-label", "topic"): (
            "name one with --reference-text"
        ),
        (*ready, "--reference-label", "topic", "--order", "text"): "bag",
        (*ready, "--reference", plain, "--reference-label", "topic"): "must be one of .csv",
        ("--method", "syntf", "--reference", reference, "--reference-label", "topic"): "has no use",
        ("--method", "identity", "--reference-label", "topic"): "has no use",
    }.items():
        assert said in command("guarantee", *line).refused().err, line
    itself = command("anonymize", reference, "--text", "body", *ready, "--reference-label", "topic")
    assert "the input itself" in itself.refused().err


def test_reference_rows_without_a_label_are_refused(command, write_table, vocabulary, tmp_path, public_words):
    method = ["--method", "laplace", "--vocabulary", vocabulary, *TOPICAL]
    for topics, said in (("", "sea"), "has no label"), (("sea", "sea"), "two different ones"):
        rows = [{"body": word, "topic": topic} for word, topic in zip(public_words, topics, strict=False)]
        reference = write_table(tmp_path / "bad.csv", rows)
        assert said in command("guarantee", *method, "--reference", reference).refused().err
