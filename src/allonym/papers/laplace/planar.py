"""The planar Laplace law (the paper's n = 2): where noise falls, beside where it should."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym.drawing.figure_data import Figure, Lines, Panel, Point, Series
from allonym.mechanisms import LaplaceND
from allonym.papers.stored import Result
from allonym.randomness import insecure

Floats = NDArray[np.float64]

DRAWS = 100_000
SEED = 2018
_FURTHEST, _RINGS, _SECTORS = 10.0, 40, 24  # radius and parts of the plane, in units of 1/ε


@dataclass(frozen=True)
class PlanarBin(Result):
    """A ring or a sector of the plane: its middle, the density that was drawn there, and that of the law."""

    part: str
    middle: float
    drawn: float
    law: float


def bins(draws: int = DRAWS) -> list[PlanarBin]:
    """Return how noise in the plane with ε = 1 spreads over rings (its radius) and sectors (its direction)."""
    noise = LaplaceND(2, epsilon=1.0).noise(draws, insecure(SEED))
    radius, direction = np.hypot(*noise.T), np.arctan2(noise[:, 1], noise[:, 0]) / math.pi
    rings, sectors = np.linspace(0, _FURTHEST, _RINGS + 1), np.linspace(-1, 1, _SECTORS + 1)
    # Gamma(2, 1): r·e^(−r), whose sum up to r is 1 − (1 + r)·e^(−r).
    below = 1 - (1 + rings) * np.exp(-rings)
    return [
        *_bins("radius", rings, radius, np.diff(below)),
        *_bins("direction", sectors, direction, np.diff(sectors) / 2),
    ]


def figure(shown: Sequence[PlanarBin]) -> Figure:
    """Return both as curves."""
    titles = {"radius": "radius r, in units of 1/ε: Gamma(2)", "direction": "direction, in half turns: uniform"}
    panels = []
    for part, title in titles.items():
        rows = [row for row in shown if row.part == part]
        series = (
            Series("law", tuple(Point(row.middle, row.law) for row in rows)),
            Series("drawn", tuple(Point(row.middle, row.drawn) for row in rows)),
        )
        panels.append(Panel(title, series))
    what = "Noise in the plane: how often each radius and each direction is drawn, and how likely each is by the law."
    return Lines("The planar Laplace law (n = 2)", what, "radius, or direction", "density", tuple(panels), abreast=1)


def _bins(part: str, edges: Floats, values: Floats, shares: Floats) -> list[PlanarBin]:
    width = float(edges[1] - edges[0])
    counts, _ = np.histogram(values, edges)
    middles, drawn, densities = (edges[1:] + edges[:-1]) / 2, counts / len(values) / width, shares / width
    return [PlanarBin(part, *map(float, numbers)) for numbers in zip(middles, drawn, densities, strict=True)]
