"""What the benchmarks share: the job they time, the CPU clock they time it with, and the rows they report.

The job is the same everywhere: substitute every word of 18,846 documents of 150 words by the exact exponential
mechanism over 30,000 words of 100 dimensions. Word vectors and corpus are the real ones where the project's data
folder lies beside the repository; elsewhere the shipped word table and made-up draws stand in, and the table says so.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_info, threadpool_limits

from allonym.mechanisms import Exponential
from allonym.vectors import embeddings
from allonym.vectors.embeddings import WordTable
from allonym.vectors.ratings import WordRatings

WORDS = 30_000
DIMENSIONS = 100
DOCUMENTS = 18_846
WORDS_PER_DOCUMENT = 150
DRAWS = DOCUMENTS * WORDS_PER_DOCUMENT
EPSILON = 47.5
SPELLING_WEIGHT = 0.3
REPEATS = 3

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "shared" / "data"
GLOVE = DATA / "glove_wink" / "vectors_100k_f16.npy"
NEWSGROUPS = DATA / "newsgroups20" / "newsgroups20.parquet"

_SEED = 20260101
_SLAB_ROWS = 512
_WARM_WORDS = 15_000  # enough that every core's share is worth compiling for, on up to four cores
_ZIPF_SHIFT, _ZIPF_EXPONENT = 25.0, 1.08  # about how the corpus falls off, once stop words are gone

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Row:
    """One line of the table; `passed` is None where there is no target to meet."""

    claim: str
    target: str
    measured: str
    passed: bool | None
    numbers: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """The words, and for each of the drawn words its row in them."""

    table: WordTable
    inputs: Rows
    inputs_path: Path

    def mechanism(self) -> Exponential:
        """Return the mechanism afresh, with nothing computed yet."""
        return mechanism(self.table)


def mechanism(table: WordTable) -> Exponential:
    """Return the mechanism of the claims over a table."""
    return Exponential(WordRatings(table.words, table.vectors, spelling_weight=SPELLING_WEIGHT), epsilon=EPSILON)


def data_used() -> str:
    """Say in words which data are timed."""
    vectors = "GloVe vectors" if GLOVE.exists() else "shipped words-en vectors (cut to 100 dimensions)"
    draws = "draws from 20-newsgroups" if NEWSGROUPS.exists() and GLOVE.exists() else "made-up Zipf draws"
    return f"{vectors}, {draws}"


def processor() -> str:
    """Say in words on which kind of processor, and as which kind each library takes it."""
    from numba.core.registry import cpu_target
    from numpy._core._multiarray_umath import __cpu_baseline__, __cpu_dispatch__, __cpu_features__

    abilities = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    blas = [found["architecture"] for found in threadpool_info() if found.get("internal_api") == "openblas"]
    kinds = {
        "NumPy": (abilities or __cpu_baseline__ or ["baseline"])[-1],
        "BLAS": blas[0] if blas else "not OpenBLAS",
        "numba": cpu_target.target_context.codegen().magic_tuple()[1],
    }
    listed = ", ".join(f"{library} as for {kind}" for library, kind in kinds.items())
    return f"{_model_name()} ({os.cpu_count()} cores); {listed}."


def _model_name() -> str:
    told = Path("/proc/cpuinfo")
    names = (
        [line.partition(":")[2].strip() for line in told.read_text().splitlines() if "model name" in line]
        if told.exists()
        else []
    )
    return names[0] if names else platform.processor() or platform.machine()


def word_table(words: int = WORDS) -> WordTable:
    """Return the `words` most frequent words with 100-dimensional vectors."""
    if GLOVE.exists():
        return embeddings.load(GLOVE, limit=words)
    shipped = embeddings.load()
    table = WordTable(shipped.words, shipped.vectors[:, :DIMENSIONS])
    return table.first(words) if words <= len(table) else _stretched(table, words)


def _stretched(table: WordTable, words: int) -> WordTable:
    """Return a larger table: two halves of known words for a word, near the first one in meaning."""
    rng = np.random.default_rng(_SEED)
    names = dict.fromkeys(table.words)
    bases: list[int] = []
    while len(names) < words:
        first, second = (int(i) for i in rng.integers(0, len(table), 2))
        name = table.words[first][:4] + table.words[second][-4:]
        if name not in names:
            names[name] = None
            bases.append(first)
    spread = table.vectors.std(dtype=np.float64)
    noise = rng.normal(0, spread / 2, (len(bases), DIMENSIONS)).astype(np.float32)
    return WordTable(tuple(names), np.concatenate([table.vectors, table.vectors[bases] + noise]))


def make_inputs(table: WordTable) -> Rows:
    """Return documents × 150 rows of words: drawn from the corpus as SynTF does, or by Zipf's law."""
    if NEWSGROUPS.exists() and GLOVE.exists():
        return _corpus_inputs(table)
    return zipf_inputs(len(table), DRAWS).reshape(DOCUMENTS, WORDS_PER_DOCUMENT)


