"""ER-AE's network (Bo et al. 2021): an auto-encoder whose generator rates every word at every place of a sentence.

A bidirectional GRU reads the sentence, its two last states make the latent vector, and a second GRU, fed the *original*
previous word and the latent vector, rates all words (equations 1 and 2). Two variants:

- ``paper``: the network above, in the sizes of the authors' released code (2 × 256, 256, 512; the paper says
  512 and two layers). One deviation: the output layer is factored and shares the word embedding, 512 → 256 → words,
  which makes the weights a third as large.
- ``attention``: ours. The generator also looks at the encoder's state at every word, by content and by place.

The guarantee of what is drawn from the ratings does not depend on the network. B: sentences, S: places the encoder
reads (words and END), T: steps of the generator, V: words, E: embedding, H: generator.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from allonym.networks.erae.inference import EraeShape

Variant = Literal["paper", "attention"]
PAD, START, END, UNKNOWN = range(4)  # as in allonym.language.sequences
NEVER_WRITTEN = (PAD, START, UNKNOWN)
LONGEST = 53  # places of a sentence of 50 words, with END and the steps after it
REWARD_CAP = 0.85
# The released code's floor: a negative reward would drive a word's log-probability to minus infinity.
REWARD_FLOOR = 1e-5
_IMPOSSIBLE = -1e4  # finite, so that a weight of zero really cancels it
_SAME_PLACE = 4.0  # the attention's head start for the place that is to be written


class Erae(nn.Module):
    """The network; make the embedding with `set_word_vectors` before training."""

    def __init__(self, shape: EraeShape, dropout: float = 0.1) -> None:
        super().__init__()
        self.shape = shape
        both = 2 * shape.encoder
        self.embedding = nn.Embedding(shape.words, shape.embedding)
        self.encoder = nn.GRU(shape.embedding, shape.encoder, batch_first=True, bidirectional=True)
        self.latent = nn.Linear(both, shape.latent)
        self.generator = nn.GRU(shape.embedding + shape.latent, shape.generator, batch_first=True)
        if shape.variant == "attention":
            self.query = nn.Linear(shape.generator, both, bias=False)
            self.place = nn.Parameter(torch.zeros(2 * LONGEST + 1))  # by how far the read place is after the written
            self.mix = nn.Linear(shape.generator + both, shape.generator)
        self.output = nn.Linear(shape.generator, shape.embedding)
        self.bias = nn.Parameter(torch.zeros(shape.words))
        self.dropout = nn.Dropout(dropout)
        self.forbidden: Tensor
        self.register_buffer("forbidden", torch.zeros(shape.words), persistent=False)
        with torch.no_grad():
            self.forbidden[list(NEVER_WRITTEN)] = _IMPOSSIBLE
            self.embedding.weight.normal_(0, 1 / math.sqrt(shape.embedding))
            if shape.variant == "attention":
                self.place[LONGEST] = _SAME_PLACE

    def set_word_vectors(self, vectors: NDArray[np.floating[Any]]) -> None:
        """Start the embedding from pretrained unit vectors, as far as they reach; rows of zeros stay random."""
        width = min(vectors.shape[1], self.shape.embedding)
        known = torch.from_numpy(np.flatnonzero(np.abs(vectors).sum(1) > 0))
        given = torch.from_numpy(np.asarray(vectors, np.float32)[:, :width])
        with torch.no_grad():
            self.embedding.weight[known, :width] = given[known].to(self.embedding.weight)

    def set_frequencies(self, counts: NDArray[np.integer[Any]]) -> None:
        """Start the output's bias from how often each word was counted: training then skips that plateau."""
        shares = torch.from_numpy((counts + 1.0) / (counts + 1.0).sum())
        with torch.no_grad():
            self.bias.copy_(shares.log() - shares.log().mean())

    def forward(self, read: Tensor, lengths: Tensor, previous: Tensor) -> Tensor:
        """Rate every word at every step, B × T × V.

        Args:
            read: What the encoder sees, words and END, B × S, padded.
            lengths: Places of each sentence, on the processor, longest first.
            previous: The original word before each step, from START on, B × T.
        """
        return self.rate(self.features(read, lengths, previous))

    def features(self, read: Tensor, lengths: Tensor, previous: Tensor) -> Tensor:
        """Return what the output layer sees at each step, B × T × E."""
        states, latent = self.encode(read, lengths)  # (B, S, 2·encoder), (B, latent)
        before = self.dropout(self.embedding(previous))  # (B, T, E)
        fed = torch.cat([before, latent[:, None].expand(-1, before.shape[1], -1)], dim=-1)  # (B, T, E + latent)
        with torch.autocast(fed.device.type, enabled=False):  # a graphics card's fast GRU wants 32 bits
            hidden, _ = self.generator(fed.float())  # (B, T, H)
        if self.shape.variant == "attention":
            seen = self.attend(hidden, states, lengths)  # (B, T, 2·encoder)
            hidden = torch.tanh(self.mix(self.dropout(torch.cat([hidden, seen], dim=-1))))  # (B, T, H)
        features: Tensor = self.output(self.dropout(hidden))  # (B, T, E)
        return features

    def encode(self, read: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return the encoder's state at each place and the latent vector (equation 1)."""
        packed = pack_padded_sequence(self.dropout(self.embedding(read)), lengths, batch_first=True)
        with torch.autocast(read.device.type, enabled=False):
            states, last = self.encoder(packed)  # last: (2, B, encoder), forward and backward
        padded, _ = pad_packed_sequence(states, batch_first=True, total_length=read.shape[1])
        return padded, self.latent(torch.cat([last[0], last[1]], dim=-1))

    def attend(self, hidden: Tensor, states: Tensor, lengths: Tensor) -> Tensor:
        """Return the mean of the encoder's states, weighted for each step by content and by place."""
        steps, places = hidden.shape[1], states.shape[1]
        scores = self.query(hidden) @ states.transpose(1, 2) / math.sqrt(states.shape[-1])  # (B, T, S)
        at = torch.arange(places, device=states.device)
        offset = at[None, :] - torch.arange(steps, device=states.device)[:, None]  # (T, S)
        scores = scores.float() + self.place[offset.clamp(-LONGEST, LONGEST) + LONGEST]
        beyond = at[None, :] >= lengths.to(states.device, non_blocking=True)[:, None]  # (B, S)
        weights = scores.masked_fill(beyond[:, None, :], -math.inf).softmax(-1)  # (B, T, S)
        seen: Tensor = weights @ states.float()
        return seen

    def rate(self, features: Tensor) -> Tensor:
        """Return the logits of all words; those never written are as good as impossible."""
        shift = (self.bias + self.forbidden).to(features.dtype)  # (V,)
        return nn.functional.linear(features, self.embedding.weight.to(features.dtype), shift)  # (..., V)


def embedding_reward_loss(
    logits: Tensor, targets: Tensor, weights: Tensor, vectors: Tensor, explored: Tensor, best: int = 5
) -> Tensor:
    """Return the mean embedding reward loss: likely words, and some at random, earn by closeness to the original.

    A step's candidates are the `best` most likely words and some random ones, `explored` (B × T × k); each adds −log Pr
    · γ (section 4.3). A word without a vector earns nothing for it.
    """
    logits = logits.float()
    candidates = torch.cat([logits.detach().topk(best, dim=-1).indices, explored], dim=-1)  # (B, T, best + k)
    log_likelihoods = logits.gather(-1, candidates) - logits.logsumexp(-1, keepdim=True)
    rewards = reward(targets, candidates, vectors)
    losses = -(log_likelihoods * rewards).sum(-1)  # (B, T)
    return (losses * weights).sum() / weights.sum()


def reward(targets: Tensor, candidates: Tensor, vectors: Tensor) -> Tensor:
    """Return γ (equation 7): the cosine of each candidate with the original word, capped."""
    cosines = (vectors[targets][..., None, :] * vectors[candidates]).sum(-1)  # (B, T, k)
    cosines = torch.where(candidates == targets[..., None], 1.0, cosines.float())
    return cosines.clamp(REWARD_FLOOR, REWARD_CAP)
