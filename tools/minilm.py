"""The sentence encoder all-MiniLM-L6-v2, in PyTorch, with gradients: A4NT's semantic embedding loss needs them.

Shetty, Schiele and Fritz, *A4NT* (2018), section 3.4.2, use InferSent; this small BERT has come into its place. It is
a fixed network: nothing here is trained, gradients only pass through it to the sentence that was embedded.

A translator's sentence is soft, a distribution over *its own* words at each place, and its words are no word pieces. So
each of its words is given one embedding, the mean of its pieces' (`table`), and a soft sentence is a mixture of those:

    table = encoder.table(vocabulary.tokens)  # (V, 384)
    embedded = encoder(soft @ table, lengths)  # (B, T, V) @ (V, 384) → (B, 384)

Most common words are a single piece, for which nothing changes. B sentences, T places, V words.
"""

from __future__ import annotations

import unicodedata
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from allonym.errors import ModelError
from allonym.language.sequences import NUMBER_CLASSES, SPECIAL

DIMENSIONS = 384
LAYERS = 6
PLACES = 512

_HEADS = 12
_INNER = 4 * DIMENSIONS
_NORM_EPSILON = 1e-12
_MARKS = ("[PAD]", "[CLS]", "[SEP]", "[UNK]")  # what the encoder writes for each of SPECIAL
_VOCABULARY = "pieces"  # the arrays' file holds the pieces as one UTF-8 text, a line each


