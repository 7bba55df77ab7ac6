"""What figures are drawn with: elements, axes, marks and legends of SVG, as text.

Colours come from CSS variables where a page sets them (`--ink`, `--paper`, `--series-1` …), so that a figure follows
the page into dark mode; a file on its own is black on white. Every series also differs by mark, dash or hatching.
"""

from __future__ import annotations

import hashlib
import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Box = tuple[float, float, float, float]  # left, top, right, bottom

LETTER = 6.6  # a usual letter's width in the figures' type; there is no measuring of text without a browser
_MARKS = 6
_DASHES = ("", "7 3", "2 3", "9 3 2 3", "1 4", "12 4")
_COLOURS = ("#0072b2", "#b84d00", "#007a5a", "#a5297a", "#4d4d9e", "#6b5a00")
_STYLE = """
.af{color:#1b1b1b;color:var(--ink,#1b1b1b);background:#fff;background:var(--paper,#fff);
font:13px system-ui,sans-serif}
.af text{fill:currentColor}.af .strong{font-weight:700}
.af .axis{stroke:currentColor;stroke-width:1;fill:none}.af .grid{stroke:currentColor;stroke-opacity:.15}
.af .label{paint-order:stroke;stroke:#fff;stroke:var(--paper,#fff);stroke-width:3px;stroke-linejoin:round}
.af .rule{stroke:currentColor;stroke-width:1.5;stroke-dasharray:5 4}
.af .line{fill:none;stroke-width:2}.af .whisker{stroke-width:1.3;fill:none}.af .band{stroke:none;fill-opacity:.15}
.af .whisker.on{stroke:currentColor}.af .ring{fill:none;stroke:currentColor;stroke-width:2}
"""


def number(value: float) -> str:
    """Return a coordinate, short and the same everywhere."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def printable(text: str) -> str:
    """Return text with U+FFFD for control characters, which XML has none of."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\ufffd" for sign in text)


def escaped(text: str) -> str:
    """Return text as XML may hold it."""
    return html.escape(printable(text), quote=True)


def tag(name: str, content: str | None = None, /, **attributes: str | float) -> str:
    """Return one element; `content` is text, `class_` is the class, and _ in names stands for -."""
    given = ""
    for key, value in attributes.items():
        text = value if isinstance(value, str) else number(value)
        if text == "":
            continue
        given += f' {key.rstrip("_").replace("_", "-")}="{escaped(text)}"'
    return f"<{name}{given}/>" if content is None else f"<{name}{given}>{escaped(content)}</{name}>"


def document(title: str, description: str, width: float, height: float, parts: Iterable[str]) -> str:
    """Return a whole figure, named and described for those who cannot see it."""
    unique = identity(title + description)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="af" role="img" width="{number(width)}" '
        f'height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}" '
        f'aria-labelledby="{unique}-title {unique}-desc">'
    )
    named = [tag("title", title, id=f"{unique}-title"), tag("desc", description, id=f"{unique}-desc")]
    return "\n".join([head, *named, f"<style>{_STYLE}{_series_styles()}</style>", *parts, "</svg>"]) + "\n"


def identity(text: str) -> str:
    """Return a name for the parts of a figure that no other figure on the page has."""
    return f"f{hashlib.blake2b(text.encode('utf-8', 'replace'), digest_size=5).hexdigest()}"


def _series_styles() -> str:
    return "".join(
        f".af .s{index}{{stroke:{colour};stroke:var(--series-{index},{colour})}}"
        f".af .f{index}{{fill:{colour};fill:var(--series-{index},{colour})}}"
        for index, colour in enumerate(_COLOURS, 1)
    )


def series_class(index: int, kind: str) -> str:
    """Return the class that colours the series at this place: its strokes ("s") or what it fills ("f")."""
    return f"{kind}{index % len(_COLOURS) + 1}"


def dash(index: int) -> str:
    """Return the dashes of the series at this place."""
    return _DASHES[index % len(_DASHES)]


