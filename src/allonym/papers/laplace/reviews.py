"""Word-by-word methods on the protocol of `ten_reviewers`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from allonym import metrics
from allonym.anonymizers.words.exponential import WordExponential
from allonym.anonymizers.words.laplace import WordLaplace
from allonym.anonymizers.words.substitution import WordSubstitution
from allonym.drawing.tables import markdown_table
from allonym.metrics.figures import rounded_percent, spread
from allonym.papers.ten_reviewers import AUTHORS, SEED, Reviews, Row, read_reviews
from allonym.randomness import insecure

LAPLACE = (30.0, 40.0, 45.0, 50.0, 60.0)
EXPONENTIAL = (5.0, 5.5, 6.0, 6.5, 7.0, 8.0)


def run(data: Path, report: Callable[[str], None]) -> Row:
    """Return a row for the originals and for each method and ε."""
    reviews = read_reviews(data)
    rows = [_row(reviews, None)]
    methods: list[WordSubstitution] = [WordLaplace(epsilon=epsilon, order="text") for epsilon in LAPLACE]
    methods += [WordExponential(epsilon=epsilon, order="text") for epsilon in EXPONENTIAL]
    for method in methods:
        rows.append(_row(reviews, method))
        report(f"reviews: {method.method} at {method.get_params()['epsilon']:g}, attack {rows[-1]['adaptive']}")
    return {"authors": AUTHORS, **reviews.about(), "rows": rows}


def markdown(results: Row) -> str:
    """Return the rows as one table."""
    head = ["method", "ε", "loss per word: worst / usual neighbour", "left", "cosine", "static", "adaptive"]
    lines = []
    for row in results["rows"]:
        worst = row["worst_loss_per_word"]
        loss = "–" if worst is None else f"{worst:.0f} / {row['neighbour_loss']:.1f}"
        epsilon = "–" if row["epsilon"] is None else f"{row['epsilon']:g}"
        cells = [row["method"], epsilon, loss, rounded_percent(row["unchanged"]), f"{row['cosine']:.2f}"]
        cells += [_attack_cell(row["static"]), _attack_cell(row["adaptive"]), f"{row['sentiment_f1_macro']:.2f}"]
        lines.append(cells)
    return markdown_table([*head, "sentiment F1"], lines, wide=False) + "\n"


def _attack_cell(figure: Row | None) -> str:
    return spread(figure, 2) + ("" if figure is None else f", {figure['by']}")


def _row(reviews: Reviews, method: WordSubstitution | None) -> Row:
    released: list[str] | None = None if method is None else method.release(reviews.texts, rng=insecure(SEED)).payload
    found = reviews.row(released)
    return {
        "method": "original" if method is None else method.method,
        "epsilon": None if method is None else method.get_params()["epsilon"],
        "worst_loss_per_word": None if method is None else method.guarantee().loss_per_word,
        "neighbour_loss": None if method is None else method.neighbours().loss,
        **found,
        "cosine": found["cosine"]["value"],
        **_sentiment(reviews, reviews.texts if released is None else released),
    }


def _sentiment(reviews: Reviews, texts: Sequence[str]) -> Row:
    """Return how well an analyst tells good from bad reviews who learns from what was released."""
    polar = [row for row, rating in enumerate(reviews.ratings) if rating != "fair"]
    learn, score = ([row for row in polar if reviews.train[row] is part] for part in (True, False))
    sentiment = metrics.topic_scores(
        [texts[row] for row in learn], [reviews.ratings[row] for row in learn],
        [texts[row] for row in score], [reviews.ratings[row] for row in score],
    )  # fmt: skip
    return {"sentiment_f1_macro": sentiment.linear_svm["f1_macro"].value, "sentiment_documents": len(score)}
