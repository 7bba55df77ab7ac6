"""A job over the parts of a table, done by a cluster: what to do, in which order, and how to go on after a crash.

The order of events is that of a local job (`execute`): the target is checked, the ledger is charged, the key is drawn,
noise is drawn, and only when every part is there the output folder gets its name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from allonym.anonymizers.base import REPEATABLE, Anonymizer
from allonym.budget.ledger import Units
from allonym.errors import InputError
from allonym.formats.files import Documents
from allonym.formats.tables import Roles, shown
from allonym.formats.vectors import check_terms_output
from allonym.jobs.accounts import Account
from allonym.jobs.chunks import Written
from allonym.jobs.engines import spark as engine
from allonym.jobs.execute import (
    Options,
    Outcome,
    begun,
    finish,
    refuse_unfinished,
    settings_identity,
    taken_up,
    tidied,
    write_record,
)
from allonym.jobs.outputs import refuse_target
from allonym.jobs.parts import Part, PartMaker, find_parts, open_part, part_name
from allonym.jobs.plan import Plan, copied_columns, refuse_all_unreadable, refuse_unsure_names, rows_at_once
from allonym.jobs.store import JobFolder
from allonym.privacy import Guarantee
from allonym.randomness import OneRelease, Rng


@dataclass(frozen=True)
class ClusterJob:
    """A plan, the parts it consists of, and who does them."""

    plan: Plan
    parts: list[Part]
    roles: Roles
    spark: Any


def plan_parts(
    spark: Any,  # noqa: ANN401 - a Spark session
    anonymizer: Anonymizer,
    source: str | Path,
    roles: Roles,
    *,
    out: Path | None,
    repeatable: bool,
    chunk_rows: int | None = None,
) -> ClusterJob:
    """Have every part read once, so that every error in it shows before anything is spent, and state the promise."""
    promise = anonymizer.guarantee()
    rows = chunk_rows or rows_at_once(promise)
    parts = find_parts(source)
    if anonymizer.kind == "vectors":
        check_terms_output("terms.parquet", [name for name in roles.keep if name != roles.id])
        roles = replace(roles, keep=tuple(name for name in roles.keep if name != roles.id))
    counted = engine.count(spark, parts, roles, rows)
    count = sum(one.rows for one in counted)
    filled = [part for part, one in zip(parts, counted, strict=True) if one.rows]
    if not filled:
        raise InputError(f"{shown(source)} holds no documents; give an input with at least one row.")
    placed = engine.placed(parts, counted)
    unreadable = tuple(p.start + place for p, one in zip(placed, counted, strict=True) for place in one.unreadable)
    refuse_all_unreadable(source, count, len(unreadable))
    first = open_part(filled[0], roles, rows)
    documents = replace(_opened(first), source=str(source))
    refuse_unsure_names(documents)
    copied = copied_columns(anonymizer, documents, roles.id is not None, tuple(n for n in roles.keep if n != roles.id))
    copied.append("how the documents are spread over the parts")

    def stated(guarantee: Guarantee) -> Guarantee:
        guarantee = guarantee.releasing(*copied)
        return guarantee.withdrawn(REPEATABLE) if repeatable else guarantee

    per_author = None
    if roles.author is not None:
        most = max(documents for _, documents in engine.authors(spark, parts, roles, rows))
        per_author = stated(anonymizer.guarantee(most))
        per_author = replace(per_author, unit="author") if per_author.words is not None else per_author
    target = Path(source).absolute().with_name(f"{Path(source).stem}.anon") if out is None else out
    # Ids are unique within each part only, so the ledger charges every document, which is never too little.
    plan = Plan(anonymizer, documents, count, target, stated(promise), per_author, len(parts), False,
                roles.author is not None, repeatable, unreadable)  # fmt: skip
    return ClusterJob(plan, placed, roles, spark)


def execute_parts(job: ClusterJob, rng: Rng | None, options: Options) -> Outcome:
    """Do a job on the cluster, or go on with it.

    Raises:
        BudgetError: A cap would be exceeded; nothing was drawn.
        RowsError: Documents failed, and `on_error` is "stop".
        ResumeError: The job cannot be resumed.
    """
    out = _target(job)
    folder = JobFolder(out)
    refuse_unfinished(folder, options)
    if not options.resume:
        refuse_target(out, options.force, source=job.plan.documents.source)
    with folder.held():
        facts = folder.facts()
        if options.resume and "published" in facts:
            return tidied(job.plan, folder, facts)
        identity = partial(_identity, job, options)
        resumed = options.resume and "same" in facts
        if resumed:
            release = taken_up(folder, rng, options, identity)
        else:
            charged = replace(options, account=options.account and account_of(options.account, job))
            release = begun(job.plan, folder, rng, charged, identity)
        stage = folder.new / out.name
        stage.mkdir(exist_ok=True)
        done = _make(job, folder, stage, release, options)
        failed = tuple(position for number in sorted(done) for position in done[number].failed)
        _refuse_missing(job, stage, done)
        write_record(job.plan, folder.new / out.name, len(failed))
        finish(job.plan, folder, failed, options.force or (resumed and bool(facts["force"])))
    return Outcome(failed=failed)


def _make(job: ClusterJob, folder: JobFolder, stage: Path, release: OneRelease, options: Options) -> dict[int, Written]:
    """Do what is left to do; each part that is done is noted beside the others."""
    maker = PartMaker(
        job.plan.anonymizer, job.roles, job.plan.documents.batch_rows, options.on_error, str(stage.absolute())
    )
    done = {}
    for path in folder.chunks.glob("*.json"):
        noted = json.loads(path.read_text(encoding="utf-8"))
        done[noted["number"]] = Written(**{**noted, "failed": tuple(noted["failed"])})

    def note(chunk: Written) -> None:
        (folder.chunks / f"{chunk.number:08d}.json").write_text(json.dumps(asdict(chunk)), encoding="utf-8")
        done[chunk.number] = chunk

    engine.make(job.spark, maker, [part for part in job.parts if part.number not in done], release, note)
    return done


def _refuse_missing(job: ClusterJob, stage: Path, done: dict[int, Written]) -> None:
    """Take a last look that every part is there and covers its rows."""
    file_format = job.plan.documents.format.name
    for part in job.parts:
        written = done.get(part.number)
        there = written is not None and (
            not written.rows or (stage / part_name(part, file_format, job.plan.anonymizer)).is_file()
        )
        if not there:
            raise OSError(None, "a part that a machine of the cluster wrote is not on the shared file system")
    if sum(chunk.rows for chunk in done.values()) != job.plan.count:
        raise InputError(f"{shown(job.plan.documents.source)} changed while it was read; start anew with --force.")


def _identity(job: ClusterJob, options: Options, key: bytes) -> dict[str, Any]:
    return {
        "the input": engine.digest(job.spark, job.parts, key),
        **settings_identity(job.plan, options, key),
    }


@dataclass(frozen=True)
class _ClusterAccount(Account):
    """An account that learns the authors from the cluster."""

    job: ClusterJob | None = None

    def units(self, job: Plan) -> Iterator[Units]:
        if self.job is not None and job.has_authors:
            rows = job.documents.batch_rows
            for author, documents in engine.authors(self.job.spark, self.job.parts, self.job.roles, rows):
                yield None, [author] * documents


def account_of(account: Account, job: ClusterJob) -> Account:
    """Return an account that can be charged with a job on a cluster."""
    return _ClusterAccount(account.ledger, account.dataset, account.caps, job)


def _opened(documents: Documents | None) -> Documents:
    if documents is None:
        raise InputError("A part changed while it was read; start again.")
    return documents


def _target(job: ClusterJob) -> Path:
    return (job.plan.out or Path()).absolute()
