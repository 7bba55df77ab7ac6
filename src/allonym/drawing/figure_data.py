"""Figures as data: curves, bars and heat maps, and their tables; `figures` draws them.

`to_csv` writes everything the drawing needs: the first line, a comment, holds titles and axes as JSON, the rest is a
plain table. So `draw(from_csv(to_csv(figure)))` is the same bytes as `draw(figure)`.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from allonym.errors import InputError, ParameterError

_COMMENT = "# allonym figure: "
_POINT_COLUMNS = ["panel", "series", "x", "x_low", "x_high", "y", "y_low", "y_high", "label", "marked"]
_BAR_COLUMNS = ["group", "series", "value", "low", "high"]


@dataclass(frozen=True)
class Point:
    """A point of a curve, with intervals where they are known, words beside it, and a ring if `marked`."""

    x: float
    y: float
    x_low: float | None = None
    x_high: float | None = None
    y_low: float | None = None
    y_high: float | None = None
    label: str = ""
    marked: bool = False


@dataclass(frozen=True)
class Series:
    """Points that belong together; `draw` joins them in their order."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Rule:
    """A dashed line across a panel, such as what chance reaches."""

    axis: Literal["x", "y"]
    at: float
    label: str


@dataclass(frozen=True)
class Panel:
    """One of the small plots of a figure; all share their axes."""

    title: str
    series: tuple[Series, ...]
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True)
class Lines:
    """Curves, in one panel or several."""

    title: str
    description: str  # what is to be seen, for those who cannot see it
    x_label: str
    y_label: str
    panels: tuple[Panel, ...]
    log_x: bool = False
    bands: bool = False  # draw intervals of y as bands, not as whiskers
    y_range: tuple[float, float] | None = None  # ends of the y-axis, where they should not follow the data
    abreast: int = 2  # how many panels stand beside one another

    def __post_init__(self) -> None:
        titles = [panel.title for panel in self.panels]
        if not titles or len(set(titles)) < len(titles) or self.abreast < 1:
            raise ParameterError("A figure must have a panel at least, and panels must have different titles.")
        for panel in self.panels:
            names = [series.name for series in panel.series]
            if not names or len(set(names)) < len(names) or not all(series.points for series in panel.series):
                raise ParameterError("Every panel must have series of different names, each with a point at least.")
        _finite(value for _, _, point in self.points() for value in _numbers(point))
        if self.log_x and min(point.x for _, _, point in self.points()) <= 0:
            raise ParameterError("A logarithmic axis needs numbers above 0.")

    def points(self) -> Iterator[tuple[Panel, Series, Point]]:
        """Return all points, with where they belong."""
        return ((panel, series, point) for panel in self.panels for series in panel.series for point in series.points)

    def names(self) -> list[str]:
        """Return the names of all series, once each."""
        return list(dict.fromkeys(series.name for panel in self.panels for series in panel.series))


@dataclass(frozen=True)
class Bar:
    """A bar of a group: which series it is of, its value and interval."""

    series: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Bars:
    """Groups of bars from left to right, one group below the other."""

    title: str
    description: str  # what is to be seen, for those who cannot see it
    value_label: str
    groups: tuple[tuple[str, tuple[Bar, ...]], ...]  # name and bars of each group
    floor: float | None = None  # a value to compare all with, drawn as a line
    floor_label: str = ""  # what that is

    def __post_init__(self) -> None:
        names = [name for name, _ in self.groups]
        if not names or len(set(names)) < len(names) or not all(group for _, group in self.groups):
            raise ParameterError("Bars must come in groups of different names, each with a bar at least.")
        _finite(value for _, group in self.groups for bar in group for value in (bar.value, bar.low, bar.high))

    def names(self) -> list[str]:
        """Return the names of all series, once each."""
        return list(dict.fromkeys(bar.series for _, group in self.groups for bar in group))


@dataclass(frozen=True)
class Heatmap:
    """Counts of rows × columns, each shaded by its share of the row."""

    title: str
    description: str
    x_label: str
    y_label: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    values: tuple[tuple[float, ...], ...] = field(repr=False)

    def __post_init__(self) -> None:
        if not self.rows or not self.columns:
            raise ParameterError("A heat map must have a row and a column at least.")
        if [len(row) for row in self.values] != [len(self.columns)] * len(self.rows):
            raise ParameterError("A heat map must have a value for each row and column.")
        _finite(value for row in self.values for value in row)


