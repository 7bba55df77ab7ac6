"""The n-dimensional Laplace mechanism, for points of a Euclidean space.

Law: z = x + r·u with u uniform on the sphere and r ~ Gamma(n, 1/ε), a density in proportion to e^(−ε‖z − x‖), and then
every coordinate of z rounded to a grid (Fernandes, Dras and McIver 2018, theorem 5; n = 2 is the planar Laplacian).

Price: ε·‖x − x'‖ between any two points, plus a slack of n·2^−20 for computing in floating point.

Proof (in full in docs/laplace.md): in exact arithmetic rounding is post-processing and costs nothing. What is computed
differs from the exact noise by at most δ in each coordinate, so a grid cell of side λ is hit only if the exact point
lies in that cell grown by δ on every side, and surely if it lies in the cell shrunk by δ. The two cubes' masses under x
and x' differ by at most ((λ + 2δ)/(λ − 2δ))^n · e^(2εδ√n) · e^(ε‖x − x'‖); the first two factors are the slack.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from allonym.errors import ParameterError
from allonym.randomness import Stream

Float64 = NDArray[np.float64]

_MOST_DIMENSIONS = 4096
_GRID_STEPS = 2**10  # cells across the typical radius n/ε: coarse beside rounding errors, fine beside the noise
_SLACK_PER_DIMENSION = 2.0**-20
_FACTORS_PER_LOGARITHM = 4  # a product of four uniforms stays far above the smallest float64
_NEAR = 2.0**-8  # to 1: where a logarithm would lose digits


class LaplaceND:
    """Moves points by noise whose length follows a Gamma law and whose direction is uniform.

    Privacy: `loss(distance)` between two points at that distance, for each point moved.

    Args:
        dimensions: n, of the space.
        epsilon: ε, the loss for each unit of Euclidean distance.
    """

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
        self.grid = 2.0 ** math.floor(math.log2(self.dimensions / self.epsilon)) / _GRID_STEPS
        self.slack = self.dimensions * _SLACK_PER_DIMENSION
        self._pairs = (self.dimensions + 1) // 2
        self.numbers_per_point = self.dimensions + self._pairs

    def loss(self, distance: float) -> float:
        """Return the loss between two points at this distance."""
        if not 0 <= distance < math.inf:
            raise ParameterError(f"A distance must be a number of at least 0, got {distance}.")
        return self.epsilon * distance + self.slack if distance else 0.0

    def noise(self, n: int, rng: Stream) -> Float64:
        """Return n noise vectors, on the grid. Add them to points of the grid only; `perturb` takes any points."""
        return self.perturb(np.zeros((n, self.dimensions)), rng.centred((n, self.numbers_per_point)))

    def perturb(self, points: ArrayLike, numbers: Float64) -> Float64:
        """Return the points moved and rounded to the grid, using one row of `numbers` each (see `Stream.centred`).

        Privacy: spends `loss` for each point. The *sum* is rounded: noise rounded alone would leave a point's place
        between grid lines in the clear.
        """
        exact = self._noise(numbers)
        exact += np.asarray(points, np.float64)
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
        radii = exponentials.sum(axis=-1) + _exponential_sum(numbers[..., 2 * pairs :])
        radii /= self.epsilon
        lengths = np.sqrt(exponentials, out=exponentials)  # but for √2, which the division takes away
        angles = numbers[..., pairs : 2 * pairs] * (2.0 * math.pi)
        noise = np.empty((*numbers.shape[:-1], n))
        if n % 2:
            # Alone, without its twin, so a sine of small angles: it keeps its digits however small it is.
            angles[..., -1] *= 0.5
            noise[..., -1] = np.sin(angles[..., -1]) * lengths[..., -1]
            lengths, angles = lengths[..., :-1], angles[..., :-1]
        whole = n // 2
        np.multiply(np.cos(angles), lengths, out=noise[..., :whole])
        np.multiply(np.sin(angles), lengths, out=noise[..., whole : 2 * whole])
        noise *= (radii / np.sqrt(np.einsum("...i,...i->...", noise, noise)))[..., None]
        return noise


def _exponentials(numbers: Float64) -> Float64:
    """Return −ln U with U = x, or 1 + x where x is below 0: with all its digits, also where U is near 1."""
    exponentials = -np.log(numbers + (numbers < 0))
    near_one = (numbers < 0) & (numbers > -_NEAR)
    exponentials[near_one] = -np.log1p(numbers[near_one])
    return exponentials


def _exponential_sum(numbers: Float64) -> Float64:
    """Return −Σ ln U over the last axis, by the logarithm of a few factors at a time."""
    uniforms = numbers + (numbers < 0)
    groups = uniforms.shape[-1] // _FACTORS_PER_LOGARITHM
    whole = groups * _FACTORS_PER_LOGARITHM
    factors = uniforms[..., :whole].reshape(*uniforms.shape[:-1], _FACTORS_PER_LOGARITHM, groups)
    products, rest = np.prod(factors, axis=-2), np.prod(uniforms[..., whole:], axis=-1)
    total: Float64 = -(np.log(products).sum(axis=-1) + np.log(rest))
    return total
