"""A thousand public writers to be lost among: a shipped table of their style as numbers, without any text.

What an attacker would see who has texts by a thousand people and looks for the one who wrote this: the style encoder
makes a vector of each text, and vectors of one writer lie near each other. Where other texts of the writer are given,
the question is how many of the thousand lie nearer to the text than those do. Without, it is how many lie as near to it
as writers usually lie to their own texts. (Texts with more such company were not picked less often: who writes more
like others writes more like themselves, too.)

How often held-out writers are picked was measured for several lengths; `tools/build_bloggers.py` says on whom. All
products are of whole numbers, so that a place does not depend on the machine. Privacy: spends nothing.
D numbers of a vector, W writers, K amounts known of each, L lengths of text, T texts, B classes of company.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from allonym import models
from allonym.attackers.style_encoder import reader
from allonym.language import ENGLISH
from allonym.metrics.figures import Figure
from allonym.networks.style_encoder.inference import DEFAULT
from allonym.recognition.profile import Likeness
from allonym.recognition.profile_features import WORD, count_plain_words

MODEL = ENGLISH.model("bloggers")
FORMAT, VERSION = "style-crowd", 1
FEWEST_WORDS = 100  # of a text
FEWEST_KNOWN = 250  # words of the writer's other texts, all together
_STEPS = 2.0**14  # vectors are rounded to so many parts of their length
_AT_ONCE = 32  # texts; the first parts of many would fill the memory
_LARGEST = 127  # of a number of a writer's vector

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class OwnTexts:
    """What is kept of a writer's other texts: numbers, no word.

    Attributes:
        vector: Their style (D), rounded as the writers' vectors are.
        words: How many words were read.
    """

    vector: Integers
    words: int


@dataclass(frozen=True)
class Picked:
    """How often held-out writers were picked from a crowd of this size.

    Attributes:
        first: Share of their texts of which they came first.
        ten: Share of which they were among the first ten.
        words: The length of the texts.
        known_words: How much else was known of each writer.
    """

    first: Figure
    ten: Figure
    words: int
    known_words: int


@dataclass(frozen=True)
class Company:
    """How crowded the neighbourhood of a text is, whoever wrote it.

    Attributes:
        near: How many of the writers lie as near as writers usually lie to their own texts.
        writers: How many there are.
        measured: Of texts with about as much company.
    """

    near: int
    writers: int
    measured: Picked


@dataclass(frozen=True)
class Standing:
    """Where a writer stands in the crowd, by other texts of theirs.

    Attributes:
        ahead: How many of the writers lie nearer to the text than the writer's other texts.
        writers: How many there are.
        measured: Of texts this long, with as much known.
        same: Whether one writer wrote the text and the others: the verifier's answer.
    """

    ahead: int
    writers: int
    measured: Picked
    same: Likeness


class Crowd:
    """The shipped table, read once."""

    def __init__(self, config: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        self.lengths: list[int] = list(config["lengths"])
        self.known_words: list[int] = list(config["known_words"])
        self._middle = np.asarray(arrays["middle"], np.int64)
        self._vectors = np.asarray(arrays["vectors"], np.float64)  # (K, W, D)
        self._sizes = np.sqrt((self._vectors**2).sum(axis=2))
        self._tables: dict[str, Floats] = {}
        self.take(**{name: values for name, values in arrays.items() if name not in ("middle", "vectors")})

    @classmethod
    def open(cls, model: str = MODEL) -> Self:
        """Open the shipped table, or a folder.

        Raises:
            ModelError: There is none, or it is not as it was made.
        """
        opened = models.verify_format(models.find(model), FORMAT, VERSION)
        return cls(opened.config, models.open_tensors(opened))

    @property
    def writers(self) -> int:
        """How many there are."""
        return int(self._vectors.shape[1])

    def take(self, **tables: NDArray[Any]) -> None:
        """Take what was measured, by name, as it is stored."""
        self._tables |= {name: np.asarray(values, np.float64) for name, values in tables.items()}

    def company(self, text: str) -> Company | None:
        """Return how crowded a text's neighbourhood is; None for one too short to say."""
        words = count_plain_words(text)
        if words < FEWEST_WORDS:
            return None
        known, length = self.usually_known, nearest(self.lengths, words)
        [cosines] = self.cosines(self.centred([text]), known)
        near = self.near(cosines, words)
        size = self.company_class(near, words)
        shares = [Figure(*self._tables[f"company_{name}"][length, size].tolist()) for name in ("first", "ten")]
        measured = Picked(shares[0], shares[1], self.lengths[length], self.known_words[known])
        return Company(near, self.writers, measured)

    def near(self, cosines: Floats, words: int) -> int:
        """Count the writers that are as near to a text so long as writers usually are to their own."""
        table = self._tables["usual"][self.usually_known]
        usual = float(np.interp(math.log(words), np.log(self.lengths), table))
        return int((cosines >= usual).sum())

    def company_class(self, near: int, words: int) -> int:
        """Return into which class of company a text so long falls: none, little, much."""
        return int(np.searchsorted(self._tables["company"][nearest(self.lengths, words)], near))

    def likeness_weights(self, known: int, words: int) -> Floats:
        """Return the constant and the slopes of the logit that one writer wrote two texts."""
        weights: Floats = self._tables["likeness"][known, nearest(self.lengths, words)]
        return weights

    @property
    def usually_known(self) -> int:
        """The place, among the amounts known of each, of the one that is assumed where nothing else is said."""
        return len(self.known_words) // 2

    def standing(self, text: str, own: OwnTexts) -> Standing | None:
        """Return where the writer of other texts stands; None if the text or those are too short to say."""
        words = count_plain_words(text)
        if words < FEWEST_WORDS or own.words < FEWEST_KNOWN:
            return None
        known, length = nearest(self.known_words, own.words), nearest(self.lengths, words)
        vector = self.centred([text])
        [cosines] = self.cosines(vector, known)
        likeness = cosine(vector[0], own.vector)
        constant, *slopes = self.likeness_weights(known, words)
        logit = constant + sum(slope * signal for slope, signal in zip(slopes, signals(likeness, cosines), strict=True))
        right = Figure(*self._tables["likeness_right"][known, length].tolist())
        same = Likeness(1 / (1 + math.exp(-max(-500.0, min(500.0, logit)))), right, self.lengths[length])
        shares = [Figure(*self._tables[name][known, length].tolist()) for name in ("first", "ten")]
        measured = Picked(shares[0], shares[1], self.lengths[length], self.known_words[known])
        return Standing(int((cosines > likeness).sum()), self.writers, measured, same)

    def own(self, texts: Sequence[str]) -> OwnTexts:
        """Return what is kept of a writer's other texts; of many words, as many as are known of the others."""
        whole = "\n\n".join(_shortened(texts, self.known_words[-1]))
        words = count_plain_words(whole)
        return OwnTexts(rounded(self.centred([whole])[0]) if words else np.zeros_like(self._middle), words)

    def centred(self, texts: Sequence[str]) -> Integers:
        """Return the vectors of texts (T, D) as seen from the middle of the crowd, in whole numbers."""
        return vectors(texts) - self._middle

    def cosines(self, rows: Integers, known: int) -> Floats:
        """Return the cosines of texts (T, D) and writers: T × W, with the `known`-th amount known of each writer."""
        # Whole numbers below 2^53: the sums are exact in any order.
        products = rows.astype(np.float64) @ self._vectors[known].T
        sizes = np.sqrt((rows**2).sum(axis=1).astype(np.float64))
        cosines: Floats = products / np.maximum(sizes[:, None] * self._sizes[known], 1.0)
        return cosines


