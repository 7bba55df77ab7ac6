"""How the answers of `allonym check` look on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from allonym.cli.talk import Talk
from allonym.formats.tables import shown
from allonym.metrics.figures import NOT_MEASURED, percent
from allonym.recognition.evidence import Evidence, joined, placed
from allonym.recognition.reading import NamedMark
from allonym.recognition.recogniser import Recognition
from allonym.recognition.verdict import AttackerRow

HEADER = "risk\twords\tlooks like\tsure\tnone of these\trank of the true author\tdocument"
_QUOTES = 3
_LONGEST_QUOTE = 40


def attackers(recognition: Recognition, *, verdicts: bool = True) -> list[str]:
    """Return a line for each attacker: how good it is, and what it says."""
    lines = ["", "Attackers, the strongest first (how often each names the right one; among its first five):"]
    for opinion in recognition.opinions:
        line = f"  {opinion.describes_itself_as}: {opinion.accuracy.in_percent()}; {percent(opinion.top_5.value)}"
        if verdicts:
            line += f"; {opinion.says(recognition.me)}"
        lines.append(line)
    return lines


def others(rows: Sequence[AttackerRow]) -> list[str]:
    """Return a line for each attacker who knows public writers."""
    return [f"  {row.attacker}: {row.right.in_percent()}; {row.says}" for row in rows]


def errors(recognition: Recognition) -> list[str]:
    """Return how often “by none of these” is wrong, or why that cannot be told, for many documents at once."""
    strangers = recognition.none_of_these
    return ["", f"By none of these: {strangers.errors}" if strangers is not None else recognition.cannot_tell]


def clues(evidence: Sequence[Evidence], text: str, heading: str) -> list[str]:
    """Return the ranked clues with their lines and quotes."""
    if not evidence:
        return []
    lines = ["", heading]
    for rank, clue in enumerate(evidence, 1):
        line = f"  {rank:2}. {percent(clue.share, 1):>6}  {shown(clue.feature)}"
        if clue.places:
            where = [f"line {place.line} “{quote(text[place.start : place.stop])}”" for place in clue.places[:_QUOTES]]
            more = len(clue.places) - len(where)
            line += f": {', '.join(where)}{f' and {more} more' if more else ''}"
        lines.append(line)
    return lines


def named(marks: Sequence[NamedMark], text: str) -> list[str]:
    """Return the names and the like, each with what could stand in its place."""
    if not marks:
        return []
    lines = ["", "Whom and what it names:"]
    for mark in marks:
        first, *others = placed(text, mark.places)
        times = f", {len(others) + 1} times" if others else ""
        lines.append(f"  {mark.placeholder}: line {first.line} “{quote(text[first.start : first.stop])}”{times}")
    return lines


def as_clues(marks: Sequence[NamedMark], text: str) -> list[Evidence]:
    """Return names as clues that can be marked; they have no share of what gives the style away."""
    return [Evidence(mark.placeholder, 0.0, placed(text, mark.places)) for mark in marks]


def marked(text: str, evidence: Sequence[Evidence], talk: Talk) -> str:
    """Return the text with the clues set in bold and underlined, or in [[ ]] where that cannot be seen."""
    styled = talk.color and sys.stdout.isatty()
    pieces, position = [], 0
    for start, stop in joined([(place.start, place.stop) for clue in evidence for place in clue.places], gap=0):
        clue = _harmless(text[start:stop])
        pieces.append(_harmless(text[position:start]))
        pieces.append(click.style(clue, bold=True, underline=True) if styled else f"[[{clue}]]")
        position = stop
    return "".join([*pieces, _harmless(text[position:])])


def row(name: str, recognition: Recognition) -> str:
    """Return the row of one of several documents, as `HEADER` has it."""
    rank = NOT_MEASURED if recognition.rank is None else str(recognition.rank)
    likeliest = recognition.strongest.candidates[0]
    stranger = NOT_MEASURED if recognition.none_of_these is None else f"{recognition.none_of_these.share:.3f}"
    cells = (
        f"{recognition.risk:.3f}",
        str(recognition.words),
        likeliest.author,
        f"{likeliest.probability:.3f}",
        stranger,
        rank,
    )
    return "\t".join([*cells, shown(name)])


def empty_row(name: str) -> str:
    """Return the row of a document without a word."""
    return "\t".join([NOT_MEASURED, "0", *[NOT_MEASURED] * 4, shown(name)])


def quote(words: str) -> str:
    """Return words on one line, cut if they are many."""
    one_line = shown(" ".join(words.split()))
    return one_line if len(one_line) <= _LONGEST_QUOTE else one_line[: _LONGEST_QUOTE - 1] + "…"


def _harmless(text: str) -> str:
    """Escape what a terminal would obey instead of show."""
    return "".join(sign if sign in "\n\t" else shown(sign) for sign in text)
