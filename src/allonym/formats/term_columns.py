"""Term vectors as CSV: a row a document, a column for each word that occurs in any of them.

Which words those are is a function of what was released, so the columns tell nothing more than the counts do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from allonym.formats.csv import FORMAT as CSV
from allonym.formats.lines import values_of

if TYPE_CHECKING:
    from allonym.formats.vectors import TermRows

WORD_COLUMN = "word_"  # before each word, so that none is taken for a column of the input


def write_columns(path: Path, parts: Callable[[], Iterable[TermRows]], vocabulary: Sequence[str]) -> None:
    """Write the counts; the parts are gone through twice, as the header must name all words."""
    import numpy as np

    occurs = np.zeros(len(vocabulary), bool)
    copied: list[str] = []
    for part in parts():
        occurs[part.matrix.indices] = True
        copied = [] if part.kept is None else list(part.kept.column_names)
    columns = np.flatnonzero(occurs).tolist()
    column_of = np.cumsum(occurs) - 1
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(CSV.header(["id", *copied, *(f"{WORD_COLUMN}{vocabulary[column]}" for column in columns)]))
        for part in parts():
            beside: Iterable[tuple[Any, ...]] = [()] * len(part.ids) if part.kept is None else values_of(part.kept)
            rows = part.matrix.indptr
            for number, (name, values) in enumerate(zip(part.ids, beside, strict=True)):
                counts = ["0"] * len(columns)
                entries = slice(rows[number], rows[number + 1])
                for column, count in zip(part.matrix.indices[entries], part.matrix.data[entries], strict=True):
                    counts[column_of[column]] = str(count)
                file.write(CSV.header([name, *values, *counts]))
