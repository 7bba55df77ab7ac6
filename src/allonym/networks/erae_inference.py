"""ER-AE's network as NumPy reads it: the numbers of `allonym.networks.erae`, without torch.

The generator is fed the original words, so all steps of a sentence are known beforehand: what depends on a word alone
is multiplied once for each distinct word, and the output layer, which dominates, is one large product over all steps.

With int8 weights that product is of whole numbers: the embedding has a scale a word, and what the output layer sees is
rounded to int8 with a scale a step. Float32 holds these sums exactly, so the same features have the same ratings
on every machine, with instructions for int8 (`_erae_loops`) or without. Float weights are used as they are.

Privacy: spends nothing. What is drawn from the probabilities does, and its price does not depend on them.
B: sentences, S: places the encoder reads (words and END), T: steps, V: words, E: embedding, H: generator.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym import acceleration, models
from allonym.errors import ModelError, ParameterError
from allonym.networks._erae_gru import LEAST_ROWS, Floats, Gru, Integers
from allonym.sequences import END, PAD, START, UNKNOWN, Vocabulary

Weights: TypeAlias = Mapping[str, NDArray[Any]]

FORMAT, VERSION = "erae", 1
SCALE = ".scale"  # ends the name of the scales of an int8 matrix, one for each of its rows
NEVER_WRITTEN = (PAD, START, UNKNOWN)
TRAINED_ON, USER_TEXT = "trained_on", "user text"  # in the configuration of a model that a user trained
RELEASES_ITS_TEXT = (
    "no document is among the user's own texts that the model was trained on (the model itself is a release of those "
    "texts, made without differential privacy, and nothing here protects their authors)"
)

_FARTHEST = 53  # distances that the attention tells apart: `LONGEST` of the torch network
_IMPOSSIBLE = np.float32(-1e4)
_SENTENCES_AT_ONCE = 128
# The attention, too, looks for so many steps of a sentence at a time.
_SENTENCES_IN_CACHE = _LEAST_ROWS = LEAST_ROWS
_BLOCK_BYTES = 64 * 2**20
_ROWS_AT_ONCE, _COMPILED_ROWS_AT_ONCE = 256, 48  # multiplied together
_ROWS_IN_CACHE = 8  # finished while near the processor
_COST_OF_AN_ENTRY = 32  # a rating is a product of two vectors, far dearer than what `in_threads` counts
_MOST_EXACT = 2**24 // 127**2  # int8 products whose sum float32 holds exactly


@dataclass(frozen=True)
class Shape:
    """Sizes of the network, as `allonym.networks.erae.Shape`."""

    words: int
    variant: str
    embedding: int
    encoder: int
    latent: int
    generator: int

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every weight by its name."""
        both, hidden = 2 * self.encoder, self.generator
        found: dict[str, tuple[int, ...]] = {"embedding.weight": (self.words, self.embedding), "bias": (self.words,)}
        directions = (("encoder", "_l0"), ("encoder", "_l0_reverse"), ("generator", "_l0"))
        for name, end in directions:
            read, size = (self.embedding, self.encoder) if name == "encoder" else (self.embedding + self.latent, hidden)
            found |= {f"{name}.weight_ih{end}": (3 * size, read), f"{name}.weight_hh{end}": (3 * size, size)}
            found |= {f"{name}.bias_{part}{end}": (3 * size,) for part in ("ih", "hh")}
        linear = {"latent": (self.latent, both), "output": (self.embedding, hidden)}
        if self.variant == "attention":
            linear["mix"] = (hidden, hidden + both)
            found |= {"query.weight": (both, hidden), "place": (2 * _FARTHEST + 1,)}
        for name, sizes in linear.items():
            found |= {f"{name}.weight": sizes, f"{name}.bias": sizes[:1]}
        return found


def quantised(matrix: NDArray[np.floating[Any]]) -> tuple[NDArray[np.int8], Floats]:
    """Round each row to int8 by a scale of its own; a row of zeros keeps them."""
    largest = np.abs(matrix).max(axis=1).astype(np.float32)
    scales: Floats = np.where(largest > 0, largest, np.float32(1)).astype(np.float32) / np.float32(127)
    return np.rint(matrix / scales[:, None]).astype(np.int8), scales


