"""The only module that touches a random source.

Every random word of a run comes from AES-256 in counter mode under one secret key. A *stream* hands out
*lanes*: arrays of uniform 64-bit words, one for each draw. Lane 0 is the first attempt of every draw, lane 1
the second attempt of those that rejection sampling refused, and so on. Because a lane can be read without
reading those before it, a draw's outcome never depends on what was drawn beside it.

Fresh noise means it: two releases under one `Rng` are independent, whatever their methods, settings and texts. Each
call of `release` or `Rng.documents` opens a release of its own: they are counted, and the count goes into the key.
A job of many batches is one release: it opens one by name (`Rng.one_release`), and all its batches, on whichever
machine, come from that.

Within a release, documents have a stream each, fixed by the release's key, the method with its settings, the document's
position and its text. So a retry, another batch size, another number of workers or a cluster's speculative copy gives
the same bytes and spends nothing more, while the same text at another position, under another method or with other
settings gets other noise. Only who takes up a release by its key (`reopened`), or opens a key anew and does the same
again (`secure(key)`), repeats a stream.
"""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import count
from typing import NoReturn, Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import ArrayLike, NDArray

from allonym.errors import AllonymError, ParameterError

KEY_BYTES = 32
_NONCE_BYTES = 12
_WORDS_PER_BLOCK = 2
_LARGEST_WORD = np.uint64(0xFFFF_FFFF_FFFF_FFFF)

Words = NDArray[np.uint64]


class Lanes(Protocol):
    """Lane number -> its words: all of them, or those at some places counted through the array."""

    def __call__(self, number: int, where: NDArray[np.int64] | None = None, /) -> Words:
        """Return the words."""


def secure(key: bytes | None = None) -> Rng:
    """Return a stream under a fresh secret key, or under `key` to repeat a run after a crash.

    A `key` must come from another secure stream (`Rng.key`) and stay secret: who has it can subtract the noise.
    """
    return Rng(os.urandom(KEY_BYTES) if key is None else _checked(key), repeatable=False)


def reopened(key: bytes, *, repeatable: bool = False) -> OneRelease:
    """Return the release that has this key (`OneRelease.key`), to go on with it after a crash or in another process.

    Args:
        key: Secret as that of `secure`.
        repeatable: Whether it was opened under an insecure stream.
    """
    return OneRelease(_checked(key), repeatable=repeatable)


def insecure(seed: int) -> Rng:
    """Return a repeatable stream for experiments; whoever guesses the seed can undo the noise.

    The first release under `insecure(1)` is always the same, the second another one. Guarantees of what is drawn from
    it read "none".
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise ParameterError(f"A seed must be a whole number, got {type(seed).__name__}.")
    return Rng(_derive(b"allonym insecure seed".ljust(KEY_BYTES, b"\0"), str(int(seed))), repeatable=True)


def _checked(key: bytes) -> bytes:
    if len(key) != KEY_BYTES:
        raise ParameterError(f"A key must be {KEY_BYTES} bytes long, got {len(key)}.")
    return key


class Stream(ABC):
    """What mechanisms draw from: lanes of uniform 64-bit words."""

    repeatable: bool

    @abstractmethod
    def lanes(self, shape: tuple[int, ...]) -> Lanes:
        """Return lane number -> array of `shape`; each call of `lanes` opens fresh randomness."""

    def words(self, shape: int | tuple[int, ...]) -> Words:
        """Return uniform 64-bit words."""
        return self.lanes((shape,) if isinstance(shape, int) else shape)(0)

    def centred(self, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return numbers uniform on (−½, ½), each with 52 significant bits however near to 0 it is.

        A plain 64-bit fraction has few bits left near 0, where a logarithm looks closest. Here a number near 0 is cut
        from 192 bits: its relative error is below 2^−51 except with probability 2^−138.
        """
        lanes = self.lanes(shape)
        words = lanes(0).view(np.int64)
        numbers = words.astype(np.float64)
        numbers *= 2.0**-64
        few = np.flatnonzero(np.abs(numbers) < 2.0**-12)
        further = (lanes(1, few) + lanes(2, few) * 2.0**-64) * 2.0**-64
        whole = words.reshape(-1)[few]
        magnitudes = np.where(whole < 0, ~whole, whole) + np.maximum(further, 2.0**-128)
        numbers.reshape(-1)[few] = np.where(whole < 0, -magnitudes, magnitudes) * 2.0**-64
        return numbers

    def below(self, bounds: ArrayLike, shape: tuple[int, ...] | None = None) -> NDArray[np.int64]:
        """Return integers exactly uniform on 0 … bound − 1, one for each bound."""
        limits = np.asarray(bounds)
        if limits.dtype.kind not in "iu" or (limits.size and limits.min() < 1):
            raise ParameterError("Bounds must be whole numbers of at least 1.")
        limits = np.broadcast_to(limits.astype(np.uint64), limits.shape if shape is None else shape)
        lanes = self.lanes(limits.shape)
        values, accepted = fold(lanes(0), limits)
        attempt = 1
        while not accepted.all():
            again, accepted_again = fold(lanes(attempt), limits)
            values = np.where(accepted, values, again)
            accepted = accepted | accepted_again
            attempt += 1
        return values