def zipf_inputs(words: int, draws: int) -> Rows:
    """Return rows of words of which the frequency falls with the rank."""
    shares = (np.arange(words) + _ZIPF_SHIFT) ** -_ZIPF_EXPONENT
    rng = np.random.default_rng(_SEED)
    return rng.choice(words, size=draws, p=shares / shares.sum())


def _corpus_inputs(table: WordTable) -> Rows:
    import pyarrow.parquet as pq
    from scipy import sparse

    from allonym.anonymizers.syntf.counts import draw_words
    from allonym.language.words import terms
    from allonym.randomness import insecure

    column = "body_noquote"
    texts = pq.read_table(NEWSGROUPS, columns=[column])[column].to_pylist()
    starts, columns = [0], list[int]()
    for text in texts:
        rows = table.rows(terms(text, morphology="lower"))
        columns.extend(rows[rows >= 0].tolist())
        starts.append(len(columns))
    counts = sparse.csr_array((np.ones(len(columns), np.int64), columns, starts), shape=(len(texts), len(table)))
    counts.sum_duplicates()
    streams = insecure(_SEED).documents([b""] * len(texts))
    return draw_words(counts, WORDS_PER_DOCUMENT, streams)


@contextmanager
def prepared_inputs(path: Path | None) -> Iterator[Path]:
    """Yield the file of the inputs: the one given, or a new one, made by a child so that no memory stays behind."""
    if path is not None:
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "inputs.npy"
        code = "import sys, numpy as n, _common as c; n.save(sys.argv[1], c.make_inputs(c.word_table()))"
        subprocess.run([sys.executable, "-c", code, str(made)], cwd=HERE, check=True)
        yield made


def child_json(script: str, *arguments: str, environment: dict[str, str] | None = None) -> dict[str, Any]:
    """Run a script of this folder in a fresh process and return what it prints, as JSON."""
    command = [sys.executable, str(HERE / script), *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of `work`, all threads of this process together."""
    start = time.process_time()
    work()
    return time.process_time() - start


def interleaved(works: dict[str, Callable[[], object]], repeats: int = REPEATS) -> dict[str, float]:
    """Return the median CPU seconds of each work, run in turns so that a busy machine slows all of them alike."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            times[name].append(cpu_seconds(work))
    return {name: statistics.median(measured) for name, measured in times.items()}


def matrix_pass(vectors: NDArray[np.float32]) -> None:
    """Multiply all vectors with all."""
    multiply(vectors, vectors.T)


def multiply(rows: NDArray[np.float32], columns: NDArray[np.float32], *, at_once: int = _SLAB_ROWS) -> None:
    """Multiply all rows with all columns, some rows at a time, in float32, as a linear-algebra library does it.

    On one thread, because the idle time of further threads would count as CPU time and flatter what is compared.
    """
    slab = np.empty((at_once, columns.shape[1]), np.float32)
    with threadpool_limits(1):
        for first in range(0, len(rows), at_once):
            few = rows[first : first + at_once]
            np.matmul(few, columns, out=slab[: len(few)])


def warm_up(table: WordTable) -> None:
    """Have the loops compiled, or loaded from where an earlier run left them, before the clock starts."""
    from allonym.randomness import insecure

    small = mechanism(table.first(_WARM_WORDS))
    small.draw(np.arange(small.inputs), insecure(0))
    small.loss()


def run_benchmark(measure: Callable[[Job], Sequence[Row]]) -> None:
    """Run a benchmark that needs the job as a script: load it, warm up, measure, report."""

    def with_job(inputs: Path | None) -> Sequence[Row]:
        with prepared_inputs(inputs) as path:
            job = Job(word_table(), np.load(path), path)
            warm_up(job.table)
            return measure(job)

    run_script(with_job)


def run_script(measure: Callable[[Path | None], Sequence[Row]]) -> None:
    """Run a benchmark as a script: `--inputs` takes prepared draws, `--json` writes the rows."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=Path, help="draws prepared by run.py; made anew without it")
    parser.add_argument("--json", type=Path, help="where to write the rows")
    options = parser.parse_args()
    rows = measure(options.inputs)
    print(table_of(rows))
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=2), encoding="utf-8")


def table_of(rows: Sequence[Row]) -> str:
    """Return the rows as a Markdown table with aligned columns."""
    verdicts = {True: "pass", False: "FAIL", None: "–"}
    cells = [("claim", "target", "measured", "")]
    cells += [(row.claim, row.target, row.measured, verdicts[row.passed]) for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(4)]
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " |" for line in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
