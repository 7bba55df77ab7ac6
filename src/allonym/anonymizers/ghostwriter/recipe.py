"""Ghostwriter: your text written anew by public networks, in a style of nobody's. Nothing is proved.

How a text is rewritten:

1. Lines and paragraphs stay (`language.layout`); how a letter opens and closes has one form, and so have lists.
2. Marks, capitals and small words are brought to one public style (`language.public_style`), long sentences are cut
   and short ones joined.
3. Each sentence goes through Mozilla's translation networks to Portuguese and back, which give several versions; they
   are told which words of the sentence carry its content, so that these come back. Quotations, addresses and what
   networks cannot read are carried round them.
4. The guard reads each version beside the sentence. One that changes a name, a number, a date, a negation or who did
   what is out; of the others the cheapest is written (`ranking`). If none is good enough the sentence itself is
   written, in the public style.

Nothing is drawn: equal texts become equal texts, in any batch. The name is the design's: the proved method of this
family draws private notes of a text and lets a network write them out. Its network is not trained yet, so a loss can
not be asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.ghostwriter import writing
from allonym.errors import ParameterError
from allonym.networks.translation import weights
from allonym.privacy import Guarantee, accounting
from allonym.privacy.habits import LEFT_BY_TRANSLATION
from allonym.randomness import DocumentStreams

REASONS: Final = (
    "this method has no proof, only measured attacks",
    "what a text is about, its facts and their order stay, and attackers who learn from rewritten texts find them",
)
_NO_PROOF_YET: Final = (
    "loss_per_word must be None: Ghostwriter with a proved loss needs a network that is not shipped yet. "
    "Leave it out to write without a proof, or take a method that has one, such as erae."
)


class Ghostwriter(Anonymizer):
    """Your text written anew, with its facts, in a style of nobody's.

    Privacy: none is promised; only measured attacks speak for it.

    Args:
        loss_per_word: None: nothing is proved. A loss cannot be asked for until a network for it is shipped.
    """

    method = "ghostwriter"
    draws = False
    suits = ("letter",)

    def __init__(self, *, loss_per_word: float | None = None) -> None:
        self.loss_per_word = loss_per_word
        self._check()

    def _check(self) -> None:
        super()._check()
        if self.loss_per_word is not None:
            raise ParameterError(_NO_PROOF_YET)

    def missing(self) -> str:
        """Say what to install before a text can be written; nothing if all is there."""
        return weights.missing()

    def guarantee(self, documents: int = 1) -> Guarantee:
        """Return a guarantee of nothing, with the reasons and what of the text is copied."""
        return accounting.nothing(reasons=REASONS, documents=documents, copies=LEFT_BY_TRANSLATION)

    def _anonymize(self, texts: Sequence[str], streams: DocumentStreams) -> Any:  # noqa: ANN401
        return [writing.written(text) for text in texts]


EXAMPLE = Ghostwriter()
