"""Claim: WritePrints counts letter n-grams at least 20 times as fast as scikit-learn's CountVectorizer, on one core.

Both do the same work on the same texts: choose the 50 most frequent pairs and triples of the letters a–z and count
them in every text; a check compares the counts. CountVectorizer reads each text once (`fit_transform`), as it is
fastest; WritePrints reads each twice (`fit`, `transform`), as it is used. The whole of WritePrints without parts of
speech is set against the same CountVectorizer, and the tagger's speed is told in words per second.

Texts are the messages of 20 newsgroups without quotations where the project's data lie beside the repository;
elsewhere made-up words stand in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from _common import DOCUMENTS, NEWSGROUPS, WORDS_PER_DOCUMENT, Row, cpu_seconds, interleaved, run_script
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer

from allonym.attackers.writeprints._batch import Batch
from allonym.attackers.writeprints._columns import LetterGrams, frequent_letter_grams
from allonym.attackers.writeprints.features import MOST, WritePrints, in_parts
from allonym.errors import MissingDependencyError
from allonym.language import parts_of_speech
from allonym.vectors import embeddings

RATIO_TARGET = 20
TAGGING_TARGET_MINUTES = 15
PROCESSES = 2

_SEED = 20260103
_SAMPLE = 300
_LETTERS = re.compile("[a-z]+")


def load_texts() -> list[str]:
    """Return the corpus, or made-up texts of as many words."""
    if NEWSGROUPS.exists():
        import pyarrow.parquet as pq

        column = "body_noquote"
        texts: list[str] = pq.read_table(NEWSGROUPS, columns=[column])[column].to_pylist()
        return texts
    words = embeddings.load().words
    rng = np.random.default_rng(_SEED)
    shares = 1.0 / (np.arange(len(words)) + 2.7)
    drawn = rng.choice(len(words), (DOCUMENTS, WORDS_PER_DOCUMENT), p=shares / shares.sum())
    return [" ".join(words[word] for word in row) + "." for row in drawn]


class Rival:
    """CountVectorizer on the same n-grams: everything counted, then the 50 most frequent of letters alone kept."""

    def __init__(self) -> None:
        self.grams: list[str] = []
        self.counts = np.empty((0, 0))

    def run(self, texts: Sequence[str]) -> None:
        """Fit, transform and choose."""
        vectorizer = CountVectorizer(analyzer="char", ngram_range=(2, 3))
        counts = vectorizer.fit_transform(texts)
        totals = np.asarray(counts.sum(axis=0)).ravel()
        names = vectorizer.get_feature_names_out()
        columns: list[int] = []
        for size in (2, 3):
            of_size = [i for i, name in enumerate(names) if len(name) == size and _LETTERS.fullmatch(name)]
            columns += sorted(of_size, key=lambda i: (-totals[i], names[i]))[:MOST]
        self.grams = [str(names[i]) for i in columns]
        self.counts = counts[:, columns]


def letter_grams(texts: Sequence[str]) -> tuple[list[str], list[NDArray[np.float64]]]:
    """Choose and count letter n-grams as `WritePrints.fit` and `.transform` do, and nothing else."""
    chosen = frequent_letter_grams(Batch(texts), MOST)
    block = LetterGrams(*chosen)
    return [*chosen[0], *chosen[1]], [block.values(Batch(part)) for part in in_parts(texts)]


def whole(texts: Sequence[str]) -> None:
    """Fit and transform all of WritePrints but parts of speech."""
    WritePrints(parts_of_speech=False).fit(texts).transform(texts)


def agreement(texts: Sequence[str], rival: Rival) -> bool:
    """Tell whether both chose the same n-grams and count the same."""
    grams, shares = letter_grams(texts)
    if grams != rival.grams:
        return False
    runs = [[len(run) for run in _LETTERS.findall(text.lower())] for text in texts]
    totals = np.array([[sum(max(run + 1 - size, 0) for run in row) for size in (2, 3)] for row in runs])
    counts = np.vstack(shares) * totals[:, [len(gram) - 2 for gram in grams]]
    return bool(np.allclose(counts, rival.counts.toarray(), rtol=1e-9))


def speed_rows(texts: Sequence[str]) -> list[Row]:
    """Time all three in turns."""
    rival = Rival()
    whole(texts[:50])  # loops compiled or loaded before the clock starts
    seconds = interleaved(
        {"rival": lambda: rival.run(texts), "letters": lambda: letter_grams(texts), "whole": lambda: whole(texts)}
    )
    same = agreement(texts, rival)
    verdict = "agree" if same else "DIFFER"
    kind = "messages of 20 newsgroups" if NEWSGROUPS.exists() else "made-up texts"
    letters, all_of_it = (seconds["rival"] / seconds[name] for name in ("letters", "whole"))
    return [
        Row(
            f"letter bigrams and trigrams of {len(texts):,} {kind}, against CountVectorizer",
            f"≥ {RATIO_TARGET}×",
            f"{letters:.0f}× ({seconds['letters']:.2f} s; {seconds['rival']:.1f} s; counts {verdict})",
            same and letters >= RATIO_TARGET,
            {"ratio": letters, "ours_s": seconds["letters"], "rival_s": seconds["rival"]},
        ),
        Row(
            "all of WritePrints but parts of speech, against the same CountVectorizer",
            "",
            f"{all_of_it:.1f}× ({seconds['whole']:.2f} s)",
            None,
            {"ratio": all_of_it, "ours_s": seconds["whole"]},
        ),
    ]


def tagging_rows(texts: Sequence[str]) -> list[Row]:
    """Time the tagger on a sample and share the whole out among the cores: texts do not depend on each other."""
    claim = f"parts of speech of {len(texts):,} texts on {PROCESSES} cores, scaled from {_SAMPLE}"
    target = f"≤ {TAGGING_TARGET_MINUTES} min"
    try:
        parts_of_speech.require()
    except MissingDependencyError:
        return [Row(claim, target, "not measured: install the extra style", None)]
    sample = list(texts[:: max(len(texts) // _SAMPLE, 1)][:_SAMPLE])
    words, all_words = (sum(len(text.split()) for text in some) for some in (sample, texts))
    rate = words / cpu_seconds(lambda: parts_of_speech.tags(sample))
    minutes = all_words / rate / 60 / PROCESSES
    return [
        Row(
            claim,
            target,
            f"{minutes:.1f} min of CPU time on each ({rate:,.0f} words/s)",
            minutes <= TAGGING_TARGET_MINUTES,
            {"minutes": minutes, "words_per_s": rate},
        )
    ]


def measure(_inputs: Path | None) -> Sequence[Row]:
    """Measure speed, then tagging."""
    texts = load_texts()
    return [*speed_rows(texts), *tagging_rows(texts)]


if __name__ == "__main__":
    run_script(measure)
