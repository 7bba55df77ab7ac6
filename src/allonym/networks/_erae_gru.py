"""A gated recurrent unit as NumPy runs it, for `erae_inference`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]

# Libraries multiply small matrices in another order, and round them otherwise. With at least so many rows a sentence
# has had the same bits in any company; no promise of privacy needs this.
LEAST_ROWS = 16


class Gru:
    """One direction of a GRU; reset and update gates are halved, since σ(x) = ½ + ½·tanh(x/2)."""

    def __init__(self, weights: Mapping[str, Floats], name: str, end: str, read: int) -> None:
        self.size = weights[f"{name}.weight_hh{end}"].shape[1]
        halves = np.where(np.arange(3 * self.size) < 2 * self.size, np.float32(0.5), np.float32(1))
        inputs = weights[f"{name}.weight_ih{end}"].T * halves
        self.inputs, self.beyond = np.ascontiguousarray(inputs[:read]), np.ascontiguousarray(inputs[read:])
        self.recurrent = np.ascontiguousarray(weights[f"{name}.weight_hh{end}"].T * halves)
        recurrent_bias = weights[f"{name}.bias_hh{end}"]
        self.new_bias = recurrent_bias[2 * self.size :]  # inside the reset gate's product, so it cannot join the others
        self.bias = weights[f"{name}.bias_ih{end}"].copy()
        self.bias[: 2 * self.size] += recurrent_bias[: 2 * self.size]
        self.bias *= halves

    def step(self, given: Floats, state: Floats, products: Floats) -> None:
        """Advance `state` in place; `given`, the inputs' share, and `products` are used up."""
        size = self.size
        np.matmul(state, self.recurrent, out=products)
        gates, new = products[:, : 2 * size], given[:, 2 * size :]
        gates += given[:, : 2 * size]
        np.tanh(gates, out=gates)
        gates += 1
        gates *= np.float32(0.5)
        reset, update, change = gates[:, :size], gates[:, size:], products[:, 2 * size :]
        change += self.new_bias
        change *= reset
        new += change
        np.tanh(new, out=new)
        state -= new
        state *= update
        state += new

    def run(self, given: Floats, codes: Integers, active: Integers, shift: Floats | None, back: bool = False) -> Floats:
        """Return the state at each place, B × places × size: zero where a row, of which fewer go on, has ended.

        Args:
            given: The inputs' share for each distinct word.
            codes: Which of them is at each place, B × places.
            active: Rows that have each place; these are always the first ones.
            shift: What each row adds at every place.
            back: Whether to read from the last place to the first.
        """
        rows, places = codes.shape
        states = np.zeros((rows, places, self.size), np.float32)
        state = np.zeros((rows, self.size), np.float32)
        scratch = np.empty((rows, 3 * self.size), np.float32)
        for place in reversed(range(places)) if back else range(places):
            going = int(active[place])
            few = max(going, LEAST_ROWS)
            fed = given[codes[:few, place]]
            if shift is not None:
                fed += shift[:few]
            self.step(fed, state[:few], scratch[:few])
            state[going:few] = 0
            states[:going, place] = state[:going]
        return states
