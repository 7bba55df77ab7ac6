"""Word-by-word methods on the protocol by which rival tools were measured: ten reviewers, who wrote what?

IMDb62, the ten lowest author numbers, 100 training and 40 test reviews of each: first 150 tokens, last sentence dropped
(many end in a sign-off), lower case. Attackers static and adaptive; meaning by MiniLM; one draw a row. Rivals keep
punctuation and unknown words in clear; here nothing is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from allonym import metrics
from allonym.anonymizers.words.exponential import WordExponential
from allonym.anonymizers.words.laplace import WordLaplace
from allonym.anonymizers.words.substitution import WordSubstitution
from allonym.attackers.linear import CharacterNGramSVM, ClearChannelSVM, WordBayes, WordNGramSVM
from allonym.attackers.panel import PanelResult, Texts, attack
from allonym.attackers.panel import train as trained_on
from allonym.metrics import scoring
from allonym.papers.corpora import imdb62
from allonym.randomness import insecure

AUTHORS, TRAIN, TEST = 10, 100, 40
TOKENS = 150
LAPLACE = (30.0, 40.0, 45.0, 50.0, 60.0)
EXPONENTIAL = (5.0, 5.5, 6.0, 6.5, 7.0, 8.0)
SEED = 2018
_ENDS = {".", "!", "?", "..."}

# Measured in November 2026 on this protocol (rivals' own objects, batched draws of the same law): share of words left,
# MiniLM cosine, the strongest of the attacks on what they release, and what their guarantee leaves in clear.
RIVALS = [
    ("mldp-text MADLIB, ε = 10", 0.14, 0.28, 0.62, "5.2 % of words and all punctuation in clear"),
    ("mldp-text MADLIB, ε = 14", 0.40, 0.53, 0.72, "5.2 % of words and all punctuation in clear"),
    ("mldp-text MADLIB, ε = 17", 0.63, 0.73, 0.78, "5.2 % of words and all punctuation in clear"),
    ("mldp-text MADLIB, ε = 20", 0.81, 0.88, 0.87, "5.2 % of words and all punctuation in clear"),
    ("mldp-text Mahalanobis, ε = 14", 0.31, 0.45, 0.62, "5.2 % of words and all punctuation in clear"),
    ("mldp-text TEM, ε = 2.5", 0.34, 0.47, 0.65, "5.2 % of words and all punctuation in clear"),
    ("mldp-text TEM, ε = 3", 0.66, 0.73, 0.79, "5.2 % of words and all punctuation in clear"),
    ("dp-diffractor geometric, ε = 0.5", 0.64, 0.65, 0.83, "unknown words, stop words and punctuation in clear"),
    ("dp-diffractor geometric, stop words replaced, ε = 1", 0.51, 0.71, 0.78, "unknown words and punctuation in clear"),
]

Row = dict[str, Any]


def run(data: Path, report: Callable[[str], None]) -> Row:
    """Return a row for the originals and for each method and ε, and the rivals' figures."""
    texts, authors, ratings, train = read_reviews(data)
    parts = np.array(train)
    original = Texts([t for t, known in zip(texts, train, strict=True) if known], test_part(texts, train))
    names = (train_part(authors, train), test_part(authors, train))
    trained = trained_on(panel(), original.train, names[0])
    before = attack(panel(), *names, original=original, trained=trained)
    rows = [_row("original", None, before, "original", texts, texts, ratings, parts)]
    methods: list[WordSubstitution] = [WordLaplace(epsilon=epsilon, order="text") for epsilon in LAPLACE]
    methods += [WordExponential(epsilon=epsilon, order="text") for epsilon in EXPONENTIAL]
    for method in methods:
        released: list[str] = method.release(texts, rng=insecure(SEED)).payload
        after = Texts(train_part(released, train), test_part(released, train))
        found = attack(panel(), *names, original=original, released=after, trained=trained)
        rows.append(_row(method.method, method, found, "adaptive", texts, released, ratings, parts))
        report(f"reviews: {method.method} at {method.get_params()['epsilon']:g}, attack {rows[-1]['adaptive']}")
    rivals = [
        dict(zip(("method", "unchanged", "cosine", "attack", "in_clear"), rival, strict=True)) for rival in RIVALS
    ]
    return {
        "authors": AUTHORS,
        "documents": {"train": len(names[0]), "test": len(names[1])},
        "chance": before.chance,
        "seed": SEED,
        "rows": rows,
        "rivals": rivals,
    }


