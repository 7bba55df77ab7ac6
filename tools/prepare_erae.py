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
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from allonym.language.sequences import END, UNKNOWN
from allonym.papers.corpora.peerread import bucket, training_review
from allonym.training.erae.corpus import Tokenised, chosen_sentences, vectors_of
from allonym.vectors.embeddings import load

SIZE = 20_000
AUTHORS = 20  # who must use a token, for it to be known
SHARES = {"imdb62": 66, "blogs": 42}  # percent of the documents that are used


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


def read(folder: Path, limit: int | None) -> Tokenised:
    """Tokenise all documents once."""
    found = Tokenised()
    for name, author, text in documents(folder, limit):
        found.add(author, text, held_out=bucket(name + " held out", 100) == 0)
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
    found = read(options.data, options.limit)
    print(f"{len(found):,} sentences, {time.time() - began:.0f} s", flush=True)
    vocabulary = found.builder.vocabulary(SIZE, authors=AUTHORS, dictionary=load())
    ids, sizes, watch = found.numbered(vocabulary)
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
