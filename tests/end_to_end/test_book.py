"""`allonym book` and `--method commonplace`, from a table to protected texts."""

from __future__ import annotations

import json

import pytest

from allonym.language import sequences

PUBLIC = [
    "The room was clean and quiet. Breakfast was cold, and nobody cared about it.",
    "The nurse was kind to all of us. We waited for hours in a cold corridor.",
    "I would not buy this telephone again. It stopped working after a week.",
]
PRIVATE = "I had to wait for three hours in the corridor! Nurse Betty Miller was very nice to us, though."


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def book(here, command):
    (here / "public.jsonl").write_text("".join(json.dumps({"t": text}) + "\n" for text in PUBLIC), "utf-8")
    command("book", "build", "public.jsonl", "--text", "t", "-o", "book").done()
    return here / "book"


def test_a_book_is_built_shown_and_used(here, command, book):
    (here / "letter.txt").write_text(PRIVATE, "utf-8")
    shown = command("book", "show", "book", "--sample", "letter.txt", "--json").done().json
    assert shown["sentences"] == 6
    assert shown["coverage"]["sentences"] == 2
    each = command("book", "show", "book", "--sample", "letter.txt", "--each").done().out
    assert "I had to wait for three hours in the corridor!\n    → We waited for hours in a cold corridor." in each
    line = ("--method", "commonplace", "--book", "book", "--loss-per-sentence", "20")
    done = command("anonymize", "letter.txt", *line, "-o", "out.txt").done()
    assert "each output sentence shifts" in done.err
    assert "facts, names and figures of the text are not carried over" in done.err
    released = (here / "out.txt").read_text("utf-8")
    assert "Betty" not in released
    public = [sentence for text in PUBLIC for sentence in sequences.cut(text)]
    assert all(sentence in public for sentence in sequences.cut(released))
    assert json.loads((here / "out.txt.privacy.json").read_text("utf-8"))["guarantee"]["drawn"] == "sentence"


def test_the_cost_is_said_beforehand_in_sentences_and_in_total(here, command, book):
    (here / "one.txt").write_text("The room was clean and quiet.", "utf-8")
    (here / "two.txt").write_text("We waited for hours in a cold corridor. The room was clean and quiet.", "utf-8")
    line = ("--method", "commonplace", "--book", "book", "--sentences", "3", "--candidates", "1")
    line += ("--loss-per-sentence", "2")
    assert "with 3 sentences, ε = 6.00" in command("anonymize", "one.txt", "--dry-run", *line).done().out
    told = command("guarantee", *line, "--between", "one.txt", "two.txt").done().out
    assert "Between the two documents (3 sentences each)" in told
    assert "sentences with other candidates in the book: 2.0000" in told
    assert "loss by these sentences: 4.00" in told
    same = command("guarantee", *line, "--between", "one.txt", "one.txt", "--json").done().json
    assert same["between"]["losses"] == {"these sentences": 0.0}


def test_texts_to_protect_are_refused_and_their_sentences_left_out(here, command):
    (here / "public.txt").write_text(PUBLIC[0], "utf-8")
    (here / "private.txt").write_text("The room was clean and quiet. I hated it.", "utf-8")
    told = command("book", "build", "public.txt", "-o", "b", "--not-from", "private.txt").done()
    assert "1 for found in the texts to protect" in told.err
    refused = command("book", "build", "public.txt", "-o", "c", "--not-from", "public.txt").refused()
    assert "word for word" in refused.err
    assert not (here / "c").exists()


def test_what_cannot_be_a_book_is_refused(here, command):
    (here / "list.txt").write_text("- 1\n- 2\n", "utf-8")
    assert "No sentence can be used" in command("book", "build", "list.txt", "-o", "b").refused().err
    assert "allonym book build" in command("anonymize", "list.txt", "--method", "commonplace").refused().err
    command("book", "show", "nowhere").refused()
    command("book", "show", "style-en").refused()
    command("book", "build", "-", "-o", "b").refused()
    command("book", "show", "book-example", "--each").refused()


def test_odd_texts_get_sound_results(here, command, book):
    odd = [
        "",
        "| a | b |\n|---|---|",
        "def f(x):\n    return x",
        "Мы ждали весь день.",
        "no stop " * 3000,
        "- one\n- two",
    ]
    (here / "odd.jsonl").write_text("".join(json.dumps({"t": text}) + "\n" for text in odd), "utf-8")
    line = ("--method", "commonplace", "--book", "book", "--loss-per-sentence", "9", "-o", "out.jsonl")
    command("anonymize", "odd.jsonl", "--text", "t", *line).done()
    rows = [json.loads(row)["t"] for row in (here / "out.jsonl").read_text("utf-8").splitlines()]
    public = {sentence for text in PUBLIC for sentence in sequences.cut(text)}
    assert len(rows) == len(odd)
    assert all(set(sequences.cut(row)) <= public for row in rows)
