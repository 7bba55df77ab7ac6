"""One digest for equal settings, on every machine: noise is keyed by it.

Equal means equal in what the settings say. A number is its value, whatever type holds it; a list, a tuple and an array
of words are their words; arrays are their kind, shape and content; a word table or another frozen record is its fields;
a path is what was written. Of an object of any other kind only the class is known here, so two settings that differ in
such an object alone are told apart by the count of releases and not by this digest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from numbers import Integral, Real
from pathlib import PurePath
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

DIGEST_BYTES = 32

_known: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()  # of records, which never change and may be large


def settings_digest(*settings: object) -> bytes:
    """Return 32 bytes that equal settings share, in any process, on any platform.

    Examples:
        >>> settings_digest({"words": 5, "epsilon": 1.0}) == settings_digest({"epsilon": 1, "words": 5})
        True
        >>> settings_digest("syntf", {"words": 5}) == settings_digest("laplace", {"words": 5})
        False
    """
    return blake2b(b"".join(map(_digest, settings)), digest_size=DIGEST_BYTES).digest()


def _digest(value: object) -> bytes:
    kind, content = _encoded(value)
    # The kind before the content, so that "1" is not 1; the digest keeps nested values apart.
    return blake2b(kind.encode() + b"\0" + content, digest_size=DIGEST_BYTES).digest()


def _encoded(value: object) -> tuple[str, bytes]:
    """Return what kind of value this is, and its content in bytes."""
    if value is None or isinstance(value, bool | np.bool_):
        return "constant", str(value).encode()
    if isinstance(value, Integral | Real):
        return "number", _number(value)
    if isinstance(value, str | PurePath):
        text = value if isinstance(value, str) else value.as_posix()
        return "text", text.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return "bytes", value
    if isinstance(value, Mapping):
        return "mapping", b"".join(sorted(_digest(key) + _digest(item) for key, item in value.items()))
    if isinstance(value, Set):
        return "set", b"".join(sorted(map(_digest, value)))
    if isinstance(value, Sequence):
        if all(type(item) is str for item in value):
            return "words", _words(value)
        return "list", b"".join(map(_digest, value))
    return _encoded_object(value)


def _number(value: Any) -> bytes:  # noqa: ANN401 - of Python or of NumPy
    if isinstance(value, Integral) or float(value).is_integer():
        return str(int(value)).encode()
    return float(value).hex().encode()


def _words(words: Sequence[str]) -> bytes:
    """Return a list of words at once: vocabularies are long."""
    lengths = np.fromiter(map(len, words), "<i8", len(words))
    return len(words).to_bytes(8, "big") + lengths.tobytes() + "".join(words).encode("utf-8", "surrogatepass")


def _encoded_object(value: Any) -> tuple[str, bytes]:  # noqa: ANN401
    if is_dataclass(value) and not isinstance(value, type):
        return f"record {type(value).__name__}", _record(value)
    if hasattr(value, "tocsr"):
        rows = value.tocsr().copy()
        rows.sum_duplicates()
        return "sparse", b"".join(map(_digest, (rows.shape, rows.indptr.tolist(), rows.indices.tolist(), rows.data)))
    if hasattr(value, "__array__"):
        array = np.asarray(value)
        if array.dtype.kind not in "biufc":
            return _encoded(array.tolist())
        plain = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        return "array", _digest([plain.dtype.str.lstrip("<|"), list(plain.shape)]) + plain.tobytes()
    return f"object {type(value).__name__}", b""


def _record(value: Any) -> bytes:  # noqa: ANN401 - a dataclass
    """Return the content of a record; once only where nothing in it can be set."""
    made = value.__dataclass_params__
    frozen = made.frozen and not made.eq and hasattr(value, "__weakref__")  # without eq it is known by its identity
    if frozen and value in _known:
        return _known[value]
    content = b"".join(_digest([field.name, getattr(value, field.name)]) for field in fields(value))
    if frozen:
        _known[value] = content
    return content
