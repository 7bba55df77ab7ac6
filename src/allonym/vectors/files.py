"""Read files of word vectors: GloVe text, word2vec text and binary, and NumPy arrays with a word list.

The format is told by content, not by name. Doubled words are returned as they stand; ``embeddings`` keeps the
first of each. An error names the file and the line, never what is written there. Privacy: spends nothing.
"""

from __future__ import annotations

import gzip
import itertools
import os
import re
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from allonym.errors import InputError, ParameterError

Vocabulary: TypeAlias = str | os.PathLike[str] | Sequence[str] | None
Vectors: TypeAlias = tuple[list[str], NDArray[Any]]

_NUMPY_MAGIC = b"\x93NUMPY"
_GZIP_MAGIC = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_HEADER = re.compile(rb"\s*(\d{1,12})[ \t]+(\d{1,7})\s*")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_LINES_A_BLOCK = 4096
_SAMPLE_BYTES = 256
_LONGEST_WORD = 4096  # bytes; a longer "word" in a binary file means that it is not one


def read(path: Path, *, vocabulary: Vocabulary = None, limit: int | None = None) -> Vectors:
    """Return the words of a file and their vectors, one row a word: GloVe or word2vec, maybe gzipped; or ``.npy``.

    A vocabulary, the words or the path of their file, is for ``.npy`` only. Reading may stop once so many distinct
    words are read as the limit says.

    Raises:
        InputError: The file cannot be read or is malformed.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(len(_NUMPY_MAGIC))
        if magic == _NUMPY_MAGIC:
            return _read_numpy(path, vocabulary)
        if vocabulary is not None:
            raise ParameterError(f"vocabulary must be left out: {path.name} holds its own words.")
        with gzip.open(path, "rb") if magic.startswith(_GZIP_MAGIC) else path.open("rb") as stream:
            return _read_stream(stream, path.name, limit)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path.name} cannot be read to its end: check the file and its permissions.") from error


def read_words(path: Path) -> list[str]:
    """Return the words of a vocabulary file, one a line.

    Raises:
        InputError: The file cannot be read as UTF-8.
    """
    try:
        lines = path.read_bytes().removesuffix(b"\n").split(b"\n")
    except OSError as error:
        raise InputError(f"The word list {path.name} cannot be read: check its path and permissions.") from error
    return [_decode(line.removesuffix(b"\r"), path.name, number) for number, line in enumerate(lines, start=1)]


def _decode(word: bytes, name: str, number: int, where: str = "in line") -> str:
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"The word {where} {number} of {name} is not UTF-8: save the file as UTF-8.") from error


def _read_numpy(path: Path, vocabulary: Vocabulary) -> Vectors:
    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # a damaged header makes NumPy raise anything from TokenError to OverflowError
        raise InputError(f"{path.name} is not a whole NumPy array of numbers: save it again.") from error
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
        raise InputError(f"{path.name} must hold a table of numbers, got {vectors.dtype} of shape {vectors.shape}.")
    words = _vocabulary_words(path, vocabulary)
    if len(words) != len(vectors):
        raise InputError(
            f"{path.name} holds {len(vectors)} vectors but its vocabulary {len(words)} words: "
            "give the vocabulary it was made with."
        )
    return words, vectors


def _vocabulary_words(path: Path, vocabulary: Vocabulary) -> list[str]:
    if isinstance(vocabulary, (str, os.PathLike)):
        return read_words(Path(vocabulary).expanduser())
    if vocabulary is not None:
        return list(vocabulary)
    beside = path.with_suffix(".txt")
    candidates = [beside] if beside.is_file() else sorted(path.parent.glob("vocab*.txt"))
    if len(candidates) != 1:
        raise InputError(
            f"{path.name} needs its word list beside it as {beside.name}, and {len(candidates)} other "
            "files could be it: name it with vocabulary=."
        )
    return read_words(candidates[0])


def _read_stream(stream: IO[bytes] | gzip.GzipFile, name: str, limit: int | None) -> Vectors:
    """Read GloVe or word2vec: a first line of two whole numbers is word2vec's header."""
    first = stream.readline().removeprefix(_BYTE_ORDER_MARK)
    header = _HEADER.fullmatch(first)
    if header is None:
        return _read_text(itertools.chain([first], stream), name, (None, len(first.split()) - 1), limit)
    count, dimensions = int(header[1]), int(header[2])
    if count < 1 or dimensions < 1:
        raise InputError(f"The header of {name} announces no vectors: give a file that holds some.")
    sample: list[bytes] = []
    while sum(map(len, sample)) < max(_SAMPLE_BYTES, 4 * dimensions) and (line := stream.readline()):
        sample.append(line)
    # So many bytes of floats hardly ever avoid every control character; text has none.
    if _CONTROL.search(b"".join(sample)):
        return _read_binary(b"".join(sample) + stream.read(), name, (count, dimensions), limit)
    return _read_text(itertools.chain(sample, stream), name, (count, dimensions), limit)


