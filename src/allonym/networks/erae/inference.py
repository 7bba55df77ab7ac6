"""ER-AE's network as NumPy reads it: the numbers of `allonym.training.erae.network`, without torch.

The generator is fed the original words, so all steps of a sentence are known beforehand: what depends on a word alone
is multiplied once for each distinct word, and the output layer, which dominates, is one large product over all steps.

Every number is exact, and the same on every processor, for any batch and any number of threads: weights are int8, what
they multiply are whole numbers, too (`whole_numbers`). Weights that come as floats are rounded first.

Privacy: spends nothing. What is drawn from the probabilities does, and its price does not depend on them.
B: sentences, S: places the encoder reads (words and END), T: steps, V: words, E: embedding, H: generator.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np

from allonym import acceleration, models
from allonym.errors import ModelError, ParameterError
from allonym.language.sequences import END, PAD, START, UNKNOWN, Vocabulary
from allonym.networks._recurrent import Gru
from allonym.networks.erae._output import MOST_EXACT, OutputLayer
from allonym.networks.whole_numbers import (
    ONE,
    ONE_INVERSE,
    TANH_CONSTANTS,
    Floats,
    Integers,
    Linear,
    Parts,
    Shorts,
    Weights,
    WholeMatrix,
    exp,
    inside,
    opened,
    quantised,
    rounded,
    tanh,
)

FORMAT, VERSION = "erae", 1
NEVER_WRITTEN = (PAD, START, UNKNOWN)
RELEASES_ITS_TEXT = (
    "no document is among the user's own texts that the model was trained on (the model itself is a release of those "
    "texts, made without differential privacy, and nothing here protects their authors)"
)

_FARTHEST = 53  # distances that the attention tells apart: `LONGEST` of the torch network
_IMPOSSIBLE = np.float32(-1e4)
_SENTENCES_AT_ONCE = 128
_SENTENCES_IN_CACHE = 16
_BLOCK_BYTES = 32 * 2**20  # of ratings at a time
_ATTENTION_UNIT = np.float32(2**20)  # shares of attention are whole numbers of this fraction
_UNSEEN = np.float32(-1e30)


@dataclass(frozen=True)
class EraeShape:
    """Sizes of the network; the defaults are those of the released code, but for the embedding."""

    words: int  # tokens of the vocabulary
    variant: str = "attention"  # `"paper"` or `"attention"`
    embedding: int = 256  # size of a word's vector
    encoder: int = 256  # size of each of the encoder's two states
    latent: int = 256  # size of a sentence's vector
    generator: int = 512  # size of the generator's state

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every weight by its name."""
        both, hidden = 2 * self.encoder, self.generator
        shapes: dict[str, tuple[int, ...]] = {"embedding.weight": (self.words, self.embedding), "bias": (self.words,)}
        directions = (("encoder", "_l0"), ("encoder", "_l0_reverse"), ("generator", "_l0"))
        for name, end in directions:
            read, size = (self.embedding, self.encoder) if name == "encoder" else (self.embedding + self.latent, hidden)
            shapes |= {f"{name}.weight_ih{end}": (3 * size, read), f"{name}.weight_hh{end}": (3 * size, size)}
            shapes |= {f"{name}.bias_{part}{end}": (3 * size,) for part in ("ih", "hh")}
        linear = {"latent": (self.latent, both), "output": (self.embedding, hidden)}
        if self.variant == "attention":
            linear["mix"] = (hidden, hidden + both)
            shapes |= {"query.weight": (both, hidden), "place": (2 * _FARTHEST + 1,)}
        for name, sizes in linear.items():
            shapes |= {f"{name}.weight": sizes, f"{name}.bias": sizes[:1]}
        return shapes


