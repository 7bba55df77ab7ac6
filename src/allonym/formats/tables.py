"""What readers of tables have in common; `files` is the way in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from allonym.errors import InputError
from allonym.formats.columns import is_usual_text_name, look_like_names

if TYPE_CHECKING:
    import pyarrow as pa

    from allonym.formats.base import Format

_Row = TypeVar("_Row")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BATCH_CHARACTERS = 1 << 24  # a batch closes here too, so that long documents cannot fill the memory
NO_DOCUMENT = "The batches must hold at least one document."


class EmptyInputError(InputError):
    """An input has the right form and no documents."""


class DamagedRowError(InputError):
    """A row cannot be read; others may be."""


@dataclass(frozen=True)
class Roles:
    """Which column is what, whether rows that cannot be read are marked, not refused, and how cells are written."""

    text: str | None = None
    id: str | None = None
    author: str | None = None
    keep: tuple[str, ...] = ()
    tolerant: bool = False
    delimiter: str | None = None  # between the cells of a .csv; by default what its first lines show
    encoding: str | None = None  # of a .csv or .txt; by default what is detected


@dataclass(frozen=True)
class Part:
    """Some documents as a format delivers them.

    `numbers` are lines or rows for error messages; `unreadable` are the places of those that are not there as they
    should be: without text, and what else of them is not known is None.
    """

    texts: list[str]
    numbers: Sequence[int]
    ids: Sequence[object] | None = None
    authors: Sequence[object] | None = None
    kept: pa.Table | None = None
    unreadable: tuple[int, ...] = ()


@dataclass(frozen=True)
class Opened:
    """An input whose form has been checked."""

    parts: Callable[[int], Iterator[Part]]  # reads the documents, so many at a time
    text: str | None = None  # name of the text column; None where there are no columns
    columns: tuple[str, ...] = ()  # the columns to write, in the order of the input
    skipped: tuple[str, ...] = ()
    said: tuple[str, ...] = ()  # what was found out and not asked for, in sentences for the owner
    format: Format | None = None  # what writes its like, where that is not what opened it


def opened(
    path: Path,
    names: Sequence[str],
    strings: Sequence[str],
    asked: Roles,
    parts: Callable[[Roles, int], Iterator[Part]],
) -> Opened:
    """Check the asked columns against those there are, find the text column, and hand both on to what reads rows."""
    roles = _with_text(path, names, strings, asked)
    columns = tuple(name for name in names if name == roles.text or name in roles.keep)
    guessed = asked.text is None and len(strings) > 1
    said = (
        (f"The texts are taken from the column {named([roles.text or ''])}; --text names another.",) if guessed else ()
    )
    return Opened(partial(parts, roles), roles.text, columns, said=said)


def _with_text(path: Path, names: Sequence[str], strings: Sequence[str], asked: Roles) -> Roles:
    if len(set(names)) < len(names):
        repeated = [name for name in dict.fromkeys(names) if list(names).count(name) > 1]
        raise InputError(f"{shown(path)} repeats a column name ({_header(repeated)}); rename one of them.")
    wanted = [name for name in (asked.text, asked.id, asked.author, *asked.keep) if name is not None]
    missing = [name for name in wanted if name not in names or not encodable(name)]
    if missing:
        raise InputError(
            f"{shown(path)} has no column {named(missing)}{_meant(missing, names)}; it has {_header(names)}."
        )
    if asked.text is None and len(strings) > 1:
        strings = _usual(strings, asked) or strings
    if asked.text is None and len(strings) != 1:
        count = f"{len(strings)} text columns" if strings else "no text column"
        raise InputError(f"{shown(path)} has {count}; name one with --text: it has {_header(names)}.")
    text = strings[0] if asked.text is None else asked.text
    if text in asked.keep or text == asked.id:
        raise InputError(f"Column {named([text])} is the text to protect; it cannot be kept or be the id.")
    keep = tuple(name for name in names if name in asked.keep)
    return replace(asked, text=text, keep=keep)


def _usual(strings: Sequence[str], asked: Roles) -> list[str]:
    """Return the only column whose name is usual for texts and that is nothing else; none where there are several."""
    others = (asked.id, asked.author, *asked.keep)
    usual = [name for name in strings if is_usual_text_name(name) and name not in others]
    return usual if len(usual) == 1 else []


def part_of(
    roles: Roles,
    texts: list[str],
    columns: Any,  # noqa: ANN401 - by name
    copied: pa.Table,
    numbers: Sequence[int],
    unreadable: tuple[int, ...] = (),
) -> Part:
    """Return what was read of some rows as a part."""
    ids = None if roles.id is None else columns[roles.id]
    authors = None if roles.author is None else columns[roles.author]
    return Part(texts, numbers, ids, authors, copied if roles.keep else None, unreadable)


def decoded(source: str | Path, content: bytes, *, offset: int = 0, line: int = 1) -> str:
    """Decode UTF-8, without its byte order mark at the start; errors say where."""
    mark = len(_BYTE_ORDER_MARK) if offset == 0 and content.startswith(_BYTE_ORDER_MARK) else 0
    try:
        return content[mark:].decode("utf-8")
    except UnicodeDecodeError as error:
        valid = mark + error.start
    line += content.count(b"\n", 0, valid)
    where = f"{shown(source)}, byte {offset + valid}, line {line}"
    raise InputError(f"{where}: not UTF-8; save the input as UTF-8 and try again.")


def batched(rows: Iterable[tuple[int, int, _Row]], batch_rows: int) -> Iterator[tuple[list[int], list[_Row]]]:
    """Group (number, size, row) until a batch has enough rows or characters."""
    numbers: list[int] = []
    batch: list[_Row] = []
    characters = 0
    for number, size, row in rows:
        numbers.append(number)
        batch.append(row)
        characters += size
        if len(batch) >= batch_rows or characters >= BATCH_CHARACTERS:
            yield numbers, batch
            numbers, batch, characters = [], [], 0
    if batch:
        yield numbers, batch


def encodable(text: str) -> bool:
    """Whether UTF-8 can hold the text: false for lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(path: str | Path) -> str:
    """A path fit for a message, whatever bytes and control characters its name holds."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(path))


def _meant(missing: Sequence[str], names: Sequence[str]) -> str:
    """Ask for the name that may have been meant, where the first row surely holds names."""
    if not look_like_names(names):
        return ""
    spelled = {name.lower(): name for name in names}
    close = get_close_matches(missing[0].lower(), spelled, n=1)
    return f" (did you mean {spelled[close[0]]!r}?)" if close else ""


def _header(names: Sequence[str]) -> str:
    """The column names, unless one does not look like a name: the first row may be a text to protect."""
    if look_like_names(names):
        return named(names)
    columns = "1 column" if len(names) == 1 else f"{len(names):,} columns"
    return f"{columns}, and the first row may not be names (is the header missing?)"


def named(names: Sequence[str]) -> str:
    """Up to ten column names."""
    listed = ", ".join(repr(name[:40]) for name in names[:10])
    return listed + (f" and {len(names) - 10} more" if len(names) > 10 else "")
