"""A4NT in whole numbers: the same bytes compiled or not, alone or in company, on any thread and kind of processor."""

from __future__ import annotations

import hashlib
import json
import math
import tempfile
from contextlib import chdir
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from allonym import acceleration, models
from allonym.anonymizers.a4nt import A4NT
from allonym.language.pairs import WordPairs
from allonym.language.sequences import NUMBER_CLASSES, SPECIAL, Vocabulary
from allonym.networks.a4nt._attention import waves
from allonym.networks.a4nt._words import chosen_words, exponentials, log_softmax, log_sums, softplus
from allonym.networks.a4nt.inference import FURTHER_WORDS, A4ntReader, A4ntShape
from allonym.networks.a4nt.substitutes import Substitutes, kinds
from allonym.networks.whole_numbers import WholeMatrix, quantised
from allonym.randomness import insecure
from allonym.vectors import embeddings

VARIANTS = ["paper", "editor", "transformer"]
COMMON = [word for word in embeddings.load().words[:400] if word.isalpha()][:300]
VOCABULARY = Vocabulary((*SPECIAL, *NUMBER_CLASSES, *COMMON, ".", ",", "!"))
SENTENCES = [[20, 21, 22] * 9, [3], [8] * 30, [9, 3, 11], *([40 + n, 5, 60 + 2 * n] for n in range(40))]
TEXTS = [" ".join(COMMON[n * step % 300] for n in range(9 * step)).capitalize() + "." for step in (1, 2, 7, 11)]


def numbers(shape, seed):
    """Numbers between −1 and 1."""
    return ((np.asarray(insecure(seed).below(2**21, shape)) - 2**20) / 2**20).astype(np.float32)


def tensors(shape):
    # Sizes for which compiled products are used, too.
    found = {}
    for place, (name, sizes) in enumerate(shape.tensors().items()):
        array = 0.6 * numbers(sizes, place)
        if len(sizes) == 2 and sizes[0] > 2:
            found[name], found[name + ".scale"] = quantised(array)
        else:
            found[name] = array
    return found


def small_shape(variant):
    sizes = {"embedding": 24, "hidden": 32, "judge_embedding": 16, "judge_hidden": 32}
    return A4ntShape(words=len(VOCABULARY), classes=2, variant=variant, conditioned=variant == "editor", **sizes)


def reader(variant):
    shape = small_shape(variant)
    return A4ntReader(shape, tensors(shape), VOCABULARY, ["teen", "adult"])


def substitutes():
    tokens = VOCABULARY.tokens
    vectors = WholeMatrix(*quantised(numbers((len(tokens), 16), 99)))
    return Substitutes(vectors, kinds(tokens), 3.0, WordPairs.open().of(tokens))


def said(network, sentences=SENTENCES, first=0):
    """All that a network says of some sentences, of which the first has a number."""
    steps = max(map(len, SENTENCES)) + FURTHER_WORDS
    chances = np.abs(numbers((len(SENTENCES), 5, steps), 7).astype(np.float64))[first : first + len(sentences)]
    chances[:, 0] = -1
    drawn = network.drawn(sentences, [0] * len(sentences), 1, chances, substitutes=substitutes())
    return drawn, network.judged(sentences).tolist()


@pytest.mark.parametrize("variant", VARIANTS)
def test_compiled_threads_and_company_do_not_matter(monkeypatch, variant):
    pytest.importorskip("numba", reason="numba is not installed")
    plain = said(reader(variant))
    assert len({word for samples in plain[0] for sample in samples for word in sample}) > 50
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 1)
    for cores in (1, 2):
        monkeypatch.setattr(acceleration, "_cores", lambda cores=cores: cores)
        assert said(reader(variant)) == plain
    alone = [said(reader(variant), [sentence], row) for row, sentence in enumerate(SENTENCES)]
    assert [(drawn, judged) for [drawn], [judged] in alone] == list(zip(*plain, strict=True))


