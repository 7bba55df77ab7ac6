"""Parts of `a4nt_inference`: sizes and weights, LSTMs over blocks of sentences, and drawing words from ratings.

B: sentences of a block, always `ROWS`; T: places, V: words, H: state of an LSTM.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym.errors import ModelError
from allonym.networks._a4nt_attention import HEADS, LAYERS, attention_tensors
from allonym.sequences import END, PAD, START, Vocabulary

Floats: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]
Uniforms: TypeAlias = NDArray[np.float64]
Weights: TypeAlias = Mapping[str, NDArray[Any]]

PLACES_AT_ONCE = 64  # rated together
ROWS = 16
VARIANTS = ("paper", "editor", "transformer")
SCALE = ".scale"  # ends the name of the scales of an int8 matrix, one for each of its rows
_BLOCK = 128  # words whose probabilities are added first


def lstm_tensors(name: str, read: int, size: int, *, both: bool) -> dict[str, tuple[int, ...]]:
    """Return the shapes of an LSTM's weights by their names, in one direction or in both."""
    found: dict[str, tuple[int, ...]] = {}
    for end in ("_l0", "_l0_reverse") if both else ("_l0",):
        found |= {f"{name}.weight_ih{end}": (4 * size, read), f"{name}.weight_hh{end}": (4 * size, size)}
        found |= {f"{name}.bias_{part}{end}": (4 * size,) for part in ("ih", "hh")}
    return found


@dataclass(frozen=True)
class Shape:
    """Sizes of a translator, as `allonym.networks.a4nt.Shape`, and of the classifier beside it."""

    words: int
    classes: int
    variant: str
    conditioned: bool
    embedding: int
    hidden: int
    judge_embedding: int
    judge_hidden: int
    neutral: bool = False

    @property
    def decoders(self) -> int:
        """How many decoders there are."""
        return 1 if self.conditioned or self.neutral else self.classes

    @property
    def in_place(self) -> bool:
        """Whether words change in their places, so that a translation has as many as the sentence."""
        return self.variant != "paper"

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every weight by its name."""
        words, size, state = self.words, self.embedding, self.hidden
        told = state if self.variant == "transformer" else 2 * state
        found: dict[str, tuple[int, ...]] = {
            "translator.embedding.weight": (words, size),
            "judge.embedding.weight": (words, self.judge_embedding),
            **lstm_tensors("judge.lstm", self.judge_embedding, self.judge_hidden, both=False),
            "judge.output.weight": (self.classes, 2 * self.judge_hidden),
            "judge.output.bias": (self.classes,),
        }
        if self.variant == "transformer":
            found |= attention_tensors("translator.encoder", state, LAYERS, size)
        else:
            found |= lstm_tensors("translator.encoder", size, state, both=self.in_place)
        for number in range(self.decoders):
            name = f"translator.decoders.{number}"
            seen = told if self.in_place else state
            if self.variant == "transformer":
                found |= attention_tensors(f"{name}.attention", state, 1)
            else:
                read = told if self.in_place else told + size
                found |= lstm_tensors(f"{name}.lstm", read, state, both=self.in_place)
            found |= {f"{name}.projection.weight": (size, seen), f"{name}.projection.bias": (size,)}
            found |= {f"{name}.bias": (words,)}
            if self.in_place:
                found |= {f"{name}.liking.weight": (1, seen), f"{name}.liking.bias": (1,)}
        if self.conditioned:
            found |= {f"translator.{name}.weight": (self.classes, told) for name in ("sources", "targets")}
        return found


def checked(shape: Shape, weights: Weights, vocabulary: Vocabulary, classes: tuple[str, ...]) -> dict[str, Floats]:
    """Return all weights as float32.

    Raises:
        ModelError: They do not fit the shape, the vocabulary or the classes.
    """
    fits = shape.variant in VARIANTS and shape.words == len(vocabulary) and shape.classes == len(set(classes))
    fits = fits and not (shape.variant == "transformer" and shape.hidden % HEADS)
    if not fits or shape.classes != len(classes) or shape.classes < 2:
        raise ModelError("The model's sizes do not fit its vocabulary, classes or variant: fetch the folder again.")
    plain = {}
    for name, sizes in shape.tensors().items():
        if name not in weights or weights[name].shape != sizes:
            raise ModelError(f"The model's weights lack {name!r} of shape {sizes}: make or fetch the folder again.")
        plain[name] = weights[name].astype(np.float32)
        if weights[name].dtype == np.int8:
            scales = weights.get(name + SCALE)
            if scales is None or scales.shape != sizes[:1]:
                raise ModelError(f"The model's weights lack the scales of {name!r}: make or fetch the folder again.")
            plain[name] *= scales.astype(np.float32)[:, None]
        if not np.isfinite(plain[name]).all():
            raise ModelError(f"The model's {name!r} is not finite: train it again, or fetch the folder again.")
    return plain


class Lstm:
    """One direction of an LSTM; the gates i, f and o are halved, since σ(x) = ½ + ½·tanh(x/2)."""

    def __init__(self, weights: Mapping[str, Floats], name: str, end: str = "_l0") -> None:
        self.size = size = weights[f"{name}.weight_hh{end}"].shape[1]
        candidate = (np.arange(4 * size) // size) == 2
        halves = np.where(candidate, np.float32(1), np.float32(0.5))
        self.inputs = np.ascontiguousarray(weights[f"{name}.weight_ih{end}"].T * halves)
        self.recurrent = np.ascontiguousarray(weights[f"{name}.weight_hh{end}"].T * halves)
        self.bias = (weights[f"{name}.bias_ih{end}"] + weights[f"{name}.bias_hh{end}"]) * halves

    def step(self, read: Floats, state: Floats, cell: Floats) -> None:
        """Advance `state` and `cell` in place; rows of `read` are what is read."""
        size = self.size
        gates = read @ self.inputs
        gates += state @ self.recurrent
        gates += self.bias
        np.tanh(gates, out=gates)
        for gate in (slice(None, 2 * size), slice(3 * size, None)):
            gates[:, gate] += 1
            gates[:, gate] *= np.float32(0.5)
        cell *= gates[:, size : 2 * size]
        cell += gates[:, :size] * gates[:, 2 * size : 3 * size]
        np.multiply(gates[:, 3 * size :], np.tanh(cell), out=state)

    def run(self, read: Floats, lengths: Integers, *, back: bool = False) -> Floats:
        """Return the state at each place, B × T × H; past the end of a sentence it means nothing."""
        rows, places, _ = read.shape
        states = np.empty((rows, places, self.size), np.float32)
        state, cell = np.zeros((2, rows, self.size), np.float32)
        for place in reversed(range(places)) if back else range(places):
            self.step(np.ascontiguousarray(read[:, place]), state, cell)
            if back:  # the way back begins at the last word, not at the padding
                ended = lengths <= place
                state[ended] = 0
                cell[ended] = 0
            states[:, place] = state
        return states


class BothWays:
    """An LSTM in both directions."""

    def __init__(self, weights: Mapping[str, Floats], name: str) -> None:
        self.forward, self.backward = Lstm(weights, name), Lstm(weights, name, "_l0_reverse")

    def run(self, read: Floats, lengths: Integers) -> Floats:
        """Return the states at each place, B × T × 2H."""
        ways = self.forward.run(read, lengths), self.backward.run(read, lengths, back=True)
        return np.concatenate(ways, axis=-1)


def padded(sentences: Sequence[Sequence[int]]) -> tuple[Integers, Integers]:
    """Return a full block of sentences, the missing ones of one word, and their lengths."""
    lengths = np.ones(ROWS, np.int64)
    lengths[: len(sentences)] = [len(sentence) for sentence in sentences]
    tokens = np.full((ROWS, int(lengths.max())), PAD, np.int64)
    for row, sentence in enumerate(sentences):
        tokens[row, : len(sentence)] = sentence
    return tokens, lengths


def neighbours(tokens: Integers, lengths: Integers) -> tuple[Integers, Integers]:
    """Return the words before and after each place of a block of sentences; `START` and `END` at their ends."""
    lefts, rights = np.full_like(tokens, START), np.full_like(tokens, END)
    lefts[:, 1:], rights[:, :-1] = tokens[:, :-1], tokens[:, 1:]
    rights[np.arange(len(tokens)), lengths - 1] = END
    return lefts, rights


def summary(states: Floats, lengths: Integers) -> Floats:
    """Return the final state beside the mean of all, B × 2H."""
    final = states[np.arange(len(states)), lengths - 1]
    means = [own[:length].sum(axis=0) / np.float32(length) for own, length in zip(states, lengths, strict=True)]
    return np.concatenate([final, np.stack(means)], axis=1)


def log_softmax(scores: Floats) -> Floats:
    """Return log-probabilities of scores, row by row."""
    scores = scores - scores.max(axis=-1, keepdims=True)
    found: Floats = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    return found


def log_sums(ratings: Floats) -> Floats:
    """Return the logarithm of each row's summed exponentials; −inf for rows of nothing else."""
    most = np.maximum(ratings.max(axis=1, keepdims=True), np.finfo(np.float32).min)
    with np.errstate(divide="ignore"):
        found: Floats = np.log(np.exp(ratings - most).sum(axis=1)) + most[:, 0]
    return found


