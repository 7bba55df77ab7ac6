"""The sentence encoder: a sentence in, a vector of 8-bit whole numbers out, of which alike ones have large products.

Each feature of a sentence (see `text`) has a row of whole numbers and a weight; rows times weights are added up, and
the sum is brought to one length. Sums of whole numbers are exact in any order; the length is computed by `arithmetic`,
and what follows is one operation of IEEE 754 an entry, rounded to the nearest. So a vector is a function of its
sentence alone, the same on every processor, in any batch and whatever library multiplies. See docs/exactness.md.

Another encoder of the same format, however it was trained, may take its place: a book names the one it was made with.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from allonym import arithmetic, disk, models
from allonym.errors import ModelError
from allonym.language import ENGLISH
from allonym.networks.sentences.text import SentenceFeatures

DEFAULT: Final = ENGLISH.model("sentences")
FORMAT, VERSION = "sentence-encoder", 1
LENGTH: Final = 254.0  # of every vector but zeros, before it is rounded
LARGEST: Final = 127
_AT_ONCE = 512  # sentences

Bytes = NDArray[np.int8]
Int64 = NDArray[np.int64]


class SentenceEncoder:
    """Turns sentences into vectors; see `open`.

    Args:
        features: How sentences are read.
        rows: A row of 8-bit whole numbers for each feature.
        weights: A weight for each, in whole numbers of 8 bits.
        digest: What tells this encoder from others.
    """

    def __init__(self, features: SentenceFeatures, rows: Bytes, weights: NDArray[np.uint8], digest: str = "") -> None:
        fits = rows.ndim == 2 and len(rows) == len(weights) == len(features)
        if not fits or rows.dtype != np.int8 or weights.dtype != np.uint8:
            raise ModelError("The sentence encoder's weights do not fit its features: fetch or make it again.")
        self.features, self.digest = features, digest
        self._rows, self._weights = rows, weights.astype(np.int32)

    @classmethod
    def open(cls, model: str | os.PathLike[str] = DEFAULT) -> SentenceEncoder:
        """Open a shipped encoder by its name, or a folder.

        Raises:
            ModelError: There is none, or it is not as it was made.
        """
        return _opened(str(model))

    @property
    def dimensions(self) -> int:
        """How many entries a vector has."""
        return int(self._rows.shape[1])

    def encode(self, sentences: Sequence[str]) -> Bytes:
        """Return a vector a sentence; zeros for one without a word."""
        vectors = np.zeros((len(sentences), self.dimensions), np.int8)
        for start in range(0, len(sentences), _AT_ONCE):
            some = sentences[start : start + _AT_ONCE]
            vectors[start : start + len(some)] = in_bytes(self._sums(some))
        return vectors

    def _sums(self, sentences: Sequence[str]) -> Int64:
        """Return the weighted sum of the rows of each sentence's features."""
        flat, counts = self.features.of_all(sentences)
        sums = np.zeros((len(sentences), self.dimensions), np.int64)
        some = counts > 0
        if some.any():
            weighted = self._rows[flat] * self._weights[flat, None]
            sums[some] = np.add.reduceat(weighted, (np.cumsum(counts) - counts)[some], axis=0, dtype=np.int64)
        return sums


def in_bytes(sums: Int64) -> Bytes:
    """Return vectors of whole numbers at one length, rounded to 8 bits; zeros stay zeros."""
    lengths = arithmetic.lengths(sums.astype(np.float64))
    scales = np.where(lengths > 0, LENGTH / np.where(lengths > 0, lengths, 1.0), 0.0)
    return np.rint(sums * scales[:, None]).clip(-LARGEST, LARGEST).astype(np.int8)


def similarities(first: Bytes, second: Bytes) -> NDArray[np.float64]:
    """Return the cosine of each vector with the one in the same place: for people, and never for a draw."""
    one, other = first.astype(np.float64), second.astype(np.float64)
    lengths = np.sqrt((one * one).sum(axis=1) * (other * other).sum(axis=1))
    products: NDArray[np.float64] = (one * other).sum(axis=1)
    return np.divide(products, lengths, out=np.zeros(len(products)), where=lengths > 0)  # type: ignore[no-any-return]


@cache
def _opened(model: str) -> SentenceEncoder:
    opened = models.verify_format(models.find(model), FORMAT, VERSION)
    tensors = models.open_tensors(opened)
    words = tuple((opened.folder / models.VOCABULARY).read_text("utf-8").split("\n")[:-1])
    try:
        features = SentenceFeatures(words, *_sizes(opened.config))
        return SentenceEncoder(
            features,
            tensors["rows"],  # type: ignore[arg-type] # of which kinds they are, the constructor checks
            tensors["weights"],  # type: ignore[arg-type]
            disk.digest(opened.folder / models.WEIGHTS),
        )
    except (KeyError, TypeError, ValueError) as broken:
        raise ModelError(f"The model folder {opened.folder} has no sentence encoder: fetch it again.") from broken


def _sizes(config: Mapping[str, Any]) -> tuple[int, int]:
    return int(config["pairs"]), int(config["letters"])
