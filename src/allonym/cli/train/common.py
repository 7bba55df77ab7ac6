"""What the methods of `allonym train` share: options, reading a table, going on after an interruption, progress."""

from __future__ import annotations

import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from importlib.util import find_spec
from itertools import repeat
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import click

from allonym.cli.numbers import positive
from allonym.cli.talk import Talk, with_options
from allonym.errors import MissingDependencyError, ModelError, ResumeError, StoppedError
from allonym.formats.files import DocumentBatch, open_documents
from allonym.metrics.figures import percent
from allonym.training.erae.corpus import LARGEST_VOCABULARY, SMALLEST_VOCABULARY
from allonym.training.folder import CHECKPOINT, STATE, check_room

if TYPE_CHECKING:
    from allonym.training.keeping import Watcher

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Recipe = TypeVar("_Recipe")

_TICKS = 1000  # of the progress bar

WARNING = (
    "The model is a release of the text it was trained on, made without differential privacy: "
    "give it only to those who may read that text."
)


def text_options(command: _Command) -> _Command:
    """Add TABLE and what says where the texts and the model are."""
    return with_options(
        command,
        click.argument("table", metavar="TABLE"),
        click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="Folder for the model."),
        click.option("--text", help="Column with the texts."),
        click.option("--author", help="Column with the authors: a word must then be shared by authors, not documents."),
    )


def vocabulary_options(usual_words: int) -> Callable[[_Command], _Command]:
    """Add what says which words the model knows."""
    return lambda command: with_options(
        command,
        click.option(
            "--words",
            type=click.IntRange(SMALLEST_VOCABULARY, LARGEST_VOCABULARY),
            help=f"Largest vocabulary, in words.  [{usual_words:,}]",
        ),
        click.option(
            "--shared-by",
            type=click.IntRange(1),
            help="How many documents (with --author: authors) must use a word for the model to know it.  [3]",
        ),
    )