def chosen_words(ratings: Floats, uniforms: Uniforms) -> Integers:
    """Return words drawn from the softmax of each row, one for each of its uniform numbers: rows × numbers.

    Where a number is negative it is the likeliest word. Uses the ratings up.
    """
    rows = np.arange(len(ratings))[:, None]
    best = ratings.argmax(axis=1)
    ratings -= ratings[rows, best[:, None]]
    np.exp(ratings, out=ratings)
    # In two steps, since a running sum over all words is slow: first the block of words, then the word in it.
    firsts = np.arange(0, ratings.shape[1], _BLOCK)
    sums = np.cumsum(np.add.reduceat(ratings, firsts, axis=1), axis=1, dtype=np.float64)
    total = sums[:, -1:]
    wanted = np.minimum(uniforms * total, np.nextafter(total, 0))
    block = (sums[:, None, :] <= wanted[:, :, None]).sum(axis=-1)  # rows × numbers
    places = block[:, :, None] * _BLOCK + np.arange(_BLOCK)
    inside = places < ratings.shape[1]
    weights = np.where(inside, ratings[rows[:, :, None], np.where(inside, places, 0)], 0).astype(np.float64)
    left = wanted - np.where(block > 0, sums[rows, block - 1], 0)
    found = (np.cumsum(weights, axis=-1) <= left[:, :, None]).sum(axis=-1)
    last = (
        _BLOCK - 1 - (weights[:, :, ::-1] > 0).argmax(axis=-1)
    )  # the last possible word, which rounding must not pass
    chosen: Integers = np.where(uniforms < 0, best[:, None], block * _BLOCK + np.minimum(found, last))
    return chosen