@pytest.mark.parametrize("variant", ["editor", "transformer"])
def test_compiled_ratings_have_the_same_bits(monkeypatch, variant):
    pytest.importorskip("numba", reason="numba is not installed")
    plain = reader(variant).ratings(SENTENCES[0], 0, 1)
    monkeypatch.setattr(acceleration, "_ENTRIES_WORTH_COMPILING", 1)
    assert (reader(variant).ratings(SENTENCES[0], 0, 1).view(np.int32) == plain.view(np.int32)).all()


@pytest.mark.parametrize("words", [1, 7, 64, 500])
def test_compiled_sums_and_draws_are_numpys(words):
    pytest.importorskip("numba", reason="numba is not installed")
    ratings = 20 * numbers((6, words), 3)
    ratings[0] = 0
    ratings[1, ::2] = -np.inf
    ratings[1, 0] = -100
    chances = np.abs(numbers((6, 40), 5).astype(np.float64))
    chances[:, 0], chances[:, 1], chances[:, 2] = -1, 0, 1 - 2.0**-53
    assert (chosen_words(ratings, chances, fast=True) == chosen_words(ratings, chances)).all()
    ratings[2] = -np.inf  # nothing is possible
    for plain, compiled in zip(exponentials(ratings, fast=False), exponentials(ratings, fast=True), strict=True):
        assert (plain == compiled).all()
    totals = log_sums(*exponentials(ratings, fast=True))
    wanted = [math.log(math.fsum(np.exp(row.astype(np.float64)))) for row in ratings[[0, 1, 3, 4, 5]]]
    assert totals[[0, 1, 3, 4, 5]] == pytest.approx(wanted, abs=1e-4)
    assert totals[2] == -np.inf


def test_functions_are_near_the_true_ones():
    x = np.concatenate([40 * numbers(1000, 1), np.float32([0, -300, 300, -1e6])])
    assert np.abs(softplus(x) - np.logaddexp(x.astype(np.float64), 0)).max() < 1e-4
    scores = 30 * numbers((100, 3), 2).astype(np.float64)
    wanted = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    assert np.abs(log_softmax(scores.astype(np.float32)) - wanted).max() < 1e-5
    angles = np.arange(64)[:, None] * 1000.0 ** (-np.arange(96) / 95)
    found = waves(64, 192)
    assert np.abs(found[:, ::2] - np.sin(angles)).max() < 1e-7
    assert np.abs(found[:, 1::2] - np.cos(angles)).max() < 1e-7
    assert (waves(7, 192) == found[:7]).all()
    assert waves(3, 5).shape == (3, 5)


def released():
    """Texts that a small model of words with vectors and pairs rewrites."""
    shape = small_shape("transformer")
    names = ("words", "classes", "variant", "conditioned", "embedding", "hidden")
    judge = {"embedding": shape.judge_embedding, "hidden": shape.judge_hidden}
    config = {"name": "small", "kind": "a4nt", "classes": ["teen", "adult"], "judge": judge}
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given) / "small"
        folder.mkdir()
        save_file(tensors(shape), folder / models.WEIGHTS)
        VOCABULARY.save(folder / models.VOCABULARY)
        config["shape"] = {name: getattr(shape, name) for name in names}
        (folder / models.CONFIG).write_text(json.dumps(config))
        (folder / models.CARD).write_text("Made up.\n")
        models.seal(folder)
        with chdir(given):  # noise depends on the model's name: it must not be one of its own each time
            method = A4NT(model="small", target="adult", source="teen", candidates=6)
            return method.release(TEXTS, rng=insecure(8)).payload


def digest():
    """What all variants say, and what is released."""
    everything = [said(reader(variant)) for variant in VARIANTS], released()
    return hashlib.sha256(json.dumps(everything).encode()).hexdigest()


def test_the_small_model_rewrites_texts():
    assert sum(text != original for text, original in zip(released(), TEXTS, strict=True)) >= 2


def test_every_kind_of_processor_says_the_same(digest_elsewhere):
    assert digest_elsewhere(__file__) == digest()
