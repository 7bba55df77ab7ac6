"""The style encoder: exact vectors by NumPy, the same as the trained network's, and a training that learns."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from scipy import sparse

from allonym import models
from allonym.errors import ModelError
from allonym.networks.style_encoder.inference import LONGEST_PIECE, StyleReader, StyleShape
from allonym.networks.style_encoder.text import COARSE, FINE, KINDS, numbered

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="needs the extra neural (torch)")

TEXTS = [
    "Well, I suppose the train was fine; however, the dinner -- as ever -- was late! Really, quite late...",
    "",
    " \n\t ",
    "the garden is good. the letter is bad. i go home.",
    "日本語 🎉 שלום 12,345.67 !!!",
    "word " * 1500,
    "x" * 20_000,
    "\0\ud800",
]

NUMBERS, LAST_THREE = 664, [-0.010835507448070929, 0.017092570689688946, -0.031146366251965887]  # of the first


@pytest.fixture(scope="module")
def reader():
    return StyleReader.open()


def random_arrays(shape):
    """Return arrays that fit, of no trained network."""
    places = np.arange(10**6) * 2654435761 % 2**32 / 2**32  # spread evenly enough
    found = {}
    for name, sizes in shape.tensors().items():
        values = np.resize(places, sizes)
        if name.endswith("codes"):
            found[name] = (values * 256).astype(np.uint8)
        elif name.endswith("weights"):
            found[name] = np.arange(1, 257).astype(np.int32)
        elif name.endswith(("table", ".weight")):
            found[name] = np.rint(values * 254 - 127).astype(np.int8)
        elif name.endswith("shares"):
            found[name] = np.full(sizes, len(KINDS) ** -0.5, dtype=np.float32)
        else:
            found[name] = (values * 0.01 + 0.001).astype(np.float32)
    return found


def test_vectors_have_length_one_and_do_not_depend_on_the_batch(reader):
    together = reader.vectors(TEXTS)
    assert together.shape == (len(TEXTS), reader.size)
    np.testing.assert_allclose(np.sqrt(together.multiply(together).sum(axis=1)), 1, atol=1e-12)
    alone = sparse.vstack([reader.vectors([text]) for text in TEXTS])
    assert (together != alone).nnz == 0
    backwards = reader.vectors(TEXTS[::-1])[::-1]
    assert (together != backwards).nnz == 0
    assert reader.vectors([]).shape == (0, reader.size)


def test_many_texts_are_read_in_chunks(reader, monkeypatch):
    whole = reader.vectors(TEXTS)
    monkeypatch.setattr("allonym.networks.style_encoder.inference._CHARACTERS_AT_ONCE", 50)
    assert (whole != reader.vectors(TEXTS)).nnz == 0


def test_a_long_text_is_the_mean_of_its_pieces(reader):
    one, other = (f"{word} " * LONGEST_PIECE for word in ("tea", "bus"))
    pieces = reader.vectors([one, other, one + other])
    second = slice(sum(FINE), None)
    mean = pieces[[0, 1], second].toarray().sum(0)
    np.testing.assert_allclose(pieces[[2], second].toarray()[0] / 0.1**0.5, mean / np.linalg.norm(mean), atol=1e-9)


def test_the_balance_is_the_share_of_the_second_part(reader):
    vectors = reader.vectors(TEXTS[:1]).toarray()[0]
    assert np.square(vectors[sum(FINE) :]).sum() == pytest.approx(reader.balance)


def test_the_shipped_encoder_is_small_and_holds_no_text():
    model = models.verify("style-encoder-en")
    assert model.size_bytes <= 8e6
    assert model.files == ("CARD.md", "config.json", "weights.safetensors")


def test_a_text_s_vector_is_what_it_was(reader):
    """Catches a change of what is read or computed: attackers saved before would then misread."""
    vector = reader.vectors(TEXTS[:1])
    assert vector.nnz == NUMBERS
    np.testing.assert_allclose(vector.toarray()[0, -3:], LAST_THREE, rtol=1e-9)


def test_what_does_not_fit_is_refused():
    shape = StyleShape(table=4, hidden=6, vector=5)
    arrays = random_arrays(shape)
    assert StyleReader(shape, arrays, 0.5).vectors(["one text"]).shape == (1, sum(FINE) + 5)
    for name in shape.tensors():
        with pytest.raises(ModelError, match="does not fit"):
            StyleReader(shape, arrays | {name: arrays[name][1:]}, 0.5)
    for balance in (-0.1, 1.1, float("nan")):
        with pytest.raises(ModelError, match="balance"):
            StyleReader(shape, arrays, balance)
    with pytest.raises(ModelError):
        StyleReader.open("style-en")


@needs_torch
def test_numpy_computes_what_the_network_does(reader):
    import torch

    from allonym.training.style_encoder.batches import WriterTexts
    from allonym.training.style_encoder.network import FeatureWeights, StyleVector

    exact = models.open_tensors("style-encoder-en")
    texts = [TEXTS[0], TEXTS[3], "Nobody told me, did they? " * 8]
    characters, ranges = numbered(texts)
    prepared = WriterTexts(characters, ranges, np.arange(len(texts)), torch.device("cpu"), forms=1)
    counts = prepared.counts(*prepared.tokens.unbind(1))
    networks = {"fine": FeatureWeights(), "coarse": StyleVector(reader.shape)}
    for name, network in networks.items():
        network.base.copy_(torch.from_numpy(np.log(exact[f"{name}.weights"][exact[f"{name}.codes"]] / 100.0)))
        network.shares.data.copy_(torch.from_numpy(2 * np.log(exact[f"{name}.shares"])))
    scales = np.repeat(exact["table.scale"], COARSE, axis=0)
    state = {"table": torch.from_numpy(exact["table"] * scales), "bias": torch.from_numpy(exact["bias"].copy())}
    for layer in ("inner", "outer", "straight"):
        weight = exact[f"{layer}.weight"] * exact[f"{layer}.weight.scale"][:, None]
        state[f"{layer}.weight"] = torch.from_numpy(weight)
        if layer != "straight":
            state[f"{layer}.bias"] = torch.from_numpy(exact[f"{layer}.bias"].copy())
    networks["coarse"].load_state_dict(state, strict=False)
    found = reader.vectors(texts).toarray()
    with torch.no_grad():
        first, second = (network.eval()(counts).numpy() for network in networks.values())
    np.testing.assert_allclose(found[:, : sum(FINE)] / 0.9**0.5, first, atol=1e-5)
    np.testing.assert_allclose(found[:, sum(FINE) :] / 0.1**0.5, second, atol=1e-3)


def invented(writers, each):
    """Make texts of writers who each have two habits among many."""
    signs = ("!", ";", "...", " -", "?", " :)")
    fillers = ("well", "anyway", "honestly", "you know", "i guess", "so")
    texts, owners = [], []
    for writer in range(writers):
        sign, filler = signs[writer % 6], fillers[writer // 6 % 6]
        for number in range(each):
            things = [("tea", "bus", "rain", "cat", "door")[(number * 3 + place) % 5] for place in range(8)]
            texts.append(" ".join(f"{filler} the {thing} was late{sign}" for thing in things))
            owners.append(writer)
    return texts, np.array(owners)


@needs_torch
def test_training_learns_and_repeats_itself(monkeypatch):
    import torch

    from allonym.training.style_encoder.batches import WriterTexts
    from allonym.training.style_encoder.loop import StyleSettings, StyleTraining, watch
    from allonym.training.style_encoder.network import FeatureWeights, StyleVector

    torch.set_num_threads(1)
    monkeypatch.setattr("allonym.training.style_encoder.loop._DRAWS", 1)
    texts, writers = invented(6, 10)
    prepared = WriterTexts(*numbered(texts), writers, torch.device("cpu"))
    settings = StyleSettings(steps=1, writers=6, each=3, warm_up=2, left_out=0, average=0.5, minutes=60, every=3600)
    for make in (FeatureWeights, lambda: StyleVector(StyleShape(table=8, hidden=16, vector=8), dropout=0.0)):
        runs = []
        for _ in range(2):
            torch.default_generator.manual_seed(1)
            looks = []
            training = StyleTraining(make(), prepared, {"same": prepared}, settings, looks.append)
            trained = training.run()
            assert [look["same accuracy"] for look in looks] == [watch(trained, prepared)["accuracy"]]
            runs.append(trained.state_dict())
        for weight, other in zip(*(run.values() for run in runs), strict=True):
            torch.testing.assert_close(weight, other)
        batch = training.crops.draw(6, 3)
        losses = [training.step(batch) for _ in range(6)]
        assert losses[-1] < losses[0]


@needs_torch
def test_the_loss_is_that_of_the_paper():
    import torch

    from allonym.training.style_encoder.loop import contrastive_loss

    scores = torch.tensor([[9.0, 2.0, 1.0, 0.5], [2.0, 9.0, 0.0, 1.5], [1.0, 0.0, 9.0, 3.0], [0.5, 1.5, 3.0, 9.0]])
    writers, texts = torch.tensor([0, 0, 0, 1]), torch.tensor([0, 1, 1, 2])
    rows = [
        np.log(np.exp(2.0) + np.exp(1.0) + np.exp(0.5)) - (2.0 + 1.0) / 2,
        -np.log(np.exp(2.0) / (np.exp(2.0) + np.exp(1.5))),  # the third is of the same text
        -np.log(np.exp(1.0) / (np.exp(1.0) + np.exp(3.0))),
    ]  # the last writer has no other text
    assert contrastive_loss(scores, writers, texts).item() == pytest.approx(float(np.mean(rows)), abs=1e-6)
