"""In which encoding a file is written: UTF-8, UTF-16 with its mark, or what Windows programs write in Western Europe.

UTF-8 is what is expected. Another encoding is taken where nothing speaks against it, and said aloud; where anything
does, the file is read as UTF-8, so that the error names the first byte that is none.
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import Final

from allonym.errors import InputError

UTF_8: Final = "utf-8"
_BLOCK: Final = 1 << 20
_MARKS_OF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# What people type in Western languages: letters with accents, and the marks that word processors put in.
_TYPED: Final = "àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿßœšžÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜŒŠŽ€£§°«»¿¡´·…–—‘’‚“”„•™®©\xa0½¼¾²³"
_NOT_TYPED: Final = re.compile(rb"[^\x00-\x7f" + re.escape(_TYPED.encode("cp1252")) + rb"]")
_FEWEST_TYPED: Final = 3  # bytes above ASCII: one alone may be damage


def detect(path: Path) -> str:
    """Return the encoding of a file, as Python calls it."""
    with path.open("rb") as file:
        first = file.read(3)
    if first[:2] in _MARKS_OF_16:
        return "utf-16"
    if first == codecs.BOM_UTF8:
        return UTF_8
    return UTF_8 if _is_utf_8(path) or not _may_be_western(path) else "cp1252"


def checked(encoding: str) -> str:
    """Return an encoding that a user named, or refuse what is none.

    Examples:
        >>> checked("UTF8"), checked("Latin-1")
        ('utf-8', 'iso8859-1')
    """
    try:
        name = codecs.lookup(encoding).name
        "a,;\n".encode(name)
        is_text = isinstance(b"a".decode(name), str)
    except (LookupError, UnicodeError, TypeError, ValueError):
        is_text, name = False, ""
    if not is_text:
        raise InputError(f"There is no encoding {encoding[:40]!r}; give one such as utf-8, utf-16, cp1252 or latin-1.")
    return name


def said(encoding: str) -> str:
    """Say what encoding was found; nothing where it is the expected one."""
    return "" if encoding == UTF_8 else f"It was read as {encoding}; --encoding names another."


def _is_utf_8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder(UTF_8)()
    with path.open("rb") as file:
        try:
            while block := file.read(_BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _may_be_western(path: Path) -> bool:
    typed = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            if b"\0" in block or _NOT_TYPED.search(block):
                return False
            typed += sum(byte > 0x7F for byte in block)
    return typed >= _FEWEST_TYPED
