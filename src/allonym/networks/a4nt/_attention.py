"""Layers of attention in whole numbers, as torch's `TransformerEncoder` has them: norms first, ReLU between.

See `whole_numbers`: no number depends on the sentences beside its own, on a library or on the processor.
B: sentences, T: places, N: places of all sentences together, H: numbers at each place.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from allonym import arithmetic
from allonym.networks.whole_numbers import ONE, Floats, Integers, Linear, Parts, Shorts, exp, inside, rounded

LAYERS = 4  # of the encoder; a decoder has one
HEADS = 4
WIDENING = 2  # of what is between a layer's two last products
_LEAST_VARIANCE = 1e-5
_LOWEST_FREQUENCY = -9.965784284662087  # as a power of 2: 1/1000
_SHARE_UNIT = np.float32(2**20)  # what is seen is shared out in whole numbers of 1/2^20
_UNSEEN = np.float32(-1e30)


@cache
def waves(places: int, size: int) -> Floats:
    """Return what tells places apart, T × H: sines and cosines of frequencies from 1 down to 1/1000.

    Vaswani and others (2017) go down to 1/10000, for texts far longer than sentences.
    """
    pairs = (size + 1) // 2
    frequencies = arithmetic.power_of_two(_LOWEST_FREQUENCY * np.arange(pairs) / max(1, pairs - 1))
    cosine, sine = arithmetic.cosine_and_sine(frequencies / arithmetic.TWO_PI)
    turned = np.empty((places, pairs, 2))
    here = np.zeros(pairs), np.ones(pairs)
    for place in turned:  # each is the one before, turned by the frequency
        place[:, 0], place[:, 1] = here
        here = here[0] * cosine + here[1] * sine, here[1] * cosine - here[0] * sine
    return turned.reshape(places, -1)[:, :size].astype(np.float32)


def attention_tensors(name: str, size: int, layers: int, read: int | None = None) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the weights of some layers by their names."""
    tensors: dict[str, tuple[int, ...]] = {}
    if read is not None:
        tensors |= {f"{name}.lift.weight": (size, read), f"{name}.lift.bias": (size,)}
    for row in range(layers):
        layer, wide = f"{name}.stack.layers.{row}", WIDENING * size
        tensors |= {
            f"{layer}.self_attn.in_proj_weight": (3 * size, size),
            f"{layer}.self_attn.in_proj_bias": (3 * size,),
        }
        tensors |= {f"{layer}.self_attn.out_proj.weight": (size, size), f"{layer}.self_attn.out_proj.bias": (size,)}
        tensors |= {f"{layer}.linear1.weight": (wide, size), f"{layer}.linear1.bias": (wide,)}
        tensors |= {f"{layer}.linear2.weight": (size, wide), f"{layer}.linear2.bias": (size,)}
        tensors |= {f"{layer}.norm{which}.{part}": (size,) for which in (1, 2) for part in ("weight", "bias")}
    return tensors | {f"{name}.stack.norm.{part}": (size,) for part in ("weight", "bias")}


class Attention:
    """Some layers, whose weights' names begin alike."""

    def __init__(self, parts: Parts, name: str, layers: int) -> None:
        self._lift = Linear.named(parts, f"{name}.lift") if f"{name}.lift.weight" in parts.matrices else None
        self._layers = [_Layer(parts, f"{name}.stack.layers.{row}") for row in range(layers)]
        self._norm = _Norm(parts, f"{name}.stack.norm")

    def run(self, vectors: Shorts, units: Floats, codes: Integers, lengths: Integers, *, fast: bool) -> Floats:
        """Return the states of some sentences, B × T × H, zero past their ends.

        Args:
            vectors: What is read, in whole numbers.
            units: What these stand for in each vector.
            codes: Which vector is read at each place, B × T.
            lengths: Places of each sentence.
            fast: Whether compiling pays by now.
        """
        known = inside(lengths, codes.shape[1])
        if self._lift is not None:
            read = self._lift.whole(vectors, units, fast=fast)[codes[known]]
            read += waves(codes.shape[1], read.shape[1])[np.nonzero(known)[1]]
        else:
            read = (vectors * units[:, None])[codes[known]]
        for layer in self._layers:
            read = layer(read, known, fast=fast)
        states = np.zeros((*codes.shape, read.shape[1]), np.float32)
        states[known] = self._norm(read)
        return states


