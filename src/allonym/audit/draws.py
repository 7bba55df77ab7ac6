"""The places where a release becomes random, held fixed or watched, so that an audit sees what goes around them.

`held` puts a fixed table in the place of every mechanism's draw and of every random word: what then still varies with
a document went around the mechanism. `watched` leaves everything as it is and writes down what was drawn, for which
inputs, and from which random words.

The base classes' methods are replaced for as long as the block lasts, so that overriding methods show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from allonym.anonymizers.auditing import mixed
from allonym.mechanisms import Mechanism, kinds
from allonym.mechanisms.base import Int64, Words
from allonym.randomness import DocumentStreams, Rng, Stream


@dataclass
class Trace:
    """What a block asked for."""

    # Kind and shape of every draw and of every request for random words, in order.
    calls: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    drawn: int = 0
    mechanisms: list[Mechanism] = field(default_factory=list)

    def note(self, mechanism: Mechanism, shape: tuple[int, ...]) -> None:
        """Write a draw down."""
        self.calls.append((type(mechanism).__name__, shape))
        self.drawn += int(np.prod(shape, dtype=np.int64))
        if not any(mechanism is known for known in self.mechanisms):
            self.mechanisms.append(mechanism)


class _FixedTable:
    """Fixed numbers: each depends on the table, the number of the draw and the place in it alone."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.trace = Trace()

    def outputs(self, mechanism: Mechanism, inputs: Any, numbers: Any, rows: Any) -> NDArray[Any]:  # noqa: ANN401
        """Return what stands in the place of draws: as many as there are inputs, or rows of numbers to draw by."""
        shape = np.shape(inputs)[: np.ndim(inputs) - mechanism.input_axes] if rows is None else np.shape(rows)
        if isinstance(numbers, np.ndarray):
            shape = np.broadcast_shapes(shape, np.shape(numbers)[:-1])
        self.trace.note(mechanism, shape)
        return mechanism.stand_ins(self._scramble, shape)

    def lanes(self, stream: object, shape: tuple[int, ...]) -> Callable[..., Words]:
        """Return what stands in the place of random words."""
        self.trace.calls.append((type(stream).__name__, shape))
        start = (self._number << 48) + (len(self.trace.calls) << 24)

        def lane(number: int, where: Int64 | None = None) -> Words:
            places = np.arange(int(np.prod(shape))) if where is None else where
            words = mixed(places.astype(np.uint64) + np.uint64(start + ((number & 255) << 56)))
            return words.reshape(shape) if where is None else words

        return lane

    def _scramble(self, size: int) -> Words:
        start = (self._number << 48) + (len(self.trace.calls) << 24)
        return mixed(np.arange(size, dtype=np.uint64) + np.uint64(start))


@contextmanager
def held(table: int) -> Iterator[Trace]:
    """Draw from a fixed table, one of many: what comes depends on the number of the draw and the place in it alone."""
    fixed = _FixedTable(table)

    def draw(mechanism: Any, inputs: Any, source: Any, rows: Any = None, **_: object) -> NDArray[Any]:  # noqa: ANN401
        return fixed.outputs(mechanism, inputs, source, rows)

    def lanes(stream: object, shape: tuple[int, ...]) -> Callable[..., Words]:
        return fixed.lanes(stream, shape)

    with ExitStack() as stack:
        for kind, way in _ways():
            stack.enter_context(patch.object(kind, way, draw))
        for source in (DocumentStreams, Rng):
            stack.enter_context(patch.object(source, "lanes", lanes))
        yield fixed.trace


def _ways() -> Iterator[tuple[type[Mechanism], str]]:
    """Yield every way in which a mechanism draws, with its class."""
    return ((kind, way) for kind in kinds() for way in kind.ways)


@dataclass
class RecordedDraw:
    """One draw as it happened: who drew, for which inputs, and what came."""

    mechanism: Mechanism
    inputs: Any
    outputs: Any


@dataclass
class Watch:
    """What a block drew."""

    draws: list[RecordedDraw] = field(default_factory=list)
    elsewhere: int = 0  # requests for random words that no document's stream was asked for
    depth: int = 0  # how many draws are under way, one within another: the outermost is written down
    _reads: dict[tuple[int, int], tuple[list[Int64], list[Words]]] = field(default_factory=dict)
    _requests: int = 0
    _repeatable: set[int] = field(default_factory=set)  # requests to streams that are no secret

    def words(self, *, secret: bool = False) -> Words:
        """Return all random words that were read, each place of a request once; or only those of secret streams."""
        read = []
        for (request, _), (places, words) in self._reads.items():
            if secret and request in self._repeatable:
                continue
            _, first = np.unique(np.concatenate(places), return_index=True)
            read.append(np.concatenate(words)[first])
        return np.concatenate([np.zeros(0, np.uint64), *read])

    def read(self, request: int, number: int, places: Int64, words: Words) -> None:
        """Write down words that were read."""
        held_places, held_words = self._reads.setdefault((request, number), ([], []))
        held_places.append(places)
        held_words.append(words.reshape(-1).copy())

    def request(self, *, repeatable: bool) -> int:
        """Count a request."""
        self._requests += 1
        if repeatable:
            self._repeatable.add(self._requests)
        return self._requests


def _noted(real: Callable[..., Int64], name: str, watch: Watch, inputs_too: bool) -> Callable[..., Int64]:
    """Return a mechanism's way of drawing, by its name, that also writes the draw down."""

    @wraps(real)
    def draw(mechanism: Any, inputs: Any, *more: Any, **named: Any) -> Int64:  # noqa: ANN401 - as of any mechanism
        watch.depth += 1
        try:
            outputs = real(mechanism, inputs, *more, **named)
        finally:
            watch.depth -= 1
        if not watch.depth:
            given = mechanism.inputs_of(name, inputs, named.get("rows")) if inputs_too else None
            watch.draws.append(RecordedDraw(mechanism, given, np.array(outputs)))
        return outputs

    return draw


@contextmanager
def watched(mechanism: object = None, *, words: bool = True) -> Iterator[Watch]:
    """Write down every draw, and either every random word or the inputs of the draws.

    The class of `mechanism` may draw in a way of its own.
    """
    watch = Watch()

    def lanes_of(real: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(real)
        def lanes(stream: Stream, shape: tuple[int, ...]) -> Callable[..., Words]:
            if not isinstance(stream, DocumentStreams):
                watch.elsewhere += 1
            source, request = real(stream, shape), watch.request(repeatable=stream.repeatable)

            def lane(number: int, where: Int64 | None = None) -> Words:
                made: Words = source(number) if where is None else source(number, where)
                if words:
                    watch.read(request, number, np.arange(made.size) if where is None else where.reshape(-1), made)
                return made

            return lane

        return lanes

    with ExitStack() as stack:
        further = [(kind, "draw") for kind in type(mechanism).__mro__ if "draw" in vars(kind) and kind is not Mechanism]
        for kind, way in dict.fromkeys([*_ways(), *further]):
            if way.startswith("draw"):  # points that were moved are no draws of words
                stack.enter_context(patch.object(kind, way, _noted(vars(kind)[way], way, watch, not words)))
        for source in (DocumentStreams, Rng):
            stack.enter_context(patch.object(source, "lanes", lanes_of(source.lanes)))
        yield watch
