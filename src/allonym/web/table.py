"""A table of texts: taken into a private folder, looked at, protected column by column, and given back.

The file lies in a temporary folder that only this user can read, under a name of our own, until the person saves the
result, takes another table, forgets everything or closes the page. The work is that of `allonym anonymize`: chunk by
chunk, so that it can be stopped and gone on with without drawing a row twice.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from reprlib import Repr
from typing import Any, Literal

from allonym import names
from allonym.anonymizers.with_names import WithNames, carries_names
from allonym.budget.account import added, worded
from allonym.errors import AllonymError, BudgetError, InputError
from allonym.formats.base import TableFormat, storable, table_format
from allonym.formats.columns import look_like_names
from allonym.formats.files import open_documents
from allonym.formats.tables import shown
from allonym.jobs.execute import Options, Plan, execute, plan
from allonym.language import identification
from allonym.privacy import Guarantee
from allonym.privacy.statement import counted, number
from allonym.web import methods
from allonym.web.purse import Purse

SHOWN = (
    "name",
    "columns",
    "named",
    "rows",
    "state",
    "done",
    "total",
    "problem",
    "promise",
    "command",
    "ledger",
    "chosen",
)
PREVIEWED = 20
MOST_COLUMNS = 200
FIRST_ROW_NAMES = "names"
_UNNAMED = (
    "Names of columns are written to the result, and the first row of this table may be a text: say below that it "
    "holds names, or add a first row of names to the table and choose it again."
)
_COLUMNS = f"The table must have 1 to {MOST_COLUMNS} columns of different names; change its header."
_SHOWN = 120  # characters of a cell
_ROWS_AT_ONCE = 200  # what a stop may have to wait for


_SHORT = Repr()  # of a million values it looks at a few
_SHORT.maxlist = _SHORT.maxdict = 20
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = _SHOWN


class _Stopped(Exception):  # noqa: N818 - asked for, not a fault
    """The person pressed Stop."""


@dataclass(frozen=True)
class TableChoice:
    """Which columns, and how they are protected."""

    text: str
    author: str | None
    keep: list[str]
    protection: str
    position: int
    first_row: str | None = None  # FIRST_ROW_NAMES where the person says so
    names: Literal["keep", "mark", "replace"] | None = None  # what becomes of names that a method hands on


@dataclass
class UploadedTable:
    """One uploaded table and what became of it."""

    name: str  # what the person calls it; never used as a path
    folder: tempfile.TemporaryDirectory[str] = field(repr=False)
    source: Path = field(repr=False)
    columns: list[str]
    rows: list[list[str]] = field(repr=False)  # the first rows, cells cut short
    state: str = "ready"  # "ready", "running", "stopped", "done" or "failed"
    done: int = 0
    total: int = 0
    problem: str = ""  # what went wrong, in a sentence
    promise: str = ""  # what is promised for each document
    command: str = ""  # the command line that repeats it
    runs: int = 0  # how often it was begun
    ledger: str = ""  # what the ledger held when it was done, if one was named
    chosen: dict[str, Any] | None = None  # what the person chose last, so that a page loaded again shows it
    _purse: Purse | None = field(default=None, repr=False)
    _promised: list[Guarantee] = field(default_factory=list, repr=False)
    _job: Plan | None = field(default=None, repr=False)
    _stop: bool = field(default=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return what the page shows."""
        return {name: getattr(self, name) for name in SHOWN}

    @property
    def named(self) -> bool:
        """Whether the first row surely holds names of columns: they are written, and a text must not be."""
        return look_like_names(self.columns)

    def price(self, choice: TableChoice, purse: Purse | None) -> dict[str, str]:
        """Return what a choice would cost, and what the ledger would then hold; nothing is drawn or charged."""
        self.chosen = vars(choice)
        job = self._planned(choice)
        try:
            ledger = "" if purse is None else purse.foresee_job(job)
        except BudgetError as refusal:
            ledger = f"The ledger will refuse it: {refusal}"
        told = (_cost(job), _named(job), identification.of_texts(job.documents.first_texts()))
        return {"sentence": " ".join(filter(None, told)), "ledger": ledger}

    def start(self, choice: TableChoice, purse: Purse | None) -> None:
        """Say what will be done and promised; every error of the table shows here, before anything is drawn."""
        if self.state == "running":
            raise InputError("This table is being worked on; stop it first.")
        self.chosen = vars(choice)
        job = self._planned(choice)
        if purse is not None:
            purse.foresee_job(job)  # refuses at once what the charge would refuse
        self._job, self._purse = job, purse
        self.total, self.done, self.problem, self.ledger = job.count, 0, "", ""
        self.runs += 1
        self._promised.append(job.per_document)
        again = "" if self.runs == 1 else f" All runs together, on a document: {worded(added(self._promised), 'run')}"
        self.promise = f"{job.per_author or job.per_document}{again if purse is None else ''}"
        keep = [word for column in choice.keep for word in ("--keep", column)]
        options = [*(("--author", choice.author) if choice.author else ()), *keep]
        if choice.names is not None and choice.names != "keep":
            options += ["--names", choice.names]
        if purse is not None:
            options += ["--budget-db", purse.path.name, "--dataset", purse.dataset]
        line = methods.command(choice.protection, choice.position, f"YOUR{self.source.suffix}")
        self.command = f"{line} {shlex.join(['--text', choice.text, *options])}"
        self.state, self._stop = "running", False

    def _planned(self, choice: TableChoice) -> Plan:
        if not (self.named or choice.first_row == FIRST_ROW_NAMES):
            raise InputError(_UNNAMED)
        anonymizer = methods.anonymizer(choice.protection, choice.position)
        if choice.names is not None and choice.names != "keep":
            anonymizer = WithNames(inner=anonymizer, handling=choice.names)
        suffix = self.source.suffix
        if anonymizer.kind == "vectors" and suffix != ".parquet":
            suffix = ".csv"  # opens everywhere, and the words stand in it
        with _calling_it_the_file(self.source):
            return plan(
                anonymizer,
                open_documents(self.source, text=choice.text, author=choice.author, keep=choice.keep),
                out=Path(self.folder.name) / f"result-{choice.protection}-{choice.position}{suffix}",
                has_ids=False,
                has_authors=choice.author is not None,
                keep=tuple(choice.keep),
                repeatable=False,
                chunk_rows=_ROWS_AT_ONCE,
            )

    def go_on(self) -> None:
        """Take a stopped job up again."""
        if self._job is None or self.state not in ("stopped", "failed"):
            raise InputError("There is no job to resume; choose a column and start one.")
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

        opened = nullcontext() if self._purse is None else self._purse.account()
        try:
            with opened as account:
                execute(job, None, progress, Options(force=not resume, resume=resume, account=account))
            self.ledger = "" if self._purse is None else self._purse.told()
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
            raise InputError("The table is not finished; start it, or resume it.")
        return self._job.out

    def close(self) -> None:
        """Delete everything."""
        self.stop()
        with suppress(OSError):
            self.folder.cleanup()


