"""Measure the style encoder on writers it was not trained on, beside other attackers.

    python tools/measure_style_encoder.py --data ../shared/data choose   # on validation writers; prints a table
    python tools/measure_style_encoder.py --data ../shared/data report   # writes results/style_encoder.json

``choose`` compares balances, costs and classifiers on validation bloggers and on film reviews of authors who are in no
report. ``report`` looks at the test bloggers, at ten film reviewers and at ten authors of newsgroups. Bloggers, known
texts and texts to be recognised are drawn anew five times; figures are means over draws, intervals 95 % bootstrap over
all texts asked about.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from prepare_style_encoder import FEWEST_WORDS, posts, reviews
from scipy import sparse
from sklearn.metrics import roc_auc_score

from allonym import models
from allonym.attackers.base import Attacker
from allonym.attackers.delta import Delta
from allonym.attackers.features import NGrams
from allonym.attackers.linear import CharacterNGramSVM, WordNGramSVM
from allonym.attackers.style_encoder import Classifier, StyleEncoder, reader, weigh
from allonym.metrics import scoring
from allonym.networks.style_encoder.inference import DEFAULT, StyleReader
from allonym.papers.corpora import imdb62, newsgroups20
from allonym.randomness import Rng, insecure

RESULTS = Path(__file__).resolve().parents[1] / "results" / "style_encoder.json"
SEED, DRAWS = 2026, 5
SUSPECTS, ASKED = 50, 5  # of bloggers
LONGEST = 5000  # characters of a text that are read
BALANCES = (0.0, 0.1, 0.2, 0.3)
TRIED: tuple[tuple[Classifier, float], ...] = (("nearest", 0.0), ("svm", 1.0), ("svm", 10.0), ("logistic", 100.0))

Row = dict[str, Any]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Corpus:
    """Texts and who wrote each; what may be known, and what is asked about."""

    name: str
    texts: list[str]
    authors: NDArray[np.str_]
    knowable: NDArray[np.bool_]
    asked: NDArray[np.bool_]
    known: tuple[int, ...]  # texts of each author
    most_asked: int  # texts of each author
    suspects: int

    def draw(self, rng: Rng) -> tuple[Places, Places]:
        """Return known texts, the most there will be, an author's together in random order; and texts to ask about."""
        most = max(self.known)
        needed = most + (self.most_asked if self.knowable is self.asked else 0)
        everybody, texts = np.unique(self.authors[self.knowable], return_counts=True)
        fit = everybody[texts >= needed]
        chosen = np.sort(fit[_shuffled(len(fit), rng)][: self.suspects])
        known, asked = [], []
        for who in chosen:
            own = np.flatnonzero((self.authors == who) & self.knowable)
            own = own[_shuffled(len(own), rng)][:most]
            other = np.setdiff1d(np.flatnonzero((self.authors == who) & self.asked), own)
            known.append(own)
            asked.append(other[_shuffled(len(other), rng)][: self.most_asked])
        return np.array(known), np.concatenate(asked)


def _shuffled(size: int, rng: Rng) -> Places:
    return np.argsort(rng.words(size), kind="stable") if size else np.zeros(0, dtype=np.int64)


def blogs(data: Path, split: str, known: tuple[int, ...]) -> Corpus:
    """Return posts of a split's bloggers."""
    texts, authors = posts(data, split, LONGEST, 10**9)
    everything = np.ones(len(texts), dtype=bool)
    name = "blogs (test)" if split == "test" else "blogs (validation)"
    return Corpus(name, texts, np.array(authors).astype(str), everything, everything, known, ASKED, SUSPECTS)


def film_reviews(data: Path) -> Corpus:
    """Return the reviews of the ten lowest author numbers."""
    found = imdb62.load(data)
    ten = sorted(set(found.authors), key=int)[:10]
    rows = [row for row, author in enumerate(found.authors) if author in ten]
    train = np.array([found.train[row] for row in rows])
    texts = [found.texts[row][:LONGEST] for row in rows]
    return Corpus("IMDb62", texts, np.array([found.authors[row] for row in rows]), train, ~train, (5, 20, 100), 40, 10)