class _Norm:
    def __init__(self, parts: Parts, name: str) -> None:
        self._weight, self._bias = parts.rest[f"{name}.weight"], parts.rest[f"{name}.bias"]

    def __call__(self, read: Floats) -> Floats:
        """Return rows with the mean 0 and the variance 1, times the weights: sums are of whole numbers."""
        whole, units = rounded(read, ONE)
        numbers = whole.astype(np.int64)
        size = numbers.shape[1]
        sums = numbers.sum(axis=1, keepdims=True)
        spread = size * (numbers * numbers).sum(axis=1, keepdims=True) - sums * sums  # size² · variance
        unit = units[:, None].astype(np.float64)
        centred = (size * numbers - sums) / np.sqrt(spread + _LEAST_VARIANCE * size * size / (unit * unit))
        normed: Floats = centred.astype(np.float32) * self._weight + self._bias
        return normed


class _Layer:
    def __init__(self, parts: Parts, name: str) -> None:
        self._before, self._between = (_Norm(parts, f"{name}.norm{which}") for which in (1, 2))
        asks = f"{name}.self_attn.in_proj"
        self._asks = Linear(parts.matrices[f"{asks}_weight"], parts.rest[f"{asks}_bias"])
        self._joined = Linear.named(parts, f"{name}.self_attn.out_proj")
        self._wide, self._narrow = (Linear.named(parts, f"{name}.linear{which}") for which in (1, 2))

    def __call__(self, read: Floats, known: NDArray[np.bool_], *, fast: bool) -> Floats:
        asked = self._asks(self._before(read), fast=fast)
        seen = _look_around(asked.reshape(len(read), 3, HEADS, -1), known)
        read = read + self._joined(seen, fast=fast)
        inner = np.maximum(self._wide(self._between(read), fast=fast), np.float32(0))
        read += self._narrow(inner, fast=fast)
        return read


def _look_around(asked: Floats, known: NDArray[np.bool_]) -> Floats:
    """Return what each place sees of its sentence, N × H, by its queries, keys and values, N × 3 × heads × …."""
    size = asked.shape[-1]
    whole, units = rounded(asked[:, :2], ONE)
    padded = np.zeros((3, *known.shape, *asked.shape[2:]))  # float64 holds sums of products of 16 bits exactly
    scales = np.zeros((2, *known.shape, HEADS), np.float32)
    for which in (0, 1):
        padded[which, known], scales[which, known] = whole[:, which], units[:, which]
    padded[2, known] = asked[:, 2]
    queries, keys, values = padded.transpose(0, 1, 3, 2, 4)  # B × heads × T × …
    asks, answers = scales.transpose(0, 1, 3, 2)  # B × heads × T
    scores = (queries @ keys.swapaxes(2, 3)).astype(np.float32)  # B × heads × T × T
    scores *= (asks / np.sqrt(np.float32(size)))[..., None]
    scores *= answers[:, :, None, :]
    scores[np.broadcast_to(~known[:, None, None, :], scores.shape)] = _UNSEEN
    scores -= scores.max(axis=-1, keepdims=True)
    shares = np.rint(exp(scores) * _SHARE_UNIT).astype(np.float64)
    # One unit for all values of a head, so that what is seen is a sum of whole numbers.
    unit = np.abs(values).max(axis=(2, 3), keepdims=True)
    unit = np.where(unit > 0, unit, 1) / ONE
    seen = shares @ np.rint(values / unit) / shares.sum(axis=-1, keepdims=True) * unit
    joined: Floats = seen.transpose(0, 2, 1, 3)[known].reshape(len(asked), -1).astype(np.float32)
    return joined
