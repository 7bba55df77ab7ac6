"""Drawing a rewrite, charging it, and what may still be said of it after a person has changed it.

Charge, then show: a draw is entered in the ledger before anybody can see it, and a second draw of the same text adds
to it. A word chosen by hand is chosen with the original in mind, so a text that differs from what was drawn is measured
only; taking every edit back brings the proof back, because the text is then the drawn one again.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from allonym.budget.account import Totals, where, why_not, worded
from allonym.errors import InputError
from allonym.privacy import Guarantee, accounting
from allonym.privacy.guarantee import ANY_TWO_DOCUMENTS
from allonym.privacy.statement import counted, number
from allonym.recognition.reliability import count_words
from allonym.web import levels, methods
from allonym.web.changes import Change, compare, core, with_word
from allonym.web.levels import Level

EDITED = "Edited by you: measured only"
_EDITED_WHY = "Words were chosen with the original in sight, so the proof no longer covers this text."
NOT_PROVED = "No proof: measured only"
PROVED_ALONE = "Proved alone, not together with what was drawn before"
ALSO_EDITED = (
    "An earlier rewrite was edited by hand here; if that text is sent as well, nothing is promised for both together."
)


@dataclass(frozen=True)
class DrawCharge:
    """What one draw cost."""

    protection: str
    words: int
    promised: Guarantee  # what is promised about a text of so many words

    def to_json(self) -> dict[str, Any]:
        """Return what a receiver may know: how many words there were is left out where no promise speaks of them."""
        promise = self.promised
        return {
            "protection": self.protection,
            "definition": promise.definition,
            "words": promise.words if promise.formal else None,
            "loss_per_word": promise.loss_per_word,
            "epsilon": promise.epsilon,
            "adjacency": promise.adjacency,
        }


@dataclass(frozen=True)
class Badge:
    """What may be claimed of a draft: a level for everybody, and behind it the numbers."""

    level: Level
    state: str  # what of it is proved: "unproved", "edited", "mixed", "rerolled" or "proved"
    proof: str  # the same in a few words, with the total where there is one
    detail: str  # and in full sentences
    statement: str  # the promise in full, where there is one

    def to_json(self) -> dict[str, Any]:
        """Return everything by name."""
        return asdict(self) | {"level": self.level.to_json()}


@dataclass(frozen=True)
class Draw:
    """One rewrite as it was drawn."""

    protection: str
    position: int  # of the slider
    original: str = field(repr=False)
    released: str = field(repr=False)  # what was drawn, as text
    terms: tuple[tuple[str, int], ...] | None = field(repr=False)  # words and counts, of a method that gives those
    guarantee: Guarantee
    words: int
    changes: tuple[Change, ...] = field(repr=False)  # both texts in stretches; none for counts


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
        return "".join(self.edits.get(number, change.after) for number, change in enumerate(self.draw.changes))

    @property
    def edited(self) -> bool:
        """Whether it differs from what was drawn."""
        return self.text != self.draw.released

    def edit(self, number: int, *, to: str) -> Draft:
        """Return the draft with one stretch changed: "drawn", "original", or to a word."""
        if not 0 <= number < len(self.draw.changes):
            raise InputError("There is no such change in this draft; load the page again.")
        change = self.draw.changes[number]
        edits = {other: words for other, words in self.edits.items() if other != number}
        if to == "original":
            edits[number] = change.before
        elif to != "drawn":
            edits[number] = with_word(change.after or change.before, to)
        return replace(self, edits=edits)

    def words_at(self, number: int) -> tuple[int, int]:
        """Return where the words of one stretch stand in the text."""
        stretches = [
            self.edits.get(place, change.after) for place, change in enumerate(self.draw.changes[: number + 1])
        ]
        first, last = core(stretches[-1])
        before = sum(map(len, stretches[:-1]))
        return before + first, before + last

    def reject(self) -> Draft:
        """Return the draft with the original in every place."""
        changes = enumerate(self.draw.changes)
        return replace(
            self, edits={number: change.before for number, change in changes if change.before != change.after}
        )


def estimate(protection: str, position: int, text: str) -> DrawCharge:
    """Return what a draw would cost at most, at once: by the loss stored with the slider, and every word counted."""
    _check(text)
    loss, words = methods.stored(protection, position)
    anonymizer = methods.unprepared(protection, position)
    words = anonymizer.words_at_most(text) if words is None else words
    promised = accounting.pure(loss_per_word=loss or 0.0, words=words, drawn=anonymizer.drawn)
    return DrawCharge(protection, words, promised if loss is not None else promised.withdrawn("measured only"))


def price(protection: str, position: int, text: str) -> DrawCharge:
    """Return what a draw costs, by the mechanism itself and without a random bit."""
    _check(text)
    anonymizer = methods.anonymizer(protection, position)
    promised = anonymizer.guarantee()
    words = promised.words if promised.words is not None else anonymizer.words_drawn(text)
    return DrawCharge(protection, words, of_document(promised, words))


def draw(protection: str, position: int, text: str, words: int) -> Draw:
    """Draw a rewrite with fresh noise; `words` is what `price` said."""
    release = methods.anonymizer(protection, position).release([text])
    [released] = release.texts()
    if release.terms:
        [counts] = release.counts()
        return Draw(protection, position, text, released, tuple(counts.items()), release.guarantee, words, ())
    changed = tuple(compare(text, released))
    return Draw(protection, position, text, released, None, of_document(release.guarantee, words), words, changed)


def badge(draft: Draft, spent: Totals, *, edited: bool = False) -> Badge:
    """Return what may be claimed of a draft: its level, and whether it is proved, drawn again, or measured only.

    `spent` is what all draws cost, this one too; `edited` says whether others may know a draft that was edited.
    """
    promised = draft.draw.guarantee
    level = _level(draft, spent)
    if not promised.formal:
        return Badge(level, "unproved", NOT_PROVED, str(promised), "")
    if draft.edited:
        return Badge(level, "edited", EDITED, _EDITED_WHY, "")
    drawn = counted(draft.draw.words, promised.drawn)
    each = f"ε ≤ {number(promised.loss_per_word or 0.0)} for each of {drawn}"
    if promised.adjacency != ANY_TWO_DOCUMENTS:
        each += f", between {promised.adjacency}"
    draws = counted(spent.releases, "release" if spent.dataset else "draw")  # a ledger also knows those of others
    if spent.document is None:
        state, proof = "mixed", PROVED_ALONE
        detail = f"This draw: {each}. Nothing is promised for all together: {draws}, {why_not(spent)}."
    elif spent.releases > 1:
        state, proof = "rerolled", f"Proved: ε = {number(spent.document)}, {draws}"
        holds = f", and their sum holds{where(spent).removeprefix(',')}" if spent.between else ""
        detail = f"All draws add up{holds}; this one alone is {each}."
    else:
        state, proof, detail = "proved", f"Proved: ε = {number(spent.document)}", f"{each}."
    also = f" {ALSO_EDITED}" if edited else ""
    return Badge(level, state, proof, f"{detail}{also}", str(promised))


def _level(draft: Draft, spent: Totals) -> Level:
    """Return the level of a draft; a proof counts with all that was spent, where that holds of any two documents."""
    drawn = draft.draw
    together = None if spent.document is None or spent.between else float(spent.document)
    of_one = methods.level(drawn.protection, drawn.position, total=together, edited=draft.edited)
    several = spent.releases > 1 and not draft.edited
    return replace(of_one, reason=f"{of_one.reason} {levels.SEVERAL}") if several else of_one


def spent_in_words(spent: Totals) -> str:
    """Return what was spent since the page was opened, or everything forgotten, in a sentence; empty for nothing."""
    return f"Spent so far: {worded(spent, 'draw')}" if spent.releases else ""


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
