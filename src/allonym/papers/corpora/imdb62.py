"""IMDb62: film reviews of 62 authors; the label is whether the rating is above 7, from 5 to 7, or below."""

from __future__ import annotations

from pathlib import Path

from allonym.papers.corpora import Corpus, columns


def load(data: Path) -> Corpus:
    """Return the corpus from the data folder."""
    path = data / "imdb62" / "imdb62.parquet"
    texts, ratings, split, authors = columns(path, ["text", "rating", "split", "author"])
    labels = ["good" if int(str(r)) > 7 else "fair" if int(str(r)) >= 5 else "bad" for r in ratings]
    train = [s == "train" for s in split]
    return Corpus("IMDb62", [str(t or "") for t in texts], labels, train, [str(a) for a in authors])
