"""Claim: moving a word by Laplace noise and finding the exact nearest word costs little more than one matrix product.

What is timed is the work of `WordLaplace` for documents of 200 words, from rows of the word table to rows: random
streams, noise, exact search. The rival is the loop of published code: noise by np.random, then the distances to all
words and np.argmin, one word at a time.

Where MLDP_PYTHON names an interpreter with `mldp-text` (it needs NumPy 1, so an environment of its own), its
multivariate mechanism is timed through its own API, too.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _common import GLOVE, HERE, WORDS, Row, interleaved, run_script, word_table, zipf_inputs
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from allonym import WordLaplace
from allonym.randomness import insecure
from allonym.vectors.embeddings import WordTable

QUERIES = 20_000
EPSILON = 30.0
LOOP_TARGETS = {100: 50, 300: 80}
PASS_TARGET = 1.15
GROWTH_TARGET_MIB = 20
SMALL, MIDDLE, LARGE = 20_000, 60_000, 200_000

_LOOP_WORDS = 100
_MLDP_WORDS = 100
_SLAB_ROWS = 512
_SEED = 20260102
_DOCUMENT = 200
_MIB = 2**20
_MLDP_JOB = """
import json, sys, time
import mldp_text, numpy
from gensim.models import KeyedVectors
vectors = numpy.load(sys.argv[1])
words = KeyedVectors(vectors.shape[1])
words.add_vectors([str(row) for row in range(len(vectors))], vectors)
seconds = {}
for name in "exact_s", "faiss_s":
    mechanism = mldp_text.get_mechanism(
        "multivariate_calibrated", epsilon=float(sys.argv[2]), embedding_matrix=words, dim=vectors.shape[1],
        use_faiss=name == "faiss_s",
    )
    mechanism.replace_word(sys.argv[3])
    start = time.process_time()
    for word in sys.argv[3:]:
        mechanism.replace_word(word)
    seconds[name] = (time.process_time() - start) / len(sys.argv[3:])
