"""Parts of `inference`: sizes, weights, and blocks of sentences; see `whole_numbers`.

B: sentences of a block, T: places, H: state of an LSTM.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from allonym.errors import ModelError
from allonym.language.sequences import END, PAD, START, Vocabulary
from allonym.networks._recurrent import Lstm
from allonym.networks.a4nt._attention import HEADS, LAYERS, attention_tensors
from allonym.networks.whole_numbers import ONE, ONE_INVERSE, Floats, Integers, Parts, Shorts, Weights, opened, rounded

VARIANTS = ("paper", "editor", "transformer")


def lstm_tensors(name: str, read: int, size: int, *, both: bool) -> dict[str, tuple[int, ...]]:
    """Return the shapes of an LSTM's weights by their names, in one direction or in both."""
    tensors: dict[str, tuple[int, ...]] = {}
    for end in ("_l0", "_l0_reverse") if both else ("_l0",):
        tensors |= {f"{name}.weight_ih{end}": (4 * size, read), f"{name}.weight_hh{end}": (4 * size, size)}
        tensors |= {f"{name}.bias_{part}{end}": (4 * size,) for part in ("ih", "hh")}
    return tensors


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
        heard = state if self.variant == "transformer" else 2 * state
        shapes: dict[str, tuple[int, ...]] = {
            "translator.embedding.weight": (words, size),
            "judge.embedding.weight": (words, self.judge_embedding),
            **lstm_tensors("judge.lstm", self.judge_embedding, self.judge_hidden, both=False),
            "judge.output.weight": (self.classes, 2 * self.judge_hidden),
            "judge.output.bias": (self.classes,),
        }
        if self.variant == "transformer":
            shapes |= attention_tensors("translator.encoder", state, LAYERS, size)
        else:
            shapes |= lstm_tensors("translator.encoder", size, state, both=self.in_place)
        for number in range(self.decoders):
            name = f"translator.decoders.{number}"
            seen = heard if self.in_place else state
            if self.variant == "transformer":
                shapes |= attention_tensors(f"{name}.attention", state, 1)
            else:
                read = heard if self.in_place else heard + size
                shapes |= lstm_tensors(f"{name}.lstm", read, state, both=self.in_place)
            shapes |= {f"{name}.projection.weight": (size, seen), f"{name}.projection.bias": (size,)}
            shapes |= {f"{name}.bias": (words,)}
            if self.in_place:
                shapes |= {f"{name}.liking.weight": (1, seen), f"{name}.liking.bias": (1,)}
        if self.conditioned:
            shapes |= {f"translator.{name}.weight": (self.classes, heard) for name in ("sources", "targets")}
        return shapes


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
