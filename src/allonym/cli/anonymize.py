"""`allonym anonymize`: text in, protected output and its guarantee out."""

from __future__ import annotations

import math
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any, Literal

import click

from allonym.anonymizers.release import Release
from allonym.budget.account import spent_on
from allonym.cli import SOME_FAILED, forecast, looking
from allonym.cli.budgets import Budget, budget_options
from allonym.cli.guiding import KindChoice, MethodCommand
from allonym.cli.options import build, method_options
from allonym.cli.presets import ABOUT, PRESETS, expanded
from allonym.cli.talk import Talk, common_options
from allonym.errors import AllonymError, InputError, MissingDependencyError, RowsError, StoppedError
from allonym.formats.files import Documents, open_as
from allonym.formats.tables import DamagedRowError, Roles, shown
from allonym.jobs.batches import FAILED_ROWS, ON_ERROR, OnError, rows_sentence
from allonym.jobs.execute import JobOutcome, Options, Plan, Progress, execute, plan, unfinished
from allonym.jobs.outputs import privacy_path, refuse_target
from allonym.jobs.parts import InputParts, open_parts
from allonym.privacy.statement import counted
from allonym.randomness import insecure

_HELP = """Protect the texts of INPUT: a .txt, .csv, .xlsx, .jsonl or .parquet file, a folder of .txt, or - for stdin.

\b
allonym anonymize letter.txt --preset letter
allonym anonymize survey.xlsx --preset survey --text answer --id id
allonym anonymize survey.xlsx --method syntf --text answer --keep area -o counts.csv
allonym anonymize survey.xlsx --preset survey --dry-run      what it would cost
allonym anonymize --method erae --help                       the options of one method
"""


@click.command(name="anonymize", cls=MethodCommand, help=_HELP)
@click.argument("input_", metavar="INPUT")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to write; by default name.anon.ext.")
@click.option("--text", help="Column with the texts, for tables.")
@click.option("--id", "id_", help="Column with the ids, copied to the output.")
@click.option("--author", help="Column with the authors, to add up what each loses; not copied.")
@click.option("--keep", multiple=True, help="Column to copy to the output as it is; may be repeated.")
@click.option("--delimiter", help="What stands between the cells of a .csv: , ; | or tab. By default it is found out.")
@click.option("--encoding", help="Of a .csv or .txt, such as cp1252. By default it is found out, and said.")
@click.option("--force", is_flag=True, help="Replace an existing output; discard an unfinished job.")
@click.option("--resume", is_flag=True, help="Continue an interrupted job: repeat its command line and add this.")
@click.option("--jobs", type=click.IntRange(1, 256), default=1, show_default=True, help="Processes to run at once.")
@click.option(
    "--chunk-rows",
    type=click.IntRange(1),
    help="Most documents to work on at a time; the default depends on their size.",
)
@click.option(
    "--on-error",
    type=click.Choice(["stop", "skip", "blank"]),
    default="stop",
    show_default=True,
    help="Rows that cannot be read or anonymized: stop, leave them out, or write them without text.",
)
@click.option(
    "--engine", type=click.Choice(["local", "spark"]), default="local", show_default=True, help="Where to run."
)
@click.option("--spark-master", help="Address of the cluster; by default the one Spark is set up with. [engine spark]")
@click.option(
    "--names",
    type=click.Choice(["keep", "mark", "replace"]),
    default="keep",
    show_default=True,
    help="Names, places, dates, amounts and the like, of methods without a proof, which hand them on: leave them, mark "
    "them for you to go through, or replace what is found by placeholders. Some are missed.",
)
@click.option("--dry-run", is_flag=True, help="Print the cost and touch nothing.")
@click.option("--insecure-seed", type=int, help="Make the run repeatable, for experiments; it protects nothing.")
@click.option("--preset", type=KindChoice(PRESETS), help=ABOUT)
@budget_options("Name of the data in the ledger; by default the file name of INPUT.")
@method_options
@common_options
@click.pass_obj
def command(
    talk: Talk,
    /,
    input_: str,
    output: Path | None,
    text: str | None,
    id_: str | None,
    author: str | None,
    keep: tuple[str, ...],
    delimiter: str | None,
    encoding: str | None,
    force: bool,
    resume: bool,
    jobs: int,
    chunk_rows: int | None,
    on_error: OnError,
    engine: Literal["local", "spark"],
    spark_master: str | None,
    names: looking.Handling,
    dry_run: bool,
    insecure_seed: int | None,
    budget: Budget,
    preset: str | None,
    method: str,
    reference: str | None,
    target_unchanged: float | None,
    **parameters: Any,  # noqa: ANN401 - the parameters of the method
) -> int:
    """Protect the texts of INPUT."""
    if preset is not None:
        talk.say(f"Preset {preset}: {shlex.join(expanded(preset))}")
    if input_ == "-" and sys.stdin is None:
        raise click.UsageError("Standard input is closed; give it a text or name a file.")
    anonymizer = build(method, parameters, reference=reference, unchanged=target_unchanged, source=input_, text=text)
    anonymizer = looking.with_names(anonymizer, names)
    # Vectors have a place for the ids; among texts they are one more column.
    columns = keep if id_ is None or anonymizer.kind == "vectors" else (id_, *keep)
    roles = Roles(text, id_, author, tuple(dict.fromkeys(columns)), on_error != "stop", _sign(delimiter), encoding)
    with _telling_of_on_error():
        documents, parts = _opened(input_, roles, engine, spark_master)
        job = plan(
            anonymizer,
            documents,
            out=output,
            has_ids=id_ is not None,
            has_authors=author is not None,
            keep=keep,
            repeatable=insecure_seed is not None,
            chunk_rows=chunk_rows,
            parts=parts,
        )
    if not dry_run:
        _refuse(job, force, resume)
    named = looking.tell(talk, anonymizer, documents, names)
    if dry_run:
        return _foretell(talk, job, budget)
    with (
        _telling_how_to_go_on(job) as written,
        budget.account(job) as account,
        _bar(talk, job.count, resume) as progress,
    ):
        rng = None if insecure_seed is None else insecure(insecure_seed)
        outcome = execute(job, rng, progress, Options(force, jobs, on_error, resume, account))
        written.set()
        budget.report(talk, account)
    if documents.skipped:
        talk.say(f"Not read, because they are links that lead elsewhere: {len(documents.skipped):,}.")
    return _told(talk, job, outcome, on_error, {} if named is None else {"names": named.to_json()})


