"""Turn the blogs and the speeches into the token sequences that tools/train_a4nt.py learns from.

    python tools/prepare_a4nt.py --data ../shared/data --out a4nt_data

Writes for each of the two corpora ``NAME.npz.xz`` and ``NAME-vocabulary.txt``. The arrays: the tokens of all sentences
in a row, as two planes of bytes (``low``, ``high``), ``lengths`` of the sentences, how many each blogger or speech has
(``sentences_per_document``), for each of these its classes and its ``split`` (0 train, 1 val,
2 test), and ``vectors``, the shipped unit word vectors of the vocabulary, rounded to a few bits.

The vocabulary is chosen on the training part alone. Of the blogs, a share of the posts chosen by a hash is used, such
that the file has about the size asked for; of the bloggers of the other parts at most 60 sentences, since these only
serve to watch the training. Of the second speaker as many sentences are used as of the first. Takes half an hour on
one core, most of it for the names in the speeches.
"""

from __future__ import annotations

import argparse
import io
import lzma
import time
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allonym.language import entities, sequences
from allonym.language.sequences import SPECIAL, UNKNOWN, Vocabulary, VocabularyBuilder
from allonym.papers.corpora import blogs, speeches
from allonym.papers.corpora.peerread import bucket
from allonym.training.a4nt.corpus import MOST_UNKNOWN, prose
from allonym.training.erae.corpus import vectors_of

BLOG_TOKENS, SPEECH_TOKENS = 22_000, 5_600
BLOGGERS, SPEECHES = 20, 3  # who must use a token, or where it must be used, for it to be known
WATCHED_SENTENCES = 60  # of each blogger who is not in the training part
BLOG_MEBIBYTES = 30.0
_TRIAL = 10  # one in so many documents is compressed to see how large all would be
_XZ = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 3, "lp": 1, "pb": 1}]


@dataclass
class Numbered:
    """Sentences as numbers of distinct tokens, each with the number of its document and of its owner."""

    numbers: dict[str, int] = field(default_factory=dict)
    flat: array[int] = field(default_factory=lambda: array("i"))
    lengths: array[int] = field(default_factory=lambda: array("i"))
    document: array[int] = field(default_factory=lambda: array("i"))
    owner: array[int] = field(default_factory=lambda: array("i"))

    def add(self, document: int, owner: int, sentence: Sequence[str]) -> None:
        """Add a sentence at the end."""
        numbers = self.numbers
        self.flat.extend([numbers.setdefault(token.lower(), len(numbers)) for token in sentence])
        self.lengths.append(len(sentence))
        self.document.append(document)
        self.owner.append(owner)

    def ids(self, vocabulary: Vocabulary) -> NDArray[np.uint16]:
        """Return the tokens of all sentences in a row, as the vocabulary numbers them."""
        known = np.array(vocabulary.ids(list(self.numbers)), dtype=np.uint16)
        return known[np.frombuffer(self.flat, np.int32)]


