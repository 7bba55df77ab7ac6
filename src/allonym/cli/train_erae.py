"""`allonym train erae`: a text generator for `allonym anonymize --method erae`, learned from your own text."""

from __future__ import annotations

import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import repeat
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from allonym.cli.talk import Talk, common_options
from allonym.cli.train import need_torch
from allonym.errors import ModelError, ResumeError, StoppedError
from allonym.jobs.files import open_documents
from allonym.networks.erae_corpus import LARGEST_VOCABULARY, SMALLEST_VOCABULARY, Corpus, prepare

if TYPE_CHECKING:
    from allonym.networks.erae_own_text import Recipe, Watcher

_TICKS = 1000  # of the progress bar

WARNING = (
    "The model is a release of the text it was trained on, made without differential privacy: "
    "give it only to those who may read that text."
)


class _Positive(click.FloatRange):
    """A number above 0 and at most `most`."""

    def __init__(self, most: float) -> None:
        super().__init__(0.0, most, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        number = super().convert(value, param, ctx)
        if number != number:  # NaN, which passes every comparison
            self.fail("it is not a number.", param, ctx)
        return number


@click.command(name="erae")
@click.argument("table", metavar="TABLE")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="Folder for the model.")
@click.option("--text", help="Column with the texts.")
@click.option("--author", help="Column with the authors: a word must then be shared by authors, not documents.")
@click.option("--variant", type=click.Choice(["attention", "paper"]), help="Ours, or the paper's.  [attention]")
@click.option("--size", type=click.Choice(["tiny", "small", "full"]), help="Of the network.  [full, as shipped]")
@click.option(
    "--words",
    type=click.IntRange(SMALLEST_VOCABULARY, LARGEST_VOCABULARY),
    help="Words of the vocabulary at most.  [20,000]",
)
@click.option(
    "--shared-by",
    type=click.IntRange(1),
    help="Documents (with --author: authors) that must use a word for the model to know it.  [3]",
)
@click.option("--held-out", type=_Positive(0.5), help="Share of the documents that tells when to stop.  [0.1]")
@click.option("--epochs", type=click.IntRange(1), help="Passes over the text at most.  [20, without --minutes]")
@click.option("--minutes", type=_Positive(1e6), help="Minutes of training at most.")
@click.option("--batch", type=click.IntRange(1), help="Sentences of a step.  [64]")
@click.option("--learning-rate", type=_Positive(1.0), help="By default as suits the size.")
@click.option("--patience", type=click.IntRange(1), help="Looks without gain, after which to stop.  [8]")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Fixes order, noise and initial weights.  [1]")
@click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", help="Where to train.")
@click.option("--resume", is_flag=True, help="Go on where an interrupted run stopped; its options are remembered.")
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
    **options: Any,  # noqa: ANN401 - the fields of a recipe
) -> None:
    """Train ER-AE's network on the texts of TABLE: a .csv, .jsonl or .parquet file, or a folder of .txt.

    The folder is then a model for `allonym anonymize --method erae --model FOLDER`.
    """
    need_torch()
    from allonym.networks import erae_own_text
    from allonym.networks.erae_checkpoints import STATE

    given = {name: value for name, value in options.items() if value is not None}
    on = erae_own_text.chosen_device(device)
    try:
        with _signals() as stopping:
            if not resume:
                erae_own_text.check_room(output, force=force)
            recipe, fingerprint = _remembered(output, given) if resume else (erae_own_text.Recipe(**given), None)
            corpus = _read(talk, table, recipe, fingerprint)
            stopping.deferred = True
            with _watched(talk, recipe, stopping) as watcher:
                found = erae_own_text.train(corpus, recipe, output, device=on, resume=resume, watcher=watcher)
    except (KeyboardInterrupt, OSError) as error:
        if not (output / erae_own_text.CHECKPOINT / STATE).is_file():
            raise
        again = shlex.join(["allonym", "train", "erae", table, "-o", str(output), "--resume"])
        if isinstance(error, KeyboardInterrupt):
            raise StoppedError(f"Interrupted; go on with: {again}") from error
        reason = error.strerror or type(error).__name__
        raise ModelError(f"The system refused ({reason}); the checkpoint is kept. Go on with: {again}") from error
    _report(talk, output, corpus, found)


class _Stopping:
    """Whether somebody wants the command to end."""

    asked = False
    deferred = False  # until a step is done and a checkpoint is written; a second signal ends it at once


