"""Read documents from every input format, in order and in bounded memory.

A document is a file (`.txt`, folder, standard input) or a row (`.csv`, `.jsonl`, `.parquet`).
Inputs are opened for reading only. What the formats share:

- Text is UTF-8, or what `encodings` detects or the user names; a byte order mark is dropped. A missing or null text is
  an empty document like any other.
- An id not asked for is the row's position as text, counted from 0; in a folder it is the relative path.
- Kept columns stay in the order of the input and keep their type; of categories only those that rows use are there.
  CSV cells stay text, exactly. A JSON column that mixes kinds or nests is kept as JSON text in a field marked with
  `traces.JSON_FIELD`, and `outputs` writes it back as it was. Kept JSON strings with a lone surrogate are refused,
  because no output format could hold them; in the text column they are fine.
- Blank lines in CSV and JSONL are not rows, as in pandas and Arrow.
- A row that cannot be read is an error, or, if asked for, marked: it counts, and has no text.
- In a folder, links that lead outside it and links to folders are not followed; `skipped` names them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from allonym.errors import InputError, ParameterError
from allonym.formats.base import Format, formats, table_suffixes
from allonym.formats.tables import EmptyInputError, Part, Roles, encodable, shown
from allonym.formats.tallies import HashTally
from allonym.language.words import name_key

if TYPE_CHECKING:
    import pyarrow as pa

_FIRST_TEXTS = 200
_FIRST_CHARACTERS = 200_000


@dataclass(frozen=True)
class DocumentBatch:
    """Some consecutive documents."""

    start: int  # position of the first document in the input, counted from 0
    ids: list[str]  # unique in the input by `words.name_key`
    texts: list[str]  # those from JSON may hold lone surrogates
    kept: pa.Table | None = None  # the columns to copy unchanged, when some were named
    authors: list[str] | None = None  # never written
    unreadable: tuple[int, ...] = ()  # places in the batch of rows that could not be read; their texts are empty

    def names(self) -> tuple[list[str], list[str] | None]:
        """Return the ids and the authors of the documents that could be read: of those alone anything is released.

        They are as names are compared (`text.name_key`), to be counted and charged, never to be shown.
        """
        out = set(self.unreadable)
        there = [row for row in range(len(self.texts)) if row not in out]
        ids = [name_key(self.ids[row]) for row in there]
        return ids, None if self.authors is None else [name_key(self.authors[row]) for row in there]


@dataclass(frozen=True)
class Documents:
    """An input that can be iterated any number of times, batch by batch."""

    source: str
    format: Format  # what reads it, and can write its like
    _parts: Callable[[int], Iterator[Part]] = field(repr=False)
    text: str | None = None  # name of the text column; None where there are no columns
    columns: tuple[str, ...] = ()  # the text column and the kept ones, in the order of the input
    named: bool = False  # whether the user named the text column; otherwise it was found
    skipped: tuple[str, ...] = ()  # links in a folder that were not followed, as relative paths
    said: tuple[str, ...] = ()  # what was found out and not asked for, in sentences for the owner
    batch_rows: int = 1024  # most documents in a batch

    def in_batches_of(self, rows: int) -> Documents:
        """Return the same documents in batches of at most so many."""
        if rows < 1:
            raise ParameterError(f"A batch must hold at least 1 document, got {rows}.")
        return replace(self, batch_rows=rows)

    def __iter__(self) -> Iterator[DocumentBatch]:
        start = 0
        seen = HashTally()
        try:
            for part in self._parts(self.batch_rows):
                if part.ids is None:
                    ids = [str(start + i) for i in range(len(part.texts))]
                else:
                    ids = self._checked_ids(part, part.ids)
                    self._refuse_repeated(ids, part.numbers, seen)
                authors = None if part.authors is None else ["" if a is None else str(a) for a in part.authors]
                yield DocumentBatch(start, ids, part.texts, part.kept, authors, part.unreadable)
                start += len(part.texts)
        except OSError as error:
            raise _unreadable(self.source, error) from error
        if start == 0:
            raise EmptyInputError(f"{shown(self.source)} holds no documents; give an input with at least one row.")

    def first_texts(self) -> Iterator[str]:
        """Yield the first texts, as many as are quickly looked at, so that something can be said before the work."""
        characters = 0
        for number, text in enumerate(text for batch in self for text in batch.texts):
            characters += len(text)
            if number and (number >= _FIRST_TEXTS or characters > _FIRST_CHARACTERS):
                return
            yield text

    def _place(self, number: int) -> str:
        return f"{shown(self.source)}, {self.format.counted_in} {number}"

    def _checked_ids(self, part: Part, ids: Sequence[object]) -> list[str]:
        """Return the ids as text; a row that cannot be read may have none."""
        out = set(part.unreadable)
        return [
            "" if row in out and value is None else self._checked_id(number, value)
            for row, (number, value) in enumerate(zip(part.numbers, ids, strict=True))
        ]

    def _checked_id(self, number: int, value: object) -> str:
        """Refuse an id that is missing or not a name."""
        if value is None or value == "":
            reason = "the id is empty; fill it in or leave out --id to number the rows"
        elif isinstance(value, bool) or not isinstance(value, str | int):
            reason = "the id is not text or a whole number; choose another --id column"
        elif not encodable(str(value)):
            reason = "the id holds a lone surrogate; repair it or choose another --id column"
        else:
            return str(value)
        raise InputError(f"{self._place(number)}: {reason}.")

    def _refuse_repeated(self, ids: Sequence[str], numbers: Sequence[int], seen: HashTally) -> None:
        """Refuse an id used before; 64-bit hashes take 16 bytes each, and mistake two of a million with odds 1e-7."""
        there = [row for row, identifier in enumerate(ids) if identifier]
        first = seen.add([name_key(ids[row]) for row in there])
        if first is not None and self.format.holds == "files":
            reason = "holds two files whose names differ in case, blanks or invisible signs only; rename one"
            raise InputError(f"{shown(self.source)} {reason}.")
        if first is not None:
            reason = "the id was used before (case and blanks around it do not count); make ids unique"
            raise InputError(f"{self._place(numbers[there[first]])}: {reason} or leave out --id.")


def open_documents(
    source: str | Path,
    *,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - named as the command line option
    author: str | None = None,
    keep: Sequence[str] = (),
    batch_rows: int = 1024,
    tolerant: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Documents:
    """Open an input and check its form; the rows are read on iteration, the first batch here too, so that errors show.

    Args:
        source: `-` for standard input, or a `.txt`, `.csv`, `.jsonl`, `.ndjson`, `.parquet` or folder.
        text: Column with the documents; may be left out when just one column holds text.
        id: Column with unique ids, text or whole numbers.
        author: Column with the writers.
        keep: Columns to copy to the output unchanged; never the text itself.
        batch_rows: Most documents in a batch; very long ones make it smaller.
        tolerant: Mark rows that cannot be read (`DocumentBatch.unreadable`) instead of refusing the input.
        delimiter: What stands between the cells of a `.csv`; by default what its first lines show.
        encoding: Of a `.csv` or `.txt`; by default what is detected.
    """
    return open_as(
        source, Roles(text, id, author, tuple(dict.fromkeys(keep)), tolerant, delimiter, encoding), batch_rows
    )


def open_as(source: str | Path, asked: Roles, batch_rows: int = 1024) -> Documents:
    """Open an input whose columns have these roles, as `open_documents` does."""
    if batch_rows < 1:
        raise ParameterError(f"batch_rows must be at least 1, got {batch_rows}.")
    try:
        documents = _open(source, asked, batch_rows).in_batches_of(batch_rows)
    except OSError as error:
        raise _unreadable(source, error) from error
    next(iter(documents))
    return documents


def _open(source: str | Path, asked: Roles, batch_rows: int) -> Documents:
    """Pick the format by the kind of path and its suffix."""
    if str(source) != "-" and not os.path.exists(source):
        raise InputError(f"{shown(source)} does not exist; check the path.")
    kind = next((kind for kind in formats().values() if kind.reads(source)), None)
    if kind is None:
        known = f".txt, {', '.join(table_suffixes())}, a folder of .txt files, or - for standard input"
        raise InputError(f"{shown(source)} is not an input this can read; give one of: {known}.")
    if kind.holds != "rows" and asked != Roles(tolerant=asked.tolerant, encoding=asked.encoding):
        raise InputError(f"{shown(source)} has no columns; leave out --text, --id, --author, --keep and --delimiter.")
    _refuse_idle(kind, asked)
    opened, named = kind.open(source, asked, batch_rows), asked.text is not None
    like, columns = opened.format or kind, opened.columns
    return Documents(str(source), like, opened.parts, opened.text, columns, named, opened.skipped, opened.said)


def _refuse_idle(kind: Format, asked: Roles) -> None:
    """Refuse a delimiter or an encoding where it would mean nothing."""
    for option, value in (("delimiter", asked.delimiter), ("encoding", asked.encoding)):
        if value is not None and option not in kind.takes:
            raise InputError(f"A file of the format {kind.name} has no use for --{option}; leave it out.")


def _unreadable(source: str | Path, error: OSError) -> InputError:
    name = error.filename if isinstance(error.filename, str) else source
    return InputError(f"{shown(name)} cannot be read ({error.strerror or 'input error'}); check its permissions.")
