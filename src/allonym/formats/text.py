"""A text file, or standard input: one document, exactly."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from allonym.errors import InputError, ParameterError
from allonym.formats import encodings
from allonym.formats.base import Format, storable
from allonym.formats.tables import Opened, Part, Roles, decoded, shown

if TYPE_CHECKING:
    from allonym.formats.base import Batches


class Text(Format):
    """A text in UTF-8."""

    name = "text"
    suffixes = (".txt",)
    holds = "document"
    takes = ("encoding",)

    def reads(self, source: str | Path) -> bool:
        """Tell whether this is a text file or standard input."""
        return str(source) == "-" or super().reads(source)

    def open(self, source: str | Path, asked: Roles, batch_rows: int) -> Opened:
        """Open a text; standard input is read now, since a pipe cannot be read twice."""
        if str(source) == "-":
            content = decoded("standard input", sys.stdin.buffer.read())
            return Opened(lambda _: iter([Part([content], [1])]))
        path = Path(source)
        encoding = encodings.detect(path) if asked.encoding is None else encodings.checked(asked.encoding)
        read_as = encodings.said(encoding) if asked.encoding is None else ""
        return Opened(lambda _: iter([Part([_read(path, encoding)], [1])]), said=(read_as,) if read_as else ())

    def write(self, path: Path, batches: Batches, text: str = "text", columns: Sequence[str] = ()) -> None:
        """Write the one text as it is."""
        texts = [content for batch in batches for content in batch.texts]
        if len(texts) != 1:
            raise ParameterError(f"A text file must hold 1 document, got {len(texts)}.")
        path.write_bytes(storable(texts[0]).encode())


FORMAT = Text()


def _read(path: Path, encoding: str) -> str:
    if encoding == encodings.UTF_8:
        return decoded(path, path.read_bytes())
    try:
        return path.read_bytes().decode(encoding)
    except UnicodeError:
        raise InputError(f"{shown(path)} is not {encoding}; name another --encoding, or save it as UTF-8.") from None
