"""Turn the corpora into the token sequences that tools/train_erae.py learns from.

    python tools/prepare_erae.py --data ../shared/data --out erae_data

Only training parts are read: IMDb62 and the blogs where ``split`` is ``train``, newsgroups likewise (without quotes),
and nine tenths of the peer reviews (``training_review``). Of these documents one in a hundred, by a hash of its number,
is held out to watch the training. Writes ``sentences.npz`` (tokens, lengths, held-out ones, word vectors)
and ``vocabulary.txt``. Takes a few minutes on one core.
"""

from __future__ import annotations

import argparse
import time
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from allonym.embeddings import load
from allonym.sequences import END, SPECIAL, UNKNOWN, Vocabulary, VocabularyBuilder, sentences
from allonym.text import digest

SIZE = 20_000
AUTHORS = 20  # who must use a token, for it to be known
MOST_UNKNOWN = 0.25  # of a sentence's tokens; beyond it is no English, or no sentence
SHARES = {"imdb62": 66, "blogs": 42}  # percent of the documents that are used


def bucket(name: str, buckets: int) -> int:
    """Return a number below `buckets` that a hash of the name fixes."""
    return int.from_bytes(digest(name)[:8], "little") % buckets


def training_review(doc_id: str) -> bool:
    """Tell whether a peer review belongs to the training part; the others are for measuring."""
    return bucket(doc_id, 10) != 0


def documents(folder: Path, limit: int | None) -> Iterator[tuple[str, str, str]]:
    """Yield (document, author, text), an author's one after another."""
    sources = [
        ("imdb62/imdb62.parquet", "text"),
        ("blogs/blogs_4002.parquet", "text"),
        ("newsgroups20/newsgroups20.parquet", "body_noquote"),
        ("peerread/peerread.parquet", "text"),
    ]
    for file, column in sources:
        corpus = file.split("/")[0]
        condition = [("kind", "=", "review")] if corpus == "peerread" else [("split", "=", "train")]
        author = "doc_id" if corpus == "peerread" else "author"
        table = pq.read_table(folder / file, columns=list({"doc_id", author, column}), filters=condition)
        rows = zip(*(table[name].to_pylist() for name in (author, "doc_id", column)), strict=True)
        for who, doc_id, text in sorted(rows, key=lambda row: str(row[0]))[:limit]:
            name = f"{corpus} {doc_id}"
            unused = corpus == "peerread" and not training_review(str(doc_id))
            if text and not unused and bucket(name, 100) < SHARES.get(corpus, 100):
                yield name, f"{corpus} {who}", text.replace("urlLink", " ")


def is_prose(sentence: list[str]) -> bool:
    """Tell prose from encoded files and tables, which are full of repetitions and single letters."""
    letters = sum(len(token) == 1 and token.isalpha() and token not in "aAiI" for token in sentence)
    return letters <= 0.2 * len(sentence) and 3 * len(set(sentence)) >= len(sentence)


def numbered(
    folder: Path, limit: int | None
) -> tuple[VocabularyBuilder, list[str], array[int], array[int], array[int]]:
    """Tokenise all once; return counts, distinct tokens, their numbers in a row, lengths, and who is held out."""
    builder = VocabularyBuilder()
    numbers: dict[str, int] = {}
    flat, lengths, held_out = array("i"), array("i"), array("b")
    for name, author, text in documents(folder, limit):
        split = [sentence for sentence in sentences(text) if is_prose(sentence)]
        builder.add(author, split)
        watch = bucket(name + " held out", 100) == 0
        for sentence in split:
            flat.extend([numbers.setdefault(token, len(numbers)) for token in sentence])
            lengths.append(len(sentence))
            held_out.append(watch)
    return builder, list(numbers), flat, lengths, held_out


def chosen_sentences(
    ids: NDArray[np.uint16], lengths: NDArray[np.int64], wanted: NDArray[np.bool_]
) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Return the wanted sentences that are mostly known words and not fragments, as tokens in a row and lengths."""
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    unknown = np.add.reduceat((ids == UNKNOWN).astype(np.int64), starts)
    good = wanted & (lengths >= 2) & (unknown <= MOST_UNKNOWN * lengths)
    return ids[np.repeat(good, lengths)], lengths[good].astype(np.uint8)


def vectors_of(vocabulary: Vocabulary) -> NDArray[np.float16]:
    """Return the shipped unit word vectors of the tokens; zeros for those that have none."""
    table = load()
    rows = table.rows(vocabulary.tokens)
    found = np.where(rows[:, None] >= 0, table.unit()[np.maximum(rows, 0)], 0).astype(np.float16)
    found[: len(SPECIAL)] = 0
    return found


def main() -> None:
    """Read the corpora and write the arrays."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="documents of each corpus, for a trial")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    began = time.time()
    builder, tokens, flat, lengths, held_out = numbered(options.data, options.limit)
    print(f"{len(flat):,} tokens, {len(lengths):,} sentences, {time.time() - began:.0f} s", flush=True)
    vocabulary = builder.vocabulary(SIZE, authors=AUTHORS, dictionary=load())
    ids = np.array(vocabulary.ids(tokens), dtype=np.uint16)[np.frombuffer(flat, np.int32)]
    sizes = np.frombuffer(lengths, np.int32).astype(np.int64)
    watch = np.frombuffer(held_out, np.int8).astype(bool)
    print(f"{len(vocabulary):,} known tokens cover {1 - (ids == UNKNOWN).mean():.4f} of the text", flush=True)
    learned, learned_lengths = chosen_sentences(ids, sizes, ~watch)
    watched, watched_lengths = chosen_sentences(ids, sizes, watch)
    vectors = vectors_of(vocabulary)
    vocabulary.save(options.out / "vocabulary.txt")
    np.savez_compressed(
        options.out / "sentences.npz",
        # Two planes of bytes compress better than 16-bit numbers.
        low=(learned & 255).astype(np.uint8),
        high=(learned >> 8).astype(np.uint8),
        lengths=learned_lengths,
        held_out=watched,
        held_out_lengths=watched_lengths,
        vectors=vectors,
    )
    capitals = sum(form != form.lower() for form in vocabulary.forms)
    print(
        f"learned {len(learned):,} tokens in {len(learned_lengths):,} sentences, held out {len(watched):,}; "
        f"{(vectors.any(1)).sum():,} tokens have vectors, {capitals:,} are capitalised, END is {END}; "
        f"{time.time() - began:.0f} s"
    )


if __name__ == "__main__":
    main()
