"""Corpora for experiments: a path in, a table out. Nothing is downloaded, and no text is shipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from allonym.errors import InputError


@dataclass(frozen=True)
class Corpus:
    """Documents with what is known about them.

    Attributes:
        name: For tables and figures.
        texts: The documents.
        labels: What an honest analyst wants to know of each: its topic or rating.
        train: Whether each belongs to the training part.
        authors: Who wrote each.
    """

    name: str
    texts: list[str]
    labels: list[str]
    train: list[bool]
    authors: list[str]

    def only(self, rows: Sequence[int], *, characters: int) -> Corpus:
        """Return these documents, in this order, each cut after so many characters."""
        return Corpus(
            self.name,
            [self.texts[row][:characters] for row in rows],
            [self.labels[row] for row in rows],
            [self.train[row] for row in rows],
            [self.authors[row] for row in rows],
        )


def columns(path: Path, names: list[str]) -> list[list[object]]:
    """Return columns of a Parquet file of the corpus folder."""
    import pyarrow.parquet as pq

    if not path.exists():
        raise InputError(f"{path.name} is not in the data folder; name the folder that holds it with --data.")
    missing = sorted(set(names) - set(pq.read_schema(path).names))
    if missing:
        raise InputError(
            f"{path.name} has no column {', '.join(missing)}; it is not the corpus this experiment is about."
        )
    table = pq.read_table(path, columns=names)
    return [table[name].to_pylist() for name in names]
