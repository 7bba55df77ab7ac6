"""Public text as what a writer learns from: notes of passages, and the passages in pieces. Needs no torch.

A note, and a piece that is written, enters the lists of a model only if enough documents, or authors where these are
known, use it: the lists can be read in every model folder. Whole documents are held out to tell when to stop.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allonym.errors import InputError
from allonym.guard import reading
from allonym.language.sequences import SPECIAL, Vocabulary, VocabularyBuilder
from allonym.networks.ghostwriter.choosing import NoteReader
from allonym.networks.ghostwriter.reading import MARKS, Unit, of_read
from allonym.networks.translation.network import UNKNOWN
from allonym.training.erae.corpus import distinct, held_out_documents, shared_vocabulary
from allonym.training.ghostwriter.passages import Pieces, passages, shared_pieces, with_classes

Small = NDArray[np.uint16]

SMALLEST_LIST, MOST_NOTES = 100, 2**15 - 1  # notes or pieces: their numbers are 16 bits wide on the device that trains
_FEWEST_NOTES = 2
_FEWEST_PASSAGES = 20
_MOST_CLASSES = 0.12  # of a passage's words
_LONGEST = 200  # pieces of a passage
_MOST_UNKNOWN = 0.1  # of them; they are read, but never learned to be written
_MOST_SLOTS = 64  # the last that matter: no network has more
_MOST_WATCHED = 2048


@dataclass(frozen=True)
class NotedPassages:
    """Passages with their notes, one after another."""

    pieces: Small
    piece_counts: Small  # of each passage
    notes: Small
    slots: Small  # with how many slots each note is taken
    note_counts: Small  # of each passage

    def __len__(self) -> int:
        return len(self.piece_counts)

    def arrays(self) -> dict[str, Small]:
        """Return all arrays by name."""
        return dict(vars(self))


@dataclass(frozen=True)
class WriterCorpus:
    """What a network is trained on."""

    vocabulary: Vocabulary  # the list of notes
    pieces: tuple[str, ...]
    learned: NotedPassages
    held_out: NotedPassages  # tell when to stop
    documents: int  # how many different ones were read
    doubles: int  # how many were left out, as the same as one before
    fingerprint: str  # tells whether two corpora are the same; a hash


def prepare(
    documents: Iterable[tuple[str | None, str]],
    *,
    notes: int,
    pieces: int,
    shared_by: int,
    held_out: float,
    seed: int,
    from_translation: bool,
) -> WriterCorpus:
    """Read documents, as (author, text), into what a network is trained on; authors that are not known are None.

    The numbers are those of `own_text.WriterRecipe`.

    Raises:
        InputError: There is too little text to learn from.
        MissingDependencyError: The extra `translate` is not installed.
    """
    texts, doubles, fingerprint = distinct(("", author, text) for author, text in documents)
    watched = held_out_documents([key for key, *_ in texts], held_out, seed) if texts else set()
    read = list(
        _read((key in watched, key.hex() if author is None else author, text) for key, _, author, text in texts)
    )
    if not read:
        raise InputError("There is no English sentence in the text column: choose another --text, or give more text.")
    vocabulary = _vocabulary(read, notes, shared_by)
    classed = (passage.classed for passage in read)
    cutter = Pieces.of_translation() if from_translation else Pieces.learned(classed, pieces)
    rows = list(_rows(read, NoteReader(vocabulary), cutter))
    counted = _counted(rows)
    known = shared_pieces(counted, pieces, shared_by)
    parts = [_numbered([row for row in rows if row.held_out is held], known) for held in (False, True)]
    if len(parts[0]) < _FEWEST_PASSAGES or not len(parts[1]):
        raise InputError(
            f"Only {len(parts[0]):,} passages to learn from and {len(parts[1]):,} held out are made of words that "
            f"{shared_by} documents share: give more text, or a smaller --shared-by."
        )
    return WriterCorpus(vocabulary, tuple(known), parts[0], parts[1], len(texts), doubles, fingerprint)


@dataclass(frozen=True)
class _ReadPassage:
    """A passage, read once for all that is made of it."""

    who: str
    held_out: bool
    units: list[Unit]
    classed: str  # the passage with classes in the places of facts


def _read(documents: Iterable[tuple[bool, str, str]]) -> Iterator[_ReadPassage]:
    """Yield the passages of documents that come as (held out, author, text), an author's together."""
    shared: dict[Unit, Unit] = {}  # of equal ones one, as there are millions
    for held_out, who, text in documents:
        for passage in passages(text):
            read = reading.read(passage)
            units = [shared.setdefault(unit, unit) for unit in of_read(read)]
            classed = with_classes(read)
            if classed.count("[") <= _MOST_CLASSES * len(classed.split()):  # else a cast, a bill, a table
                yield _ReadPassage(who, held_out, units, classed)