def mark(index: int, x: float, y: float, size: float = 5) -> str:
    """Return the mark of the series at this place: circle, square, triangle, diamond, cross or plus."""
    styles = f"{series_class(index, 's')} {series_class(index, 'f')}"
    shape = (index + index // _MARKS) % _MARKS  # the seventh series has the first one's colour, so another shape
    if shape == 0:
        return tag("circle", cx=x, cy=y, r=size, class_=styles)
    if shape == 1:
        return tag("rect", x=x - size, y=y - size, width=2 * size, height=2 * size, class_=styles)
    corners = {
        2: [(0, -1.2), (1.2, 1), (-1.2, 1)],
        3: [(0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0)],
    }
    if shape in corners:
        return tag("polygon", points=path((x + size * dx, y + size * dy) for dx, dy in corners[shape]), class_=styles)
    strokes = [((-1, -1), (1, 1)), ((-1, 1), (1, -1))] if shape == 4 else [((-1, 0), (1, 0)), ((0, -1), (0, 1))]
    return "".join(
        tag("line", x1=x + size * a, y1=y + size * b, x2=x + size * c, y2=y + size * d, class_=f"line {styles}")
        for (a, b), (c, d) in strokes
    )


def path(points: Iterable[tuple[float, float]]) -> str:
    """Return points as polylines and polygons take them."""
    return " ".join(f"{number(x)},{number(y)}" for x, y in points)


def width_of(text: str) -> float:
    """Return about how wide a text is."""
    return LETTER * len(text)


@dataclass(frozen=True)
class Axis:
    """Maps numbers to places: `low` lies at `start`, `high` at `stop`."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def place(self, value: float) -> float:
        """Return where a number lies."""
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.stop - self.start)

    def ticks(self) -> list[float]:
        """Return round numbers within the axis."""
        return log_ticks(self.low, self.high) if self.log else ticks(self.low, self.high)


def ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Return round numbers between two others: multiples of 1, 2 or 5 times a power of ten.

    >>> ticks(0, 1)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(power * factor for factor in (1, 2, 5, 10, 20) if (high - low) / (power * factor) <= most - 1)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(multiple * step, 12) for multiple in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times powers of ten, or powers of ten alone where there are many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    factors = (1,) if len(powers) > 4 else (1, 2, 5)
    marks = [factor * 10.0**power for power in powers for factor in factors]
    return [value for value in marks if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]


def rounded_range(values: Sequence[float], *, log: bool = False) -> tuple[float, float]:
    """Return a range that holds all values and ends in round numbers."""
    low, high = min(values), max(values)
    if log:
        return low / 1.15, high * 1.15
    if low == high:
        low, high = low - 0.5, high + 0.5
    marks = ticks(low, high)
    step = marks[1] - marks[0] if len(marks) > 1 else (high - low) / 2
    return round(math.floor(low / step + 1e-9) * step, 12), round(math.ceil(high / step - 1e-9) * step, 12)


def axes(across: Axis, up: Axis, x_label: str, y_label: str) -> list[str]:
    """Return the frame of a plot: grid, ticks, numbers and names of both axes."""
    left, right, bottom, top = across.start, across.stop, up.start, up.stop
    parts = []
    for value in up.ticks():
        y = up.place(value)
        parts.append(tag("line", x1=left, y1=y, x2=right, y2=y, class_="grid"))
        parts.append(tag("text", f"{value:g}", x=left - 8, y=y + 4, text_anchor="end"))
    for value in across.ticks():
        x = across.place(value)
        parts.append(tag("line", x1=x, y1=bottom, x2=x, y2=bottom + 5, class_="axis"))
        parts.append(tag("text", f"{value:g}", x=x, y=bottom + 19, text_anchor="middle"))
    parts.append(tag("polyline", points=path([(left, top), (left, bottom), (right, bottom)]), class_="axis"))
    parts.append(tag("text", x_label, x=(left + right) / 2, y=bottom + 38, text_anchor="middle"))
    middle = (top + bottom) / 2
    turned = f"rotate(-90 {number(left - 44)} {number(middle)})"
    parts.append(tag("text", y_label, x=left - 44, y=middle, text_anchor="middle", transform=turned))
    return parts


class Labels:
    """Places words beside points so that they do not lie on one another or run out of the plot."""

    def __init__(self, left: float, right: float) -> None:
        self._left, self._right = left, right
        self._taken: list[Box] = []

    def keep_clear(self, x: float, y: float) -> None:
        """Let no words lie on the mark at this point."""
        self._taken.append((x - 6, y - 6, x + 6, y + 6))

    def beside(self, x: float, y: float, text: str, class_: str = "", away: float = 9) -> str:
        """Return the text at the first free place around a point, or at the first within the plot."""
        wide = width_of(text)
        lefts = (x + away, x - away - wide, x - wide / 2)
        bases = ((y - 7, y + 16, y - 22), (y - 7, y + 16, y - 22), (y - away - 7, y + away + 16, y - 30))
        places = [(left, base) for left, column in zip(lefts, bases, strict=True) for base in column]
        boxes = [(left, base - 11, left + wide, base + 3) for left, base in places]
        inside = [index for index, box in enumerate(boxes) if self._left <= box[0] and box[2] <= self._right] or [0]
        chosen = next((index for index in inside if not self._covers(boxes[index])), inside[0])
        self._taken.append(boxes[chosen])
        return tag("text", text, x=places[chosen][0], y=places[chosen][1], class_=f"label {class_}".strip())

    def _covers(self, box: Box) -> bool:
        left, top, right, bottom = box
        return any(left < r and x < right and top < b and y < bottom for x, y, r, b in self._taken)
