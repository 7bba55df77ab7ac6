"""How a figure is written.

| format | of 0.4525 (0.405 to 0.5) |
|---|---|
| `.2f`, `.3g`, `,.0f` … | as Python does it, with a true minus |
| `.0%` | 45 % |
| `pts`, `+pts` | 45, +45: points of a hundred |
| `up .2f` | 0.46: never less than it is, as a loss is written |
| `interval .2f` | 0.45 (0.41–0.50) |
| `span .2f` | the least and the largest of several: 0.45 to 0.58 |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal

from stated.values import Figure, SourceError

USUAL = ".2f"


def written(figures: Sequence[Figure], form: str = USUAL) -> str:
    """Write figures in a format of the table above.

    Raises:
        SourceError: The format does not fit them.
    """
    if form.startswith("span "):
        ends = [_number(end(figure.value for figure in figures), form[5:]) for end in (min, max)]
        return " to ".join(dict.fromkeys(ends))
    if len(figures) != 1:
        raise SourceError(f"{len(figures)} figures are written as a span, not as {form}.")
    figure = figures[0]
    if not form.startswith("interval "):
        return _number(figure.value, form)
    inner = form[9:]
    if figure.low is None or figure.high is None:
        raise SourceError("there is no interval to write.")
    return f"{_number(figure.value, inner)} ({_number(figure.low, inner)}–{_number(figure.high, inner)})"


def _number(value: float, form: str) -> str:
    if form.startswith("up "):
        places = re.fullmatch(r"\.(\d)f", form[3:])
        if places is None:
            raise SourceError(f"what is rounded up is written as .2f or with other digits, not as {form[3:]}.")
        return str(Decimal(value).quantize(Decimal(1).scaleb(-int(places[1])), ROUND_CEILING))
    if form in ("pts", "+pts"):
        hundredths = round(100 * float(format(value, ".2f")))  # so that 45 and 0.45 are always the same figure
        text = format(hundredths, "+" if form == "+pts" else "")
    else:
        try:
            text = format(value, form)
        except ValueError as error:
            raise SourceError(f"{form} is no format.") from error
    return re.sub("%$", " %", text.replace("-", "−"))
