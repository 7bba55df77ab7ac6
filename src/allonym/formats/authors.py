"""Read texts whose authors are known: a folder with a sub-folder for each author, or a table with a column of authors.

The rule for folders is plain. Where there are sub-folders, each is an author and every `.txt` below it is theirs.
Where there are none, each `.txt` is an author, named by the file without `.txt`. Both at once are refused, since a file
beside the authors' folders could be meant either way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from allonym.errors import InputError
from allonym.formats.base import document_suffixes
from allonym.formats.files import Documents, open_documents
from allonym.formats.tables import shown
from allonym.language.words import name_key


@dataclass(frozen=True)
class KnownTexts:
    """Texts and who wrote them."""

    texts: list[str] = field(repr=False)
    authors: list[str] = field(repr=False)  # the author of each, control characters escaped
    skipped: int = 0  # how many links out of the folder were not followed

    def without(self, texts: Iterable[str]) -> KnownTexts:
        """Leave these texts out, whoever wrote them and whatever white space is around them."""
        known = {text.strip() for text in self.texts}
        repeated = {stripped for text in texts if (stripped := text.strip()) in known}  # however many texts there are
        rows = [row for row, text in enumerate(self.texts) if text.strip() not in repeated]
        return KnownTexts([self.texts[row] for row in rows], [self.authors[row] for row in rows], self.skipped)


def read_authors(source: str | Path, *, text: str | None = None, author: str | None = None) -> KnownTexts:
    """Read known authors' texts: a folder, or a table whose column of authors is named."""
    path = Path(source)
    if str(source) == "-" or (path.suffix.lower() in document_suffixes() and path.is_file()):
        raise InputError("Known texts need their authors; give a folder with a sub-folder for each, or a table.")
    if path.is_dir() and (text, author) != (None, None):
        raise InputError(
            f"{shown(path)} is a folder, whose sub-folders are authors; leave out --known-text and --known-author."
        )
    if not path.is_dir() and path.exists() and author is None:
        raise InputError(f"{shown(path)} is a table; name the column with the authors with --known-author.")
    documents = open_documents(source, text=text, author=author)
    known = _of_folder(documents) if path.is_dir() else _of_table(documents)
    refuse_binary(source, known.texts)
    return known


def read_documents(source: str) -> tuple[list[str], list[str]]:
    """Read the names and texts to be looked at: a `.txt`, a folder of them, or `-`."""
    if source != "-" and Path(source).is_file() and Path(source).suffix.lower() not in document_suffixes():
        raise InputError(
            f"{shown(source)} is not a text; give a .txt or .docx file, a folder of .txt, a table, or - for standard "
            "input."
        )
    documents = open_documents(source)
    names, texts, _ = _gathered(documents)
    refuse_binary(source, texts)
    return list(map(shown, names if documents.format.holds == "files" else [Path(source).name])), texts


def _gathered(documents: Documents) -> tuple[list[str], list[str], list[str]]:
    """Return all ids, texts and authors."""
    ids, texts, authors = list[str](), list[str](), list[str]()
    for batch in documents:
        ids += batch.ids
        texts += batch.texts
        authors += batch.authors or ()
    return ids, texts, authors


def refuse_binary(source: str | Path, texts: list[str]) -> None:
    """Refuse a file that happens to be UTF-8 but holds zero bytes, which no writer typed."""
    if any("\0" in text for text in texts):
        raise InputError(f"{shown(source)} holds null bytes, so it is not text; give text as UTF-8.")


def _of_folder(documents: Documents) -> KnownTexts:
    ids, texts, _ = _gathered(documents)
    paths = [PurePosixPath(name) for name in ids]
    nested = [len(path.parts) > 1 for path in paths]
    if any(nested) and not all(nested):
        count = nested.count(False)
        beside = "a .txt file" if count == 1 else f"{count} .txt files"
        raise InputError(
            f"{shown(documents.source)} holds sub-folders and {beside} beside them; "
            "put every text into the sub-folder of its author."
        )
    names = [path.parts[0] if any(nested) else path.stem for path in paths]
    return KnownTexts(texts, one_spelling([shown(name) for name in names]), len(documents.skipped))


def one_spelling(names: Sequence[str]) -> list[str]:
    """Return names with one spelling for each person: the first of those that compare as the same."""
    first: dict[str, str] = {}
    return [first.setdefault(name_key(name), name) for name in names]


def _of_table(documents: Documents) -> KnownTexts:
    _, texts, authors = _gathered(documents)
    nameless = sum(not name_key(author) for author in authors)
    if nameless:
        rows = "1 row has" if nameless == 1 else f"{nameless:,} rows have"
        raise InputError(f"{shown(documents.source)}: {rows} no author; fill the column in or leave the rows out.")
    return KnownTexts(texts, one_spelling([shown(author) for author in authors]))
