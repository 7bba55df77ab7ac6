"""Ghostwriter: your text written anew. With a loss its notes are drawn, and proved; without one nothing is.

The **proved** face (`loss_per_word`): how a document becomes a text.

1. Its notes are read (`networks.ghostwriter.reading`): dictionary forms of content words in order, with what is denied,
   who it is about, and when. A name, number or date is no more than its class.
2. Every document has `notes` slots. Of a longer text those notes are taken that together say most of it
   (`networks.ghostwriter.choosing`); a shorter one leaves slots absent.
3. All notes of a public list are dealt out into groups of k unlike words. The candidates of a slot are the group of its
   note; an absent one has k numbers that say nothing.
4. The subset mechanism draws one number for each slot, of all on the list.
5. A network writes the drawn groups out (`networks.ghostwriter.model`). It reads nothing else, so this spends nothing,
   and it chooses which word of each group has its place while it writes. Of several versions that is written whose own
   notes agree best with those drawn.

The **plain** face (`loss_per_word=None`): how a text is rewritten.

1. Lines and paragraphs stay (`language.layout`); how a letter opens and closes has one form, and so have lists.
2. Marks, capitals and small words are brought to one public style (`language.public_style`), long sentences are cut
   and short ones joined.
3. Each sentence goes through Mozilla's translation networks to Portuguese and back, which give several versions; they
   are told which words of the sentence carry its content, so that these come back. Quotations, addresses and what
   networks cannot read are carried round them.
4. The guard reads each version beside the sentence. One that changes a name, a number, a date, a negation or who did
   what is out; of the others the cheapest is written (`ranking`). If none is good enough the sentence itself is
   written, in the public style.

Nothing is drawn there: equal texts become equal texts, in any batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from allonym import models
from allonym.anonymizers.auditing import Auditing
from allonym.anonymizers.base import Anonymizer, cached_names, check_positive, check_whole
from allonym.anonymizers.between import Between
from allonym.anonymizers.ghostwriter import versions, writing
from allonym.anonymizers.ghostwriter.auditing import GhostwriterAuditing
from allonym.errors import ParameterError
from allonym.language.sequences import SPECIAL
from allonym.language.words import checked_texts
from allonym.mechanisms import Subset
from allonym.networks.ghostwriter.choosing import MOST_SLOTS
from allonym.networks.ghostwriter.model import Writer
from allonym.networks.translation import weights
from allonym.privacy import Guarantee, accounting
from allonym.privacy.habits import LEFT_BY_TRANSLATION
from allonym.randomness import DocumentStreams

Int64 = NDArray[np.int64]

REASONS: Final = (
    "this method has no proof, only measured attacks",
    "what a text is about, its facts and their order stay, and attackers who learn from rewritten texts find them",
)
ASSUMPTIONS: Final = (
    "the network and its list of notes are public, not trained on the documents themselves",
    "each document is anonymized once (twice spends twice as much)",
    "the random key stays secret",
)
NOT_CARRIED: Final = "Names, numbers and dates are not carried over, and what stands between notes is made up."
SHIPPED: Final = "ghostwriter-en"  # the model that "default" stands for, once there is one
_NO_MODEL: Final = (
    "No network for Ghostwriter with a proved loss is shipped, so it needs a model. Train one on public text of your "
    "kind (allonym train ghostwriter TABLE --text COLUMN -o FOLDER), and give the folder (model=FOLDER or "
    "--model FOLDER). Leave loss_per_word out to write without a proof, or take a method that has one and needs no "
    "model, such as erae."
)


@dataclass(kw_only=True, eq=False, repr=False)
class Ghostwriter(Anonymizer):
    """Your text written anew, in a plain style that is nobody's own.

    Privacy: with a loss, `guarantee()`: the loss of a note × `notes`, any two documents adjacent. Without, none.

    Args:
        model: With a loss, the network that writes notes out: a folder that `allonym train ghostwriter` made.
        loss_per_word: The loss to pay for each drawn note, such as 11.4. None: the text keeps its facts, and nothing is
            proved.
        notes: With a loss, how many notes are drawn of each document, whatever its length.
    """

    method = "ghostwriter"
    suits = ("letter",)
    writes_versions = True

    model: str | Path = "default"
    loss_per_word: float | None = None
    notes: int = 24

    def _check(self) -> None:
        super()._check()
        check_whole("notes", self.notes, MOST_SLOTS)
        if self.loss_per_word is not None:
            check_positive("loss_per_word", self.loss_per_word)
        if self.model == "default" and self.loss_per_word is not None and SHIPPED not in models.shipped():
            raise ParameterError(_NO_MODEL)
        if self.model != "default" and self.loss_per_word is None:
            raise ParameterError("A model writes drawn notes out: give loss_per_word too, such as 11.4.")

    @property
    def draws(self) -> bool:  # type: ignore[override] # of this method it depends on the face
        """Whether notes are drawn; else equal texts become equal texts."""
        return self.loss_per_word is not None

    @property
    def draws_its_length(self) -> bool:  # type: ignore[override]
        """Whether how long a text is follows from what is drawn."""
        return self.draws

    @cached_property
    def writer_(self) -> Writer:
        """The network that writes notes out."""
        return Writer.open(SHIPPED if self.model == "default" else self.model)

    @cached_property
    def mechanism_(self) -> Subset | None:
        """What draws each note, by its number on the list; nothing in the plain face."""
        if self.loss_per_word is None:
            return None
        writer = self.writer_
        return Subset(len(writer.vocabulary), loss=self.loss_per_word, candidates=writer.size)

    def versions(self, sentence: str) -> list[str]:
        """Return up to three versions that state the same, the plainest first."""
        return versions.of(sentence)

    def missing(self) -> str:
        """Say what to install before a text can be written; nothing if all is there."""
        return "" if self.draws else weights.missing()

    def audited(self) -> Auditing:
        """Return what an audit must know of this method."""
        return GhostwriterAuditing(self) if self.draws else super().audited()

    def guarantee(self, documents: int = 1) -> Guarantee:
        """Return what is promised: with a loss for all notes together, and else nothing, and what is copied."""
        if self.mechanism_ is None:
            return accounting.nothing(reasons=REASONS, documents=documents, copies=LEFT_BY_TRANSLATION)
        return accounting.pure(
            loss_per_word=self.mechanism_.loss(),
            words=int(self.notes),
            documents=documents,
            assumptions=(*ASSUMPTIONS, *self.writer_.assumptions),
            drawn="note",
            notes=(NOT_CARRIED,),
        )

    def before_drawing(self, texts: Sequence[str]) -> list[str] | None:
        """Return the notes of each text that are drawn for, as a text; in the plain face they are the text."""
        if not self.draws:
            return None
        forms = self.writer_.vocabulary.forms
        taken = (self.writer_.taken(text, int(self.notes)) for text in texts)
        return [" ".join(forms[number] for number in row if number >= len(SPECIAL)) for row in taken]

    def between(self, first: str, second: str) -> Any:  # noqa: ANN401 - as the method it stands for
        """Return in how many slots two documents have other candidates, and what telling them apart costs."""
        if self.mechanism_ is None:
            return super().between(first, second)
        sets = np.sort(self._candidates(checked_texts([first, second])), axis=2)
        differ = int((sets[0] != sets[1]).any(axis=1).sum())
        loss = accounting.total(self.mechanism_.loss(), differ)
        return Between(int(self.notes), {"slots with other notes": float(differ)}, {"these slots": loss}, "note")

    def __getstate__(self) -> dict[str, object]:
        # The network is read again where it is needed: a copy of it in every worker's mail would be megabytes.
        cached = cached_names(type(self))
        return {name: value for name, value in vars(self).items() if name not in cached}

    def _anonymize(self, texts: Sequence[str], streams: DocumentStreams) -> list[str]:
        if self.mechanism_ is None:
            return [writing.written(text) for text in texts]
        drawn = self.mechanism_.draw_among(self._candidates(texts), streams)
        return [self.writer_.text(row) for row in drawn.tolist()]

    def _candidates(self, texts: Sequence[str]) -> Int64:
        """Return the candidates of every slot of every document: documents × slots × k."""
        sets = np.empty((len(texts), int(self.notes), self.writer_.size), np.int64)
        for row, text in zip(sets, texts, strict=True):
            row[:] = self.writer_.sets(text, int(self.notes))
        return sets


EXAMPLE = Ghostwriter()