def _read_text(lines: Iterable[bytes], name: str, shape: tuple[int | None, int], limit: int | None) -> Vectors:
    count, dimensions = shape
    if dimensions < 1:
        raise InputError(f"Line 1 of {name} is not a word and its numbers: give GloVe, word2vec or .npy vectors.")
    words: list[str] = []
    distinct: set[str] = set()
    blocks = []
    numbered = enumerate(lines, start=1 if count is None else 2)
    while block := list(itertools.islice(numbered, _LINES_A_BLOCK)):
        block_words, vectors = _parse_block(block, name, dimensions)
        words += block_words
        blocks.append(vectors)
        distinct.update(block_words)
        if limit is not None and len(distinct) >= limit:
            break
    else:
        if count not in (None, len(words)):
            raise InputError(
                f"The header of {name} promises {count} vectors, but it holds {len(words)}: fetch the file again."
            )
    return words, np.concatenate(blocks)


def _parse_block(block: list[tuple[int, bytes]], name: str, dimensions: int) -> Vectors:
    """Parse numbered lines; all numbers of the block at once, line by line only to name a bad line."""
    heads = []
    tails = []
    for number, raw in block:
        line = raw.replace(b"\t", b" ").strip()
        if not line:
            continue
        head, _, tail = line.partition(b" ")
        if tail.count(b" ") != dimensions - 1:
            head, tail = _split_unusual(line, name, number, dimensions)
        heads.append((number, head))
        tails.append(tail)
    values = _numbers(b" ".join(tails), len(tails) * dimensions)
    if values is None:
        for (number, _), tail in zip(heads, tails, strict=True):
            if _numbers(tail, dimensions) is None:
                raise _malformed(name, number, dimensions)
        raise InputError(f"{name} holds something other than words and numbers: save it again.")
    return [_decode(head, name, number) for number, head in heads], values.reshape(-1, dimensions)


def _split_unusual(line: bytes, name: str, number: int, dimensions: int) -> tuple[bytes, bytes]:
    """Split a line with doubled spaces, or with a word that has spaces in it (GloVe 840B has a few)."""
    fields = line.split()
    inner = fields[1:-dimensions]
    if len(fields) <= dimensions or (inner and _numbers(inner[-1], 1) is not None):
        raise _malformed(name, number, dimensions)
    return b" ".join(fields[:-dimensions]), b" ".join(fields[-dimensions:])


def _malformed(name: str, number: int, dimensions: int) -> InputError:
    return InputError(
        f"Line {number} of {name} is not a word and {dimensions} finite numbers: mend or remove that line."
    )


def _numbers(text: bytes, expected: int) -> NDArray[np.float32] | None:
    """Return the numbers in a text, or None if there are not as many, finite and nothing else."""
    if not text or text.isspace():
        return np.empty(0, dtype=np.float32) if expected == 0 else None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # older NumPy only warns of text that is no number
            values = np.fromstring(text, dtype=np.float32, sep=" ")
    except (ValueError, DeprecationWarning):
        return None
    return values if len(values) == expected and np.isfinite(values).all() else None


def _read_binary(data: bytes, name: str, shape: tuple[int, int], limit: int | None) -> Vectors:
    count, dimensions = shape
    if len(data) < count * (4 * dimensions + 2) and limit is None:
        raise InputError(f"{name} ends before its {count} vectors do: fetch the file again.")
    words: list[str] = []
    rows = []
    distinct: set[str] = set()
    for number, (word, row) in enumerate(_binary_records(data, name, shape), start=1):
        words.append(_decode(word, name, number, "of vector"))
        rows.append(row)
        distinct.add(words[-1])
        if limit is not None and len(distinct) >= limit:
            break
    return words, np.stack(rows)


def _binary_records(data: bytes, name: str, shape: tuple[int, int]) -> Iterator[tuple[bytes, NDArray[np.float32]]]:
    """Yield each word and its vector: the word, a space, little-endian floats, in some files a newline."""
    count, dimensions = shape
    position = 0
    for number in range(1, count + 1):
        space = data.find(b" ", position, position + _LONGEST_WORD)
        end = space + 1 + 4 * dimensions
        if space < 0 or end > len(data):
            raise InputError(f"Vector {number} of {name} is cut short or malformed: fetch the file again.")
        yield (
            data[position:space].lstrip(b"\n"),
            np.frombuffer(data, dtype="<f4", count=dimensions, offset=space + 1),
        )
        position = end
