"""`allonym train a4nt`: a translator between styles for `allonym anonymize --method a4nt`, from your own text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from allonym.cli.numbers import positive
from allonym.cli.talk import Talk, common_options
from allonym.cli.train import common
from allonym.cli.train.common import Run, run_options, text_options, vocabulary_options
from allonym.formats.files import DocumentBatch, open_documents
from allonym.metrics.figures import percent
from allonym.networks.a4nt.inference import NEUTRAL
from allonym.training.a4nt.corpus import A4ntCorpus, LabelledText, prepare

if TYPE_CHECKING:
    from allonym.training.a4nt.own_text import A4ntPlan, Progress
    from allonym.training.a4nt.watch import TranslatorFigures

_STAGES = {"opponent": "Classifier", "language": "Language model", "restoring": "Auto-encoder", "game": "Translator"}
_NO_LOSSES = ("step", "seconds")
_HIDING = "Neutral"
_LOSSES = ("CycML", "CycML+Lang", "CycML+Lang+Near", _HIDING, "autoencoder")

_NO_PROMISE = "No formal privacy is promised; measure with `allonym evaluate` how well the rewritten text resists."


@click.command(name="a4nt")
@text_options
@click.option("--attribute", help="Column to hide: the age group, the gender, the speaker.")
@click.option(
    "--names/--no-names", default=None, help="Read names of people and places as classes. [needs allonym[style]]"
)
@click.option(
    "--variant", type=click.Choice(["editor", "transformer", "paper"]), help="Ours (two), or the paper's.  [editor]"
)
@click.option("--losses", type=click.Choice(_LOSSES), help="What it is trained for.  [CycML+Lang]")
@click.option("--size", type=click.Choice(["tiny", "small", "full"]), help="Size of the networks.  [full, as shipped]")
@vocabulary_options(usual_words=16_000)
@click.option("--held-out", type=positive(0.5), help="Share of the documents held out, to watch the training.  [0.1]")
@click.option("--steps", type=click.IntRange(1, 10**8), help="Steps in the longest stages.  [4000]")
@click.option("--minutes", type=positive(1e6), help="Minutes of training, at most.")
@click.option("--batch", type=click.IntRange(1, 10**5), help="Sentences of each class in a step.  [256]")
@click.option("--seed", type=click.IntRange(0, 2**62), help="Fixes order, noise and initial weights.  [1]")
@run_options
@common_options
@click.pass_obj
def command(talk: Talk, /, run: Run, given: dict[str, Any]) -> None:
    """Train A4NT's networks on the texts of TABLE: a .csv, .jsonl or .parquet file.

    The folder is then a model for `allonym anonymize --method a4nt --model FOLDER`.
    """
    from allonym.training.a4nt import own_text

    with run.resumable("a4nt"):
        plan, fingerprint = _remembered(run.output, given) if run.resume else (_planned(given), None)
        corpus = _read(talk, run.table, plan, fingerprint)
        with _shown(talk) as progress:
            figures = own_text.train(corpus, plan, run.output, device=run.device, resume=run.resume, progress=progress)
    _report(talk, run.output, corpus, plan, figures)


def _planned(given: dict[str, Any]) -> A4ntPlan:
    from allonym.training.a4nt.own_text import A4ntPlan

    if "attribute" not in given:
        raise click.UsageError("Training needs --attribute, the column to hide.")
    return A4ntPlan(**given)


def _remembered(output: Path, given: dict[str, Any]) -> tuple[A4ntPlan, str]:
    """Return the plan and the fingerprint of the text of an interrupted run; refuse options that differ."""
    from allonym.training.a4nt.own_text import A4ntPlan, remembered

    record = remembered(output)
    plan = A4ntPlan(**record["plan"])
    common.refuse_other_options(plan, given)
    return plan, str(record["fingerprint"])


def _read(talk: Talk, table: str, plan: A4ntPlan, fingerprint: str | None) -> A4ntCorpus:
    """Read the texts; refuse others than those of the run that is resumed."""
    documents = open_documents(table, text=plan.text, author=plan.author, keep=[plan.attribute])
    talk.say("Reading the texts.")
    corpus = prepare(
        (text for batch in documents for text in _labelled(batch, plan.attribute)),
        words=plan.words,
        shared_by=plan.shared_by,
        held_out=plan.held_out,
        names=plan.names,
        seed=plan.seed,
    )
    common.refuse_other_texts(fingerprint, corpus.fingerprint)
    sizes = (f"{name} {len(sample.lengths):,}" for name, sample in zip(corpus.classes, corpus.learned, strict=True))
    talk.say(
        f"{corpus.documents:,} documents; {len(corpus.vocabulary):,} words, which cover "
        f"{percent(corpus.coverage, 1)} of the text; sentences to learn from: {', '.join(sizes)}."
    )
    return corpus


def _labelled(batch: DocumentBatch, attribute: str) -> Iterator[LabelledText]:
    labels = batch.kept[attribute].to_pylist() if batch.kept is not None else []
    for label, (author, text) in zip(labels, common.authors_and_texts(batch), strict=True):
        yield LabelledText("" if label is None else str(label), author, text)


@contextmanager
def _shown(talk: Talk) -> Iterator[Progress]:
    """Show a progress bar for each stage on a terminal, and else a line now and then."""
    with common.progress_bar(talk) as show:

        def tell(stage: str, done: float, numbers: dict[str, float]) -> None:
            if show is not None:
                show((list(_STAGES).index(stage) + done) / len(_STAGES), _STAGES[stage])
                return
            losses = ", ".join(f"{name} {value:.3f}" for name, value in numbers.items() if name not in _NO_LOSSES)
            talk.say(f"{_STAGES[stage]} {percent(done):>5}, step {numbers['step']:,.0f}: {losses}")

        yield tell


def _report(talk: Talk, output: Path, corpus: A4ntCorpus, plan: A4ntPlan, figures: TranslatorFigures) -> None:
    sizes = {"words": len(corpus.vocabulary), "documents": corpus.documents, "sentences": corpus.sentences}
    before, after, same = map(percent, (figures.documents_before, figures.documents_after, figures.kept))
    sentence = (
        f"the classifier gave {before} of the documents held out to their true class before, and {after} after; {same} "
        "of the words are kept."
    )
    common.report(talk, output, {"classes": list(corpus.classes), **sizes, **figures.to_json()}, sentence)
    talk.say(_NO_PROMISE)
    target = NEUTRAL if plan.losses == _HIDING else corpus.classes[-1]
    common.say_how_to_try(talk, "a4nt", output, "--target", target)
