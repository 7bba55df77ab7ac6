"""Figures 6, 8, 9 and 10 of the A4NT paper, from results."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from allonym.anonymizers.a4nt.styles import SHIPPED
from allonym.drawing.figure_data import Figure, Lines, Panel, Point, Rule, Series
from allonym.papers import Results
from allonym.papers.a4nt.paper import TABLE_3
from allonym.papers.a4nt.rows import Row, label, of_setting
from allonym.papers.a4nt.runs import BALANCED, PREFERENCES
from allonym.papers.ruler import tables as ruler

_SETTING = "blog-age"
_BOUNDARY = 0.5
_MOST_LINES = 5  # beside the ideal: there are six marks


def figures(results: Results) -> dict[str, Figure]:
    """Return the figures by name; those without data are left out."""
    rows = _few([row for row in of_setting(results, _SETTING) if row["way"] != BALANCED and "difficulty" in row])
    made: dict[str, Figure | None] = {
        "figure-6": _operating(results),
        "figure-8": _curves(
            results, rows, "output_by_input", "Classifier score after translation against before (Figure 8)",
            "score of the true class before", "mean score after", Rule("y", _BOUNDARY, "decision boundary"),
        ),
        "figure-9": _curves(
            results, rows, "meteor_by_input", "METEOR against difficulty (Figure 9)",
            "score of the true class before", "mean METEOR", None,
        ),
        "figure-10": _histogram(results, rows),
        "figure-10-meteor": _curves(
            results, rows, "meteor_by_gain", "METEOR against privacy gain (Figure 10)",
            "privacy gain: score before − after", "mean METEOR", None,
        ),
    }  # fmt: skip
    shown = {name: figure for name, figure in made.items() if figure is not None}
    return shown | ruler.figures(results["grounds"])


def _few(rows: list[Row]) -> list[Row]:
    """Return as many rows as can be told apart: the paper's, the shipped ones that imitate a class, then others."""

    def of_interest(row: Row) -> bool:
        return row["variant"] == "paper" or (row["name"].startswith(SHIPPED) and not row["neutral"])

    return sorted(rows, key=lambda row: not of_interest(row))[:_MOST_LINES]


def _operating(results: Results) -> Figure | None:
    """Two panels: samples picked by METEOR, and what the method's preference picks."""
    rows = [row for row in results["operating_points"] if row["setting"] == _SETTING]
    if not rows or any(point["meteor"] is None for row in rows for point in row["points"]):
        return None

    def panel(title: str, wanted: Callable[[str], bool]) -> Panel:
        series = [Series(label(row, results), points) for row in rows if (points := _points(row, wanted))]
        guess = next(row["random_guess"] for row in results["originals"] if row["setting"] == _SETTING)
        return Panel(title, tuple(series), (Rule("y", guess["document"], "random guess"),))

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


def _points(row: Row, wanted: Callable[[str], bool]) -> tuple[Point, ...]:
    points = [point for point in row["points"] if wanted(point["pick"])]
    return tuple(
        Point(
            point["meteor"]["value"],
            point["document"]["value"],
            y_low=point["document"]["low"],
            y_high=point["document"]["high"],
            label=point["pick"].removesuffix(" alike"),
        )
        for point in points
    )


def _curves(
    results: Results, rows: list[Row], what: str, title: str, x_label: str, y_label: str, rule: Rule | None
) -> Figure | None:
    series = []
    for row in rows:
        means = [(each["middle"], each["mean"]) for each in row["difficulty"][what] if each["mean"] is not None]
        points = tuple(Point(middle, mean) for middle, mean in means if not math.isnan(mean))  # NaN: no METEOR here
        if points:
            series.append(Series(label(row, results), points))
    if not series:
        return None
    if what == "output_by_input":  # the paper's grey line: no score above the boundary, and none higher than before
        middles = [each["middle"] for each in rows[0]["difficulty"][what]]
        series.append(Series("ideal", tuple(Point(middle, min(middle, _BOUNDARY)) for middle in middles)))
    return Lines(
        title=title,
        description=f"{y_label} for each tenth of {x_label}; one line a model. Setting {_SETTING}.",
        x_label=x_label,
        y_label=y_label,
        panels=(Panel(_SETTING, tuple(series), (rule,) if rule else ()),),
        y_range=(0.0, 1.0),
    )


def _histogram(results: Results, rows: list[Row]) -> Figure | None:
    series: list[Series] = []
    for row in rows:
        bins: list[dict[str, Any]] = row["difficulty"]["gain"]
        total = max(1, sum(each["count"] for each in bins))
        points = tuple(Point(each["middle"], each["count"] / total) for each in bins)
        series.append(Series(label(row, results), points))
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
