"""A folder of text files, however deep: each is a document, and its id is its path within the folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NoReturn

from allonym.errors import InputError, ParameterError
from allonym.formats.base import Format, storable
from allonym.formats.tables import DamagedRowError, Opened, Part, Roles, batched, decoded, encodable, shown
from allonym.formats.text import Text

if TYPE_CHECKING:
    from allonym.formats.base import Batches


class Folder(Format):
    """A folder; links that lead outside it, and links to folders, are not followed."""

    name = "folder"
    holds = "files"

    def reads(self, source: str | Path) -> bool:
        """Tell whether this is a folder."""
        return Path(source).is_dir()

    def open(self, source: str | Path, asked: Roles, batch_rows: int) -> Opened:
        """List the texts."""
        path = Path(source)
        names, skipped = _text_files(path)
        if not names:
            raise InputError(f"{shown(path)} holds no .txt files; give a folder with at least one.")

        def parts(batch_rows: int) -> Iterator[Part]:
            texts = ((name, _file_text(path / name, asked.tolerant)) for name in names)
            rows = ((number, len(text or ""), (name, text)) for number, (name, text) in enumerate(texts, 1))
            for numbers, pairs in batched(rows, batch_rows):
                unreadable = tuple(row for row, (_, text) in enumerate(pairs) if text is None)
                yield Part(
                    [text or "" for _, text in pairs], numbers, [name for name, _ in pairs], unreadable=unreadable
                )

        return Opened(parts, skipped=skipped)

    def write(self, path: Path, batches: Batches, text: str = "text", columns: Sequence[str] = ()) -> None:
        """Write a folder that does not exist yet, its files named by the ids."""
        path.mkdir()
        for batch in batches:
            for identifier, content in zip(batch.ids, batch.texts, strict=True):
                relative = PurePosixPath(identifier)
                if relative.is_absolute() or ".." in relative.parts or "\0" in identifier or not relative.name:
                    raise ParameterError("The ids of a folder must be relative paths inside it.")
                (path / relative).parent.mkdir(parents=True, exist_ok=True)
                (path / relative).write_bytes(storable(content).encode())


FORMAT = Folder()


def _file_text(path: Path, tolerant: bool) -> str | None:
    """Return the text of a file of a folder; None if it is not UTF-8 and that is to be told, not refused."""
    try:
        return decoded(path, path.read_bytes())
    except InputError as error:
        if not tolerant:
            raise DamagedRowError(str(error)) from None
        return None


def _text_files(folder: Path) -> tuple[list[str], tuple[str, ...]]:
    """Relative paths of the text files to read, and of the links left alone, both sorted."""
    root = folder.resolve()
    texts, skipped = list[str](), list[str]()
    for parent, folders, names in os.walk(folder, onerror=_raise):
        for name in [*folders, *names]:
            path = Path(parent, name)
            relative = path.relative_to(folder).as_posix()
            is_text = path.suffix.lower() in Text.suffixes
            if path.is_symlink() and (path.is_dir() or (is_text and not path.resolve().is_relative_to(root))):
                skipped.append(relative)
            elif is_text and path.is_file():
                if not encodable(relative):
                    raise InputError(f"{shown(path)} has a name that is not UTF-8; rename it.")
                texts.append(relative)
    return sorted(texts), tuple(sorted(skipped))


def _raise(error: OSError) -> NoReturn:
    """Make `os.walk` report a folder it cannot list instead of skipping it."""
    raise error