def newsgroups(data: Path) -> Corpus:
    """Return the messages of the paper's scenario "Top 10/Any"."""
    found = newsgroups20.load(data)
    scenario = next(one for one in newsgroups20.SCENARIOS if one.name == "Top 10/Any")
    ten = scenario.authors(found)
    rows = [row for row, author in enumerate(found.authors) if author in ten]
    train = np.array([found.train[row] for row in rows])
    texts = [found.texts[row][:LONGEST] for row in rows]
    numbers = np.array([str(ten.index(found.authors[row])) for row in rows])
    return Corpus("20 newsgroups", texts, numbers, train, ~train, (5, 20), 10**9, 10)


def attackers() -> dict[str, Attacker]:
    """Return who is measured."""
    return {
        "characters-svm": CharacterNGramSVM(),
        "words-svm": WordNGramSVM(),
        "delta": Delta(),
        "style-encoder": StyleEncoder(),
        "style-encoder, nearest": StyleEncoder(classifier="nearest"),
    }


TOGETHER = {
    "n-grams together": ("characters-svm", "words-svm"),
    "n-grams and style-encoder together": ("characters-svm", "words-svm", "style-encoder"),
}


def scores_of(corpus: Corpus, known: Places, asked: Places) -> dict[str, NDArray[np.float64]]:
    """Return what each attacker, and some together, say about the texts asked about."""
    flat = known.ravel()
    texts, authors = [corpus.texts[place] for place in flat], corpus.authors[flat].tolist()
    questions = [corpus.texts[place] for place in asked]
    found = {name: attacker.fit(texts, authors).decision_function(questions) for name, attacker in attackers().items()}
    even = {name: (scores - scores.mean(1, keepdims=True)) / scores.std() for name, scores in found.items()}
    sums = {name: np.sum([even[part] for part in parts], axis=0) for name, parts in TOGETHER.items()}
    return {**found, **sums}


def measured(corpus: Corpus) -> Iterator[Row]:
    """Yield a row for each number of known texts and each attacker."""
    rng = insecure(SEED)
    draws = [corpus.draw(rng) for _ in range(DRAWS)]
    for known in corpus.known:
        right: dict[str, list[NDArray[np.bool_]]] = {}
        for own, asked in draws:
            classes = np.unique(corpus.authors[own[:, 0]])
            for name, scores in scores_of(corpus, own[:, :known], asked).items():
                right.setdefault(name, []).append(classes[scores.argmax(1)] == corpus.authors[asked])
        for name, found in right.items():
            figure = scoring.bootstrap(np.concatenate(found).astype(float))
            means = [round(float(part.mean()), 4) for part in found]
            print(f"{corpus.name}, {known} known: {name} {figure}, draws {means}", flush=True)
            facts = {"corpus": corpus.name, "authors": len(draws[0][0]), "known": known, "attacker": name}
            yield {**facts, "accuracy": asdict(figure), "draws": means, "texts_asked": sum(map(len, found))}


def pairs(corpus: Corpus) -> Row:
    """Return how well cosines tell pairs of texts by one author from pairs by two, over all draws."""
    rng = insecure(SEED)
    found: dict[str, list[float]] = {"style-encoder": [], "characters 2–4": []}
    for _ in range(DRAWS):
        own, _ = corpus.draw(rng)
        chosen = own[:, :4].ravel()
        texts, authors = [corpus.texts[place] for place in chosen], corpus.authors[chosen]
        first, second = np.triu_indices(len(chosen), 1)
        same = authors[first] == authors[second]
        for name, vectors in (
            ("style-encoder", reader(DEFAULT).vectors(texts)),
            ("characters 2–4", NGrams("characters", 2, 4).fit_transform(texts)),
        ):
            found[name].append(round(float(roc_auc_score(same, _cosines(vectors)[first, second])), 4))
    return {"corpus": corpus.name, "same_author_auc": {name: _spread(values) for name, values in found.items()}}


