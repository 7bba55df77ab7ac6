"""ER-AE on the protocol of `ten_reviewers`.

Released texts are read in the protocol's form (lower case, blanks around marks): the layout of ours is a function of
the drawn words alone, and would only disarm attackers who learned from originals.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from allonym.attackers.features import TOKEN
from allonym.papers.erae.methods import erae
from allonym.papers.erae.runs import Row
from allonym.papers.ten_reviewers import SEED, Reviews, read_reviews


@cache
def _reviews(data: Path) -> Reviews:
    return read_reviews(data)


def row(data: Path, name: str, parameters: dict[str, Any] | None) -> Row:
    """Return the row of ER-AE with these parameters, or of the originals without any."""
    reviews = _reviews(data)
    if parameters is None:
        return {"method": "original", "loss_per_word": None, "in_clear": [], **reviews.row(None)}
    method = erae(name, parameters)
    released = [in_protocol(text) for text in method.release(reviews.texts, SEED)]
    about = {"method": name, "loss_per_word": method.loss_per_word, "in_clear": list(method.in_clear)}
    return {**about, **reviews.row(released)}


def results(data: Path, rows: Sequence[Row]) -> Row:
    """Return all rows, with what they are of."""
    return {**_reviews(data).about(), "rows": list(rows)}


def in_protocol(text: str) -> str:
    """Return a text in lower case, with a blank around every mark."""
    return " ".join(TOKEN.findall(text.lower()))
