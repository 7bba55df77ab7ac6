"""Protect a batch of documents, and go on where single ones fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from allonym.anonymizers.base import Anonymizer
from allonym.errors import AllonymError, ParameterError, RowsError
from allonym.formats.files import DocumentBatch
from allonym.formats.traces import without_traces
from allonym.formats.vectors import TermRows
from allonym.randomness import OneRelease

if TYPE_CHECKING:
    from scipy.sparse import csr_array

OnError = Literal["stop", "skip", "blank"]

FAILED_ROWS = "which documents could not be anonymized"
ON_ERROR = "--on-error skip leaves such rows out, --on-error blank empties their text."
_FAILURES_THAT_ARE_A_BUG = 20  # so many documents in a row, and none that works: it is not the documents


@dataclass(frozen=True)
class Protected:
    """A batch ready to be written."""

    batch: DocumentBatch  # the ids, kept columns and, of text methods, protected texts to write
    matrix: csr_array[Any, Any] | None = None
    failed: tuple[int, ...] = ()  # positions in the input, from 0, of documents that could not be read or anonymized

    def terms(self) -> TermRows:
        """Return the term vectors with what is written beside them."""
        if self.matrix is None:
            raise ParameterError("Texts have no term vectors.")
        return TermRows(self.matrix, self.batch.ids, self.batch.kept)


def protect(anonymizer: Anonymizer, batch: DocumentBatch, release: OneRelease, on_error: OnError = "stop") -> Protected:
    """Anonymize a batch.

    Privacy: spends the guarantee once for each document, however often a piece is tried: noise is keyed by document.

    Raises:
        RowsError: A document failed and `on_error` is "stop"; the message has its number, never its text.
    """
    try:
        pieces = [(0, len(batch.texts), _released(anonymizer, batch.texts, release, batch.start))]
    except (AllonymError, OSError, MemoryError):
        raise  # of the settings or the machine, not of a document
    except Exception as error:
        pieces = list(_pieces(anonymizer, batch, release, error))
    # What was drawn in the place of a row that could not be read is thrown away; all others have noise of their own.
    pieces = [part for piece in pieces for part in _cut(piece, batch.unreadable)]
    failed = [first for first, _, payload in pieces if payload is None]
    if failed and on_error == "stop":
        raise RowsError(f"{rows_sentence([batch.start + place for place in failed])} Nothing was written; {ON_ERROR}")
    return _assembled(anonymizer, batch, pieces, failed, on_error)


def rows_sentence(positions: Sequence[int], what: str = "anonymized") -> str:
    """Say which rows failed: the first twenty, by number counted from 1."""
    count = len(positions)
    listed = ", ".join(f"{position + 1:,}" for position in positions[:20])
    more = f" and {count - 20:,} more" if count > 20 else ""
    return f"Row{'s' if count > 1 else ''} {listed}{more} could not be {what}."


def _released(anonymizer: Anonymizer, texts: list[str], release: OneRelease, start: int) -> Any:  # noqa: ANN401
    """Return the vectors, or the texts, that are released."""
    done = anonymizer.release(texts, rng=release, start=start)
    return done.payload if anonymizer.kind == "vectors" else done.texts()


def _pieces(
    anonymizer: Anonymizer, batch: DocumentBatch, release: OneRelease, error: Exception
) -> Iterator[tuple[int, int, Any]]:
    """Halve a batch that fails until only failing documents are left; give (first, last + 1, payload or None)."""
    waiting = [(0, len(batch.texts))]
    failures, worked = 0, False
    while waiting:
        first, last = waiting.pop()
        try:
            payload = _released(anonymizer, batch.texts[first:last], release, batch.start + first)
        except (AllonymError, OSError, MemoryError):
            raise
        except Exception:
            if last - first > 1:
                middle = (first + last) // 2
                waiting += [(middle, last), (first, middle)]
                continue
            failures += 1
            payload = None
        worked = worked or payload is not None
        all_of_them = len(batch.texts) if batch.start == 0 else _FAILURES_THAT_ARE_A_BUG  # a last chunk may hold one
        if not worked and failures in (all_of_them, _FAILURES_THAT_ARE_A_BUG):
            raise error
        yield first, last, payload


def _cut(piece: tuple[int, int, Any], places: Sequence[int]) -> Iterator[tuple[int, int, Any]]:
    """Cut a piece of a batch around rows that could not be read, which become pieces without a payload."""
    first, last, payload = piece
    start = first
    for row in places if payload is not None else ():
        if first <= row < last:
            if row > start:
                yield start, row, payload[start - first : row - first]
            yield row, row + 1, None
            start = row + 1
    if start < last:
        yield start, last, payload if start == first else payload[start - first :]


def _assembled(
    anonymizer: Anonymizer,
    batch: DocumentBatch,
    pieces: Sequence[tuple[int, int, Any]],
    failed: Sequence[int],
    on_error: OnError,
) -> Protected:
    positions = tuple(batch.start + row for row in failed)
    left = batch
    if failed and on_error == "skip":
        out = set(failed)
        left = _rows(batch, [row for row in range(len(batch.texts)) if row not in out])
    if anonymizer.kind == "vectors":
        return Protected(left, _stacked(anonymizer, pieces, on_error), positions)
    blank = [""] if on_error == "blank" else []
    texts = [text for _, _, payload in pieces for text in (blank if payload is None else payload)]
    return Protected(replace(left, texts=texts), None, positions)


def _stacked(anonymizer: Anonymizer, pieces: Sequence[tuple[int, int, Any]], on_error: OnError) -> Any:  # noqa: ANN401
    from scipy.sparse import csr_array, vstack

    if len(pieces) == 1 and pieces[0][2] is not None:
        return pieces[0][2]
    words = len(anonymizer.get_feature_names_out())
    blank = csr_array((1 if on_error == "blank" else 0, words), dtype="int64")
    return vstack([blank if payload is None else payload for _, _, payload in pieces], format="csr")


def _rows(batch: DocumentBatch, places: Sequence[int]) -> DocumentBatch:
    import pyarrow as pa

    copied = None if batch.kept is None else without_traces(batch.kept.take(pa.array(places, pa.int64())))
    return replace(
        batch,
        ids=[batch.ids[row] for row in places],
        texts=[batch.texts[row] for row in places],
        kept=copied,
        authors=None,
        unreadable=(),
    )