def _cosines(vectors: sparse.csr_array) -> NDArray[np.float64]:
    """Return the cosines of all pairs, seen from the mean of all."""
    products = (vectors @ vectors.T).toarray()
    products = products - products.mean(0) - products.mean(1, keepdims=True) + products.mean()
    lengths = np.sqrt(np.maximum(np.diag(products), 1e-12))
    cosines: NDArray[np.float64] = products / lengths / lengths[:, None]
    return cosines


def _spread(values: list[float]) -> Row:
    return {"mean": round(float(np.mean(values)), 4), "draws": values}


def speed(corpus: Corpus) -> Row:
    """Return how many texts of a corpus are read a second, with their mean number of words."""
    texts = corpus.texts[:1000]
    began = time.perf_counter()
    reader(DEFAULT).vectors(texts)
    words = float(np.mean([len(text.split()) for text in texts]))
    return {"texts_per_second": round(len(texts) / (time.perf_counter() - began)), "mean_words": round(words)}


def choose(data: Path) -> None:
    """Print accuracies on validation writers for balances, costs and classifiers."""
    film_texts, film_authors = reviews(data, LONGEST)
    all_films = np.ones(len(film_texts), dtype=bool)
    film_names = np.array(film_authors).astype(str)
    films = Corpus("other film reviewers", film_texts, film_names, all_films, all_films, (5,), ASKED, 20)
    shipped = models.verify(DEFAULT)
    shape, arrays = reader(DEFAULT).shape, models.open_tensors(shipped)
    for corpus in (blogs(data, "val", (1, 5)), films):
        rng = insecure(SEED)
        draws = [corpus.draw(rng) for _ in range(DRAWS)]
        for balance in BALANCES:
            encoder = StyleReader(shape, arrays, balance)
            vectors = [
                tuple(encoder.vectors([corpus.texts[place] for place in part.ravel()]) for part in draw)
                for draw in draws
            ]
            for known in corpus.known:
                found = [(*one, _accuracy(corpus, draws, vectors, known, *one)) for one in TRIED]
                cells = [f"{classifier} {cost:g} {accuracy:.3f}" for classifier, cost, accuracy in found]
                print(f"{corpus.name}, {known} known, balance {balance:g}: {', '.join(cells)}", flush=True)


def _accuracy(
    corpus: Corpus,
    draws: list[tuple[Places, Places]],
    vectors: list[Any],
    known: int,
    classifier: Classifier,
    cost: float,
) -> float:
    right = []
    for (own, asked), (learned, questions) in zip(draws, vectors, strict=True):
        writers = np.repeat(np.arange(len(own)), known)
        rows = (np.arange(own.size).reshape(own.shape)[:, :known]).ravel()
        weights, constants = weigh(sparse.csr_array(learned[rows]), writers, classifier, cost)
        named = (questions @ weights.T + constants).argmax(1)
        right.append(corpus.authors[own[named, 0]] == corpus.authors[asked])
    return float(np.concatenate(right).mean())


def report(data: Path) -> None:
    """Measure on test writers, and write the results."""
    rows: list[Row] = []
    extras: dict[str, Any] = {}
    for corpus in (blogs(data, "test", (1, 5, 20)), film_reviews(data), newsgroups(data)):
        extras.setdefault("pairs", []).append(pairs(corpus))
        extras.setdefault("speed", speed(corpus))
        rows += measured(corpus)
    found = {
        "made_by": "python tools/measure_style_encoder.py --data DIR report",
        "model": {name: models.verify(DEFAULT).config[name] for name in ("name", "version", "balance")},
        "seed": SEED,
        "draws": DRAWS,
        "fewest_words_of_a_post": FEWEST_WORDS,
        "longest_text_in_characters": LONGEST,
        "rows": rows,
        **extras,
    }
    RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main() -> None:
    """Choose or report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("what", choices=["choose", "report"])
    given = parser.parse_args()
    (choose if given.what == "choose" else report)(given.data)


if __name__ == "__main__":
    main()