def _vocabulary(read: Sequence[_ReadPassage], notes: int, shared_by: int) -> Vocabulary:
    """Return the list of notes: marks, then the words that enough use, frequent ones first."""
    builder = VocabularyBuilder()
    for passage in read:
        builder.add(passage.who, [[unit.word for unit in passage.units if unit.word]])
    words = [form for form in shared_vocabulary(builder, notes, shared_by).tokens[len(SPECIAL) :] if form not in MARKS]
    return Vocabulary((*SPECIAL, *MARKS, *words[: notes - len(SPECIAL) - len(MARKS)]))


@dataclass(frozen=True)
class _Row:
    who: str
    held_out: bool
    notes: array[int]
    slots: array[int]
    pieces: list[str]


def _rows(read: Iterable[_ReadPassage], reader: NoteReader, cutter: Pieces) -> Iterator[_Row]:
    shared: dict[str, str] = {}
    for passage in read:
        notes = reader.chosen(passage.units, _MOST_SLOTS)
        pieces = [shared.setdefault(piece, piece) for piece in cutter.of(passage.classed)]
        if len(notes.numbers) >= _FEWEST_NOTES and 0 < len(pieces) <= _LONGEST:
            numbers, slots = array("H", notes.numbers.tolist()), array("H", notes.slots.tolist())
            yield _Row(passage.who, passage.held_out, numbers, slots, pieces)


def _counted(rows: Sequence[_Row]) -> list[tuple[str, int, int]]:
    """Return every piece with how often it is there and how many use it; an author's rows come together."""
    counts, sharers = Counter[str](), Counter[str]()
    seen, who = set[str](), ""
    for row in rows:
        if row.who != who:
            sharers.update(seen)
            seen, who = set(), row.who
        counts.update(row.pieces)
        seen.update(row.pieces)
    sharers.update(seen)
    return [(piece, count, sharers[piece]) for piece, count in counts.items()]


def _numbered(rows: Sequence[_Row], known: Sequence[str]) -> NotedPassages:
    """Return passages as arrays; those with too many pieces that are not known are left out."""
    numbers = {piece: number for number, piece in enumerate(known)}
    unknown = [sum(piece not in numbers for piece in row.pieces) for row in rows]
    good = [row for row, few in zip(rows, unknown, strict=True) if few <= _MOST_UNKNOWN * len(row.pieces)]
    return NotedPassages(
        _small(numbers.get(piece, UNKNOWN) for row in good for piece in row.pieces),
        _small(len(row.pieces) for row in good),
        _small(note for row in good for note in row.notes),
        _small(slot for row in good for slot in row.slots),
        _small(len(row.notes) for row in good),
    )


def _small(numbers: Iterable[int]) -> Small:
    return np.fromiter(numbers, np.uint16)


def evenly(passages: NotedPassages, most: int = _MOST_WATCHED) -> NotedPassages:
    """Return at most so many passages, spread evenly."""
    if len(passages) <= most:
        return passages
    rows = np.unique(np.linspace(0, len(passages) - 1, most).astype(np.int64))
    wanted = np.zeros(len(passages), np.bool_)
    wanted[rows] = True
    by_piece, by_note = np.repeat(wanted, passages.piece_counts), np.repeat(wanted, passages.note_counts)
    return NotedPassages(
        passages.pieces[by_piece],
        passages.piece_counts[wanted],
        passages.notes[by_note],
        passages.slots[by_note],
        passages.note_counts[wanted],
    )
