"""Word vectors in the manner of word2vec, from the messages at hand.

The SynTF paper names word2vec beside GloVe. What its skip-gram with negative sampling approaches is a factorisation of
a matrix that can be written down: how much likelier than by chance two words stand side by side, less the logarithm of
the number of negative samples (Levy and Goldberg, *Neural Word Embedding as Implicit Matrix Factorization*, 2014). So
that matrix is factorised here, by singular values, which needs no training and gives the same vectors again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from allonym.language.words import words
from allonym.vectors.embeddings import WordTable

DIMENSIONS = 100
WINDOW = 5  # words on either side; the nearer count for more, as in word2vec
NEGATIVES = 5
SMOOTHING = 0.75  # of how often a word is a neighbour: word2vec draws negative samples so
LEAST = 5  # occurrences of a word


def vectors_of(texts: Sequence[str]) -> WordTable:
    """Return a table of the words of some texts, the most frequent first."""
    documents = [[word.lower() for word in words(text)] for text in texts]
    counted = Counter(word for document in documents for word in document)
    chosen = [word for word, count in counted.most_common() if count >= LEAST]
    numbers = {word: number for number, word in enumerate(chosen)}
    rows = [np.array([numbers[word] for word in document if word in numbers], np.int64) for document in documents]
    matrix = likelier_than_chance(beside_one_another(rows, len(chosen)))
    start = np.ones(len(chosen)) / math.sqrt(len(chosen))
    left, sizes, _ = svds(matrix, k=min(DIMENSIONS, len(chosen) - 1), v0=start)
    return WordTable(tuple(chosen), (left * np.sqrt(sizes)).astype(np.float32))


def beside_one_another(documents: Sequence[np.ndarray[tuple[int], np.dtype[np.int64]]], size: int) -> sparse.csr_array:
    """Return how often each word (a row) stands near each (a column), in a window that weighs the nearer ones more."""
    counts = sparse.csr_array((size, size))
    for apart in range(1, WINDOW + 1):
        pairs = [(document[:-apart], document[apart:]) for document in documents if len(document) > apart]
        before = np.concatenate([first for first, _ in pairs] or [np.zeros(0, np.int64)])
        after = np.concatenate([second for _, second in pairs] or [np.zeros(0, np.int64)])
        weights = np.full(len(before), (WINDOW - apart + 1) / WINDOW)
        counts = counts + sparse.csr_array((weights, (before, after)), shape=(size, size))
    return sparse.csr_array(counts + counts.T)


def likelier_than_chance(counts: sparse.csr_array) -> sparse.csr_array:
    """Return how much likelier two words stand together than by chance, as a logarithm less that of the negatives."""
    pairs = counts.tocoo()
    alone = np.asarray(counts.sum(axis=1)).ravel()
    neighbour = np.maximum(alone, 1e-12) ** SMOOTHING
    shares = neighbour / neighbour.sum()
    together = np.log(pairs.data / (alone[pairs.row] * shares[pairs.col])) - math.log(NEGATIVES)
    above = together > 0
    return sparse.csr_array((together[above], (pairs.row[above], pairs.col[above])), shape=counts.shape)
