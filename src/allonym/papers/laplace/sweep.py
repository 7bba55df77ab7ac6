"""What word-by-word noise costs an analyst, over two decades of ε: how well he still classifies, how far words moved.

Bags of words of two corpora. Laplace noise and its sibling stand beside SynTF calibrated to the same worst-case loss of
a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from allonym import distances
from allonym.anonymizers.release import texts_of_counts
from allonym.anonymizers.syntf import SynTF
from allonym.anonymizers.words.exponential import WordExponential
from allonym.anonymizers.words.laplace import WordLaplace
from allonym.anonymizers.words.substitution import WordSubstitution
from allonym.drawing.tables import markdown_table
from allonym.metrics.figures import Figure, spread
from allonym.metrics.utility import analysts, weighted
from allonym.papers.corpora import Corpus, imdb62, newsgroups20
from allonym.papers.stored import Result
from allonym.randomness import insecure
from allonym.vectors import embeddings
from allonym.vectors.embeddings import WordTable

EPSILONS = (1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 20.0, 40.0, 60.0, 100.0)
LARGEST_SYNTF_LOSS = 30.0  # beyond, no ε reaches it
VOCABULARY = 8_000
TRAIN, TEST = 3_000, 1_500
MOVED = 60  # documents whose Word Mover's Distance is taken
LONGEST = 800  # characters: the first words of a document suffice for a topic
SEED = 2018
SHIPPED, GLOVE, UNIT_GLOVE = "words-en", "GloVe", "GloVe, length 1"
# Of `SHIPPED`; other vectors have the ε at which the worst loss of a word is the same.
COMPARED: dict[type[WordSubstitution], tuple[float, ...]] = {
    WordLaplace: (40.0, 60.0),
    WordExponential: (8.0,),
}
TOPICAL = (1000,)  # words

Report = Callable[[str], None]


@dataclass(frozen=True)
class SweptRow(Result, left_out=("vectors", "topical")):
    """A method at one ε on one corpus.

    Attributes:
        corpus: What the texts are.
        method: The method's name.
        epsilon: Per unit of distance; None where there is no such unit.
        worst_loss_per_word: Between any two words; None for the originals.
        unchanged: Share of the words that are left.
        moved: Mean Word Mover's Distance between documents and what became of them; None where none was taken.
        f1: Weighted F1 of an analyst who learns from released bags.
        f1_low: Its interval's lower end.
        f1_high: Its upper end.
        vectors: Whose the word vectors are.
        topical: How many words are read, those that best tell the topics of other messages; None for all.
    """

    corpus: str
    method: str
    epsilon: float | None
    worst_loss_per_word: float | None
    unchanged: float
    moved: float | None
    f1: float
    f1_low: float
    f1_high: float
    vectors: str = SHIPPED
    topical: int | None = None


def rows(data: Path, report: Report) -> list[SweptRow]:
    """Return a row for each corpus, method and ε."""
    table = embeddings.load(None, limit=VOCABULARY)
    return [
        row for corpus in (newsgroups20.load(data), imdb62.load(data)) for row in _rows(_sample(corpus), table, report)
    ]


def variants(data: Path, report: Report) -> list[SweptRow]:
    """Return rows with other vectors, and with topical words alone (section 2.1 of the paper), on 20 newsgroups.

    With vectors of length 1 the Euclidean distance is a function of the cosine, √(2 − 2·cos), and a metric as the
    paper's proofs need it; one less the cosine is none.
    """
    corpus = newsgroups20.load(data)
    sample, shipped = _sample(corpus), embeddings.load(None, limit=VOCABULARY)
    glove = embeddings.load(data / "glove_wink" / "vectors_100k_f16.npy", limit=VOCABULARY)
    furthest = WordLaplace(epsilon=1.0, embeddings=shipped).furthest_
    rows = []
    for name, table in ((GLOVE, glove), (UNIT_GLOVE, WordTable(glove.words, glove.unit()))):
        rows.append(_original(sample, WordLaplace(epsilon=1.0, embeddings=table), name))
        for kind, epsilons in COMPARED.items():
            for epsilon in epsilons:
                plain = kind(epsilon=epsilon, embeddings=table)
                plain = kind(epsilon=epsilon * furthest / plain.furthest_, embeddings=table)
                rows.append(_variant(sample, plain, vectors=name))
                report(f"{name}: {plain.method} at {plain.epsilon:.3g}, F1 {rows[-1].f1:.3f}")
    for words in TOPICAL:
        models = [
            kind(epsilon=epsilon, embeddings=shipped, topical_words=words).fit(*_others(corpus))
            for kind, epsilon in ((WordLaplace, 60.0), (WordExponential, 8.0))
        ]
        rows.append(_original(sample, models[0], SHIPPED))
        for model in models:
            rows.append(_variant(sample, model, vectors=SHIPPED))
            report(f"{words} topical words: {model.method}, F1 {rows[-1].f1:.3f}")
    return rows


def _original(corpus: Corpus, model: WordSubstitution, vectors: str) -> SweptRow:
    """Return the row of documents as a method reads them."""
    bags = [model.words_of(text) for text in corpus.texts]
    row = _row(corpus, "original", None, None, bags, bags, model.table_)
    return replace(row, vectors=vectors, topical=model.topical_words)


def _variant(corpus: Corpus, model: WordSubstitution, *, vectors: str) -> SweptRow:
    bags = model.release(corpus.texts, rng=insecure(SEED)).payload
    before = [model.words_of(text) for text in corpus.texts]
    worst = model.guarantee().loss_per_word
    row = _row(corpus, model.method, model.epsilon, worst, before, bags, model.table_)
    return replace(row, vectors=vectors, topical=model.topical_words)


def _others(corpus: Corpus) -> tuple[list[str], list[str]]:
    """Return training messages that are not in the sample, with their topics: what is topical is learned from them."""
    rows = [row for row in _order(corpus) if corpus.train[row]][TRAIN : 2 * TRAIN]
    return [corpus.texts[row][:LONGEST] for row in rows], [corpus.labels[row] for row in rows]


def markdown(swept: Sequence[SweptRow]) -> str:
    """Return the rows as a table."""
    head = ["corpus", "method", "ε per unit", "worst loss per word", "unchanged", "moved (WMD)", "F1 of labels"]
    lines = [[row.corpus, row.method, *_cells(row)] for row in swept]
    return markdown_table(head, lines, wide=False)


def variants_markdown(rows: Sequence[SweptRow]) -> str:
    """Return rows with other vectors or fewer words as a table."""
    head = ["vectors", "words read", "method", "ε per unit", "worst loss per word", "unchanged", "moved (WMD)"]
    lines = [
        [row.vectors, "all" if row.topical is None else f"{row.topical:,}", row.method, *_cells(row)] for row in rows
    ]
    return markdown_table([*head, "F1 of labels"], lines, wide=False)


def _cells(row: SweptRow) -> list[str]:
    cells = map(_cell, (row.epsilon, row.worst_loss_per_word, row.unchanged, row.moved))
    return [*cells, spread({"value": row.f1, "low": row.f1_low, "high": row.f1_high})]


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _sample(corpus: Corpus) -> Corpus:
    """Return the same documents every time: a fixed number of each part."""
    order = _order(corpus)
    train = [i for i in order if corpus.train[i]][:TRAIN]
    test = [i for i in order if not corpus.train[i]][:TEST]
    return corpus.only([*train, *test], characters=LONGEST)


def _order(corpus: Corpus) -> list[int]:
    order: list[int] = insecure(SEED).words(len(corpus.texts)).argsort().tolist()
    return order


def _rows(corpus: Corpus, table: WordTable, report: Report) -> list[SweptRow]:
    plain = WordLaplace(epsilon=1.0, embeddings=table)
    originals = [plain.words_of(text) for text in corpus.texts]
    rows = [_row(corpus, "original", None, None, originals, originals, plain.table_)]
    for epsilon in EPSILONS:
        losses = []
        for kind in (WordLaplace, WordExponential):
            model: WordSubstitution = kind(epsilon=epsilon, embeddings=table)
            worst = model.guarantee().loss_per_word
            losses.append(worst)
            bags = model.release(corpus.texts, rng=insecure(SEED)).payload
            rows.append(_row(corpus, model.method, epsilon, worst, originals, bags, plain.table_))
            report(f"{corpus.name}: {model.method} at {epsilon:g}, F1 {rows[-1].f1:.3f}")
        if losses[-1] is not None and losses[-1] < LARGEST_SYNTF_LOSS:
            rows.append(_syntf_row(corpus, table, losses[-1], originals))
            report(f"{corpus.name}: syntf at loss {losses[-1]:.1f}, F1 {rows[-1].f1:.3f}")
    return rows


def _syntf_row(corpus: Corpus, table: WordTable, loss: float, originals: list[list[str]]) -> SweptRow:
    """Return SynTF's row at this loss per word, with as many words as the documents have on average."""
    words = max(1, round(float(np.mean([len(bag) for bag in originals]))))
    model = SynTF(loss_per_word=loss, words=words, morphology="lower", vocabulary=list(table.words), embeddings=table)
    counts = model.release(corpus.texts, rng=insecure(SEED)).payload
    bags = [text.split() for text in texts_of_counts(counts, model.vocabulary_)]
    return _row(corpus, "syntf", None, model.guarantee().loss_per_word, originals, bags, None)


