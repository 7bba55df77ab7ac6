"""Batches for training the style encoder: pieces of texts, cut at random, as counts of n-grams on the training device.

A crop is a run of tokens. Batches come in four *forms*, one for all texts of a batch, so that form never tells the
writer: as written; plain (typewriter quotes, no line breaks); tokens with a blank between; these in lower case.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from allonym.networks.style_encoder.text import FINE, FIRST_KNOWN, KINDS, KNOWN, Arithmetic, TokenRow, classes, read

FORMS = 4  # as written, plain, spaced, spaced and lower
_PLAIN = {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\n": " "}
_MOST_CHARACTERS = 2600


def torch_arithmetic(device: torch.device) -> Arithmetic:
    """Return torch's operations, on one device."""
    return Arithmetic(
        cumulated=lambda values: values.cumsum(0),
        highest_so_far=lambda values: values.cummax(0).values,
        places=lambda chosen: chosen.nonzero()[:, 0],
        table=lambda values: torch.from_numpy(values).to(device),
        either=torch.where,
        within=torch.isin,
    )


class WriterTexts:
    """Texts of many writers, ready to be cut and counted in so many of the forms.

    Characters and ranges are as `text.numbered` returns them; a writer's texts lie together.
    """

    def __init__(
        self,
        characters: NDArray[np.uint8],
        ranges: NDArray[np.int64],
        writers: NDArray[np.int64],
        device: torch.device,
        forms: int = FORMS,
    ) -> None:
        self.device = device
        arithmetic = torch_arithmetic(device)
        written = read(torch.from_numpy(characters).to(device).long(), arithmetic)
        self.tokens = torch.searchsorted(written.starts, torch.from_numpy(ranges).to(device))  # (texts, 2)
        counts = torch.bincount(torch.from_numpy(writers).to(device))
        self.texts_of = torch.stack([counts.cumsum(0) - counts, counts], dim=1)  # (writers, 2): first text, how many
        changed = [written, *(read(in_form(written, form), arithmetic) for form in range(1, forms))]
        self._forms = [_Hashed(row) for row in changed]

    def counts(self, first: Tensor, stop: Tensor, form: int = 0) -> Tensor:
        """Return the n-grams of runs of tokens, counted (B, F)."""
        return self._forms[form].counts(first, stop)


class _Hashed:
    """One form of all texts, with every n-gram's number at the place where it begins."""

    def __init__(self, row: TokenRow) -> None:
        self.starts, self.ends = row.starts, row.ends
        offsets = np.cumsum([0, *FINE[:-1]]).tolist()
        self.numbers = [(row.hashed(kind) + start).to(torch.int32) for kind, start in zip(KINDS, offsets, strict=True)]

    def counts(self, first: Tensor, stop: Tensor) -> Tensor:
        """Return the n-grams of runs of tokens, counted; no run is empty."""
        counted = torch.zeros(len(first), sum(FINE), device=first.device)
        begin = self.starts[first]
        spans = {
            "characters": _Runs(begin, torch.minimum(self.ends[stop - 1], begin + _MOST_CHARACTERS)),
            "tokens": _Runs(first, stop),
        }
        for kind, numbers in zip(KINDS, self.numbers, strict=True):
            runs = spans["characters" if kind.of == "characters" else "tokens"]
            inside = (runs.left >= kind.length).float()
            counted.view(-1).scatter_add_(0, runs.owners * sum(FINE) + numbers[runs.places], inside)
        return counted


class _Runs:
    """All places of several runs: which run, the place, and how many are left of its run, itself included."""

    def __init__(self, begins: Tensor, ends: Tensor) -> None:
        sizes = ends - begins
        self.owners = torch.repeat_interleave(torch.arange(len(sizes), device=sizes.device), sizes)
        at = torch.arange(len(self.owners), device=sizes.device) - (sizes.cumsum(0) - sizes)[self.owners]
        self.places = begins[self.owners] + at
        self.left = sizes[self.owners] - at


def in_form(row: TokenRow, form: int) -> Tensor:
    """Return the characters of another form of the same texts; their tokens stay as many."""
    characters: Tensor = row.characters
    device = characters.device
    if form == 1:
        plain = torch.arange(FIRST_KNOWN + len(KNOWN), device=device)
        for sign, other in _PLAIN.items():
            plain[FIRST_KNOWN + KNOWN.index(sign)] = FIRST_KNOWN + KNOWN.index(other)
        return plain[characters]
    lengths = row.ends - row.starts
    places = (lengths + 1).cumsum(0) - lengths - 1  # one blank after each token
    blank = FIRST_KNOWN + KNOWN.index(" ")
    spaced = torch.full((int((lengths + 1).sum()),), blank, device=device, dtype=torch.int64)
    token = torch.repeat_interleave(torch.arange(len(lengths), device=device), lengths)
    within = torch.arange(len(token), device=device) - (lengths.cumsum(0) - lengths)[token]
    written = characters[row.starts[token] + within]
    spaced[places[token] + within] = written if form == 2 else _lower(device)[written]
    return spaced


def _lower(device: torch.device) -> Tensor:
    lower = torch.from_numpy(classes()["lower"]).clone()
    digits = [FIRST_KNOWN + KNOWN.index(sign) for sign in "0123456789"]  # which are all 0 there
    lower[digits] = torch.tensor(digits)
    return lower.to(device)


@dataclass(frozen=True)
class CropBatch:
    """Crops: their form, and of each its writer, its text, its first token and the one after its last."""

    form: int
    writers: Tensor
    texts: Tensor
    first: Tensor
    stop: Tensor


class Crops:
    """Draws batches: some writers, a few texts of each, a run of tokens of each text.

    Crops have from `fewest` to `most` tokens, logarithms of lengths uniform; so often a batch is `changed`: in another
    form than as written.
    """

    def __init__(
        self, texts: WriterTexts, chance: torch.Generator, *, changed: float = 0.5, fewest: int = 20, most: int = 350
    ) -> None:
        self.texts, self.chance = texts, chance
        self.changed, self.fewest, self.most = changed, fewest, most

    def draw(self, writers: int, each: int) -> CropBatch:
        """Return so many crops of each of so many writers."""
        many = min(writers, len(self.texts.texts_of))
        chosen = self._uniform(len(self.texts.texts_of)).argsort()[:many]
        first_text, count = self.texts.texts_of[chosen].repeat_interleave(each, dim=0).unbind(1)
        # Texts at even steps around a writer's circle of texts: distinct where there are enough.
        start = (self._uniform(many).repeat_interleave(each) * count).long()
        longest = ((count - 1) // max(1, each - 1)).clamp(min=1)
        step = 1 + (self._uniform(many).repeat_interleave(each) * longest).long()
        turn = torch.arange(each, device=self.texts.device).repeat(many)
        text = first_text + (start + turn * step) % count
        begin, end = self.texts.tokens[text].unbind(1)
        length = (self.fewest * (self.most / self.fewest) ** self._uniform(len(text))).long()
        length = torch.minimum(length, end - begin)
        room = (end - begin - length).float()
        shift = (self._uniform(len(text)) * (room + 1)).long() * (self._uniform(len(text)) < 0.6)
        other = int(self._uniform(1).item() * (FORMS - 1)) % (FORMS - 1) + 1
        form = other if self._uniform(1).item() < self.changed else 0
        return CropBatch(form, chosen.repeat_interleave(each), text, begin + shift, begin + shift + length)

    def _uniform(self, size: int) -> Tensor:
        return torch.empty(size, device=self.texts.device).uniform_(generator=self.chance)
