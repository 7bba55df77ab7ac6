"""Figures: their CSV draws them again, they are sound SVG, and nothing in them is told by colour alone."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from allonym.drawing import svg
from allonym.drawing.figure_data import Bar, Bars, Heatmap, Lines, Panel, Point, Rule, Series, from_csv, table, to_csv
from allonym.drawing.figures import bars, draw, heatmap, lines
from allonym.errors import InputError, ParameterError

HOSTILE = 'a,"b"\n<script>&\'; ε # \\'
SVG = "{http://www.w3.org/2000/svg}"


def curve(name: str, count: int = 3, **more: object) -> Series:
    points = [Point(10.0**k, 0.1 + k / 3, None, None, 0.05 + k / 3, 0.2 + k / 3, **more) for k in range(count)]
    return Series(name, tuple(points))


CURVES = Lines(
    "Trade-off",
    HOSTILE,
    "accuracy",
    "F1",
    (
        Panel(
            "",
            (
                Series(
                    "a", (Point(0.1, 1 / 3, 0.05, 0.2, 0.3, 0.4, "ε 1"), Point(0.3, 0.5, label=HOSTILE, marked=True))
                ),
                Series(HOSTILE, (Point(0.9, 0.7),)),
            ),
            (Rule("x", 0.1, "floor"), Rule("y", 0.2, HOSTILE)),
        ),
    ),
)
MULTIPLES = Lines(
    "Four panels",
    "Two series over ε.",
    "ε",
    "F1",
    tuple(Panel(f"panel {n}", (curve("attack"), curve("use", 2)), (Rule("y", 0.1, "floor"),)) for n in range(4)),
    log_x=True,
    bands=True,
    y_range=(0.0, 1.0),
)
GROUPS = Bars(
    "Attackers",
    "Before and after.",
    "accuracy",
    (("words", (Bar("original", 0.9, 0.8, 1.0), Bar("static", 0.2), Bar(HOSTILE, 1 / 7, 0.1, 0.2))),
     (HOSTILE, (Bar("original", 0.5),))),
    0.1,
    "floor",
)  # fmt: skip
COUNTS = Heatmap("Confusion", "Who.", "named", "true", ("a", HOSTILE), ("a", "b"), ((3.0, 0.0), (1.0, 2.5)))
EVERY = [CURVES, MULTIPLES, GROUPS, COUNTS]
each = pytest.mark.parametrize("figure", EVERY, ids=lambda figure: figure.title)


@each
def test_the_csv_draws_the_same_bytes(figure):
    again = from_csv(to_csv(figure))
    assert again == figure
    assert draw(again) == draw(figure)
    assert to_csv(again) == to_csv(figure)


@each
def test_a_changed_value_in_the_csv_changes_the_drawing(figure):
    text = to_csv(figure)
    head, *rest = text.splitlines(keepends=True)
    changed = head + "".join(rest).replace("0.9", "0.8").replace("3.0", "4.0").replace("100.0", "50.0")
    assert draw(from_csv(changed)) != draw(figure)


@each
def test_it_is_xml_with_a_name_and_a_description(figure):
    root = ElementTree.fromstring(draw(figure))
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    title, description = root[0], root[1]
    assert (title.tag, title.text) == (f"{SVG}title", figure.title)
    assert (description.tag, description.text) == (f"{SVG}desc", figure.description)
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"


@each
def test_nothing_is_loaded_and_no_text_becomes_markup(figure):
    drawn = draw(figure)
    assert "<script" not in drawn
    assert re.findall(r"https?://[^\"]*", drawn) == ["http://www.w3.org/2000/svg"]


def test_control_characters_cannot_break_the_xml():
    figure = Heatmap("a\x00\x1b[0m", "d", "x", "y", ("c",), ("r",), ((1.0,),))
    assert ElementTree.fromstring(draw(figure))[0].text == "a\ufffd\ufffd[0m"


def test_small_multiples_share_their_axes():
    root = ElementTree.fromstring(lines(MULTIPLES))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert [texts.count(f"panel {n}") for n in range(4)] == [1] * 4
    assert texts.count("F1") == texts.count("ε") == 4
    assert texts.count("100") == 4
    assert texts.count("attack") == 1  # one legend for all
    assert len(list(root.iter(f"{SVG}polygon"))) >= 8  # a band for each curve


def test_series_differ_by_more_than_colour():
    shapes = {re.sub(r" class=\"[^\"]*\"", "", svg.mark(place, 0, 0)) for place in range(6)}
    assert len(shapes) == 6
    assert len({svg.dash(place) for place in range(6)}) == 6
    drawn = ElementTree.fromstring(bars(GROUPS))
    fills = [rect.get("fill") for rect in drawn.iter(f"{SVG}rect")][:3]  # the legend's
    assert fills[0] == "none"
    assert fills[1].startswith("url(#")
    assert fills[2] is None


def test_patterns_of_two_figures_on_a_page_have_different_names():
    other = Bars("Others", "d", "v", GROUPS.groups)
    names = [set(re.findall(r"pattern id=\"([^\"]*)\"", bars(figure))) for figure in (GROUPS, other)]
    assert all(names)
    assert not names[0] & names[1]


def test_values_lie_where_the_axis_says():
    axis = svg.Axis(0.0, 2.0, 100.0, 300.0)
    assert axis.place(0.5) == 150.0
    assert svg.Axis(1.0, 100.0, 0.0, 200.0, log=True).place(10.0) == pytest.approx(100.0)
    one = Lines("t", "d", "x", "y", (Panel("", (Series("s", (Point(0.0, 0.0), Point(1.0, 1.0))),)),))
    circles = [(c.get("cx"), c.get("cy")) for c in ElementTree.fromstring(lines(one)).iter(f"{SVG}circle")]
    assert circles == [("62", "356"), ("698", "32")]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0.13, 0.57, [0.2, 0.3, 0.4, 0.5]),
        (0, 60, [0, 10, 20, 30, 40, 50, 60]),
        (-1, 1, [-1, -0.5, 0, 0.5, 1]),
    ],
)
def test_ticks_are_round(low, high, expected):
    assert svg.ticks(low, high) == expected


def test_logarithmic_ticks_are_round_too():
    assert svg.log_ticks(1, 100) == [1, 2, 5, 10, 20, 50, 100]
    assert svg.log_ticks(0.001, 1000) == pytest.approx([0.001, 0.01, 0.1, 1, 10, 100, 1000])


@pytest.mark.parametrize("values", [[0.3], [0.0, 0.0], [0.1, 0.92], [-3.0, 400.0], [1e-9, 2e-9]])
def test_ranges_hold_all_values(values):
    low, high = svg.rounded_range(values)
    assert low <= min(values) <= max(values) <= high
    assert low < high


def test_labels_keep_apart_and_inside():
    labels = svg.Labels(0, 200)
    places = [ElementTree.fromstring(labels.beside(150, 50, "label")).attrib for _ in range(4)]
    assert len({(place["x"], place["y"]) for place in places}) == 4
    labels.keep_clear(100, 50)
    moved = ElementTree.fromstring(labels.beside(85, 57, "label"))
    left, base = float(moved.get("x")), float(moved.get("y"))
    beside = left > 100 + 6 or left + svg.width_of("label") < 100 - 6
    assert beside or base + 3 <= 50 - 6 or base - 11 >= 50 + 6
    unhindered = ElementTree.fromstring(svg.Labels(0, 200).beside(85, 57, "label"))
    assert (moved.get("x"), moved.get("y")) != (unhindered.get("x"), unhindered.get("y"))
    right = ElementTree.fromstring(svg.Labels(0, 200).beside(195, 50, "a long label"))
    assert float(right.get("x")) + svg.width_of("a long label") < 195


def test_the_table_has_every_value():
    head, rows = table(COUNTS)
    assert head == ["true", "a", HOSTILE]
    assert rows == [["a", 3.0, 0.0], ["b", 1.0, 2.5]]
    assert len(table(CURVES)[1]) == 3


def test_cells_of_wide_heat_maps_have_no_room_for_numbers():
    names = tuple(f"n{number}" for number in range(30))
    wide = Heatmap("t", "d", "x", "y", names, names, tuple((77.0,) * 30 for _ in names))
    assert "77" not in heatmap(wide)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Lines("t", "d", "x", "y", ()),
        lambda: Lines("t", "d", "x", "y", (Panel("", (curve("a"),)), Panel("", (curve("a"),)))),
        lambda: Lines("t", "d", "x", "y", (Panel("", (curve("a"), curve("a"))),)),
        lambda: Lines("t", "d", "x", "y", (Panel("", (Series("a", ()),)),)),
        lambda: Lines("t", "d", "x", "y", (Panel("", (Series("a", (Point(float("nan"), 1),)),)),)),
        lambda: Lines("t", "d", "x", "y", (Panel("", (Series("a", (Point(0.0, 1.0),)),)),), log_x=True),
        lambda: Bars("t", "d", "v", ()),
        lambda: Bars("t", "d", "v", (("g", (Bar("s", float("inf")),)),)),
        lambda: Heatmap("t", "d", "x", "y", ("a",), ("b",), ((1.0, 2.0),)),
        lambda: Heatmap("t", "d", "x", "y", (), (), ()),
    ],
)
def test_what_cannot_be_drawn_is_refused(make):
    with pytest.raises(ParameterError):
        make()


@pytest.mark.parametrize(
    "text", ["", "a,b\n1,2\n", "# allonym figure: {}\n", '# allonym figure: {"figure": "Bars"}\na\n1\n']
)
def test_other_tables_are_refused(text):
    with pytest.raises(InputError):
        from_csv(text)