def known_enough(ids: NDArray[np.uint16], lengths: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Tell which sentences are mostly known words."""
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    return np.asarray(np.add.reduceat((ids == UNKNOWN).astype(np.int64), starts) <= MOST_UNKNOWN * lengths)


def few_bits(vectors: NDArray[np.float16]) -> NDArray[np.float16]:
    """Round to 5 bits after the first, which is finer than the vectors need and compresses to half."""
    bits = vectors.view(np.uint16)
    return np.where(vectors == 0, 0, (bits + np.uint16(16)) & np.uint16(0xFFE0)).astype(np.uint16).view(np.float16)


def planes(ids: NDArray[np.uint16]) -> dict[str, NDArray[np.uint8]]:
    """Split the tokens into two planes of bytes, which compress better than 16-bit numbers."""
    return {"low": (ids & 255).astype(np.uint8), "high": (ids >> 8).astype(np.uint8)}


def compressed(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the arrays as one compressed file."""
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return lzma.compress(file.getvalue(), format=lzma.FORMAT_XZ, filters=_XZ)


def save(out: Path, name: str, vocabulary: Vocabulary, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a corpus: first beside it, so that a reader never sees half a file."""
    vocabulary.save(out / f"{name}-vocabulary.txt")
    data = compressed(arrays)
    part = out / f"{name}.npz.xz.part"
    part.write_bytes(data)
    part.rename(out / f"{name}.npz.xz")
    print(
        f"{name}: {len(data) / 2**20:.2f} MiB, {len(arrays['lengths']):,} sentences, {len(arrays['low']):,} tokens, "
        f"{len(vocabulary):,} known, unknown {(arrays['low'] + 256.0 * arrays['high'] == UNKNOWN).mean():.4f}",
        flush=True,
    )


def share_of_posts(
    ids: NDArray[np.uint16], lengths: NDArray[np.int32], posts: NDArray[np.int32], kept: NDArray[np.bool_], most: float
) -> float:
    """Return which share of the posts has the size asked for, by compressing a tenth of them."""
    trial = kept & (posts % _TRIAL == 0)
    size = len(compressed(planes(ids[np.repeat(trial, lengths)]) | {"lengths": lengths[trial].astype(np.uint8)}))
    return min(1.0, most * 2**20 / (size * float(kept.sum()) / float(trial.sum())))


def prepare_blogs(data: Path, out: Path, mebibytes: float, limit: int | None) -> None:
    """Read, tokenise and write the blogs."""
    corpus = blogs.load(data)
    names = list(dict.fromkeys(corpus.bloggers))
    number_of = {name: number for number, name in enumerate(names)}
    builder, found = VocabularyBuilder(), Numbered()
    watched = np.zeros(len(names), dtype=np.int64)
    for post, text in enumerate(corpus.texts[:limit]):
        blogger, training = number_of[corpus.bloggers[post]], corpus.splits[post] == "train"
        if not training and watched[blogger] >= WATCHED_SENTENCES:
            continue
        split = prose(text, names=False)
        if training:
            builder.add(str(blogger), split)
        else:
            split = split[: WATCHED_SENTENCES - watched[blogger]]
            watched[blogger] += len(split)
        for sentence in split:
            found.add(post, blogger, sentence)
    print(f"blogs: {len(found.lengths):,} sentences, {len(found.flat):,} tokens read", flush=True)
    vocabulary = builder.vocabulary(BLOG_TOKENS, authors=BLOGGERS)
    ids, lengths = found.ids(vocabulary), np.frombuffer(found.lengths, np.int32)
    posts, owners = np.frombuffer(found.document, np.int32), np.frombuffer(found.owner, np.int32)
    kept = known_enough(ids, lengths)
    vectors = few_bits(vectors_of(vocabulary))
    room = mebibytes - len(compressed({"vectors": vectors})) / 2**20
    share = share_of_posts(ids, lengths, posts, kept, room)
    chosen = np.array([bucket(f"blogs {name}", 1000) < 1000 * share for name in corpus.ids])
    held_out = np.array([split != "train" for split in corpus.splits])
    kept &= (chosen | held_out)[posts]
    print(f"blogs: {share:.3f} of the training posts are used", flush=True)
    of_blogger = list({name: post for post, name in enumerate(corpus.bloggers)}.values())
    arrays: dict[str, NDArray[Any]] = {
        **planes(ids[np.repeat(kept, lengths)]),
        "lengths": lengths[kept].astype(np.uint8),
        "sentences_per_document": np.bincount(owners[kept], minlength=len(names)).astype(np.uint32),
        "age_group": numbered_classes([corpus.age_groups[post] for post in of_blogger], blogs.AGE_GROUPS),
        "gender": numbered_classes([corpus.genders[post] for post in of_blogger], blogs.GENDERS),
        "split": numbered_classes([corpus.splits[post] for post in of_blogger], blogs.SPLITS),
        "vectors": vectors,
    }
    save(out, "blogs", vocabulary, arrays)


def numbered_classes(values: Sequence[str], classes: Sequence[str]) -> NDArray[np.uint8]:
    """Return the place of each value among the classes."""
    return np.array([classes.index(value) for value in values], dtype=np.uint8)


def balanced(corpus: speeches.Speeches) -> list[int]:
    """Return the first speaker's speeches, and of the second's, in an order by hash, as many sentences a split."""
    sizes = [len(sequences.sentences(text)) for text in corpus.texts]
    rows: list[int] = []
    for split in speeches.SPLITS:
        ours, theirs = (
            [row for row in range(len(sizes)) if (corpus.speakers[row], corpus.splits[row]) == (speaker, split)]
            for speaker in speeches.SPEAKERS
        )
        rows += ours
        left = sum(sizes[row] for row in ours)
        for row in sorted(theirs, key=lambda row: bucket(f"speech {corpus.ids[row]}", 2**32)):
            if left > 0:
                rows.append(row)
                left -= sizes[row]
    return rows


def prepare_speeches(data: Path, out: Path, limit: int | None) -> None:
    """Read, tokenise and write the speeches."""
    corpus = speeches.load(data)
    rows = balanced(corpus)[:limit]
    builder, found = VocabularyBuilder(), Numbered()
    began = time.time()
    for number, row in enumerate(rows):
        split = prose(corpus.texts[row], names=True)
        if corpus.splits[row] == "train":
            builder.add(str(row), split)
        for sentence in split:
            found.add(number, number, sentence)
        if number % 50 == 0:
            print(f"speeches: {number} of {len(rows)}, {time.time() - began:.0f} s", flush=True)
    plain = builder.vocabulary(SPEECH_TOKENS - len(entities.LABELS), authors=SPEECHES)
    # The labels are no words, so the builder leaves them out.
    vocabulary = Vocabulary((*SPECIAL, *entities.LABELS, *plain.forms[len(SPECIAL) :]))
    ids, lengths = found.ids(vocabulary), np.frombuffer(found.lengths, np.int32)
    kept = known_enough(ids, lengths)
    owners = np.frombuffer(found.owner, np.int32)
    arrays: dict[str, NDArray[Any]] = {
        **planes(ids[np.repeat(kept, lengths)]),
        "lengths": lengths[kept].astype(np.uint8),
        "sentences_per_document": np.bincount(owners[kept], minlength=len(rows)).astype(np.uint32),
        "class": numbered_classes([corpus.speakers[row] for row in rows], speeches.SPEAKERS),
        "split": numbered_classes([corpus.splits[row] for row in rows], speeches.SPLITS),
        "vectors": few_bits(vectors_of(vocabulary)),
    }
    save(out, "speeches", vocabulary, arrays)


def main() -> None:
    """Read the corpora and write the arrays."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", choices=("blogs", "speeches"), help="one of the two")
    parser.add_argument("--blog-mebibytes", type=float, default=BLOG_MEBIBYTES, help="size of the blogs' file")
    parser.add_argument("--limit", type=int, help="documents of each corpus, for a trial")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.only != "speeches":
        prepare_blogs(options.data, options.out, options.blog_mebibytes, options.limit)
    if options.only != "blogs":
        prepare_speeches(options.data, options.out, options.limit)


if __name__ == "__main__":
    main()
