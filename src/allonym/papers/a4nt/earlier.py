"""Rows of an earlier run, of models that are not at hand any more: taken over where they can stand beside new ones.

Training a model takes a graphics card, and the tables are made again whenever the method changes. What a model that is
not shipped once reached stays true as long as attackers, texts and measures are the same; this checks that they are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from allonym.errors import InputError
from allonym.papers import EARLIER, earlier_results
from allonym.papers.stored import Json

_ROWS = ("measured", "operating_points", "models")


class Earlier:
    """What an earlier run, of which there may be none, found out about models whose weights are not present now.

    Raises:
        InputError: There are no results in the file.
    """

    def __init__(self, path: Path | None, present: Sequence[str]) -> None:
        self._rows: dict[str, list[Json]] = {name: [] for name in _ROWS}
        self.settings: list[str] = []
        self._made_with: tuple[Json, str, dict[tuple[str, str], Json]] | None = None
        if path is None:
            return
        with earlier_results(path) as results:
            for name in _ROWS:
                self._rows[name] = [row | {EARLIER: True} for row in results[name] if row["weights"] not in present]
            self.settings = [row["setting"] for row in self._rows["measured"]]
            self._made_with = results["sizes"], results["meteor"], _reached(results["attackers"])

    def rows(self, name: str) -> list[Json]:
        """Return the rows of some list, marked."""
        return self._rows[name]

    def check(self, sizes: Json, meteor: str, attackers: Sequence[Json]) -> None:
        """Refuse results that other attackers, other amounts of text or another METEOR made."""
        if self._made_with is None:
            return
        *measures, before = self._made_with
        if measures != [json.loads(json.dumps(sizes)), meteor]:
            raise InputError(
                "The earlier results are of other sizes or another METEOR: leave them out, or use the same."
            )
        for (setting, attacker), reached in _reached(attackers).items():
            if before.get((setting, attacker)) != reached:
                raise InputError(
                    f"The attacker {attacker} of {setting} reaches another F1 on originals than in the earlier "
                    "results, so their rows cannot stand beside new ones: leave them out."
                )


def _reached(attackers: Sequence[Json]) -> dict[tuple[str, str], Json]:
    """Return the F1 that each attacker of each setting reaches on original documents."""
    return {(row["setting"], row["attacker"]): row["test"]["document"]["f1"] for row in attackers}
