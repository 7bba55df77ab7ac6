"""`allonym train a4nt`: a translator between styles for `allonym anonymize --method a4nt`, from your own text."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from allonym.cli import INTERRUPTED
from allonym.cli.talk import Talk, common_options
from allonym.cli.train import need_torch
from allonym.errors import ParameterError, ResumeError
from allonym.jobs.files import open_documents
from allonym.networks import a4nt_folder
from allonym.networks.a4nt_corpus import LARGEST_VOCABULARY, SMALLEST_VOCABULARY, Corpus, Row, prepare

if TYPE_CHECKING:
    from allonym.networks.a4nt_own_text import Plan, Progress

_TICKS = 1000  # of the progress bar
_STAGES = {
    "opponent": "Classifier",
    "language": "Language model",
    "restoring": "Auto-encoder",
    "game": "Translator",
}
_NO_LOSSES = ("step", "seconds")
_LOSSES = ("CycML", "CycML+Lang", "CycML+Lang+Near", "autoencoder")

WARNING = (
    "The model is a release of the text it was trained on, made without differential privacy: "
    "give it only to those who may read that text."
)
NO_PROMISE = "No formal privacy is promised; measure with `allonym evaluate` how well the rewritten text resists."


@click.command(name="a4nt")
@click.argument("table", metavar="TABLE")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="Folder for the model.")
@click.option("--text", help="Column with the texts.")
@click.option("--attribute", help="Column with what is to be hidden: the age group, the gender, the speaker.")
@click.option("--author", help="Column with the authors: a word must then be shared by authors, not documents.")
@click.option(
    "--names/--no-names", default=None, help="Read names of people and places as classes. [needs allonym[style]]"
)
@click.option("--variant", type=click.Choice(["editor", "paper"]), help="Ours, or the paper's.  [editor]")
@click.option("--losses", type=click.Choice(_LOSSES), help="What it is trained for.  [CycML+Lang]")
@click.option("--size", type=click.Choice(["tiny", "small", "full"]), help="Of the networks.  [full, as shipped]")
@click.option(
    "--words",
    type=click.IntRange(SMALLEST_VOCABULARY, LARGEST_VOCABULARY),
    help="Words of the vocabulary at most.  [16,000]",
)
@click.option(
    "--shared-by",
    type=click.IntRange(1),
    help="Documents (with --author: authors) that must use a word for the model to know it.  [3]",
)
@click.option("--held-out", type=click.FloatRange(0.0, 0.5, min_open=True), help="Share to watch with.  [0.1]")
@click.option("--steps", type=click.IntRange(1, 10**8), help="Steps of the longest stages.  [4000]")
@click.option("--minutes", type=click.FloatRange(0.0, 1e6, min_open=True), help="Minutes of training at most.")
@click.option("--batch", type=click.IntRange(1, 10**5), help="Sentences of each class in a step.  [256]")
@click.option("--seed", type=click.IntRange(0, 2**62), help="Fixes order, noise and initial weights.  [1]")
@click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", help="Where to train.")
@click.option("--resume", is_flag=True, help="Go on after the last finished stage; the options are remembered.")
@click.option("--force", is_flag=True, help="Replace a model that is in the folder.")
@common_options
@click.pass_obj
def command(
    talk: Talk,
    /,
    table: str,
    output: Path,
    device: Any,  # noqa: ANN401 - one of the choices
    resume: bool,
    force: bool,
    **options: Any,  # noqa: ANN401 - the fields of a plan
) -> int:
    """Train A4NT's networks on the texts of TABLE: a .csv, .jsonl or .parquet file.

    The folder is then a model for `allonym anonymize --method a4nt --model FOLDER`.
    """
    need_torch()
    from allonym.networks import a4nt_own_text

    given = {name: value for name, value in options.items() if value is not None}
    on = _device(device)
    if not resume:
        a4nt_folder.check_room(output, force=force)
    plan, fingerprint = _remembered(output, given) if resume else (_planned(given), None)
    corpus = _read(talk, table, plan, fingerprint)
    try:
        with _shown(talk) as progress:
            found = a4nt_own_text.train(corpus, plan, output, device=on, resume=resume, progress=progress)
    except KeyboardInterrupt:
        again = shlex.join(["allonym", "train", "a4nt", table, "-o", str(output), "--resume"])
        click.echo(f"allonym: Interrupted; go on with: {again}", err=True)
        return INTERRUPTED
    _report(talk, output, corpus, found)
    return 0


def _device(name: str) -> Any:  # noqa: ANN401 - a torch device
    import torch

    if name == "cuda" and not torch.cuda.is_available():
        raise ParameterError("torch finds no graphics card here; choose --device cpu or auto.")
    return torch.device(("cuda" if torch.cuda.is_available() else "cpu") if name == "auto" else name)


def _planned(given: dict[str, Any]) -> Plan:
    from allonym.networks.a4nt_own_text import Plan

    if "attribute" not in given:
        raise click.UsageError("Training needs --attribute, the column with what is to be hidden.")
    return Plan(**given)


def _remembered(output: Path, given: dict[str, Any]) -> tuple[Plan, str]:
    """Return the plan and the fingerprint of the text of an interrupted run; refuse options that differ."""
    from allonym.networks.a4nt_own_text import Plan, remembered

    record = remembered(output)
    plan = Plan(**record["plan"])
    kept = asdict(plan)
    for name, value in given.items():
        if kept[name] != value:
            option = f"--{name.replace('_', '-')}"
            raise ResumeError(
                f"{option} was another when this run began; leave it out to go on, or train anew with --force."
            )
    return plan, str(record["fingerprint"])


def _read(talk: Talk, table: str, plan: Plan, fingerprint: str | None) -> Corpus:
    """Read the texts; refuse others than those of the run that is resumed."""
    documents = open_documents(table, text=plan.text, author=plan.author, keep=[plan.attribute])
    rows = (
        Row("" if label is None else str(label), author, text)
        for batch in documents
        for label, author, text in zip(
            batch.kept[plan.attribute].to_pylist() if batch.kept is not None else [],
            batch.authors or repeat(None, len(batch.texts)),
            batch.texts,
            strict=True,
        )
    )
    talk.say("Reading the texts.")
    corpus = prepare(
        rows,
        words=plan.words,
        shared_by=plan.shared_by,
        held_out=plan.held_out,
        names=plan.names,
        seed=plan.seed,
    )
    if fingerprint not in (None, corpus.fingerprint):
        raise ResumeError("The texts are not those this run began with; train anew with --force.")
    sizes = (f"{name} {len(own.lengths):,}" for name, own in zip(corpus.classes, corpus.learned, strict=True))
    talk.say(
        f"{corpus.documents:,} documents; {len(corpus.vocabulary):,} words, which cover {corpus.coverage:.1%} of the "
        f"text; sentences to learn from: {', '.join(sizes)}."
    )
    return corpus


@contextmanager
def _shown(talk: Talk) -> Iterator[Progress]:
    """Show a progress bar for each stage on a terminal, and else a line now and then."""
    terminal = sys.stderr.isatty() and not talk.quiet
    with click.progressbar(length=_TICKS * len(_STAGES), file=sys.stderr, hidden=not terminal) as bar:

        def show(stage: str, done: float, numbers: dict[str, float]) -> None:
            before = list(_STAGES).index(stage)
            bar.label = _STAGES[stage]
            bar.update(int((before + done) * _TICKS) - bar.pos)
            if not terminal:
                losses = ", ".join(f"{name} {value:.3f}" for name, value in numbers.items() if name not in _NO_LOSSES)
                talk.say(f"{_STAGES[stage]} {done:4.0%}, step {numbers['step']:,.0f}: {losses}")

        yield show


def _report(talk: Talk, output: Path, corpus: Corpus, found: dict[str, Any]) -> None:
    record = {
        "model": str(output),
        "classes": list(corpus.classes),
        "words": len(corpus.vocabulary),
        "documents": corpus.documents,
        "sentences": corpus.sentences,
        **found,
        "differential_privacy": False,
        "warning": WARNING,
    }
    text = (
        f"{output}: the classifier gave {found['documents_before']:.0%} of the documents held out to their true class "
        f"before, and {found['documents_after']:.0%} after; {found['kept']:.0%} of the words are kept."
    )
    talk.data(record, text)
    talk.say(WARNING)
    talk.say(NO_PROMISE)
    tried = f"--model {shlex.quote(str(output))} --target {shlex.quote(corpus.classes[-1])}"
    talk.say(f"Try it: allonym anonymize letter.txt --method a4nt {tried}")
