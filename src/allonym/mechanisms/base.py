"""What every mechanism is: a law, its price, its draw, and how an audit checks them.

A mechanism is found by its file: a module of this package with `EXAMPLE`, a call that makes a small one. The contract
tests run on it, and audits hold its draws fixed and watch them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]
Words = NDArray[np.uint64]
Tiles = Callable[[Int64], Iterator[tuple[int, Int64]]]
Law = Sequence[Fraction] | Sequence[int] | Sequence[float] | NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Metric:
    """Where the inputs of a table lie, if two of them may be told apart the better the further apart they are."""

    steps: NDArray[np.float32]  # one vector an input, in whole numbers of `step`
    step: float  # their unit
    rate: float  # the law's parameter: a guess, which the audit does not trust
    furthest: float  # where the law cuts distances, likewise


@dataclass(frozen=True, kw_only=True)
class Table:
    """A law that can be read as a whole: an audit compares all its weights, exactly."""

    mechanism: Mechanism  # what draws
    inputs: int  # rows of the table
    outputs: int  # its columns
    tiles: Tiles  # rows -> (offset into them, whole-number weights of the next few)
    given: Callable[[int], Any] = np.int64  # a row -> the input that `draw` takes for it
    metric: Metric | None = None  # where inputs lie; None where any two may lose as much as any others
    of: str = ""  # what the table is of, if not of all inputs


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """A law whose inputs are rows of ratings, too many to list: a small one of its kind is enumerated instead."""

    mechanism: Mechanism  # what draws
    name: str  # of the law
    small: Callable[[], Mechanism]  # the same mechanism with a few outputs; itself, if it has a few
    # A row of ratings -> its law, exactly; None where there are too many outputs.
    exact: Callable[[NDArray[Any]], Law] | None
    sure: int = 1  # how many outputs a row of ratings can be sure of at once


@dataclass(frozen=True, kw_only=True)
class Points:
    """A law on points of a space, which cannot be listed: an audit looks at the grid they move to, and at draws."""

    mechanism: Mechanism  # what draws
    grid: float  # all moved points are whole numbers of it
    line: Mechanism  # the same law in one dimension, where draws tell most
    points: Float64  # some inputs; the first is compared with the one nearest to it


Audited = Table | Ratings | Points


class Mechanism(ABC):
    """Base of all mechanisms. A subclass checks its parameters in its constructor, at once, and NaN fails there."""

    outputs: int
    input_axes: ClassVar[int] = 0  # of one input: 0 for a number, 1 for a row or a point
    ways: ClassVar[tuple[str, ...]] = ("draw",)  # the methods by which it draws
    # The Rényi loss of one draw by its order, if it is known: there is then a smaller ε that may fail.
    renyi: Callable[[float], float] | None = None

    @abstractmethod
    def law(self, *args: Any, **kwargs: Any) -> Float64:  # noqa: ANN401 - inputs of any kind
        """Return the probability of each output for one input: of what is really sampled."""

    @abstractmethod
    def loss(self, *args: Any, **kwargs: Any) -> float:  # noqa: ANN401 - some take a distance
        """Return the most that one draw tells two inputs apart by, never too little."""

    @abstractmethod
    def draw(self, *args: Any, **kwargs: Any) -> NDArray[Any]:  # noqa: ANN401 - inputs of any kind
        """Draw one output for each input, from the words that a stream holds for it."""

    @abstractmethod
    def audited(self) -> Audited | None:
        """Say how an audit checks law and loss; None, and it says that nobody has looked."""

    @property
    def metric_loss(self) -> float | None:
        """The loss for each unit of distance between inputs; None where distances do not count."""
        return None

    def bounds(self) -> dict[str, float]:
        """Return bounds on the loss that papers state, by name, the loosest first; by default none."""
        return {}

    def stand_ins(self, words: Callable[[int], Words], shape: tuple[int, ...]) -> NDArray[Any]:
        """Return outputs made of as many words as are asked for, whatever the inputs: for audits, in place of draws."""
        return (words(math.prod(shape)) % np.uint64(self.outputs)).astype(np.int64).reshape(shape)

    def inputs_of(self, way: str, inputs: Any, rows: Any = None) -> NDArray[Any]:  # noqa: ANN401
        """Return the inputs of a draw, made in one of its ways, as `law` takes them: one for each output."""
        given = np.asarray(inputs)
        return given.copy() if rows is None else given.reshape(-1, self.outputs)[rows]


@cache
def examples() -> dict[str, partial[Mechanism]]:
    """Return a call that makes a small mechanism of every kind, by the name of its file."""
    package = import_module(__package__)
    names = [module.name for module in iter_modules(package.__path__) if not module.name.startswith("_")]
    modules = {name: import_module(f"{__package__}.{name}") for name in names}
    return {name.replace("_", "-"): module.EXAMPLE for name, module in modules.items() if hasattr(module, "EXAMPLE")}


def kinds() -> list[type[Mechanism]]:
    """Return the classes of all mechanisms."""
    return [cast(type[Mechanism], example.func) for example in examples().values()]
