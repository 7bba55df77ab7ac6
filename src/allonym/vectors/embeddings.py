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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym import acceleration, arithmetic, models
from allonym.errors import InputError, ModelError, ParameterError
from allonym.language import ENGLISH
from allonym.vectors import files
from allonym.vectors.files import Vocabulary

if TYPE_CHECKING:
    from allonym.vectors._loops.nearest import RoundedTable

DEFAULT = ENGLISH.model("words")
_BLOCK_BYTES = 48 * 2**20
_SEARCHED_AT_ONCE = 1020  # queries: rounded and packed they stay in the caches
_LARGEST_SCORE = 1e37  # what may be larger may overflow in float32, and is left to float64
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
        """Return the rows of the k nearest words (Euclidean) of each query, closest first: queries × k.

        Exact: float32 products shortlist every word that rounding leaves possible, float64 decides, and where its
        rounding leaves a doubt, whole numbers do. So the answer depends neither on the machine nor on how queries are
        batched. Ties go to the lowest row. Queries are queries × dimensions, or one point.
        """
        points = np.atleast_2d(np.asarray(queries, dtype=np.float64))
        if points.ndim != 2 or points.shape[1] != self.dimensions:
            raise ParameterError(f"queries must have {self.dimensions} columns, got shape {points.shape}.")
        if not 1 <= k <= len(self):
            raise ParameterError(f"k must be between 1 and the {len(self)} words of the table, got {k}.")
        if not (np.abs(points) < 1e30).all():
            raise ParameterError("queries must be finite and below 1e30, got others.")
        if k == 1 and acceleration.worth_compiling(len(points) * len(self)) and self.vectors.any():
            return self._nearest_compiled(points)[:, None]
        nearest = np.empty((len(points), k), dtype=np.int64)
        block = max(1, _BLOCK_BYTES // (len(self) * (5 if k == 1 else 9)))
        for start in range(0, len(points), block):
            nearest[start : start + block] = self._nearest_in_block(points[start : start + block], k)
        return nearest

    @cached_property
    def _half_squares(self) -> _Floats:
        squares = np.einsum("ij,ij->i", self.vectors, self.vectors, dtype=np.float64) / 2
        with np.errstate(over="ignore"):
            halves: _Floats = squares.astype(np.float32)
        return halves

    def _windows(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far below the best score a nearest word's score may come out, by rounding, for each query.

        A score q·v - |v|²/2 is off by at most (n + 4)·u·(|q|·|v| + |v|²/2), u = 2^-24, in whatever order a product is
        added: n for the product, the rest for rounding q, |v|²/2, their difference and the threshold. Twice that is
        allowed for, and underflow.
        """
        longest = float(np.sqrt(2 * float(self._half_squares.max())))
        with np.errstate(invalid="ignore"):  # 0 · infinity, where vectors are too long for float32 products
            magnitude = np.linalg.norm(points, axis=1) * longest + longest**2
        single = np.finfo(np.float32)
        rounding = (self.dimensions + 4) * (float(single.eps) * magnitude + float(single.tiny))  # of one score
        windows: NDArray[np.float64] = np.where(magnitude < _LARGEST_SCORE, 2 * rounding, np.inf)
        return windows

    def _nearest_in_block(self, points: NDArray[np.float64], k: int) -> NDArray[np.int64]:
        # |v - q|² orders words as |v|²/2 - q·v does.
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows stays possible
            scores = points.astype(np.float32) @ self.vectors.T
            np.subtract(self._half_squares, scores, out=scores)
            kth = scores.min(axis=1) if k == 1 else np.partition(scores, k - 1, axis=1)[:, k - 1]
            possible = ~(scores > (kth + self._windows(points)).astype(np.float32)[:, None])
        nearest = np.empty((len(points), k), dtype=np.int64)
        if k == 1:
            nearest[:, 0] = scores.argmin(axis=1)
        undecided = range(len(points)) if k > 1 else np.flatnonzero(np.count_nonzero(possible, axis=1) > 1)
        for query in undecided:
            nearest[query] = self._decide(points[query], np.flatnonzero(possible[query]), k)
        return nearest

    def _decide(self, point: NDArray[np.float64], candidates: NDArray[np.int64], k: int) -> NDArray[np.int64]:
        """Return the k nearest of a few words, exactly. The rows must ascend."""
        vectors = self.vectors[candidates].astype(np.float64)
        terms = vectors * (vectors / 2 - point)
        scores = arithmetic.added(terms)
        doubts = arithmetic.added(np.abs(terms)) * ((self.dimensions + 4) * 2.0**-52)  # twice what rounding can do
        order = np.argsort(scores, kind="stable")
        reach = np.maximum.accumulate((scores + doubts)[order])
        settled = np.append((scores - doubts)[order][1:] > reach[:-1], True)  # no later word can come before
        starts = np.append(0, np.flatnonzero(settled) + 1)
        for first, last in pairwise(starts.tolist()):
            if first >= k:
                break
            if last - first > 1:
                order[first:last] = sorted(order[first:last], key=_exact_keys(vectors, point, order[first:last]))
        return candidates[order[:k]]

    def _nearest_compiled(self, points: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the nearest word of each query: as `_nearest_in_block`, but seeing each product only once."""
        nearest = np.empty(len(points), dtype=np.int64)
        table = self._rounded

        def fill(part: NDArray[np.int64]) -> None:
            for start in range(0, len(part), _SEARCHED_AT_ONCE):
                block = slice(part[start], part[start] + min(_SEARCHED_AT_ONCE, len(part) - start))  # contiguous
                words, counts = table.search(points[block])
                nearest[block] = words[:, 0]
                for query in np.flatnonzero(counts > 1):
                    candidates = words[query, : counts[query]]
                    nearest[block][query] = self._decide(points[block][query], candidates, 1)[0]
                for query in np.flatnonzero(counts < 1):
                    nearest[block][query] = self._nearest_in_block(points[block][query][None], 1)[0, 0]

        acceleration.in_threads(fill, len(points), len(self))
        return nearest

    @cached_property
    def _rounded(self) -> RoundedTable:
        from allonym.vectors._loops.nearest import RoundedTable

        return RoundedTable(self.vectors)


def _exact_keys(
    vectors: NDArray[np.float64], point: NDArray[np.float64], places: NDArray[np.int64]
) -> Callable[[int], tuple[int, int]]:
    """Return what orders these vectors by their distance to the point, in whole numbers; of equals the first."""
    query, query_unit = _whole(point)
    rows, unit = _whole(vectors[places].ravel())
    width, known = len(query), dict[tuple[int, ...], int]()

    def distance(row: tuple[int, ...]) -> int:  # |v|² − 2·v·q, in units of both
        return sum(v * (v * query_unit - 2 * q * unit) for v, q in zip(row, query, strict=True))

    keys = {}
    for number, row_number in enumerate(places.tolist()):
        row = tuple(rows[number * width : (number + 1) * width])
        if row not in known:  # tables hold doubles
            known[row] = distance(row)
        keys[row_number] = (known[row], row_number)
    return keys.__getitem__


def _whole(numbers: NDArray[np.float64]) -> tuple[list[int], int]:
    """Return numbers as multiples of a fraction 1/u, and u."""
    ratios = [number.as_integer_ratio() for number in numbers.tolist()]
    unit = max((denominator for _, denominator in ratios), default=1)  # powers of two
    return [numerator * (unit // denominator) for numerator, denominator in ratios], unit


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
        table = WordTable(tuple(source), list(source.values()))  # type: ignore[arg-type] # the constructor checks
    elif isinstance(source, tuple) and len(source) == 2:
        table = WordTable(tuple(source[0]), source[1])  # type: ignore[arg-type] # likewise
    else:
        raise ParameterError(
            f"source must be a path, a shipped name, a WordTable, a mapping or (words, vectors), "
            f"got {type(source).__name__}."
        )
    return table if limit is None else table.first(limit)


def _load_path(source: str | os.PathLike[str], vocabulary: Vocabulary, limit: int | None) -> WordTable:
    path = Path(source).expanduser()
    if isinstance(source, str) and source in models.shipped():
        return _from_shipped(source)
    if path.is_dir():
        return _from_model(path)
    if not path.exists():
        names = ", ".join(models.shipped())
        raise InputError(f"There are no vectors at {str(source)!r}: give a path, or a shipped name ({names}).")
    words, vectors = files.read(path, vocabulary=vocabulary, limit=limit)
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
    if model.config.get("format") != "word-table" or models.VOCABULARY not in model.files:
        raise ModelError(f"The model folder {folder} holds no word table: give one whose format is word-table.")
    tensors = models.open_tensors(model)
    try:
        words = files.read_words(model.folder / models.VOCABULARY)
        scale = np.float32(model.config.get("scale", 1.0))
        return WordTable(tuple(words), tensors["vectors"].astype(np.float32) * scale)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"The word table in {folder} is malformed: make or fetch the folder again.") from error
