"""Rows of an earlier run, of models that are not at hand any more: taken over where they can stand beside new ones.

Training a model takes a graphics card, and the tables are made again whenever the method changes. What a model that is
not shipped once reached stays true as long as attackers, texts and measures are the same; this checks that they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from allonym.errors import InputError
from allonym.metrics.figures import Figure
from allonym.papers import earlier_results
from allonym.papers.a4nt.sizes import Sizes
from allonym.papers.a4nt.stored import A4ntResults, LearnedRow, ListedModel, MeasuredRow, ModelNames, OperatingRow

_Row = TypeVar("_Row", MeasuredRow, OperatingRow)


class Earlier:
    """What an earlier run, of which there may be none, found out about models whose weights are not present now.

    Attributes:
        models: These models, marked.
        measured: What was measured of them.
        operating_points: The same for figure 6.

    Raises:
        InputError: There are no results in the file.
    """

    def __init__(self, path: Path | None, present: Sequence[str]) -> None:
        self._results = None if path is None else earlier_results(path, A4ntResults)
        self.models: tuple[ListedModel, ...] = ()
        self.measured: tuple[MeasuredRow, ...] = ()
        self.operating_points: tuple[OperatingRow, ...] = ()
        if self._results is not None:

            def absent(model: ModelNames) -> bool:
                return model.weights not in present

            self.models = tuple(replace(each, earlier=True) for each in filter(absent, self._results.models))
            self.measured = _marked(row for row in self._results.measured if absent(row.model))
            self.operating_points = _marked(row for row in self._results.operating_points if absent(row.model))

    @property
    def settings(self) -> list[str]:
        """The settings of which something is taken over."""
        return [row.setting for row in self.measured]

    def check(self, sizes: Sizes, meteor: str, attackers: Sequence[LearnedRow]) -> None:
        """Refuse results that other attackers, other amounts of text or another METEOR made."""
        if self._results is None:
            return
        if (self._results.sizes, self._results.meteor) != (sizes, meteor):
            raise InputError(
                "The earlier results are of other sizes or another METEOR: leave them out, or use the same."
            )
        before = _reached(self._results.attackers)
        for (setting, attacker), reached in _reached(attackers).items():
            if before.get((setting, attacker)) != reached:
                raise InputError(
                    f"The attacker {attacker} of {setting} reaches another F1 on originals than in the earlier "
                    "results, so their rows cannot stand beside new ones: leave them out."
                )


def _marked(rows: Iterable[_Row]) -> tuple[_Row, ...]:
    return tuple(replace(row, model=replace(row.model, earlier=True)) for row in rows)


def _reached(attackers: Sequence[LearnedRow]) -> dict[tuple[str, str], Figure]:
    """Return the F1 that each attacker of each setting reaches on original documents."""
    return {(row.setting, row.attacker): row.test.document.f1 for row in attackers}
