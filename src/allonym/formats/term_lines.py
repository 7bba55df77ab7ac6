"""Term vectors as CSV with a line for each word of a document: its id, the kept columns, the word and its count.

A table with a column for each word (`term_columns`) has more columns than spreadsheets open once there are some
hundred documents; this one has as many as people look at, and any program can turn the one into the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from allonym.formats.csv import FORMAT as CSV
from allonym.formats.lines import values_of

if TYPE_CHECKING:
    from allonym.formats.vectors import TermRows

ENDING: Final = ".lines.csv"
WORD: Final = "word"
COUNT: Final = "count"


def write_term_lines(path: Path, parts: Callable[[], Iterable[TermRows]], vocabulary: Sequence[str]) -> None:
    """Write the counts, words of a row in the order of the vocabulary."""
    with path.open("w", encoding="utf-8", newline="") as file:
        header = False
        for part in parts():
            if not header:
                names = [] if part.kept is None else part.kept.column_names
                file.write(CSV.header(["id", *names, WORD, COUNT]))
                header = True
            beside: Iterable[tuple[Any, ...]] = [()] * len(part.ids) if part.kept is None else values_of(part.kept)
            starts = part.matrix.indptr
            for number, (name, values) in enumerate(zip(part.ids, beside, strict=True)):
                entries = slice(starts[number], starts[number + 1])
                pairs = zip(part.matrix.indices[entries], part.matrix.data[entries], strict=True)
                file.writelines(CSV.header([name, *values, vocabulary[term], str(count)]) for term, count in pairs)
        if not header:
            file.write(CSV.header(["id", WORD, COUNT]))
