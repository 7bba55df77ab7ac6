"""A table of texts: taken into a private folder, looked at, protected column by column, and given back.

The file lies in a temporary folder that only this user can read, under a name of our own, until the person saves the
result, takes another table, forgets everything or closes the page. The work is that of `allonym anonymize`: chunk by
chunk, so that it can be stopped and gone on with without drawing a row twice.
"""

from __future__ import annotations

import csv
import json
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from allonym.errors import AllonymError, InputError
from allonym.jobs.files import open_documents
from allonym.jobs.outputs import privacy_path
from allonym.jobs.run import Options, Plan, execute, plan
from allonym.web import methods

SUFFIXES = (".csv", ".jsonl", ".ndjson", ".parquet")
PREVIEWED = 20
MOST_COLUMNS = 200
_SHOWN = 120  # characters of a cell
_ROWS_AT_ONCE = 200  # what a stop may have to wait for


class _Stopped(Exception):  # noqa: N818 - asked for, not a fault
    """The person pressed Stop."""


@dataclass
class Table:
    """One uploaded table and what became of it.

    Attributes:
        name: What the person calls it; never used as a path.
        folder: Where it lies.
        source: The file.
        columns: Its columns.
        rows: The first rows, cells cut short.
        state: "ready", "running", "stopped", "done" or "failed".
        done: Rows done.
        total: All rows.
        problem: What went wrong, in a sentence.
        promise: What is promised for each document.
        command: The command line that repeats it.
        runs: How often it was begun.
    """

    name: str
    folder: tempfile.TemporaryDirectory[str] = field(repr=False)
    source: Path = field(repr=False)
    columns: list[str]
    rows: list[list[str]] = field(repr=False)
    state: str = "ready"
    done: int = 0
    total: int = 0
    problem: str = ""
    promise: str = ""
    command: str = ""
    runs: int = 0
    _job: Plan | None = field(default=None, repr=False)
    _stop: bool = field(default=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return what the page shows."""
        shown = ("name", "columns", "rows", "state", "done", "total", "problem", "promise", "command")
        return {name: getattr(self, name) for name in shown}

    def start(self, *, text: str, author: str | None, keep: list[str], method: str, position: int) -> None:
        """Say what will be done and promised; every error of the table shows here, before anything is drawn."""
        if self.state == "running":
            raise InputError("This table is being worked on; stop it first.")
        anonymizer = methods.anonymizer(method, position)
        documents = open_documents(self.source, text=text, author=author, keep=keep)
        suffix = ".npz" if anonymizer.kind == "vectors" else self.source.suffix
        out = Path(self.folder.name) / f"result-{method}-{position}{suffix}"
        self._job = plan(
            anonymizer,
            documents,
            out=out,
            has_ids=False,
            has_authors=author is not None,
            keep=tuple(keep),
            repeatable=False,
            chunk_rows=_ROWS_AT_ONCE,
        )
        self.total, self.done, self.problem = self._job.count, 0, ""
        self.runs += 1
        again = "" if self.runs == 1 else f" It was drawn {self.runs} times here, and losses add up."
        self.promise = f"{self._job.per_author or self._job.per_document}{again}"
        options = [*(("--author", author) if author else ()), *(word for one in keep for word in ("--keep", one))]
        line = methods.command(method, position, f"YOUR{self.source.suffix}")
        self.command = f"{line} {shlex.join(['--text', text, *options])}"
        self.state, self._stop = "running", False

    def go_on(self) -> None:
        """Take a stopped job up again."""
        if self._job is None or self.state not in ("stopped", "failed"):
            raise InputError("There is nothing to go on with; start with a column.")
        self.state, self.done, self._stop, self.problem = "running", 0, False, ""

    def stop(self) -> None:
        """Stop after the rows at hand."""
        self._stop = True

    def work(self, *, resume: bool) -> None:
        """Do the job; for a worker, so failures are kept, not raised."""
        job = self._job
        if job is None:
            return

        def progress(rows: int) -> None:
            self.done += rows
            if self._stop and self.done < self.total:
                raise _Stopped

        try:
            execute(job, None, progress, Options(force=not resume, resume=resume))
            self.state = "done"
        except _Stopped:
            self.state = "stopped"
        except AllonymError as error:
            self.state, self.problem = "failed", str(error)
        except Exception as error:  # its message may hold text, so only its kind is told
            self.state, self.problem = "failed", f"The job failed ({type(error).__name__}); try other columns."

    def result(self) -> Path:
        """Return the finished file."""
        if self._job is None or self._job.out is None or self.state != "done":
            raise InputError("The table is not finished; start it, or go on with it.")
        return self._job.out

    def promise_file(self) -> Path:
        """Return the guarantee beside it."""
        return privacy_path(self.result())

    def close(self) -> None:
        """Delete everything."""
        self.stop()
        with suppress(OSError):
            self.folder.cleanup()


def take(name: str, content: bytes) -> Table:
    """Take an uploaded file.

    Raises:
        InputError: It is no table that can be read.
    """
    suffix = Path(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"This is not a table that can be read; give one of {', '.join(SUFFIXES)}.")
    folder = tempfile.TemporaryDirectory(prefix="allonym-table-")
    source = Path(folder.name) / f"table{suffix}"
    source.write_bytes(content)
    try:
        columns, rows = _preview(source)
        if not columns or len(columns) > MOST_COLUMNS or len(set(columns)) < len(columns):
            raise InputError(f"The table must have 1 to {MOST_COLUMNS} columns of different names; change its header.")
    except (ValueError, OSError, csv.Error, AllonymError, KeyError, RecursionError) as error:
        folder.cleanup()
        if isinstance(error, AllonymError):
            raise
        raise InputError("The file cannot be read as a table; check that its name fits what it holds.") from None
    return Table(name[:200], folder, source, columns, rows)


def _preview(source: Path) -> tuple[list[str], list[list[str]]]:
    """Return the columns and the first rows, cells cut short."""
    found = list(islice(_records(source), PREVIEWED))
    columns = list(dict.fromkeys(name for record in found for name in record))
    return columns, [[_cell(record.get(name)) for name in columns] for record in found]


def _records(source: Path) -> Iterator[dict[str, Any]]:
    if source.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            for batch in pq.ParquetFile(source).iter_batches(batch_size=PREVIEWED):
                yield from batch.to_pylist()
        except pa.ArrowException:
            raise InputError("The file cannot be read as Parquet; save it again.") from None
        return
    with open(source, encoding="utf-8-sig", newline="") as file:
        if source.suffix == ".csv":
            for row in csv.DictReader(file, restkey="", restval=""):
                yield {str(name): cell for name, cell in row.items() if name}
            return
        for line in file:
            if line.strip():
                record = json.loads(line)
                if not isinstance(record, dict):
                    raise InputError("A line of the file is not a JSON object; write one object a line.")
                yield {str(name): cell for name, cell in record.items()}


def _cell(value: object) -> str:
    text = "" if value is None else value if isinstance(value, str) else str(value)
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
