"""The style encoder as NumPy reads it: texts in, unit vectors out, without torch and the same on every machine.

A vector has two parts. The first is the text's n-grams, each weighed by what training found it to tell about writers;
the second is what a small network makes of them. Counts, weights and table are whole numbers, and what the network
computes is rounded to whole numbers at every layer, so that its sums are exact: a text's vector does not depend on the
texts beside it nor on the library that multiplies, and on another processor it differs in the last digit at most.

A long text is cut into pieces, as long as those the encoder was trained on, whose vectors are averaged.
P pieces, F n-grams' numbers, D numbers of the table's rows, V numbers of the second part.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from allonym import models
from allonym.errors import ModelError
from allonym.language import ENGLISH
from allonym.networks.style_encoder.text import COARSE, FINE, KINDS, NUMPY, Integers, TokenRow, numbered, read

Floats: TypeAlias = NDArray[np.float64]
Arrays: TypeAlias = Mapping[str, NDArray[Any]]

DEFAULT = ENGLISH.model("style-encoder")
FORMAT, VERSION = "style-encoder", 1
LONGEST_PIECE = 350  # tokens
STEPS_PER_DOUBLING = 32  # of damped counts: 32 · log2(1 + count), rounded
LARGEST_WEIGHT = 4095  # of an n-gram
_MOST_COUNTED = 4096  # of one n-gram in a piece; no piece of words has more
_MOST_CHARACTERS = 16 * LONGEST_PIECE  # of a piece that are read, should a "word" go on for pages
_CHARACTERS_AT_ONCE = 2**20
_SUM_STEP, _INPUT_STEP, _HIDDEN_STEP, _OUTPUT_STEP = 2.0**-16, 2.0**-10, 2.0**-10, 2.0**-14


@dataclass(frozen=True)
class StyleShape:
    """Sizes of the network."""

    table: int = 96  # numbers of an n-gram (D)
    hidden: int = 512  # width of the layer behind the table
    vector: int = 192  # numbers of the second part of a vector (V)

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every stored array by its name."""
        kinds = len(KINDS)
        return {
            "fine.codes": (sum(FINE),),
            "fine.weights": (256,),
            "fine.shares": (kinds,),
            "coarse.codes": (sum(COARSE),),
            "coarse.weights": (256,),
            "coarse.shares": (kinds,),
            "table": (sum(COARSE), self.table),
            "table.scale": (kinds, self.table),
            "bias": (self.table,),
            "inner.weight": (self.hidden, self.table),
            "inner.weight.scale": (self.hidden,),
            "inner.bias": (self.hidden,),
            "outer.weight": (self.vector, self.hidden),
            "outer.weight.scale": (self.vector,),
            "outer.bias": (self.vector,),
            "straight.weight": (self.vector, self.table),
            "straight.weight.scale": (self.vector,),
        }


