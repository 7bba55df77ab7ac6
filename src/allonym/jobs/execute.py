"""One anonymization job: documents in, a release and its guarantee out, or nothing at all.

The short way, for those who only want an output file and a bar that moves:

    job = plan(anonymizer, documents, out=path, has_ids=False, has_authors=False, keep=(), repeatable=False)
    run(job, secure(), force=False, progress=lambda documents: ...)

`execute` does the same and more: several processes, documents that fail, a ledger, and jobs that can be resumed.

A job of one chunk is written to a hidden folder beside the output and renamed. A larger one has a job folder
(`store`), in which every chunk is safe once it is made. In both, the order of events is: the target is checked, the
ledger is charged, the key is drawn, noise is drawn, the output is put together, and only then it gets its name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allonym.errors import InputError, ParameterError, ResumeError
from allonym.formats.tables import shown
from allonym.formats.vectors import write_terms
from allonym.jobs import fingerprints
from allonym.jobs.accounts import Account
from allonym.jobs.batches import OnError
from allonym.jobs.chunks import Layout, Maker, Making, Written, read_terms
from allonym.jobs.engines import Engine
from allonym.jobs.engines.local import Local
from allonym.jobs.outputs import atomic, privacy_path, publish, refuse_target
from allonym.jobs.parts import InputParts, PartMaker, part_name
from allonym.jobs.plan import Plan, plain_parameter, plan, without_authors
from allonym.jobs.store import JobFolder, folder_of
from allonym.randomness import OneRelease, Rng, reopened, secure

__all__ = ["JobOutcome", "Options", "Plan", "Progress", "execute", "plain_parameter", "plan", "run"]

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Options:
    """How a job is done; nothing here changes what comes out of a document."""

    force: bool = False  # replace an existing output, and discard an unfinished job
    processes: int = 1
    on_error: OnError = "stop"  # documents that fail stop the job, are left out, or are written without text
    resume: bool = False  # take up the unfinished job of this output
    account: Account | None = None

    def __post_init__(self) -> None:
        if self.processes < 1:
            raise ParameterError(f"A job needs at least 1 process, got {self.processes}.")


@dataclass(frozen=True)
class JobOutcome:
    """What came of a job."""

    payload: Any = None  # the protected document, where there is no output file
    failed: tuple[int, ...] = ()  # positions of documents that could not be anonymized, counted from 0
    resumed: int = 0  # how many documents had been done before


def run(job: Plan, rng: Rng, *, force: bool, progress: Progress) -> Any:  # noqa: ANN401 - the payload, or None
    """Anonymize everything; write it beside its guarantee, or return the payload where there is no output file."""
    return execute(job, rng, progress, Options(force=force)).payload


def execute(job: Plan, rng: Rng | None, progress: Progress, options: Options) -> JobOutcome:
    """Do a job, or go on with it.

    Args:
        job: What to do.
        rng: Where noise comes from; None draws a fresh key, after the ledger was charged.
        progress: Called with the number of documents done since the last call; at first, those of an interrupted run.
        options: How to do it.

    Raises:
        BudgetError: A cap would be exceeded; nothing was drawn.
        RowsError: Documents failed, and `on_error` is "stop".
        ResumeError: The job cannot be resumed.
    """
    if job.out is None:
        if options.resume:
            raise ResumeError("What goes to standard output cannot be resumed; leave out --resume.")
        _charge(job, options)
        [batch] = job.documents
        release = job.anonymizer.release(batch.texts, rng=_opened(job, rng))
        return JobOutcome(release.payload if job.anonymizer.kind == "vectors" else release.texts())
    folder = JobFolder(job.out)
    _refuse_unfinished(folder, options)
    if job.chunks == 1 and job.parts is None and not options.resume:
        return _at_once(job, job.out, rng, progress, options)
    if not options.resume:
        refuse_target(job.out, options.force, source=job.documents.source)
    return _in_chunks(job, folder, rng, progress, options)


def _charge(job: Plan, options: Options, fingerprint: str = "") -> int | None:
    return None if options.account is None else options.account.charge(job, fingerprint)


def _layout(job: Plan) -> Layout:
    vectors = job.anonymizer.kind == "vectors"
    return Layout(vectors, job.written_as, job.documents.text or "text", job.documents.columns)


def _refuse_unfinished(folder: JobFolder, options: Options) -> None:
    """Refuse to resume nothing, or to begin where a job is unfinished; discarding one refunds nothing."""
    unfinished_before = folder.path.is_dir()
    if options.resume and not unfinished_before:
        reason = "has no unfinished job to resume; leave out --resume to start one"
        raise ResumeError(f"{shown(folder.out)} {reason}.")
    if unfinished_before and not options.resume:
        if not options.force:
            raise InputError(
                f"{shown(folder.out)} has an unfinished job; add --resume to go on with it, or --force to discard it."
            )
        with folder.held():
            folder.destroy()


def _at_once(job: Plan, out: Path, rng: Rng | None, progress: Progress, options: Options) -> JobOutcome:
    """Do a job of one chunk, which would be made again after a crash anyway."""
    with atomic(out, options.force, source=job.documents.source) as path:
        _charge(job, options)
        release = _opened(job, rng)
        layout, stage = _layout(job), path.parent.parent
        maker = Maker(job.anonymizer, layout, stage, options.on_error)
        [batch] = job.documents
        try:
            chunk = maker.make((0, without_authors(batch)), release)
            progress(chunk.rows)
            _put_together(job, layout, [maker.path(0)], path, len(chunk.failed))
        finally:
            maker.path(0).unlink(missing_ok=True)
    return JobOutcome(failed=chunk.failed)


def _in_chunks(job: Plan, folder: JobFolder, rng: Rng | None, progress: Progress, options: Options) -> JobOutcome:
    """Do a job chunk by chunk, so that it can be resumed."""
    with folder.held():
        facts = folder.facts()
        if options.resume and "published" in facts:
            return _tidied(job, folder, facts)
        resumed = options.resume and "same" in facts
        release = _taken_up(job, folder, rng, options) if resumed else _begun(job, folder, rng, options)
        work = _work(job, folder, options)
        done = folder.done(work.path_of)
        before = sum(chunk.rows for chunk in done.values())
        if options.resume:
            progress(before)
        tasks = (task for number, task in work.tasks if number not in done)
        for answer in work.engine.map(Making(release.key, release.repeatable), work.maker, tasks):
            chunk = Written.of(answer)
            folder.add(chunk)
            done[chunk.number] = chunk
            progress(chunk.rows)
        failed = _checked(job, done)
        work.put_together([work.path_of(number) for number in sorted(done) if done[number].digest], len(failed))
        _finish(job, folder, failed, options.force or (resumed and bool(facts["force"])))
    return JobOutcome(failed=failed, resumed=before)


@dataclass(frozen=True)
class _Work:
    """What is done by whom: numbered tasks, where the chunk of each lies, and how they become the output."""

    engine: Engine[Any]
    maker: Any
    tasks: Iterable[tuple[int, Any]]
    path_of: Callable[[int], Path]
    put_together: Callable[[Sequence[Path], int], None]


def _work(job: Plan, folder: JobFolder, options: Options) -> _Work:
    stage = folder.new / folder.out.name
    if job.parts is not None:
        return _work_on_parts(job, job.parts, stage, options)
    layout = _layout(job)
    maker = Maker(job.anonymizer, layout, folder.chunks, options.on_error)
    tasks = ((number, (number, without_authors(batch))) for number, batch in enumerate(job.documents))

    def joined(paths: Sequence[Path], failed: int) -> None:
        folder.clear_stage()
        _put_together(job, layout, paths, stage, failed)

    return _Work(Local(min(options.processes, job.chunks)), maker, tasks, maker.path, joined)


def _work_on_parts(job: Plan, parts: InputParts, stage: Path, options: Options) -> _Work:
    """Parts are made where the output is put together, so that nothing is left to join."""
    stage.mkdir(exist_ok=True)
    maker = PartMaker(job.anonymizer, parts.roles, job.documents.batch_rows, options.on_error, str(stage))

    def looked_over(paths: Sequence[Path], failed: int) -> None:
        if not all(path.is_file() for path in paths):
            raise OSError(None, "a part that a machine of the cluster wrote is not on the shared file system")
        _write_record(job, stage, failed)

    tasks = ((part.number, part) for part in parts.files)
    return _Work(
        parts.engine, maker, tasks, lambda number: stage / part_name(parts.files[number], job.anonymizer), looked_over
    )


def _finish(job: Plan, folder: JobFolder, failed: tuple[int, ...], force: bool) -> None:
    """Give what was put together its names, and remove the job."""
    # Names that are taken now may have been taken by this job in its last moments before a crash.
    force = force or "publishing" in folder.facts()
    refuse_target(folder.out, force, source=job.documents.source)
    folder.note(publishing=True)
    folder.forget_replaced()
    publish(folder.out, folder.new, folder.old, force)
    folder.forget_replaced()
    folder.note(published=failed)
    folder.destroy()


def _tidied(job: Plan, folder: JobFolder, facts: dict[str, Any]) -> JobOutcome:
    """Remove what is left of a job that was killed after its output got its name."""
    folder.destroy()
    if not folder.out.exists():
        raise ResumeError(
            f"The job of {shown(folder.out)} was finished, but its output is gone; start again without --resume."
        )
    return JobOutcome(failed=tuple(facts["published"]), resumed=job.count)


def _checked(job: Plan, done: dict[int, Written]) -> tuple[int, ...]:
    """Return the failed positions, after a last look that the chunks cover every document once, in order."""
    start = 0
    for number, chunk in enumerate(done[key] for key in sorted(done)):
        if (chunk.number, chunk.start) != (number, start):
            raise ResumeError("The chunks of the job do not fit together; start anew with --force.")
        start += chunk.rows
    if start != job.count:
        raise InputError(f"{shown(job.documents.source)} changed while it was read; start anew with --force.")
    return tuple(position for key in sorted(done) for position in done[key].failed)


def _put_together(job: Plan, layout: Layout, paths: Sequence[Path], path: Path, failed: int) -> None:
    _write_record(job, path, failed)
    if layout.vectors:
        vocabulary = [str(term) for term in job.anonymizer.get_feature_names_out()]
        write_terms(path, lambda: read_terms(paths), vocabulary)
    else:
        layout.join_texts(path, paths)


def _write_record(job: Plan, path: Path, failed: int) -> None:
    """Write the guarantee beside the output."""
    record = json.dumps(job.record(failed).to_json(), ensure_ascii=False, indent=2) + "\n"
    privacy_path(path).write_text(record, encoding="utf-8")


def _opened(job: Plan, rng: Rng | None) -> OneRelease:
    """Open the one release that this job is, under the stream that was given or a fresh key."""
    return (secure() if rng is None else rng).one_release(fingerprints.of_files(job.anonymizer))


def _begun(job: Plan, folder: JobFolder, rng: Rng | None, options: Options) -> OneRelease:
    """Charge a new job, draw its key and note by what it can be known again."""
    try:
        refuse_target(folder.out, options.force, source=job.documents.source)
        charged = _charge(job, options, folder.path.name)
        rng = secure() if rng is None else rng
        release = _opened(job, rng)
        folder.write_key(release.key)
        folder.note(
            release=charged,
            force=options.force,
            on_error=options.on_error,
            origin=fingerprints.of_origin(rng, release.key),
            same=_identity(job, options, release.key),
        )
    except BaseException:
        folder.destroy()  # nothing was drawn yet, so nothing is worth resuming
        raise
    return release


def _taken_up(job: Plan, folder: JobFolder, rng: Rng | None, options: Options) -> OneRelease:
    """Return the noise of an unfinished job, after a check that it is the same job."""
    facts = folder.facts()
    key = folder.read_key()
    if rng is not None and facts["origin"] != fingerprints.of_origin(rng, key):
        raise ResumeError("The seed is not that of the unfinished job; resume with the same one.")
    now = json.loads(json.dumps(_identity(job, options, key)))
    changed = [name for name, value in facts["same"].items() if now.get(name) != value]
    if facts["on_error"] not in ("stop", options.on_error):  # "stop" left nothing out so far, so it may change
        changed.append("--on-error")
    if changed:
        raise ResumeError(
            f"The job of {shown(folder.out)} cannot be resumed, because this changed: {', '.join(changed)}; "
            "put it back as it was, or start anew with --force."
        )
    if options.account is not None and not options.account.ledger.holds(facts["release"], folder.path.name):
        raise ResumeError("The ledger does not hold the charge of this job; name the one it was charged to.")
    folder.note(on_error=options.on_error)
    return reopened(key, repeatable=rng is not None and rng.repeatable)


def _identity(job: Plan, options: Options, key: bytes) -> dict[str, Any]:
    """Return what must be the same for the job to go on, by the words in which a message says that it changed."""
    documents, account = job.documents, options.account
    return {
        "the input": fingerprints.of_input(documents, key) if job.parts is None else job.parts.digest(key),
        "the columns": [documents.format.name, documents.text, list(documents.columns), job.has_ids, job.has_authors],
        "the method or its parameters": fingerprints.of_anonymizer(job.anonymizer, key),
        "the versions of allonym and its libraries": fingerprints.of_versions(),
        "the number of documents at a time": documents.batch_rows,
        "--insecure-seed": job.repeatable,
        "the ledger or the data set": None if account is None else [account.ledger.name, account.dataset],
    }


def unfinished(job: Plan) -> bool:
    """Tell whether an unfinished job of this output lies on disk."""
    return job.out is not None and folder_of(job.out).is_dir()
