"""ER-AE's network in NumPy: equal to torch's, whatever shares its batch; int8 weights come close to float ones."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from allonym import models
from allonym.errors import ModelError, ParameterError
from allonym.language.sequences import END, SPECIAL, START, Vocabulary
from allonym.networks.erae import inference
from allonym.networks.erae.inference import EraeReader, EraeShape
from allonym.networks.whole_numbers import quantised
from allonym.randomness import insecure

WORDS = 300
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed (allonym[neural])")
variants = pytest.mark.parametrize("variant", ["paper", "attention"])


def shape_of(variant):
    return EraeShape(words=WORDS, variant=variant, embedding=24, encoder=16, latent=12, generator=40)


def vocabulary():
    return Vocabulary((*SPECIAL, *(f"w{number}" for number in range(WORDS - len(SPECIAL)))))


def numbers(count, seed=1):
    """Fixed numbers between -1 and 1."""
    return np.asarray(insecure(seed).below(2**20, (count,)), np.float64) / 2**19 - 1


def random_weights(shape, seed=1):
    made = {}
    for place, (name, sizes) in enumerate(shape.tensors().items()):
        spread = 1.5 if name.endswith("weight") and "embedding" not in name else 1.0
        spread /= np.sqrt(sizes[-1]) / 2 if len(sizes) == 2 else 1
        made[name] = (spread * numbers(int(np.prod(sizes)), seed + place)).reshape(sizes).astype(np.float32)
    return made


def in_int8(weights):
    stored = {}
    for name, array in weights.items():
        stored[name] = array
        if array.ndim == 2:
            stored[name], stored[name + ".scale"] = quantised(array)
    return stored


def sentences(lengths, seed=7):
    drawn = iter(np.asarray(insecure(seed).below(WORDS - 3, (sum(lengths),))).tolist())
    return [[3 + next(drawn) for _ in range(length)] for length in lengths]  # unknown words, too


def reader(variant):
    shape = shape_of(variant)
    return EraeReader(shape, random_weights(shape), vocabulary())


def rounded_weights(shape):
    """The weights as the reader has them, in floats."""
    stored = in_int8(random_weights(shape))
    return {
        name: stored[name] * stored[name + ".scale"][:, None] if stored[name].dtype == np.int8 else stored[name]
        for name in random_weights(shape)
    }


def torch_logits(variant, sentence, steps):
    """The torch network's answer for one sentence, by itself."""
    import torch

    from allonym.training.erae import network as erae

    shape = shape_of(variant)
    network = erae.Erae(erae.EraeShape(**vars(shape))).eval()
    network.load_state_dict({name: torch.from_numpy(array) for name, array in rounded_weights(shape).items()})
    read = [*sentence, END]
    previous = [START, *sentence, *[END] * steps][:steps]
    with torch.no_grad():
        found = network(torch.tensor([read]), torch.tensor([len(read)]), torch.tensor([previous]))
        features = network.features(torch.tensor([read]), torch.tensor([len(read)]), torch.tensor([previous]))
    return features[0].numpy(), found[0].numpy()


def close(found, wanted, relative):
    return np.abs(found - wanted).max() <= relative * np.abs(wanted).max()


@needs_torch
@variants
def test_numpy_says_what_torch_says(variant):
    network = reader(variant)
    given = sentences([7, 0, 50, 1, 23, 50])
    steps = [8, 3, 53, 60, 5, 51]
    features = network.features(given, steps)
    logits = np.concatenate([block.copy() for block in network.ratings(features, rows=17)])
    written = [number for number in range(WORDS) if number not in inference.NEVER_WRITTEN]
    first = 0
    for sentence, count in zip(given, steps, strict=True):
        wanted_features, wanted_logits = torch_logits(variant, sentence, count)
        rows = slice(first, first + count)
        assert close(features[rows], wanted_features, 5e-4)
        wanted_logits, found = wanted_logits[:, written], logits[rows][:, written]
        best = wanted_logits >= np.sort(wanted_logits, axis=1)[:, -10:-9]
        assert close(found[best], wanted_logits[best], 1e-3)
        assert close(found, wanted_logits, 5e-2)  # 6 bits for those far behind
        first += count
    assert first == len(features) == len(logits)


@needs_torch
def test_steps_after_the_end_are_those_of_training():
    import torch

    from allonym.training.erae.loop import EraeSentences

    given = sentences([3, 5])
    flat = np.array([token for sentence in given for token in sentence])
    batch = EraeSentences(flat, np.array([3, 5]), torch.device("cpu")).batch(np.array([0, 1]))
    assert batch.previous.shape[1] > 6
    for row, sentence in enumerate(reversed(given)):
        fed = [START, *sentence, *[END] * batch.previous.shape[1]][: batch.previous.shape[1]]
        assert batch.previous[row].tolist() == fed