def length_options(*, examples: str, held_out: float) -> Callable[[_Command], _Command]:
    """Add what says how long a network learns that is looked at on documents held out; steps are of such examples."""
    held_out_help = f"Share of the documents held out, to decide when to stop.  [{held_out}]"
    rate_help = "Size of a step; by default it suits the network's size."
    patience_help = "Stop after this many looks at the held-out documents without improvement.  [8]"
    epochs_help = "Passes over the text, at most.  [20, without --minutes]"
    return lambda command: with_options(
        command,
        click.option("--held-out", type=positive(0.5), help=held_out_help),
        click.option("--epochs", type=click.IntRange(1), help=epochs_help),
        click.option("--minutes", type=positive(1e6), help="Minutes of training, at most."),
        click.option("--batch", type=click.IntRange(1), help=f"{examples} in a step.  [64]"),
        click.option("--learning-rate", type=positive(1.0), help=rate_help),
        click.option("--patience", type=click.IntRange(1), help=patience_help),
    )


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what belongs to a run; it reaches the command as `run`, and what was said about the model as `given`."""

    @wraps(command)
    def with_run(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
        if find_spec("torch") is None:
            raise MissingDependencyError("Training needs torch; get it with `pip install 'allonym[neural]'`.")
        from allonym.training.fitting import chosen_device

        named["device"] = chosen_device(named["device"])
        run = Run(**{field.name: named.pop(field.name) for field in fields(Run)})
        given = {name: value for name, value in named.items() if value is not None}
        return command(*arguments, run=run, given=given)

    devices = click.Choice(["auto", "cpu", "cuda"])
    return with_options(
        with_run,
        click.option("--device", type=devices, default="auto", help="Where to train."),
        click.option("--resume", is_flag=True, help="Continue after an interruption, with the same options."),
        click.option("--force", is_flag=True, help="Replace the model in the folder."),
    )


def rows(talk: Talk, table: str, text: str | None, author: str | None) -> Iterator[tuple[str | None, str]]:
    """Open a table and say that it is read; return author and text of each document, as they are asked for."""
    documents = open_documents(table, text=text, author=author)
    talk.say("Reading the texts.")
    return (row for batch in documents for row in authors_and_texts(batch))


def counted(documents: int, doubles: int) -> str:
    """Say how many documents there are."""
    return f"{documents:,} documents" + (f" ({doubles:,} doubles left out)" if doubles else "")


def authors_and_texts(batch: DocumentBatch) -> Iterator[tuple[str | None, str]]:
    """Yield the author, None where nobody named the column, and the text of each document."""
    yield from zip(batch.authors or repeat(None, len(batch.texts)), batch.texts, strict=True)


@dataclass(frozen=True)
class Run:
    """What is read and written, and how; nothing of the model."""

    table: str
    output: Path
    device: Any  # torch's
    resume: bool
    force: bool

    @contextmanager
    def resumable(self, method: str) -> Iterator[None]:
        """Where a run that leaves a checkpoint is interrupted, or the system refuses, say how to go on."""
        try:
            if not self.resume:
                check_room(self.output, force=self.force)
            yield
        except (KeyboardInterrupt, OSError) as error:
            if not (self.output / CHECKPOINT / STATE).is_file():
                raise
            again = shlex.join(["allonym", "train", method, self.table, "-o", str(self.output), "--resume"])
            if isinstance(error, KeyboardInterrupt):
                raise StoppedError(f"Interrupted; go on with: {again}") from error
            reason = error.strerror or type(error).__name__
            raise ModelError(f"The system refused ({reason}); the checkpoint is kept. Go on with: {again}") from error


def recipe(kind: Callable[..., _Recipe], run: Run, given: Mapping[str, Any]) -> tuple[_Recipe, str | None]:
    """Return what to train; of an interrupted run also the fingerprint of its text, and refuse options that differ."""
    if not run.resume:
        return kind(**given), None
    from allonym.training.checkpoints import read

    record = read(run.output / CHECKPOINT)
    before = kind(**record["recipe"])
    refuse_other_options(before, given)
    return before, str(record["fingerprint"])


def refuse_other_options(settings: object, given: Mapping[str, Any]) -> None:
    """Refuse to go on with options that differ from those of the interrupted run."""
    for name, value in given.items():
        if getattr(settings, name) != value:
            reason = "had another value when this run began; leave it out to go on, or train anew with --force"
            raise ResumeError(f"--{name.replace('_', '-')} {reason}.")


def refuse_other_texts(before: str | None, now: str) -> None:
    """Refuse to go on with texts whose fingerprint is not that of the interrupted run; None if there was none."""
    if before not in (None, now):
        raise ResumeError("The texts are not those this run began with; train anew with --force.")


@contextmanager
def progress_bar(talk: Talk, label: str = "") -> Iterator[Callable[[float, str], None] | None]:
    """Show a progress bar on a terminal; elsewhere there is none, and a line now and then serves instead.

    What is given moves the bar to a share from 0 to 1; a label stays until there is another.
    """
    if talk.quiet or not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=_TICKS, label=label, file=sys.stderr) as bar:

        def show(done: float, label: str) -> None:
            bar.label = label or bar.label
            bar.update(int(done * _TICKS) - bar.pos)

        yield show


class Stopping:
    """Whether somebody wants the command to end."""

    asked = False
    deferred = False  # until a step is done and a checkpoint is written; a second signal ends it at once


@contextmanager
def signals() -> Iterator[Stopping]:
    """Let Ctrl-C and SIGTERM end the command at a place it can go on from."""
    stopping = Stopping()

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


@contextmanager
def watched(talk: Talk, stopping: Stopping, said: Callable[[dict[str, float]], str]) -> Iterator[Watcher]:
    """Show a progress bar on a terminal, and else a line for each look at what is held out, which `said` words."""
    from allonym.training.keeping import Watcher

    with progress_bar(talk, "Training") as show:

        def step(done: float, number: int) -> None:
            if show is not None:
                show(done, "")

        def look(figures: dict[str, float]) -> None:
            if show is not None:
                show(figures["done"], f"Training (loss {figures['held_out_loss']:.3f})")
            else:
                talk.say(f"{percent(figures['done']):>5} done, step {figures['step']:,}: {said(figures)}")

        yield Watcher(step=step, look=look, stop=lambda: stopping.asked)


def report(talk: Talk, output: Path, figures: Mapping[str, Any], sentence: str) -> None:
    """Print what came of a run, and whom the model may be given to."""
    if not figures.get("as_if_uninterrupted", True):
        talk.say("The interrupted run was on another kind of device, so an uninterrupted one would differ.")
    about = {"model": str(output), **figures, "differential_privacy": False, "warning": WARNING}
    talk.data(about, f"{output}: {sentence}")
    talk.say(WARNING)


def say_how_to_try(talk: Talk, method: str, output: Path, *options: str) -> None:
    """Say the command that uses the model."""
    model = shlex.join(["--model", str(output), *options])
    talk.say(f"Try it: allonym anonymize letter.txt --method {method} {model}")
