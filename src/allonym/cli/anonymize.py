"""`allonym anonymize`: text in, protected output and its guarantee out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from allonym.cli.methods import build, method_options
from allonym.cli.talk import Talk, common_options
from allonym.jobs.files import open_documents
from allonym.jobs.outputs import privacy_path
from allonym.jobs.run import BATCH_ROWS, Plan, plan, run
from allonym.jobs.tables import shown
from allonym.randomness import insecure, secure


@click.command(name="anonymize")
@click.argument("source", metavar="INPUT")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to write; by default name.anon.ext.")
@click.option("--text", help="Column with the texts, for tables.")
@click.option("--id", "id_", help="Column with the ids, copied to the output.")
@click.option("--author", help="Column with the authors, to add up what each spends; not copied.")
@click.option("--keep", multiple=True, help="Column to copy to the output as it is; may be repeated.")
@click.option("--force", is_flag=True, help="Replace an existing output.")
@click.option("--dry-run", is_flag=True, help="Print the cost and touch nothing.")
@click.option("--insecure-seed", type=int, help="Make the run repeatable, for experiments: no privacy is left.")
@method_options
@common_options
@click.pass_obj
def command(
    talk: Talk,
    /,
    source: str,
    output: Path | None,
    text: str | None,
    id_: str | None,
    author: str | None,
    keep: tuple[str, ...],
    force: bool,
    dry_run: bool,
    insecure_seed: int | None,
    method: str,
    reference: str | None,
    target_unchanged: float | None,
    **parameters: Any,  # noqa: ANN401 - the parameters of the method
) -> None:
    """Protect the texts of INPUT: a .txt, .csv, .jsonl or .parquet file, a folder of .txt, or - for stdin."""
    if source == "-" and sys.stdin is None:
        raise click.UsageError("Standard input is closed; give it a text or name a file.")
    anonymizer = build(method, parameters, reference=reference, unchanged=target_unchanged, source=source, text=text)
    # Vectors have a place for the ids; among texts they are one more column.
    columns = keep if id_ is None or anonymizer.kind == "vectors" else (id_, *keep)
    documents = open_documents(source, text=text, id=id_, author=author, keep=columns, batch_rows=BATCH_ROWS)
    job = plan(
        anonymizer,
        documents,
        out=output,
        has_ids=id_ is not None,
        has_authors=author is not None,
        keep=keep,
        repeatable=insecure_seed is not None,
    )
    if dry_run:
        talk.data({**job.record(), "dry_run": True}, _cost(job))
        return
    if job.out is None and job.count == 0:
        raise click.UsageError("There is nothing to anonymize.")
    rng = secure() if insecure_seed is None else insecure(insecure_seed)
    bar = click.progressbar(length=job.count, label="Anonymizing", file=sys.stderr, hidden=not _on_terminal(talk))
    with bar:
        payload = run(job, rng, force=force, progress=bar.update)
    if documents.skipped:
        talk.say(f"Not read, because they are links that lead elsewhere: {len(documents.skipped):,}.")
    try:
        _report(talk, job, payload)
    except OSError as error:
        if job.out is None or isinstance(error, BrokenPipeError):
            raise
        reason = f"was written, but standard output refused the answer ({error.strerror})"
        raise click.ClickException(f"{shown(job.out)} {reason}.") from error


def _on_terminal(talk: Talk) -> bool:
    return sys.stderr.isatty() and not talk.quiet


def _counted(documents: int) -> str:
    return "1 document" if documents == 1 else f"{documents:,} documents"


def _cost(job: Plan) -> str:
    lines = [f"{_counted(job.count)} would be anonymized with {job.anonymizer.method}; nothing was written."]
    lines.append(f"For each document: {job.per_document}")
    if job.per_author is not None:
        lines.append(f"For the author with most documents: {job.per_author}")
    return "\n".join(lines)


def _report(talk: Talk, job: Plan, payload: Any) -> None:  # noqa: ANN401 - vectors or texts
    if job.out is not None:
        record = {**job.record(), "output": str(job.out), "privacy": str(privacy_path(job.out))}
        if talk.json:
            talk.data(record, "")
        talk.say(f"Wrote {job.out} and {privacy_path(job.out).name} ({_counted(job.count)}).")
    elif job.anonymizer.kind == "vectors":
        terms = _terms(job, payload)
        talk.data({**job.record(), "terms": terms}, "\n".join(f"{count}\t{term}" for term, count in terms.items()))
    else:
        talk.data({**job.record(), "text": payload[0]}, payload[0])
    talk.say(str(job.per_document))
    if job.per_author is not None:
        talk.say(f"For the author with most documents: {job.per_author}")


def _terms(job: Plan, vectors: Any) -> dict[str, int]:  # noqa: ANN401 - a sparse matrix of one row
    """Return the released words of the one document, most frequent first."""
    names = job.anonymizer.get_feature_names_out()
    counts = {str(names[column]): int(count) for column, count in zip(vectors.indices, vectors.data, strict=True)}
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
