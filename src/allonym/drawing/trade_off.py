"""The trade-off: what is kept against what is given away, a point a configuration, the chosen one ringed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from allonym.drawing.figure_data import Lines, Panel, Point, Rule, Series

Ends = tuple[float, float | None, float | None]  # a value, and the ends of its interval where they are known


def point(attack: Ends, use: Ends, label: str, *, chosen: bool = False) -> Point:
    """Return the point of a configuration."""
    (x, x_low, x_high), (y, y_low, y_high) = attack, use
    words = f"chosen: {label}" if chosen else label
    return Point(x, y, x_low, x_high, y_low, y_high, words, chosen)


def trade_off(
    description: str,
    labels: tuple[str, str],
    curves: Mapping[str, Sequence[Point]],
    original: tuple[Ends, Ends],
    rules: Sequence[Rule],
    y_range: tuple[float, float] | None = None,
) -> Lines:
    """Return the figure: attack to the right, use upwards, the originals beside the curves."""
    series = [Series(name, tuple(points)) for name, points in curves.items()]
    panel = Panel("", (*series, Series("original", (point(*original, "original"),))), tuple(rules))
    return Lines("What is kept against what is given away", description, *labels, (panel,), y_range=y_range)
