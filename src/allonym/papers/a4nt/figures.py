"""Figures 6, 8, 9 and 10 of the A4NT paper, from results."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from allonym.anonymizers.a4nt.styles import SHIPPED
from allonym.drawing.figure_data import Figure, Lines, Panel, Point, Rule, Series
from allonym.papers.a4nt.paper import TABLE_3
from allonym.papers.a4nt.rows import label, of_setting
from allonym.papers.a4nt.runs import BALANCED, PREFERENCES
from allonym.papers.a4nt.stored import A4ntResults, Bin, Difficulty, MeanBin, MeasuredRow, OperatingPoint, OperatingRow
from allonym.papers.ruler import tables as ruler

_SETTING = "blog-age"
_BOUNDARY = 0.5
_MOST_LINES = 5  # beside the ideal: there are six marks


def figures(results: A4ntResults) -> dict[str, Figure]:
    """Return the figures by name; those without data are left out."""
    named = {
        label(row.model, results.models, row.measured.way): row.measured.difficulty for row in _few(results.measured)
    }
    lines = {name: difficulty for name, difficulty in named.items() if difficulty is not None}
    made: dict[str, Figure | None] = {
        "figure-6": _operating(results),
        "figure-8": _curves(
            lines, lambda line: line.output_by_input, "Classifier score after translation against before (Figure 8)",
            "score of the true class before", "mean score after", Rule("y", _BOUNDARY, "decision boundary"), _ideal,
        ),
        "figure-9": _curves(
            lines, lambda line: line.meteor_by_input, "METEOR against difficulty (Figure 9)",
            "score of the true class before", "mean METEOR",
        ),
        "figure-10": _histogram(lines),
        "figure-10-meteor": _curves(
            lines, lambda line: line.meteor_by_gain, "METEOR against privacy gain (Figure 10)",
            "privacy gain: score before − after", "mean METEOR",
        ),
    }  # fmt: skip
    shown = {name: figure for name, figure in made.items() if figure is not None}
    return shown | ruler.figures(results.grounds)


def _few(measured: Sequence[MeasuredRow]) -> list[MeasuredRow]:
    """Return as many rows as can be told apart: the paper's, the shipped ones that imitate a class, then others."""

    def of_interest(row: MeasuredRow) -> bool:
        return row.model.variant == "paper" or (row.model.name.startswith(SHIPPED) and not row.model.neutral)

    rows = of_setting(measured, _SETTING)
    drawn = [row for row in rows if row.measured.way != BALANCED and row.measured.difficulty is not None]
    return sorted(drawn, key=lambda row: not of_interest(row))[:_MOST_LINES]


def _operating(results: A4ntResults) -> Figure | None:
    """Two panels: samples picked by METEOR, and what the method's preference picks."""
    rows = [row for row in results.operating_points if row.setting == _SETTING]
    if not rows or any(point.meteor is None for row in rows for point in row.measured.points):
        return None

    def panel(title: str, wanted: Callable[[str], bool]) -> Panel:
        named = [(label(row.model, results.models), _points(row, wanted)) for row in rows]
        guess = results.of_setting(_SETTING).random_guess["document"]
        series = tuple(Series(name, points) for name, points in named if points)
        return Panel(title, series, (Rule("y", guess, "random guess"),))

    panels = (
        panel("of five samples, by METEOR", lambda pick: pick not in PREFERENCES),
        panel("--prefer", lambda pick: pick in PREFERENCES),
    )
    return Lines(
        title="Operating points (Figure 6)",
        description="Document F1 of the static LSTM against METEOR, for samples most and least like the sentence, and "
        "for the method's own preferences. Lower and further right is better.",
        x_label="METEOR",
        y_label="document F1",
        panels=tuple(panel for panel in panels if panel.series),
        y_range=(0.0, 1.0),
        abreast=1,
    )


def _points(row: OperatingRow, wanted: Callable[[str], bool]) -> tuple[Point, ...]:
    return tuple(_point(point) for point in row.measured.points if wanted(point.pick))


def _point(point: OperatingPoint) -> Point:
    f1, meteor = point.document, point.meteor
    x = math.nan if meteor is None else meteor.value
    return Point(x, f1.value, y_low=f1.low, y_high=f1.high, label=point.pick.removesuffix(" alike"))


def _ideal(bins: Sequence[Bin]) -> Series:
    """Return the paper's grey line: no score above the boundary, and none higher than before."""
    return Series("ideal", tuple(Point(each.middle, min(each.middle, _BOUNDARY)) for each in bins))


def _curves(
    lines: Mapping[str, Difficulty],
    what: Callable[[Difficulty], Sequence[MeanBin]],
    title: str,
    x_label: str,
    y_label: str,
    rule: Rule | None = None,
    further: Callable[[Sequence[Bin]], Series] | None = None,
) -> Figure | None:
    series = []
    for name, line in lines.items():
        means = [(each.middle, each.mean) for each in what(line) if each.mean is not None]
        points = tuple(Point(middle, mean) for middle, mean in means if not math.isnan(mean))  # NaN: no METEOR here
        if points:
            series.append(Series(name, points))
    if not series:
        return None
    if further is not None:
        series.append(further(what(next(iter(lines.values())))))
    return Lines(
        title=title,
        description=f"{y_label} for each tenth of {x_label}; one line a model. Setting {_SETTING}.",
        x_label=x_label,
        y_label=y_label,
        panels=(Panel(_SETTING, tuple(series), (rule,) if rule else ()),),
        y_range=(0.0, 1.0),
    )


def _histogram(lines: Mapping[str, Difficulty]) -> Figure | None:
    series: list[Series] = []
    for name, line in lines.items():
        total = max(1, sum(each.count for each in line.gain))
        series.append(Series(name, tuple(Point(each.middle, each.count / total) for each in line.gain)))
    if not series:
        return None
    return Lines(
        title="Privacy gain of sentences (Figure 10)",
        description="Share of sentences for each tenth of privacy gain, the classifier's score of the true class "
        f"before minus after; one line a model. Setting {_SETTING}, for which the paper's document F1 is "
        f"{TABLE_3[_SETTING]['original'][1]} before.",
        x_label="privacy gain: score before − after",
        y_label="share of sentences",
        panels=(Panel(_SETTING, tuple(series)),),
    )
