"""The tables that the generalised-DP paper should have had: what word-by-word noise costs, at which loss.

On each corpus, for ε over two decades: how well an analyst still classifies, how well an adaptive attacker still names
the author among ten, how far words have moved, and how many are left. Laplace noise and its sibling stand beside SynTF
calibrated to the same worst-case loss per word. `reviews` adds ten film reviewers; `frontier` measures these methods
and rival tools under stronger attackers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from allonym import __version__, distances
from allonym.anonymizers.release import texts_of_counts
from allonym.anonymizers.syntf import SynTF
from allonym.anonymizers.words.exponential import WordExponential
from allonym.anonymizers.words.laplace import WordLaplace
from allonym.anonymizers.words.substitution import WordSubstitution
from allonym.attackers.linear import CharacterNGramSVM, WordBayes, WordNGramSVM
from allonym.attackers.panel import Texts, adaptive
from allonym.drawing.figure_data import Figure
from allonym.drawing.tables import markdown_table
from allonym.metrics.figures import spread
from allonym.papers import ten_reviewers
from allonym.papers.corpora import Corpus, imdb62, newsgroups20
from allonym.papers.laplace import reviews
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

Report = Callable[[str], None]
Row = dict[str, Any]


def run(data: Path, report: Report) -> dict[str, Any]:
    """Return all rows, with what is needed to make them again."""
    rows: list[Row] = []
    table = embeddings.load(None, limit=VOCABULARY)
    for corpus in (newsgroups20.load(data), imdb62.load(data)):
        rows += _rows(_sample(corpus), _suspects(corpus), table, report)
    return {
        "paper": "Fernandes, Dras and McIver 2018 (which has no tables of its own)",
        "version": __version__,
        "command": "allonym reproduce laplace --data DIR",
        "seed": SEED,
        "vocabulary": VOCABULARY,
        "documents": {"train": TRAIN, "test": TEST},
        "rows": rows,
        "reviews": reviews.run(data, report),
    }


def markdown(results: dict[str, Any]) -> str:
    """Return the rows as a table."""
    head = [
        "corpus",
        "method",
        "ε per unit",
        "worst loss per word",
        "unchanged",
        "moved (WMD)",
        "F1 of labels",
        "attack",
    ]
    lines = []
    for row in results["rows"]:
        cells = [row["corpus"], row["method"]]
        cells += [_cell(row[name]) for name in ("epsilon", "worst_loss_per_word", "unchanged", "moved")]
        ends = [
            {"value": row[name], "low": row[f"{name}_low"], "high": row[f"{name}_high"]} for name in ("f1", "attack")
        ]
        lines.append([*cells, *map(spread, ends)])
    told = "Attack: accuracy among ten authors of the strongest of three adaptive attackers, all of n-grams."
    reviewed = f"## Ten reviewers\n\n{reviews.markdown(results['reviews'])}"
    return markdown_table(head, lines, wide=False) + f"\n\n{told}\n\n{reviewed}"


def figures(_: dict[str, Any]) -> dict[str, Figure]:
    """Return none: the paper has no figure."""
    return {}


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _sample(corpus: Corpus) -> Corpus:
    """Return the same documents every time: a fixed number of each part."""
    order = insecure(SEED).words(len(corpus.texts)).argsort()
    train = [i for i in order if corpus.train[i]][:TRAIN]
    test = [i for i in order if not corpus.train[i]][:TEST]
    return corpus.only([*train, *test], characters=LONGEST)


def _suspects(corpus: Corpus) -> Corpus:
    """Return the documents of ten authors: the Top 10/Any scenario, or 100 and 40 of the lowest author numbers."""
    if corpus.name == "20 newsgroups":
        authors = newsgroups20.SCENARIOS[1].authors(corpus)
        most = {True: len(corpus.texts), False: len(corpus.texts)}
    else:
        authors = sorted(set(corpus.authors), key=int)[: ten_reviewers.AUTHORS]
        most = {True: ten_reviewers.TRAIN, False: ten_reviewers.TEST}
    chosen = []
    for author in authors:
        own = [row for row, name in enumerate(corpus.authors) if name == author]
        for part in (True, False):
            chosen += [row for row in own if corpus.train[row] is part][: most[part]]
    return corpus.only(chosen, characters=LONGEST)


def _attack(suspects: Corpus, released: Sequence[str]) -> Row:
    """Return the accuracy of the strongest attacker trained and tested on what was released."""
    known = np.array(suspects.train)
    (texts, names), (others, truth) = (
        (list(compress(released, part)), list(compress(suspects.authors, part))) for part in (known, ~known)
    )
    attacks = adaptive([WordNGramSVM(), WordBayes(), CharacterNGramSVM()], Texts(texts, others), names, truth)
    strongest = max(attacks, key=lambda attack: attack.figures["accuracy"].value)
    accuracy = strongest.figures["accuracy"]
    return {
        "attack": accuracy.value,
        "attack_low": accuracy.low,
        "attack_high": accuracy.high,
        "attack_by": strongest.attacker,
    }


def _rows(corpus: Corpus, suspects: Corpus, table: WordTable, report: Report) -> list[Row]:
    plain = WordLaplace(epsilon=1.0, embeddings=table)
    originals = [plain.words_of(text) for text in corpus.texts]
    known = [" ".join(plain.words_of(text)) for text in suspects.texts]
    rows = [_row(corpus, "original", None, None, originals, originals, plain.table_) | _attack(suspects, known)]
    for epsilon in EPSILONS:
        losses = []
        for kind in (WordLaplace, WordExponential):
            model: WordSubstitution = kind(epsilon=epsilon, embeddings=table)
            worst = model.guarantee().loss_per_word
            losses.append(worst)
            bags = model.release(corpus.texts, rng=insecure(SEED)).payload
            attacked = [" ".join(bag) for bag in model.release(suspects.texts, rng=insecure(SEED)).payload]
            row = _row(corpus, model.method, epsilon, worst, originals, bags, plain.table_)
            rows.append(row | _attack(suspects, attacked))
            report(f"{corpus.name}: {model.method} at {epsilon:g}, F1 {rows[-1]['f1']:.3f}")
        if losses[-1] is not None and losses[-1] < LARGEST_SYNTF_LOSS:
            rows.append(_syntf_row(corpus, suspects, table, losses[-1], originals))
            report(f"{corpus.name}: syntf at loss {losses[-1]:.1f}, F1 {rows[-1]['f1']:.3f}")
    return rows


def _syntf_row(corpus: Corpus, suspects: Corpus, table: WordTable, loss: float, originals: list[list[str]]) -> Row:
    """Return SynTF's row at this loss per word, with as many words as the documents have on average."""
    words = max(1, round(float(np.mean([len(bag) for bag in originals]))))
    model = SynTF(loss_per_word=loss, words=words, morphology="lower", vocabulary=list(table.words), embeddings=table)
    counts = model.release(corpus.texts, rng=insecure(SEED)).payload
    bags = [text.split() for text in texts_of_counts(counts, model.vocabulary_)]
    attacked = texts_of_counts(model.release(suspects.texts, rng=insecure(SEED)).payload, model.vocabulary_)
    row = _row(corpus, "syntf", None, model.guarantee().loss_per_word, originals, bags, None)
    return row | _attack(suspects, attacked)


