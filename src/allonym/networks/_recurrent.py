"""Recurrent layers over blocks of sentences, in whole numbers; see `whole_numbers`.

Gates that are a σ are halved, since σ(x) = ½ + ½·tanh(x/2).
B: sentences of a block, T: places, H: numbers of a state.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from allonym.networks.whole_numbers import (
    ONE,
    ONE_INVERSE,
    TANH_CONSTANTS,
    Floats,
    Integers,
    Linear,
    Parts,
    Shorts,
    WholeMatrix,
    inside,
    tanh,
)

_HALF = np.float32(0.5)


class Recurrent:
    """One direction of a layer, whose states are whole numbers, `ONE` for 1.

    Args:
        parts: The network's weights by name.
        name: Of this part of the network.
        end: Of the names of its weights: which direction.
        gates: What the numbers of each gate are multiplied by.
        joined: Gates whose recurrent bias joins that of the inputs; the others' is `bias`.
        words: Columns of the inputs that come with each word.
        told: Columns that come once a sentence.
    """

    def __init__(
        self, parts: Parts, name: str, end: str, *, gates: Sequence[float], joined: int, words: slice, told: slice
    ) -> None:
        inputs, recurrent = (parts.matrices[f"{name}.weight_{part}{end}"] for part in ("ih", "hh"))
        self.size = size = recurrent.whole.shape[1]
        halves = np.repeat(np.array(gates, np.float32), size)
        scales = inputs.scales * halves
        of_state = parts.rest[f"{name}.bias_hh{end}"]
        self.bias = of_state[joined * size :]
        bias = parts.rest[f"{name}.bias_ih{end}"].copy()
        bias[: joined * size] += of_state[: joined * size]
        # The inputs' share for each of some vectors, whose numbers stand for so many units; and what a sentence adds.
        self.given = Linear(WholeMatrix(inputs.whole[:, words], scales), bias * halves).whole
        self.shift = Linear(WholeMatrix(inputs.whole[:, told], scales), np.zeros_like(bias))
        self.recurrent = WholeMatrix(recurrent.whole, recurrent.scales * halves * ONE_INVERSE)

    def step(self, given: Floats, state: Shorts, memory: Floats, *, fast: bool) -> None:
        """Advance states, and what is kept beside them, in place by the inputs' share, which is used up."""
        raise NotImplementedError

    def run(
        self,
        given: Floats,
        codes: Integers,
        lengths: Integers,
        shift: Floats | None = None,
        *,
        fast: bool,
        back: bool = False,
    ) -> Shorts:
        """Return the state at each place, B × T × H, zero past the end of a sentence; the longest sentence comes first.

        Codes say which of the distinct vectors, whose inputs' shares are given, is at each place, B × T. A shift is
        what each sentence adds at every place. `back` reads from the last place to the first.
        """
        rows, places = codes.shape
        states = np.zeros((rows, places, self.size), np.int16)
        state, memory = np.zeros((rows, self.size), np.int16), np.zeros((rows, self.size), np.float32)
        active = inside(lengths, places).sum(axis=0)
        for place in reversed(range(places)) if back else range(places):
            few = int(active[place])
            share = given[codes[:few, place]]
            if shift is not None:
                share += shift[:few]
            self.step(share, state[:few], memory[:few], fast=fast)
            states[:few, place] = state[:few]
        return states


class Lstm(Recurrent):
    """An LSTM; `told` numbers come once a sentence, before those of a word. Its memory is the cells."""

    def __init__(self, parts: Parts, name: str, end: str = "_l0", told: int = 0) -> None:
        gates = (0.5, 0.5, 1, 0.5)
        super().__init__(parts, name, end, gates=gates, joined=4, words=slice(told, None), told=slice(told))

    def step(self, given: Floats, state: Shorts, memory: Floats, *, fast: bool) -> None:
        """Advance states and cells."""
        sums, scales = self.recurrent.sums(state, fast=fast), self.recurrent.scales
        if fast:
            from allonym.networks.a4nt import _loops

            _loops.advance(sums, scales, given, TANH_CONSTANTS, np.float32(ONE), state, memory)
            return
        size = self.size
        given += sums.astype(np.float32) * scales
        gates = tanh(given)
        for gate in (slice(None, 2 * size), slice(3 * size, None)):
            gates[:, gate] += 1
            gates[:, gate] *= _HALF
        memory *= gates[:, size : 2 * size]
        memory += gates[:, :size] * gates[:, 2 * size : 3 * size]
        state[:] = np.rint(gates[:, 3 * size :] * tanh(memory) * np.float32(ONE))


class Gru(Recurrent):
    """A GRU, which has no memory but its states; what an input has beyond the `read` numbers comes once a sentence.

    The recurrent bias of its last gate is inside the reset gate's product: it cannot join the others.
    """

    def __init__(self, parts: Parts, name: str, end: str, read: int) -> None:
        gates = (0.5, 0.5, 1)
        super().__init__(parts, name, end, gates=gates, joined=2, words=slice(read), told=slice(read, None))

    def step(self, given: Floats, state: Shorts, memory: Floats, *, fast: bool) -> None:
        """Advance states."""
        sums, scales = self.recurrent.sums(state, fast=fast), self.recurrent.scales
        if fast:
            from allonym.networks import _exact_loops

            _exact_loops.advance(sums, scales, given, self.bias, TANH_CONSTANTS, np.float32(ONE), state)
            return
        size = self.size
        products = sums.astype(np.float32)
        products *= scales
        gates, change = products[:, : 2 * size], products[:, 2 * size :]
        gates += given[:, : 2 * size]
        gates = tanh(gates)
        gates += 1
        gates *= _HALF
        change += self.bias
        change *= gates[:, :size]
        new = tanh(given[:, 2 * size :] + change)
        before = state.astype(np.float32)
        before *= ONE_INVERSE
        before -= new
        before *= gates[:, size:]
        before += new
        before *= np.float32(ONE)
        state[:] = np.rint(before)
