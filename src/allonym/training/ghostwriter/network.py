"""The network of `allonym.networks.translation` in torch, with Marian's names and shapes, and how a writer begins."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from allonym.networks.ghostwriter.model import NOTES, writer_shapes
from allonym.networks.translation.network import BIAS, HEADS, layers_of
from allonym.networks.translation.weights import EMBEDDING, open_network

_TINY: Final = 1e-6
_READS, _WRITES = "en-pt", "pt-en"  # whose encoder reads English, and whose decoder writes it


@dataclass(frozen=True)
class WriterSizes:
    """How large a network is."""

    width: int = 256
    inner: int = 1536
    encoder: int = 6
    decoder: int = 2


class WriterNetwork(nn.Module):
    """Reads groups of notes, or sentences of pieces, and rates the pieces that follow.

    Args:
        tensors: Weights by Marian's names; without `NOTES` it reads pieces alone.
        dropout: Share of the numbers that each part loses while it learns.
    """

    def __init__(self, tensors: Mapping[str, NDArray[Any]], dropout: float = 0.0) -> None:
        super().__init__()
        floats = {name: torch.from_numpy(np.array(array, np.float32)) for name, array in tensors.items()}
        self.weights = nn.ParameterDict({name: nn.Parameter(tensor) for name, tensor in floats.items()})
        self._encoder, self._decoder = (layers_of(tensors, part) for part in ("encoder", "decoder"))
        self.dropout = dropout

    @property
    def width(self) -> int:
        """How many numbers a state has."""
        return int(self.weights[EMBEDDING].shape[1])

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return the weights by Marian's names."""
        return {name: weight.detach().float().cpu().numpy() for name, weight in self.weights.items()}

    def forward(self, notes: Tensor, absent: Tensor, pieces: Tensor) -> Tensor:
        """Return ratings of all pieces, B × T × V, after each of those before.

        Args:
            notes: The members of the groups, B × slots × k.
            absent: Which slots are none, B × slots.
            pieces: What is written, B × T, the first of it after nothing.
        """
        size = notes.shape[2]
        rows = functional.embedding(notes.flatten(1), self.weights[NOTES])
        places = torch.arange(notes.shape[1], device=notes.device).repeat_interleave(size)
        read, hidden = self.read(rows, places, absent.repeat_interleave(size, dim=1))
        return self.rated(self.states(pieces, read, hidden))

    def read(self, rows: Tensor, places: Tensor, absent: Tensor) -> tuple[Tensor, Tensor]:
        """Return what is read of rows (B × S × width), and which of them are to be seen, as attention takes it."""
        seen = ~absent[:, None, None, :]
        state = self._dropped(rows * math.sqrt(self.width) + positions(places, self.width))
        for layer in range(1, self._encoder + 1):
            name = f"encoder_l{layer}_self"
            state = self._normed(state + self._dropped(self._attended(state, state, seen, name)), f"{name}_Wo")
            state = self._fed_forward(state, f"encoder_l{layer}_ffn")
        return state, seen

    def states(self, pieces: Tensor, read: Tensor, seen: Tensor) -> Tensor:
        """Return the state by which each piece is chosen, B × T × width: fed those before it."""
        before = functional.embedding(pieces[:, :-1], self.weights[EMBEDDING]) * math.sqrt(self.width)
        inner = functional.pad(before, (0, 0, 1, 0))  # before the first there is nothing
        inner = self._dropped(inner + positions(torch.arange(pieces.shape[1], device=pieces.device), self.width))
        for layer in range(1, self._decoder + 1):
            name = f"decoder_l{layer}"
            forget = torch.sigmoid((self._times(inner, f"{name}_rnn_Wf") + self.weights[f"{name}_rnn_bf"]).float())
            remembered = running(forget, (1 - forget) * self._times(inner, f"{name}_rnn_W").float())
            inner = self._normed(inner + self._dropped(functional.relu(remembered)), f"{name}_rnn_ffn")
            attended = self._attended(inner, read, seen, f"{name}_context")
            inner = self._normed(inner + self._dropped(attended), f"{name}_context_Wo")
            inner = self._fed_forward(inner, f"{name}_ffn")
        return inner

    def rated(self, states: Tensor) -> Tensor:
        """Return the ratings of all pieces."""
        ratings: Tensor = functional.linear(states, self.weights[EMBEDDING]) + self.weights[BIAS].flatten()
        return ratings

    def _times(self, state: Tensor, name: str) -> Tensor:
        product: Tensor = state @ self.weights[name]
        return product

    def _attended(self, state: Tensor, read: Tensor, seen: Tensor, name: str) -> Tensor:
        asked, keys, values = (
            _split(self._times(rows, f"{name}_W{part}") + self.weights[f"{name}_b{part}"])
            for part, rows in (("q", state), ("k", read), ("v", read))
        )
        found = functional.scaled_dot_product_attention(asked, keys, values, attn_mask=seen)
        joined = found.transpose(1, 2).flatten(2)
        attended: Tensor = self._times(joined, f"{name}_Wo") + self.weights[f"{name}_bo"]
        return attended

    def _fed_forward(self, state: Tensor, name: str) -> Tensor:
        inner = functional.relu(self._times(state, f"{name}_W1") + self.weights[f"{name}_b1"])
        made = self._times(self._dropped(inner), f"{name}_W2") + self.weights[f"{name}_b2"]
        return self._normed(state + self._dropped(made), f"{name}_ffn")

    def _normed(self, state: Tensor, name: str) -> Tensor:
        scale, bias = (self.weights[f"{name}_ln_{part}"].flatten() for part in ("scale", "bias"))
        return functional.layer_norm(state, scale.shape, scale, bias, _TINY)

    def _dropped(self, state: Tensor) -> Tensor:
        return functional.dropout(state, self.dropout, self.training)


