"""Numbers within limits, as options take them: NaN, which passes every comparison, is none."""

from __future__ import annotations

from typing import Any

import click


class Within(click.FloatRange):
    """A number from `low`, or above it, to `most`."""

    def __init__(self, low: float, most: float | None = None, *, above: bool = False) -> None:
        super().__init__(low, most, min_open=above)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Read a number, or fail."""
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail("it is not a number.", param, ctx)
        return number


SHARE = Within(0, 1)


def positive(most: float) -> Within:
    """Return a number above 0 and at most `most`."""
    return Within(0, most, above=True)