print(json.dumps(seconds))
"""


@dataclass(frozen=True)
class Search:
    """The words, the rows of those to replace, and the anonymizer that replaces them."""

    table: WordTable
    rows: NDArray[np.int64]
    model: WordLaplace

    def moved(self) -> NDArray[np.float64]:
        """Return the vectors of all words to replace, moved: what the search alone is timed with."""
        return self.table.vectors[self.rows] + self.model.mechanism_.noise(len(self.rows), insecure(_SEED))

    def ours(self) -> NDArray[np.int64]:
        """Replace all words, in documents of 200."""
        lengths = [_DOCUMENT] * (len(self.rows) // _DOCUMENT)
        return self.model._substitutes(self.rows, lengths, insecure(_SEED).documents([b""] * len(lengths)))

    def loop(self) -> None:
        """Replace a few words as published code does."""
        vectors, n = self.table.vectors, self.table.dimensions
        for row in self.rows[:_LOOP_WORDS]:
            direction = np.random.normal(size=n)
            noise = np.random.gamma(n, 1 / EPSILON) * direction / np.linalg.norm(direction)
            np.argmin(np.linalg.norm(vectors - (vectors[row] + noise), axis=1))

    def matrix_pass(self) -> None:
        """Multiply as many queries with all words, 512 at a time, on one thread."""
        queries = self.table.vectors[self.rows]
        slab = np.empty((_SLAB_ROWS, len(self.table)), np.float32)
        with threadpool_limits(1):
            for start in range(0, len(queries), _SLAB_ROWS):
                part = queries[start : start + _SLAB_ROWS]
                np.matmul(part, self.table.vectors.T, out=slab[: len(part)])


def made_up_table(dimensions: int) -> WordTable:
    """Return vectors of length 1 in as many dimensions as no file at hand has."""
    vectors = np.random.default_rng(_SEED).normal(size=(WORDS, dimensions)).astype(np.float32)
    names = tuple(f"w{row}" for row in range(WORDS))
    return WordTable(names, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def speed_rows(table: WordTable, kind: str) -> list[Row]:
    """Time noise and search against the loop and against the matrix product, in turns."""
    model = WordLaplace(epsilon=EPSILON, order="text", embeddings=table)
    search = Search(model.table_, zipf_inputs(len(table), QUERIES), model)
    moved = search.moved()
    search.ours()  # loops compiled or loaded before the clock starts
    seconds = interleaved(
        {
            "pass": search.matrix_pass,
            "ours": search.ours,
            "search": lambda: search.table.nearest(moved),
            "loop": search.loop,
        },
        repeats=5,
    )
    return [*_speed_rows(table, kind, seconds), *mldp_rows(search, seconds["ours"])]


def _speed_rows(table: WordTable, kind: str, seconds: dict[str, float]) -> list[Row]:
    n = table.dimensions
    loop = seconds["loop"] * QUERIES / _LOOP_WORDS
    one, ours, found = seconds["pass"], seconds["ours"], seconds["search"]
    target = LOOP_TARGETS[n]
    return [
        Row(
            f"{QUERIES:,} words moved and replaced among {len(table):,} of {n} dimensions ({kind}), against a loop",
            f"≥ {target}×",
            f"{loop / ours:,.0f}× ({ours:.2f} s; {loop:,.0f} s, scaled from {_LOOP_WORDS} words)",
            loop / ours >= target,
            {"ratio": loop / ours, "ours_s": ours, "loop_s": loop},
        ),
        Row(
            f"the same, in float32 matrix products of that shape ({n} dimensions)",
            f"≤ {PASS_TARGET}",
            f"{ours / one:.2f} (search {found / one:.2f}; one product {one:.2f} s)",
            ours / one <= PASS_TARGET,
            {"ratio": ours / one, "pass_s": one, "search_s": found},
        ),
    ]


def mldp_rows(search: Search, ours: float) -> list[Row]:
    """Time `mldp-text` on the same vectors, where an interpreter that has it is named."""
    python = os.environ.get("MLDP_PYTHON")
    n = search.table.dimensions
    claim = f"the same against mldp-text's multivariate mechanism ({n} dimensions)"
    if not python:
        return [Row(claim, "", "not measured: set MLDP_PYTHON to an interpreter that has mldp-text", None)]
    with tempfile.TemporaryDirectory() as folder:
        vectors = Path(folder) / "vectors.npy"
        np.save(vectors, search.table.vectors)
        rows = map(str, search.rows[:_MLDP_WORDS])
        command = [python, "-c", _MLDP_JOB, str(vectors), str(EPSILON), *rows]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    per_word = json.loads(done.stdout.splitlines()[-1])
    exact, approximate = (per_word[name] * QUERIES for name in ("exact_s", "faiss_s"))
    return [
        Row(
            claim + ": exact / its approximate index",
            "",
            f"{exact / ours:,.0f}× / {approximate / ours:,.0f}× ({exact:,.0f} / {approximate:,.0f} s, scaled)",
            None,
            {"exact_s": exact, "approximate_s": approximate},
        )
    ]


def memory_job(words: int) -> None:
    """Anonymize documents of 200 words and print the largest memory this process ever held, in bytes."""
    table = word_table()
    names = [table.words[row] for row in zipf_inputs(len(table), words)]
    texts = [" ".join(names[start : start + _DOCUMENT]) for start in range(0, words, _DOCUMENT)]
    WordLaplace(epsilon=EPSILON, order="text", embeddings=table).transform(texts)
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in bytes there, in KiB elsewhere
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)


def _peak_mib(words: int) -> float:
    command = [sys.executable, "-c", f"import nearest_words; nearest_words.memory_job({words})"]
    done = subprocess.run(command, cwd=HERE, check=True, stdout=subprocess.PIPE, text=True)
    return int(done.stdout) / _MIB


def memory_rows() -> list[Row]:
    """Compare the peaks of fresh processes that anonymize few and many words."""
    small, middle, large = (_peak_mib(words) for words in (SMALL, MIDDLE, LARGE))
    return [
        Row(
            f"peak memory of WordLaplace, documents of 200 words: {LARGE:,} words beyond {SMALL:,}",
            f"≤ {GROWTH_TARGET_MIB} MiB",
            f"{large - small:,.0f} MiB ({small:,.0f} to {large:,.0f} MiB)",
            large - small <= GROWTH_TARGET_MIB,
            {"small_mib": small, "large_mib": large},
        ),
        Row(
            f"the same beyond {MIDDLE:,} words, which fill several blocks of random numbers",
            "",
            f"{large - middle:,.0f} MiB ({middle:,.0f} to {large:,.0f} MiB)",
            None,
            {"middle_mib": middle, "large_mib": large},
        ),
    ]


def measure(_inputs: Path | None) -> Sequence[Row]:
    """Measure memory first, as a child is charged for the memory of the process that starts it."""
    memory = memory_rows()
    return [
        *speed_rows(word_table(), "GloVe" if GLOVE.exists() else "stand-ins"),
        *speed_rows(made_up_table(300), "made up"),
        *memory,
    ]


if __name__ == "__main__":
    run_script(measure)
