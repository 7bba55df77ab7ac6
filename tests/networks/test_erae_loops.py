"""The compiled product of whole numbers: NumPy's ratings, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.networks import erae_inference
from allonym.networks.erae_inference import EraeReader, Shape, quantised
from allonym.randomness import insecure
from allonym.sequences import SPECIAL, Vocabulary

loops = pytest.importorskip("allonym.networks._erae_loops", reason="numba is not installed")
if not loops.AVAILABLE:
    pytest.skip("this processor has no VNNI instructions", allow_module_level=True)


def whole(shape, seed):
    return (np.asarray(insecure(seed).below(255, shape)) - 127).astype(np.int8)


def positive(count, seed):
    return ((np.asarray(insecure(seed).below(1000, (count,))) + 1) / 700).astype(np.float32)


@pytest.mark.parametrize("words", [loops.LEAST_WORDS, 65, 300])
@pytest.mark.parametrize("rows", [loops.LEAST_ROWS, 7, 48, 101])
def test_the_same_bits_as_numpy(rows, words):
    features, embedding = whole((rows, 36), 1), whole((words, 36), 2)
    steps, scales, bias = positive(rows, 3), positive(words, 4), positive(words, 5)
    found = np.full((rows, words), np.nan, np.float32)
    loops.rate(features, loops.packed(embedding), steps, scales, bias, found)
    wanted = (features.astype(np.int64) @ embedding.astype(np.int64).T).astype(np.float32)
    assert (found == wanted * steps[:, None] * scales + bias).all()


def test_extremes_do_not_overflow():
    features, embedding = np.full((12, 1040), -127, np.int8), np.full((64, 1040), 127, np.int8)
    ones, out = np.ones(64, np.float32), np.empty((12, 64), np.float32)
    loops.rate(features, loops.packed(embedding), ones[:12], ones, 0 * ones, out)
    assert (out == -1040 * 127 * 127).all()


def test_what_does_not_fit_is_refused():
    ones, out = np.ones(64, np.float32), np.empty((2, 64), np.float32)
    with pytest.raises(ValueError, match="out must be"):
        loops.rate(whole((2, 8), 1), loops.packed(whole((64, 8), 2)), ones[:2], ones, ones, out)
    with pytest.raises(ValueError, match="contiguous"):
        loops.rate(
            whole((24, 8), 1)[::2], loops.packed(whole((64, 8), 2)), ones[:12], ones, ones, np.empty((12, 64), "f4")
        )


def test_the_reader_uses_it_and_says_the_same(monkeypatch):
    shape = Shape(words=300, variant="paper", embedding=24, encoder=8, latent=8, generator=16)
    weights = {}
    for place, (name, sizes) in enumerate(shape.tensors().items()):
        made = (whole(sizes, place) / np.float32(300)).astype(np.float32)
        weights[name] = made
        if made.ndim == 2:
            weights[name], weights[name + ".scale"] = quantised(made)
    vocabulary = Vocabulary((*SPECIAL, *(f"w{number}" for number in range(296))))
    features = EraeReader(shape, weights, vocabulary).features([[5, 6, 7] * 9], 40)
    plain = EraeReader(shape, weights, vocabulary).probabilities(features)
    monkeypatch.setattr(erae_inference.acceleration, "_ENTRIES_WORTH_COMPILING", 10_000)
    used = []
    monkeypatch.setattr(loops, "rate", lambda *arrays, rate=loops.rate: used.append(rate(*arrays)))
    assert (EraeReader(shape, weights, vocabulary).probabilities(features) == plain).all()
    assert used
