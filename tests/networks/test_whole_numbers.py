"""Exact arithmetic for networks: compiled loops, NumPy and every kind of processor say the same to the last bit."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from allonym.language.sequences import SPECIAL, Vocabulary
from allonym.networks import whole_numbers
from allonym.networks.erae import inference
from allonym.networks.erae._output import OutputLayer
from allonym.networks.erae.inference import EraeReader, EraeShape
from allonym.networks.whole_numbers import COARSE, ONE, WholeMatrix
from allonym.randomness import insecure

loops = pytest.importorskip("allonym.networks._byte_products", reason="numba is not installed")
from allonym.networks import _exact_loops, _refining  # noqa: E402 - after it is known that numba is there

needs_instructions = pytest.mark.skipif(not loops.AVAILABLE, reason="this processor has no instructions for it")


def whole(shape, most, seed):
    return np.asarray(insecure(seed).below(2 * most + 1, shape)) - most


def floats(shape, spread, seed):
    return (whole(shape, 2**20, seed) / 2**20 * spread).astype(np.float32)


def positive(count, seed):
    return ((np.asarray(insecure(seed).below(1000, (count,))) + 1) / 700).astype(np.float32)


@needs_instructions
@pytest.mark.parametrize("words", [loops.LEAST_WORDS, 65, 300, 1100])
@pytest.mark.parametrize("rows", [loops.LEAST_ROWS, 7, 48, 101])
def test_bytes_are_multiplied_as_numpy_does(rows, words):
    features, embedding = whole((rows, 40), COARSE, 1).astype(np.int8), whole((words, 40), 127, 2).astype(np.int8)
    steps, scales, bias = positive(rows, 3), positive(words, 4), positive(words, 5)
    found = np.full((rows, words), np.nan, np.float32)
    bests = loops.rate(features, loops.packed(embedding), steps, scales, bias, found)
    wanted = (features.astype(np.int64) @ embedding.astype(np.int64).T).astype(np.float32)
    assert (found == wanted * steps[:, None] * scales + bias).all()
    in_blocks = np.full((rows, -(-words // _exact_loops.WATCHED) * _exact_loops.WATCHED), -np.inf, np.float32)
    in_blocks[:, :words] = found
    largest = in_blocks.reshape(rows, -1, _exact_loops.WATCHED // 16, 16).max(axis=2)
    assert (bests == largest).all()
    assert (_exact_loops.largest_in_blocks(found) == largest).all()


@needs_instructions
@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("size", [8, 1040, 2096])
def test_extreme_bytes_do_not_overflow(sign, size):
    features, embedding = np.full((12, size), sign * COARSE, np.int8), np.full((64, size), 127, np.int8)
    ones, out = np.ones(64, np.float32), np.empty((12, 64), np.float32)
    loops.rate(features, loops.packed(embedding), ones[:12], ones, 0 * ones, out)
    assert (out == sign * size * COARSE * 127).all()


@needs_instructions
def test_what_does_not_fit_is_refused():
    ones, out = np.ones(64, np.float32), np.empty((2, 64), np.float32)
    tiles = loops.packed(whole((64, 8), 127, 2).astype(np.int8))
    rows = whole((24, 8), COARSE, 1).astype(np.int8)
    with pytest.raises(ValueError, match="out must be"):
        loops.rate(rows[:2], tiles, ones[:2], ones, ones, out)
    with pytest.raises(ValueError, match="contiguous"):
        loops.rate(rows[::2], tiles, ones[:12], ones, ones, np.empty((12, 64), "f4"))


def coarse_ratings(kind, rows, words):
    ratings = floats((rows, words), 9, 3)
    if kind == "ties":
        return np.rint(ratings)
    if kind == "all the same":
        return np.zeros_like(ratings)
    if kind == "one team is far worse":
        ratings[:, ::16] -= 100
    return ratings


@pytest.mark.parametrize("kind", ["all differ", "ties", "all the same", "one team is far worse"])
@pytest.mark.parametrize("words", [1, 15, 16, 64, 65, 300, 1100])
@pytest.mark.parametrize("rows", [0, 1, 2, 9, 25])
def test_the_best_words_are_rated_anew_as_numpy_does(rows, words, kind):
    features, embedding = whole((rows, 70), ONE, 1).astype(np.int16), whole((words, 70), 127, 2).astype(np.int8)
    steps, scales, bias = positive(rows, 3), positive(words, 4), positive(words, 5)
    ratings = coarse_ratings(kind, rows, words)
    wanted = ratings.copy()
    OutputLayer(WholeMatrix(embedding, scales), bias)._refine(features, steps, wanted)
    bests = _exact_loops.largest_in_blocks(ratings)
    _refining.refine(ratings, bests, features, steps, embedding, scales, bias)
    assert (ratings.view(np.int32) == wanted.view(np.int32)).all()


@pytest.mark.parametrize("columns", [3, 64, 200])
@pytest.mark.parametrize("rows", [0, 1, 5, 6, 50])
def test_shorts_are_multiplied_as_numpy_does(rows, columns):
    given, weights = whole((rows, 34), ONE, 1).astype(np.int16), whole((columns, 34), 127, 2).astype(np.int8)
    matrix = WholeMatrix(weights, np.ones(columns, np.float32))
    wanted = given.astype(np.int64) @ weights.astype(np.int64).T
    for fast in (False, True):
        found = matrix.sums(given, fast=fast)
        assert found.shape == wanted.shape
        assert (found == wanted).all()


@pytest.mark.parametrize("size", [516, 2000])
def test_extreme_shorts_do_not_overflow(size):
    matrix = WholeMatrix(np.full((200, size), 127, np.int8), np.ones(200, np.float32))
    given = np.full((7, size), -ONE, np.int16)
    for fast in (False, True):
        assert (matrix.sums(given, fast=fast) == -127 * ONE * size).all()


def test_tangent_and_exponential_are_near_the_true_ones():
    x = np.linspace(-12, 12, 100_001).astype(np.float32)
    assert np.abs(whole_numbers.tanh(x) - np.tanh(x.astype(np.float64))).max() < 5e-7
    assert np.abs(whole_numbers.tanh(x)).max() <= 1
    x = -np.linspace(0, 80, 100_001).astype(np.float32)
    assert np.abs(whole_numbers.exp(x) / np.exp(x.astype(np.float64)) - 1).max() < 1e-5
    assert whole_numbers.exp(np.float32([0, -1e4, -1e30])).tolist() == [1, 0, 0]


def test_compiled_softmax_has_numpys_bits():
    ratings = floats((9, 501), 40, 1)
    ratings[0, :3] = -1e4
    ratings[1] = 0
    plain, compiled = ratings.copy(), ratings.copy()
    whole_numbers.softmax(plain)
    _exact_loops.softmax(compiled, whole_numbers.SOFTMAX_CONSTANTS)
    assert (plain.view(np.int32) == compiled.view(np.int32)).all()
    assert np.abs(plain.sum(axis=1) - 1).max() < 1e-5
    assert plain[0, :3].tolist() == [0, 0, 0]


def reader(variant="attention"):
    # Sizes for which compiled products are used, too.
    shape = EraeShape(words=300, variant=variant, embedding=24, encoder=32, latent=16, generator=64)
    weights = {name: floats(sizes, 0.4, place) for place, (name, sizes) in enumerate(shape.tensors().items())}
    return EraeReader(shape, weights, Vocabulary((*SPECIAL, *(f"w{number}" for number in range(296)))))


SENTENCES = [[5, 6, 7] * 9, [], [250], [8] * 50, [9, 10, 11]]


@pytest.mark.parametrize("variant", ["attention", "paper"])
def test_a_compiled_reader_says_the_same(monkeypatch, variant):
    plain = reader(variant)
    features = plain.features(SENTENCES, 40)
    probabilities = plain.probabilities(features)
    monkeypatch.setattr(inference.acceleration, "_ENTRIES_WORTH_COMPILING", 1)
    compiled = reader(variant)
    assert (compiled.features(SENTENCES, 40) == features).all()
    assert (compiled.probabilities(features) == probabilities).all()


def digest():
    """What the network says."""
    network = reader()
    features = network.features(SENTENCES, 40)
    return hashlib.sha256(features.tobytes() + network.probabilities(features).tobytes()).hexdigest()


def test_every_kind_of_processor_says_the_same(digest_elsewhere):
    assert digest_elsewhere(__file__) == digest()
