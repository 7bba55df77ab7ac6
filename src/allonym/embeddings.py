"""Word table: load word vectors, look words up, find the exact nearest word.

``load`` reads the shipped table, GloVe and word2vec text (plain or gzipped), word2vec binary, a ``.npy`` with
a vocabulary beside it, and model folders. In a file, the first of two equal words wins (public vector files
hold such doubles, often because someone lower-cased them); in arguments, equal words are refused.

Privacy: spends nothing. A word table is public; do not train one on the texts you protect.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym import models, vector_files
from allonym.errors import InputError, ModelError, ParameterError
from allonym.vector_files import Vocabulary

DEFAULT = "words-en"
VOCABULARY_FILE = "vocabulary.txt"
_BLOCK_BYTES = 48 * 2**20
_Floats: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, eq=False, repr=False)
class WordTable:
    """Words and their vectors: distinct, finite, and never changed.

    Attributes:
        words: The words, most frequent first where the source says so.
        vectors: Their vectors as read-only float32, one row a word.

    Raises:
        ParameterError: The words and vectors do not make a table.

    Example:
        >>> table = WordTable(("cat", "dog", "car"), np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]))
        >>> table.neighbours("cat", 1)[0][0]
        'dog'
    """

    words: tuple[str, ...]
    vectors: _Floats

    def __post_init__(self) -> None:
        words = tuple(self.words)
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                vectors = np.array(self.vectors, dtype=np.float32, order="C")
        except (TypeError, ValueError) as error:
            raise ParameterError("vectors must be numbers, equally many for each word, got others.") from error
        if vectors.ndim != 2 or len(vectors) != len(words) or vectors.shape[1] < 1 or not words:
            raise ParameterError(
                f"vectors must be an array of one row for each of 1 or more words, got {len(words)} words "
                f"and an array of shape {vectors.shape}."
            )
        if not np.isfinite(vectors).all():
            raise ParameterError("vectors must be finite float32 numbers, got NaN or infinity: drop those rows.")
        if not all(isinstance(word, str) and word for word in words):
            raise ParameterError("words must be non-empty strings, got something else: drop those rows.")
        positions = {word: row for row, word in enumerate(words)}
        if len(positions) != len(words):
            raise ParameterError(
                f"words must be distinct, got {len(words) - len(positions)} doubles: keep the first of each."
            )
        vectors.flags.writeable = False
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "vectors", vectors)
        object.__setattr__(self, "_positions", positions)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._lookup

    def __repr__(self) -> str:
        return f"WordTable({len(self)} words, {self.dimensions} dimensions)"

    def __reduce__(self) -> tuple[type[WordTable], tuple[tuple[str, ...], _Floats]]:
        return WordTable, (self.words, self.vectors)  # unpickled arrays are writeable: construct afresh

    def __deepcopy__(self, memo: dict[int, Any]) -> WordTable:
        return self  # nothing in it can change

    @property
    def dimensions(self) -> int:
        """Numbers in one vector."""
        return int(self.vectors.shape[1])

    @property
    def _lookup(self) -> dict[str, int]:
        positions: dict[str, int] = self.__dict__["_positions"]
        return positions

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the words and the vectors, in hexadecimal: equal tables have equal fingerprints."""
        digest = hashlib.sha256(json.dumps([self.vectors.shape, self.words]).encode("ascii"))
        digest.update(self.vectors.astype("<f4").tobytes())
        return digest.hexdigest()

    def index(self, word: str) -> int | None:
        """Return the row of a word, or None for a word that is not in the table."""
        return self._lookup.get(word)

    def rows(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Return the row of each word, -1 for a word that is not in the table."""
        lookup = self._lookup
        return np.fromiter((lookup.get(word, -1) for word in words), dtype=np.int64)

    def unit(self) -> _Floats:
        """Return the vectors scaled to length 1, read-only; zero vectors stay zero."""
        return self._unit

    @cached_property
    def _unit(self) -> _Floats:
        # Dividing by the largest coordinate first keeps tiny and huge vectors out of float32's edges.
        largest = np.abs(self.vectors).max(axis=1, keepdims=True)
        one = np.float32(1)
        scaled = self.vectors / np.where(largest > 0, largest, one)
        length = np.linalg.norm(scaled, axis=1, keepdims=True)
        unit: _Floats = np.divide(scaled, np.where(length > 0, length, one), dtype=np.float32)
        unit.flags.writeable = False
        return unit

    def first(self, limit: int) -> WordTable:
        """Return the table of the first words only."""
        if limit < 1:
            raise ParameterError(f"limit must be at least 1, got {limit}.")
        return self if limit >= len(self) else WordTable(self.words[:limit], self.vectors[:limit])

    def neighbours(self, word: str, k: int = 10) -> list[tuple[str, float]]:
        """Return the k other words of largest cosine with a word, closest first, with the cosine.

        Raises:
            ParameterError: The word is not in the table.
        """
        row = self.index(word)
        if row is None:
            raise ParameterError("The word must be one of the table's: test with `word in table` first.")
        cosine = self.unit() @ self.unit()[row]
        order = np.argsort(-cosine, kind="stable")
        closest = order[order != row][: max(0, k)]
        return [(self.words[other], float(cosine[other])) for other in closest]

    def nearest(self, queries: ArrayLike, k: int = 1) -> NDArray[np.int64]:
        """Return the rows of the k nearest words (Euclidean) of each query, closest first.

        Exact: float32 products shortlist every word that rounding leaves possible, and float64 decides.
        So the answer does not depend on how queries are batched. Ties go to the lowest row.

        Args:
            queries: Points, shape (queries, dimensions), or one point, shape (dimensions,).
            k: How many words each.

        Returns:
            Rows, shape (queries, k).
        """
        points = np.atleast_2d(np.asarray(queries, dtype=np.float64))
        if points.ndim != 2 or points.shape[1] != self.dimensions:
            raise ParameterError(f"queries must have {self.dimensions} columns, got shape {points.shape}.")
        if not 1 <= k <= len(self):
            raise ParameterError(f"k must be between 1 and the {len(self)} words of the table, got {k}.")
        if not (np.abs(points) < 1e30).all():
            raise ParameterError("queries must be finite and below 1e30, got others.")
        found = np.empty((len(points), k), dtype=np.int64)
        block = max(1, _BLOCK_BYTES // (len(self) * (5 if k == 1 else 9)))
        for start in range(0, len(points), block):
            found[start : start + block] = self._nearest_in_block(points[start : start + block], k)
        return found

    @cached_property
    def _half_squares(self) -> _Floats:
        squares: _Floats = (np.einsum("ij,ij->i", self.vectors, self.vectors, dtype=np.float64) / 2).astype(np.float32)
        return squares

    def _nearest_in_block(self, points: NDArray[np.float64], k: int) -> NDArray[np.int64]:
        # |v - q|² orders words as |v|²/2 - q·v does.
        half = self._half_squares
        scores = points.astype(np.float32) @ self.vectors.T
        np.subtract(half, scores, out=scores)
        longest = float(np.sqrt(2 * half.max()))
        magnitude = np.linalg.norm(points, axis=1) * longest + longest**2
        rounding = (self.dimensions + 4) * float(np.finfo(np.float32).eps) * magnitude  # of one score, at most
        kth = scores.min(axis=1) if k == 1 else np.partition(scores, k - 1, axis=1)[:, k - 1]
        possible = scores <= (kth + 2 * rounding).astype(np.float32)[:, None]
        found = np.empty((len(points), k), dtype=np.int64)
        if k == 1:
            found[:, 0] = scores.argmin(axis=1)
        undecided = range(len(points)) if k > 1 else np.flatnonzero(np.count_nonzero(possible, axis=1) > 1)
        for query in undecided:
            candidates = np.flatnonzero(possible[query])
            vectors = self.vectors[candidates].astype(np.float64)
            exact = (vectors * (vectors / 2 - points[query])).sum(axis=1)
            found[query] = candidates[np.argsort(exact, kind="stable")[:k]]
        return found


Source: TypeAlias = (
    str | os.PathLike[str] | WordTable | Mapping[str, ArrayLike] | tuple[Sequence[str], ArrayLike] | None
)


def load(source: Source = None, *, vocabulary: Vocabulary = None, limit: int | None = None) -> WordTable:
    """Return a word table from wherever the vectors are.

    Args:
        source: None or a shipped name ("words-en"); a path to GloVe or word2vec text (may be gzipped),
            word2vec binary, ``.npy`` or a model folder; or a table, ``(words, vectors)``, or a mapping.
        vocabulary: For ``.npy`` only: the words, or the path of their file, one word a line. By default the
            file of the same name ending in ``.txt``, or the only ``vocab*.txt`` in the folder.
        limit: Keep the first so many words.

    Raises:
        InputError: The file is missing or malformed; the message gives the line, never its text.
        ModelError: The model folder does not verify.
        ParameterError: The words and vectors do not make a table.
    """
    if limit is not None and limit < 1:
        raise ParameterError(f"limit must be at least 1, got {limit}.")
    if isinstance(source, (str, os.PathLike)) or source is None:
        table = _load_path(source or DEFAULT, vocabulary, limit)
    elif isinstance(source, WordTable):
        table = source
    elif isinstance(source, Mapping):
        table = _from_objects(source, list(source.values()))
    elif isinstance(source, tuple) and len(source) == 2:
        table = _from_objects(source[0], source[1])
    else:
        raise ParameterError(
            f"source must be a path, a shipped name, a WordTable, a mapping or (words, vectors), "
            f"got {type(source).__name__}."
        )
    return table if limit is None else table.first(limit)


def _from_objects(words: Iterable[str], vectors: Any) -> WordTable:  # noqa: ANN401 - the constructor checks
    return WordTable(tuple(words), vectors)


def _load_path(source: str | os.PathLike[str], vocabulary: Vocabulary, limit: int | None) -> WordTable:
    path = Path(source).expanduser()
    if isinstance(source, str) and source in models.shipped():
        return _from_shipped(source)
    if path.is_dir():
        return _from_model(path)
    if not path.exists():
        names = ", ".join(models.shipped())
        raise InputError(f"There are no vectors at {str(source)!r}: give a path, or a shipped name ({names}).")
    words, vectors = vector_files.read(path, vocabulary=vocabulary, limit=limit)
    first: dict[str, int] = {}
    for row, word in enumerate(words):
        first.setdefault(word, row)
    try:
        return WordTable(tuple(first), vectors if len(first) == len(words) else vectors[list(first.values())])
    except ParameterError as error:
        raise InputError(f"{path.name} does not hold a word table: {error}") from error


@lru_cache(maxsize=2)
def _from_shipped(name: str) -> WordTable:
    return _from_model(models.find(name))


def _from_model(folder: Path) -> WordTable:
    model = models.verify(folder)
    if model.config.get("format") != "word-table" or VOCABULARY_FILE not in model.files:
        raise ModelError(f"The model folder {folder} holds no word table: give one whose format is word-table.")
    tensors = models.open_tensors(model)
    try:
        words = vector_files.read_words(model.folder / VOCABULARY_FILE)
        scale = np.float32(model.config.get("scale", 1.0))
        return WordTable(tuple(words), tensors["vectors"].astype(np.float32) * scale)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"The word table in {folder} is malformed: make or fetch the folder again.") from error
