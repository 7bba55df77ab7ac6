"""`allonym book`: books of public sentences for the method commonplace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from allonym.cli.talk import Talk, common_options
from allonym.errors import InputError
from allonym.formats.files import open_documents
from allonym.metrics.figures import percent

if TYPE_CHECKING:
    from allonym.books.book import Book
    from allonym.books.building import Gathered

NOTHING_CLOSE = "(no close sentence in the book)"
_MOST = 10_000_000  # sentences of a book
_CARD = """\
# {name}

{sentences:,} sentences for `allonym anonymize --method commonplace --book DIR`, each with its vector.

Taken from {texts:,} texts of {sources} that its builder holds for public, by `allonym book build`; the texts to protect
were {protected}. Left out: {left_out}.

## Licences

Sentences are handed out as they stand: whoever wrote them may be recognised by them, and their licence applies.
"""


@click.group(name="book", no_args_is_help=True)
@common_options
def command() -> None:
    """Make and look at books of public sentences, which the method commonplace draws from."""


@command.command(name="build")
@click.argument("sources", metavar="FILE...", nargs=-1, required=True)
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="Folder for the book.")
@click.option("--text", help="Column with the texts, for tables.")
@click.option("--not-from", "protected", help="Texts that the book is to protect: none of their sentences is let in.")
@click.option("--not-from-text", "protected_text", help="Column of --not-from with the texts; by default as --text.")
@click.option("--most", type=click.IntRange(1, _MOST), default=1_000_000, show_default=True, help="Most sentences.")
@click.option("--name", help="What the book is called; by default as its folder.")
@common_options
@click.pass_obj
def build(
    talk: Talk,
    sources: tuple[str, ...],
    output: Path,
    text: str | None,
    protected: str | None,
    protected_text: str | None,
    most: int,
    name: str | None,
) -> None:
    """Make a book from public text: files of any format that Allonym reads, or folders."""
    from allonym.books import book as books
    from allonym.books.building import Gathering, PrivateTexts, spread
    from allonym.networks.sentences import encoder as encoders

    encoder = encoders.SentenceEncoder.open()
    guarded = PrivateTexts() if protected is None else PrivateTexts(_texts(protected, protected_text or text))
    gathering = Gathering(encoder.features, guarded)
    for source in sources:
        for one in _texts(source, text):
            gathering.add(one)
    gathered = gathering.gathered
    sentences = spread(gathered.sentences, most)
    if not sentences:
        raise InputError(f"No sentence can be used ({_reasons(gathered)}); give more text, or text in whole sentences.")
    if protected is None:
        talk.say("The book must not be made of the texts it is to protect; name those with --not-from to be sure.")
    name = name or output.name
    card = _CARD.format(
        name=name,
        sentences=len(sentences),
        texts=gathered.texts,
        sources="1 source" if len(sources) == 1 else f"{len(sources):,} sources",
        protected="not named" if protected is None else "compared, and nothing of them is in the book",
        left_out=_reasons(gathered),
    )
    made = books.Book.of(sentences, encoder)
    config = {"name": name, "encoder": encoders.DEFAULT, "texts": gathered.texts, "left_out": dict(gathered.left_out)}
    books.write(output, made, config, card)
    record = {"book": str(output), "sentences": len(sentences), **config}
    talk.data(record, f"{output}: {len(sentences):,} sentences of {gathered.texts:,} texts.")
    talk.say(f"Left out: {_reasons(gathered)}.")


@command.command(name="show")
@click.argument("folder", metavar="DIR")
@click.option("--sample", help="Texts of the kind to protect: how well does the book cover them?")
@click.option("--text", help="Column of the sample with the texts.")
@click.option("--each", is_flag=True, help="Print every sentence of the sample beside the nearest one of the book.")
@common_options
@click.pass_obj
def show(talk: Talk, folder: str, sample: str | None, text: str | None, each: bool) -> None:
    """Say what a book holds and what a sentence from it costs; with a sample, how well it covers it."""
    from allonym.books.book import Book
    from allonym.books.covering import beside, coverage

    if each and sample is None:
        raise click.UsageError("--each needs the sentences of a --sample.")
    book = Book.open(folder)
    record: dict[str, Any] = {"name": book.config.get("name", folder), "sentences": len(book)}
    lines = [f"{record['name']}: {len(book):,} sentences.", *_some(book)]
    if sample is not None:
        texts = list(_texts(sample, text))
        covered = coverage(book, texts)
        record["coverage"] = asdict(covered)
        lines.append(
            f"Of {covered.sentences:,} sentences of the sample, {percent(covered.close)} have a close one in the book; "
            f"the usual cosine with the nearest is {covered.median:.2f}."
        )
        if each:
            pairs = beside(book, texts)
            record["sentences_of_sample"] = [asdict(pair) for pair in pairs]
            lines += [f"  {pair.sentence}\n    → {pair.nearest or NOTHING_CLOSE}" for pair in pairs]
        for warning in covered.warnings:
            talk.say(warning)
    talk.data(record, "\n".join(lines))


def _some(book: Book) -> Iterator[str]:
    """Yield sentences from all over a book, as lines."""
    step = max(1, len(book) // 5)
    return (f"  {sentence}" for sentence in book.sentences[: 5 * step : step])


def _texts(source: str, text: str | None) -> Iterator[str]:
    """Yield the texts of an input."""
    if source == "-":
        raise InputError("A book is made from files; name one in place of -.")
    is_table = Path(source).is_file() and Path(source).suffix.lower() != ".txt"
    documents = open_documents(source, text=text if is_table else None)
    for batch in documents:
        yield from batch.texts


def _reasons(gathered: Gathered) -> str:
    """Return in words what was left out."""
    from allonym.books.building import REASONS

    counts = gathered.left_out.most_common()
    return "; ".join(f"{count:,} for {REASONS[reason]}" for reason, count in counts) or "nothing"
