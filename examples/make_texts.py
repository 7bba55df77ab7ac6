"""Write made-up texts by made-up writers, for the tutorials: tables of what they say about hotels, a folder a writer.

    python examples/make_texts.py DIR

DIR/reviews.csv has the columns id, user, stars and review; DIR/writers/NAME/*.txt are the same reviews, and
DIR/mine.txt is a letter by one of the six, anna, that is not among them. DIR/words.txt is a public list of words that
people use about hotels. DIR/survey.xlsx is a workbook: short answers by 22 guests of three hotels, ten by each, in the
columns id, guest, hotel, satisfied and answer. Nothing is random: every run writes the same.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import openpyxl

REVIEWS = 16  # of each writer
SENTENCES = 9  # of each review

THINGS = ("room", "breakfast", "bed", "view", "bathroom", "staff", "pool", "lift", "garden", "bar", "price", "street")
GOOD = ("clean", "quiet", "generous", "friendly", "bright", "warm", "fresh", "spotless", "charming", "comfortable")
BAD = ("dirty", "noisy", "stale", "rude", "dark", "cold", "broken", "cramped", "overpriced", "shabby")
PLACES = ("near the station", "by the harbour", "on the third floor", "behind the market", "next to the church")
TIMES = ("in the morning", "after midnight", "on the second day", "at the weekend", "before we left")
GOOD_ENDS = ("I would come back", "we slept like children", "it was worth every penny", "my mother loved it")
BAD_ENDS = ("I would not come back", "nobody apologised", "we left a day early", "I asked for my money back")


@dataclass(frozen=True)
class Writer:
    """What gives somebody away: how sentences open, how strong words are, how they are joined and closed."""

    opens: tuple[str, ...]
    very: tuple[str, ...]
    joins: tuple[str, ...]
    close: str

    def sentence(self, number: int, good: bool) -> str:
        """Return one sentence; the number picks its words."""
        thing, other = THINGS[number * 5 % 12], THINGS[(number * 7 + 3) % 12]
        how, also = ((GOOD, BAD)[not good][(number * step + 1) % 10] for step in (3, 7))
        start, very = self.opens[number % len(self.opens)], self.very[number % len(self.very)]
        join = self.joins[number % len(self.joins)]
        kind = number % 4
        if kind == 0:
            text = f"{start} the {thing} {PLACES[number % 5]} was {very} {how}{join} the {other} was {also}"
        elif kind == 1:
            text = f"{start} the {thing} felt {very} {how} {TIMES[number * 3 % 5]}"
        elif kind == 2:
            text = f"{start} {(GOOD_ENDS, BAD_ENDS)[not good][number % 4]}{join} the {thing} alone was {very} {how}"
        else:
            text = f"{start} they called the {thing} {how}{join} the {other} {TIMES[number % 5]} was {very} {also}"
        text = text.strip()
        return text[0].upper() + text[1:] + self.close

    def text(self, first: int, sentences: int, good: bool) -> str:
        """Return a text."""
        return " ".join(self.sentence(first + place, good) for place in range(sentences))


WRITERS = {
    "anna": Writer(("To be fair,", "All in all,", "Mind you,"), ("rather", "quite"), ("; moreover,", ", whereas"), "."),
    "boris": Writer(("", "honestly", "look,"), ("super", "totally"), (" and", " so yeah"), "!!"),
    "clara": Writer(("In my opinion", "As expected", "For us"), ("most", "truly"), (", which is why", " - and"), "."),
    "deniz": Writer(("We found that", "It seems that"), ("fairly", "a little"), (", but", ", although"), "..."),
    "emil": Writer(("", "So", "Then"), ("really", "really, really"), (", and then", ", and also"), "."),
    "fay": Writer(("Well!", "Oh,", "I must say,"), ("awfully", "dreadfully"), (" - oh, and", " - while"), "!"),
}

HOTELS = ("Harbour", "Station", "Market")
GUESTS = 22
ANSWERS = 10  # of each guest


def guest(number: int) -> Writer:
    """Return one of up to 216 guests, whose habits are mixed from those of the six writers."""
    every = list(WRITERS.values())
    opens, joins, very = (every[number // step % len(every)] for step in (1, 6, 36))
    return Writer(opens.opens, very.very, joins.joins, every[(number + number // 6) % len(every)].close)


def survey(guests: int = GUESTS, answers: int = ANSWERS) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the survey, the names of its columns first."""
    yield "id", "guest", "hotel", "satisfied", "answer"
    for number in range(guests * answers):
        who, stay = number % guests, number // guests
        good = (number * 7 + stay) % 3 != 0
        text = guest(who).text(number * 13 + stay, 2 + number % 3, good)
        yield number + 1, f"guest {who + 1:03}", HOTELS[(who + stay) % 3], "yes" if good else "no", text


def write_survey(path: Path, rows: Iterable[tuple[object, ...]]) -> None:
    """Write rows as a spreadsheet would save them."""
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("survey")
    for row in rows:
        sheet.append(row)
    book.save(path)


def main() -> None:
    """Write everything."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "reviews.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "user", "stars", "review"])
        for number in range(REVIEWS * len(WRITERS)):
            name = list(WRITERS)[number % len(WRITERS)]
            good = number // len(WRITERS) % 2 == 0
            text = WRITERS[name].text(number * 11, SENTENCES, good)
            rows.writerow([number, name, 5 if good else 1, text])
            own = folder / "writers" / name
            own.mkdir(parents=True, exist_ok=True)
            (own / f"{number}.txt").write_text(text + "\n", "utf-8")
    more = ("hotel", "night", "station", "harbour", "floor", "market", "church", "money")
    public = sorted({*THINGS, *GOOD, *BAD, *more})
    (folder / "words.txt").write_text("\n".join(public) + "\n", "utf-8")
    write_survey(folder / "survey.xlsx", survey())
    (folder / "mine.txt").write_text(WRITERS["anna"].text(5003, 24, good=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
