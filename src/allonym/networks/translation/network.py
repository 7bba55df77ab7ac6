"""A translation network: an encoder with attention, a decoder with simple recurrent units (Kim and others 2019).

Mozilla's have six layers and two; how many there are is read off the names of the weights.

Sums are those of NumPy's matrix products, which differ in their last bits from one processor to another: for what
nothing is drawn from any more. A text's sentences are translated together, and with no other text's, on one thread.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from allonym.networks.translation.weights import EMBEDDING, Floats, Integers

HEADS: Final = 8
END: Final = 0  # the number of the piece that ends a sentence
UNKNOWN: Final = 1
BIAS: Final = "decoder_ff_logit_out_b"  # of each piece that is written
_TINY: Final = 1e-6
_NEVER: Final = np.float32(-1e9)


@dataclass
class Read:
    """Sentences as the decoder sees them.

    Attributes:
        keys: Of each decoder layer: sentences × heads × width × pieces.
        values: Of each decoder layer: sentences × heads × pieces × width.
        absent: What is added to the attention to pieces that pad a short sentence.
    """

    keys: list[Floats]
    values: list[Floats]
    absent: Floats

    def of(self, sentences: Integers) -> Read:
        """Return some of the sentences."""
        keys, values = ([part[sentences] for part in parts] for parts in (self.keys, self.values))
        return Read(keys, values, self.absent[sentences])


class Network:
    """The computations of one direction.

    Args:
        tensors: The weights by Marian's names; `EMBEDDING` holds the pieces that are written.
    """

    def __init__(self, tensors: Mapping[str, Floats]) -> None:
        self._tensors = {name: tensor.reshape(-1) if len(tensor) == 1 else tensor
                         for name, tensor in tensors.items()}  # fmt: skip
        self._encoder, self._decoder = (layers_of(tensors, part) for part in ("encoder", "decoder"))
        self.embeddings = tensors[EMBEDDING]
        self.width = self.embeddings.shape[1]
        self._scale = np.float32(math.sqrt(self.width))

    def read(self, sentences: list[list[int]]) -> Read:
        """Read sentences of numbered pieces; each ends with `END`."""
        longest = max(map(len, sentences))
        pieces = np.zeros((len(sentences), longest), np.int64)
        for row, sentence in enumerate(sentences):
            pieces[row, : len(sentence)] = sentence
        return self.read_rows(self.embeddings[pieces], np.arange(longest), [len(sentence) for sentence in sentences])

    def read_rows(self, rows: Floats, places: Integers, lengths: Sequence[int]) -> Read:
        """Read sentences of which each has so many rows, longer ones being filled up.

        Args:
            rows: Sentences × rows × width.
            places: Where in its sentence each row stands; several may share a place.
            lengths: Rows of each sentence.
        """
        absent = np.full((len(rows), 1, 1, rows.shape[1]), _NEVER, np.float32)
        for row, length in enumerate(lengths):
            absent[row, :, :, :length] = 0
        state = rows * self._scale + _positions(places, self.width)
        for layer in range(1, self._encoder + 1):
            name = f"encoder_l{layer}_self"
            keys, values = self._keys_and_values(state, name)
            state = self._normed(state + self._attended(state, keys, values, absent, name), f"{name}_Wo")
            state = self._fed_forward(state, f"encoder_l{layer}_ffn")
        both = [self._keys_and_values(state, f"decoder_l{layer}_context") for layer in range(1, self._decoder + 1)]
        return Read([keys for keys, _ in both], [values for _, values in both], absent)

    def first_state(self, sentences: int) -> Floats:
        """Return what the decoder remembers before the first piece: layers × sentences × 1 × width."""
        return np.zeros((self._decoder, sentences, 1, self.width), np.float32)

    def step(self, pieces: Integers | None, place: int, state: Floats, read: Read) -> tuple[Floats, Floats]:
        """Go on by a piece in each of the versions of each sentence.

        Args:
            pieces: The last piece of each version (sentences × versions); None before the first.
            place: How many pieces each has.
            state: What is remembered: layers × sentences × versions × width.
            read: The sentences.

        Returns:
            What the next piece is chosen by (sentences × versions × width), and what is remembered now.
        """
        before = np.zeros(state.shape[1:], np.float32) if pieces is None else self.embeddings[pieces] * self._scale
        inner = before + _positions(np.array([place]), self.width)
        remembered = np.empty_like(state)
        for layer in range(1, self._decoder + 1):
            name = f"decoder_l{layer}"
            forget = _sigmoid(self._times(inner, f"{name}_rnn_Wf") + self._tensors[f"{name}_rnn_bf"])
            new = self._times(inner, f"{name}_rnn_W")
            remembered[layer - 1] = new + forget * (state[layer - 1] - new)
            inner = self._normed(inner + np.maximum(remembered[layer - 1], 0), f"{name}_rnn_ffn")
            parts = read.keys[layer - 1], read.values[layer - 1], read.absent
            inner = self._normed(inner + self._attended(inner, *parts, f"{name}_context"), f"{name}_context_Wo")
            inner = self._fed_forward(inner, f"{name}_ffn")
        return inner, remembered

    def bias(self, pieces: Integers) -> Floats:
        """Return how likely pieces are before anything is read."""
        return self._tensors[BIAS][pieces]

    def _times(self, state: Floats, name: str) -> Floats:
        """Multiply all rows at once, which is much faster than sentence by sentence."""
        return times(state, self._tensors[name])

    def _keys_and_values(self, state: Floats, name: str) -> tuple[Floats, Floats]:
        keys = _split(self._times(state, f"{name}_Wk") + self._tensors[f"{name}_bk"])
        values = _split(self._times(state, f"{name}_Wv") + self._tensors[f"{name}_bv"])
        return np.ascontiguousarray(keys.transpose(0, 1, 3, 2)), np.ascontiguousarray(values)

    def _attended(self, state: Floats, keys: Floats, values: Floats, absent: Floats, name: str) -> Floats:
        asked = _split(self._times(state, f"{name}_Wq") + self._tensors[f"{name}_bq"])
        scores = asked @ keys
        scores /= np.float32(math.sqrt(self.width / HEADS))
        seen = _softmax(scores + absent) @ values
        joined = seen.transpose(0, 2, 1, 3).reshape(state.shape)
        attended: Floats = self._times(joined, f"{name}_Wo") + self._tensors[f"{name}_bo"]
        return attended

    def _fed_forward(self, state: Floats, name: str) -> Floats:
        inner = np.maximum(self._times(state, f"{name}_W1") + self._tensors[f"{name}_b1"], 0)
        return self._normed(state + self._times(inner, f"{name}_W2") + self._tensors[f"{name}_b2"], f"{name}_ffn")

    def _normed(self, state: Floats, name: str) -> Floats:
        centred = state - state.mean(-1, keepdims=True)
        spread = np.sqrt(np.square(centred).mean(-1, keepdims=True) + np.float32(_TINY))
        normed: Floats = centred / spread * self._tensors[f"{name}_ln_scale"] + self._tensors[f"{name}_ln_bias"]
        return normed


def times(state: Floats, matrix: Floats) -> Floats:
    """Return a product over the last axis, computed as one of matrices."""
    product: Floats = (state.reshape(-1, state.shape[-1]) @ matrix).reshape(*state.shape[:-1], matrix.shape[1])
    return product


def _split(state: Floats) -> Floats:
    """Give each head its part: sentences × heads × pieces × width of a head."""
    sentences, pieces, width = state.shape
    return state.reshape(sentences, pieces, HEADS, width // HEADS).transpose(0, 2, 1, 3)


def layers_of(tensors: Iterable[str], part: str) -> int:
    """Return how many layers the encoder or the decoder has, by the names of its weights."""
    numbers = [int(found[1]) for name in tensors if (found := re.match(rf"{part}_l(\d+)_", name))]
    return max(numbers, default=0)


def tensor_shapes(width: int, inner: int, encoder: int, decoder: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of every weight but the embeddings and the pieces' bias, for so many layers."""
    row, square = (1, width), (width, width)
    found: dict[str, tuple[int, ...]] = {}

    def attention(name: str) -> None:
        found.update({f"{name}_W{part}": square for part in "qkvo"} | {f"{name}_b{part}": row for part in "qkvo"})
        found.update({f"{name}_Wo_ln_{part}": row for part in ("scale", "bias")})

    def fed_forward(name: str) -> None:
        found.update({f"{name}_W1": (width, inner), f"{name}_b1": (1, inner), f"{name}_W2": (inner, width)})
        found.update({f"{name}_b2": row, f"{name}_ffn_ln_scale": row, f"{name}_ffn_ln_bias": row})

    for layer in range(1, encoder + 1):
        attention(f"encoder_l{layer}_self")
        fed_forward(f"encoder_l{layer}_ffn")
    for layer in range(1, decoder + 1):
        name = f"decoder_l{layer}_rnn"
        found.update({f"{name}_W": square, f"{name}_Wf": square, f"{name}_bf": row})
        found.update({f"{name}_ffn_ln_scale": row, f"{name}_ffn_ln_bias": row})
        attention(f"decoder_l{layer}_context")
        fed_forward(f"decoder_l{layer}_ffn")
    return found


def _positions(places: Integers, width: int) -> Floats:
    half = width // 2
    rates = np.exp(-math.log(10_000) / (half - 1) * np.arange(half))
    angles = places[:, None] * rates
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)


def _softmax(scores: Floats) -> Floats:
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    return scores


def _sigmoid(values: Floats) -> Floats:
    return np.float32(1) / (np.float32(1) + np.exp(-values))
