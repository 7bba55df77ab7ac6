"""Pages and reports from templates that escape everything."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from allonym import __version__
from allonym.drawing.svg import printable


def render(template: str, **given: Any) -> str:  # noqa: ANN401 - what it shows
    """Return a template filled in."""
    return _environment().get_template(template).render(version=__version__, **given)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("allonym.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["printable"] = printable
    return made
