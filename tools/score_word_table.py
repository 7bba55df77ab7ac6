"""Score a word table: synonyms against antonyms and random pairs, WordSim-353 and SimLex-999.

    pip download --no-deps --dest WHEELS gensim==4.4.0
    python tools/score_word_table.py words-en --constraints DIR --benchmarks WHEELS --beside GLOVE.npy

``--constraints`` is a folder with ``ppdb_synonyms.txt``, ``ppdb_antonyms.txt`` and ``wordnet_antonyms.txt``
(two words a line); these choose between variants of a table. ``--benchmarks`` is the folder of the gensim
wheel, of which two data files are read and nothing is run; these two sets only grade the chosen table.
``--beside`` scores a second table on the pairs that both cover. Prints aggregate numbers only.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, spearmanr

from allonym.vectors.embeddings import WordTable, load

Floats = NDArray[np.float32]
Pairs = NDArray[np.int64]
BENCHMARKS = {
    "wordsim353": ("wordsim353.tsv", "f92a022fc2537793a15bc3a8c162ebcd74990e033a228bb6388cb71e4c0b1e1d"),
    "simlex999": ("simlex999.txt", "d5e0501971478a511430ee880bd0121e94ac701ba86d90544d83e6d2ba3db05d"),
}
PREFIX = 4  # two words that share this many first letters are taken for forms of one word
RECALL_AT = 10


def read_pairs(path: Path, table: WordTable) -> Pairs:
    """Return the distinct unordered pairs of two different table words in a file, as sorted index pairs."""
    pairs = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        left, right = (table.index(word) for word in [*line.split(), "", ""][:2])
        if left is not None and right is not None and left != right:
            pairs.add((min(left, right), max(left, right)))
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def cosines(unit: Floats, pairs: Pairs) -> Floats:
    """Return the cosine of each pair of rows."""
    products: Floats = np.einsum("ij,ij->i", unit[pairs[:, 0]], unit[pairs[:, 1]])
    return products


def area_under_curve(above: Floats, below: Floats) -> float:
    """Return the chance that a value of the first set exceeds one of the second (ties count half)."""
    ranks = rankdata(np.concatenate([above, below]))
    wins = ranks[: len(above)].sum() - len(above) * (len(above) + 1) / 2
    return float(wins / (len(above) * len(below)))


def synonym_ranks(unit: Floats, pairs: Pairs) -> NDArray[np.int64]:
    """Return how many words lie closer to the first word of each pair than the second does."""
    ranks = []
    for block in np.array_split(pairs, max(1, len(pairs) // 256)):
        similarity = unit[block[:, 0]] @ unit.T
        rows = np.arange(len(block))
        target = similarity[rows, block[:, 1]].copy()
        similarity[rows, block[:, 0]] = -np.inf
        ranks.append((similarity > target[:, None]).sum(axis=1))
    return np.concatenate(ranks).astype(np.int64)


def spelled_alike(table: WordTable, words: int = 2000) -> float:
    """Return the share of the ten nearest of the most common words that begin with the same letters."""
    unit = table.unit()
    similarity = unit[:words] @ unit.T
    np.fill_diagonal(similarity, -np.inf)
    nearest = np.argpartition(-similarity, RECALL_AT, axis=1)[:, :RECALL_AT]
    prefixes = np.array([word[:PREFIX] for word in table.words])
    return float((prefixes[nearest] == prefixes[:words, None]).mean())


def score_constraints(table: WordTable, folder: Path, recall_pairs: int = 2000) -> dict[str, float]:
    """Score how well cosine tells synonyms from random pairs and antonyms, and finds a synonym.

    Pairs of one stem ("claim", "claims") are left out, so that spelling alone earns nothing. The random
    pairs are the synonym pairs with their second words moved on by half the list.
    """
    synonyms = read_pairs(folder / "ppdb_synonyms.txt", table)
    other_stem = [table.words[a][:PREFIX] != table.words[b][:PREFIX] for a, b in synonyms]
    synonyms = synonyms[np.array(other_stem, dtype=bool)]
    moved = np.stack([synonyms[:, 0], np.roll(synonyms[:, 1], len(synonyms) // 2)], axis=1)
    antonym_files = ("ppdb_antonyms.txt", "wordnet_antonyms.txt")
    antonyms = np.unique(np.concatenate([read_pairs(folder / name, table) for name in antonym_files]), axis=0)
    unit = table.unit()
    similar = cosines(unit, synonyms)
    sample = synonyms[:: max(1, len(synonyms) // recall_pairs)]
    ranks = synonym_ranks(unit, sample)
    random_auc = area_under_curve(similar, cosines(unit, moved))
    antonym_auc = area_under_curve(similar, cosines(unit, antonyms))
    recall = float((ranks < RECALL_AT).mean())
    return {
        "synonym_pairs": len(synonyms),
        "antonym_pairs": len(antonyms),
        "auc_synonym_vs_random": round(random_auc, 4),
        "auc_synonym_vs_antonym": round(antonym_auc, 4),
        "recall_at_10": round(recall, 4),
        "typical_rank": round(float(np.exp(np.log1p(ranks).mean())), 1),
        "criterion": round((random_auc + antonym_auc + recall) / 3, 4),
        "spelled_alike": round(spelled_alike(table), 4),
    }


def read_benchmark(wheels: Path, name: str) -> list[tuple[str, str, float]]:
    """Return the (lower-case) word pairs of a benchmark with people's mean score, from the gensim wheel."""
    member, expected = BENCHMARKS[name]
    wheel = sorted(wheels.glob("gensim-*.whl"))[-1]
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read(f"gensim/test/test_data/{member}")
    if hashlib.sha256(data).hexdigest() != expected:
        raise SystemExit(f"{member} in the gensim wheel is not the pinned file; use gensim 4.4.0.")
    rows = [line.split("\t") for line in data.decode().splitlines() if not line.startswith("#")]
    return [(first.lower(), second.lower(), float(score)) for first, second, score in rows]


