"""Batches for a writer, on the device that trains: drawn notes, as the mechanism would draw them, and the passage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from allonym.mechanisms import Subset
from allonym.networks.erae.groups import WordGroups
from allonym.networks.ghostwriter.model import WriterSettings
from allonym.networks.translation.network import END, UNKNOWN
from allonym.training.ghostwriter.corpus import NotedPassages
from allonym.training.steps import Rows, TokenRows

_ALL_SLOTS = 0.5  # how often a passage gets all slots; else a number from a third of them on, evenly
_FEWEST = 3  # part of the slots that it gets at least


@dataclass
class WriterBatch:
    """Passages of about one length."""

    notes: Tensor  # members of the groups that were drawn, B × slots × k
    absent: Tensor  # which slots are none, B × slots
    pieces: Tensor  # to be written, END after them, B × T
    weights: Tensor  # which of these count, B × T

    @property
    def tokens(self) -> int:
        """How many pieces are written."""
        return int(self.pieces.numel())


class DrawnPassages(TokenRows[WriterBatch]):
    """Passages to learn from or to watch; each time one is met its notes are drawn anew, by `chance`.

    The law is the mechanism's own: the group of a note with the probability of its candidates, else any number alike.
    An absent note is drawn like any other.
    """

    def __init__(
        self,
        passages: NotedPassages,
        notes: int,
        settings: WriterSettings,
        chance: torch.Generator,
    ) -> None:
        super().__init__(passages.pieces, passages.piece_counts, chance.device)
        device = chance.device
        self.chance, self.settings = chance, settings
        groups = WordGroups(notes, settings.candidates)
        self._words = notes
        size = groups.members.shape[1]
        sure = Subset(notes, loss=settings.loss_per_word, candidates=size).probability_of_candidates
        # Any number at all is drawn in the other cases, and so a candidate, too, now and then.
        self._sure = max(0.0, (sure - size / notes) / (1 - size / notes))
        self._members = torch.from_numpy(groups.members).to(device)
        self._group_of = torch.from_numpy(groups.group_of).to(device)
        counts = passages.note_counts.astype(np.int64)
        self._notes, self._slots = (
            torch.from_numpy(array.astype(np.int32)).to(device) for array in (passages.notes, passages.slots)
        )
        self._counts = torch.from_numpy(counts).to(device)
        self._first_notes = torch.from_numpy(np.cumsum(counts) - counts).to(device)
        self._most = int(counts.max(initial=1))

    def batch(self, rows: Rows) -> WriterBatch:
        """Return some passages with freshly drawn notes."""
        longest = int(self.lengths[rows].max()) + 1
        words, at, ends = self.first(rows, longest)
        pieces = torch.where(at < ends, words, END)
        groups = self._drawn(torch.from_numpy(rows).to(self.tokens.device))
        absent = groups < 0
        counts = (at <= ends) & (pieces != UNKNOWN)  # what is not known is never to be written
        return WriterBatch(self._members[groups.clamp(min=0)], absent, pieces, counts.float())

    def _drawn(self, rows: Tensor) -> Tensor:
        """Return the groups that were drawn for some passages, those that are none last: B × slots."""
        device, slots = rows.device, self.settings.slots
        given = self._given(rows)
        held, has_note = _moved_up(*self._taken(rows, given))
        held = held[:, :slots]
        groups = torch.where(has_note[:, :slots], self._group_of[held], -1)
        if groups.shape[1] < slots:
            groups = torch.nn.functional.pad(groups, (0, slots - groups.shape[1]), value=-1)
        fate = torch.empty(groups.shape, device=device).uniform_(generator=self.chance)
        other = torch.empty(groups.shape, dtype=torch.long, device=device)
        other.random_(self._words, generator=self.chance)
        drawn = torch.where(fate < self._sure, groups, self._group_of[other])
        drawn = torch.where(torch.arange(slots, device=device) < given[:, None], drawn, -1)
        drawn, there = _moved_up(drawn, drawn >= 0)
        drawn = torch.where(there, drawn, -1)
        return drawn[:, : max(1, int(there.sum(1).max()))]

    def _given(self, rows: Tensor) -> Tensor:
        """Return how many slots each passage gets."""
        slots = self.settings.slots
        all_of_them, share = torch.empty(2, len(rows), device=rows.device).uniform_(generator=self.chance)
        fewest = max(1, slots // _FEWEST)
        fewer = fewest + (share * (slots - fewest + 1)).long()
        return torch.where(all_of_them < _ALL_SLOTS, slots, fewer.clamp(max=slots))

    def _taken(self, rows: Tensor, given: Tensor) -> tuple[Tensor, Tensor]:
        """Return the notes of passages, B × notes, and which of them are taken."""
        at = torch.arange(self._most, device=rows.device)
        where = (self._first_notes[rows][:, None] + at).clamp(max=max(0, len(self._notes) - 1))
        inside = at < self._counts[rows][:, None]
        return self._notes[where].long(), inside & (self._slots[where] <= given[:, None])


def _moved_up(values: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
    """Return each row with what is wanted first, in its order, and which places hold that."""
    order = torch.argsort((~wanted).to(torch.int8), dim=1, stable=True)
    return values.gather(1, order), wanted.gather(1, order)