def _refuse(job: Plan, force: bool, resume: bool) -> None:
    """Refuse what cannot be written or drawn: a refusal comes alone, before anything is told or charged."""
    if job.out is not None and not resume:
        refuse_target(job.out, force, source=job.documents.source)
    if lack := job.anonymizer.missing():
        raise MissingDependencyError(lack)


def _sign(delimiter: str | None) -> str | None:
    """Return a delimiter as it stands in a file; a tab is hard to type."""
    return "\t" if delimiter in ("tab", "\\t") else delimiter


def _opened(
    source: str, roles: Roles, engine: Literal["local", "spark"], master: str | None
) -> tuple[Documents, InputParts | None]:
    """Open the input here, or as parts that a cluster works on."""
    if engine == "spark":
        from allonym.jobs.engines.spark import Spark

        return open_parts(source, roles, Spark(master))
    return open_as(source, roles), None


def _foretell(talk: Talk, job: Plan, budget: Budget) -> int:
    """Print the cost."""
    documents = counted(job.count, "document")
    lines = [f"{documents} would be anonymized with {job.anonymizer.method}; nothing was written."]
    lines.append(f"For each document: {job.per_document}")
    record = {**job.record().to_json(), "dry_run": True}
    if told := forecast.of(job):
        lines.append(str(told))
        record["forecast"] = told.to_json()
    if job.per_author is not None:  # for whoever has the input; no file says how many documents that author has
        lines.append(f"For the author with most documents: {job.per_author}")
        record["guarantee_per_author"] = job.per_author.to_dict()
    if job.unreadable:
        lines.append(rows_sentence(job.unreadable, "read"))
    totals = budget.foreseen(job)
    if totals is not None:
        lines.append(spent_on(totals.dataset, totals, then=True))
        record["budget"] = totals.to_json()
    talk.data(record, "\n".join(lines))
    return 0


@contextmanager
def _telling_of_on_error() -> Iterator[None]:
    """Let the refusal of a row that cannot be read tell how to do without it."""
    try:
        yield
    except DamagedRowError as error:
        raise InputError(f"{error} {ON_ERROR}") from None