@contextmanager
def _signals() -> Iterator[_Stopping]:
    """Let Ctrl-C and SIGTERM end the command at a place it can go on from."""
    stopping = _Stopping()

    def handle(number: int, frame: FrameType | None) -> None:
        if stopping.asked or not stopping.deferred:
            raise KeyboardInterrupt
        stopping.asked = True

    if threading.current_thread() is not threading.main_thread():  # Python allows signal handlers there alone
        yield stopping
        return
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _remembered(output: Path, given: dict[str, Any]) -> tuple[Recipe, str]:
    """Return the recipe and the fingerprint of the text of an interrupted run; refuse options that differ."""
    from allonym.networks.erae_checkpoints import read
    from allonym.networks.erae_own_text import CHECKPOINT, Recipe

    record = read(output / CHECKPOINT)
    recipe = Recipe(**record["recipe"])
    kept = asdict(recipe)
    for name, value in given.items():
        if kept[name] != value:
            option = f"--{name.replace('_', '-')}"
            raise ResumeError(
                f"{option} was another when this run began; leave it out to go on, or train anew with --force."
            )
    return recipe, str(record["fingerprint"])


def _read(talk: Talk, table: str, recipe: Recipe, fingerprint: str | None) -> Corpus:
    """Read the texts; refuse others than those of the run that is resumed."""
    documents = open_documents(table, text=recipe.text, author=recipe.author)
    rows = (
        (author, text)
        for batch in documents
        for author, text in zip(batch.authors or repeat(None, len(batch.texts)), batch.texts, strict=True)
    )
    talk.say("Reading the texts.")
    corpus = prepare(rows, words=recipe.words, shared_by=recipe.shared_by, held_out=recipe.held_out, seed=recipe.seed)
    if fingerprint not in (None, corpus.fingerprint):
        raise ResumeError("The texts are not those this run began with; train anew with --force.")
    doubles = f" ({corpus.doubles:,} doubles left out)" if corpus.doubles else ""
    talk.say(
        f"{corpus.documents:,} documents{doubles}; {len(corpus.vocabulary):,} words, which cover "
        f"{corpus.coverage:.1%} of the text; {len(corpus.lengths):,} sentences to learn from, "
        f"{len(corpus.held_out_lengths):,} held out."
    )
    return corpus


@contextmanager
def _watched(talk: Talk, recipe: Recipe, stopping: _Stopping) -> Iterator[Watcher]:
    """Show a progress bar on a terminal, and else a line for each look at the held-out sentences."""
    from allonym.networks.erae_own_text import Watcher

    terminal = sys.stderr.isatty() and not talk.quiet
    bar = click.progressbar(length=_TICKS, label="Training", file=sys.stderr, hidden=not terminal)
    with bar:

        def step(done: float, number: int) -> None:
            bar.update(int(done * _TICKS) - bar.pos)

        def look(found: dict[str, float]) -> None:
            if terminal:
                bar.label = f"Training (loss {found['held_out_loss']:.3f})"
            else:
                talk.say(
                    f"{found['done']:4.0%} done, step {found['step']:,}: held-out loss {found['held_out_loss']:.3f}, "
                    f"{found['accuracy']:.1%} of the words right, {found['tokens_per_second']:,.0f} words a second"
                )

        yield Watcher(step=step, look=look, stop=lambda: stopping.asked)


def _report(talk: Talk, output: Path, corpus: Corpus, found: dict[str, Any]) -> None:
    record = {
        "model": str(output),
        "words": len(corpus.vocabulary),
        "documents": corpus.documents,
        "sentences": len(corpus.lengths),
        "held_out_sentences": len(corpus.held_out_lengths),
        **{name: found[name] for name in ("steps", "accuracy", "among_five", "lowest", "as_if_uninterrupted")},
        "differential_privacy": False,
        "warning": WARNING,
    }
    text = (
        f"{output}: of the words held out, {found['accuracy']:.1%} are the network's first choice and "
        f"{found['among_five']:.1%} among its first five."
    )
    talk.data(record, text)
    if not found["as_if_uninterrupted"]:
        talk.say("The interrupted run was on another kind of device, so an uninterrupted one would differ.")
    talk.say(WARNING)
    talk.say(f"Try it: allonym anonymize letter.txt --method erae --model {shlex.quote(str(output))}")
