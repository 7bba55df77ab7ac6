"""Small versions of a method, of which the whole law is known, and words that a method knows.

A small version is of the method's own class, with a vocabulary of twelve words and a small loss: whatever the class
does around its mechanism, it does there, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.erae import ERAE
from allonym.anonymizers.random_replacement import RandomReplacement
from allonym.anonymizers.syntf import SynTF
from allonym.anonymizers.words.substitution import WordSubstitution
from allonym.audit.documents import Reading, known_words, words_in_order
from allonym.audit.draws import mixed
from allonym.language.sequences import SPECIAL, Vocabulary
from allonym.mechanisms import Exponential, LaplaceND, MetricExponential
from allonym.networks.erae.inference import EraeReader, EraeShape
from allonym.vectors.embeddings import WordTable
from allonym.vectors.vocabularies import read

Float64 = NDArray[np.float64]

PLAIN = tuple("house water music winter doctor letter garden paper stone silver sea hill".split())  # noqa: SIM905
_PLACES = (3, 9, 0, 6, 11, 4, 8, 1, 10, 5, 2, 7)  # of the words on a line
# Grid cells of the noise with ε = 1 between two neighbours: odd, so that the middle lies between two cells.
_CELLS, _CELL = 205, 2.0**-10
_MOST_WORDS, _MOST_PLACES = 150, 40
_TINY_WORDS = 8


@dataclass(frozen=True)
class Small:
    """A small version of a method.

    Attributes:
        anonymizer: The method.
        words: Its vocabulary, in the order of the laws.
        laws: The law of one output for each word; None where it is that of the ratings a network gives.
    """

    anonymizer: Anonymizer
    words: tuple[str, ...]
    laws: Float64 | None


def small_version(anonymizer: Anonymizer) -> Small | None:
    """Return the small version of a method; None for one that is not known here."""
    if isinstance(anonymizer, SynTF):
        return _small_syntf(anonymizer)
    if isinstance(anonymizer, WordSubstitution):
        return _small_substitution(anonymizer)
    if isinstance(anonymizer, RandomReplacement):
        words = min(int(anonymizer.words), _MOST_WORDS)
        small = clone(anonymizer).set_params(vocabulary=list(PLAIN), words=words)
        return Small(small, PLAIN, np.full((len(PLAIN), len(PLAIN)), 1 / len(PLAIN)))
    if isinstance(anonymizer, ERAE):
        return Small(tiny_erae(anonymizer, _TINY_WORDS), PLAIN[:_TINY_WORDS], None)
    return None


def _small_syntf(anonymizer: SynTF) -> Small:
    vectors = (mixed(np.arange(4 * len(PLAIN), dtype=np.uint64)) >> np.uint64(11)) * 2.0**-52 - 1
    table = WordTable(PLAIN, vectors.reshape(-1, 4).astype(np.float32))
    small = clone(anonymizer).set_params(
        vocabulary=list(PLAIN), embeddings=table, synonyms=False, epsilon=2.0, loss_per_word=None, rating="similarity"
    )
    small.set_params(composition="tf", words=min(int(anonymizer.words), _MOST_WORDS))
    return Small(small, PLAIN, np.stack([small.mechanism_.law(row) for row in range(len(PLAIN))]))


def _small_substitution(anonymizer: WordSubstitution) -> Small:
    places = np.array(_PLACES) * (_CELLS * _CELL)
    words = None if anonymizer.words is None else min(int(anonymizer.words), _MOST_PLACES)
    small = clone(anonymizer).set_params(topical_words=None)
    small.set_params(
        embeddings=WordTable(PLAIN, places[:, None].astype(np.float32)), vocabulary=None, epsilon=1.0, words=words
    )
    mechanism = small.mechanism_
    if isinstance(mechanism, LaplaceND):
        return Small(small, PLAIN, _nearest_on_a_line(places, mechanism.epsilon))
    return Small(small, PLAIN, np.stack([mechanism.law(row) for row in range(len(PLAIN))]))


def _nearest_on_a_line(places: Float64, epsilon: float) -> Float64:
    """Return how likely each place is the nearest to each one moved by Laplace noise: exactly, see `_CELLS`."""
    order = np.argsort(places)
    middles = (places[order][1:] + places[order][:-1]) / 2
    gaps = epsilon * (middles[None, :] - places[:, None])
    below = np.where(gaps < 0, np.exp(-np.abs(gaps)) / 2, 1 - np.exp(-np.abs(gaps)) / 2)
    cells = np.diff(np.pad(below, ((0, 0), (1, 1)), constant_values=((0, 0), (0, 1))), axis=1)
    laws = np.empty_like(cells)
    laws[:, order] = cells
    return laws


def tiny_erae(anonymizer: ERAE, words: int, *, sentences: int | None = None, steps: int | None = None) -> ERAE:
    """Return ER-AE with a made-up network of a few words, and a small loss.

    Args:
        anonymizer: The method.
        words: How many words, besides the special tokens.
        sentences: Sentences of every output; by default its own.
        steps: Words of every sentence; by default its own.
    """
    forms = (
        PLAIN[:words]
        if words <= len(PLAIN)
        else (*PLAIN, *(f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(words - len(PLAIN))))
    )
    vocabulary = Vocabulary((*SPECIAL, *forms))
    shape = EraeShape(words=len(vocabulary), variant="attention", embedding=8, encoder=4, latent=4, generator=8)
    weights = {}
    for place, (name, sizes) in enumerate(shape.tensors().items()):
        size = int(np.prod(sizes))
        numbers = mixed(np.arange(size, dtype=np.uint64) + np.uint64((place + 1) << 32)) >> np.uint64(11)
        weights[name] = (numbers * 2.0**-52 - 1).reshape(sizes).astype(np.float32)
    small: ERAE = clone(anonymizer)
    small.set_params(style="kept", sentences=sentences or anonymizer.sentences, words=steps or anonymizer.words)
    if anonymizer.mechanism == "two-set":
        small.set_params(epsilon=1.0, loss_per_word=None)
    else:
        small.set_params(loss_per_word=1.0, candidates=min(int(anonymizer.candidates), 3))
    small.__dict__["network_"] = EraeReader(shape, weights, vocabulary)
    return small


def audit_words(anonymizer: Anonymizer, count: int = len(PLAIN)) -> tuple[str, ...]:
    """Return words that the method knows: plain English ones as far as possible; fewer if it knows fewer."""
    known = [word for word in PLAIN if knows(anonymizer, word)]
    if len(known) < count:
        held = vocabulary_of(anonymizer)
        step = max(1, len(held) // 1000)
        known += [word for word in held[::step] if word not in known and knows(anonymizer, word)]
    return tuple(known[:count])


def knows(anonymizer: Anonymizer, word: str) -> bool:
    """Tell whether a document of this word alone is read as this word."""
    if isinstance(anonymizer, SynTF):
        return bool(anonymizer.compositions([word]).nnz == 1)
    if isinstance(anonymizer, WordSubstitution):
        return word in anonymizer.table_ and anonymizer.words_of(word) == [word]
    return word in vocabulary_of(anonymizer)


def vocabulary_of(anonymizer: Anonymizer) -> Sequence[str]:
    """Return the words that the method can write; none for a method that is not known here."""
    if isinstance(anonymizer, SynTF):
        return anonymizer.vocabulary_
    if isinstance(anonymizer, WordSubstitution):
        return anonymizer.table_.words
    if isinstance(anonymizer, ERAE):
        return [form for form in anonymizer.network_.vocabulary.forms if form.isalpha() and form.islower()]
    return read(anonymizer.vocabulary) if isinstance(anonymizer, RandomReplacement) else ()


def reading_of(anonymizer: Anonymizer) -> Reading:
    """Return how a method counts words, where it copies their number."""
    if isinstance(anonymizer, WordSubstitution) and anonymizer.order == "bag":
        rows = (
            np.flatnonzero(anonymizer._topical)
            if anonymizer.topical_words is not None
            else range(len(anonymizer.table_))
        )
        return known_words([anonymizer.table_.words[row] for row in rows])
    return words_in_order


def settings_of(mechanism: object) -> tuple[object, ...]:
    """Return what tells mechanisms apart."""
    names = ("epsilon", "rate", "sensitivity", "candidates", "inputs", "outputs", "dimensions", "_weight_in", "_least")
    return (type(mechanism), *(getattr(mechanism, name, None) for name in names))


def loss_of(mechanism: object) -> float | None:
    """Return what a mechanism loses: for each unit of distance if it is metric, else for each draw."""
    if isinstance(mechanism, LaplaceND):
        return mechanism.epsilon
    if isinstance(mechanism, MetricExponential):
        return mechanism.loss_per_unit
    return mechanism.loss() if isinstance(mechanism, Exponential) or hasattr(mechanism, "loss") else None
