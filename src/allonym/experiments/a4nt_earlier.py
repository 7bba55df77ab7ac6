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
_ROWS = ("measured", "operating_points")


def read(path: Path) -> Results:
    """Return earlier results.

    Raises:
        InputError: There are none in the file.
    """
    try:
        found = json.loads(path.read_text("utf-8"))
        if all(isinstance(found[name], list) for name in (*_ROWS, "models", "attackers")):
            return dict(found)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{path} holds no results of this paper: give the JSON file of an earlier run.") from error
    raise InputError(f"{path} holds no results of this paper: give the JSON file of an earlier run.")


def settings(earlier: Results, present: Sequence[str]) -> list[str]:
    """Return in which settings models were measured that are not present now; these are named by their weights."""
    return [row["setting"] for row in earlier["measured"] if row["weights"] not in present]


def check(earlier: Results, sizes: Row, meteor: str, attackers: Sequence[Row]) -> None:
    """Refuse results that other attackers, other amounts of text or another METEOR made.

    Raises:
        InputError: They did.
    """
    if earlier.get("sizes") != json.loads(json.dumps(sizes)) or earlier.get("meteor") != meteor:
        raise InputError("The earlier results are of other sizes or another METEOR: leave them out, or use the same.")
    before = {(row["setting"], row["attacker"]): row["test"]["document"]["f1"] for row in earlier["attackers"]}
    for row in attackers:
        if before.get((row["setting"], row["attacker"])) != row["test"]["document"]["f1"]:
            raise InputError(
                f"The attacker {row['attacker']} of {row['setting']} reaches another F1 on originals than in the "
                "earlier results, so their rows cannot stand beside new ones: leave them out."
            )


def taken_over(earlier: Results, name: str, present: Sequence[str]) -> list[Row]:
    """Return the rows of some list about models that are not present now, marked."""
    return [row | {EARLIER: True} for row in earlier[name] if row["weights"] not in present]
