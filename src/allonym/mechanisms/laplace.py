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
        pairs = self.dimensions + self.dimensions % 2
        self.uniforms_per_point = self.dimensions + pairs

    def loss(self, distance: float) -> float:
        """Return the loss between two points at this distance."""
        if not 0 <= distance < math.inf:
            raise ParameterError(f"A distance must be a number of at least 0, got {distance}.")
        return self.epsilon * distance + self.slack if distance else 0.0

    def noise(self, n: int, rng: Stream) -> Float64:
        """Return n noise vectors, on the grid. Add them to points of the grid only; `perturb` takes any points."""
        return self.perturb(np.zeros((n, self.dimensions)), rng.uniforms((n, self.uniforms_per_point)))

    def perturb(self, points: ArrayLike, uniforms: Float64) -> Float64:
        """Return the points moved and rounded to the grid, using one row of `uniforms` each.

        Privacy: spends `loss` for each point. The *sum* is rounded: noise rounded alone would leave a point's place
        between grid lines in the clear.
        """
        exact = self._noise(uniforms)
        exact += np.asarray(points, np.float64)
        exact /= self.grid
        np.rint(exact, out=exact)
        exact *= self.grid
        return exact

    def _noise(self, uniforms: Float64) -> Float64:
        """Return r·u: r·ε a sum of n exponentials, u a Gaussian vector divided by its length."""
        n = self.dimensions
        radii = _exponential_sum(uniforms[..., :n]) / self.epsilon
        lengths, angles = uniforms[..., n::2], uniforms[..., n + 1 :: 2]
        lengths = np.sqrt(-2.0 * np.log(lengths))
        angles = 2.0 * math.pi * angles
        normals = np.concatenate([lengths * np.cos(angles), lengths * np.sin(angles)], axis=-1)[..., :n]
        normals *= (radii / np.sqrt(np.einsum("...i,...i->...", normals, normals)))[..., None]
        return normals


def _exponential_sum(uniforms: Float64) -> Float64:
    """Return −Σ ln U over the last axis, by the logarithm of a few factors at a time."""
    whole = uniforms.shape[-1] // _FACTORS_PER_LOGARITHM * _FACTORS_PER_LOGARITHM
    products = uniforms[..., 0:whole:_FACTORS_PER_LOGARITHM].copy()
    for factor in range(1, _FACTORS_PER_LOGARITHM):
        products *= uniforms[..., factor:whole:_FACTORS_PER_LOGARITHM]
    rest = np.prod(uniforms[..., whole:], axis=-1)
    total: Float64 = -(np.log(products).sum(axis=-1) + np.log(rest))
    return total
