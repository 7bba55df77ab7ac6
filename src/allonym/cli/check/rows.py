"""Tables: each row is checked, in order and in bounded memory."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import click

from allonym.cli.check import alone, printing
from allonym.cli.talk import Talk
from allonym.errors import InputError
from allonym.formats.authors import refuse_binary
from allonym.formats.base import table_formats
from allonym.formats.files import Documents
from allonym.formats.tables import shown
from allonym.metrics.figures import percent
from allonym.privacy.statement import counted
from allonym.recognition import reading
from allonym.recognition.recogniser import Recogniser, Recognition
from allonym.recognition.reliability import MOST_WORDS, count_words

BATCH_ROWS = 256

Answer = tuple[dict[str, Any], str]  # the record for JSON, and the row for people


def is_table(source: str) -> bool:
    """Tell whether INPUT is a table, by its name."""
    return any(format_.reads(source) for format_ in table_formats())


def texts(documents: Documents) -> Iterator[str]:
    """Give the texts of all rows, refusing what is no text."""
    for batch in documents:
        refuse_binary(documents.source, batch.texts)
        yield from batch.texts


def usual_words(documents: Documents) -> int:
    """Return the median length of the rows that have a word, in memory that does not grow with the rows."""
    lengths = Counter(min(count_words(text), MOST_WORDS) for text in texts(documents))
    lengths.pop(0, None)
    if not lengths:
        raise InputError(f"{shown(documents.source)} holds no words in its text column; give texts that have some.")
    middle, seen = lengths.total() / 2, 0
    for words in sorted(lengths):
        seen += lengths[words]
        if seen >= middle:
            return words
    return max(lengths)


@dataclass
class Tally:
    """What all rows together say.

    Attributes:
        rows: How many there were.
        empty: How many held no word.
        strangers: How many are likelier by none of the known writers.
        judged: How many of them could be judged so.
        certainties: The sum of how sure the strongest attacker was.
        risk: The largest; None before any.
        last: The last answer, for what holds of all.
    """

    rows: int = 0
    empty: int = 0
    strangers: int = 0
    judged: int = 0
    certainties: float = 0.0
    risk: float | None = None
    last: Recognition | None = field(default=None, repr=False)

    def add(self, risk: float | None) -> None:
        """Count a row."""
        self.rows += 1
        if risk is not None:
            self.risk = risk if self.risk is None else max(self.risk, risk)

    def add_known(self, recognition: Recognition) -> None:
        """Count a row that was checked against known writers."""
        self.add(recognition.risk)
        self.certainties += recognition.strongest.candidates[0].probability
        if recognition.none_of_these is not None:
            self.judged += 1
            self.strangers += recognition.none_of_these.share > 0.5
        self.last = recognition

    def summary(self) -> str:
        """Return it in sentences."""
        largest = (
            "none holds enough words to say anything" if self.risk is None else f"the largest risk is {self.risk:.3f}"
        )
        said = [f"{counted(self.rows, 'row')}; {largest}."]
        checked = self.rows - self.empty
        if self.last is not None:
            said += [
                self.last.measured,
                f"On average it is {percent(self.certainties / checked)} sure of the likeliest one.",
            ]
        if self.last is not None and self.judged:
            said.append(
                f"{self.strangers:,} of {self.judged:,} rows are more likely by somebody else than by these writers."
            )
        if self.last is not None and self.last.none_of_these is not None:
            said.append(str(self.last.none_of_these.errors))
        return " ".join(said)

    def to_json(self) -> dict[str, Any]:
        """Return the figures by name."""
        figures = {"rows": self.rows, "empty": self.empty, "strangers": self.strangers, "judged": self.judged}
        return {**figures, "risk": self.risk, "said": self.summary()}


def check(talk: Talk, documents: Documents, recogniser: Recogniser | None, me: str | None) -> Tally:
    """Print an answer for each row, as it comes, and return what they say together."""
    tally = Tally()
    if recogniser is None:
        answers, header = _answers(documents, partial(_unknown, tally), tally), alone.HEADER
    else:
        answers, header = _answers(documents, partial(_known, tally, recogniser, me), tally), printing.HEADER
    _print(talk, answers, header, tally)
    return tally


def _known(tally: Tally, recogniser: Recogniser, me: str | None, name: str, text: str) -> Answer:
    recognition = recogniser.check(text, me, clues=False)
    tally.add_known(recognition)
    return _record(name, recognition), printing.row(name, recognition)


def _unknown(tally: Tally, name: str, text: str) -> Answer:
    estimate = reading.read(text, None)
    tally.add(estimate.risk)
    return alone.record(name, estimate), alone.row(name, estimate)


def _answers(documents: Documents, answer: Callable[[str, str], Answer], tally: Tally) -> Iterator[Answer]:
    for batch in documents:
        for name, text in zip(batch.ids, batch.texts, strict=True):
            if count_words(text):
                yield answer(name, text)
            else:
                tally.add(None)
                tally.empty += 1
                yield {"id": name, "risk": None, "words": 0}, printing.empty_row(name)


def _print(talk: Talk, answers: Iterator[Answer], header: str, tally: Tally) -> None:
    """Print rows as they come: with --json one value, a record a line, so that memory stays small."""
    if not talk.json:
        talk.line(header)
        for _, row in answers:
            talk.line(row)
        return
    click.echo('{"documents": [', nl=False)
    for number, (record, _) in enumerate(answers):
        click.echo(f"{',' if number else ''}\n{json.dumps(record)}", nl=False)
    click.echo(f'\n], "summary": {json.dumps(tally.to_json())}}}')


def _record(name: str, recognition: Recognition) -> dict[str, Any]:
    likeliest = recognition.strongest.candidates[0]
    return {
        "id": name,
        "risk": recognition.risk,
        "words": recognition.words,
        "author": likeliest.author,
        "certainty": likeliest.probability,
        "none_of_these": None if recognition.none_of_these is None else recognition.none_of_these.share,
        "rank": recognition.rank,
        "recognised": recognition.recognised,
    }
