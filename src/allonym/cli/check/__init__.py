"""`allonym check`: how recognisable a text is, to attackers who know its possible authors or beside public writers."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click

from allonym import attackers
from allonym.attackers.base import Attacker
from allonym.cli import RISK, looking
from allonym.cli.check import alone, pairs, printing, rows, suggesting
from allonym.cli.numbers import SHARE
from allonym.cli.talk import Talk, common_options
from allonym.errors import InputError, RowsError
from allonym.formats.authors import KnownTexts, read_authors, read_documents
from allonym.formats.columns import is_usual_text_name
from allonym.formats.files import open_documents
from allonym.formats.tables import shown
from allonym.privacy.statement import counted
from allonym.recognition import reading
from allonym.recognition.recogniser import Recogniser
from allonym.recognition.reliability import count_words

_FIRST_ROW = "The first row was taken for names of columns. If it is a text, add a row of names above it."
_CLUES = "What gives it away, with its share of all that speaks for this author:"


@dataclass(frozen=True)
class _Known:
    """Where the known writers' texts are: a folder or a table, and its columns."""

    source: str
    text: str | None
    author: str | None


@click.command(name="check")
@click.argument("source", metavar="INPUT")
@click.option("--known", help="Folder with a sub-folder of .txt for each author, or a table.")
@click.option("--text", help="Column with the texts, if INPUT is a table.")
@click.option("--id", help="Column with ids, if INPUT is a table; otherwise rows are numbered from 0.")
@click.option("--known-text", help="Column with the known texts, if --known is a table.")
@click.option("--known-author", "--author", "known_author", help="Column with the authors, if --known is a table.")
@click.option("--me", help="The true author, one of the known ones: is the text recognised as theirs?")
@click.option("--attackers", "names", help="Which attackers to ask, with commas between them.")
@click.option("--same-as", help="Another text: how likely is it that both are by the same author?")
@click.option("--show", is_flag=True, help="Print the text with the strongest clues marked.")
@click.option("--suggest", is_flag=True, help="Print changes that lower the risk of one text, each with its effect.")
@click.option("--fail-above", type=SHARE, help="Exit with 1 if the risk (between 0 and 1) is above this.")
@common_options
@click.pass_context
def command(context: click.Context, /, source: str, fail_above: float | None, **options: Any) -> None:  # noqa: ANN401
    """Say how recognisable INPUT is: a .txt or .docx, a folder of .txt, a table, or - for stdin.

    With --known, attackers are trained on the known authors' texts and tested on pieces as long as INPUT. The risk is
    how sure the strongest one is of the true author (--me), or of the likeliest one. Without it, INPUT is compared
    with the habits of public writers; the risk is then the share of their texts whose habits are less rare together.
    """
    talk: Talk = context.obj
    if source == "-" and sys.stdin is None:
        raise click.UsageError("Standard input is closed; give it a text or name a file.")
    table = rows.is_table(source)
    _refuse_idle(options, table=table)
    known = _known(options, table=table)
    empty = 0
    if table:
        risk, empty = _rows(talk, source, options, known)
    elif options["same_as"] is not None:
        risk = _pair(talk, source, options["same_as"], known)
    elif known is not None:
        risk = _recognise(talk, _documents(source), known, options)
    else:
        documents = _documents(source)
        _refuse_many(documents, suggest=options["suggest"])
        risk = alone.look(talk, documents, show=options["show"], suggest=options["suggest"])
    if fail_above is not None and alone.decided(risk) > fail_above:
        talk.say(f"The risk, {risk:.3f}, is above {fail_above:g}.")
        context.exit(RISK)
    if empty:
        raise RowsError(f"{counted(empty, 'row')} without a word could not be checked; fill in or leave out.")


def _refuse_idle(options: dict[str, Any], *, table: bool) -> None:
    """Refuse options that would have no effect."""
    given = {name for name, value in options.items() if value not in (None, False)}
    if "same_as" in given and (table or given & {"me", "names", "show", "suggest"}):
        reason = "--same-as compares INPUT, one text, with another"
        raise click.UsageError(f"{reason}; give a .txt and leave out --me, --attackers, --show and --suggest.")
    if table and "show" in given:
        raise click.UsageError("--show prints one text with its clues; give a .txt, or leave it out.")
    if table and "suggest" in given:
        raise click.UsageError(suggesting.ONE_TEXT)
    if not table and "id" in given:
        raise click.UsageError("--id names a column of INPUT, which is no table; leave it out.")
    alone_given = given & {"me", "names", "known_text", "known_author", *(() if table else ("text",))}
    if "known" not in given and alone_given:
        spelled = sorted(f"--{'attackers' if name == 'names' else name.replace('_', '-')}" for name in alone_given)
        raise click.UsageError(
            f"Without known writers there is no use for {', '.join(spelled)}; name them with --known, or leave it out."
        )


def _known(options: dict[str, Any], *, table: bool) -> _Known | None:
    """Return where the known texts are; --text is their column, too, where INPUT has none."""
    if options["known"] is None:
        return None
    text = options["known_text"]
    if text is None and not table:
        text = options["text"]
    return _Known(options["known"], text, options["known_author"])


def _documents(source: str) -> dict[str, str]:
    names, texts = read_documents(source)
    empty = sum(not count_words(text) for text in texts)
    if empty:
        of_all = "no words" if len(texts) == 1 else f"{counted(empty, 'file')} without a word"
        raise InputError(f"{shown(source)} holds {of_all}; give texts that have some.")
    return dict(zip(names, texts, strict=True))


