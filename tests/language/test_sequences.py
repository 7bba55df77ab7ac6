"""Sentences, tokens, vocabularies, and text made from tokens alone."""

from __future__ import annotations

import time

import pytest

from allonym.errors import InputError, ModelError, ParameterError
from allonym.language.sequences import (
    LONGEST_SENTENCE,
    NUMBER_CLASSES,
    SPECIAL,
    UNKNOWN,
    Vocabulary,
    VocabularyBuilder,
    cut,
    sentences,
    tokens,
    write,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Don’t go", ["Do", "n't", "go"]),
        ("it 's not, is n't it?", ["it", "'s", "not", ",", "is", "n't", "it", "?"]),
        ("dont Im", ["do", "n't", "I", "'m"]),
        (
            "a well-known one - or two — or 3",
            ["a", "well", "-", "known", "one", "--", "or", "two", "--", "or", "three"],
        ),
        ("What?!! No!!!", ["What", "?", "No", "!"]),
        ("see www.example.org/a.b, or me@example.org.", ["see", "<unk>", ",", "or", "<unk>", "."]),
        ("“so” [said]", ['"', "so", '"', "(", "said", ")"]),
        ("=========", []),
        ("e.g. Dr. Wu", ["e.g.", "Dr.", "Wu"]),
        ("fine :-) or not :(", ["fine", ":)", "or", "not", ":("]),
    ],
)
def test_tokens(text, expected):
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("digits", "expected"),
    [
        ("0", "zero"), ("12", "twelve"), ("13", "<number>"), ("999", "<number>"), ("1,000", "<large>"),
        ("31337", "<large>"), ("1993", "<year>"), ("1990s", "<year>"), ("80s", "<year>"), ("3.14", "<decimal>"),
        ("3rd", "third"), ("21st", "<ordinal>"), ("2nd", "second"), ("007", "seven"), ("٣", "three"),
        ("9" * 5000, "<large>"), ("9" * 5000 + "th", "<ordinal>"),
    ],
)  # fmt: skip
def test_numbers_become_words_or_classes(digits, expected):
    assert tokens(digits) == [expected]


def test_sentences_end_where_readers_think_they_do():
    text = 'She said "No!" and left... or so. (Why?) Ask J. Doe. "I will."\n\nno full stop\nwrapped line'
    assert [" ".join(sentence) for sentence in sentences(text)] == [
        'She said " No ! " and left ... or so .',
        "( Why ? )",
        "Ask J . Doe .",
        '" I will . "',
        "no full stop wrapped line",
    ]


def test_long_sentences_are_cut_and_nothing_is_lost():
    text = "one two, " * 40 + "three " * 120
    pieces = sentences(text)
    assert all(0 < len(piece) <= LONGEST_SENTENCE for piece in pieces)
    assert [token for piece in pieces for token in piece] == tokens(text)
    assert pieces[0][-1] == ","


@pytest.mark.parametrize("text", ["\ud800", "😀 مرحبا 你好 हिन्दी", "\x00", "'" * 9, "\n\n\n", "İ"])
def test_any_text_is_split(text):
    assert all(sentences(text)) or sentences(text) == []


@pytest.mark.parametrize("unit", ["a.", "x@", "a'", "1,", ".!", "http://", "(:", "\n ", "-", "a" * 100 + "'"])
def test_splitting_takes_linear_time(unit):
    began = time.perf_counter()
    sentences(unit * 60_000)
    assert time.perf_counter() - began < 5


def builder():
    made = VocabularyBuilder()
    for author in ("x", "y", "z"):
        made.add(
            author, [["The", "town", "of", "Rome", "."], ["In", "Rome", "we", "sang", "teh", "NASA", "song", "7up"]]
        )
    made.add("z", [["Zanzibar"] * 50])
    return made


def test_a_vocabulary_holds_what_enough_authors_use_in_its_usual_case():
    vocabulary = builder().vocabulary(100, authors=3)
    assert vocabulary.forms[:5] == (*SPECIAL, "Rome")
    assert {"NASA", "teh", "the", "in", "."} < set(vocabulary.forms)
    assert not {"Zanzibar", "zanzibar", "7up"} & set(vocabulary.forms)
    assert len(builder().vocabulary(7, authors=3)) == 7


def test_a_dictionary_keeps_misspelled_words_out_but_not_names():
    vocabulary = builder().vocabulary(100, authors=3, dictionary={"town", "the"})
    assert set(vocabulary.forms) == {*SPECIAL, "Rome", "NASA", "town", "the", "."}


def test_a_vocabulary_without_words_is_refused():
    with pytest.raises(InputError, match="fewer authors"):
        builder().vocabulary(10, authors=4)


def test_unknown_words_go_in_but_never_come_out():
    vocabulary = Vocabulary((*SPECIAL, "hello", "world", "!"))
    assert vocabulary.ids(["HELLO", "Bob", "!"]) == [4, UNKNOWN, 6]
    assert vocabulary.text([[4, UNKNOWN, 6, 2], [0, 1], [5]]) == "Hello! World"


@pytest.mark.parametrize("forms", [("a",), SPECIAL, (*SPECIAL, "a", "A")])
def test_what_is_no_vocabulary_is_refused(forms):
    with pytest.raises(ParameterError):
        Vocabulary(forms)


def test_a_vocabulary_survives_its_file(tmp_path):
    vocabulary = Vocabulary((*SPECIAL, "naïve", "I", '"', "<year>"))
    vocabulary.save(tmp_path / "vocabulary.txt")
    assert Vocabulary.load(tmp_path / "vocabulary.txt") == vocabulary
    (tmp_path / "vocabulary.txt").write_text("nothing", "utf-8")
    with pytest.raises(ModelError, match="again"):
        Vocabulary.load(tmp_path / "vocabulary.txt")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("I can't, won't: it's well-known!", "I can't, won't: it's well-known!"),
        ('he said "yes" (or "no").', 'He said "yes" (or "no").'),
        ("and/or 50% of $9 ... --", "And/or 20% of $nine... --"),
    ],
)
def test_written_text(text, written):
    assert " ".join(write(sentence) for sentence in sentences(text)) == written


def test_number_classes_are_written_as_fixed_numbers():
    assert write(list(NUMBER_CLASSES)) == " ".join(NUMBER_CLASSES.values())


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Hu didn\u2019t pay 7 (or 1,250) men!! Why? \u201cI know,\u201d he said\u2026 and left.",
        "''Quoted'' words. ``More'' of them; see www.x.org/a.b?c=1. The end",
        "\U0001f600 first. Second \U0001f600\n\nA paragraph without an end\n\n(Another.) Last",
        "word " * 200,
        "",
    ],
)
def test_cutting_keeps_every_sign_and_the_same_sentences(text):
    pieces = cut(text)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(piece == piece.strip() != "" for piece in pieces)
    assert len(pieces) == len(sentences(text))
    assert all(len(tokens(piece)) <= LONGEST_SENTENCE for piece in pieces)
