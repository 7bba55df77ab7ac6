"""Speeches of two presidents, Obama and Trump: the small example of A4NT, where the attribute is the speaker.

What is kept, and why:

- spoken speeches, weekly addresses and press conferences. Interviews, town halls, statements and prepared texts exist
  of one speaker only, so that telling the kind would tell the speaker.
- the speaker's own words: other people's turns, the labels before turns and notes like "[laughter]" are taken out.
- each speech once: where two sources have it, the first one stays.

The files' split puts speeches of one day into two parts, and one day's speeches repeat each other. Here a day is in
one split: the one that most of its speeches had, in doubt the one that is held out. Speeches without a date count as a
day of their own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from allonym.papers.corpora import columns

SPEAKERS: Final = ("obama", "trump")
SPLITS: Final = ("train", "val", "test")
GENRES: Final = ("speech", "weekly address", "press conference")

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_IN_NAME: Final = re.compile(r"([A-Z][a-z]{2})[a-z]?(\d{1,2})_(\d{4})")  # of a rally, as in SomewhereDec19_2019
_LABEL: Final = re.compile(
    r"\s*((?:[A-Z][A-Z.'\- ]{1,40}|President (?:Trump|Obama)|Q|Question)\s?):\s+|\s*(Q)\.?\s+(?=[A-Z])"
)
_OWN_LABEL: Final = re.compile(r"THE PRESIDENT|POTUS|.*(?:TRUMP|OBAMA|Trump|Obama)")
_NOTE: Final = re.compile(
    r"\[[^\]\n]{1,80}\]"
    r"|\((?i:ph|sic|k|g|f|[^)\n]{0,60}(?:laugh|applau|crosstalk|audio|audible|interrupt|video)[^)\n]{0,60})\)"
)
_CLAUSE: Final = re.compile(r"[^.!?\n]{40,}")


@dataclass(frozen=True)
class Speeches:
    """Speeches with who held them, when, and the part they belong to; `dates` has "" where none is known."""

    texts: list[str]
    ids: list[str]
    speakers: list[str]
    dates: list[str]
    genres: list[str]
    splits: list[str]


def load(data: Path) -> Speeches:
    """Return the corpus from the data folder."""
    path = data / "political_speeches" / "political_speeches.parquet"
    names = ["doc_id", "author", "genre", "date", "as", "split", "text"]
    rows = [tuple(str(value or "") for value in row) for row in zip(*columns(path, names), strict=True)]
    rows = [row for row in rows if row[2] in GENRES and row[4] == "spoken"]
    rows = [rows[index] for index in _first_of_their_kind([row[6] for row in rows])]
    dates = [day(row[3]) for row in rows]
    return Speeches(
        texts=[own_words(row[6]) for row in rows],
        ids=[row[0] for row in rows],
        speakers=[row[1] for row in rows],
        dates=dates,
        genres=[row[2] for row in rows],
        splits=by_day(dates, [row[5] for row in rows]),
    )


def day(date: str) -> str:
    """Return a date as year-month-day, or "" where there is none to be read.

    Examples:
        >>> day("2019-12-09"), day("SomewhereDec9_2019"), day("")
        ('2019-12-09', '2019-12-09', '')
    """
    match = _DAY_IN_NAME.search(date)
    if match and match[1].lower() in _MONTHS:
        return f"{match[3]}-{_MONTHS.index(match[1].lower()) + 1:02d}-{int(match[2]):02d}"
    return date if re.fullmatch(r"\d{4}-\d{2}-\d{2}", date) else ""


def by_day(dates: list[str], splits: list[str]) -> list[str]:
    """Give all speeches of a day the split that most of them have, in doubt the one that is held out.

    Examples:
        >>> by_day(["2001-01-01", "2001-01-01", "", ""], ["train", "test", "val", "train"])
        ['test', 'test', 'val', 'train']
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for date, split in zip(dates, splits, strict=True):
        counts[date][split] += 1
    chosen = {date: max(reversed(SPLITS), key=lambda split: of_day[split]) for date, of_day in counts.items()}
    return [chosen[date] if date else split for date, split in zip(dates, splits, strict=True)]


def own_words(text: str) -> str:
    r"""Return the speaker's own paragraphs of a transcript, without labels and notes.

    Examples:
        >>> own_words("THE PRESIDENT: Hello. [laughter] Sit down.\n\nAUDIENCE: No!\n\nTHE PRESIDENT: Please.")
        'Hello.  Sit down.\n\nPlease.'
    """
    paragraphs: list[str] = []
    is_own = True
    for paragraph in re.split(r"\n+", text):
        label = _LABEL.match(paragraph)
        if label:
            is_own = bool(_OWN_LABEL.match(label[1] or ""))
        if is_own:
            paragraphs.append(_NOTE.sub("", paragraph[label.end() if label else 0 :]).strip())
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _first_of_their_kind(texts: list[str]) -> list[int]:
    """Return the places of those texts that share less than half of their long clauses with an earlier one."""
    seen: dict[int, int] = {}
    rows: list[int] = []
    for row, text in enumerate(texts):
        clauses = {hash(" ".join(clause.lower().split())) for clause in _CLAUSE.findall(text)}
        shared = Counter(seen[clause] for clause in clauses if clause in seen)
        if not shared or max(shared.values()) < len(clauses) / 2:
            rows.append(row)
            seen.update((clause, row) for clause in clauses if clause not in seen)
    return rows