def _refuse_many(documents: dict[str, str], *, suggest: bool) -> None:
    if suggest and len(documents) > 1:
        raise click.UsageError(suggesting.ONE_TEXT)


def _reference(talk: Talk, known: _Known, checked: Iterable[str]) -> KnownTexts:
    """Read the known texts, without those to be checked: who has seen the answer proves nothing by giving it."""
    everything = read_authors(known.source, text=known.text, author=known.author)
    if everything.skipped:
        talk.say(f"Not read, because they are links that lead elsewhere: {everything.skipped:,}.")
    rest = everything.without(checked)
    left_out = len(everything.texts) - len(rest.texts)
    if left_out:
        talk.say(f"Left out of the known texts, because they are the text to check: {left_out:,}.")
    return rest


def _trained(talk: Talk, known: KnownTexts, words: int, options: dict[str, Any]) -> tuple[Recogniser, str | None]:
    """Train attackers on known texts; return them, and the true author as the known texts spell it."""
    names, me = options["names"], None if options["me"] is None else shown(options["me"])
    chosen: Sequence[Attacker] | None = None
    if names is not None:
        chosen = [attackers.make(name.strip()) for name in names.split(",")]
    if me is not None and me not in known.authors:
        raise click.UsageError("--me is not among the known authors; use a name as in --known, or leave it out.")
    hidden = talk.quiet or not sys.stderr.isatty()
    with click.progressbar(length=1, label="Training attackers", file=sys.stderr, hidden=hidden) as bar:

        def progress(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        return Recogniser(chosen).fit(known.texts, known.authors, words=words, progress=progress), me


def _recognise(talk: Talk, documents: dict[str, str], known: _Known, options: dict[str, Any]) -> float:
    """Check every document, print the answer, and return the largest risk."""
    _refuse_many(documents, suggest=options["suggest"])
    looking.tell_language(talk, documents.values())
    words = round(statistics.median(count_words(text) for text in documents.values()))
    reference = _reference(talk, known, documents.values())
    recogniser, me = _trained(talk, reference, words, options)
    recognised = {name: recogniser.check(text, me) for name, text in documents.items()}
    first = next(iter(recognised.values()))
    if len(recognised) == 1:
        [text] = documents.values()
        named = reading.named(text)
        own = [known for known, author in zip(reference.texts, reference.authors, strict=True) if author == me]
        found = reading.figures(text, own, me or "")
        lines = [talk.heading(str(first)), first.open_set, *(gauge.sentence for gauge in found.gauges)]
        lines += [*printing.named(named, text), *printing.attackers(first), *printing.others(found.attackers)]
        lines += printing.clues(first.clues, text, _CLUES)
        answer: dict[str, Any] = {**first.to_json(), "names": [asdict(mark) for mark in named]}
        answer["gauges"] = [gauge.to_json() for gauge in found.gauges]
        if options["suggest"]:
            answer["suggestions"] = suggesting.add(lines, text, recogniser, me or first.strongest.candidates[0].author)
        if options["show"]:
            lines += ["", printing.marked(text, [*printing.as_clues(named, text), *first.clues], talk)]
    else:
        ranked = sorted(recognised.items(), key=lambda item: (-item[1].risk, item[0]))
        lines = [printing.HEADER, *(printing.row(name, recognition) for name, recognition in ranked)]
        lines += ["", *printing.attackers(first, verdicts=False), *printing.errors(first)]
        answer = {"documents": [{"id": name, **recognition.to_json()} for name, recognition in recognised.items()]}
    talk.data(answer, "\n".join(lines))
    for warning in dict.fromkeys(warning for recognition in recognised.values() for warning in recognition.warnings):
        talk.say(f"Warning: {warning}")
    return max(recognition.risk for recognition in recognised.values())


def _rows(talk: Talk, source: str, options: dict[str, Any], known: _Known | None) -> tuple[float | None, int]:
    """Check every row of a table; return the largest risk, and how many rows held no word."""
    documents = open_documents(source, text=options["text"], id=options["id"], batch_rows=rows.BATCH_ROWS)
    if documents.text is not None and not documents.named and not is_usual_text_name(documents.text):
        talk.say(_FIRST_ROW)
    looking.tell_language(talk, documents.first_texts())
    words = rows.usual_words(documents)  # reads everything once, so that errors show before the first answer
    recogniser, me = None, None
    if known is not None:
        reference = _reference(talk, known, rows.texts(documents))
        recogniser, me = _trained(talk, reference, words, options)
    tally = rows.check(talk, documents, recogniser, me)
    talk.say(tally.summary())
    looking.count_names(talk, documents.first_texts(), model=False)
    if known is None:
        talk.say(alone.MORE)
    return tally.risk, tally.empty


def _pair(talk: Talk, source: str, other: str, known: _Known | None) -> float:
    first, second = _documents(source), _documents(other)
    if len(first) > 1 or len(second) > 1:
        raise click.UsageError("--same-as compares INPUT, one text, with another; give two .txt files.")
    pair = (next(iter(first.values())), next(iter(second.values())))
    if known is None:
        return pairs.compare_alone(talk, pair)
    return pairs.compare(talk, pair, _reference(talk, known, pair))
