"""Read documents from every input format, in order and in bounded memory.

A document is a file (`.txt`, folder, standard input) or a row (`.csv`, `.jsonl`, `.parquet`).
Inputs are opened for reading only. What the formats share:

- Text is UTF-8; a byte order mark is dropped. A missing or null text is an empty document like any other.
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
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

from allonym.errors import InputError, ParameterError
from allonym.formats.lines import open_csv, open_jsonl
from allonym.formats.tables import (
    DamagedRowError,
    EmptyInputError,
    Part,
    Roles,
    batched,
    decoded,
    encodable,
    open_parquet,
    shown,
)
from allonym.formats.tallies import HashTally
from allonym.language.words import name_key

if TYPE_CHECKING:
    import pyarrow as pa

Format = Literal["stdin", "text", "folder", "csv", "jsonl", "parquet"]


@dataclass(frozen=True)
class DocumentBatch:
    """Some consecutive documents.

    Attributes:
        start: Position of the first document in the input, counted from 0.
        ids: One id a document, unique in the input by `text.name_key`.
        texts: One text a document; texts from JSON may hold lone surrogates.
        kept: The columns to copy unchanged, when some were named.
        authors: The author column as text, when one was named; `outputs` never writes it.
        unreadable: Places in the batch of rows that could not be read; their texts are empty.
    """

    start: int
    ids: list[str]
    texts: list[str]
    kept: pa.Table | None = None
    authors: list[str] | None = None
    unreadable: tuple[int, ...] = ()

    def names(self) -> tuple[list[str], list[str] | None]:
        """Return the ids and the authors of the documents that could be read: of those alone anything is released.

        They are as names are compared (`text.name_key`), to be counted and charged, never to be shown.
        """
        out = set(self.unreadable)
        there = [place for place in range(len(self.texts)) if place not in out]
        ids = [name_key(self.ids[place]) for place in there]
        return ids, None if self.authors is None else [name_key(self.authors[place]) for place in there]


@dataclass(frozen=True)
class Documents:
    """An input that can be iterated any number of times, batch by batch.

    Attributes:
        source: The input as given.
        format: Which reader reads it.
        text: Name of the text column; None where there are no columns.
        columns: The text column and the kept ones, in the order of the input.
        named: Whether the user named the text column; otherwise it was found.
        skipped: Links in a folder that were not followed, as relative paths.
        batch_rows: Most documents in a batch.
    """

    source: str
    format: Format
    _parts: Callable[[int], Iterator[Part]] = field(repr=False)
    text: str | None = None
    columns: tuple[str, ...] = ()
    named: bool = False
    skipped: tuple[str, ...] = ()
    batch_rows: int = 1024

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

    def validate(self) -> int:
        """Read everything once, so that every input error shows before privacy is spent.

        Returns:
            The number of documents.
        """
        return sum(len(batch.texts) for batch in self)

    def _place(self, number: int) -> str:
        return f"{shown(self.source)}, {'row' if self.format == 'parquet' else 'line'} {number}"

    def _checked_ids(self, part: Part, ids: Sequence[object]) -> list[str]:
        """Return the ids as text; a row that cannot be read may have none."""
        out = set(part.unreadable)
        return [
            "" if place in out and value is None else self._checked_id(number, value)
            for place, (number, value) in enumerate(zip(part.numbers, ids, strict=True))
        ]

    def _checked_id(self, number: int, value: object) -> str:
        """Refuse an id that is missing or not a name."""
        if value is None or value == "":
            reason = "the id is empty; fill it in or leave out --id to number the rows"
            raise InputError(f"{self._place(number)}: {reason}.")
        if isinstance(value, bool) or not isinstance(value, str | int):
            reason = "the id is not text or a whole number; choose another --id column"
            raise InputError(f"{self._place(number)}: {reason}.")
        identifier = str(value)
        if not encodable(identifier):
            reason = "the id holds a lone surrogate; repair it or choose another --id column"
            raise InputError(f"{self._place(number)}: {reason}.")
        return identifier

    def _refuse_repeated(self, ids: Sequence[str], numbers: Sequence[int], seen: HashTally) -> None:
        """Refuse an id used before; 64-bit hashes take 16 bytes each, and mistake two of a million with odds 1e-7."""
        there = [place for place, identifier in enumerate(ids) if identifier]
        first = seen.add([name_key(ids[place]) for place in there])
        if first is not None and self.format == "folder":
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
) -> Documents:
    """Open an input and check its form; the rows are read on iteration.

    Args:
        source: `-` for standard input, or a `.txt`, `.csv`, `.jsonl`, `.ndjson`, `.parquet` or folder.
        text: Column with the documents; may be left out when just one column holds text.
        id: Column with unique ids, text or whole numbers.
        author: Column with the writers.
        keep: Columns to copy to the output unchanged; never the text itself.
        batch_rows: Most documents in a batch; very long ones make it smaller.
        tolerant: Mark rows that cannot be read (`DocumentBatch.unreadable`) instead of refusing the input.

    Returns:
        The documents. The first batch has been read once, so most errors show here.

    Raises:
        InputError: The input cannot be read as asked.
        ParameterError: `batch_rows` is below 1.
    """
    if batch_rows < 1:
        raise ParameterError(f"batch_rows must be at least 1, got {batch_rows}.")
    asked = Roles(text, id, author, tuple(dict.fromkeys(keep)), tolerant)
    try:
        documents = _open(source, asked, batch_rows).in_batches_of(batch_rows)
    except OSError as error:
        raise _unreadable(source, error) from error
    next(iter(documents))
    return documents


def _open(source: str | Path, asked: Roles, batch_rows: int) -> Documents:
    """Pick the reader by the kind of path and its suffix."""
    path = Path(source)
    suffix = path.suffix.lower()
    if str(source) != "-" and not os.path.exists(path):
        raise InputError(f"{shown(path)} does not exist; check the path.")
    if str(source) == "-" or path.is_dir() or (path.is_file() and suffix == ".txt"):
        if asked != Roles(tolerant=asked.tolerant):
            raise InputError(f"{shown(path)} has no columns; leave out --text, --id, --author and --keep.")
        return _open_untabled(source, asked.tolerant)
    name: Format
    if path.is_file() and suffix == ".csv":
        name, table = "csv", open_csv(path, asked, batch_rows)
    elif path.is_file() and suffix in {".jsonl", ".ndjson"}:
        name, table = "jsonl", open_jsonl(path, asked, batch_rows)
    elif path.is_file() and suffix == ".parquet":
        name, table = "parquet", open_parquet(path, asked)
    else:
        known = ".txt, .csv, .jsonl, .ndjson, .parquet, a folder of .txt files, or - for standard input"
        raise InputError(f"{shown(path)} is not an input this can read; give one of: {known}.")
    return Documents(str(source), name, table.parts, table.text, table.columns, asked.text is not None)


def _open_untabled(source: str | Path, tolerant: bool) -> Documents:
    """Open standard input, a text file or a folder of them."""
    path = Path(source)
    if str(source) == "-":
        # Read now: a pipe cannot be read twice, and it is one document anyway.
        content = decoded("standard input", sys.stdin.buffer.read())
        return Documents("-", "stdin", lambda _: iter([Part([content], [1])]))
    if not path.is_dir():
        return Documents(str(source), "text", lambda _: iter([Part([decoded(path, path.read_bytes())], [1])]))
    names, skipped = _text_files(path)
    if not names:
        raise InputError(f"{shown(path)} holds no .txt files; give a folder with at least one.")

    def parts(batch_rows: int) -> Iterator[Part]:
        texts = ((name, _file_text(path / name, tolerant)) for name in names)
        rows = ((number, len(text or ""), (name, text)) for number, (name, text) in enumerate(texts, 1))
        for numbers, pairs in batched(rows, batch_rows):
            unreadable = tuple(place for place, (_, text) in enumerate(pairs) if text is None)
            yield Part([text or "" for _, text in pairs], numbers, [name for name, _ in pairs], unreadable=unreadable)

    return Documents(str(source), "folder", parts, skipped=skipped)


def _file_text(path: Path, tolerant: bool) -> str | None:
    """Return the text of a file of a folder; None if it is not UTF-8 and that is to be told, not refused."""
    try:
        return decoded(path, path.read_bytes())
    except InputError as error:
        if not tolerant:
            raise DamagedRowError(str(error)) from None
        return None


def _text_files(folder: Path) -> tuple[list[str], tuple[str, ...]]:
    """Relative paths of the text files to read, and of the links left alone, both sorted."""
    root = folder.resolve()
    found: list[str] = []
    skipped: list[str] = []
    for parent, folders, names in os.walk(folder, onerror=_raise):
        for name in [*folders, *names]:
            path = Path(parent, name)
            relative = path.relative_to(folder).as_posix()
            is_text = path.suffix.lower() == ".txt"
            if path.is_symlink() and (path.is_dir() or (is_text and not path.resolve().is_relative_to(root))):
                skipped.append(relative)
            elif is_text and path.is_file():
                if not encodable(relative):
                    raise InputError(f"{shown(path)} has a name that is not UTF-8; rename it.")
                found.append(relative)
    return sorted(found), tuple(sorted(skipped))


def _raise(error: OSError) -> NoReturn:
    """Make `os.walk` report a folder it cannot list instead of skipping it."""
    raise error


def _unreadable(source: str | Path, error: OSError) -> InputError:
    name = error.filename if isinstance(error.filename, str) else source
    return InputError(f"{shown(name)} cannot be read ({error.strerror or 'input error'}); check its permissions.")
