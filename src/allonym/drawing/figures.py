"""Curves, bars and heat maps as SVG, written by hand: small, selectable text, light and dark, no plotting library.

Pure functions from the data of `figure_data` to text. Several panels in one `Lines` are small multiples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from allonym.drawing.figure_data import Bars, Figure, Heatmap, Lines, Point, Rule, Series
from allonym.drawing.svg import (
    Axis,
    Labels,
    axes,
    dash,
    document,
    identity,
    mark,
    number,
    path,
    rounded_range,
    series_class,
    tag,
    width_of,
)

_WIDTH = 720.0
_LEGEND_ROOM = 1.15  # type differs: names that run into each other are worse than gaps
_THICK, _GAP = 13.0, 14.0  # of bars, and between groups of them
_MOST_WRITTEN_CELLS = 16  # columns up to which a heat map's cells have room for their number


def draw(figure: Figure) -> str:
    """Return any figure as SVG."""
    if isinstance(figure, Lines):
        return lines(figure)
    return bars(figure) if isinstance(figure, Bars) else heatmap(figure)


def lines(figure: Lines) -> str:
    """Return curves as SVG."""
    abreast = min(figure.abreast, len(figure.panels))
    legend, top = _legend(figure.names(), [mark(index, 0, 0) for index in range(len(figure.names()))])
    wide, high = _WIDTH / abreast, 400.0 if abreast == 1 else 260.0
    x_range = rounded_range(_extent(figure, "x"), log=figure.log_x)
    y_range = figure.y_range or rounded_range(_extent(figure, "y"))
    parts = legend
    for index, panel in enumerate(figure.panels):
        left, up = wide * (index % abreast), top + high * (index // abreast)
        across = Axis(*x_range, left + 62, left + wide - 22, figure.log_x)
        upwards = Axis(*y_range, up + high - 50, up + 26)
        parts += axes(across, upwards, figure.x_label, figure.y_label)
        parts.append(tag("text", panel.title, x=across.start, y=up + 14, class_="strong"))
        labels = Labels(left, left + wide)
        points = [point for series in panel.series for point in series.points]
        for point in points:
            labels.keep_clear(across.place(point.x), upwards.place(point.y))
        parts += [_rule(rule, across, upwards, labels) for rule in panel.rules]
        for series in panel.series:
            parts += _curve(series, figure.names().index(series.name), across, upwards, figure.bands)
        marked_first = sorted(points, key=lambda point: not point.marked)  # theirs are the words to be read
        parts += [_label(point, across, upwards, labels) for point in marked_first]
    height = top + high * math.ceil(len(figure.panels) / abreast)
    return document(figure.title, figure.description, _WIDTH, height, [part for part in parts if part])


def bars(figure: Bars) -> str:
    """Return groups of bars as SVG."""
    names, unique = figure.names(), identity(figure.title + figure.description)
    swatches = [_bar_shape(unique, index, -7, -6, 14, 12) for index in range(len(names))]
    legend, top = _legend(names, swatches)
    left = 20 + max(width_of(name) for name, _ in figure.groups)
    numbers = [value for _, group in figure.groups for bar in group for value in (bar.value, bar.low, bar.high)]
    ends = [value for value in (*numbers, figure.floor, 0.0) if value is not None]
    top += 22
    bottom = top + sum(len(group) * _THICK + _GAP for _, group in figure.groups)
    across = Axis(*rounded_range(ends), left, _WIDTH - 60)
    hatchings = [_hatching(unique, index) for index in range(len(names))]
    parts = [*hatchings, *legend, *_value_axis(across, top, bottom, figure)]
    y = top + _GAP / 2
    for name, group in figure.groups:
        parts.append(tag("text", name, x=left - 8, y=y + len(group) * _THICK / 2 + 4, text_anchor="end"))
        for bar in group:
            index, end = names.index(bar.series), across.place(bar.value)
            zero = across.place(0)
            parts.append(_bar_shape(unique, index, min(zero, end), y + 1, abs(end - zero), _THICK - 2))
            if bar.low is not None and bar.high is not None:
                parts.append(_whisker(across.place(bar.low), across.place(bar.high), y + _THICK / 2))
            words_from = max(end, across.place(bar.value if bar.high is None else bar.high)) + 6
            parts.append(tag("text", f"{bar.value:.2f}", x=words_from, y=y + _THICK - 2, font_size="11"))
            y += _THICK
        y += _GAP
    return document(figure.title, figure.description, _WIDTH, bottom + 48, [part for part in parts if part])


def heatmap(figure: Heatmap) -> str:
    """Return a heat map as SVG."""
    left, top = 40 + max(map(width_of, figure.rows)), 30 + max(map(width_of, figure.columns)) * 0.75
    size = min(44.0, (_WIDTH - left - 20) / len(figure.columns))
    parts = [tag("text", figure.x_label, x=left, y=14, class_="strong")]
    middle = top + size * len(figure.rows) / 2
    turned = f"rotate(-90 14 {middle:.2f})"
    parts.append(tag("text", figure.y_label, x=14, y=middle, text_anchor="middle", transform=turned, class_="strong"))
    for index, name in enumerate(figure.columns):
        x = left + size * (index + 0.5) + 4
        parts.append(tag("text", name, x=x, y=top - 6, transform=f"rotate(-45 {x:.2f} {top - 6:.2f})"))
    for index, (name, values) in enumerate(zip(figure.rows, figure.values, strict=True)):
        y, total = top + size * index, sum(values)
        parts.append(tag("text", name, x=left - 8, y=y + size / 2 + 4, text_anchor="end"))
        for column, value in enumerate(values):
            x, share = left + size * column, value / total if total else 0.0
            # At most half opaque, so that the number on it stays readable in light and in dark.
            shade = tag("rect", x=x, y=y, width=size, height=size, class_="f1", fill_opacity=f"{share / 2:.3f}")
            parts += [shade, tag("rect", x=x, y=y, width=size, height=size, class_="grid", fill="none")]
            if value and len(figure.columns) <= _MOST_WRITTEN_CELLS:
                style = "strong" if column == index else ""
                anchor = {"text_anchor": "middle", "class_": style}
                parts.append(tag("text", f"{value:g}", x=x + size / 2, y=y + size / 2 + 4, **anchor))
    width = max(_WIDTH, left + size * len(figure.columns) + 20)
    return document(figure.title, figure.description, width, top + size * len(figure.rows) + 16, parts)


def _legend(names: Sequence[str], marks: Sequence[str]) -> tuple[list[str], float]:
    """Return the names of the series beside their marks, and where the plot may begin; nothing for a single one."""
    if len(names) < 2:
        return [], 6.0
    parts, x, y = [], 14.0, 16.0
    for name, shape in zip(names, marks, strict=True):
        wide = _LEGEND_ROOM * width_of(name)
        if x + 24 + wide > _WIDTH and x > 14:
            x, y = 14.0, y + 20
        parts.append(f'<g transform="translate({number(x)} {number(y)})">{shape}{tag("text", name, x=14, y=4)}</g>')
        x += 36 + wide
    return parts, y + 16


def _extent(figure: Lines, axis: Literal["x", "y"]) -> list[float]:
    """Return all numbers that must lie within an axis: values, ends of intervals, rules."""
    names = (axis, f"{axis}_low", f"{axis}_high")
    values = [getattr(point, name) for _, _, point in figure.points() for name in names]
    rules = [rule.at for panel in figure.panels for rule in panel.rules if rule.axis == axis]
    return [value for value in (*values, *rules) if value is not None]


def _rule(rule: Rule, across: Axis, upwards: Axis, labels: Labels) -> str:
    if rule.axis == "x":
        x = across.place(rule.at)
        line = tag("line", x1=x, y1=upwards.start, x2=x, y2=upwards.stop, class_="rule")
        return line + labels.beside(x - 4, upwards.stop + 12, rule.label)
    y = upwards.place(rule.at)
    line = tag("line", x1=across.start, y1=y, x2=across.stop, y2=y, class_="rule")
    return line + labels.beside(across.start - 4, y, rule.label)


def _curve(series: Series, index: int, across: Axis, upwards: Axis, bands: bool) -> list[str]:
    """Return intervals, then the line, then its marks on top."""
    colour = series_class(index, "s")
    at = [(across.place(point.x), upwards.place(point.y)) for point in series.points]
    parts = []
    with_ends = [point for point in series.points if point.y_low is not None and point.y_high is not None]
    lows = [(across.place(point.x), upwards.place(point.y_low or 0.0)) for point in with_ends]
    highs = [(across.place(point.x), upwards.place(point.y_high or 0.0)) for point in with_ends]
    if bands and len(with_ends) > 1:
        parts.append(tag("polygon", points=path([*lows, *reversed(highs)]), class_=f"band {series_class(index, 'f')}"))
    else:
        parts += [
            tag("line", x1=x, y1=low, x2=x, y2=high, class_=f"whisker {colour}")
            for (x, low), (_, high) in zip(lows, highs, strict=True)
        ]
    for point, (_, y) in zip(series.points, at, strict=True):
        if point.x_low is not None and point.x_high is not None:
            ends = {"x1": across.place(point.x_low), "x2": across.place(point.x_high)}
            parts.append(tag("line", y1=y, y2=y, class_=f"whisker {colour}", **ends))
    if len(at) > 1:
        parts.append(tag("polyline", points=path(at), class_=f"line {colour}", stroke_dasharray=dash(index)))
    return parts + [mark(index, x, y) for x, y in at]


def _label(point: Point, across: Axis, upwards: Axis, labels: Labels) -> str:
    x, y = across.place(point.x), upwards.place(point.y)
    ring = tag("circle", cx=x, cy=y, r=11, class_="ring") if point.marked else ""
    if not point.label:
        return ring
    return ring + labels.beside(x, y, point.label, *(("strong", 14) if point.marked else ("", 9)))


def _hatching(unique: str, index: int) -> str:
    """Return the pattern that fills the bars of every second of three series."""
    if index % 3 != 1:
        return ""
    line = tag("line", x1=0, y1=0, x2=0, y2=6, class_=f"line {series_class(index, 's')}")
    return (
        f'<defs><pattern id="{unique}-{index}" width="5" height="6" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)">{line}</pattern></defs>'
    )


def _bar_shape(unique: str, index: int, x: float, y: float, width: float, height: float) -> str:
    """Return a bar: hollow, hatched and filled in turn, so that colour is not the only difference."""
    box = {"x": x, "y": y, "width": width, "height": height}
    stroke = series_class(index, "s")
    if index % 3 == 2:
        return tag("rect", class_=f"{stroke} {series_class(index, 'f')}", **box)
    return tag("rect", class_=stroke, fill="none" if index % 3 == 0 else f"url(#{unique}-{index})", **box)


def _whisker(low: float, high: float, y: float) -> str:
    ends = [tag("line", x1=x, y1=y - 3, x2=x, y2=y + 3, class_="whisker on") for x in (low, high)]
    return tag("line", x1=low, y1=y, x2=high, y2=y, class_="whisker on") + "".join(ends)


def _value_axis(across: Axis, top: float, bottom: float, figure: Bars) -> list[str]:
    """Return the axis below the bars, the lines up from it, and the floor."""
    parts = []
    for value in across.ticks():
        x = across.place(value)
        parts.append(tag("line", x1=x, y1=top, x2=x, y2=bottom, class_="grid"))
        parts.append(tag("text", f"{value:g}", x=x, y=bottom + 17, text_anchor="middle"))
    parts.append(tag("line", x1=across.start, y1=bottom, x2=across.stop, y2=bottom, class_="axis"))
    middle = (across.start + across.stop) / 2
    parts.append(tag("text", figure.value_label, x=middle, y=bottom + 38, text_anchor="middle"))
    if figure.floor is not None:
        x = across.place(figure.floor)
        parts.append(tag("line", x1=x, y1=top - 6, x2=x, y2=bottom, class_="rule"))
        parts.append(tag("text", figure.floor_label, x=x + 5, y=top - 4))
    return parts
