"""The writer: its text follows from the drawn numbers alone, its folder is checked, and harmful words stay out."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from allonym import models
from allonym.errors import ModelError
from allonym.language.blocked_words import blocked
from allonym.language.sequences import SPECIAL, Vocabulary
from allonym.networks.ghostwriter import ranking
from allonym.networks.ghostwriter.model import PIECES, Writer, WriterSettings, as_stored, restored, writer_shapes
from allonym.networks.ghostwriter.reading import MARKS

TEXT = "The old teacher lost the fishing boat in the rain. My kind neighbour found a heavy book near the river."


@pytest.fixture(scope="module")
def writer(small_writer):
    return Writer.open(small_writer)


def made(pieces, *, seed=1, notes=40, candidates=2):
    vocabulary = Vocabulary((*SPECIAL, *MARKS, *(f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(notes))))
    generator = np.random.default_rng(seed)
    shapes = writer_shapes(16, 16, 1, 1, notes=len(vocabulary), pieces=len(pieces))
    tensors = {
        name: generator.normal(size=shape[1:] if shape[0] == 1 else shape).astype(np.float32)
        for name, shape in shapes.items()
    }
    return WriterSettings(candidates, 6, 8.0), tensors, vocabulary, pieces


def test_drawn_notes_come_back_in_the_text(writer):
    drawn = writer.sets(TEXT, 8)[:, 0]
    text = writer.text(drawn)
    taken = {writer.vocabulary.forms[number] for number in writer.taken(TEXT, 8)} - set(MARKS)
    written = {writer.vocabulary.forms[number] for number in writer.reader.numbers(text)}
    assert len(taken & written) >= len(taken) / 2
    assert text[0].isupper()


def test_any_member_of_a_group_gives_the_same_text(writer):
    sets = writer.sets(TEXT, 8)
    assert writer.text(sets[:, 0]) == writer.text(sets[:, 1])
    assert writer.text(sets[:, 0].tolist()) == writer.text(sets[:, 0])


def test_silence_writes_nothing(writer):
    assert writer.text(writer.sets("", 12)[:, 0]) == ""
    assert writer.text([]) == ""


def test_more_notes_than_are_written_together_are_written_in_parts(writer):
    slots = 3 * writer.settings.slots
    row = np.resize(writer.sets(TEXT, 8)[:, 0], slots)
    size = writer.settings.slots
    parts = [writer.text(row[start : start + size]) for start in range(0, slots, size)]
    assert len(writer.text(row).split()) <= writer.most_words(slots)
    assert all(part for part in parts)
    assert writer.text(row) == parts[0]  # all parts are the same, and said once


def test_a_folder_is_refused_if_its_weights_do_not_fit(writer, small_writer, tmp_path):
    for name, change in (
        (models.PIECES, lambda content: content + b"more\n"),
        (models.VOCABULARY, lambda content: content + b"zebra\n"),
        (models.CONFIG, lambda content: json.dumps({**json.loads(content), "settings": {"slots": 0}}).encode()),
        (models.CONFIG, lambda content: json.dumps({**json.loads(content), "settings": None}).encode()),
    ):
        folder = tmp_path / f"{name}-{len(list(tmp_path.iterdir()))}"
        shutil.copytree(small_writer, folder)
        (folder / name).write_bytes(change((folder / name).read_bytes()))
        with pytest.raises(ModelError, match="checksum"):
            Writer.open(folder)
        models.seal(folder)
        with pytest.raises(ModelError, match="make or fetch"):
            Writer.open(folder)


def test_a_network_of_another_shape_is_refused():
    settings, tensors, vocabulary, pieces = made((*PIECES, "▁a", "▁b"))
    Writer(settings, tensors, vocabulary, pieces)
    for broken in (
        {name: tensor for name, tensor in tensors.items() if name != "decoder_l1_rnn_bf"},
        tensors | {"notes": tensors["notes"][:-1]},
        tensors | {"Wemb": np.full_like(tensors["Wemb"], np.nan)},
        {},
    ):
        with pytest.raises(ModelError, match="do not fit"):
            Writer(settings, broken, vocabulary, pieces)


def test_no_harmful_word_is_written_in_one_piece_or_in_several():
    harmful = sorted(word for word in blocked() if word.isalpha() and len(word) > 5)[:20]
    whole = tuple(f"▁{word}" for word in harmful)
    halves = tuple(piece for word in harmful for piece in (f"▁{word[:3]}", word[3:]))
    for pieces in ((*PIECES, *whole, "▁day"), (*PIECES, *dict.fromkeys(halves), "▁day")):
        for seed in range(4):
            writer = Writer(*made(pieces, seed=seed))
            for row in range(4, 40, 6):
                words = writer.text([row, row + 1, row + 2]).lower().replace(".", " ").split()
                assert not blocked() & set(words)


def test_no_text_goes_round_in_circles(writer):
    for seed in range(5):
        drawn = np.random.default_rng(seed).integers(0, len(writer.vocabulary), 8)
        words = writer.text(drawn).lower().split()
        runs = [tuple(words[start : start + 6]) for start in range(len(words) - 5)]
        assert len(runs) == len(set(runs))


def test_a_network_that_knows_marks_alone_writes_nothing():
    for seed in range(4):
        writer = Writer(*made((*PIECES, "-", "'", ",", "▁-"), seed=seed))
        assert writer.text([30, 33, 37]) == ""


def test_what_is_stored_is_what_was_given_but_for_the_rounding():
    tensors = made((*PIECES, "▁a", "▁b"))[1]
    again = restored(as_stored(tensors))
    assert again.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert again[name].shape == tensor.shape
        assert np.abs(again[name] - tensor).max() <= np.abs(tensor).max() / 127


def test_of_several_versions_that_is_written_whose_notes_agree():
    notes = {"good": [1, 2, 3], "turned": [3, 2, 1], "more": [1, 2, 3, 7, 8, 9]}
    versions = [("turned", -0.1), ("more", -0.1), ("good", -0.2)]
    assert ranking.best(versions, [1, 2, 3], notes.__getitem__) == "good"
    assert ranking.best([], [1], notes.__getitem__) == ""
