"""A gated recurrent unit in whole numbers, for `inference`; see `whole_numbers`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym.networks.whole_numbers import ONE, ONE_INVERSE, TANH_CONSTANTS, Floats, Shorts, Sums, WholeMatrix, tanh

Integers: TypeAlias = NDArray[np.int64]


class Gru:
    """One direction of a GRU; reset and update gates are halved, since σ(x) = ½ + ½·tanh(x/2).

    Its states are whole numbers, `ONE` for 1.

    Args:
        matrices: The network's matrices by name.
        biases: Its other weights by name.
        name: Of this part of the network.
        end: Of the names of its weights: which direction.
        read: Numbers of a word's vector; what a weight multiplies beyond them comes once a sentence.
    """

    def __init__(
        self, matrices: Mapping[str, WholeMatrix], biases: Mapping[str, Floats], name: str, end: str, read: int
    ) -> None:
        inputs, recurrent = (matrices[f"{name}.weight_{part}{end}"] for part in ("ih", "hh"))
        self.size = size = recurrent.whole.shape[1]
        halves = np.where(np.arange(3 * size) < 2 * size, np.float32(0.5), np.float32(1))
        scales = inputs.scales * halves
        self._inputs = WholeMatrix(inputs.whole[:, :read], scales)
        self._beyond = WholeMatrix(inputs.whole[:, read:], scales)
        self._recurrent = WholeMatrix(recurrent.whole, recurrent.scales * halves * ONE_INVERSE)
        recurrent_bias = biases[f"{name}.bias_hh{end}"]
        self._new_bias = recurrent_bias[2 * size :].copy()  # inside the reset gate's product: it cannot join the others
        self._bias = biases[f"{name}.bias_ih{end}"].copy()
        self._bias[: 2 * size] += recurrent_bias[: 2 * size]
        self._bias *= halves

    def given(self, vectors: Shorts, units: Floats, *, fast: bool) -> Floats:
        """Return the inputs' share for each of some words, whose vectors' numbers stand for so many units."""
        found = self._inputs.times(vectors, units[:, None], fast=fast)
        found += self._bias
        return found

    def shift(self, latent: Shorts, units: Floats, *, fast: bool) -> Floats:
        """Return what each sentence adds at every place."""
        return self._beyond.times(latent, units[:, None], fast=fast)

    def run(
        self, given: Floats, codes: Integers, active: Integers, shift: Floats | None, *, fast: bool, back: bool = False
    ) -> Shorts:
        """Return the state at each place, B × places × size: zero where a row, of which fewer go on, has ended.

        Args:
            given: The inputs' share for each distinct word.
            codes: Which of them is at each place, B × places.
            active: Rows that have each place; these are always the first ones.
            shift: What each row adds at every place.
            fast: Whether compiling pays by now.
            back: Whether to read from the last place to the first.
        """
        rows, places = codes.shape
        states = np.zeros((rows, places, self.size), np.int16)
        state = np.zeros((rows, self.size), np.int16)
        shift = np.zeros((rows, 3 * self.size), np.float32) if shift is None else shift
        for place in reversed(range(places)) if back else range(places):
            few = int(active[place])
            sums = self._recurrent.sums(state[:few], fast=fast)
            self._advance(sums, given[codes[:few, place]], shift[:few], state[:few], fast=fast)
            states[:few, place] = state[:few]
        return states

    def _advance(self, sums: Sums, given: Floats, shift: Floats, state: Shorts, *, fast: bool) -> None:
        """Advance the states in place."""
        size, scales = self.size, self._recurrent.scales
        if fast:
            from allonym.networks import _exact_loops

            _exact_loops.advance(sums, scales, given, shift, self._new_bias, TANH_CONSTANTS, np.float32(ONE), state)
            return
        given += shift
        products = sums.astype(np.float32)
        products *= scales
        gates, change = products[:, : 2 * size], products[:, 2 * size :]
        gates += given[:, : 2 * size]
        gates = tanh(gates)
        gates += 1
        gates *= np.float32(0.5)
        change += self._new_bias
        change *= gates[:, :size]
        new = tanh(given[:, 2 * size :] + change)
        before = state.astype(np.float32)
        before *= ONE_INVERSE
        before -= new
        before *= gates[:, size:]
        before += new
        before *= np.float32(ONE)
        state[:] = np.rint(before)