class EraeReader:
    """A trained network that rates every word at every step of a sentence; see `open`.

    Weights have their names in the torch network, and int8 ones their scales, by name and `.scale`. Its `assumptions`
    are what a guarantee of text drawn with it must state beside its own; there are none for shipped models.

    Raises:
        ModelError: The weights do not fit the shape, or the vocabulary.
    """

    def __init__(self, shape: EraeShape, weights: Weights, vocabulary: Vocabulary, *, trained_on: str = "") -> None:
        self.shape, self.vocabulary = shape, vocabulary
        self.assumptions: tuple[str, ...] = (RELEASES_ITS_TEXT,) if trained_on == models.USER_TEXT else ()
        parts = _checked(shape, weights, vocabulary)
        matrices, rest = parts
        self._words = matrices["embedding.weight"]  # (V, E)
        self._forward = Gru(parts, "encoder", "_l0", shape.embedding)
        self._backward = Gru(parts, "encoder", "_l0_reverse", shape.embedding)
        self._generator = Gru(parts, "generator", "_l0", shape.embedding)
        self._latent, self._output = Linear.named(parts, "latent"), Linear.named(parts, "output")
        if shape.variant == "attention":
            query, mix = matrices["query.weight"], matrices["mix.weight"]
            self._query = WholeMatrix(query.whole, query.scales / np.sqrt(np.float32(2 * shape.encoder)))
            self._mix = WholeMatrix(mix.whole[:, : shape.generator], mix.scales * ONE_INVERSE)
            self._mix_seen = WholeMatrix(mix.whole[:, shape.generator :], mix.scales * ONE_INVERSE)
            self._mix_bias, self._place = rest["mix.bias"], rest["place"]
        bias = rest["bias"].copy()
        bias[list(NEVER_WRITTEN)] += _IMPOSSIBLE
        self._rating = OutputLayer(self._words, bias)
        self._entries = 0  # of ratings that were asked for so far, which tell when compiling pays

    @classmethod
    def open(cls, model: str | os.PathLike[str]) -> EraeReader:
        """Open a model folder, or a shipped model by its name, after checking every file of it.

        Raises:
            ModelError: The folder is missing, damaged, or no model of this kind.
        """
        opened = models.verify_format(model, FORMAT, VERSION)
        try:
            sizes = opened.config["shape"]
            shape = EraeShape(**{field.name: sizes[field.name] for field in fields(EraeShape)})
        except (KeyError, TypeError) as error:
            raise ModelError(f"{opened.folder / models.CONFIG} lacks sizes: make or fetch the folder again.") from error
        vocabulary = Vocabulary.load(opened.folder / models.VOCABULARY)
        trained_on = str(opened.config.get(models.TRAINED_ON, ""))
        return cls(shape, models.open_tensors(opened), vocabulary, trained_on=trained_on)

    def features(self, sentences: Sequence[Sequence[int]], steps: Sequence[int] | int) -> Floats:
        """Return what the output layer sees at each step: sentences × steps × E for one number of steps.

        If sentences have numbers of steps of their own, it is one row a step, a sentence's after another's. Sentences
        are without START and END, and may be empty; after its last word, one goes on as in training: the generator is
        fed END again and again.

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

        self._entries += len(features) * self.shape.words
        fast = acceleration.worth_compiling(self._entries)

        def fill(part: Integers) -> None:
            for number in part:
                rows = batches[number]
                made = self._features_of([sentences[row] for row in rows], lengths[rows], counts[rows], fast)
                for row, computed in zip(rows, made, strict=True):
                    features[starts[row] : starts[row] + counts[row]] = computed[: counts[row]]

        longest = int(counts.max()) if len(batches) > 1 else 0
        acceleration.in_threads(fill, len(batches), _SENTENCES_AT_ONCE * longest * self.shape.words)
        return features.reshape(len(sentences), steps, self.shape.embedding) if isinstance(steps, int) else features

    def _features_of(
        self, sentences: Sequence[Sequence[int]], lengths: Integers, counts: Integers, fast: bool
    ) -> Iterator[Floats]:
        """Yield the features of each of a few sentences, the most steps first; there may be further rows."""
        places = lengths + 1
        tokens = np.full((len(places), int(max(places.max(), counts[0]))), END, dtype=np.int64)
        for row, sentence in zip(tokens, sentences, strict=True):
            row[: len(sentence)] = sentence
        known, codes = np.unique(np.append(tokens, [START]), return_inverse=True)
        vectors, units = self._words.whole[known].astype(np.int16), self._words.scales[known]
        read = codes[:-1].reshape(tokens.shape)
        states, latent = self._encode(vectors, units, read, places, fast)  # (B, S, 2·encoder), (B, latent)
        before = np.concatenate([np.full((len(tokens), 1), codes[-1]), read[:, : counts[0] - 1]], axis=1)  # (B, T)
        given, shift = self._generator.given(vectors, units, fast=fast), self._generator.shift(latent, fast=fast)
        hidden = self._generator.run(given, before, counts, shift, fast=fast)  # (B, T, H)
        for first in range(0, len(tokens), _SENTENCES_IN_CACHE):
            few = slice(first, first + _SENTENCES_IN_CACHE)
            some = np.ascontiguousarray(hidden[few, : counts[first]])
            flat = some.reshape(-1, self.shape.generator)  # one large product is faster than one a sentence
            if self.shape.variant == "attention":
                flat = self._look_back(flat, states[few, : places[few].max()], places[few], fast)
            yield from self._output.of_states(flat, fast=fast).reshape(*some.shape[:2], -1)

    def _encode(
        self, vectors: Shorts, units: Floats, codes: Integers, places: Integers, fast: bool
    ) -> tuple[Shorts, Floats]:
        """Return the encoder's state at each place and the latent vectors."""
        order = np.argsort(-places, kind="stable")
        codes = codes[order, : places.max()]
        states = np.empty((*codes.shape, 2 * self.shape.encoder), np.int16)
        for gru, part, back in (
            (self._forward, slice(None, self.shape.encoder), False),
            (self._backward, slice(self.shape.encoder, None), True),
        ):
            given = gru.given(vectors, units, fast=fast)
            states[order, :, part] = gru.run(given, codes, places[order], fast=fast, back=back)
        last = states[np.arange(len(places)), places - 1, : self.shape.encoder]
        both = np.concatenate([last, states[:, 0, self.shape.encoder :]], axis=1)
        return states, self._latent.of_states(both, fast=fast)

    def _look_back(self, flat: Shorts, states: Shorts, places: Integers, fast: bool) -> Shorts:
        """Mix the generator's states, as rows, with what the attention finds among the encoder's."""
        asked, units = rounded(self._query.times(flat, ONE_INVERSE, fast=fast), ONE)
        read = states.astype(np.float64)  # (B, S, 2·encoder); float64 holds sums of products of 16 bits exactly
        steps = len(flat) // len(states)
        products = asked.reshape(len(states), steps, -1).astype(np.float64) @ read.swapaxes(1, 2)  # (B, T, S)
        scores = products.astype(np.float32)
        scores *= units.reshape(len(states), steps, 1) * ONE_INVERSE
        offset = np.arange(states.shape[1])[None, :] - np.arange(steps)[:, None]
        scores += self._place[np.clip(offset, -_FARTHEST, _FARTHEST) + _FARTHEST]
        scores[np.broadcast_to(~inside(places, states.shape[1])[:, None, :], scores.shape)] = _UNSEEN
        scores -= scores.max(axis=-1, keepdims=True)
        shares = np.rint(exp(scores) * _ATTENTION_UNIT).astype(np.float64)
        seen = np.rint(shares @ read / shares.sum(axis=-1, keepdims=True)).astype(np.int16).reshape(len(flat), -1)
        from_here, others = self._mix.sums(flat, fast=fast), self._mix_seen.sums(seen, fast=fast)
        if fast:
            from allonym.networks import _exact_loops

            mixed = np.empty(from_here.shape, np.int16)
            _exact_loops.mix(
                from_here, others, self._mix.scales, self._mix_bias, TANH_CONSTANTS, np.float32(ONE), mixed
            )
            return mixed
        added = from_here.astype(np.float32) * self._mix.scales
        added += others.astype(np.float32) * self._mix.scales
        added += self._mix_bias
        states_seen: Shorts = np.rint(tanh(added) * np.float32(ONE)).astype(np.int16)
        return states_seen

    def probabilities(self, features: Floats, out: Floats | None = None) -> Floats:
        """Return, or write `out`, the probability of each word, … × E to … × V; those never written have none."""
        out = np.empty((*features.shape[:-1], self.shape.words), np.float32) if out is None else out
        self._rating.fill(features.reshape(-1, features.shape[-1]), out.reshape(-1, self.shape.words), normalise=True)
        return out

    def ratings(self, features: Floats, *, rows: int | None = None, normalise: bool = False) -> Iterator[Floats]:
        """Yield the logits of all words, some rows of features at a time, all in one buffer: use them up, or copy.

        There are as many rows at a time as 32 MiB hold, unless a number is given. Normalised they are probabilities.
        """
        features = features.reshape(-1, self.shape.embedding)
        size = max(1, _BLOCK_BYTES // (4 * self.shape.words)) if rows is None else rows
        if size < 1:
            raise ParameterError(f"rows must be at least 1, got {rows}.")
        buffer = np.empty((min(size, len(features)), self.shape.words), np.float32)
        for first in range(0, len(features), size):
            block = features[first : first + size]
            self._rating.fill(block, buffer[: len(block)], normalise=normalise)
            yield buffer[: len(block)]

    def ratings_of(self, features: Floats, words: Integers) -> Floats:
        """Return the logits of some words for each row of features, rows × words of it: as `ratings` has them."""
        return self._rating.of(features, words)


def _checked(shape: EraeShape, weights: Weights, vocabulary: Vocabulary) -> Parts:
    """Return all matrices in whole numbers, and what else there is as float32."""
    if shape.variant not in ("paper", "attention") or len(vocabulary) != shape.words or shape.embedding > MOST_EXACT:
        raise ModelError("The model's sizes do not fit its vocabulary or variant: make or fetch the folder again.")
    return opened(shape.tensors(), weights, quantised)