@variants
def test_a_sentence_does_not_depend_on_its_neighbours(variant, monkeypatch):
    network = reader(variant)
    given = sentences([5, 0, 12, 50, 1, 30, 12, 9] * 3)
    alone = np.concatenate([network.features([sentence], 20) for sentence in given])
    assert (network.features(given, 20) == alone).all()
    monkeypatch.setattr(inference, "_SENTENCES_AT_ONCE", 16)
    assert (network.features(given, 20) == alone).all()
    assert (network.features(given * 2, 20) == np.concatenate([alone, alone])).all()
    rows = np.concatenate([block.copy() for block in network.ratings(alone[:3], rows=1, normalise=True)])
    assert (rows == network.probabilities(alone[:3]).reshape(rows.shape)).all()


@variants
def test_later_words_do_not_change_what_a_step_is_fed_but_the_encoder_reads_them(variant):
    network = reader(variant)
    one, other = [[5, 6, 7]], [[5, 6, 8]]
    assert not close(network.features(one, 1), network.features(other, 1), 1e-5)


def test_threads_fill_every_row(monkeypatch):
    network = reader("attention")
    given = sentences([index % 9 for index in range(40)])
    wanted = network.features(given, 6)
    probabilities = network.probabilities(wanted)
    monkeypatch.setattr(inference.acceleration, "_ENTRIES_WORTH_COMPILING", 1)
    monkeypatch.setattr(inference, "_SENTENCES_AT_ONCE", 7)
    assert (network.features(given, 6) == wanted).all()
    assert (network.probabilities(wanted) == probabilities).all()


def test_probabilities_are_probabilities():
    network = reader("paper")
    features = network.features(sentences([4, 0]), 5)
    rows = network.probabilities(features)
    assert features.shape == (2, 5, 24)
    assert rows.shape == (2, 5, WORDS)
    assert rows.dtype == np.float32
    assert np.abs(rows.sum(axis=-1) - 1).max() < 1e-5
    assert not rows[..., list(inference.NEVER_WRITTEN)].any()
    assert (rows[..., END] > 0).all()
    blocks = [block.copy() for block in network.ratings(features, rows=3, normalise=True)]
    assert (np.concatenate(blocks) == rows.reshape(10, WORDS)).all()


@variants
def test_single_words_are_rated_as_all_are(variant):
    network = reader(variant)
    features = network.features(sentences([3]), 4)[0]
    [ratings] = network.ratings(features)
    best = np.argsort(-ratings, axis=1)[:, :5]
    assert (network.ratings_of(features, best) == np.take_along_axis(ratings, best, 1)).all()


def test_blocks_share_one_buffer():
    network = reader("paper")
    blocks = list(network.ratings(network.features([[5]], 6), rows=2))
    assert [len(block) for block in blocks] == [2, 2, 2]
    assert all(np.shares_memory(block, blocks[0]) for block in blocks)


def test_nothing_to_read():
    network = reader("attention")
    assert network.features([], 5).shape == (0, 5, 24)
    assert network.features([[5]], 0).shape == (1, 0, 24)
    assert network.probabilities(network.features([], 5)).shape == (0, 5, WORDS)
    assert network.features([[5], []], [0, 0]).shape == (0, 24)
    assert list(network.ratings(network.features([], 5))) == []


def test_a_row_of_int8_is_within_half_a_step():
    matrix = numbers(60).reshape(6, 10).astype(np.float32)
    matrix[2] = 0
    whole, scales = quantised(matrix)
    assert (np.abs(whole * scales[:, None] - matrix) <= 0.5001 * scales[:, None]).all()
    assert (np.abs(whole).max(axis=1) == [127, 127, 0, 127, 127, 127]).all()


@variants
def test_floats_are_rounded_to_int8_first(variant):
    shape = shape_of(variant)
    stored = EraeReader(shape, in_int8(random_weights(shape)), vocabulary())
    assert (stored.features(sentences([9, 4]), 10) == reader(variant).features(sentences([9, 4]), 10)).all()


def test_int8_ratings_are_the_same_bits_in_any_company():
    shape = shape_of("paper")
    network = EraeReader(shape, in_int8(random_weights(shape)), vocabulary())
    features = network.features(sentences([30, 2]), 40)
    together = np.concatenate([block.copy() for block in network.ratings(features)])
    for rows in (1, 7):
        assert (np.concatenate([block.copy() for block in network.ratings(features, rows=rows)]) == together).all()