class StyleReader:
    """A trained style encoder; see `open`.

    Of a vector's squared length its second part has the `balance`, between 0 and 1.

    Raises:
        ModelError: The arrays do not fit the shape, or the balance is not between 0 and 1.
    """

    def __init__(self, shape: StyleShape, arrays: Arrays, balance: float) -> None:
        wrong = [n for n, sizes in shape.tensors().items() if n not in arrays or arrays[n].shape != sizes]
        if wrong or not 0 <= balance <= 1:
            raise ModelError(f"The style encoder's {(wrong or ['balance'])[0]} does not fit its sizes: fetch it again.")
        self.shape, self.balance = shape, float(balance)
        exact = {name: np.asarray(arrays[name], dtype=np.float64) for name in shape.tensors()}
        self._fine = _Weights(exact, "fine", FINE)
        self._coarse = _Weights(exact, "coarse", COARSE)
        self._tables = np.split(exact["table"], np.cumsum(COARSE)[:-1])
        self._exact = exact

    @classmethod
    def open(cls, model: str | os.PathLike[str] = DEFAULT) -> StyleReader:
        """Open a shipped encoder by its name, or a folder.

        Raises:
            ModelError: There is none, or it is not as it was made.
        """
        opened = models.verify_format(models.find(model), FORMAT, VERSION)
        try:
            return cls(
                StyleShape(**opened.config["shape"]), models.open_tensors(opened), float(opened.config["balance"])
            )
        except (KeyError, TypeError, ValueError) as broken:
            raise ModelError(
                f"The model folder {opened.folder} has no sizes of a style encoder: fetch it again."
            ) from broken

    @property
    def size(self) -> int:
        """How many numbers a vector has."""
        return int(sum(FINE) + self.shape.vector)

    def vectors(self, texts: Sequence[str]) -> sparse.csr_array:
        """Return texts × size: vectors of length 1, most of whose numbers are 0."""
        parts = [self._some_vectors(some) for some in _chunks(texts)]
        stacked = sparse.csr_array(sparse.vstack(parts)) if parts else sparse.csr_array((0, self.size))
        if stacked.nnz < 2**31:  # scikit-learn takes no wider ones
            stacked.indices, stacked.indptr = stacked.indices.astype(np.int32), stacked.indptr.astype(np.int32)
        return stacked

    def _some_vectors(self, texts: Sequence[str]) -> sparse.csr_array:
        characters, ranges = numbered(texts)
        row = read(characters.astype(np.int64), NUMPY)
        first, stop, owners = _pieces(row, ranges)
        columns, pieces = _n_grams(row, first, stop)
        fine = self._fine.weighed(columns, pieces, len(first))
        coarse = [column >> (kind.bits - kind.coarse_bits) for column, kind in zip(columns, KINDS, strict=True)]
        second = self._second_part(self._coarse.raw(coarse, pieces, len(first)))
        several = sparse.csr_array((np.ones(len(owners)), (owners, np.arange(len(owners)))), (len(texts), len(owners)))
        halves = [_unit(several @ fine), _unit(sparse.csr_array(several @ second))]
        shares = np.sqrt([1 - self.balance, self.balance])
        # Once more, since a text without tokens has no first part.
        return _unit(sparse.hstack([half * share for half, share in zip(halves, shares, strict=True)]))

    def _second_part(self, weighed: list[sparse.csr_array]) -> Floats:
        """Return what the network makes of weighed counts (P, V), each row of length 1."""
        exact = self._exact
        summed = np.zeros((weighed[0].shape[0], self.shape.table))
        for part, table, share, scale in zip(
            weighed, self._tables, self._coarse.shares, exact["table.scale"], strict=True
        ):
            summed += (part @ table) * (share / _lengths(part))[:, None] * scale
        summed = np.rint((summed + exact["bias"]) / _SUM_STEP)
        squares = np.sqrt((summed * summed).sum(1, keepdims=True) / self.shape.table)
        scaled = np.rint(summed / np.maximum(squares, 1.0) / _INPUT_STEP)
        inner = scaled @ exact["inner.weight"].T * (exact["inner.weight.scale"] * _INPUT_STEP) + exact["inner.bias"]
        hidden = np.rint(np.maximum(inner, 0.0) / _HIDDEN_STEP)
        outer = hidden @ exact["outer.weight"].T * (exact["outer.weight.scale"] * _HIDDEN_STEP) + exact["outer.bias"]
        outer += scaled @ exact["straight.weight"].T * (exact["straight.weight.scale"] * _INPUT_STEP)
        whole = np.rint(outer / _OUTPUT_STEP)
        lengths = np.sqrt((whole * whole).sum(1, keepdims=True))
        unit: Floats = whole / np.maximum(lengths, 1.0)
        return unit


