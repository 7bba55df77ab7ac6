"""No protection at all: the papers' "original" row, so that every comparison has one."""

from __future__ import annotations

from collections.abc import Sequence

from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.offers import Offer
from allonym.privacy import Guarantee, accounting
from allonym.privacy.habits import Habit
from allonym.randomness import DocumentStreams


class Identity(Anonymizer):
    """Returns every text as it is. Privacy: none."""

    method = "identity"
    draws = False
    is_a_baseline = True

    def guarantee(self, documents: int = 1) -> Guarantee:
        """Return a guarantee of nothing."""
        return accounting.nothing(reasons=("the text is not changed",), documents=documents, copies={Habit.TEXT})

    def offers(self) -> tuple[Offer, ...]:
        """Offer nothing: this is for comparisons, not a protection."""
        return ()

    def _anonymize(self, texts: Sequence[str], streams: DocumentStreams) -> list[str]:
        return list(texts)


EXAMPLE = Identity()