def running(kept: Tensor, added: Tensor) -> Tensor:
    """Return the states c of c[t] = kept[t] · c[t − 1] + added[t] along the second axis, in log T steps.

    >>> running(torch.full((1, 3, 1), 0.5), torch.ones(1, 3, 1)).flatten().tolist()
    [1.0, 1.5, 1.75]
    """
    reach = 1
    while reach < added.shape[1]:
        added = torch.cat([added[:, :reach], added[:, reach:] + kept[:, reach:] * added[:, :-reach]], 1)
        kept = torch.cat([kept[:, :reach], kept[:, reach:] * kept[:, :-reach]], 1)
        reach *= 2
    return added


def positions(places: Tensor, width: int) -> Tensor:
    """Return what tells places apart, places × width."""
    half = width // 2
    rates = torch.exp(-math.log(10_000) / (half - 1) * torch.arange(half, device=places.device, dtype=torch.float64))
    angles = places[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], 1).float()


def _split(state: Tensor) -> Tensor:
    """Give each head its part: B × heads × rows × width of a head."""
    sentences, rows, width = state.shape
    return state.reshape(sentences, rows, HEADS, width // HEADS).transpose(1, 2)


def from_nothing(sizes: WriterSizes, notes: int, pieces: int) -> dict[str, NDArray[np.float32]]:
    """Return weights to begin with, drawn by torch's generator."""
    shapes = writer_shapes(sizes.width, sizes.inner, sizes.encoder, sizes.decoder, notes=notes, pieces=pieces)
    found: dict[str, NDArray[np.float32]] = {}
    for name, shape in shapes.items():
        tensor = torch.zeros(shape)
        if name in (NOTES, EMBEDDING):
            nn.init.normal_(tensor, std=sizes.width**-0.5)
        elif name.endswith("_ln_scale"):
            tensor += 1
        elif shape[0] > 1:
            nn.init.xavier_uniform_(tensor)
        found[name] = tensor.numpy()
    return found


def from_translation(notes: Sequence[str], pieces: Sequence[str]) -> dict[str, NDArray[np.float32]]:
    """Return the weights of Mozilla's networks: the encoder that reads English, the decoder that writes it.

    The vector of a note is the mean of its pieces' in the first, that of a piece is its own in the second. What
    neither knows, a class such as "[name]", begins as the word in it.

    Raises:
        MissingDependencyError: The extra `translate` is not installed.
    """
    reads, writes = open_network(_READS), open_network(_WRITES)
    found = {name: tensor for name, tensor in reads.tensors.items() if name.startswith("encoder_")}
    found |= {name: tensor for name, tensor in writes.tensors.items() if name.startswith("decoder_l")}
    numbers = writes.tokenizer.get_vocab()
    found[NOTES] = np.stack([_mean(reads, note) for note in notes])
    bias = writes.tensors[BIAS].flatten()
    rows = [numbers.get(piece) for piece in pieces]
    known = writes.tensors[EMBEDDING]
    both = zip(pieces, rows, strict=True)
    found[EMBEDDING] = np.stack([_mean(writes, piece) if row is None else known[row] for piece, row in both])
    found[BIAS] = np.array([[bias.mean() if row is None else bias[row] for row in rows]], np.float32)
    return {name: np.array(tensor, np.float32) for name, tensor in found.items()}


def _mean(direction: Any, note: str) -> NDArray[np.float32]:  # noqa: ANN401 - a stored network
    word = note.strip("▁<>[]") or note
    rows = direction.tensors[EMBEDDING][direction.tokenizer.encode(word, add_special_tokens=False).ids]
    mean: NDArray[np.float32] = rows.mean(0) if len(rows) else direction.tensors[EMBEDDING].mean(0)
    return mean