class _Weights:
    """What n-grams weigh, and each kind's share."""

    def __init__(self, exact: Arrays, name: str, sizes: tuple[int, ...]) -> None:
        self.sizes = sizes
        self.weights: Floats = exact[f"{name}.weights"][exact[f"{name}.codes"].astype(np.int64)]
        self.shares: Floats = exact[f"{name}.shares"]
        self._steps = np.rint(STEPS_PER_DOUBLING * np.log2(1.0 + np.arange(_MOST_COUNTED + 1)))

    def raw(self, columns: list[Integers], pieces: list[Integers], count: int) -> list[sparse.csr_array]:
        """Return damped counts × weights of each kind (P, F of the kind), in whole numbers."""
        matrices = []
        starts = np.cumsum([0, *self.sizes])
        for column, piece, (start, stop) in zip(columns, pieces, pairwise(starts), strict=True):
            counts = sparse.csr_array((np.ones(len(column)), (piece, column)), shape=(count, stop - start))
            counts.sum_duplicates()
            steps = self._steps[np.minimum(counts.data, _MOST_COUNTED).astype(np.int64)]
            counts.data = steps * self.weights[start + counts.indices]
            matrices.append(counts)
        return matrices

    def weighed(self, columns: list[Integers], pieces: list[Integers], count: int) -> sparse.csr_array:
        """Return (P, F) with each kind brought to the length of its share."""
        parts = []
        for part, share in zip(self.raw(columns, pieces, count), self.shares, strict=True):
            part.data *= np.repeat(share / _lengths(part), np.diff(part.indptr))
            parts.append(part)
        return sparse.csr_array(sparse.hstack(parts))


def _chunks(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield texts in order, about a million characters at a time."""
    total = np.cumsum([len(text) for text in texts])
    cuts = np.flatnonzero(np.diff(total // _CHARACTERS_AT_ONCE)) + 1
    for start, stop in pairwise([0, *cuts.tolist(), len(texts)]):
        if stop > start:
            yield texts[start:stop]


def _pieces(row: TokenRow, ranges: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the first token of each piece, the one after its last, and its text; every text has one piece at least."""
    tokens = np.searchsorted(row.starts, ranges)  # (texts, 2)
    lengths = tokens[:, 1] - tokens[:, 0]
    counts = np.maximum(1, -(-lengths // LONGEST_PIECE))
    owners = np.repeat(np.arange(len(ranges)), counts)
    number = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    first = tokens[owners, 0] + number * lengths[owners] // counts[owners]
    stop = tokens[owners, 0] + (number + 1) * lengths[owners] // counts[owners]
    return first, stop, owners


def _n_grams(row: TokenRow, first: Integers, stop: Integers) -> tuple[list[Integers], list[Integers]]:
    """Return for each kind the numbers of all n-grams, and the piece that each is in."""
    some = stop > first
    begins, ends = np.zeros_like(first), np.zeros_like(first)
    begins[some], ends[some] = row.starts[first[some]], row.ends[stop[some] - 1]
    runs = {"characters": _runs(begins, np.minimum(ends, begins + _MOST_CHARACTERS)), "tokens": _runs(first, stop)}
    columns, pieces = [], []
    for kind in KINDS:
        owners, places, left = runs["characters" if kind.of == "characters" else "tokens"]
        inside = left >= kind.length
        columns.append(row.hashed(kind)[places[inside]])
        pieces.append(owners[inside])
    return columns, pieces


def _runs(begins: Integers, ends: Integers) -> tuple[Integers, Integers, Integers]:
    """Return for all places of several runs: which run, the place, and how many are left of it, with this one."""
    sizes = ends - begins
    owners = np.repeat(np.arange(len(sizes)), sizes)
    at = np.arange(len(owners)) - (np.cumsum(sizes) - sizes)[owners]
    return owners, begins[owners] + at, sizes[owners] - at


def _lengths(part: sparse.csr_array) -> Floats:
    """Return the length of each row, and 1 for a row of zeros; exact where all is whole."""
    squares = sparse.csr_array((part.data * part.data, part.indices, part.indptr), part.shape).sum(axis=1)
    lengths: Floats = np.sqrt(np.where(squares > 0, squares, 1.0))
    return lengths


def _unit(rows: sparse.csr_array) -> sparse.csr_array:
    rows = sparse.csr_array(rows)
    rows.data = rows.data / np.repeat(_lengths(rows), np.diff(rows.indptr))
    return rows
