"""`allonym train ghostwriter`: a network for `allonym anonymize --method ghostwriter` with a proved loss."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from allonym.cli.numbers import positive
from allonym.cli.talk import Talk, common_options
from allonym.cli.train import common
from allonym.cli.train.common import Run, length_options, run_options, text_options
from allonym.networks.ghostwriter.choosing import MOST_SLOTS
from allonym.networks.ghostwriter.model import MOST_CANDIDATES
from allonym.training.ghostwriter.corpus import MOST_NOTES, SMALLEST_LIST, WriterCorpus, prepare

if TYPE_CHECKING:
    from allonym.training.ghostwriter.own_text import TrainedWriter, WriterRecipe

_LISTS = click.IntRange(SMALLEST_LIST, MOST_NOTES)


@click.command(name="ghostwriter")
@text_options
@click.option(
    "--start",
    type=click.Choice(["translation", "nothing"]),
    help="Begin with the weights of the translation networks, or with none.  [translation; needs allonym[translate]]",
)
@click.option("--size", type=click.Choice(["tiny", "small", "full"]), help="Size, if it begins with nothing.  [full]")
@click.option("--notes", type=_LISTS, help="Longest list of notes, in words.  [12,000]")
@click.option("--pieces", type=_LISTS, help="Pieces of words that it writes, at most.  [17,000]")
@click.option("--candidates", type=click.IntRange(1, MOST_CANDIDATES), help="Words of a group.  [5]")
@click.option("--slots", type=click.IntRange(1, MOST_SLOTS), help="Notes that are written out together.  [24]")
@click.option("--loss-per-word", type=positive(50.0), help="The loss whose accidents it learns to expect.  [11.4]")
@click.option(
    "--shared-by",
    type=click.IntRange(1),
    help="How many documents (with --author: authors) must use a word for it to be a note.  [3]",
)
@length_options(examples="Passages", held_out=0.05)
@click.option("--seed", type=click.IntRange(0, 2**62), help="Fixes order, noise and initial weights.  [1]")
@run_options
@common_options
@click.pass_obj
def command(talk: Talk, /, run: Run, given: dict[str, Any]) -> None:
    """Train Ghostwriter's network on the texts of TABLE: a .csv, .jsonl or .parquet file, or a folder of .txt.

    The folder is then a model for `allonym anonymize --method ghostwriter --loss-per-word 11.4 --model FOLDER`.
    """
    from allonym.training.ghostwriter import own_text

    with run.resumable("ghostwriter"), common.signals() as stopping:
        recipe, fingerprint = common.recipe(own_text.WriterRecipe, run, given)
        corpus = _read(talk, run.table, recipe, fingerprint)
        stopping.deferred = True
        with common.watched(talk, stopping, _look) as watcher:
            trained = own_text.train(corpus, recipe, run.output, device=run.device, resume=run.resume, watcher=watcher)
    _report(talk, run.output, corpus, recipe, trained)


def _read(talk: Talk, table: str, recipe: WriterRecipe, fingerprint: str | None) -> WriterCorpus:
    """Read the texts; refuse others than those of the run that is resumed."""
    rows = common.rows(talk, table, recipe.text, recipe.author)
    corpus = prepare(
        rows,
        notes=recipe.notes,
        pieces=recipe.pieces,
        shared_by=recipe.shared_by,
        held_out=recipe.held_out,
        seed=recipe.seed,
        from_translation=recipe.start == "translation",
    )
    common.refuse_other_texts(fingerprint, corpus.fingerprint)
    talk.say(
        f"{common.counted(corpus.documents, corpus.doubles)}; {len(corpus.vocabulary):,} notes, "
        f"{len(corpus.pieces):,} pieces; {len(corpus.learned):,} passages to learn from, "
        f"{len(corpus.held_out):,} held out."
    )
    return corpus


def _look(figures: dict[str, float]) -> str:
    return f"held-out loss {figures['held_out_loss']:.3f}, {figures['tokens_per_second']:,.0f} pieces a second"


def _report(talk: Talk, output: Path, corpus: WriterCorpus, recipe: WriterRecipe, trained: TrainedWriter) -> None:
    figures = {
        "notes": len(corpus.vocabulary),
        "pieces": len(corpus.pieces),
        "documents": corpus.documents,
        "passages": len(corpus.learned),
        "held_out_passages": len(corpus.held_out),
        "lowest": trained.lowest,
        "steps": trained.steps,
        "as_if_uninterrupted": trained.as_if_uninterrupted,
    }
    sentence = f"of the passages held out, a piece has a loss of {trained.lowest:.3f}."
    common.report(talk, output, figures, sentence)
    common.say_how_to_try(talk, "ghostwriter", output, "--loss-per-word", f"{recipe.loss_per_word:g}")