@contextmanager
def _telling_how_to_go_on(job: Plan) -> Iterator[Event]:
    """Let an end before the end tell how to go on, or, once the event is set, that there is nothing left to do."""
    written = Event()
    try:
        yield written
    except KeyboardInterrupt:
        if written.is_set() and job.out is not None:
            raise StoppedError(f"Interrupted, but {shown(job.out)} was written.") from None
        if not unfinished(job):
            raise
        raise StoppedError(f"Interrupted; what was done is kept. Go on with: {_resume_command()}") from None
    except RowsError as error:
        raise RowsError(f"{error}{_way_on(job)}") from None
    except OSError as error:
        if not unfinished(job):
            raise
        reason = f"The system refused: {error.strerror or type(error).__name__}; the output was not written."
        raise AllonymError(f"{reason}{_way_on(job)}") from error


def _way_on(job: Plan) -> str:
    return f" What was done is kept; go on with: {_resume_command()}" if unfinished(job) else ""


def _resume_command() -> str:
    """Return the command line of this run, with --resume."""
    arguments = [argument for argument in sys.argv[1:] if argument not in ("--resume", "--force")]
    return shown(shlex.join(["allonym", *arguments, "--resume"]))


@contextmanager
def _bar(talk: Talk, count: int, resume: bool) -> Iterator[Progress]:
    """Show progress on a terminal: a bar, documents a second, the time that is left."""
    began, done, before = time.monotonic(), 0, 0

    def speed(_: object) -> str:
        rate = (done - before) / max(time.monotonic() - began, 1e-3)
        left = f", {timedelta(seconds=math.ceil((count - done) / rate))} left" if rate else ""
        pace = f"{1 / rate:,.1f} s a document" if 0 < rate < 1 else f"{rate:,.0f} documents/s"
        return f"{pace}{left}"

    hidden = talk.quiet or not sys.stderr.isatty()
    bar = click.progressbar(
        length=count,
        label="Anonymizing",
        file=sys.stderr,
        hidden=hidden,
        item_show_func=speed,
        show_eta=False,
        show_pos=True,
        update_min_steps=1,
    )

    def progress(documents: int) -> None:
        nonlocal began, done, before
        if resume and not done:  # those of an earlier run say nothing about the speed of this one
            began, before = time.monotonic(), documents
        done += documents
        bar.update(documents, documents)

    with bar:
        yield progress


def _told(talk: Talk, job: Plan, outcome: JobOutcome, on_error: OnError, more: dict[str, Any]) -> int:
    """Report, with what is for the owner's eyes alone, and return the exit code."""
    try:
        _report(talk, job, outcome, on_error, more)
    except OSError as error:
        if job.out is None or isinstance(error, BrokenPipeError):
            raise
        reason = f"was written, but standard output refused the answer ({error.strerror})"
        raise click.ClickException(f"{shown(job.out)} {reason}.") from error
    return _told_failures(job, outcome, on_error)


def _told_failures(job: Plan, outcome: JobOutcome, on_error: OnError) -> int:
    """Say which rows failed, and return the exit code."""
    if not outcome.failed:
        return 0
    unreadable = set(job.unreadable)
    others = [position for position in outcome.failed if position not in unreadable]
    said = [rows_sentence(job.unreadable, "read")] if unreadable else []
    said += [rows_sentence(others)] if others else []
    click.echo(f"allonym: {' '.join(said)} Such rows were {_became(on_error)}.", err=True)
    return SOME_FAILED


def _became(on_error: OnError) -> str:
    return "left out" if on_error == "skip" else "written without text"


def _report(talk: Talk, job: Plan, outcome: JobOutcome, on_error: OnError, more: dict[str, Any]) -> None:
    record = job.record(len(outcome.failed)).to_json() | more
    if outcome.failed:
        record["failed_rows"] = [position + 1 for position in outcome.failed]
    if job.unreadable:
        record["unreadable_rows"] = [position + 1 for position in job.unreadable]
    if job.out is not None:
        if talk.json:
            talk.data({**record, "output": str(job.out), "privacy": str(privacy_path(job.out))}, "")
        failed = f", {len(outcome.failed):,} of them {_became(on_error)}" if outcome.failed else ""
        documents = counted(job.count, "document")
        talk.say(f"Wrote {job.out} and {privacy_path(job.out).name} ({documents}{failed}).")
    elif job.anonymizer.terms:
        [terms] = Release(outcome.payload, job.per_document, job.anonymizer.terms).counts()
        talk.data({**record, "terms": terms}, "\n".join(f"{count}\t{term}" for term, count in terms.items()))
    else:
        [text] = outcome.payload  # or a bag of words
        talk.data({**record, "text": text}, text)
    copied = (FAILED_ROWS,) if outcome.failed else ()
    talk.say(str(job.per_document.releasing(*copied)))
    if "per_author" in record:
        talk.say(record["per_author"])
