"""Notes: what is read of a text, which of them are taken, and that no other thing of the text shows."""

from __future__ import annotations

import pytest

from allonym.language.sequences import SPECIAL, Vocabulary
from allonym.networks.ghostwriter.choosing import MOST_SLOTS, NoteReader
from allonym.networks.ghostwriter.reading import CLASSES, MARKS, flat, units
from allonym.networks.sentences.encoder import similarities

TEXT = (
    "The landlord never repaired the boiler. My daughter was cold all winter. We asked him to pay for a heater. "
    "He laughed at us. The boiler is broken now, and the damp is everywhere."
)
WORDS = "landlord repair boiler daughter cold winter ask pay heater laugh broken break damp".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def reader():
    return NoteReader(Vocabulary((*SPECIAL, *MARKS, *WORDS)))


def test_facts_are_no_more_than_their_class():
    text = "On 3 May 2024 Karen Hu, from Leeds, paid £1,200.50 at 14:30; call 0113 496 0000 or write to k@hu.org."
    notes = flat(text)
    assert {"[date]", "[name]", "[place]", "[amount]", "[time]", "[address]"} <= set(notes)
    assert not {"karen", "hu", "leeds", "may", "k", "org"} & {note.lower() for note in notes}
    assert not any(any(sign.isdigit() for sign in note) for note in notes)
    assert set(CLASSES.values()) <= set(MARKS)


def test_who_and_whether_stand_before_what_they_are_said_of():
    notes = [unit.notes for unit in units("I did not sign the contract. She never called me.")]
    assert notes[0] == ("<past>",)
    assert ("i", "not", "sign") in notes
    assert any("never" in unit and "call" in unit for unit in notes)


@pytest.mark.parametrize(
    ("text", "tense"), [("He went home.", "<past>"), ("He is at home.", "<present>"), ("He will come.", "<future>")]
)
def test_when_it_was_comes_first(text, tense):
    assert flat(text)[0] == tense


@pytest.mark.parametrize(
    "text", ["", " \n ", "🧑‍🚀🚀", "私は昨日、港で猫を見ました。", "NUL\x00 and \ud800", "!!!", "a" * 100_000]
)
def test_any_text_has_notes_or_none(text, reader):
    assert all(isinstance(note, str) for note in flat(text))
    assert len(reader.read(text, 5).taken(5)) <= 5


def test_more_slots_only_add_notes(reader):
    before: set[int] = set()
    for slots in range(1, 20):
        taken = reader.read(TEXT, slots).taken(slots).tolist()
        assert len(taken) <= slots
        assert taken == reader.read(TEXT, MOST_SLOTS).taken(slots).tolist()
        assert before <= set(taken)
        before = set(taken)


def test_what_is_taken_stands_in_the_order_of_the_text(reader):
    everything = reader.read(TEXT, MOST_SLOTS).numbers.tolist()
    taken = iter(everything)
    assert all(number in taken for number in reader.read(TEXT, 8).taken(8).tolist())


def test_what_is_taken_says_more_than_as_many_words_from_the_beginning(reader):
    forms = reader.vocabulary.forms
    taken = [forms[number] for number in reader.read(TEXT, 6).taken(6)]
    first = [forms[number] for number in reader.read(TEXT, MOST_SLOTS).numbers[: len(taken)]]
    vectors = reader.encoder.encode([TEXT, " ".join(taken), " ".join(first)])
    nearness = similarities(vectors[[0, 0]], vectors[[1, 2]])
    assert nearness[0] > nearness[1]


def test_unknown_words_are_no_notes(reader):
    assert reader.read("they qzxjvk wvutsrqpx", 10).numbers.tolist() == []


def test_a_long_text_is_read_quickly_enough_to_be_read_at_all(reader):
    assert len(reader.read(f"{TEXT} " * 500, 24).taken(24)) <= 24
