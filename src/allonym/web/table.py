"""A table of texts: protected column by column, chunk by chunk, and given back.

The work is that of `allonym anonymize`, so it can be stopped and gone on with without drawing a row twice. The file
lies in a private folder (`arrival`) until the person saves the result, takes another table, forgets everything or
closes the page.
"""

from __future__ import annotations

import shlex
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from allonym import names
from allonym.anonymizers.with_names import WithNames, carries_names
from allonym.budget.account import Totals, added, worded
from allonym.errors import AllonymError, BudgetError, InputError
from allonym.formats.columns import Guess, guessed, look_like_names
from allonym.formats.files import open_documents
from allonym.formats.term_lines import ENDING
from allonym.jobs import forecast
from allonym.jobs.execute import Options, Plan, execute, plan
from allonym.jobs.forecast import Pace
from allonym.language import identification
from allonym.privacy import Guarantee
from allonym.privacy.statement import counted, number
from allonym.web import arrival, methods
from allonym.web.arrival import Arrival
from allonym.web.purse import Purse

SHOWN = (
    "name",
    "columns",
    "named",
    "rows",
    "count",
    "guess",
    "state",
    "done",
    "total",
    "problem",
    "promise",
    "command",
    "ledger",
    "chosen",
    "quote",
)
_OF_ARRIVAL = ("name", "columns", "rows", "count")
FIRST_ROW_NAMES = "names"
COUNTS_AS = ("csv", "parquet")
_UNNAMED = (
    "Names of columns are written to the result, and the first row of this table may be a text: say below that it "
    "holds names, or add a first row of names to the table and choose it again."
)
_CHUNK_S = 2.0  # how long a chunk of rows may take: the bar moves as often, and a stop waits as long
_MOST_AT_ONCE = 2_000  # rows
_UNTRIED = 200  # rows at once where no pace is known
_ID = "id"  # a column that counts of words have by themselves


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
    counts_as: Literal["csv", "parquet"] | None = None  # how counts of words are written


@dataclass(frozen=True)
class Quote:
    """What a choice would cost and how long it would take, as far as that is known."""

    looking: bool = False  # whether more will be known soon
    sentence: str = ""  # the price
    notes: str = ""  # what else to know beforehand: names that would be handed on, another language
    ledger: str = ""  # what the ledger would then hold, or that it refuses
    forecast: str = ""  # how long it would take
    problem: str = ""  # why it cannot be done

    def to_json(self) -> dict[str, Any]:
        """Return everything by name."""
        return asdict(self)