def take(name: str, content: bytes) -> UploadedTable:
    """Take an uploaded file, or refuse what is no table that can be read."""
    kind = table_format(name)
    kind.check_size(content)
    folder = tempfile.TemporaryDirectory(prefix="allonym-table-")
    source = Path(folder.name) / f"table{Path(name).suffix.lower()}"
    source.write_bytes(content)
    try:
        with _calling_it_the_file(source):
            columns, rows = _preview(kind, source)
        if not 0 < len(columns) <= MOST_COLUMNS:
            raise InputError(_COLUMNS)
    except BaseException:
        folder.cleanup()
        raise
    return UploadedTable(name[:200], folder, source, columns, rows)


@contextmanager
def _calling_it_the_file(source: Path) -> Iterator[None]:
    """Keep a path of our own, which tells the person nothing, out of what goes wrong."""
    try:
        yield
    except InputError as error:
        raise InputError(str(error).replace(shown(source), "The file")) from None


def _cost(job: Plan) -> str:
    """Return the price of a table in a sentence."""
    promised, documents = job.per_document, counted(job.count, "document")
    if promised.loss_per_word is None:
        return f"Nothing is proved about {documents}: no loss can be stated, and afterwards no total."
    if promised.words is None:
        each = number(promised.loss_per_word)
        return f"This will cost ε ≤ {each} for each word of {documents}: words add up, and their number is not hidden."
    product = f"ε ≤ {number(promised.loss_per_word)} for each word × {promised.words:,} words"
    words = f"This will cost {product} = {number(promised.epsilon or 0.0)} for each of {documents}"
    if job.per_author is None or job.per_author.epsilon is None:
        return f"{words}."
    return f"{words}; {number(job.per_author.epsilon)} for the author with most of them."


def _named(job: Plan) -> str:
    """Say how many names and the like the first rows hold, where the method hands them on."""
    if not carries_names(job.anonymizer):
        return ""
    counts = names.NameCounts.of(job.documents.first_texts(), model=False)
    rows = f"{counts.holding:,} of the first {counted(counts.documents, 'row')}"
    return f"Found in {rows}: {counts}. {names.NO_PROOF}" if counts.holding else ""


def _preview(kind: TableFormat, source: Path) -> tuple[list[str], list[list[str]]]:
    """Return the columns and the first rows, cells cut short; no more than one whole row is held at a time."""
    rows: list[dict[str, str]] = []
    for record in islice(kind.preview(source), PREVIEWED):
        if len(record) > MOST_COLUMNS:
            raise InputError(_COLUMNS)
        rows.append({name: _cell(value) for name, value in record.items()})
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return columns, [[row.get(name, "") for name in columns] for row in rows]


def _cell(value: object) -> str:
    text = storable("" if value is None else value if isinstance(value, str) else _SHORT.repr(value))
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