@pytest.fixture
def folder(tmp_path):
    """A model folder, as shipped."""
    shape = shape_of("attention")
    save_file(in_int8(random_weights(shape)), tmp_path / models.WEIGHTS)
    vocabulary().save(tmp_path / "vocabulary.txt")
    (tmp_path / models.CARD).write_text("# A model\n", "utf-8")
    config = {"name": "tiny", "format": "erae", "version": 1, "shape": vars(shape)}
    (tmp_path / models.CONFIG).write_text(json.dumps(config), "utf-8")
    models.seal(tmp_path)
    return tmp_path


def test_a_folder_opens(folder):
    network = EraeReader.open(folder)
    assert network.shape == shape_of("attention")
    assert network.vocabulary == vocabulary()
    given = sentences([4])
    wanted = EraeReader(network.shape, in_int8(random_weights(network.shape)), vocabulary()).features(given, 5)
    assert (network.features(given, 5) == wanted).all()


def test_damaged_weights_are_refused(folder):
    path = folder / models.WEIGHTS
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(ModelError, match="does not match its checksum"):
        EraeReader.open(folder)


@pytest.mark.parametrize("change", [{"format": "word-table"}, {"version": 2}, {"shape": {}}, {"shape": None}])
def test_other_models_are_refused(folder, change):
    config = json.loads((folder / models.CONFIG).read_text("utf-8"))
    (folder / models.CONFIG).write_text(json.dumps(config | change), "utf-8")
    models.seal(folder)
    with pytest.raises(ModelError, match=r"format|sizes"):
        EraeReader.open(folder)


def test_weights_that_do_not_fit_are_refused():
    shape = shape_of("attention")
    weights = in_int8(random_weights(shape))
    with pytest.raises(ModelError, match=r"lack 'mix\.bias'"):
        EraeReader(shape, {name: array for name, array in weights.items() if name != "mix.bias"}, vocabulary())
    with pytest.raises(ModelError, match=r"scales of 'output\.weight'"):
        EraeReader(shape, {name: weights[name] for name in weights if name != "output.weight.scale"}, vocabulary())
    with pytest.raises(ModelError, match="not finite"):
        EraeReader(shape, weights | {"bias": np.full(WORDS, np.nan, np.float32)}, vocabulary())
    with pytest.raises(ModelError, match="vocabulary"):
        EraeReader(shape, weights, Vocabulary((*SPECIAL, "one")))


def test_wrong_arguments_are_refused():
    network = reader("paper")
    with pytest.raises(ParameterError, match="Tokens"):
        network.features([[WORDS]], 3)
    with pytest.raises(ParameterError, match="steps"):
        network.features([[5]], -1)
    with pytest.raises(ParameterError, match="one number of steps"):
        network.features([[5], [6]], [1, 2, 3])
    with pytest.raises(ParameterError, match="rows"):
        list(network.ratings(network.features([[5]], 2), rows=0))


def test_trained_weights_become_a_folder(tmp_path):
    shape, weights = shape_of("attention"), random_weights(shape_of("attention"))
    halves = {name: array.astype(np.float16) for name, array in weights.items()}
    names = sorted(halves)
    for number, part in enumerate((names[::2], names[1::2]), start=1):
        save_file({name: halves[name] for name in part}, tmp_path / f"weights-{number}.safetensors")
    (tmp_path / "training.json").write_text(json.dumps({"shape": vars(shape), "state": {"step": 3}}), "utf-8")
    vocabulary().save(tmp_path / "words.txt")
    held_out = sentences([5, 9, 2])
    flat, lengths = np.concatenate(held_out).astype(np.uint16), np.array([5, 9, 2], np.uint8)
    np.savez(tmp_path / "sentences.npz", held_out=flat, held_out_lengths=lengths)
    tool = Path(__file__).resolve().parents[3] / "tools" / "ship_erae.py"
    options = ["--config", "training.json", "--vocabulary", "words.txt", "--sentences", "sentences.npz", "-o", "tiny"]
    files = ["--weights", "weights-1.safetensors", "weights-2.safetensors", "--name", "tiny"]
    subprocess.run([sys.executable, str(tool), *files, *options], cwd=tmp_path, check=True, capture_output=True)
    network = EraeReader.open(tmp_path / "tiny")
    wanted = EraeReader(shape, halves, vocabulary()).features(held_out, 4)
    assert np.abs(network.features(held_out, 4) - wanted).max() < 0.05 * np.abs(wanted).max()
    rounding = models.verify(tmp_path / "tiny").config["rounding"]
    assert rounding["shared_of_five"] > 0.9
    assert rounding["steps"] <= 19