class EraeReader:
    """A trained network that rates every word at every step of a sentence; see `open`.

    Args:
        shape: Sizes of the network.
        weights: Arrays by their names in the torch network; int8 ones with their scales, by name and `.scale`.
        vocabulary: The tokens.
        rounded: Whether the output layer computes in int8 where the embedding is int8; False is for comparing.
        trained_on: What its configuration says of the training text.

    Attributes:
        shape: As given.
        vocabulary: As given.
        assumptions: What a guarantee of text drawn with it must state beside its own; none for shipped models.

    Raises:
        ModelError: The weights do not fit the shape, or the vocabulary.
    """

    def __init__(
        self, shape: Shape, weights: Weights, vocabulary: Vocabulary, *, rounded: bool = True, trained_on: str = ""
    ) -> None:
        self.shape, self.vocabulary = shape, vocabulary
        self.assumptions: tuple[str, ...] = (RELEASES_ITS_TEXT,) if trained_on == USER_TEXT else ()
        plain = _checked(shape, weights, vocabulary)
        self._embedding = plain["embedding.weight"]  # (V, E)
        self._forward = Gru(plain, "encoder", "_l0", shape.embedding)
        self._backward = Gru(plain, "encoder", "_l0_reverse", shape.embedding)
        self._generator = Gru(plain, "generator", "_l0", shape.embedding)
        self._latent, self._latent_bias = plain["latent.weight"].T.copy(), plain["latent.bias"]
        self._output, self._output_bias = plain["output.weight"].T.copy(), plain["output.bias"]
        if shape.variant == "attention":
            self._query = plain["query.weight"].T / np.float32(np.sqrt(2 * shape.encoder))
            self._mix, self._mix_bias = plain["mix.weight"].T.copy(), plain["mix.bias"]
            self._place = plain["place"]
        bias = plain["bias"].copy()
        bias[list(NEVER_WRITTEN)] += _IMPOSSIBLE
        stored = weights["embedding.weight"]
        whole = rounded and stored.dtype == np.int8 and shape.embedding <= _MOST_EXACT
        # In float32 the bias is a further row of the product, which is faster than a pass over all ratings.
        matrix = stored.T if whole else np.vstack([self._embedding.T, bias])
        self._columns = np.ascontiguousarray(matrix, dtype=np.float32)  # (E or E + 1, V)
        self._scales = _scales(weights, "embedding.weight") if whole else None
        self._tiles: NDArray[np.uint8] | None = None  # the columns as compiled loops want them
        self._rated = 0  # ratings so far, which tell when compiling pays
        self._bias = bias

    @classmethod
    def open(cls, model: str | os.PathLike[str], *, rounded: bool = True) -> EraeReader:
        """Open a model folder, or a shipped model by its name, after checking every file of it.

        Raises:
            ModelError: The folder is missing, damaged, or no model of this kind.
        """
        found = models.verify_format(model, FORMAT, VERSION)
        try:
            sizes = found.config["shape"]
            shape = Shape(**{field.name: sizes[field.name] for field in fields(Shape)})
        except (KeyError, TypeError) as error:
            raise ModelError(f"{found.folder / models.CONFIG} lacks sizes: make or fetch the folder again.") from error
        vocabulary = Vocabulary.load(found.folder / models.VOCABULARY)
        trained_on = str(found.config.get(TRAINED_ON, ""))
        return cls(shape, models.open_tensors(found), vocabulary, rounded=rounded, trained_on=trained_on)

    @property
    def word_vectors(self) -> Floats:
        """The vector of each word, V × E, which its rating multiplies with the features of a step; read-only."""
        return _read_only(self._embedding)

    @property
    def bias(self) -> Floats:
        """What is added to each word's rating, V; far below zero for tokens that are never written; read-only."""
        return _read_only(self._bias)

    def features(self, sentences: Sequence[Sequence[int]], steps: Sequence[int] | int) -> Floats:
        """Return what the output layer sees at each step: sentences × steps × E for one number of steps.

        If sentences have numbers of steps of their own, it is one row a step, a sentence's after another's.

        After its last word, a sentence goes on as in training: the generator is fed END again and again.

        Args:
            sentences: Token numbers of each sentence, without START and END; may be empty.
            steps: How many steps of each sentence, or of every one.

        Raises:
            ParameterError: A token is not in the vocabulary, or steps do not fit the sentences.
        """
        if not isinstance(steps, int) and len(steps) != len(sentences):
            raise ParameterError(
                f"There must be one number of steps a sentence, got {len(steps)} for {len(sentences)}."
            )
        counts = np.broadcast_to(np.asarray(steps, dtype=np.int64), len(sentences))
        lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
        if counts.size and counts.min() < 0:
            raise ParameterError(f"steps must be at least 0, got {counts.min()}.")
        if any(sentence and not 0 <= min(sentence) <= max(sentence) < self.shape.words for sentence in sentences):
            raise ParameterError(f"Tokens must be numbers from 0 to {self.shape.words - 1}: use vocabulary.ids().")
        features = np.empty((int(counts.sum()), self.shape.embedding), np.float32)
        starts = np.cumsum(counts) - counts
        order = np.lexsort((-lengths, -counts))
        order = order[counts[order] > 0]
        batches = [order[first : first + _SENTENCES_AT_ONCE] for first in range(0, len(order), _SENTENCES_AT_ONCE)]
        batches = batches[::2] + batches[1::2]  # each core gets long sentences and short ones

        def fill(part: Integers) -> None:
            for number in part:
                rows = batches[number]
                made = self._features_of([sentences[row] for row in rows], lengths[rows], counts[rows])
                for row, own in zip(rows, made, strict=False):
                    features[starts[row] : starts[row] + counts[row]] = own[: counts[row]]

        longest = int(counts.max()) if len(batches) > 1 else 0
        acceleration.in_threads(fill, len(batches), _SENTENCES_AT_ONCE * longest * self.shape.words)
        return features.reshape(len(sentences), steps, self.shape.embedding) if isinstance(steps, int) else features

    def _features_of(self, sentences: Sequence[Sequence[int]], lengths: Integers, counts: Integers) -> Iterator[Floats]:
        """Yield the features of each of a few sentences, the most steps first; there may be further rows."""
        more = -len(sentences) % _LEAST_ROWS
        counts, places = np.pad(counts, (0, more), "edge"), np.pad(lengths + 1, (0, more), constant_values=1)
        tokens = np.full((len(places), int(max(places.max(), counts[0]))), END, dtype=np.int64)
        for row, sentence in zip(tokens, sentences, strict=False):
            row[: len(sentence)] = sentence
        known, codes = np.unique(np.append(tokens, [START]), return_inverse=True)
        vectors, read = self._embedding[known], codes[:-1].reshape(tokens.shape)
        vectors = np.pad(vectors, ((0, -len(known) % _LEAST_ROWS), (0, 0)))
        states, latent = self._encode(vectors, read, places)  # (B, S, 2·encoder), (B, latent)
        before = np.concatenate([np.full((len(tokens), 1), codes[-1]), read[:, : counts[0] - 1]], axis=1)  # (B, T)
        generator = self._generator
        given = vectors @ generator.inputs + generator.bias
        active = (counts[None, :] > np.arange(counts[0])[:, None]).sum(axis=1)
        hidden = generator.run(given, before, active, latent @ generator.beyond)  # (B, T, H)
        for first in range(0, len(tokens), _SENTENCES_IN_CACHE):
            few = slice(first, first + _SENTENCES_IN_CACHE)
            own = np.ascontiguousarray(hidden[few, : counts[first]])
            flat = own.reshape(-1, self.shape.generator)  # one large product is faster than one a sentence
            if self.shape.variant == "attention":
                flat = self._look_back(flat, states[few], places[few])
            yield from (flat @ self._output + self._output_bias).reshape(*own.shape[:2], -1)

    def _encode(self, vectors: Floats, codes: Integers, places: Integers) -> tuple[Floats, Floats]:
        """Return the encoder's state at each place and the latent vectors."""
        order = np.argsort(-places, kind="stable")
        codes = codes[order, : places.max()]
        active = (places[None, :] > np.arange(places.max())[:, None]).sum(axis=1)
        states = np.empty((*codes.shape, 2 * self.shape.encoder), np.float32)
        for gru, part, back in (
            (self._forward, slice(None, self.shape.encoder), False),
            (self._backward, slice(self.shape.encoder, None), True),
        ):
            states[order, :, part] = gru.run(vectors @ gru.inputs + gru.bias, codes, active, None, back)
        last = states[np.arange(len(places)), places - 1, : self.shape.encoder]
        both = np.concatenate([last, states[:, 0, self.shape.encoder :]], axis=1)
        return states, both @ self._latent + self._latent_bias

    def _look_back(self, flat: Floats, states: Floats, places: Integers) -> Floats:
        """Mix the generator's states, as rows, with what the attention finds among the encoder's."""
        steps = len(flat) // len(states)
        offset = np.arange(states.shape[1])[None, :] - np.arange(steps + -steps % _LEAST_ROWS)[:, None]
        by_place = self._place[np.clip(offset, -_FARTHEST, _FARTHEST) + _FARTHEST]  # (T, S)
        chunks = -(-steps // _LEAST_ROWS)
        seen = np.zeros((len(states), chunks * _LEAST_ROWS, states.shape[2]), np.float32)
        seen[:, :steps] = (flat @ self._query).reshape(len(states), steps, -1)  # until each query finds something
        for own, read, length in zip(seen.reshape(len(states), chunks, _LEAST_ROWS, -1), states, places, strict=True):
            scores = own @ read[:length].T  # (chunks, 16, S)
            scores += by_place[:, :length].reshape(chunks, _LEAST_ROWS, length)
            _softmax(scores)
            np.matmul(scores, read[:length], out=own)
        mixed: Floats = flat @ self._mix[: self.shape.generator]
        mixed += seen[:, :steps].reshape(len(flat), -1) @ self._mix[self.shape.generator :]
        mixed += self._mix_bias
        np.tanh(mixed, out=mixed)
        return mixed

    def probabilities(self, features: Floats) -> Floats:
        """Return the probability of each word, … × E to … × V; tokens that are never written have none."""
        out = np.empty((*features.shape[:-1], self.shape.words), np.float32)
        self._fill(features.reshape(-1, features.shape[-1]), out.reshape(-1, self.shape.words), normalise=True)
        return out

    def ratings(self, features: Floats, *, rows: int | None = None, normalise: bool = False) -> Iterator[Floats]:
        """Yield the logits of all words, some rows of features at a time, all in one buffer: use them up, or copy.

        Args:
            features: As of `features`.
            rows: Rows at a time; by default as many as 64 MiB hold.
            normalise: Whether to yield probabilities instead.
        """
        features = features.reshape(-1, self.shape.embedding)
        size = max(1, _BLOCK_BYTES // (4 * self.shape.words)) if rows is None else rows
        if size < 1:
            raise ParameterError(f"rows must be at least 1, got {rows}.")
        buffer = np.empty((min(size, len(features)), self.shape.words), np.float32)
        for first in range(0, len(features), size):
            block = features[first : first + size]
            self._fill(block, buffer[: len(block)], normalise=normalise)
            yield buffer[: len(block)]

    def _fill(self, features: Floats, out: Floats, *, normalise: bool) -> None:
        """Rate rows of features on all cores."""
        self._rated += out.size
        if self._scales is not None and self._tiles is None and acceleration.worth_compiling(self._rated):
            from allonym.networks import _erae_loops

            self._tiles = _erae_loops.packed(self._columns.T)
        together = _ROWS_AT_ONCE if self._tiles is None else _COMPILED_ROWS_AT_ONCE

        def rate(part: Integers) -> None:
            for start in range(part[0], part[-1] + 1, together):
                own = slice(start, min(start + together, part[-1] + 1))
                self._rate(features[own], out[own], normalise=normalise)

        acceleration.in_threads(rate, len(out), self.shape.words * _COST_OF_AN_ENTRY)

    def _rate(self, features: Floats, out: Floats, *, normalise: bool) -> None:
        """Write the logits, or the probabilities, of all words for some rows of features."""
        if self._scales is None:
            np.matmul(np.pad(features, ((0, 0), (0, 1)), constant_values=1), self._columns, out=out)
        else:
            self._rate_whole(*quantised(features), self._scales, out)
        for first in range(0, len(out) if normalise else 0, _ROWS_IN_CACHE):
            _softmax(out[first : first + _ROWS_IN_CACHE])

    def _rate_whole(self, features: NDArray[np.int8], steps: Floats, scales: Floats, out: Floats) -> None:
        if self._tiles is not None and len(out) >= _LEAST_ROWS:
            from allonym.networks import _erae_loops

            _erae_loops.rate(features, self._tiles, steps, scales, self._bias, out)
            return
        np.matmul(features.astype(np.float32), self._columns, out=out)  # whole numbers: exact in any order
        for first in range(0, len(out), _ROWS_IN_CACHE):
            few = slice(first, first + _ROWS_IN_CACHE)
            out[few] *= steps[few, None]
            out[few] *= scales
            out[few] += self._bias


def _checked(shape: Shape, weights: Weights, vocabulary: Vocabulary) -> dict[str, Floats]:
    """Return all weights as float32."""
    wanted = shape.tensors()
    if shape.variant not in ("paper", "attention") or len(vocabulary) != shape.words:
        raise ModelError("The model's sizes do not fit its vocabulary or variant: make or fetch the folder again.")
    plain = {}
    for name, sizes in wanted.items():
        if name not in weights or weights[name].shape != sizes:
            raise ModelError(f"The model's weights lack {name!r} of shape {sizes}: make or fetch the folder again.")
        plain[name] = weights[name].astype(np.float32)
        if weights[name].dtype == np.int8:
            plain[name] *= _scales(weights, name)[:, None]
        if not np.isfinite(plain[name]).all():
            raise ModelError(f"The model's {name!r} is not finite: train it again, or fetch the folder again.")
    return plain


def _scales(weights: Weights, name: str) -> Floats:
    """Return the scales of an int8 matrix."""
    scales = weights.get(name + SCALE)
    if scales is None or scales.shape != weights[name].shape[:1]:
        raise ModelError(f"The model's weights lack the scales of {name!r}: make or fetch the folder again.")
    return scales.astype(np.float32)


def _read_only(array: Floats) -> Floats:
    """Return a view that refuses to be written to; the array itself stays as compiled code wants it."""
    view = array.view()
    view.flags.writeable = False
    return view


def _softmax(ratings: Floats) -> None:
    ratings -= ratings.max(axis=-1, keepdims=True)
    np.exp(ratings, out=ratings)
    ratings *= 1 / ratings.sum(axis=-1, keepdims=True)
