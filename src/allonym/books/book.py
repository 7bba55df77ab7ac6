"""A book: public sentences, each with its vector, in a folder with a card and checksums like a model's.

A book must not be made of the texts that it is to protect: its sentences are handed out as they stand.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from allonym import disk, models
from allonym.errors import ModelError
from allonym.language import ENGLISH
from allonym.networks.sentences.encoder import SentenceEncoder
from allonym.vectors.nearest import NearestVectors

FORMAT, VERSION = "book", 1
DEFAULT: Final = f"book-{ENGLISH.code}"  # not shipped yet
SENTENCES: Final = "sentences.txt"
NO_DEFAULT: Final = (
    f"This version of Allonym comes without the book {DEFAULT}: make one from public text with "
    "`allonym book build FILE… -o DIR`, and name its folder with --book."
)
_FILES = (SENTENCES, models.WEIGHTS, models.CONFIG, models.CARD, models.CHECKSUMS)

Bytes = NDArray[np.int8]
Int64 = NDArray[np.int64]


class Book:
    """Public sentences that can be drawn, and their vectors.

    Args:
        sentences: The sentences; their order is public and never changes.
        vectors: A vector of each, by `encoder`.
        encoder: What reads sentences.
        config: What the book says of itself.
    """

    def __init__(
        self,
        sentences: Sequence[str],
        vectors: Bytes,
        encoder: SentenceEncoder,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        if not sentences or vectors.shape != (len(sentences), encoder.dimensions) or vectors.dtype != np.int8:
            raise ModelError("A book needs sentences and a vector of each: build it again.")
        self.sentences = tuple(sentences)
        self.vectors, self.encoder = vectors, encoder
        self.config = dict(config or {})

    @classmethod
    def of(cls, sentences: Sequence[str], encoder: SentenceEncoder) -> Book:
        """Return a book of these sentences."""
        return cls(sentences, encoder.encode(sentences), encoder)

    @classmethod
    def open(cls, book: str | os.PathLike[str]) -> Book:
        """Open a shipped book by its name, a folder, or the shipped English one as "default".

        Raises:
            ModelError: There is none, or it is not as it was made.
        """
        if str(book) == "default" and DEFAULT not in models.shipped():
            raise ModelError(NO_DEFAULT)
        model = models.verify_format(models.find(DEFAULT if str(book) == "default" else book), FORMAT, VERSION)
        encoder = SentenceEncoder.open(str(model.config.get("encoder", "")))
        if model.config.get("encoder_digest") != encoder.digest:
            raise ModelError(
                f"The book {model.folder} was made with another version of the sentence encoder: build it again."
            )
        path = model.folder / SENTENCES
        lines = path.read_text("utf-8").split("\n")[:-1] if path.is_file() else []
        vectors = models.open_tensors(model).get("vectors", np.zeros((0, 0), np.int8))
        return cls(lines, vectors.astype(np.int8, copy=False), encoder, model.config)

    def __len__(self) -> int:
        return len(self.sentences)

    @cached_property
    def _search(self) -> NearestVectors:
        return NearestVectors(self.vectors)

    def nearest(self, vectors: Bytes, count: int) -> Int64:
        """Return the numbers of the nearest sentences for each vector, the nearest first; of equals the first."""
        return self._search.search(vectors, count)


def write(folder: Path, book: Book, config: Mapping[str, Any], card: str) -> models.Model:
    """Write a book to a new folder, whole or not at all.

    Raises:
        ModelError: The folder is in use.
    """
    from safetensors.numpy import save_file

    if folder.exists() and not (folder.is_dir() and {entry.name for entry in folder.iterdir()} <= set(_FILES)):
        raise ModelError(f"{folder} is in use for other things; choose another -o.")
    if folder.exists() and any(folder.iterdir()):
        raise ModelError(f"{folder} holds a book already; choose another -o, or remove it first.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".book.", dir=folder.parent) as room:
        made = Path(room) / "book"
        made.mkdir()
        (made / SENTENCES).write_text("".join(f"{line}\n" for line in book.sentences), "utf-8")
        save_file({"vectors": np.ascontiguousarray(book.vectors)}, made / models.WEIGHTS)
        known = {"format": FORMAT, "version": VERSION, "sentences": len(book), **config}
        known |= {"encoder_digest": book.encoder.digest}
        (made / models.CONFIG).write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", "utf-8")
        (made / models.CARD).write_text(card, "utf-8")
        (made / models.WEIGHTS).chmod(0o644)  # a book is public, and its library writes for the user alone
        models.seal(made)
        if folder.exists():
            folder.rmdir()
        shutil.move(made, folder)
        disk.sync(folder.parent)
    return models.verify(folder)
