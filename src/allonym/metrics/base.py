"""What every measure is: a name, how it reads, which way is better, what it needs, and how it is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from allonym.errors import ParameterError
from allonym.metrics import scoring
from allonym.metrics._shared import Figures
from allonym.metrics.figures import Figure, spread


@dataclass(frozen=True)
class MeasuredTexts:
    """What measures are taken on.

    Attributes:
        texts: The documents as they were.
        train: Places of those an analyst may learn from.
        test: Places of those that are measured.
        labels: What each is about, where that is known.
    """

    texts: Sequence[str] = field(repr=False)
    train: Sequence[int] = field(repr=False)
    test: Sequence[int] = field(repr=False)
    labels: Sequence[str] | None = field(default=None, repr=False)

    def untouched(self) -> Released:
        """Return the documents as they were, as if they had been released so."""
        return Released(*(ReleasedPart.of_texts([self.texts[row] for row in part]) for part in (self.train, self.test)))


@dataclass(frozen=True)
class ReleasedPart:
    """What was released of some documents: as it is (texts, or counts of words), and written as texts."""

    payload: Any = field(repr=False)
    texts: Sequence[str] = field(repr=False)

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> ReleasedPart:
        """Return a part whose texts are all there is to it."""
        return cls(texts, texts)


@dataclass(frozen=True)
class Released:
    """One release of the documents of a ground: those an analyst may learn from, and those that are measured."""

    train: ReleasedPart
    test: ReleasedPart


class Taking:
    """A measure on one ground, with what is computed of the originals once: here of each test document by itself.

    Attributes:
        before: What the originals reach.
        floor: What would be reached without reading; here, what another document of the ground reaches.
    """

    def __init__(self, measure: Measure, ground: MeasuredTexts) -> None:
        self._measure = measure
        most = measure.most or len(ground.test)
        self._places = range(0, len(ground.test), max(1, len(ground.test) // most))[:most]
        originals = [ground.texts[ground.test[row]] for row in self._places]
        self._prepared = measure.prepare(originals)
        known = None if measure.untouched is None else Figure(*3 * (measure.untouched,))
        self.before = known or self._figure([originals]) or Figure(0.0, 0.0, 0.0)
        self.floor = 0.0
        if measure.main is not None and len(originals) > 1:
            others = self._figure([[*originals[len(originals) // 2 :], *originals[: len(originals) // 2]]])
            self.floor = 0.0 if others is None else others.value

    def after(self, releases: Sequence[Released]) -> Figure | None:
        """Return what releases of all documents reach together; None if that cannot be told."""
        return self._figure([[released.test.texts[row] for row in self._places] for released in releases])

    def _figure(self, releases: Sequence[Sequence[str]]) -> Figure | None:
        numbers: Figures = np.array([self._measure.of(self._prepared, texts) for texts in releases])
        return None if np.isnan(numbers).all() else scoring.bootstrap(numbers, self._measure.statistic)


def nothing_missing() -> str:
    """Say that nothing is missing."""
    return ""


@dataclass(frozen=True)
class Measure:
    """A number for each document, of what it was and what became of it; reports show the mean of the test documents.

    An instance in a module of this package is found by its name, and is then in `evaluate`, in the report and in the
    list of the documentation.

    Attributes:
        name: In records and after --measures.
        title: In the heads of columns and on axes.
        describes_itself_as: In a sentence.
        of: What `prepare` made of the originals, and the texts after, to one number a document; NaN for none. Where
            `taking` is another, the function behind it.
        unit: Of the number.
        higher_is_better: For the texts' use.
        untouched: What texts reach that were left as they are; None if that must be measured.
        taking: How it is taken.
        needs_labels: Whether it can be taken only where labels are known.
        prepare: Computed of the originals once, where many releases are measured.
        functions: Those of `allonym.metrics` that need what it needs.
        missing: Says what to install before it can be taken; nothing if all is there.
        statistic: Of the numbers of all documents, as in `scoring.bootstrap`.
        most: Test documents it is taken on, where it is slow.
        usual: Whether it is taken without being asked for.
        main: Its place in the queue for the main measure of use; None if it never is.
        keeps: How a share of it reads: "the texts keep 62 % …".
        digits: Behind the point, in tables.
    """

    name: str
    title: str
    describes_itself_as: str
    of: Callable[..., Any]
    unit: str = "share"
    higher_is_better: bool = True
    untouched: float | None = 1.0
    taking: Callable[[Measure, MeasuredTexts], Taking] = Taking
    needs_labels: bool = False
    prepare: Callable[[Sequence[str]], Any] = list
    functions: tuple[str, ...] = ()
    missing: Callable[[], str] = nothing_missing
    statistic: Callable[..., Any] = np.mean
    most: int | None = None
    usual: bool = True
    main: int | None = None
    keeps: str = ""
    digits: int = 3

    def __post_init__(self) -> None:
        if self.main is not None and not (self.higher_is_better and self.keeps):
            raise ParameterError(
                "A main measure must be better the higher it is, and say what is kept; leave main out."
            )

    @property
    def head(self) -> str:
        """The head of its column."""
        return self.title if self.higher_is_better else f"{self.title} (lower is better)"

    def lacks(self, ground: MeasuredTexts) -> str:
        """Say why it cannot be taken here; nothing if it can."""
        if self.needs_labels and not ground.labels:
            return "There are no labels to find: name their column with --label."
        return self.missing()

    def shown(self, figure: dict[str, float] | None) -> str:
        """Write a stored figure for a table."""
        return spread(figure, self.digits, nothing="not measured")
