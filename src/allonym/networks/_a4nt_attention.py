"""Layers of attention in NumPy, as torch's `TransformerEncoder` computes them: norms first, ReLU between.

Sentence by sentence, so that a sentence's numbers do not depend on those beside it.
T: places, H: numbers at each place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]

LAYERS = 4  # of the encoder; a decoder has one
HEADS = 4
WIDENING = 2  # of what is between a layer's two last products
_LEAST_VARIANCE = np.float32(1e-5)


def waves(places: int, size: int) -> Floats:
    """Return what tells places apart, T × H: sines and cosines of frequencies from 1 down to 1/1000.

    Vaswani and others (2017) go down to 1/10000, for texts far longer than sentences.
    """
    frequencies = 1000.0 ** (-np.arange((size + 1) // 2) / max(1, (size + 1) // 2 - 1))
    angles = np.arange(places)[:, None] * frequencies
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(places, -1)[:, :size].astype(np.float32)


def attention_tensors(name: str, size: int, layers: int, read: int | None = None) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the weights of some layers by their names."""
    found: dict[str, tuple[int, ...]] = {}
    if read is not None:
        found |= {f"{name}.lift.weight": (size, read), f"{name}.lift.bias": (size,)}
    for row in range(layers):
        layer, wide = f"{name}.stack.layers.{row}", WIDENING * size
        found |= {f"{layer}.self_attn.in_proj_weight": (3 * size, size), f"{layer}.self_attn.in_proj_bias": (3 * size,)}
        found |= {f"{layer}.self_attn.out_proj.weight": (size, size), f"{layer}.self_attn.out_proj.bias": (size,)}
        found |= {f"{layer}.linear1.weight": (wide, size), f"{layer}.linear1.bias": (wide,)}
        found |= {f"{layer}.linear2.weight": (size, wide), f"{layer}.linear2.bias": (size,)}
        found |= {f"{layer}.norm{which}.{part}": (size,) for which in (1, 2) for part in ("weight", "bias")}
    return found | {f"{name}.stack.norm.{part}": (size,) for part in ("weight", "bias")}


class Attention:
    """Some layers.

    Args:
        weights: All weights by name.
        name: Where these begin.
        layers: How many there are.
    """

    def __init__(self, weights: Mapping[str, Floats], name: str, layers: int) -> None:
        self._lift = _Linear(weights, f"{name}.lift") if f"{name}.lift.weight" in weights else None
        self._layers = [_Layer(weights, f"{name}.stack.layers.{row}") for row in range(layers)]
        self._norm = _Norm(weights, f"{name}.stack.norm")

    def run(self, read: Floats, lengths: NDArray[np.int64]) -> Floats:
        """Return the states of some sentences, B × T × H; past the end of a sentence they mean nothing."""
        states = [self._one(own[:length]) for own, length in zip(read, lengths, strict=True)]
        found = np.zeros((*read.shape[:2], states[0].shape[1]), np.float32)
        for row, own in enumerate(states):
            found[row, : len(own)] = own
        return found

    def _one(self, read: Floats) -> Floats:
        if self._lift is not None:
            read = self._lift(read)
            read = read + waves(*read.shape)
        for layer in self._layers:
            read = layer(read)
        return self._norm(read)


class _Linear:
    def __init__(self, weights: Mapping[str, Floats], name: str) -> None:
        self._weight, self._bias = np.ascontiguousarray(weights[f"{name}.weight"].T), weights[f"{name}.bias"]

    def __call__(self, read: Floats) -> Floats:
        found: Floats = read @ self._weight
        found += self._bias
        return found


class _Norm:
    def __init__(self, weights: Mapping[str, Floats], name: str) -> None:
        self._weight, self._bias = weights[f"{name}.weight"], weights[f"{name}.bias"]

    def __call__(self, read: Floats) -> Floats:
        centred = read - read.mean(axis=1, keepdims=True)
        variance = np.square(centred).mean(axis=1, keepdims=True)
        found: Floats = centred / np.sqrt(variance + _LEAST_VARIANCE) * self._weight + self._bias
        return found


class _Layer:
    def __init__(self, weights: Mapping[str, Floats], name: str) -> None:
        self._before, self._between = (_Norm(weights, f"{name}.norm{which}") for which in (1, 2))
        self._asks = np.ascontiguousarray(weights[f"{name}.self_attn.in_proj_weight"].T)
        self._asks_bias = weights[f"{name}.self_attn.in_proj_bias"]
        self._joined = _Linear(weights, f"{name}.self_attn.out_proj")
        self._wide, self._narrow = _Linear(weights, f"{name}.linear1"), _Linear(weights, f"{name}.linear2")

    def __call__(self, read: Floats) -> Floats:
        places, size = read.shape
        asked = self._before(read) @ self._asks + self._asks_bias
        queries, keys, values = asked.reshape(places, 3, HEADS, size // HEADS).transpose(1, 2, 0, 3)  # heads × T × …
        scores = queries @ keys.transpose(0, 2, 1) * np.float32((size // HEADS) ** -0.5)
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        seen = (scores / scores.sum(axis=-1, keepdims=True)) @ values
        read = read + self._joined(seen.transpose(1, 0, 2).reshape(places, size))
        inner: Floats = read + self._narrow(np.maximum(self._wide(self._between(read)), 0))
        return inner
