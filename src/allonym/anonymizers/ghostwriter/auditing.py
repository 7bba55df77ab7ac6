"""How Ghostwriter's proved face is audited: by its table of candidate sets, and over a made-up network of a few notes.

What is drawn is a number, so the audit compares the numbers that were drawn with the law of their candidate sets, and
holds them fixed to see whether anything else of a document shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from allonym.anonymizers.auditing import PLAIN, Auditing, Small, made_up, varied
from allonym.anonymizers.erae.auditing import of_groups
from allonym.language.sequences import SPECIAL, Vocabulary
from allonym.mechanisms import Subset
from allonym.mechanisms.base import Audited
from allonym.networks.ghostwriter.model import PIECES, WORD_START, Writer, WriterSettings, writer_shapes
from allonym.networks.ghostwriter.reading import MARKS
from allonym.networks.translation.network import BIAS, END

if TYPE_CHECKING:
    from allonym.anonymizers.ghostwriter.recipe import Ghostwriter

_WORDS = 8
_LITTLE = 1.0  # loss of a note in small versions
_FEW, _MOST_SHORT, _MOST = 1, 3, 6  # notes
_WIDTH, _INNER = 16, 16
_ENDS_SOON = 4.0  # so that thousands of texts are written in seconds


class GhostwriterAuditing(Auditing):
    """What an audit asks of Ghostwriter with a loss."""

    method: Ghostwriter
    slow = True

    @cached_property
    def words(self) -> Sequence[str]:
        """The words on the list of notes."""
        return [form for form in self.method.writer_.vocabulary.forms if form.isalpha() and form.islower()]

    def laws(self) -> Sequence[Audited | None]:
        """Return how the mechanism is checked, and how it is over the groups of the list."""
        mechanism = self.method.mechanism_
        over_groups = [of_groups(mechanism, self.method.writer_.groups)] if isinstance(mechanism, Subset) else []
        return [*super().laws(), *over_groups]

    def small(self) -> Small:
        """Return Ghostwriter with a made-up network of eight words; laws are those of the candidate sets."""
        notes = int(self.method.notes)
        return Small(
            anonymizer=tiny(self.method, min(notes, _MOST)),
            words=PLAIN[:_WORDS],
            laws=None,
            short=tiny(self.method, min(notes, _MOST_SHORT)),
            shortest=tiny(self.method, _FEW),
        )

    def quick(self) -> Ghostwriter:
        """Return the method with one note and a small loss, whose answers show honestly little of a text's form."""
        return tiny(self.method, _FEW)


def tiny(method: Ghostwriter, notes: int) -> Ghostwriter:
    """Return Ghostwriter with so many notes, a small loss and a made-up network of a few words."""
    small = varied(method, notes=notes, loss_per_word=_LITTLE)
    small.__dict__["writer_"] = made_up_writer(PLAIN[:_WORDS], candidates=2)
    return small


def made_up_writer(words: Sequence[str], *, candidates: int) -> Writer:
    """Return a writer with these words on its list of notes, and a made-up network that writes a few of them."""
    vocabulary = Vocabulary((*SPECIAL, *MARKS, *(word for word in words if word not in MARKS)))
    pieces = (*PIECES, *(WORD_START + word for word in (*words[:_WORDS], "the", "a")))
    shapes = writer_shapes(_WIDTH, _INNER, 1, 1, notes=len(vocabulary), pieces=len(pieces))
    tensors = {name: made_up(sizes, start=place << 32) for place, (name, sizes) in enumerate(sorted(shapes.items()), 1)}
    tensors[BIAS][0, END] = _ENDS_SOON
    rows = {name: tensor.reshape(-1) if len(tensor) == 1 else tensor for name, tensor in tensors.items()}
    settings = WriterSettings(candidates=candidates, slots=_MOST, loss_per_word=_LITTLE)
    return Writer(settings, rows, vocabulary, pieces)