def fold(words: Words, bounds: Words) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Map words to 0 … bound − 1 and say which are kept: those below the largest multiple of the bound."""
    remainder = (np.uint64(0) - bounds) % bounds  # 2^64 mod bound, in wrapping arithmetic
    return (words % bounds).astype(np.int64), words <= _LARGEST_WORD - remainder


class _Secret:
    """What holds a key: never copied, never shown."""

    key: bytes
    repeatable: bool

    def __reduce__(self) -> NoReturn:
        raise AllonymError(
            "A random stream cannot be copied or pickled, because the copy would repeat its noise; "
            "send its key and open it with allonym.randomness.secure(key) instead."
        )

    def __repr__(self) -> str:
        return "insecure stream" if self.repeatable else "secure stream"


class Rng(_Secret, Stream):
    """One secret key: a sequence of draws, and as many independent releases as are asked for.

    Privacy: spends nothing by itself. Never pickled: a copy would repeat the noise.
    """

    def __init__(self, key: bytes, *, repeatable: bool) -> None:
        self.key = key
        self.repeatable = repeatable
        self._sequence_key = _derive(key, "sequence")
        self._release_key = key
        self._process = os.getpid()
        self._calls = count(1)  # whose next() no two threads share
        self._releases = count(1)

    def lanes(self, shape: tuple[int, ...]) -> Lanes:
        """Return the next lanes of the sequence."""
        self._leave_the_parent()
        key = _derive(self._sequence_key, f"call {next(self._calls)}")
        return _lanes(key, np.zeros((1, 3), ">u4"), shape, rows=1)

    def one_release(self, purpose: bytes = b"") -> OneRelease:
        """Open the next release, to draw it batch by batch; it shares no noise with those before and after it.

        Args:
            purpose: What it is for, such as the digest of a model's files: where a key is opened anew, another
                purpose gets other noise.
        """
        self._leave_the_parent()
        number = next(self._releases)
        # The first has the name that all had before they were counted, so that published figures can be made again.
        key = _derive(self._release_key, "documents" if number == 1 else f"documents of release {number}")
        return OneRelease(_derive(key, f"purpose {purpose.hex()}") if purpose else key, repeatable=self.repeatable)

    def documents(self, digests: Sequence[bytes], start: int = 0, settings: bytes = b"") -> DocumentStreams:
        """Return one stream for each document of the next release; see `OneRelease.documents`."""
        return self.one_release().documents(digests, start, settings)

    def _leave_the_parent(self) -> None:
        """Give a forked worker a key of its own: it inherits key and counters, and would repeat its parent's noise."""
        if not self.repeatable and self._process != os.getpid():
            fresh = os.urandom(KEY_BYTES)
            self._sequence_key, self._release_key = (
                hashlib.blake2b(fresh, key=key).digest()[:KEY_BYTES] for key in (self._sequence_key, self._release_key)
            )
            self._process = os.getpid()


class OneRelease(_Secret):
    """The noise of one release, in as many batches and processes as it takes.

    Privacy: spends nothing by itself. A document that is drawn again, at its position and with the same settings, gets
    the same noise, which is what a retry needs and what costs nothing more.
    """

    def __init__(self, key: bytes, *, repeatable: bool) -> None:
        self.key = key
        self.repeatable = repeatable

    def documents(self, digests: Sequence[bytes], start: int = 0, settings: bytes = b"") -> DocumentStreams:
        """Return one stream for each document.

        Args:
            digests: Of the texts.
            start: Position of the first; the others follow.
            settings: Digest of the method and its settings (`anonymizers.settings`): other settings, other noise.
        """
        key = _derive(self.key, f"settings {settings.hex()}") if settings else self.key
        return DocumentStreams(key, digests, start, repeatable=self.repeatable)


Noise = Rng | OneRelease


