"""The n-dimensional Laplace mechanism, for points of a Euclidean space.

Law: z = x + r·u with u uniform on the sphere and r ~ Gamma(n, 1/ε), a density in proportion to e^(−ε‖z − x‖), and then
every coordinate of z rounded to a grid (Fernandes, Dras and McIver 2018, theorem 5; n = 2 is the planar Laplacian).

Price: ε·‖x − x'‖ between any two points, plus a slack of n·2^−20 for computing in floating point.

Proof (in full in docs/laplace.md): in exact arithmetic rounding is post-processing and costs nothing. What is computed
differs from the exact noise by at most δ in each coordinate, so a grid cell of side λ is hit only if the exact point
lies in that cell grown by δ on every side, and surely if it lies in the cell shrunk by δ. The two cubes' masses under x
and x' differ by at most ((λ + 2δ)/(λ − 2δ))^n · e^(2εδ√n) · e^(ε‖x − x'‖); the first two factors are the slack.

Every number is computed by `arithmetic`: one key moves a point to the same place on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from allonym import arithmetic
from allonym.errors import ParameterError
from allonym.mechanisms.base import Float64, Mechanism, Points, Words
from allonym.randomness import Stream

_MOST_DIMENSIONS = 4096
_GRID_STEPS = 2**10  # cells across the typical radius n/ε: coarse beside rounding errors, fine beside the noise
_SLACK_PER_DIMENSION = 2.0**-20
FACTORS = 4  # to a logarithm: a product of four uniforms stays far above the smallest float64


class LaplaceND(Mechanism):
    """Moves points by noise whose length follows a Gamma law and whose direction is uniform.

    Privacy: `loss(distance)` between two points at that distance, for each point moved.

    Args:
        dimensions: n, of the space.
        epsilon: ε, the loss for each unit of Euclidean distance.
    """

    input_axes = 1
    ways = ("perturb",)

    def __init__(self, dimensions: int, *, epsilon: float) -> None:
        if isinstance(dimensions, bool) or not isinstance(dimensions, int | np.integer):
            raise ParameterError(f"dimensions must be a whole number, got {dimensions}.")
        if not 1 <= dimensions <= _MOST_DIMENSIONS:
            raise ParameterError(f"dimensions must be from 1 to {_MOST_DIMENSIONS}, got {dimensions}.")
        if not 1e-100 < epsilon < 1e100:
            raise ParameterError(f"epsilon must be a positive number (1e-100 to 1e100), got {epsilon}.")
        self.dimensions = int(dimensions)
        self.epsilon = float(epsilon)
        # A power of two, so that rounding to it is exact.
        self.grid = math.ldexp(1 / _GRID_STEPS, math.frexp(self.dimensions / self.epsilon)[1] - 1)
        self.slack = self.dimensions * _SLACK_PER_DIMENSION
        self._pairs = (self.dimensions + 1) // 2
        self.numbers_per_point = self.dimensions + self._pairs

    def loss(self, distance: float) -> float:
        """Return the loss between two points at this distance."""
        if not 0 <= distance < math.inf:
            raise ParameterError(f"A distance must be a number of at least 0, got {distance}.")
        return self.epsilon * distance + self.slack if distance else 0.0

    @property
    def metric_loss(self) -> float:
        """The loss for each unit of distance: ε."""
        return self.epsilon

    def law(self, point: float, places: ArrayLike) -> Float64:
        """Return how likely each of some different places is the nearest to a point once moved, in one dimension.

        Exactly so where no middle of two neighbouring places lies inside a cell of the grid.
        """
        if self.dimensions != 1:
            raise ParameterError(f"The law is written out in one dimension only, not in {self.dimensions}.")
        ordered, inverse = np.unique(np.asarray(places, np.float64), return_inverse=True)
        gaps = self.epsilon * ((ordered[1:] + ordered[:-1]) / 2 - point)
        below = np.where(gaps < 0, np.exp(-np.abs(gaps)) / 2, 1 - np.exp(-np.abs(gaps)) / 2)
        law: Float64 = np.diff(np.concatenate([[0.0], below, [1.0]]))[inverse]
        return law

    def audited(self) -> Points:
        """Say how an audit checks it: by its grid and its draws, which tell most in one dimension."""
        line = type(self)(1, epsilon=self.epsilon)
        points = np.zeros((2, self.dimensions))
        points[1, 0] = 1 / self.epsilon
        return Points(mechanism=self, grid=self.grid, line=line, points=points)

    def stand_ins(self, words: Callable[[int], Words], shape: tuple[int, ...]) -> Float64:
        """Return points made of as many words as are asked for, whatever the inputs: for audits."""
        numbers = (words(math.prod(shape) * self.dimensions) >> np.uint64(11)).astype(np.float64)
        return (numbers * 2.0**-52 - 1).reshape(*shape, self.dimensions)

    def draw(self, points: ArrayLike, rng: Stream) -> Float64:
        """Move each point. Privacy: spends `loss` for each."""
        starts = np.asarray(points, np.float64)
        return self.perturb(starts, rng.centred((*starts.shape[:-1], self.numbers_per_point)))

    def noise(self, n: int, rng: Stream) -> Float64:
        """Return n noise vectors, on the grid. Add them to points of the grid only; `perturb` takes any points."""
        return self.perturb(np.zeros((n, self.dimensions)), rng.centred((n, self.numbers_per_point)))

    def perturb(self, points: ArrayLike, numbers: Float64, *, in_bulk: bool = False) -> Float64:
        """Return the points moved and rounded to the grid, using one row of `numbers` each (see `Stream.centred`).

        `in_bulk` says that so many will follow that compiled loops pay; the points are the same.

        Privacy: spends `loss` for each point. The *sum* is rounded: noise rounded alone would leave a point's place
        between grid lines in the clear.
        """
        starts = np.asarray(points, np.float64)
        if in_bulk and numbers.ndim == 2:
            from allonym.mechanisms._loops.laplace import moved_points

            return moved_points(starts, numbers, self.dimensions, self.epsilon, self.grid)
        exact = self._noise(numbers)
        exact += starts
        exact /= self.grid
        np.rint(exact, out=exact)
        exact *= self.grid
        return exact

    def _noise(self, numbers: Float64) -> Float64:
        """Return r·u: u a Gaussian vector divided by its length, r·ε a sum of n exponentials.

        The Gaussians come in pairs (Box and Muller), and half the squared length of a pair is an exponential. The
        length of a Gaussian vector does not depend on its direction, so these are the first exponentials of the sum.
        """
        n, pairs = self.dimensions, self._pairs
        exponentials = _exponentials(numbers[..., :pairs])
        radii = arithmetic.added(exponentials) + _exponential_sum(numbers[..., 2 * pairs :])
        radii /= self.epsilon
        sizes = np.sqrt(exponentials, out=exponentials)  # but for √2, which the division takes away
        turns = numbers[..., pairs : 2 * pairs].copy()
        if n % 2:
            turns[..., -1] *= 0.5  # alone, without its twin: a sine of half the angle keeps its digits near 0
        cosines, sines = arithmetic.cosine_and_sine(turns)
        whole = n // 2
        noise = np.empty((*numbers.shape[:-1], n))
        np.multiply(cosines[..., :whole], sizes[..., :whole], out=noise[..., :whole])
        np.multiply(sines, sizes, out=noise[..., whole:])
        noise *= (radii / np.sqrt(arithmetic.added(noise * noise)))[..., None]
        return noise


def _exponentials(numbers: Float64) -> Float64:
    """Return −ln U with U = x, or 1 + x where x is below 0: with all its digits, also where U is near 1."""
    below, far_below = numbers < 0, numbers < arithmetic.SQRT_HALF - 1
    exponents, mantissas = arithmetic.split(np.where(below, 1.0, numbers))
    exponents -= far_below
    # All three are exact: U is 1 + f, twice that or a power of two times that.
    f = np.where(below, np.where(far_below, numbers * 2.0 + 1.0, numbers), mantissas - 1.0)
    return -(exponents * arithmetic.LN2 + arithmetic.log_of_one_plus(f))


def _exponential_sum(numbers: Float64) -> Float64:
    """Return −Σ ln U over the last axis, by the logarithm of a few factors at a time."""
    groups = -(-numbers.shape[-1] // FACTORS)
    uniforms = np.ones((*numbers.shape[:-1], FACTORS * groups))
    np.add(numbers, numbers < 0, out=uniforms[..., : numbers.shape[-1]])
    first, second, third, fourth = np.moveaxis(uniforms.reshape(*numbers.shape[:-1], FACTORS, groups), -2, 0)
    return -arithmetic.added(arithmetic.logarithm(first * second * third * fourth))


EXAMPLE = partial(LaplaceND, 1, epsilon=2.0)
