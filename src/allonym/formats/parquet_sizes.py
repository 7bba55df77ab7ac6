"""How large a Parquet file becomes when it is read, by what it declares: nothing of it is decoded.

A few kilobytes can stand for gigabytes: a value repeated a billion times is two numbers, pages are compressed, and a
dictionary's one long text may be meant by every row. So this reads the sizes themselves: the footer's, which a file may
say anything in, and those before each page, by which memory is taken. Both are in Thrift's compact protocol.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import Any

from allonym.errors import InputError

_MAGIC = b"PAR1"
_MOST_FOOTER = 1_000_000  # bytes; a footer of that size becomes tens of megabytes of objects
_MOST_NAMES = 2_000  # columns, and groups of them
_DEEPEST = 32  # groups within groups; readers go down by recursion
_MOST_CELLS = 5_000_000
_MOST_UNPACKED = 100_000_000  # bytes of all pages, decompressed
_MOST_DECODED = 256_000_000  # bytes of all values
_MOST_PAGES = 20_000  # a header takes some ten microseconds to read, whatever its page holds
_MOST_DICTIONARY = 8_000_000  # bytes of a dictionary that is looked into
_MOST_LOOKED_INTO = 32_000_000  # bytes of all of them
_MOST_ENTRIES = 400_000  # texts in all of them
_PER_VALUE = 16  # bytes that a value takes besides its own
_BYTE_ARRAY, _FIXED_BYTE_ARRAY = 6, 7
_DICTIONARY_PAGE = 2
_BY_DICTIONARY = (2, 8)
_BY_PREFIX = 7
_CODECS = {1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
_LENGTH = Struct("<I")  # stands before each text of a dictionary
_UNREADABLE = "The file cannot be read as Parquet; save it again."
_TOO_LARGE = (
    "The table is small as a file but too large when it is read; use `allonym anonymize` on the command line, or save "
    "it in smaller parts."
)

Fields = dict[int, Any]


def check(content: bytes) -> None:
    """Refuse a Parquet file that would take too much memory or time to read, and what is no Parquet file."""
    try:
        footer = _footer(content)
        lengths = _lengths(footer[2])
        cells = unpacked = decoded = pages = 0
        dictionaries = _Dictionaries()
        for group in footer.get(4, []):
            for chunk, length in zip(group[1], lengths, strict=True):
                for values, size, grown in _pages(content, chunk[3], length, dictionaries):
                    cells, unpacked, decoded, pages = cells + values, unpacked + size, decoded + grown, pages + 1
                    _within(pages, _MOST_PAGES)
                    _within(cells, _MOST_CELLS)
                    _within(unpacked, _MOST_UNPACKED)
                    _within(decoded, _MOST_DECODED)
        _within(max([footer[3], *(group[3] for group in footer.get(4, []))]), _MOST_CELLS)
    except InputError:
        raise
    except (LookupError, TypeError, ValueError, RecursionError, AttributeError):
        raise InputError(_UNREADABLE) from None


def _within(size: int, most: int) -> None:
    if size > most:
        raise InputError(_TOO_LARGE)


def _footer(content: bytes) -> Fields:
    if len(content) < 12 or content[:4] != _MAGIC or content[-4:] != _MAGIC:
        raise InputError(_UNREADABLE)
    length = int.from_bytes(content[-8:-4], "little")
    _within(length, _MOST_FOOTER)
    if length > len(content) - 12:
        raise InputError(_UNREADABLE)
    return _Thrift(content, len(content) - 8 - length).struct()


def _lengths(schema: list[Fields]) -> list[int]:
    """Return the declared length of each column's values, 0 where there is none; refuse a shape no table has."""
    _within(len(schema), _MOST_NAMES)
    lengths = []
    open_groups: list[int] = []
    for element in schema:
        children = element.get(5, 0)
        if children:
            open_groups.append(children)
            _within(len(open_groups), _DEEPEST)
            continue
        lengths.append(element.get(2, 0))
        while open_groups:
            open_groups[-1] -= 1
            if open_groups[-1]:
                break
            open_groups.pop()
    return lengths


