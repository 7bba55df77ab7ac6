"""Parts of `inference`: sizes, weights, and LSTMs over blocks of sentences, in whole numbers; see `whole_numbers`.

B: sentences of a block, T: places, H: state of an LSTM.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym.errors import ModelError
from allonym.language.sequences import END, PAD, START, Vocabulary
from allonym.networks.a4nt._attention import HEADS, LAYERS, attention_tensors
from allonym.networks.a4nt._linear import Linear, inside
from allonym.networks.whole_numbers import (
    ONE,
    ONE_INVERSE,
    TANH_CONSTANTS,
    Floats,
    Parts,
    Shorts,
    Sums,
    WholeMatrix,
    opened,
    rounded,
    tanh,
)

Integers: TypeAlias = NDArray[np.int64]
Weights: TypeAlias = Mapping[str, NDArray[Any]]

VARIANTS = ("paper", "editor", "transformer")


def lstm_tensors(name: str, read: int, size: int, *, both: bool) -> dict[str, tuple[int, ...]]:
    """Return the shapes of an LSTM's weights by their names, in one direction or in both."""
    found: dict[str, tuple[int, ...]] = {}
    for end in ("_l0", "_l0_reverse") if both else ("_l0",):
        found |= {f"{name}.weight_ih{end}": (4 * size, read), f"{name}.weight_hh{end}": (4 * size, size)}
        found |= {f"{name}.bias_{part}{end}": (4 * size,) for part in ("ih", "hh")}
    return found


@dataclass(frozen=True)
class A4ntShape:
    """Sizes of a translator, as `allonym.training.a4nt.network.TranslatorShape`, and of the classifier beside it."""

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


def checked(shape: A4ntShape, weights: Weights, vocabulary: Vocabulary, classes: tuple[str, ...]) -> Parts:
    """Return all matrices in whole numbers, and what else there is as float32.

    Raises:
        ModelError: They do not fit the shape, the vocabulary or the classes.
    """
    fits = shape.variant in VARIANTS and shape.words == len(vocabulary) and shape.classes == len(set(classes))
    fits = fits and not (shape.variant == "transformer" and shape.hidden % HEADS)
    if not fits or shape.classes != len(classes) or shape.classes < 2:
        raise ModelError("The model's sizes do not fit its vocabulary, classes or variant: fetch the folder again.")
    return opened(shape.tensors(), weights, lambda matrix: rounded(matrix, ONE))  # few and small: of 16 bits


class Lstm:
    """One direction of an LSTM; the gates i, f and o are halved, since σ(x) = ½ + ½·tanh(x/2).

    Its states are whole numbers, `ONE` for 1.

    Args:
        parts: The network's weights by name.
        name: Of this part of the network.
        end: Of the names of its weights: which direction.
        told: Numbers that come once a sentence, before those of a word.
    """

    def __init__(self, parts: Parts, name: str, end: str = "_l0", told: int = 0) -> None:
        inputs, recurrent = (parts.matrices[f"{name}.weight_{part}{end}"] for part in ("ih", "hh"))
        self.size = size = recurrent.whole.shape[1]
        candidate = (np.arange(4 * size) // size) == 2
        halves = np.where(candidate, np.float32(1), np.float32(0.5))
        scales = inputs.scales * halves
        bias = (parts.rest[f"{name}.bias_ih{end}"] + parts.rest[f"{name}.bias_hh{end}"]) * halves
        self.given = Linear(WholeMatrix(inputs.whole[:, told:], scales), bias).whole
        self.shift = Linear(WholeMatrix(inputs.whole[:, :told], scales), np.zeros_like(bias))
        self._recurrent = WholeMatrix(recurrent.whole, recurrent.scales * halves * ONE_INVERSE)

    def step(self, given: Floats, state: Shorts, cell: Floats, *, fast: bool) -> None:
        """Advance `state` and `cell` in place by the inputs' share, which is used up."""
        sums = self._recurrent.sums(state, fast=fast)
        if fast:
            from allonym.networks.a4nt import _loops

            _loops.advance(sums, self._recurrent.scales, given, TANH_CONSTANTS, np.float32(ONE), state, cell)
            return
        self._advance(sums, given, state, cell)

    def _advance(self, sums: Sums, given: Floats, state: Shorts, cell: Floats) -> None:
        size = self.size
        given += sums.astype(np.float32) * self._recurrent.scales
        gates = tanh(given)
        for gate in (slice(None, 2 * size), slice(3 * size, None)):
            gates[:, gate] += 1
            gates[:, gate] *= np.float32(0.5)
        cell *= gates[:, size : 2 * size]
        cell += gates[:, :size] * gates[:, 2 * size : 3 * size]
        state[:] = np.rint(gates[:, 3 * size :] * tanh(cell) * np.float32(ONE))

    def run(self, given: Floats, codes: Integers, lengths: Integers, *, fast: bool, back: bool = False) -> Shorts:
        """Return the state at each place, B × T × H, zero past the end of a sentence.

        Args:
            given: The inputs' share for each distinct vector.
            codes: Which of them is at each place, B × T.
            lengths: Places of each sentence, the longest first.
            fast: Whether compiling pays by now.
            back: Whether to read from the last place to the first.
        """
        rows, places = codes.shape
        states = np.zeros((rows, places, self.size), np.int16)
        state, cell = np.zeros((rows, self.size), np.int16), np.zeros((rows, self.size), np.float32)
        active = inside(lengths, places).sum(axis=0)
        for place in reversed(range(places)) if back else range(places):
            few = int(active[place])
            self.step(given[codes[:few, place]], state[:few], cell[:few], fast=fast)
            states[:few, place] = state[:few]
        return states


class BothWays:
    """An LSTM in both directions."""

    def __init__(self, parts: Parts, name: str) -> None:
        self._forward, self._backward = Lstm(parts, name), Lstm(parts, name, "_l0_reverse")

    def run(self, vectors: Shorts, units: Floats, codes: Integers, lengths: Integers, *, fast: bool) -> Floats:
        """Return the states at each place, B × T × 2H; as of `Attention.run`."""
        ways = [
            lstm.run(lstm.given(vectors, units, fast=fast), codes, lengths, fast=fast, back=lstm is self._backward)
            for lstm in (self._forward, self._backward)
        ]
        return np.concatenate(ways, axis=-1) * ONE_INVERSE


def padded(sentences: Sequence[Sequence[int]]) -> tuple[Integers, Integers]:
    """Return a block of sentences and their lengths."""
    lengths = np.array([len(sentence) for sentence in sentences], np.int64)
    tokens = np.full((len(lengths), int(lengths.max())), PAD, np.int64)
    for row, sentence in zip(tokens, sentences, strict=True):
        row[: len(sentence)] = sentence
    return tokens, lengths


def neighbours(tokens: Integers, lengths: Integers) -> tuple[Integers, Integers]:
    """Return the words before and after each place of a block of sentences; `START` and `END` at their ends."""
    lefts, rights = np.full_like(tokens, START), np.full_like(tokens, END)
    lefts[:, 1:], rights[:, :-1] = tokens[:, :-1], tokens[:, 1:]
    rights[np.arange(len(tokens)), lengths - 1] = END
    return lefts, rights


def summary(states: Shorts, lengths: Integers) -> Floats:
    """Return the final state beside the mean of all, B × 2H; states past a sentence's end are zero."""
    final = states[np.arange(len(states)), lengths - 1].astype(np.float32)
    means = states.sum(axis=1, dtype=np.int64) / lengths[:, None]
    return np.concatenate([final, means.astype(np.float32)], axis=1) * ONE_INVERSE
