"""Word's documents: their paragraphs as a text, and a text as plain paragraphs.

What a reader sees in the body is read: text, tabs, line breaks, tables cell by cell, insertions that are tracked. What
he does not see, or what does not belong to the text, is left out: deleted text, comments, footnotes, headers, the names
and times that Word keeps. Written by hand, since python-docx puts an author and the time into every file, and equal
texts must give equal bytes.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final
from xml.parsers import expat
from xml.sax.saxutils import escape

from allonym.errors import InputError, ParameterError
from allonym.formats import zips
from allonym.formats.base import Format, storable
from allonym.formats.tables import Opened, Part, Roles, shown

if TYPE_CHECKING:
    from allonym.formats.base import Batches

_BODY: Final = "word/document.xml"
_MOST_UNPACKED: Final = 100_000_000  # bytes of the body; reading stops there in any case
_MOST_PARTS: Final = 5_000
_MOST_CHARACTERS: Final = 20_000_000
_BLOCK: Final = 1 << 16
_WORD: Final = (  # ordinary files and those of the strict kind
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
)
_LEFT_OUT: Final = frozenset({"del", "moveFrom", "instrText", "delText", "delInstrText", "Fallback", "pict", "rt"})
_SIGNS: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_ELEMENTS: Final = {"\t": "<w:tab/>", "\n": "<w:br/>"}
_TAB_OR_BREAK: Final = re.compile(r"([\t\n])")
_NOT_IN_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
LEFT_OUT: Final = "Headers, footnotes, comments and deleted text of the document are left out."
_INSTEAD: Final = ".txt"
_WAY_OUT: Final = f"save it again as .docx without a password, or as {_INSTEAD}"

_TYPES: Final = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS: Final = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)


class Docx(Format):
    """A document of Word or LibreOffice."""

    name = "docx"
    suffixes = (".docx",)
    holds = "document"

    def open(self, source: str | Path, asked: Roles, batch_rows: int) -> Opened:
        """Open a document; its body is read when it is asked for."""
        path = Path(source)
        return Opened(lambda _: iter([Part([text_of(path.read_bytes(), shown(path))], [1])]), said=(LEFT_OUT,))

    def write(self, path: Path, batches: Batches, text: str = "text", columns: Sequence[str] = ()) -> None:
        """Write the one text; empty lines part its paragraphs."""
        texts = [content for batch in batches for content in batch.texts]
        if len(texts) != 1:
            raise ParameterError(f"A document must hold 1 text, got {len(texts)}.")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            parts = {"[Content_Types].xml": _TYPES, "_rels/.rels": _RELATIONS, _BODY: _body(texts[0])}
            for name, content in parts.items():
                archive.writestr(zips.entry(name), content)


FORMAT = Docx()


def text_of(content: bytes, name: str = "The document") -> str:
    """Return the text of a document, paragraphs as lines with an empty one between them; `name` is for errors.

    Raises:
        InputError: It is no document of this kind, or becomes very large when it is read.
    """
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            zips.check_sizes(archive, name, _MOST_PARTS, {_BODY: _MOST_UNPACKED}, _INSTEAD)
            with archive.open(_BODY) as body:
                return _BodyReader(name).read(body)
    except (zipfile.BadZipFile, KeyError, expat.ExpatError, zlib.error, EOFError, RuntimeError, NotImplementedError):
        raise InputError(f"{name} cannot be read as a document of Word; {_WAY_OUT}.") from None


class _BodyReader:
    """Collects the paragraphs while the parser goes through the body; what is nested deeply costs no depth here."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._paragraphs: list[str] = []
        self._open: list[list[str]] = []  # pieces of the paragraphs that are open: a text box stands within another
        self._left_out = 0  # how many elements deep in something that is left out
        self._in_text = False
        self._characters = 0

    def read(self, body: IO[bytes]) -> str:
        """Read the body to its end."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._refuse  # a document has none; with one come entities that grow
        unpacked = 0
        while block := body.read(_BLOCK):
            unpacked += len(block)
            if unpacked > _MOST_UNPACKED:
                raise zips.too_large(self._name, _INSTEAD)
            parser.Parse(block)
        parser.Parse(b"", True)
        return "\n".join(_joined(self._paragraphs))

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        space, _, kind = tag.rpartition(" ")
        if self._left_out or kind in _LEFT_OUT:
            self._left_out += 1
        elif space in _WORD and kind == "p":
            self._open.append([])
        elif space in _WORD and kind == "t":
            self._in_text = True
        elif space in _WORD and kind in _SIGNS and self._open:
            self._open[-1].append(_SIGNS[kind])

    def _end(self, tag: str) -> None:
        space, _, kind = tag.rpartition(" ")
        if self._left_out:
            self._left_out -= 1
        elif space in _WORD and kind == "t":
            self._in_text = False
        elif space in _WORD and kind == "p":
            self._paragraphs.append("".join(self._open.pop()))

    def _text(self, characters: str) -> None:
        if not self._in_text or self._left_out or not self._open:
            return
        self._characters += len(characters)
        if self._characters > _MOST_CHARACTERS:
            raise zips.too_large(self._name, _INSTEAD)
        self._open[-1].append(characters)

    def _refuse(self, *_: object) -> None:
        raise InputError(f"{self._name} holds declarations that documents of Word do not have; {_WAY_OUT}.")


def _joined(paragraphs: list[str]) -> Iterator[str]:
    """Give the paragraphs as lines, with an empty line between two that follow one another.

    People who press Enter twice have an empty paragraph there already; then none is added anywhere.
    """
    while paragraphs and not paragraphs[-1].strip():
        paragraphs.pop()
    spaced = any(not paragraph.strip() for paragraph in paragraphs)
    for index, paragraph in enumerate(paragraphs):
        if index and not spaced:
            yield ""
        yield paragraph


def _body(text: str) -> str:
    """Return a text as the body of a document."""
    lines = "\n".join(storable(text).splitlines())
    paragraphs = "".join(f"<w:p>{_run(paragraph)}</w:p>" for paragraph in lines.split("\n\n"))
    opening = f'<w:document xmlns:w="{_WORD[0]}"><w:body>'
    return f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{opening}{paragraphs}</w:body></w:document>'


def _run(paragraph: str) -> str:
    """Return the lines of a paragraph, with their breaks and tabs."""
    pieces = _TAB_OR_BREAK.split(_NOT_IN_XML.sub("\ufffd", paragraph))
    return f"<w:r>{''.join(map(_piece, pieces))}</w:r>" if paragraph else ""


def _piece(piece: str) -> str:
    if piece in _ELEMENTS:
        return _ELEMENTS[piece]
    return f'<w:t xml:space="preserve">{escape(piece)}</w:t>' if piece else ""