def _row(
    corpus: Corpus,
    method: str,
    epsilon: float | None,
    worst: float | None,
    before: Sequence[list[str]],
    after: Sequence[list[str]],
    table: WordTable | None,
) -> Row:
    f1, low, high = _usefulness(corpus, after)
    kept = [sum((Counter(a) & Counter(b)).values()) for a, b in zip(before, after, strict=True)]
    return {
        "corpus": corpus.name,
        "method": method,
        "epsilon": epsilon,
        "worst_loss_per_word": worst,
        "unchanged": sum(kept) / max(1, sum(map(len, before))),
        "moved": None if table is None else _moved(before, after, table),
        "f1": f1,
        "f1_low": low,
        "f1_high": high,
    }


def _moved(before: Sequence[list[str]], after: Sequence[list[str]], table: WordTable) -> float:
    """Return the mean Word Mover's Distance between documents and what became of them."""
    pairs = [(a, b) for a, b in zip(before, after, strict=True) if a][:MOVED]
    vectors = ((table.vectors[table.rows(a)], table.vectors[table.rows(b)]) for a, b in pairs)
    return float(np.mean([distances.word_movers(a, b) for a, b in vectors]))


def _usefulness(corpus: Corpus, bags: Sequence[list[str]]) -> tuple[float, float, float]:
    """Return weighted F1 of an analyst trained and tested on the released bags, with a 95 % bootstrap interval."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics import f1_score
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    labels, train = np.array(corpus.labels), np.array(corpus.train)
    texts = np.array([" ".join(bag) for bag in bags], dtype=object)
    analyst = make_pipeline(TfidfVectorizer(analyzer=str.split), MultinomialNB(alpha=0.01))
    guesses = analyst.fit(texts[train], labels[train]).predict(texts[~train])
    truth = labels[~train]
    resampled = insecure(SEED).below(len(truth), (200, len(truth)))
    scores = [f1_score(truth[i], guesses[i], average="weighted") for i in resampled]
    low, high = np.quantile(scores, [0.025, 0.975])
    return float(f1_score(truth, guesses, average="weighted")), float(low), float(high)
