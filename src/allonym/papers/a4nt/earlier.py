"""Rows of an earlier run, of models that are not at hand any more: taken over where they can stand beside new ones.

Training a model takes a graphics card, and the tables are made again whenever the method changes. What a model that is
not shipped once reached stays true as long as attackers, texts and measures are the same; this checks that they are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from allonym.errors import InputError
from allonym.papers.a4nt.rows import Results, Row

EARLIER = "earlier"  # marks what was taken over
_ROWS = ("measured", "operating_points", "models")


class Earlier:
    """What an earlier run found out about models that are not present now.

    Args:
        path: The JSON file it wrote; none for nothing.
        present: The models that are there, by their weights.

    Attributes:
        settings: In which settings the models were measured.

    Raises:
        InputError: There are no results in the file.
    """

    def __init__(self, path: Path | None, present: Sequence[str]) -> None:
        self._rows: dict[str, list[Row]] = {name: [] for name in _ROWS}
        self.settings: list[str] = []
        self._made_with: tuple[Row, str, dict[tuple[str, str], Row]] | None = None
        if path is None:
            return
        try:
            found: Results = json.loads(path.read_text("utf-8"))
            for name in _ROWS:
                self._rows[name] = [row | {EARLIER: True} for row in found[name] if row["weights"] not in present]
            self.settings = [row["setting"] for row in self._rows["measured"]]
            self._made_with = found["sizes"], found["meteor"], _reached(found["attackers"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(f"{path} holds no results of this paper: give the JSON file of an earlier run.") from error

    def rows(self, name: str) -> list[Row]:
        """Return the rows of some list, marked."""
        return self._rows[name]

    def check(self, sizes: Row, meteor: str, attackers: Sequence[Row]) -> None:
        """Refuse results that other attackers, other amounts of text or another METEOR made.

        Raises:
            InputError: They did.
        """
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


def _reached(attackers: Sequence[Row]) -> dict[tuple[str, str], Row]:
    """Return the F1 that each attacker of each setting reaches on original documents."""
    return {(row["setting"], row["attacker"]): row["test"]["document"]["f1"] for row in attackers}
