"""A table in many files: a folder of Parquet, CSV or JSON-lines parts, read and written part by part.

The parts are one table, in the order of their names. A document's position, by which its noise is keyed, is its row
in that table; so a part gives the same output wherever and whenever it is done, and the same as in one file.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from allonym import disk
from allonym.anonymizers.base import Anonymizer
from allonym.errors import InputError
from allonym.formats.base import table_format, table_suffixes
from allonym.formats.files import DocumentBatch, Documents, open_as
from allonym.formats.parquet import write_parquet_tables
from allonym.formats.tables import EmptyInputError, Roles, shown
from allonym.formats.vectors import terms_table
from allonym.jobs.batches import OnError, Protected, protect
from allonym.jobs.chunks import Written
from allonym.jobs.engines import Answer, Engine, Shared
from allonym.randomness import OneRelease

_LOOKED_AT = 256  # parts, whose authors are in memory together
_FIRST_ROWS = 1024  # by which a table is opened


@dataclass(frozen=True)
class InputPart:
    """One file of a table and where its rows stand in the whole."""

    number: int  # which part, counted from 0
    path: str  # the file, at the same place on every machine
    start: int = 0  # position of its first row


def find_parts(source: str | Path) -> list[InputPart]:
    """Return the parts of a folder, or one file as its only part; names that begin with `_` or `.` are none."""
    path = Path(source)
    if path.is_file() and path.suffix.lower() in table_suffixes():
        return [InputPart(0, os.path.abspath(path))]
    if not path.is_dir():
        raise InputError(f"{shown(path)} is not a folder of parts; give a folder with .parquet, .csv or .jsonl files.")
    names = sorted(name for name in os.listdir(path) if not name.startswith(("_", ".")))
    suffixes = {Path(name).suffix.lower() for name in names}
    if len(suffixes) != 1 or not suffixes <= set(table_suffixes()):
        raise InputError(f"{shown(path)} must hold parts of one kind, all .parquet, all .csv or all .jsonl.")
    return [InputPart(number, os.path.abspath(path / name)) for number, name in enumerate(names)]


def open_part(part: InputPart, roles: Roles, rows: int) -> Documents | None:
    """Open a part; None if it has no rows, which is usual for what Spark writes."""
    try:
        return open_as(part.path, roles, rows)
    except EmptyInputError:
        return None


@dataclass(frozen=True)
class Look:
    """What a look at some documents found."""

    rows: int
    unreadable: Sequence[int] = ()  # places of rows that could not be read
    authors: Mapping[str, int] = field(default_factory=dict)  # how many each author wrote, where that is asked
    form: Sequence[object] = ()  # the columns, the text column and the format
    number: int = 0


@dataclass(frozen=True)
class InputParts:
    """A table in many files, and who works on them."""

    files: tuple[InputPart, ...]
    roles: Roles
    engine: Engine[InputPart]

    def looks(self, rows: int) -> Iterator[Look]:
        """Read every part once, so that every error in it shows before anything is spent."""
        form: Sequence[object] = ()
        for first in range(0, len(self.files), _LOOKED_AT):
            for answer in self._answers(_look, (self.roles, rows), self.files[first : first + _LOOKED_AT]):
                look = Look(**answer)
                form = form or look.form
                if look.form and look.form != form:
                    reason = "The parts do not have the same columns; make them alike, or name --text and --keep."
                    raise InputError(reason)
                yield look

    def digest(self, key: bytes) -> str:
        """Return a keyed digest of all parts."""
        return "-".join(answer["digest"][:32] for answer in self._answers(_Digest(key), None, self.files))

    def _answers(
        self, work: Callable[[Shared, InputPart], Answer], shared: Shared, files: Sequence[InputPart]
    ) -> list[Answer]:
        """Return the answers in the order of the parts."""
        return sorted(self.engine.map(work, shared, files), key=lambda answer: int(answer["number"]))

    def placed(self, starts: Sequence[int]) -> InputParts:
        """Return the parts with the position of the first row of each."""
        files = tuple(replace(part, start=start) for part, start in zip(self.files, starts, strict=True))
        return replace(self, files=files)


def open_parts(source: str | Path, roles: Roles, engine: Engine[InputPart]) -> tuple[Documents, InputParts]:
    """Open a table in parts; the documents tell its form, by its first part that has rows."""
    files = find_parts(source)
    opened = next(
        (documents for documents in (open_part(part, roles, _FIRST_ROWS) for part in files) if documents is not None),
        None,
    )
    if opened is None:
        raise InputError(f"{shown(source)} holds no documents; give an input with at least one row.")
    return replace(opened, source=str(source)), InputParts(tuple(files), roles, engine)


def _look(given: tuple[Roles, int], part: InputPart) -> Answer:
    roles, rows = given
    documents = open_part(part, roles, rows)
    count, unreadable, authors = 0, list[int](), Counter[str]()
    for batch in documents or ():
        count += len(batch.texts)
        unreadable += [batch.start + row for row in batch.unreadable]
        if roles.author is not None:
            authors.update(batch.names()[1] or ())
    form = [] if documents is None else [list(documents.columns), documents.text, documents.format.name]
    return {"rows": count, "unreadable": unreadable, "authors": dict(authors), "form": form, "number": part.number}


@dataclass(frozen=True)
class _Digest:
    key: bytes = field(repr=False)

    def __call__(self, _: None, part: InputPart) -> Answer:
        with open(part.path, "rb") as file:
            digest = hashlib.file_digest(file, lambda: hashlib.blake2b(key=self.key))
        return {"digest": digest.hexdigest(), "number": part.number}


@dataclass(frozen=True)
class PartMaker:
    """All that is needed to do any part; sent to every machine once."""

    anonymizer: Anonymizer
    roles: Roles
    rows: int  # most documents at a time
    on_error: OnError
    folder: str  # where finished parts go

    def make(self, part: InputPart, release: OneRelease) -> Written:
        """Protect a part and write it so that it is there whole, or not at all.

        Two machines may do this at once: what they write is the same, so it does not matter who is last.
        """
        documents = open_part(part, self.roles, self.rows)
        if documents is None:
            return Written(part.number, part.start, 0, (), "")
        done = list[tuple[int, tuple[int, ...]]]()  # of each batch its rows and those that failed

        def protected() -> Iterator[Protected]:
            for batch in documents:
                released = protect(self.anonymizer, self._placed(batch, part.start), release, self.on_error)
                done.append((len(batch.texts), released.failed))
                yield released

        with disk.whole(Path(self.folder) / part_name(part, self.anonymizer)) as draft:
            self._write(draft, documents, protected())
            digest = disk.digest(draft)
        failed = tuple(position for _, positions in done for position in positions)
        return Written(part.number, part.start, sum(rows for rows, _ in done), failed, digest)

    def _placed(self, batch: DocumentBatch, start: int) -> DocumentBatch:
        """Return a batch with its position in the whole table, which is also its id where it has no other."""
        first = batch.start + start
        ids = batch.ids if self.roles.id is not None else [str(first + i) for i in range(len(batch.texts))]
        return replace(batch, start=first, ids=ids, authors=None)

    def _write(self, path: Path, documents: Documents, done: Iterator[Protected]) -> None:
        if self.anonymizer.kind == "vectors":
            names = [str(term) for term in self.anonymizer.get_feature_names_out()]
            write_parquet_tables(path, (terms_table(released.terms(), names) for released in done))
            return
        documents.format.write(path, (released.batch for released in done), documents.text or "text", documents.columns)


def part_name(part: InputPart, anonymizer: Anonymizer) -> str:
    """Return the name of a finished part; names sort as the rows do."""
    suffix = "parquet" if anonymizer.kind == "vectors" else table_format(part.path).name
    return f"part-{part.number:08d}.{suffix}"