def score_benchmarks(table: WordTable, wheels: Path, beside: WordTable | None = None) -> dict[str, dict[str, float]]:
    """Return Spearman's correlation of cosine with people's scores, over the pairs both tables cover."""
    scores: dict[str, dict[str, float]] = {}
    for name in BENCHMARKS:
        covered = [
            (first, second, score)
            for first, second, score in read_benchmark(wheels, name)
            if all(word in one for one in (table, beside or table) for word in (first, second))
        ]
        first, second, people = zip(*covered, strict=True)
        rows = [table.rows(first), table.rows(second)]
        similarity = cosines(table.unit(), np.stack(rows, axis=1))
        correlation = spearmanr(similarity, people).statistic
        scores[name] = {"spearman": round(float(correlation), 4), "pairs": len(covered)}
    return scores


def main() -> None:
    """Score the tables named on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("table", help="a shipped name, or a path that allonym.vectors.embeddings.load takes")
    parser.add_argument("--constraints", type=Path, help="folder of synonym and antonym lists")
    parser.add_argument("--benchmarks", type=Path, help="folder of the gensim wheel")
    parser.add_argument("--beside", type=Path, help="a second table to score on the same pairs")
    options = parser.parse_args()
    table = load(options.table)
    beside = load(options.beside) if options.beside else None
    scores: dict[str, object] = {}
    if options.constraints:
        scores["constraints"] = score_constraints(table, options.constraints)
    if options.benchmarks:
        scores["all_pairs"] = score_benchmarks(table, options.benchmarks)
    if options.benchmarks and beside is not None:
        scores["same_pairs"] = score_benchmarks(table, options.benchmarks, beside)
        scores["beside_same_pairs"] = score_benchmarks(beside, options.benchmarks, table)
    print(json.dumps(scores, indent=2))


if __name__ == "__main__":
    main()
