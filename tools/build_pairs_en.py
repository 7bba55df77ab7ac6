"""Make the model folder `pairs-en`: which words stand beside which, for `allonym.language.pairs`.

    python tools/build_pairs_en.py --data ../shared/data

Counts pairs of words in all sentences of the training bloggers, as A4NT reads them, and keeps the most frequent pairs
that enough bloggers wrote. Takes some minutes on one core.
"""

from __future__ import annotations

import argparse
import json
import shutil
from array import array
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from allonym import models
from allonym.language.pairs import DEFAULT, FORMAT, PRIOR, STEPS, VERSION
from allonym.language.sequences import END, START, UNKNOWN, VocabularyBuilder
from allonym.papers.corpora import blogs
from allonym.training.a4nt.corpus import prose

TOKENS, PAIRS = 15_000, 165_000
BLOGGERS = 20  # who must use a token
TOGETHER = 5  # who must write a pair
FOLDER = Path(__file__).resolve().parents[1] / "src" / "allonym" / "models" / DEFAULT

CARD = """\
# {name}, version {version}

Which words stand beside which, in {pairs:,} pairs of {words:,} words: how A4NT tells whether a word fits between its
neighbours. No sentence of any corpus is in this folder.

| | |
|---|---|
| weights | `counts`: of each word; `follows`: pairs that begin with it; `seconds`: their second words; `levels`: \
{steps} · ln(1 + pairs / (expected · {prior:g})) as a byte, see `allonym.language.pairs` |
| made by | `tools/build_pairs_en.py` |
| counted in | {tokens:,} tokens of {sentences:,} sentences by the {bloggers:,} training bloggers of the blog \
authorship corpus (non-commercial research; includes text by minors) |
| kept | words that {authors} bloggers use, pairs that {together} wrote |
| covers | {covered:.0%} of all pairs of words in these sentences |

## Licences

Counted in a corpus that was given for non-commercial research; if you need to be sure, use it for research only.

## Limits

English as blogs write it. Words that are not neighbours are strangers to it.
"""


def main() -> None:
    """Count and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    corpus = blogs.load(parser.parse_args().data)
    numbers: dict[str, int] = {}
    flat, lengths, owners = array("i"), array("i"), array("i")
    builder = VocabularyBuilder()
    bloggers: dict[str, int] = {}
    for blogger, split, text in zip(corpus.bloggers, corpus.splits, corpus.texts, strict=True):
        if split != "train":
            continue
        owner = bloggers.setdefault(str(blogger), len(bloggers))
        read = prose(text, names=False)
        builder.add(str(blogger), read)
        for sentence in read:
            flat.extend([numbers.setdefault(token.lower(), len(numbers)) for token in sentence])
            lengths.append(len(sentence))
            owners.append(owner)
    print(f"{len(lengths):,} sentences, {len(flat):,} tokens", flush=True)
    vocabulary = builder.vocabulary(TOKENS, authors=BLOGGERS)
    ids = np.array(vocabulary.ids(list(numbers)))[np.frombuffer(flat, np.int32)]
    sizes, owner_of = np.frombuffer(lengths, np.int32), np.frombuffer(owners, np.int32)
    arrays, covered = counted(ids, sizes.astype(np.int64), owner_of.astype(np.int64), len(vocabulary))

    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    save_file(arrays, FOLDER / models.WEIGHTS)
    vocabulary.save(FOLDER / models.VOCABULARY)
    config = {
        "name": DEFAULT,
        "version": VERSION,
        "format": FORMAT,
        "words": len(vocabulary),
        "pairs": len(arrays["seconds"]),
        "command": "python tools/build_pairs_en.py --data DIR",
    }
    (FOLDER / models.CONFIG).write_text(json.dumps(config, indent=1) + "\n", "utf-8")
    told: dict[str, object] = {
        "pairs": len(arrays["seconds"]),
        "words": len(vocabulary),
        "steps": STEPS,
        "prior": PRIOR,
    }
    told |= {"tokens": len(flat), "sentences": len(lengths), "bloggers": len(bloggers)}
    told |= {"name": DEFAULT, "version": VERSION, "authors": BLOGGERS, "together": TOGETHER, "covered": covered}
    card = CARD.format(**told)
    (FOLDER / models.CARD).write_text(card, "utf-8")
    made = models.seal(FOLDER)
    print(f"{made.size_bytes / 1e6:.2f} MB, {covered:.3f} of all pairs")


def counted(
    ids: NDArray[np.int64], lengths: NDArray[np.int64], owners: NDArray[np.int64], words: int
) -> tuple[dict[str, NDArray[np.generic]], float]:
    """Return what is kept of the pairs in sentences, and which share of all pairs it covers."""
    starts = np.cumsum(lengths) - lengths
    lefts, rights = np.insert(ids, starts, START), np.insert(ids, starts + lengths, END)
    of = np.repeat(owners, lengths + 1)
    counts = np.bincount(lefts, minlength=words)
    counts[END] = len(lengths)
    counts = np.maximum(counts, 1)
    known = (lefts != UNKNOWN) & (rights != UNKNOWN)
    keys, of = (lefts * words + rights)[known], of[known]
    pairs, times = np.unique(keys, return_counts=True)
    by_owner = np.unique(np.searchsorted(pairs, keys) * (int(owners.max()) + 1) + of) // (int(owners.max()) + 1)
    writers = np.bincount(by_owner, minlength=len(pairs))
    eligible = np.flatnonzero(writers >= TOGETHER)
    kept = np.sort(eligible[np.argsort(-times[eligible], kind="stable")[:PAIRS]])
    firsts, seconds = np.divmod(pairs[kept], words)
    levels = np.log1p(times[kept] / (PRIOR * counts[seconds] / counts.sum()))
    rounded = np.minimum(255, np.round(STEPS * levels))
    print(f"{len(eligible):,} pairs by enough bloggers; the rarest kept stands {times[kept].min()} times")
    arrays: dict[str, NDArray[np.generic]] = {
        "counts": counts.astype(np.float32),
        "follows": np.bincount(firsts, minlength=words).astype(np.uint16),
        "seconds": seconds.astype(np.uint16),
        "levels": rounded.astype(np.uint8),
    }
    return arrays, float(times[kept].sum() / len(lefts))


if __name__ == "__main__":
    main()
