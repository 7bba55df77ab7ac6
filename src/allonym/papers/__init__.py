"""The papers' tables and figures on real data: a folder each, whose module `reproduce` is a `Paper`, found by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Protocol, TypeVar, cast

from allonym.drawing.figure_data import Figure, to_csv
from allonym.drawing.figures import draw
from allonym.errors import InputError, ParameterError
from allonym.papers.stored import Result

_Stored = TypeVar("_Stored", bound=Result)


@dataclass(frozen=True)
class Asked:
    """What `allonym reproduce` was asked for; of the optional parts, a paper heeds those that its `TAKES` names.

    Attributes:
        data: Folder that holds the corpora.
        report: Told what is done.
        runs: How often each setting is drawn; by default the paper's `RUNS`.
        models: Folder of models beside the shipped ones.
        work: Folder of the rows that the ruler has measured, for this paper or another, from which an interrupted run
            goes on.
        only: Names of the texts that the ruler measures on, with commas between them, all by default; the paper's own
            tables are then those of the earlier run.
        earlier: JSON file of an earlier run, from which rows are taken over that cannot be measured now.
        rivals: JSON file with the commands of other tools, made by `tools/rivals/make_environments.py`.
    """

    data: Path
    report: Callable[[str], None]
    runs: int | None = None
    models: Path | None = None
    work: Path | None = None
    only: str | None = None
    earlier: Path | None = None
    rivals: Path | None = None


class Paper(Protocol):
    """What a paper's module `reproduce` has."""

    TAKES: Sequence[str]  # names of the optional parts of `Asked` that it heeds
    RUNS: int  # by default, if it takes `runs`
    RESULTS: type[Result]  # what `run` returns, and what the other two are made of
    run: Callable[[Asked], Result]
    markdown: Callable[[Any], str]
    figures: Callable[[Any], dict[str, Figure]]


def names() -> list[str]:
    """Return the names of all papers."""
    folders = [module.name for module in iter_modules(__path__) if module.ispkg]
    return sorted(name for name in folders if find_spec(f"{__name__}.{name}.reproduce"))


def find(name: str) -> Paper:
    """Return a paper."""
    return cast(Paper, import_module(f"{__name__}.{name}.reproduce"))


def takers(option: str) -> list[str]:
    """Return the papers that take an option."""
    return [name for name in names() if option in find(name).TAKES]


def options(name: str, **given: Any) -> dict[str, Any]:  # noqa: ANN401 - of several types
    """Return the options that were given, if the paper takes them.

    Raises:
        ParameterError: It does not take one of them.
    """
    chosen = {option: value for option, value in given.items() if value is not None}
    for option in chosen:
        if option not in find(name).TAKES:
            raise ParameterError(f"Remove --{option}: the tables of {name} are made without it.")
    return chosen


def files(name: str, results: Result) -> dict[str, str]:
    """Return everything that is made of a paper's results, by the names of the files."""
    paper = find(name)
    written = {f"{name}.json": json.dumps(results.to_json(), ensure_ascii=False, indent=1) + "\n"}
    written[f"{name}.md"] = paper.markdown(results)
    for figure_name, figure in paper.figures(results).items():
        written |= {f"{name}-{figure_name}.svg": draw(figure), f"{name}-{figure_name}.csv": to_csv(figure)}
    return written


def earlier_results(path: Path, kind: type[_Stored]) -> _Stored:
    """Return the results of an earlier run, to take rows over from.

    Raises:
        InputError: The file does not hold them.
    """
    try:
        return kind.from_json(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} holds no results of this paper: give the JSON file of an earlier run.") from error


def taken_over(earlier: Path | None, kind: type[_Stored]) -> _Stored:
    """Return the results of an earlier run, where only the ruler's rows are measured now.

    Raises:
        InputError: No earlier run is given, or the file does not hold its results.
    """
    if earlier is None:
        raise InputError("With --only, the paper's own tables are not made: give those of an earlier run as --earlier.")
    return earlier_results(earlier, kind)