@dataclass
class UploadedTable:
    """One uploaded table and what became of it."""

    arrived: Arrival
    state: str = "ready"  # "ready", "checking", "running", "stopped", "done" or "failed"
    done: int = 0
    total: int = 0
    problem: str = ""  # what went wrong, in a sentence
    promise: str = ""  # what is promised for each document
    command: str = ""  # the command line that repeats it
    runs: int = 0  # how often it was begun
    ledger: str = ""  # what the ledger held when it was done, if one was named
    chosen: dict[str, Any] | None = None  # what the person chose last, so that a page loaded again shows it
    _asked: TableChoice | None = field(default=None, repr=False)
    _quote: Quote = field(default_factory=Quote, repr=False)
    _tried: tuple[TableChoice, Pace] | None = field(default=None, repr=False)  # how quick it is, and with what
    _purse: Purse | None = field(default=None, repr=False)
    _promised: list[Guarantee] = field(default_factory=list, repr=False)
    _begun: TableChoice | None = field(default=None, repr=False)
    _job: Plan | None = field(default=None, repr=False)
    _former: str = field(default="ready", repr=False)  # the state before it was checked
    _stop: bool = field(default=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return what the page shows."""
        return {name: getattr(self.arrived if name in _OF_ARRIVAL else self, name) for name in SHOWN}

    @property
    def named(self) -> bool:
        """Whether the first row surely holds names of columns: they are written, and a text must not be."""
        return look_like_names(self.arrived.columns)

    @property
    def guess(self) -> dict[str, Any]:
        """Which columns hold the texts and the writers, as far as names and first rows tell."""
        best = guessed(self.arrived.columns, self.arrived.rows)
        return asdict(best if self.named else Guess(best.text, None, ""))

    @property
    def quote(self) -> dict[str, Any]:
        """What the last choice would cost."""
        return self._quote.to_json()

    def ask(self, choice: TableChoice) -> None:
        """Note a choice that is to be looked at; the last counts."""
        self.chosen, self._asked, self._quote = vars(choice), choice, Quote(looking=True)

    def look(self, choice: TableChoice, purse: Purse | None) -> None:
        """Say what a choice would cost and then how long it would take; nothing is drawn that anybody sees."""
        if choice is not self._asked or self.state in ("checking", "running"):  # another was made meanwhile
            return
        try:
            job = self._planned(choice)
            ledger = "" if purse is None else _foreseen(purse, job)
        except AllonymError as error:
            self._answer(choice, Quote(problem=self._plainly(error)))
            return
        notes = (_named(job), identification.of_texts(job.documents.first_texts()))
        quote = Quote(True, _cost(job), " ".join(filter(None, notes)), ledger)
        self._answer(choice, quote)
        if choice is self._asked:
            self._answer(choice, replace(quote, looking=False, forecast=self._forecast(choice, job)))

    def check(self) -> None:
        """Take the table for work, or refuse because it is being worked on."""
        if self.state in ("checking", "running"):
            raise InputError("This table is being worked on; stop it first.")
        self._former, self.state = self.state, "checking"
        self._stop, self.problem = False, ""

    def back(self) -> None:
        """Give a table back that was taken for work and could not be begun with."""
        self.state = self._former if self.state == "checking" else self.state

    def start(self, choice: TableChoice, purse: Purse | None) -> None:
        """Say what will be done and promised; every error of the table shows here, before anything is drawn."""
        self.chosen = vars(choice)
        try:
            job = self._planned(choice)
            if purse is not None:
                purse.foresee_job(job)  # refuses at once what the charge would refuse
            rows = self._rows_at_once(choice, job)
            job = job if rows == job.documents.batch_rows else self._planned(choice, rows)
        except BaseException:
            self.back()
            raise
        self._job, self._begun, self._purse = job, choice, purse
        self.total, self.done, self.ledger = job.count, 0, ""
        self.runs += 1
        self._promised.append(job.per_document)
        again = "" if self.runs == 1 else f" All runs together, on a document: {worded(self.spent, 'run')}"
        self.promise = f"{job.per_author or job.per_document}{again if purse is None else ''}"
        self.command = self._command(choice, job, purse)
        self.state = "running"

    @property
    def spent(self) -> Totals:
        """What all runs cost a document."""
        return added(self._promised)

    def _command(self, choice: TableChoice, job: Plan, purse: Purse | None) -> str:
        """Return the command line that repeats it."""
        options = ["--author", choice.author] if choice.author else []
        if job.has_ids:
            options += ["--id", _ID]
        for column in choice.keep:
            options += ["--keep", column] if not (job.has_ids and column == _ID) else []
        if choice.names is not None and choice.names != "keep":
            options += ["--names", choice.names]
        if purse is not None:
            options += ["--budget-db", purse.path.name, "--dataset", purse.dataset]
        if job.anonymizer.kind == "vectors":
            options += ["--output", f"counts{self._suffix(choice, job.anonymizer.kind)}"]
        line = methods.command(choice.protection, choice.position, f"YOUR{self.arrived.source.suffix}")
        return f"{line} {shlex.join(['--text', choice.text, *options])}"

    def _suffix(self, choice: TableChoice, kind: str) -> str:
        """Return how the result ends: as the table does; counts as lines that every program reads, or as asked for."""
        suffix = self.arrived.source.suffix
        if kind != "vectors":
            return suffix
        if choice.counts_as == "parquet" or (choice.counts_as is None and suffix == ".parquet"):
            return ".parquet"
        return ENDING

    def _planned(self, choice: TableChoice, rows: int = _UNTRIED) -> Plan:
        if not (self.named or choice.first_row == FIRST_ROW_NAMES):
            raise InputError(_UNNAMED)
        anonymizer = methods.anonymizer(choice.protection, choice.position)
        if choice.names is not None and choice.names != "keep":
            anonymizer = WithNames(inner=anonymizer, handling=choice.names)
        suffix = self._suffix(choice, anonymizer.kind)
        # Counts have a column of ids by themselves; a kept one of that name takes its place.
        by_id = anonymizer.kind == "vectors" and _ID in choice.keep
        keep = tuple(column for column in choice.keep if not (by_id and column == _ID))
        with arrival.without_paths(self.arrived.folder.name, self.arrived.source):
            return plan(
                anonymizer,
                open_documents(
                    self.arrived.source, text=choice.text, author=choice.author, keep=keep, id=_ID if by_id else None
                ),
                out=Path(self.arrived.folder.name) / f"result-{choice.protection}-{choice.position}{suffix}",
                has_ids=by_id,
                has_authors=choice.author is not None,
                keep=keep,
                repeatable=False,
                chunk_rows=rows,
            )

    def _forecast(self, choice: TableChoice, job: Plan) -> str:
        """Try the first rows and say how long all would take; nothing where they cannot be done."""
        pace = forecast.pace(job)
        if pace is None:
            return ""
        self._tried = (choice, pace)
        seconds = pace.seconds(job.count, self._rows_at_once(choice, job))
        return f"It will take about {forecast.lasting(seconds)} on this machine, as it is now."

    def _rows_at_once(self, choice: TableChoice, job: Plan) -> int:
        """Return how many rows make a chunk, so that the bar moves and a stop does not wait for long."""
        if self._tried is not None and self._tried[0] == choice:
            return min(_MOST_AT_ONCE, self._tried[1].documents_in(_CHUNK_S))
        pace = forecast.pace(job)
        return _UNTRIED if pace is None else min(_MOST_AT_ONCE, pace.documents_in(_CHUNK_S))

    def miss(self, choice: TableChoice, why: str) -> None:
        """Say why nothing more will be known of a choice."""
        self._answer(choice, Quote(problem=why))

    def _answer(self, choice: TableChoice, quote: Quote) -> None:
        if choice is self._asked:
            self._quote = quote

    def _plainly(self, error: AllonymError) -> str:
        return arrival.in_plain_words(str(error), self.arrived.folder.name, self.arrived.source)

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
            self.ledger = "" if self._purse is None else self._purse.balance()
            self.state = "done"
        except _Stopped:
            self.state = "stopped"
        except AllonymError as error:
            self.state, self.problem = "failed", self._plainly(error)
        except OSError as error:
            refused = f"The disk refused ({error.strerror or type(error).__name__})"
            self.state, self.problem = "failed", f"{refused}; make room on it and press Go on."
        except Exception as error:  # its message may hold text, so only its kind is told
            self.state, self.problem = "failed", f"The job failed ({type(error).__name__}); try other columns."

    def result(self) -> Path:
        """Return the finished file."""
        if self._job is None or self._job.out is None or self.state != "done":
            raise InputError("The table is not finished; start it, or resume it.")
        return self._job.out

    def finished(self) -> tuple[TableChoice, Plan]:
        """Return what was done."""
        self.result()
        if self._job is None or self._begun is None:
            raise InputError("The table is not finished; start it, or resume it.")
        return self._begun, self._job

    def close(self) -> None:
        """Delete everything."""
        self.stop()
        with suppress(OSError):
            self.arrived.folder.cleanup()


def _foreseen(purse: Purse, job: Plan) -> str:
    """Return what the ledger would then hold, or that it will refuse."""
    try:
        return purse.foresee_job(job)
    except BudgetError as refusal:
        return f"The ledger will refuse it: {refusal}"


def _cost(job: Plan) -> str:
    """Return the price of a table in a sentence."""
    promised, documents = job.per_document, counted(job.count, "document")
    if promised.loss_per_word is None:
        return f"Nothing is proved about {documents}: no loss can be stated, and afterwards no total."
    if promised.words is None:
        each = number(promised.loss_per_word)
        return f"This will cost ε ≤ {each} for each word of {documents}: words add up, and their number is not hidden."
    drawn = counted(promised.words, promised.drawn)
    product = f"ε ≤ {number(promised.loss_per_word)} for each {promised.drawn} × {drawn}"
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