def _pages(content: bytes, column: Fields, length: int, dictionaries: _Dictionaries) -> Iterator[tuple[int, int, int]]:
    """Yield of each page how many values it has, its size when decompressed, and that of its values when decoded."""
    starts = [start for start in (column.get(11), column.get(9)) if start]
    at = min(starts)
    end = at + column[7]
    longest = length
    while at < end:
        reader = _Thrift(content, at)
        header = reader.struct()
        size, packed = header[2], header[3]
        body, at = reader.at, reader.at + packed
        if packed < 0 or size < 0 or at > len(content):
            raise ValueError("a page that does not fit")
        if header[1] == _DICTIONARY_PAGE:
            if column[1] == _BYTE_ARRAY:
                longest = dictionaries.longest(content[body:at], size, column.get(4, 0))
            yield 0, size, size
            continue
        about = header.get(5) or header.get(8)
        if about is None:  # an index, which nobody reads
            yield 0, 0, 0
            continue
        encoding = about[2] if 5 in header else about[4]
        if about[1] < 0:
            raise ValueError("fewer values than none")
        yield about[1], size, about[1] * _PER_VALUE + _grown(column[1], encoding, about[1], size, longest)


def _grown(kind: int, encoding: int, values: int, size: int, longest: int) -> int:
    """Return how many bytes the values of a page can take."""
    if kind not in (_BYTE_ARRAY, _FIXED_BYTE_ARRAY):
        return 0  # numbers, which _PER_VALUE covers
    if encoding in _BY_DICTIONARY:
        return values * longest
    return values * size if encoding == _BY_PREFIX else size


class _Dictionaries:
    """Looks for the longest text of each dictionary of a file, as long as all of them together are small enough."""

    def __init__(self) -> None:
        self._bytes, self._entries = _MOST_LOOKED_INTO, _MOST_ENTRIES

    def longest(self, page: bytes, size: int, codec: int) -> int:
        """Return the length of the longest text, or what it cannot exceed."""
        if size > min(_MOST_DICTIONARY, self._bytes) or codec not in (0, *_CODECS):
            return size
        self._bytes -= size
        texts = page if codec == 0 else _decompressed(page, size, _CODECS[codec])
        longest = at = 0
        while at <= len(texts) - _LENGTH.size:
            if not self._entries:
                return size
            self._entries -= 1
            (length,) = _LENGTH.unpack_from(texts, at)
            longest, at = max(longest, length), at + _LENGTH.size + length
        return min(longest, size)


def _decompressed(page: bytes, size: int, codec: str) -> bytes:
    import pyarrow as pa

    try:
        return bytes(pa.Codec(codec).decompress(page, size))
    except (pa.ArrowException, OSError):
        raise ValueError("a page that cannot be decompressed") from None


class _Thrift:
    """Reads values of the compact protocol: structures become dictionaries of their numbered fields."""

    def __init__(self, content: bytes, at: int) -> None:
        if at < 0:
            raise ValueError("a place before the file")
        self._content, self.at = content, at

    def struct(self) -> Fields:
        """Read a structure."""
        fields: Fields = {}
        number = 0
        while (head := self._byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind)
        return fields

    def _value(self, kind: int) -> Any:  # noqa: ANN401 - what was written there
        if kind in (4, 5, 6):
            return self._integer()
        if kind == 12:
            return self.struct()
        if kind == 8:
            return self._bytes(self._count())
        if kind in (9, 10):
            head = self._byte()
            size = head >> 4 if head >> 4 < 15 else self._count()
            return [self._value(head & 15) for _ in range(size)]
        if kind in (1, 2, 3):
            return self._byte()
        if kind == 7:
            return self._bytes(8)
        raise ValueError("a kind of value that Parquet does not use")

    def _byte(self) -> int:
        byte = self._content[self.at]
        self.at += 1
        return byte

    def _count(self) -> int:
        number = shift = 0
        while (byte := self._byte()) & 128:
            number, shift = number | (byte & 127) << shift, shift + 7
            if shift > 63:
                raise ValueError("a number that is too long")
        return number | byte << shift

    def _integer(self) -> int:
        number = self._count()
        return number >> 1 ^ -(number & 1)

    def _bytes(self, size: int) -> bytes:
        if size > len(self._content) - self.at:
            raise ValueError("more than there is")
        self.at += size
        return self._content[self.at - size : self.at]