class DocumentStreams(Stream):
    """A stream a document: row i of every lane belongs to document i alone."""

    def __init__(self, key: bytes, digests: Sequence[bytes], start: int, *, repeatable: bool) -> None:
        self.repeatable = repeatable
        self._key = key
        self._nonces = self._nonces_of(
            position.to_bytes(8, "big") + digest for position, digest in enumerate(digests, start)
        )
        self._calls = 0
        self._cuts = 0

    def _nonces_of(self, labels: Iterable[bytes]) -> NDArray[np.uint32]:
        key = _derive(self._key, "nonce")
        nonces = (hashlib.blake2b(label, key=key, digest_size=_NONCE_BYTES).digest() for label in labels)
        return np.frombuffer(b"".join(nonces), ">u4").reshape(-1, 3)

    def __len__(self) -> int:
        return len(self._nonces)

    def segments(self, counts: Sequence[int], size: int) -> DocumentStreams:
        """Return a stream for each run of `size` items of each document, `counts` of which it holds.

        So that documents of unequal length can be drawn for in one array: its rows are the segments, document by
        document, and an item's randomness depends on its document and its place in it alone. Called again, it gives
        fresh ones.
        """
        if len(counts) != len(self):
            raise ParameterError(f"There must be one count a document: {len(self)}, got {len(counts)}.")
        nonces = self._nonces.tobytes()
        digests = [
            nonces[_NONCE_BYTES * document : _NONCE_BYTES * (document + 1)] + start.to_bytes(8, "big")
            for document, count in enumerate(counts)
            for start in range(0, int(count), size)
        ]
        self._cuts += 1
        again = "" if self._cuts == 1 else f", cut {self._cuts}"
        # All at position 0: what tells segments apart is the document's own nonce and where the segment starts.
        key = _derive(self._key, f"segments of {size}{again}")
        segments = DocumentStreams(key, [], 0, repeatable=self.repeatable)
        segments._nonces = segments._nonces_of(digests)
        return segments

    def part(self, start: int, stop: int) -> DocumentStreams:
        """Return the streams of documents start … stop − 1, to be drawn from a part at a time, each part once."""
        part = DocumentStreams(self._key, [], 0, repeatable=self.repeatable)
        part._nonces = self._nonces[start:stop]
        part._calls = self._calls  # what was drawn from the whole is not drawn again
        return part

    def lanes(self, shape: tuple[int, ...]) -> Lanes:
        """Return lanes whose first axis is the documents."""
        if not shape or shape[0] != len(self):
            raise ParameterError(f"Document streams need one row a document: {len(self)}, got shape {shape}.")
        self._calls += 1
        return _lanes(_derive(self._key, f"call {self._calls}"), self._nonces, shape, rows=len(self))


def _derive(key: bytes, label: str) -> bytes:
    return hashlib.blake2b(label.encode(), key=key, digest_size=KEY_BYTES).digest()


def _lanes(key: bytes, nonces: NDArray[np.uint32], shape: tuple[int, ...], rows: int) -> Lanes:
    words_per_row = int(np.prod(shape, dtype=np.int64)) // max(rows, 1)

    def lane(number: int, where: NDArray[np.int64] | None = None, /) -> Words:
        lane_key = _derive(key, f"lane {number}")
        if where is None:
            return _counter_mode(lane_key, nonces, words_per_row).reshape(shape)
        row, place = np.divmod(where, max(words_per_row, 1))
        blocks = _blocks(nonces[row], (place // _WORDS_PER_BLOCK)[:, None])
        words: Words = _encrypted(lane_key, blocks)[np.arange(len(where)), place % _WORDS_PER_BLOCK]
        return words

    return lane


def _counter_mode(key: bytes, nonces: NDArray[np.uint32], words_per_row: int) -> Words:
    """Return AES-256-CTR key stream: a row a nonce, `words_per_row` words each.

    One cipher call serves the whole batch: encrypting the distinct blocks nonce ‖ counter one by one (ECB) *is*
    counter mode, and spares a cipher object for every document.
    """
    blocks_per_row = -(-words_per_row // _WORDS_PER_BLOCK)
    if blocks_per_row >= 2**32:
        raise ParameterError("A single draw of more than 2^33 words is not supported; split the input.")
    rows = _encrypted(key, _blocks(nonces, np.arange(blocks_per_row)[None, :]))
    return rows[:, :words_per_row]


def _blocks(nonces: NDArray[np.uint32], counters: NDArray[np.int64]) -> Words:
    """Return nonce ‖ counter in 16 bytes, big end first: a row a nonce, which the rows of counters match."""
    last = (
        np.ascontiguousarray(nonces[:, 2:]).view("<u4").astype("<u8")
    )  # two halves, so that rows fill by one addition
    blocks = np.empty((len(nonces), counters.shape[1], 2), "<u8")
    blocks[:, :, 0] = np.ascontiguousarray(nonces[:, :2]).view("<u8")
    np.add(last, counters.astype(">u4").view("<u4").astype("<u8") << np.uint64(32), out=blocks[:, :, 1])
    return blocks


def _encrypted(key: bytes, blocks: Words) -> Words:
    """Return each row of blocks encrypted, as one row of words."""
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()  # noqa: S305
    stream = np.frombuffer(encryptor.update(blocks.data.cast("B") if blocks.size else b""), "<u8")
    words: Words = stream.reshape(len(blocks), -1 if len(blocks) else 0).astype(np.uint64, copy=False)
    return words
