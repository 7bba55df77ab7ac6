"""Choose commonplace's settings on reviewers who are not reported: the mean likeness of what is drawn, in closed form.

    python tools/make_sentences_en.py teach --data ../shared/data --work DIR
    python tools/choose_commonplace.py --work DIR

For every sentence of their reviews and a book by others, MiniLM says how alike the sentence is to each of the book;
the law says how likely each is drawn. Compared at equal losses are the subset mechanism with more or fewer candidates,
the exponential mechanism over the cosine, cut to a range, and smaller books: a cell of m like sentences, said by one
of them, is a book of an m-th of the size.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from make_sentences_en import unit
from numpy.typing import NDArray

from allonym.networks.sentences.encoder import SentenceEncoder

LOSSES = (13.0, 10.0, 8.0, 6.0)
CANDIDATES = (1, 2, 3, 5, 8, 12, 20, 40, 100)
PARTS = (1, 2, 4, 8, 16)
RANGES = ((0.0, 1.0), (0.3, 0.7), (0.4, 0.55))
_STEPS = 30  # of bisection

Floats = NDArray[np.float64]


def main() -> None:
    """Print a line for each loss and way to draw."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    work = parser.parse_args().work
    chosen = json.loads((work / "sentences.json").read_text("utf-8"))
    encoder = SentenceEncoder.open()
    teacher = np.concatenate([np.load(path) for path in sorted(work.glob("book-*.npy"))]).astype(np.float32)
    asked = [sentence for text in chosen["texts"] for sentence in text]
    alike = unit(np.load(work / "texts.npy").astype(np.float32)) @ unit(teacher).T
    seen = (
        unit(encoder.encode(asked).astype(np.float32))
        @ unit(encoder.encode(chosen["book"][: len(teacher)]).astype(np.float32)).T
    )
    for loss in LOSSES:
        for part in PARTS:
            size = len(teacher) // part
            print(f"loss {loss:g}, subset over {size:,}: {_subset(seen[:, :size], alike[:, :size], loss)}", flush=True)
        for low, high in RANGES:
            print(f"loss {loss:g}, exponential, {low:g} to {high:g}: {_exponential(seen, alike, loss, low, high):.3f}")


def _subset(seen: NDArray[np.float32], alike: NDArray[np.float32], loss: float) -> str:
    """Return the mean likeness for each number of candidates."""
    size = seen.shape[1]
    order = np.argsort(-seen, axis=1)[:, : max(CANDIDATES)]
    near, all_of_them = np.take_along_axis(alike, order, 1), alike.mean(axis=1)
    figures = []
    for count in CANDIDATES:
        likely = count * np.exp(loss) / (count * np.exp(loss) + size - count)
        mean = (likely * near[:, :count].mean(axis=1) + (1 - likely) * all_of_them).mean()
        figures.append(f"k={count} {mean:.3f} ({likely:.2f})")
    return ", ".join(figures)


def _exponential(seen: NDArray[np.float32], alike: NDArray[np.float32], loss: float, low: float, high: float) -> float:
    """Return the mean likeness at the ε whose loss, over these inputs, is the one asked for."""
    ratings = (np.clip(seen, low, high) - low) / (high - low)
    least, most = 0.0, 4 * loss
    for _ in range(_STEPS):
        epsilon = (least + most) / 2
        totals = np.log(np.exp(epsilon * (ratings - 1)).sum(axis=1))
        least, most = (epsilon, most) if epsilon + totals.max() - totals.min() < loss else (least, epsilon)
    weights = np.exp(least * (ratings - 1))
    return float(((weights * alike).sum(axis=1) / weights.sum(axis=1)).mean())


if __name__ == "__main__":
    main()
