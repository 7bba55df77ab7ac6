"""Drawing a rewrite, charging it, and what may still be said of it after a person has changed it.

Charge, then show: a draw is entered in the ledger before anybody can see it, and a second draw of the same text adds
to it. A word chosen by hand is chosen with the original in mind, so a text that differs from what was drawn is measured
only; taking every edit back brings the proof back, because the text is then the drawn one again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from allonym import sequences
from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.erae import ERAE
from allonym.anonymizers.word_substitution import WordSubstitution
from allonym.attackers.calibration import count_words
from allonym.attackers.counts import texts_of_counts
from allonym.errors import InputError
from allonym.privacy import Guarantee, accounting
from allonym.privacy.guarantee import ANY_TWO_DOCUMENTS
from allonym.privacy.statement import number
from allonym.text import words as split_words
from allonym.web import methods
from allonym.web.changes import Change, compare, with_word

EDITED = "Edited by you: measured only"
_EDITED_WHY = "Words were chosen with the original in sight, so the proof no longer covers this text."
NOT_PROVED = "No proof: measured only"


@dataclass(frozen=True)
class Charge:
    """What one draw cost.

    Attributes:
        protection: The card it was drawn with.
        loss_per_word: The proved loss of a word; None where nothing is proved.
        words: How many words are drawn.
        epsilon: The proved loss of the whole text.
        adjacency: Between which texts it holds.
    """

    protection: str
    loss_per_word: float | None
    words: int
    epsilon: float | None
    adjacency: str = ANY_TWO_DOCUMENTS


@dataclass(frozen=True)
class Draw:
    """One rewrite as it was drawn.

    Attributes:
        protection: The card it was made with.
        position: Of the slider.
        original: What was rewritten.
        released: What was drawn, as text.
        terms: Words and their counts, for a method that gives those.
        guarantee: What is promised about it.
        words: How many words were drawn.
        changes: Both texts in stretches; none for counts.
    """

    protection: str
    position: int
    original: str = field(repr=False)
    released: str = field(repr=False)
    terms: tuple[tuple[str, int], ...] | None = field(repr=False)
    guarantee: Guarantee
    words: int
    changes: tuple[Change, ...] = field(repr=False)


@dataclass(frozen=True)
class Draft:
    """A draw and what a person made of it: other words for some of its stretches, by their place."""

    draw: Draw
    edits: dict[int, str] = field(default_factory=dict, repr=False)

    @property
    def text(self) -> str:
        """The text as it stands."""
        if not self.edits:
            return self.draw.released
        return "".join(self.edits.get(place, change.after) for place, change in enumerate(self.draw.changes))

    @property
    def edited(self) -> bool:
        """Whether it differs from what was drawn."""
        return self.text != self.draw.released

    def edit(self, place: int, *, to: str) -> Draft:
        """Return the draft with one stretch changed: "drawn", "original", or to a word."""
        if not 0 <= place < len(self.draw.changes):
            raise InputError("There is no such change in this draft; load the page again.")
        change = self.draw.changes[place]
        edits = {**self.edits}
        edits.pop(place, None)
        if to == "original":
            edits[place] = change.before
        elif to != "drawn":
            edits[place] = with_word(change.after or change.before, to)
        return replace(self, edits=edits)

    def reject(self) -> Draft:
        """Return the draft with the original in every place."""
        changes = enumerate(self.draw.changes)
        return replace(self, edits={place: one.before for place, one in changes if one.before != one.after})


def estimate(protection: str, position: int, text: str) -> Charge:
    """Return what a draw would cost at most, at once: by the loss stored with the slider, and every word counted."""
    _check(text)
    methods.parameters(protection, position)
    loss, words = methods.stored(protection, position)
    if words is None and methods.card(protection).method == ERAE.method:
        words = _tokens(text)
    elif words is None:
        words = len(split_words(text))  # a word method joins some of them, so it draws no more
    return Charge(protection, loss, words, None if loss is None else accounting.total(loss, words))


def price(protection: str, position: int, text: str) -> tuple[Charge, Guarantee]:
    """Return what a draw costs, by the mechanism itself and without a random bit, and what it promises by itself."""
    _check(text)
    anonymizer = methods.anonymizer(protection, position)
    promised = anonymizer.guarantee()
    words = promised.words if promised.words is not None else _words(anonymizer, text)
    loss = promised.loss_per_word
    total = None if loss is None else accounting.total(loss, words)
    return Charge(protection, loss, words, total, promised.adjacency), promised


def draw(protection: str, position: int, text: str, words: int) -> Draw:
    """Draw a rewrite with fresh noise; `words` is what `price` said."""
    anonymizer = methods.anonymizer(protection, position)
    release = anonymizer.release([text])
    if anonymizer.kind == "vectors":
        names = anonymizer.get_feature_names_out()
        row = release.payload
        counts = sorted(
            zip(map(str, names[row.indices]), map(int, row.data), strict=True), key=lambda one: (-one[1], one)
        )
        [released] = texts_of_counts(row, names)
        return Draw(protection, position, text, released, tuple(counts), release.guarantee, words, ())
    [made] = release.payload
    changed = tuple(compare(text, made))
    promised = of_document(release.guarantee, words)
    return Draw(protection, position, text, made, None, promised, words, changed)


def badge(draft: Draft, charges: Sequence[Charge]) -> dict[str, Any]:
    """Return what may be claimed of a draft, truthfully: proved, drawn again, or measured only."""
    promised = draft.draw.guarantee
    if not promised.formal:
        return {"state": "unproved", "title": NOT_PROVED, "detail": str(promised), "statement": ""}
    if draft.edited:
        return {"state": "edited", "title": EDITED, "detail": _EDITED_WHY, "statement": ""}
    paid = [charge for charge in charges if charge.epsilon is not None]
    total = number(sum(charge.epsilon or 0.0 for charge in paid))
    each = f"ε ≤ {number(promised.loss_per_word or 0.0)} for each of {draft.draw.words:,} words"
    if len(paid) > 1:
        title, detail = f"Proved: ε = {total}, {len(paid)} draws", f"All draws add up; this one alone is {each}."
        narrower = sorted({charge.adjacency for charge in paid} - {promised.adjacency, ANY_TWO_DOCUMENTS})
        if narrower:
            detail += f" Other draws promise something only between {' and '.join(narrower)}; so does their sum."
        return {"state": "rerolled", "title": title, "detail": detail, "statement": str(promised)}
    return {"state": "proved", "title": f"Proved: ε = {total}", "detail": f"{each}.", "statement": str(promised)}


def spent(charges: Sequence[Charge]) -> str:
    """Return what was spent since the page was opened, or everything forgotten, in a sentence; empty for nothing."""
    if not charges:
        return ""
    proved = [charge.epsilon for charge in charges if charge.epsilon is not None]
    others = len(charges) - len(proved)
    parts = [f"ε = {number(sum(proved))} in {_draws(len(proved))}"] if proved else []
    parts += [f"{_draws(others)} without a proof, which no total holds"] if others else []
    return f"Spent so far: {', and '.join(parts)}."


def _draws(count: int) -> str:
    return "1 draw" if count == 1 else f"{count:,} draws"


def of_document(guarantee: Guarantee, words: int) -> Guarantee:
    """Return a promise for each word as one for a text of so many words, whose number it does not hide."""
    if guarantee.loss_per_word is None or guarantee.unit != "word":
        return guarantee
    total = accounting.total(guarantee.loss_per_word, words)
    return replace(guarantee, unit="document", words=words, epsilon=total)


def _check(text: str) -> None:
    if not count_words(text):
        raise InputError("There is no text to rewrite; write or paste one on the Read screen.")
    if count_words(text) > methods.MOST_WORDS:
        most = f"{methods.MOST_WORDS:,}"
        raise InputError(f"The page rewrites up to {most} words; use `allonym anonymize` for longer texts.")


def _tokens(text: str) -> int:
    """Return how many words and marks ER-AE draws for a text when lengths are copied."""
    return sum(len(sentence) for sentence in sequences.sentences(text))


def _words(anonymizer: Anonymizer, text: str) -> int:
    """Return how many words are drawn where their number follows the text."""
    if isinstance(anonymizer, ERAE):
        return _tokens(text)
    if isinstance(anonymizer, WordSubstitution):
        return len(anonymizer.words_of(text))
    return count_words(text)