def _row(
    corpus: Corpus,
    method: str,
    epsilon: float | None,
    worst: float | None,
    before: Sequence[list[str]],
    after: Sequence[list[str]],
    table: WordTable | None,
) -> SweptRow:
    in_both = [sum((Counter(a) & Counter(b)).values()) for a, b in zip(before, after, strict=True)]
    unchanged = sum(in_both) / max(1, sum(map(len, before)))
    moved = None if table is None else _moved(before, after, table)
    return SweptRow(corpus.name, method, epsilon, worst, unchanged, moved, *_usefulness(corpus, after))


def _moved(before: Sequence[list[str]], after: Sequence[list[str]], table: WordTable) -> float:
    """Return the mean Word Mover's Distance between documents and what became of them."""
    pairs = [(a, b) for a, b in zip(before, after, strict=True) if a][:MOVED]
    vectors = ((table.vectors[table.rows(a)], table.vectors[table.rows(b)]) for a, b in pairs)
    return float(np.mean([distances.word_movers(a, b) for a, b in vectors]))


def _as_it_is(bag: list[str]) -> list[str]:
    return bag


def _usefulness(corpus: Corpus, bags: Sequence[list[str]]) -> tuple[float, float, float]:
    """Return weighted F1 of an analyst trained and tested on the released bags, with a 95 % bootstrap interval."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.metrics import f1_score

    labels, train = np.array(corpus.labels), np.array(corpus.train)
    counter = CountVectorizer(analyzer=_as_it_is).fit(bag for bag, known in zip(bags, train, strict=True) if known)
    counts = counter.transform(bags)
    vectors = weighted(counts[train], counts[~train])
    guesses = np.array(analysts(vectors[0], labels[train].tolist(), vectors[1])["naive_bayes"])
    truth = labels[~train]
    resampled = insecure(SEED).below(len(truth), (200, len(truth)))
    scores = np.array([f1_score(truth[i], guesses[i], average="weighted") for i in resampled])
    return Figure.of_resamples(float(f1_score(truth, guesses, average="weighted")), scores).numbers