Figure: TypeAlias = Lines | Bars | Heatmap


def table(figure: Figure) -> tuple[list[str], list[list[Any]]]:
    """Return the names of the columns and the rows of a figure's data."""
    if isinstance(figure, Lines):
        points = [
            [panel.title, series.name, *_numbers(point), point.label, point.marked]
            for panel, series, point in figure.points()
        ]
        return list(_POINT_COLUMNS), points
    if isinstance(figure, Bars):
        every = [[name, bar.series, bar.value, bar.low, bar.high] for name, group in figure.groups for bar in group]
        return list(_BAR_COLUMNS), every
    return [figure.y_label, *figure.columns], [
        [name, *values] for name, values in zip(figure.rows, figure.values, strict=True)
    ]


def to_csv(figure: Figure) -> str:
    """Return a figure as a table, after a comment with what is not in the table."""
    about: dict[str, Any] = {"figure": type(figure).__name__, "title": figure.title, "description": figure.description}
    if isinstance(figure, Lines):
        about |= {
            name: getattr(figure, name) for name in ("x_label", "y_label", "log_x", "bands", "y_range", "abreast")
        }
        about["rules"] = [
            [panel.title, rule.axis, rule.at, rule.label] for panel in figure.panels for rule in panel.rules
        ]
    elif isinstance(figure, Bars):
        about |= {name: getattr(figure, name) for name in ("value_label", "floor", "floor_label")}
    else:
        about |= {"x_label": figure.x_label, "y_label": figure.y_label}
    head, rows = table(figure)
    written = io.StringIO()
    written.write(f"{_COMMENT}{json.dumps(about)}\n")
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([["" if cell is None else cell for cell in row] for row in rows])
    return written.getvalue()


def from_csv(text: str) -> Figure:
    """Return the figure that `to_csv` wrote; refuse any other text."""
    first, _, rest = text.partition("\n")
    try:
        about = json.loads(first.removeprefix(_COMMENT))
        head, *rows = csv.reader(io.StringIO(rest, newline=""))
        kind = about.pop("figure")
        if kind == "Heatmap":
            values = tuple(tuple(float(cell) for cell in row[1:]) for row in rows)
            names = tuple(row[0] for row in rows)
            return Heatmap(**about, columns=tuple(head[1:]), rows=names, values=values)
        return _bars_of(about, rows) if kind == "Bars" else _lines_of(about, rows)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        raise InputError("This is not a table of a figure; give one that to_csv wrote.") from error


def _bars_of(about: dict[str, Any], rows: list[list[str]]) -> Bars:
    groups: dict[str, list[Bar]] = {}
    for name, series, value, low, high in rows:
        groups.setdefault(name, []).append(Bar(series, float(value), _number(low), _number(high)))
    return Bars(**about, groups=tuple((name, tuple(group)) for name, group in groups.items()))


def _lines_of(about: dict[str, Any], rows: list[list[str]]) -> Lines:
    panels: dict[str, dict[str, list[Point]]] = {}
    for panel, series, x, x_low, x_high, y, y_low, y_high, label, marked in rows:
        ends = (_number(x_low), _number(x_high), _number(y_low), _number(y_high))
        point = Point(float(x), float(y), *ends, label, marked == "True")
        panels.setdefault(panel, {}).setdefault(series, []).append(point)
    rules = [(title, Rule(axis, at, label)) for title, axis, at, label in about.pop("rules")]
    about["y_range"] = about["y_range"] and tuple(about["y_range"])
    drawn_panels = [
        Panel(
            title,
            tuple(Series(name, tuple(points)) for name, points in series.items()),
            tuple(rule for of, rule in rules if of == title),
        )
        for title, series in panels.items()
    ]
    return Lines(**about, panels=tuple(drawn_panels))


def _number(cell: str) -> float | None:
    return float(cell) if cell else None


def _numbers(point: Point) -> list[float | None]:
    return [point.x, point.x_low, point.x_high, point.y, point.y_low, point.y_high]


def _finite(values: Iterable[float | None]) -> None:
    if not all(math.isfinite(value) for value in values if value is not None):
        raise ParameterError("Every value of a figure must be a finite number; leave the others out.")