def markdown(results: Row) -> str:
    """Return ours and the rivals' rows as one table, by how much meaning is kept."""
    head = "| method | ε | loss per word: worst / usual neighbour | left | cosine | static | adaptive | sentiment F1 |"
    lines = [head, "|---|---|---|---|---|---|---|---|"]
    for row in results["rows"]:
        loss = (
            "–"
            if row["worst_loss_per_word"] is None
            else f"{row['worst_loss_per_word']:.0f} / {row['neighbour_loss']:.1f}"
        )
        epsilon = "–" if row["epsilon"] is None else f"{row['epsilon']:g}"
        cells = [row["method"], epsilon, loss, f"{row['unchanged']:.0%}", f"{row['cosine']:.2f}"]
        cells += [_attack_cell(row["static"]), _attack_cell(row["adaptive"]), f"{row['sentiment_f1_macro']:.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    for rival in results["rivals"]:
        cells = [rival["method"], "", rival["in_clear"], f"{rival['unchanged']:.0%}", f"{rival['cosine']:.2f}", ""]
        lines.append("| " + " | ".join([*cells, f"{rival['attack']:.2f}", ""]) + " |")
    return "\n".join(lines) + "\n"


def _attack_cell(figure: Row | None) -> str:
    return (
        "–" if figure is None else f"{figure['value']:.2f} ({figure['low']:.2f}–{figure['high']:.2f}), {figure['by']}"
    )


def panel() -> list[Any]:
    """Return the attackers of the protocol, untrained."""
    return [WordNGramSVM(), CharacterNGramSVM(), WordBayes(), ClearChannelSVM()]


def train_part(values: Sequence[Any], train: Sequence[bool]) -> list[Any]:
    """Return the values of training documents."""
    return [value for value, known in zip(values, train, strict=True) if known]


def test_part(values: Sequence[Any], train: Sequence[bool]) -> list[Any]:
    """Return the values of test documents."""
    return [value for value, known in zip(values, train, strict=True) if not known]


def read_reviews(data: Path) -> tuple[list[str], list[str], list[str], list[bool]]:
    """Return texts, authors, ratings and whether each is for training."""
    corpus = imdb62.load(data)
    order = insecure(SEED).words(len(corpus.texts)).argsort().tolist()
    chosen: list[int] = []
    for author in sorted(set(corpus.authors), key=int)[:AUTHORS]:
        own = [row for row in order if corpus.authors[row] == author]
        chosen += [row for row in own if corpus.train[row]][:TRAIN] + [row for row in own if not corpus.train[row]][
            :TEST
        ]
    return (
        [_cut(corpus.texts[row]) for row in chosen],
        [corpus.authors[row] for row in chosen],
        [corpus.labels[row] for row in chosen],
        [corpus.train[row] for row in chosen],
    )


def _cut(text: str) -> str:
    """Return the first tokens in lower case, without the last sentence unless it is the only one."""
    tokens = text.lower().split()[:TOKENS]
    ends = [place for place, token in enumerate(tokens[:-1]) if token in _ENDS]
    return " ".join(tokens[: ends[-1] + 1] if ends else tokens)


def _row(
    name: str,
    method: WordSubstitution | None,
    found: PanelResult,
    setting: str,
    before: Sequence[str],
    after: Sequence[str],
    ratings: Sequence[str],
    train: np.ndarray[Any, np.dtype[np.bool_]],
) -> Row:
    test = np.flatnonzero(~train).tolist()
    originals, released = [before[row] for row in test], [after[row] for row in test]
    polar = np.array([rating != "fair" for rating in ratings])
    learn, score = np.flatnonzero(train & polar).tolist(), np.flatnonzero(~train & polar).tolist()
    sentiment = metrics.topic_scores(
        [after[row] for row in learn], [ratings[row] for row in learn],
        [after[row] for row in score], [ratings[row] for row in score],
    )  # fmt: skip
    return {
        "method": name,
        "epsilon": None if method is None else method.get_params()["epsilon"],
        "worst_loss_per_word": None if method is None else method.guarantee().loss_per_word,
        "neighbour_loss": None if method is None else method.neighbours().loss,
        "unchanged": scoring.bootstrap(metrics.unchanged(originals, released)).value,
        "cosine": scoring.bootstrap(metrics.cosine(originals, released)).value,
        "static": None if setting == "original" else strongest(found, "static"),
        "adaptive": strongest(found, setting),
        "attacks": [
            {"attacker": each.attacker, "setting": each.setting, "accuracy": each.figures["accuracy"].value}
            for each in found.attacks
        ],
        "sentiment_f1_macro": sentiment.linear_svm["f1_macro"].value,
        "sentiment_documents": len(score),
    }


def strongest(found: PanelResult, setting: Any) -> Row:  # noqa: ANN401 - a Literal of the panel
    """Return the best attacker of a setting, with its accuracy."""
    best = found.strongest(setting)
    accuracy = best.figures["accuracy"]
    return {"by": best.attacker, "value": accuracy.value, "low": accuracy.low, "high": accuracy.high}
