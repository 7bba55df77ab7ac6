"""Training a writer: torch and NumPy agree, noise is the mechanism's, runs go on, folders are whole."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

if find_spec("torch") is None or find_spec("tokenizers") is None:
    pytest.skip("training needs torch and tokenizers", allow_module_level=True)

import torch

from allonym import models
from allonym.errors import InputError, ParameterError, ResumeError
from allonym.guard import reading
from allonym.mechanisms import Subset
from allonym.networks.erae.groups import WordGroups
from allonym.networks.ghostwriter.model import Writer, WriterSettings, restored
from allonym.networks.ghostwriter.reading import MARKS
from allonym.networks.translation import weights
from allonym.networks.translation.network import Network
from allonym.training.folder import CHECKPOINT, FILES
from allonym.training.ghostwriter.batches import DrawnPassages
from allonym.training.ghostwriter.corpus import NotedPassages, evenly, prepare
from allonym.training.ghostwriter.network import WriterNetwork, from_translation, running
from allonym.training.ghostwriter.own_text import WriterRecipe, train
from allonym.training.ghostwriter.passages import Pieces, passages, with_classes
from allonym.training.keeping import Watcher

CPU = torch.device("cpu")
pytestmark = pytest.mark.usefixtures("one_thread")
RECIPE = WriterRecipe(
    start="nothing", size="tiny", notes=120, pieces=300, candidates=2, slots=8, loss_per_word=8.0, epochs=3, batch=16
)
SENTENCES = ["He said that he would come on Tuesday.", "Nobody has cleaned it since, and I have had enough."]


@pytest.fixture(scope="module")
def corpus(plain_texts):
    return prepared([(None, text) for text in plain_texts])


def prepared(rows, **changed):
    numbers = {"notes": 120, "pieces": 300, "shared_by": 3, "held_out": 0.1, "seed": 1, "from_translation": False}
    return prepare(rows, **numbers | changed)


def run(corpus, folder, recipe=RECIPE, *, resume=False, **watched):
    return train(corpus, recipe, folder, device=CPU, resume=resume, watcher=Watcher(**watched))


class Stop:
    """Asks to stop after some steps."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def __call__(self) -> bool:
        self.left -= 1
        return self.left <= 0


def tensors_of(folder):
    return models.open_tensors(folder)


@pytest.mark.skipif(bool(weights.missing()), reason=weights.missing())
@pytest.mark.parametrize("way", ["en-pt", "pt-en"])
def test_torch_and_numpy_agree_on_sentences_of_the_translation(way):
    """Both compute in float32; they add in another order, so their last digits differ, and no more."""
    stored = weights.open_network(way)
    ours, ported = Network(stored.tensors), WriterNetwork(stored.tensors).eval()
    numbered = [[*stored.tokenizer.encode(one, add_special_tokens=False).ids, 0] for one in SENTENCES]
    longest = max(map(len, numbered))
    pieces = torch.tensor([row + [0] * (longest - len(row)) for row in numbered])
    absent = torch.tensor([[place >= len(row) for place in range(longest)] for row in numbered])
    written = torch.tensor([[5, 6, 900, 3, 0], [40, 3000, 22, 7, 0]])
    with torch.no_grad():
        read, seen = ported.read(ported.weights["Wemb"][pieces], torch.arange(longest), absent)
        ratings = ported.rated(ported.states(written, read, seen)).numpy()
    state, seen_by_us = ours.first_state(2), ours.read(numbered)
    for place in range(5):
        last = None if place == 0 else written[:, place - 1 : place].numpy()
        inner, state = ours.step(last, place, state, seen_by_us)
        rated = inner[:, 0] @ ours.embeddings.T + ours.bias(np.arange(len(ours.embeddings)))
        assert np.abs(rated - ratings[:, place]).max() < 2e-3 * np.abs(rated).max()
        assert (rated.argmax(1) == ratings[:, place].argmax(1)).all()


def test_torch_and_the_folder_agree_on_drawn_notes(small_writer):
    writer = Writer.open(small_writer)
    network = WriterNetwork(restored(tensors_of(small_writer))).eval()
    groups = [[0, 3, 5], [2, 7, 1]]
    notes = torch.from_numpy(writer.groups.members[np.array(groups)])
    pieces = torch.tensor([[9, 12, 14, 0], [11, 10, 9, 0]])
    with torch.no_grad():
        ratings = network(notes, torch.zeros(2, 3, dtype=torch.bool), pieces).numpy()
    ours = writer._network
    rows, size = writer._vectors[writer.groups.members[np.array(groups)].reshape(2, -1)], writer.size
    read = ours.read_rows(rows, np.repeat(np.arange(3), size), [3 * size] * 2)
    state = ours.first_state(2)
    for place in range(4):
        inner, state = ours.step(pieces[:, place - 1 : place].numpy() if place else None, place, state, read)
        rated = inner[:, 0] @ ours.embeddings.T + ours.bias(np.arange(len(ours.embeddings)))
        assert np.abs(rated - ratings[:, place]).max() < 1e-3


def test_states_run_as_they_would_one_after_another():
    kept, added = torch.rand(2, 13, 3, generator=torch.Generator().manual_seed(1)), torch.ones(2, 13, 3)
    state, wanted = torch.zeros(2, 3), []
    for place in range(13):
        state = kept[:, place] * state + added[:, place]
        wanted.append(state)
    assert torch.allclose(running(kept, added), torch.stack(wanted, 1), atol=1e-5)