class _Layer(nn.Module):
    """Self-attention, then a network for each place, each added to its input and normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(DIMENSIONS, DIMENSIONS)
        self.key = nn.Linear(DIMENSIONS, DIMENSIONS)
        self.value = nn.Linear(DIMENSIONS, DIMENSIONS)
        self.attended = nn.Linear(DIMENSIONS, DIMENSIONS)
        self.attended_norm = nn.LayerNorm(DIMENSIONS, eps=_NORM_EPSILON)
        self.inner = nn.Linear(DIMENSIONS, _INNER)
        self.outer = nn.Linear(_INNER, DIMENSIONS)
        self.outer_norm = nn.LayerNorm(DIMENSIONS, eps=_NORM_EPSILON)

    def forward(self, states: Tensor, inside: Tensor) -> Tensor:
        """Return the next states (B, T, 384); no place looks at one that is not inside its sentence (B, T)."""
        query, key, value = (self._heads(part(states)) for part in (self.query, self.key, self.value))
        mixed = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=inside[:, None, None, :])
        mixed = mixed.transpose(1, 2).flatten(2)  # (B, T, 384)
        states = self.attended_norm(states + self.attended(mixed))
        found: Tensor = self.outer_norm(states + self.outer(nn.functional.gelu(self.inner(states))))
        return found

    @staticmethod
    def _heads(states: Tensor) -> Tensor:
        return states.view(*states.shape[:2], _HEADS, -1).transpose(1, 2)  # (B, 12, T, 32)


class SentenceEncoder(nn.Module):
    """Turns sentences, hard or soft, into vectors of length 1 whose cosine tells how alike they are in meaning.

    Args:
        pieces: The word pieces by number, as in BERT's `vocab.txt`.
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        super().__init__()
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        if any(mark not in self._numbers for mark in _MARKS):
            raise ModelError(f"The sentence encoder's word pieces must hold {', '.join(_MARKS)}.")
        self.words = nn.Embedding(len(pieces), DIMENSIONS)
        self.places = nn.Embedding(PLACES, DIMENSIONS)
        self.kind = nn.Parameter(torch.zeros(DIMENSIONS))  # BERT's "token type", of which sentences use the first
        self.norm = nn.LayerNorm(DIMENSIONS, eps=_NORM_EPSILON)
        self.layers = nn.ModuleList(_Layer() for _ in range(LAYERS))

    @classmethod
    def load(cls, path: Path | str) -> SentenceEncoder:
        """Open an encoder that `tools/carry_minilm.py` wrote: 8-bit rows with a scale each.

        Raises:
            ModelError: There is no such file, or it is not one.
        """
        try:
            with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
        except FileNotFoundError:
            raise ModelError(
                f"There is no sentence encoder at {path}: make it with `python tools/carry_minilm.py`."
            ) from None
        except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as broken:
            raise ModelError(f"The file {path} is no sentence encoder: make it again.") from broken
        return cls._of_arrays(arrays)

    @classmethod
    def _of_arrays(cls, arrays: dict[str, NDArray[Any]]) -> SentenceEncoder:
        try:
            pieces = arrays.pop(_VOCABULARY).tobytes().decode("utf-8").split("\n")
            encoder = cls(pieces)
            encoder.load_state_dict(_restored(arrays))
        except (KeyError, ValueError, RuntimeError) as broken:
            raise ModelError("The file of the sentence encoder lacks weights or has others: make it again.") from broken
        return encoder.requires_grad_(False).eval()

    def table(self, vocabulary_tokens: Sequence[str]) -> Tensor:
        """Return an embedding (V, 384) for each word of a vocabulary: the mean of its word pieces' embeddings.

        Args:
            vocabulary_tokens: The tokens of `language.sequences`, in lower case. Classes of numbers count as the number
                they are written as, and other tokens in angle brackets (`<person>`) as the word inside.
        """
        device = self.words.weight.device
        rows = [self._word_pieces(token) for token in vocabulary_tokens]
        owners = torch.tensor([number for number, row in enumerate(rows) for _ in row], dtype=torch.long, device=device)
        pieces = torch.tensor([piece for row in rows for piece in row], dtype=torch.long, device=device)
        sums = torch.zeros(len(rows), DIMENSIONS, device=device).index_add_(0, owners, self.words.weight[pieces])
        counts = torch.tensor([len(row) for row in rows], dtype=torch.float32, device=device)
        return sums / counts[:, None]

    def forward(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        """Return the embeddings (B, 384) of sentences.

        Args:
            inputs: (B, T, 384) an embedding for each word, of `table`'s rows or mixtures of them. The marks before and
                after the sentence, places and the first normalisation are added here.
            lengths: (B,) how many words each has, on the processor; what `inputs` holds after them does not count.
        """
        cut = inputs.shape[1]
        device = inputs.device
        ends = lengths.to(device, non_blocking=True)[:, None] + 1  # the place of each sentence's last mark
        at = torch.arange(cut + 2, device=device)[None, :]  # (1, T + 2)
        start, stop = (self.words.weight[self._numbers[mark]].to(inputs.dtype) for mark in ("[CLS]", "[SEP]"))
        states = torch.cat([start.expand(len(inputs), 1, -1), inputs, stop.expand(len(inputs), 1, -1)], dim=1)
        states = torch.where((at == ends)[:, :, None], stop, states)  # (B, T + 2, 384)
        states = self.norm(states + self.places.weight[: cut + 2] + self.kind)
        inside = at <= ends  # (B, T + 2)
        for layer in self.layers:
            states = layer(states, inside)
        sums = (states.float() * inside[:, :, None]).sum(1)
        return nn.functional.normalize(sums, dim=-1)

    def _word_pieces(self, token: str) -> list[int]:
        """Split a token as BERT does: apart at punctuation, then from the left the longest piece that is known."""
        if token in SPECIAL:
            return [self._numbers[_MARKS[SPECIAL.index(token)]]]
        token = NUMBER_CLASSES.get(token, token)
        if len(token) > 2 and token[0] == "<" and token[-1] == ">":
            token = token[1:-1]
        return [number for word in _words(token) for number in self._split(word)] or [self._numbers["[UNK]"]]

    def _split(self, word: str) -> list[int]:
        found: list[int] = []
        rest = word
        while rest:
            known = (end for end in range(len(rest), 0, -1) if ("##" if found else "") + rest[:end] in self._numbers)
            end = next(known, 0)
            if not end:
                return [self._numbers["[UNK]"]]
            found.append(self._numbers[("##" if found else "") + rest[:end]])
            rest = rest[end:]
        return found


def _words(token: str) -> list[str]:
    """Take accents off, and punctuation marks for words of their own."""
    plain = "".join(sign for sign in unicodedata.normalize("NFD", token.lower()) if unicodedata.category(sign) != "Mn")
    apart = (f" {sign} " if not sign.isalnum() and not sign.isspace() else sign for sign in plain)
    return "".join(apart).split()


def _restored(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Tensor]:
    """Return the weights by name; a matrix of 8-bit integers is multiplied by the scale of each row."""
    weights = {}
    for name, array in arrays.items():
        if array.dtype == np.int8:
            array = array.astype(np.float32) * arrays[f"{name}.scale"][:, None]
        if not name.endswith(".scale"):
            weights[name] = torch.from_numpy(np.ascontiguousarray(array, dtype=np.float32))
    return weights
