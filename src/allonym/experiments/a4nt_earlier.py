"""Rows of an earlier run, of models that are not at hand any more: taken over where they can stand beside new ones.

Training a model takes a graphics card, and the tables are made again whenever the method changes. What a model that is
not shipped once reached stays true as long as attackers, texts and measures are the same; this checks that they are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from allonym.errors import InputError
from allonym.experiments.a4nt_rows import Results, Row

EARLIER = "earlier"  # marks what was taken over
_ROWS = ("measured", "operating_points", "models")


class Earlier:
    """What an earlier run found out about models that are not present now.

    Args:
        path: The JSON file it wrote; none for nothing.
        present: The models that are there, by their weights.

    Raises:
        InputError: There are no results in the file.
    """

    def __init__(self, path: Path | None, present: Sequence[str]) -> None:
        self._results = None if path is None else _read(path)
        self._present = frozenset(present)

    def rows(self, name: str) -> list[Row]:
        """Return the rows of some list, marked."""
        if self._results is None:
            return []
        return [row | {EARLIER: True} for row in self._results[name] if row["weights"] not in self._present]

    @property
    def settings(self) -> list[str]:
        """In which settings the models were measured."""
        return [row["setting"] for row in self.rows("measured")]

    def check(self, sizes: Row, meteor: str, attackers: Sequence[Row]) -> None:
        """Refuse results that other attackers, other amounts of text or another METEOR made.

        Raises:
            InputError: They did.
        """
        if self._results is None:
            return
        if self._results.get("sizes") != json.loads(json.dumps(sizes)) or self._results.get("meteor") != meteor:
            raise InputError(
                "The earlier results are of other sizes or another METEOR: leave them out, or use the same."
            )
        before = {
            (row["setting"], row["attacker"]): row["test"]["document"]["f1"] for row in self._results["attackers"]
        }
        for row in attackers:
            if before.get((row["setting"], row["attacker"])) != row["test"]["document"]["f1"]:
                raise InputError(
                    f"The attacker {row['attacker']} of {row['setting']} reaches another F1 on originals than in the "
                    "earlier results, so their rows cannot stand beside new ones: leave them out."
                )


def _read(path: Path) -> Results:
    problem = f"{path} holds no results of this paper: give the JSON file of an earlier run."
    try:
        found: Results = json.loads(path.read_text("utf-8"))
        lists = [found[name] for name in (*_ROWS, "attackers")]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(problem) from error
    if not all(isinstance(each, list) for each in lists):
        raise InputError(problem)
    return found
