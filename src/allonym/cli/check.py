"""`allonym check`: how recognisable a text is to attackers who know its possible authors."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from typing import Any

import click

from allonym import attackers
from allonym.attackers.base import Attacker
from allonym.cli import RISK
from allonym.cli.talk import Talk, common_options
from allonym.errors import InputError
from allonym.formats.authors import KnownTexts, read_authors, read_documents
from allonym.formats.tables import shown
from allonym.metrics.figures import percent
from allonym.recognition.recogniser import OPEN_SET, Evidence, Recogniser, Recognition, joined
from allonym.recognition.reliability import count_words, cut
from allonym.recognition.verification import Verification, Verifier

_QUOTES = 3
_LONGEST_QUOTE = 40
_AUTHORS_TO_TEST = 8  # half of them are learned from: fewer teach what tells those apart, not what tells people apart


@click.command(name="check")
@click.argument("source", metavar="INPUT")
@click.option("--known", required=True, help="Folder with a sub-folder of .txt for each author, or a table.")
@click.option("--text", help="Column with the known texts, if --known is a table.")
@click.option("--author", help="Column with the authors, if --known is a table.")
@click.option("--me", help="The true author, one of the known ones: is the text recognised as theirs?")
@click.option("--attackers", "names", help="Which attackers to ask, with commas between them.")
@click.option("--same-as", help="Another text: how likely is it that both have one author?")
@click.option("--show", is_flag=True, help="Print the text with the strongest clues marked.")
@click.option(
    "--fail-above", type=click.FloatRange(0, 1), help="Exit with 1 if the risk (a probability) is above this."
)
@common_options
@click.pass_context
def command(
    context: click.Context,
    /,
    source: str,
    known: str,
    text: str | None,
    author: str | None,
    me: str | None,
    names: str | None,
    same_as: str | None,
    show: bool,
    fail_above: float | None,
) -> None:
    """Say how recognisable INPUT is: a .txt, a folder of .txt, or - for stdin.

    Attackers are trained on the known authors' texts and tested on pieces as long as INPUT. The risk is how sure the
    strongest one is of the true author (--me), or of the likeliest one.
    """
    talk: Talk = context.obj
    if source == "-" and sys.stdin is None:
        raise click.UsageError("Standard input is closed; give it a text or name a file.")
    chosen = None if names is None else [attackers.make(name.strip()) for name in names.split(",")]
    documents = _documents(source)
    texts = list(documents.values())
    if same_as is None:
        reference = _reference(talk, known, text, author, texts)
        risk = _recognise(talk, documents, reference, chosen, None if me is None else shown(me), show)
    else:
        if (me, names, show) != (None, None, False) or len(texts) > 1:
            reason = "--same-as compares INPUT, one text, with another"
            raise click.UsageError(f"{reason}; leave out --me, --attackers and --show.")
        other = _documents(same_as)
        if len(other) > 1:
            raise click.UsageError("--same-as takes one text; give a .txt file.")
        pair = (texts[0], *other.values())
        risk = _compare(talk, pair, _reference(talk, known, text, author, list(pair)))
    if fail_above is not None and risk > fail_above:
        talk.say(f"The risk, {risk:.3f}, is above {fail_above:g}.")
        context.exit(RISK)


def _documents(source: str) -> dict[str, str]:
    names, texts = read_documents(source)
    empty = sum(not count_words(text) for text in texts)
    if empty:
        of_all = "no word" if len(texts) == 1 else f"{empty} files without a word"
        raise InputError(f"{shown(source)} holds {of_all}; give texts with some.")
    return dict(zip(names, texts, strict=True))


def _reference(talk: Talk, known: str, text: str | None, author: str | None, checked: Sequence[str]) -> KnownTexts:
    """Read the known texts, without those to be checked: who has seen the answer proves nothing by giving it."""
    everything = read_authors(known, text=text, author=author)
    if everything.skipped:
        talk.say(f"Not read, because they are links that lead elsewhere: {everything.skipped:,}.")
    rest = everything.without(checked)
    left_out = len(everything.texts) - len(rest.texts)
    if left_out:
        talk.say(f"Left out of the known texts, because they are the text to check: {left_out:,}.")
    return rest


def _recognise(
    talk: Talk,
    documents: dict[str, str],
    known: KnownTexts,
    chosen: Sequence[Attacker] | None,
    me: str | None,
    show: bool,
) -> float:
    """Check every document, print the answer, and return the largest risk."""
    if me is not None and me not in known.authors:
        raise click.UsageError("--me is not among the known authors; use a name as in --known, or leave it out.")
    words = round(statistics.median(count_words(text) for text in documents.values()))
    hidden = talk.quiet or not sys.stderr.isatty()
    with click.progressbar(length=1, label="Training attackers", file=sys.stderr, hidden=hidden) as bar:

        def progress(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        recogniser = Recogniser(chosen).fit(known.texts, known.authors, words=words, progress=progress)
    found = {name: recogniser.check(text, me) for name, text in documents.items()}
    if len(found) == 1:
        [(name, recognition)] = found.items()
        lines = [talk.heading(str(recognition)), *_attackers(recognition)]
        lines += _clues(recognition.clues, documents[name])
        if show:
            lines += ["", _marked(documents[name], recognition.clues, talk)]
        answer: dict[str, Any] = recognition.to_dict()
    else:
        lines = [*_rows(found), "", *_attackers(next(iter(found.values())), verdicts=False)]
        answer = {"documents": [{"id": name, **one.to_dict()} for name, one in found.items()]}
    talk.data(answer, "\n".join(lines))
    for warning in dict.fromkeys(warning for one in found.values() for warning in one.warnings):
        talk.say(f"Warning: {warning}")
    talk.say(OPEN_SET)
    return max(one.risk for one in found.values())


def _attackers(recognition: Recognition, *, verdicts: bool = True) -> list[str]:
    """Return a row for each attacker: how good it is, and what it says."""
    lines = ["", "Attackers, the strongest first (how often each names the right one; among its first five):"]
    for opinion in recognition.opinions:
        line = f"  {opinion.describes_itself_as}: {opinion.accuracy.in_percent()}; {percent(opinion.top_5.value)}"
        if verdicts:
            line += f"; {opinion.says(recognition.me)}"
        lines.append(line)
    return lines


def _clues(clues: Sequence[Evidence], text: str) -> list[str]:
    """Return the ranked clues with their lines and quotes."""
    if not clues:
        return []
    lines = ["", "What gives it away, with its share of all that speaks for this author:"]
    for rank, clue in enumerate(clues, 1):
        line = f"  {rank:2}. {percent(clue.share, 1):>6}  {shown(clue.feature)}"
        if clue.places:
            where = [f"line {place.line} “{_quote(text[place.start : place.stop])}”" for place in clue.places[:_QUOTES]]
            more = len(clue.places) - len(where)
            line += f": {', '.join(where)}{f' and {more} more' if more else ''}"
        lines.append(line)
    return lines


def _quote(words: str) -> str:
    one_line = shown(" ".join(words.split()))
    return one_line if len(one_line) <= _LONGEST_QUOTE else one_line[: _LONGEST_QUOTE - 1] + "…"


def _marked(text: str, clues: Sequence[Evidence], talk: Talk) -> str:
    """Return the text with the clues set in bold and underlined, or in [[ ]] where that cannot be seen."""
    styled = talk.color and sys.stdout.isatty()
    pieces, position = [], 0
    for start, stop in joined([(place.start, place.stop) for clue in clues for place in clue.places], gap=0):
        marked = _harmless(text[start:stop])
        pieces.append(_harmless(text[position:start]))
        pieces.append(click.style(marked, bold=True, underline=True) if styled else f"[[{marked}]]")
        position = stop
    return "".join([*pieces, _harmless(text[position:])])


def _harmless(text: str) -> str:
    """Escape what a terminal would obey instead of show."""
    return "".join(sign if sign in "\n\t" else shown(sign) for sign in text)


def _rows(found: dict[str, Recognition]) -> list[str]:
    """Return a row for each of several documents, the most recognisable first."""
    lines = ["risk\twords\tlooks like\trank of the true author\tdocument"]
    for name, one in sorted(found.items(), key=lambda item: (-item[1].risk, item[0])):
        rank = "–" if one.rank is None else str(one.rank)
        lines.append(f"{one.risk:.3f}\t{one.words}\t{one.strongest.candidates[0].author}\t{rank}\t{name}")
    return lines


def _compare(talk: Talk, pair: tuple[str, ...], known: KnownTexts) -> float:
    """Print how likely it is that two texts have one author, and return it."""
    first, second = pair
    lengths = [count_words(text) for text in pair]
    pieces = cut(known.texts, known.authors, min(lengths))
    texts, names = [piece.text for piece in pieces], [piece.author for piece in pieces]
    sources = [piece.source for piece in pieces]
    found = Verifier().fit(texts, names, sources).probability(first, second)
    measured = _measured(texts, names, sources)
    likely = percent(min(found, 1 - 1e-9))  # never certain, even if rounding says so
    sentence = f"The two texts have one author with a probability of {likely}, if that was as likely as not beforehand."
    if measured is not None:
        sentence += (
            " On pairs of known texts by other authors than it learned from, this is right "
            f"{measured.accuracy.in_percent()} of the time; chance is 50 %."
        )
    record = {"summary": sentence, "risk": found, "probability": found, "words": lengths}
    talk.data({**record, "measured": None if measured is None else measured.to_dict()}, talk.heading(sentence))
    if min(lengths) < 500:
        talk.say("Warning: Verdicts on fewer than 500 words are unreliable.")
    if measured is None:
        talk.say(f"Warning: This could not be tested; that takes {_AUTHORS_TO_TEST} known authors with two texts each.")
    return found


def _measured(texts: Sequence[str], authors: Sequence[str], sources: Sequence[int]) -> Verification | None:
    """Learn from every other author and test on the rest; None if that leaves too few to learn from."""
    if len(set(authors)) < _AUTHORS_TO_TEST:
        return None
    order = {author: place for place, author in enumerate(sorted(set(authors)))}
    halves = [[row for row, author in enumerate(authors) if order[author] % 2 == half] for half in (0, 1)]
    [learned, tested] = [
        ([texts[row] for row in half], [authors[row] for row in half], [sources[row] for row in half])
        for half in halves
    ]
    try:
        return Verifier().fit(*learned).evaluate(tested[0], tested[1], sources=tested[2])
    except InputError:
        return None