@cache
def shipped() -> Crowd:
    """Return the shipped table."""
    return Crowd.open()


def vectors(texts: Sequence[str]) -> Integers:
    """Return the second part of the style encoder's vectors (T, D), of one length, rounded to whole numbers.

    The first part, of n-grams, has a quarter of a million numbers: too many to ship a thousand of.
    """
    encoder = reader(DEFAULT)
    begins = range(0, max(1, len(texts)), _AT_ONCE)
    parts = np.concatenate(
        [encoder.vectors(texts[at : at + _AT_ONCE])[:, -encoder.shape.vector :].toarray() for at in begins]
    )
    sizes = np.sqrt((parts**2).sum(axis=1, keepdims=True))
    return np.asarray(np.rint(parts / np.maximum(sizes, np.finfo(np.float64).tiny) * _STEPS), np.int64)


def rounded(vector: Integers) -> Integers:
    """Return a vector (D) of the same direction in numbers of 8 bits."""
    return np.asarray(np.rint(vector * (_LARGEST / max(1, int(np.abs(vector).max())))), np.int64)


def cosine(first: Integers, second: Integers) -> float:
    """Return the cosine of two vectors of whole numbers, exact but for the last division."""
    sizes = math.sqrt(int(first @ first)) * math.sqrt(int(second @ second))
    return int(first @ second) / sizes if sizes else 0.0


def signals(likeness: float, cosines: Floats) -> tuple[float, float]:
    """Return what tells whether one writer wrote two texts: their cosine, and how far it stands above strangers'."""
    return likeness, float((likeness - cosines.mean()) / max(float(cosines.std()), 1e-9))


def nearest(lengths: Sequence[int], words: int) -> int:
    """Return the place of the length nearest to this one, in proportion."""
    middles = [math.sqrt(low * high) for low, high in pairwise(lengths)]
    return int(np.searchsorted(middles, words))


def _shortened(texts: Sequence[str], most: int) -> list[str]:
    """Return the beginnings of texts that have about so many words together, of each as large a part."""
    words = [count_plain_words(text) for text in texts]
    share = most / max(1, sum(words))
    if share >= 1:
        return list(texts)
    return [_beginning(text, round(share * count)) for text, count in zip(texts, words, strict=True)]


def _beginning(text: str, words: int) -> str:
    for number, match in enumerate(WORD.finditer(text)):
        if number == words:
            return text[: match.start()].rstrip()
    return text
