"""`allonym guard`: what a rewrite changed that matters."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, Any

import click

from allonym.cli.talk import Talk, common_options
from allonym.errors import InputError
from allonym.formats.authors import refuse_binary
from allonym.formats.files import Documents, open_documents
from allonym.formats.tables import shown
from allonym.metrics.figures import percent
from allonym.privacy.statement import counted

if TYPE_CHECKING:
    from allonym.guard import GuardReport

_SHARES = {
    "notes": "content words kept",
    "invented": "content words invented",
    "negations": "negations kept",
    "numbers": "numbers, amounts, dates, times and phone numbers kept",
    "names": "names kept",
    "addresses": "links and e-mail addresses kept",
    "quotations": "quotations kept word for word",
}


@dataclass(frozen=True)
class _Pair:
    """A document before and after."""

    name: str
    before: str
    after: str


@click.command(name="guard")
@click.argument("before")
@click.argument("after", required=False)
@click.option("--text", help="Column with the originals, if BEFORE is a table.")
@click.option("--after-text", help="Column with the rewrites, if AFTER is a table; by default the same as --text.")
@click.option("--released", metavar="COL", help="Column of BEFORE with the rewrites, in place of AFTER.")
@click.option("--id", help="Column with ids, in both tables; otherwise rows are matched in order.")
@click.option("--spacy", is_flag=True, help="Also look for names with spaCy's small model (extra style).")
@click.option("--synonyms", is_flag=True, help="Also count WordNet's synonyms as the same word (extra wordnet).")
@common_options
@click.pass_obj
def command(
    talk: Talk,
    /,
    before: str,
    after: str | None,
    text: str | None,
    after_text: str | None,
    released: str | None,
    id: str | None,  # noqa: A002 - named as its option
    spacy: bool,
    synonyms: bool,
) -> None:
    """Say what the rewrite AFTER changed of BEFORE that matters.

    Names, numbers, amounts, dates, quotations and addresses that changed, are gone or are new; content words lost and
    invented; negations and opposites; who did what. BEFORE and AFTER are two .txt, two folders of .txt with the same
    names, or two tables; one of the two may be - for stdin. The answer quotes the original: never release it with
    AFTER.
    """
    if (after is None) == (released is None):
        raise click.UsageError("Name the rewrite: AFTER, or the column of BEFORE that holds it with --released.")
    if released is not None and after_text is not None:
        raise click.UsageError(
            "--after-text is for a second table; leave it out, or name AFTER in place of --released."
        )
    if before == after == "-":
        raise click.UsageError("Only one of BEFORE and AFTER can be standard input; name a file for the other.")
    olds = open_documents(before, text=text, id=id)
    if after is None:
        news = open_documents(before, text=released, id=id)
    else:
        news = open_documents(after, text=after_text or text, id=id)
    _print(talk, _compared(_pairs(olds, news), spacy=spacy, synonyms=synonyms))


def _pairs(olds: Documents, news: Documents) -> Iterator[_Pair]:
    """Yield documents that belong together, refusing what does not."""
    single = olds.format.holds == news.format.holds == "document"
    for old, new in zip_longest(_documents(olds), _documents(news)):
        if old is None or new is None:
            few, many = (olds, news) if old is None else (news, olds)
            reason = f"{shown(few.source)} holds fewer documents than {shown(many.source)}"
            raise InputError(f"{reason}; give each text with its rewrite.")
        if old[0] != new[0] and not single:
            raise InputError(
                f"{shown(old[0])} of {shown(olds.source)} stands beside {shown(new[0])} of {shown(news.source)}; "
                "give both the same documents in the same order."
            )
        yield _Pair(old[0] if not single else olds.source, old[1], new[1])


def _documents(documents: Documents) -> Iterator[tuple[str, str]]:
    for batch in documents:
        refuse_binary(documents.source, batch.texts)
        yield from zip(batch.ids, batch.texts, strict=True)


def _compared(pairs: Iterator[_Pair], *, spacy: bool, synonyms: bool) -> Iterator[tuple[_Pair, GuardReport]]:
    from allonym.guard import compare  # late: help loads no NumPy
    from allonym.language.synonyms import WordNet

    wordnet = WordNet.open() if synonyms else None
    for pair in pairs:
        yield pair, compare(pair.before, pair.after, spacy=spacy, wordnet=wordnet)


def _print(talk: Talk, answers: Iterator[tuple[_Pair, GuardReport]]) -> None:
    """Print reports as they come, so that memory stays small, and then what they say together."""
    from allonym.guard.report import NOTHING

    counts, figures, documents = Counter[str](), NOTHING, 0
    if talk.json:
        click.echo('{"documents": [', nl=False)
    for pair, report in answers:
        if talk.json:
            record = {"id": shown(pair.name), **report.to_json()}
            click.echo(f"{',' if documents else ''}\n{json.dumps(record)}", nl=False)
        else:
            _print_report(talk, pair, report)
        documents += 1
        counts.update(report.counts)
        figures += report.figures
    if talk.json:
        together = {"documents": documents, "counts": counts, "figures": figures.to_json()}
        click.echo(f'\n], "together": {json.dumps(together)}}}')
        return
    for line in (_counted(counts, documents), *_shares(figures.to_json())):
        talk.line(line)


def _print_report(talk: Talk, pair: _Pair, report: GuardReport) -> None:
    """Print findings, those of the same sentences together, with these sentences below."""
    if report.findings:
        talk.line(talk.heading(shown(pair.name)))
    for aligned, findings in groupby(report.findings, report.sentences_of):
        for finding in findings:
            talk.line(f"  {finding.kind}: {_harmless(finding.said)}")
        for side, spans, text in (("before", aligned.before, pair.before), ("after", aligned.after, pair.after)):
            if spans:
                talk.line(f"    {side}: {_harmless(text[spans[0].start : spans[-1].end])}")
    if report.findings:
        talk.line("")


def _counted(counts: Counter[str], documents: int) -> str:
    texts = counted(documents, "text")
    if not counts:
        return f"Nothing that matters seems to have changed in {texts}."
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in counts.items())
    return f"{counted(counts.total(), 'finding')} in {texts}: {kinds}."


def _shares(figures: dict[str, Any]) -> Iterator[str]:
    for name, what in _SHARES.items():
        if figures[name]["of"]:
            yield f"{what}: {percent(figures[name]['share'], 1)} of {figures[name]['of']:,}"


def _harmless(text: str) -> str:
    """Return a text in one line, without what a terminal would obey instead of show."""
    return shown(" ".join(text.split()))
