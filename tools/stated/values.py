"""What an expression in a page stands for: a figure of a result file, or a little arithmetic with such figures.

A path is `file.json#key.key[selector]…`, the file one of results/. A selector is a place in a list (`[0]`), a key with
signs in it (`[Top 10/Any]`), everything (`[*]`), or `[key=value]`, which may be repeated and must leave one entry
(`[key≈13.6]`: within a hundredth of it), unless `[*]` follows.
Short names for paths stand in `names`. Expressions: `a - b`, `a + b`, `a / b`, `a * b` with blanks around the sign,
`max(a, b)`, `min(a, b)`, `figures(a, b)` for several at once, numbers, and the functions of `laws`, as in
`subset_share(11.4, 5)`.
"""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stated import laws
from stated.names import NAMES, expanded

SYMBOLS: dict[str, Callable[[float, float], float]] = {
    "-": operator.sub,
    "+": operator.add,
    "/": operator.truediv,
    "*": operator.mul,
}
LEVELS = (r" ([-+]) ", r" ([/*]) ")  # the sign that binds least first
NUMBER = re.compile(r"-?\d+(\.\d+)?")
CALL = re.compile(r"(\w+)\((.*)\)", re.DOTALL)
CONDITION = re.compile(r"(?P<key>[^=≈]+)(?P<sign>[=≈])(?P<value>.*)")
STEP = re.compile(r"\[(?P<inside>[^\]]*)\]|\.?(?P<key>[^.\[\]]+)")

Step = tuple[str | None, list[re.Match[str]]]  # a key, or conditions


class SourceError(ValueError):
    """An expression that leads to no figure; says which and why."""


@dataclass(frozen=True)
class Figure:
    """A number, and the ends of its interval if it has one."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Sources:
    """The result files.

    Args:
        folder: Where they lie.
    """

    folder: Path
    _files: dict[str, Any] = field(default_factory=dict, repr=False)

    def figures(self, expression: str) -> list[Figure]:
        """Return what an expression stands for, several figures if it asks for several.

        Raises:
            SourceError: It leads nowhere.
        """
        return self._level(expression, 0)

    def _level(self, expression: str, level: int) -> list[Figure]:
        if level == len(LEVELS):
            return self._term(expression)
        first, *rest = _split(expression, LEVELS[level])
        result = self._level(first, level + 1)
        for symbol, term in zip(rest[::2], rest[1::2], strict=True):
            left, right = _only(result, expression), _only(self._level(term, level + 1), expression)
            result = [Figure(SYMBOLS[symbol](left.value, right.value))]
        return result

    def one(self, expression: str) -> Figure:
        """Return the one figure that an expression stands for."""
        return _only(self.figures(expression), expression)

    def _term(self, term: str) -> list[Figure]:
        if NUMBER.fullmatch(term):
            return [Figure(float(term))]
        if "#" not in NAMES.get(term, "#"):
            return self.figures(NAMES[term])
        call = CALL.fullmatch(term)
        if call is None:
            return [_figure(node, term) for node in self.nodes(term)]
        name, arguments = call[1], _split(call[2], r", ")
        if name in laws.LAWS:
            return [Figure(laws.LAWS[name](*(self.one(argument).value for argument in arguments)))]
        given = [figure for argument in arguments for figure in self.figures(argument)]
        if name == "figures":
            return given
        if name in ("max", "min"):
            return [(max if name == "max" else min)(given, key=lambda figure: figure.value)]
        raise SourceError(f"{term}: there is no function {name}.")

    def nodes(self, path: str) -> list[Any]:
        """Return what a path leads to: one entry, or several where it says `[*]`."""
        file, mark, inside = expanded(path).partition("#")
        if not mark:
            raise SourceError(
                f"{path}: a path begins with a file, as in erae.json#…, or with a name of stated/names.py."
            )
        nodes = [self._file(file)]
        for step, conditions in _steps(inside):
            nodes = [reached for node in nodes for reached in _follow(node, step, conditions, path)]
        return nodes

    def _file(self, name: str) -> Any:  # noqa: ANN401 - JSON
        if name not in self._files:
            try:
                self._files[name] = json.loads((self.folder / name).read_text("utf-8"))
            except OSError as error:
                raise SourceError(f"{name}: there is no such result file.") from error
        return self._files[name]


def _split(text: str, separator: str) -> list[str]:
    """Split at a separator outside of all brackets; what a group of the separator catches is kept."""
    parts, begin, depth, place = [], 0, 0, 0
    pattern = re.compile(separator)
    while place < len(text):
        depth += (text[place] in "([") - (text[place] in ")]")
        match = pattern.match(text, place) if depth == 0 else None
        if match is None:
            place += 1
            continue
        parts += [text[begin:place], *match.groups()]
        begin = place = match.end()
    return [part.strip() for part in [*parts, text[begin:]]]


def _steps(inside: str) -> list[Step]:
    """Return the steps of a path: keys, or conditions that stand together."""
    steps: list[Step] = []
    for match in STEP.finditer(inside):
        selector = match["inside"]
        condition = CONDITION.fullmatch(selector or "")
        if selector == "*" and steps and steps[-1][0] is None:
            steps[-1] = ("*", steps[-1][1])  # all that the conditions leave
        elif condition is None:
            steps.append((match["key"] if selector is None else selector, []))
        else:
            if not steps or steps[-1][0] is not None:
                steps.append((None, []))
            steps[-1][1].append(condition)
    return steps


def _follow(node: Any, step: str | None, conditions: Sequence[re.Match[str]], path: str) -> list[Any]:  # noqa: ANN401
    if step == "*" and not conditions:
        return list(node.values() if isinstance(node, dict) else node)
    if step is not None and not conditions:
        try:
            return [node[int(step)] if isinstance(node, list) else node[step]]
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise SourceError(f"{path}: nothing at {step}.") from error
    kept = [entry for entry in node if all(_says(entry.get(each["key"]), each) for each in conditions)]
    if len(kept) != 1 and step != "*":
        raise SourceError(f"{path}: {len(kept)} entries are so, not one.")
    return kept


def _says(entry: Any, condition: re.Match[str]) -> bool:  # noqa: ANN401 - JSON
    value = condition["value"]
    if isinstance(entry, bool) or entry is None:
        return str(entry).lower() == value
    if isinstance(entry, (int, float)):
        near = 1e-9 if condition["sign"] == "=" else 0.01
        return bool(NUMBER.fullmatch(value)) and math.isclose(entry, float(value), rel_tol=near)
    return bool(entry == value)


def _figure(node: Any, path: str) -> Figure:  # noqa: ANN401 - JSON
    if isinstance(node, dict):
        value = node.get("value", node.get("mean"))
        if isinstance(value, (int, float)):
            return Figure(value, node.get("low"), node.get("high"))
    elif isinstance(node, (int, float)) and not isinstance(node, bool):
        return Figure(node)
    raise SourceError(f"{path} is no number.")


def _only(figures: Sequence[Figure], expression: str) -> Figure:
    if len(figures) != 1:
        raise SourceError(f"{expression}: {len(figures)} figures where one is meant.")
    return figures[0]
