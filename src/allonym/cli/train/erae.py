"""`allonym train erae`: a text generator for `allonym anonymize --method erae`, learned from your own text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from allonym.cli.talk import Talk, common_options
from allonym.cli.train import common
from allonym.cli.train.common import Run, length_options, run_options, text_options, vocabulary_options
from allonym.metrics.figures import percent
from allonym.training.erae.corpus import EraeCorpus, prepare

if TYPE_CHECKING:
    from allonym.training.erae.own_text import EraeRecipe, TrainedErae


@click.command(name="erae")
@text_options
@click.option("--variant", type=click.Choice(["attention", "paper"]), help="Ours, or the paper's.  [attention]")
@click.option("--size", type=click.Choice(["tiny", "small", "full"]), help="Size of the network.  [full, as shipped]")
@vocabulary_options(usual_words=20_000)
@length_options(examples="Sentences", held_out=0.1)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Fixes order, noise and initial weights.  [1]")
@run_options
@common_options
@click.pass_obj
def command(talk: Talk, /, run: Run, given: dict[str, Any]) -> None:
    """Train ER-AE's network on the texts of TABLE: a .csv, .jsonl or .parquet file, or a folder of .txt.

    The folder is then a model for `allonym anonymize --method erae --model FOLDER`.
    """
    from allonym.training.erae import own_text

    with run.resumable("erae"), common.signals() as stopping:
        recipe, fingerprint = common.recipe(own_text.EraeRecipe, run, given)
        corpus = _read(talk, run.table, recipe, fingerprint)
        stopping.deferred = True
        with common.watched(talk, stopping, _look) as watcher:
            figures = own_text.train(corpus, recipe, run.output, device=run.device, resume=run.resume, watcher=watcher)
    _report(talk, run.output, corpus, figures)


def _read(talk: Talk, table: str, recipe: EraeRecipe, fingerprint: str | None) -> EraeCorpus:
    """Read the texts; refuse others than those of the run that is resumed."""
    rows = common.rows(talk, table, recipe.text, recipe.author)
    corpus = prepare(rows, words=recipe.words, shared_by=recipe.shared_by, held_out=recipe.held_out, seed=recipe.seed)
    common.refuse_other_texts(fingerprint, corpus.fingerprint)
    talk.say(
        f"{common.counted(corpus.documents, corpus.doubles)}; {len(corpus.vocabulary):,} words, which cover "
        f"{percent(corpus.coverage, 1)} of the text; {len(corpus.lengths):,} sentences to learn from, "
        f"{len(corpus.held_out_lengths):,} held out."
    )
    return corpus


def _look(figures: dict[str, float]) -> str:
    return (
        f"held-out loss {figures['held_out_loss']:.3f}, {percent(figures['accuracy'], 1)} of the words right, "
        f"{figures['tokens_per_second']:,.0f} words a second"
    )


def _report(talk: Talk, output: Path, corpus: EraeCorpus, trained: TrainedErae) -> None:
    figures = {
        "words": len(corpus.vocabulary),
        "documents": corpus.documents,
        "sentences": len(corpus.lengths),
        "held_out_sentences": len(corpus.held_out_lengths),
        "steps": trained.steps,
        "accuracy": trained.held_out.accuracy,
        "among_five": trained.held_out.among_five,
        "lowest": trained.lowest,
        "as_if_uninterrupted": trained.as_if_uninterrupted,
    }
    sentence = (
        f"of the words held out, {percent(trained.held_out.accuracy, 1)} are the network's first choice and "
        f"{percent(trained.held_out.among_five, 1)} among its first five."
    )
    common.report(talk, output, figures, sentence)
    common.say_how_to_try(talk, "erae", output)
