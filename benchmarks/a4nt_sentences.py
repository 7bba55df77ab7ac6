"""Claim: A4NT rewrites 50 sentences a second and more on two cores, without torch, choosing among twenty translations.

The job is 1,000 sentences of 3 to 30 words in documents of ten, their words drawn by Zipf's law from the model's own
vocabulary. The floor is the float32 product of as many places with all words' embeddings, which every translator of
this kind must do: what all of the job costs is told in such products.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from _common import Row, interleaved, multiply, run_script, zipf_inputs

from allonym.anonymizers.a4nt import A4NT
from allonym.language.sequences import SPECIAL, Vocabulary

SENTENCES, SHORTEST, LONGEST, TOGETHER = 1_000, 3, 30, 10
PER_SECOND = 50
ROUNDS = 3


def make_documents(vocabulary: Vocabulary) -> tuple[list[str], int]:
    """Return documents and how many words they have in all."""
    lengths = SHORTEST + np.arange(SENTENCES) * 17 % (LONGEST - SHORTEST + 1)
    words = [form for form in vocabulary.forms[len(SPECIAL) :] if form.isalpha()]
    drawn = np.split(zipf_inputs(len(words), int(lengths.sum())), np.cumsum(lengths)[:-1])
    sentences = [" ".join(words[word] for word in sentence).capitalize() + "." for sentence in drawn]
    documents = [" ".join(sentences[first : first + TOGETHER]) for first in range(0, SENTENCES, TOGETHER)]
    return documents, int(lengths.sum()) + SENTENCES  # with the full stops


def measure(_: Path | None) -> Sequence[Row]:
    """Time the shipped age model."""
    method = A4NT(model="age", target="adult", source="teen")
    shape = method.network_.shape
    documents, places = make_documents(method.network_.vocabulary)
    rng = np.random.default_rng(1)
    features = rng.normal(size=(places, shape.embedding)).astype(np.float32)
    columns = rng.normal(size=(shape.embedding, shape.words)).astype(np.float32)
    method.transform(documents)  # what must be read from the disk is read now
    times = []
    for _round in range(ROUNDS):
        began = time.perf_counter()
        method.transform(documents)
        times.append(time.perf_counter() - began)
    rate = SENTENCES / sorted(times)[ROUNDS // 2]
    seconds = interleaved(
        {"product": lambda: multiply(features, columns), "everything": lambda: method.transform(documents)}
    )
    ratio = seconds["everything"] / seconds["product"]
    return [
        Row(
            "A4NT (a4nt-age) without torch, twenty translations of every sentence, by the clock",
            f"≥ {PER_SECOND} sentences/s",
            f"{rate:,.0f} sentences/s",
            rate >= PER_SECOND,
            {"sentences_per_second": rate, "sentences": SENTENCES, "places": places},
        ),
        Row(
            "the same in its output products", "", f"{ratio:.1f}", None,
            {"ratio": ratio} | {f"{name} s": value for name, value in seconds.items()},
        ),
    ]  # fmt: skip


if __name__ == "__main__":
    run_script(measure)