def test_noise_is_that_of_the_mechanism():
    notes, count = 60, 4000
    settings = WriterSettings(candidates=3, slots=2, loss_per_word=3.0)
    groups = WordGroups(notes, 3)
    number = int(groups.members[4, 1])
    ones = np.ones(count, np.uint16)
    # One note that is taken with one slot; the second slot is always absent.
    given = NotedPassages(ones * 5, ones, ones * number, ones, ones)
    rows = DrawnPassages(given, notes, settings, torch.Generator().manual_seed(3))
    batch = rows.batch(np.arange(count))
    mechanism = Subset(notes, loss=3.0, candidates=3)
    kept = ((batch.notes[:, 0] == torch.from_numpy(groups.members[4])).all(1) & ~batch.absent[:, 0]).double().mean()
    sure = mechanism.probability_of_candidates
    # Within five standard errors; the noise is fixed. Now and then the absent slot draws this group while the first
    # falls silent.
    assert abs(float(kept) - sure) < 5 * (sure * (1 - sure) / count) ** 0.5 + (1 - sure) * 3 / notes
    heard = (~batch.absent).sum(1).double()
    assert heard.max() == 2  # an absent note is drawn like any other


def test_passages_have_one_style_and_state_nothing():
    text = "On 3 May Mrs Hu paid me £40!!! It's a DISGRACE - I told her so; she laughed. We live in Leeds."
    found = " ".join(with_classes(reading.read(passage)) for passage in passages(text))
    assert not any(sign in found for sign in ("!", ";", "40", "Hu", "Leeds", "May"))
    assert "[amount]" in found
    assert list(passages("私は昨日、港で猫を見ました。")) == []


def test_pieces_are_put_together_again():
    cutter = Pieces.learned(["the old boat, the new boat.", "a boat and [name]'s friend."] * 20, 60)
    from allonym.networks.ghostwriter.model import joined

    assert joined(cutter.of("the old boat and [name]'s friend, the new boat.")) == (
        "The old boat and [name]'s friend, the new boat."
    )


def test_rare_words_and_names_are_on_no_list(plain_texts):
    rows = [(None, text) for text in plain_texts]
    rows += [("one writer", f"Zebedee Xylofon kept a marmoset. {text} Marmosets eat figs.") for text in plain_texts[:9]]
    found = prepared(rows)
    assert found.vocabulary.forms[4 : 4 + len(MARKS)] == MARKS
    assert not {"zebedee", "xylofon", "marmoset", "fig"} & set(found.vocabulary.tokens)
    assert not any("armoset" in piece or "ebedee" in piece for piece in found.pieces)


@pytest.mark.parametrize("rows", [[], [(None, "")], [(None, "Only one short text is here.")]])
def test_too_little_text_is_said(rows):
    with pytest.raises(InputError, match="give more text"):
        prepared(rows)


def test_held_out_passages_are_spread_evenly(corpus):
    few = evenly(corpus.learned, 10)
    assert len(few) == 10
    assert few.piece_counts.sum() == len(few.pieces)
    assert few.note_counts.sum() == len(few.notes) == len(few.slots)
    assert evenly(few, 10) is few


def test_the_loss_falls_and_the_folder_is_a_model(corpus, tmp_path):
    losses = []
    found = run(corpus, tmp_path / "model", look=lambda found: losses.append(found["held_out_loss"]))
    assert losses[-1] < losses[0] - 0.3
    assert found["lowest"] == min(losses)
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == sorted(FILES)
    card = (tmp_path / "model" / models.CARD).read_text("utf-8")
    assert "release of its training text" in card
    assert "{" not in card
    assert "the text that the network was trained on is public" in Writer.open(tmp_path / "model").assumptions


def test_a_resumed_run_ends_as_one_that_was_not_interrupted(corpus, tmp_path):
    run(corpus, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run(corpus, tmp_path / "parts", stop=Stop(9))
    assert (tmp_path / "parts" / CHECKPOINT).is_dir()
    assert run(corpus, tmp_path / "parts", resume=True)["as_if_uninterrupted"]
    whole, parts = tensors_of(tmp_path / "whole"), tensors_of(tmp_path / "parts")
    assert all((whole[name] == parts[name]).all() for name in whole)


def test_a_damaged_checkpoint_is_refused(corpus, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(corpus, tmp_path / "model", stop=Stop(3))
    (file,) = (tmp_path / "model" / CHECKPOINT).glob("*.safetensors")
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(ResumeError, match="damaged"):
        run(corpus, tmp_path / "model", resume=True)


def test_a_size_that_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="one size"):
        WriterRecipe(size="tiny")
    assert replace(RECIPE, epochs=None, minutes=None).schedule(160).steps == 200


@pytest.mark.skipif(bool(weights.missing()), reason=weights.missing())
def test_a_network_begins_as_the_translation():
    stored = weights.open_network("pt-en")
    found = from_translation(["<pad>", "boat", "[name]"], ["</s>", "<unk>", "▁[name]", "▁boat"])
    number = stored.tokenizer.get_vocab()["▁boat"]
    assert (found["Wemb"][3] == stored.tensors["Wemb"][number]).all()
    assert found["decoder_ff_logit_out_b"].shape == (1, 4)
    assert found["notes"].shape == (3, 256)
    assert WriterNetwork(found).width == 256
