"""For the API reference: show the examples in docstrings as code, wherever they stand. Loaded by mkdocstrings."""

from __future__ import annotations

from typing import Any

import griffe


def fenced(text: str) -> str:
    """Return a docstring with fences around its examples, but for those under "Examples:", which griffe knows."""
    lines: list[str] = []
    indent: str | None = None  # of the fence that is open
    known = False  # whether this is a section that griffe reads itself
    for line in text.splitlines():
        stripped = line.strip()
        if stripped and not line.startswith(" "):
            known = stripped == "Examples:"
        if indent is None and stripped.startswith(">>>") and not known:
            indent = line[: len(line) - len(line.lstrip())]
            lines.append(f"{indent}```pycon")
        elif indent is not None and not stripped:
            lines.append(f"{indent}```")
            indent = None
        lines.append(line)
    return "\n".join([*lines, *([] if indent is None else [f"{indent}```"])])


class Doctests(griffe.Extension):
    """Rewrites every docstring before it is parsed."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:  # noqa: ANN401
        """Put fences around the examples of one object."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
