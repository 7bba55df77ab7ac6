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
    words = [_opening([word]) for word in vocabulary]  # once, and not in every line
    with path.open("w", encoding="utf-8", newline="") as file:
        header = False
        for part in parts():
            if not header:
                names = [] if part.kept is None else part.kept.column_names
                file.write(CSV.header(["id", *names, WORD, COUNT]))
                header = True
            beside: Iterable[tuple[Any, ...]] = [()] * len(part.ids) if part.kept is None else values_of(part.kept)
            starts, terms, counts = (
                part.matrix.indptr.tolist(),
                part.matrix.indices.tolist(),
                part.matrix.data.tolist(),
            )
            for number, (name, values) in enumerate(zip(part.ids, beside, strict=True)):
                first = _opening([name, *values])
                entries = range(starts[number], starts[number + 1])
                file.writelines(f"{first}{words[terms[entry]]}{counts[entry]}\n" for entry in entries)
        if not header:
            file.write(CSV.header(["id", WORD, COUNT]))


def _opening(cells: Sequence[Any]) -> str:
    """Return cells as they stand in a line, with the comma before the next one."""
    return CSV.header([*cells, "0"]).removesuffix("0\n")
