"""What the page holds while it is open: one person's texts, in memory and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from allonym import metrics, names
from allonym.budget.account import Totals, added
from allonym.errors import AllonymError, BudgetError, InputError
from allonym.language import identification
from allonym.recognition import profile, reading, suggestions, verdict
from allonym.recognition.profile import Likeness
from allonym.recognition.reading import YOU, Reading
from allonym.recognition.recogniser import Recogniser
from allonym.recognition.reliability import count_words
from allonym.recognition.verdict import Changed
from allonym.web import methods, rewriting
from allonym.web.purse import Purse
from allonym.web.rewriting import Badge, Draft, DrawCharge

MOST_REFERENCES = 2_000
_LONGEST_COMPARED = 20_000  # characters whose meaning is compared: a tenth of a second for each 1,000


@dataclass
class Known:
    """Other texts, of the writer and of others, and the attackers trained on them."""

    mine: list[str] = field(default_factory=list, repr=False)  # the writer's own
    others: list[tuple[str, str]] = field(default_factory=list, repr=False)  # texts and their authors
    state: str = "none"  # "none", "training", "ready" or "failed"
    done: int = 0
    total: int = 0
    problem: str = ""  # why it failed, in a sentence
    recogniser: Recogniser | None = field(default=None, repr=False)
    words: int = 0  # the length they were tested at

    def to_json(self) -> dict[str, Any]:
        """Return how far it is, without any text or name."""
        return {
            "state": self.state,
            "done": self.done,
            "total": self.total,
            "problem": self.problem,
            "own_texts": len(self.mine),
            "other_texts": len(self.others),
            "writers": len({author for author, _ in self.others}) + bool(self.mine),
            "words": self.words,
        }


@dataclass
class Desk:
    """Everything of one sitting; `forget` leaves nothing."""

    text: str = field(default="", repr=False)  # what is read and rewritten
    known: Known = field(default_factory=Known)
    charges: list[DrawCharge] = field(default_factory=list)  # since the page was opened, or everything forgotten
    draft: Draft | None = field(default=None, repr=False)  # the last draw, and what was made of it
    drafts: int = 0
    edited: bool = False  # whether an earlier draft was left, or saved, as a person had edited it
    purse: Purse | None = None  # the ledger that draws are charged to, if one was named
    held: Totals | None = None  # what it held after the last draw

    @property
    def spent(self) -> Totals:
        """What all draws cost: as the ledger has it where there is one, else of this sitting. There is no other sum."""
        if self.held is not None and self.charges:
            return self.held
        return added([charge.promised for charge in self.charges])

    @property
    def spent_in_words(self) -> str:
        """What was spent, in a sentence, where there is no ledger that says it."""
        return rewriting.spent_in_words(self.spent) if self.held is None else ""

    @property
    def badge(self) -> Badge:
        """What may be claimed of the draft."""
        return rewriting.badge(self.drafted(), self.spent, edited=self.edited)

    @property
    def ledger(self) -> str:
        """What the ledger held after the last draw, in words."""
        return "" if self.purse is None or self.held is None else self.purse.balance(self.held)

    def forget(self) -> None:
        """Drop all texts and what was learned from them; what a ledger holds stays there."""
        self.text, self.known, self.charges, self.draft, self.drafts = "", Known(), [], None, 0
        self.edited = False
        _meaning.cache_clear()
        suggestions.forget()

    def read(self, text: str) -> Reading:
        """Take a text and say how recognisable it is."""
        self.text = text
        found = reading.with_names(self.measure(text), text, model=names.model_is_open())
        return reading.with_language(found, text)

    def measure(self, text: str) -> Reading:
        """Say how recognisable any text is to what this desk knows."""
        return reading.read(text, self.known.recogniser, self.known.mine)

    def compared(self, before: Reading, after: Reading) -> list[Changed]:
        """Return the verdict's figures before and after; none of word counts, which are no text to judge."""
        if self.drafted().draw.terms is not None:
            return []
        return verdict.compared(before.gauges, after.gauges)

    def take_references(self, mine: Sequence[str], others: Sequence[tuple[str, str]]) -> Known:
        """Take other texts; those equal to the text in question are left out. If refused, the former ones stay."""
        asked = self.text.strip()
        accepted = [text for text in mine if text.strip() and text.strip() != asked]
        foreign = [(author, text) for author, text in others if text.strip() and text.strip() != asked]
        if any(author.strip().lower() == YOU for author, _ in others):
            raise InputError(f"Another writer is called “{YOU}”, which stands for yourself here; rename the file.")
        if foreign and not accepted:
            raise InputError("There are texts of others but none of yours; add one of your own.")
        self.known = Known(accepted, foreign, "training" if foreign else "none")
        return self.known

    def train(self, known: Known) -> None:
        """Train attackers on the references; for a worker, so failures are kept, not raised."""
        if known is not self.known:  # others were given meanwhile
            return
        words = max(1, count_words(self.text)) if self.text.strip() else 500

        def progress(done: int, total: int) -> None:
            known.done, known.total = done, total

        texts = [*known.mine, *(text for _, text in known.others)]
        authors = [*(YOU for _ in known.mine), *(author for author, _ in known.others)]
        try:
            known.recogniser = Recogniser().fit(texts, authors, words=words, progress=progress)
            known.state, known.words = "ready", words
        except AllonymError as error:
            known.state, known.problem = "failed", str(error)
        except Exception as error:  # its message may hold text, so only its kind is told
            known.state, known.problem = "failed", f"Training failed ({type(error).__name__}); try other texts."

    def price(self, protection: str, position: int) -> tuple[DrawCharge, str]:
        """Return what a draw would cost, and what the ledger would then hold, or why it would refuse."""
        if self.purse is None:
            return rewriting.estimate(protection, position, self.text), ""
        charge = rewriting.price(protection, position, self.text)
        try:
            return charge, self.purse.foresee(methods.card(protection).method, charge.promised)
        except BudgetError as refusal:
            return charge, f"The ledger will refuse it: {refusal}"

    def language(self) -> str:
        """Say it if the text is not English."""
        return identification.of_texts([self.text])

    def rewrite(self, protection: str, position: int) -> Draft:
        """Charge a draw, draw it, and make it the draft."""
        text, charges = self.text, self.charges
        charge = rewriting.price(protection, position, text)
        if self.purse is not None:  # refuses before a random bit is drawn
            self.held = self.purse.charge(methods.card(protection).method, charge.promised)
        charges.append(charge)  # before anybody sees it: a failure may count too much, never too little
        draft = Draft(rewriting.draw(protection, position, text, charge.words))
        if self.charges is not charges:
            raise InputError("Everything was forgotten while this was drawn; begin again.")
        self.leave()
        self.draft, self.drafts = draft, self.drafts + 1
        return draft

    def leave(self) -> None:
        """Note that the draft may be known to others as it stands."""
        self.edited = self.edited or (self.draft is not None and self.draft.edited)

    def edit(self, change: int, to: str) -> Draft:
        """Change one stretch of the draft."""
        self.draft = self.drafted().edit(change, to=to)
        return self.draft

    def restore(self) -> Draft:
        """Take all edits back."""
        self.draft = Draft(self.drafted().draw)
        return self.draft

    def reject(self) -> Draft:
        """Put the original back everywhere; what is left is the original, byte for byte."""
        self.draft = self.drafted().reject()
        return self.draft

    def drafted(self) -> Draft:
        """Return the draft, or say that there is none."""
        if self.draft is None:
            raise InputError("There is no rewrite yet; choose a protection on the Rewrite screen.")
        return self.draft

    def meaning_kept(self) -> float | None:
        """Return how alike the meaning of the original and the draft is; None where that cannot be measured."""
        draft = self.drafted()
        if draft.draw.terms is not None or metrics.available()["cosine"] != metrics.READY:
            return None
        return _meaning(draft.draw.original[:_LONGEST_COMPARED], draft.text[:_LONGEST_COMPARED])

    def same_writer(self) -> Likeness | None:
        """Return how likely style alone makes it that one writer wrote the original and the draft."""
        draft = self.drafted()
        return profile.shipped().likeness(draft.draw.original, draft.text)


@lru_cache(maxsize=4)
def _meaning(before: str, after: str) -> float:
    return float(metrics.cosine([before], [after])[0])
