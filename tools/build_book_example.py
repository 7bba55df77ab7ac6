"""Make the book `book-example` anew: a hundred sentences that we wrote, so that commonplace can be tried and tested.

    python tools/build_book_example.py

Its sentences are those of the folder's own list; their vectors change with the encoder.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from allonym import models
from allonym.books import book
from allonym.networks.sentences.encoder import DEFAULT, SentenceEncoder

NAME = "book-example"
FOLDER = Path(models.__file__).parent / NAME
CARD = f"""\
# {NAME}

{{count}} sentences that we wrote ourselves, for tests and for a first look at the method commonplace. Far too few to
say what a text says: make a book of your own with `allonym book build`.

Made by `tools/build_book_example.py` from the list in this folder.

## Licences

Apache 2.0, as the program.
"""


def main() -> None:
    """Write the folder."""
    sentences = (FOLDER / book.SENTENCES).read_text("utf-8").splitlines()
    shutil.rmtree(FOLDER)
    made = book.Book.of(sentences, SentenceEncoder.open())
    book.write(FOLDER, made, {"name": NAME, "encoder": DEFAULT}, CARD.format(count=len(sentences)))


if __name__ == "__main__":
    main()
