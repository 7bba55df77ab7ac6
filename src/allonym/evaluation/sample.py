"""The part of a table that an evaluation looks at: which authors, which documents, and which to learn from.

Everything here follows from the table alone, so that the same table gives the same sample. Only the chosen texts are
held in memory.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from allonym.errors import InputError
from allonym.formats.authors import one_spelling
from allonym.formats.base import table_suffixes
from allonym.formats.files import Documents, open_documents
from allonym.formats.tables import shown

FEWEST_DOCUMENTS = 4  # of an author: three to learn from and one to be recognised by
MOST_AUTHORS = 50  # linear attackers hold a weight for each author and feature
MOST_DOCUMENTS = 10_000
TRAIN_SHARE = 0.7
MOST_TESTED = 50  # documents of an author: attackers know all the others
_PARTS = ("train", "test")


@dataclass(frozen=True)
class Sample:
    """Documents to evaluate on.

    Attributes:
        texts: The documents, in the order of the table.
        authors: Who wrote each, control characters escaped.
        labels: What each is about, where that is known.
        train: Whether attackers and analysts may learn from it; the others are for testing.
        rows: The row of each in the table, counted from 1.
        largest_author: Most documents of one author in the whole table.
        notes: What was left out, in sentences without names.
        released: What was made of each document elsewhere, by the name of the column.
    """

    texts: list[str] = field(repr=False)
    authors: list[str] = field(repr=False)
    labels: list[str] | None = field(repr=False)
    train: list[bool] = field(repr=False)
    rows: list[int] = field(repr=False)
    largest_author: int
    notes: tuple[str, ...] = ()
    released: dict[str, list[str]] = field(default_factory=dict, repr=False)

    def places(self, part: str) -> list[int]:
        """Return the places of the documents of "train" or "test"."""
        return [row for row, learned in enumerate(self.train) if learned == (part == "train")]

    def by_size(self) -> list[str]:
        """Return the authors, those with most documents first."""
        return [author for author, _ in Counter(self.authors).most_common()]


@dataclass(frozen=True)
class _Rows:
    """What is known of all rows, without their texts."""

    authors: list[str]
    labels: list[str] | None
    parts: list[str] | None
    released: dict[str, list[str]]


def read_sample(
    source: str | Path,
    *,
    text: str | None,
    author: str,
    label: str | None = None,
    split: str | None = None,
    released: Sequence[str] = (),
    max_authors: int = MOST_AUTHORS,
    max_documents: int = MOST_DOCUMENTS,
) -> Sample:
    """Read a table and choose what to evaluate on.

    Args:
        source: A `.csv`, `.jsonl` or `.parquet` file.
        text: Column with the texts; may be left out when just one holds text.
        author: Column with the authors.
        label: Column with the labels that an analyst would want to find.
        split: Column that says "train" or "test"; by default 70 % of each author's documents are learned from, and all
            but 50 where there are many.
        released: Columns with texts that were rewritten elsewhere.
        max_authors: Keep those with most documents.
        max_documents: Keep so many, of each author in proportion.

    Raises:
        InputError: The table cannot be read as asked, or is too small.
    """
    if Path(source).suffix.lower() not in table_suffixes():
        known = ", ".join(table_suffixes())
        raise InputError(f"{shown(source)} is not a table; give one of {known} with a column of authors.")
    keep = [column for column in (label, split, *released) if column is not None]
    documents = open_documents(source, text=text, author=author, keep=keep)
    rows = _read_rows(documents, label, split, released)
    by_author: dict[str, list[int]] = {}
    for position, name in enumerate(rows.authors):
        by_author.setdefault(name, []).append(position)
    largest = max(map(len, by_author.values()))
    chosen_authors, notes = _choose_authors(by_author, rows.parts, max_authors)
    chosen = _choose_documents(chosen_authors, rows.parts, max_documents, notes)
    train = _trained(chosen, rows.parts)
    positions = sorted(train)
    if all(train.values()):
        raise InputError("There is no document to test on; mark some as test, or leave out --split.")
    return Sample(
        _texts(documents, set(positions)),
        [rows.authors[position] for position in positions],
        None if rows.labels is None else [rows.labels[position] for position in positions],
        [train[position] for position in positions],
        [position + 1 for position in positions],
        largest,
        tuple(notes),
        {column: [texts[position] for position in positions] for column, texts in rows.released.items()},
    )


def _read_rows(documents: Documents, label: str | None, split: str | None, released: Sequence[str]) -> _Rows:
    authors: list[str] = []
    columns: dict[str, list[str]] = {name: [] for name in (label, split, *released) if name is not None}
    for batch in documents:
        authors += map(shown, batch.authors or [])  # NumPy would cut zero bytes off a name
        for name, values in columns.items():
            cells = [] if batch.kept is None else batch.kept.column(name).to_pylist()
            values += ["" if cell is None else str(cell) for cell in cells]
    for what, values in (("author", authors), ("label", columns[label] if label is not None else [])):
        missing = values.count("")
        if missing:
            rows = "1 row has" if missing == 1 else f"{missing:,} rows have"
            raise InputError(f"{shown(documents.source)}: {rows} no {what}; fill the column in or leave them out.")
    authors = one_spelling(authors)
    parts = None if split is None else columns[split]
    strange = sum(part not in _PARTS for part in parts or ())
    if strange:
        rows = "1 row says" if strange == 1 else f"{strange:,} rows say"
        raise InputError(f"{shown(documents.source)}: {rows} neither train nor test in the column of --split.")
    return _Rows(authors, None if label is None else columns[label], parts, {name: columns[name] for name in released})


def _choose_authors(
    by_author: dict[str, list[int]], parts: list[str] | None, most: int
) -> tuple[list[list[int]], list[str]]:
    """Return the documents of each author that can be evaluated on, and what was left out."""
    notes = []
    enough = [positions for positions in by_author.values() if len(positions) >= FEWEST_DOCUMENTS]
    if len(enough) < len(by_author):
        left_out = len(by_author) - len(enough)
        notes.append(f"Authors left out, because they have fewer than {FEWEST_DOCUMENTS} documents: {left_out:,}.")
    if parts is not None:
        learnt = [positions for positions in enough if any(parts[position] == "train" for position in positions)]
        if len(learnt) < len(enough):
            notes.append(
                f"Authors left out, because none of their documents is for training: {len(enough) - len(learnt):,}."
            )
        enough = learnt
    if len(enough) < 2:
        raise InputError(
            f"An evaluation needs two authors with {FEWEST_DOCUMENTS} documents each at least, and this table has "
            f"{len(enough)}; add documents."
        )
    chosen = sorted(enough, key=len, reverse=True)[:most]
    if len(chosen) < len(enough):
        notes.append(
            f"A sample: of {len(enough):,} authors, only the {len(chosen):,} with most documents are looked at "
            "(--max-authors)."
        )
    return chosen, notes


def _choose_documents(
    by_author: list[list[int]], parts: list[str] | None, most: int, notes: list[str]
) -> list[list[int]]:
    """Return at most so many documents, of each author in proportion, those of an author in the order of a digest."""
    if most < FEWEST_DOCUMENTS * len(by_author):
        raise InputError(
            f"--max-documents must leave {FEWEST_DOCUMENTS} documents to each of {len(by_author)} authors; "
            f"give at least {FEWEST_DOCUMENTS * len(by_author)}, or lower --max-authors."
        )
    ordered = [_shuffled(positions, parts) for positions in by_author]
    ranked = [
        (rank >= FEWEST_DOCUMENTS, (rank + 0.5) / len(positions), author, rank)
        for author, positions in enumerate(ordered)
        for rank in range(len(positions))
    ]
    if most < len(ranked):
        notes.append(
            f"A sample: of {len(ranked):,} documents, {most:,} are looked at, of each author in proportion "
            "(--max-documents)."
        )
    counts = Counter(author for _, _, author, _ in sorted(ranked)[:most])
    return [positions[: counts[author]] for author, positions in enumerate(ordered)]


def _shuffled(positions: Sequence[int], parts: list[str] | None) -> list[int]:
    """Return an author's documents by a digest of their position; training and test ones mixed in proportion."""
    by_digest = sorted(positions, key=lambda position: hashlib.blake2b(str(position).encode()).digest())
    if parts is None:
        return by_digest
    places: dict[int, float] = {}
    for part in _PARTS:
        members = [position for position in by_digest if parts[position] == part]
        places |= {position: (rank + 0.5) / len(members) for rank, position in enumerate(members)}
    return sorted(by_digest, key=places.__getitem__)


def _trained(by_author: list[list[int]], parts: list[str] | None) -> dict[int, bool]:
    """Say of each document whether it is learned from; of an author some are and some are not."""
    if parts is not None:
        return {position: parts[position] == "train" for positions in by_author for position in positions}
    train: dict[int, bool] = {}
    for positions in by_author:
        learned = min(len(positions) - 1, max(1, round(TRAIN_SHARE * len(positions)), len(positions) - MOST_TESTED))
        train |= {position: rank < learned for rank, position in enumerate(positions)}
    return train


def _texts(documents: Documents, wanted: set[int]) -> list[str]:
    return [text for batch in documents for position, text in enumerate(batch.texts, batch.start) if position in wanted]
